//! `linerate calibrate`: the noise floor of this machine, in two minutes.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};

use super::run::{carry_out, free_directory};
use super::Exit;
use crate::calibration::{Duets, Runs, samples};
use crate::experiment::Source;
use crate::lab::facts;
use crate::plan::Plan;
use crate::plot::phases::Phases;
use crate::runner::Ended;
use crate::store::event::{Event, RunVerdict};
use crate::store::{self, Log, Writer};
use crate::sys::signal;
use crate::ui;
use crate::units::show_duration;

/// Measure the noise floor of this machine, in two minutes: what a comparison can see here, and what to change
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where the measurements and the report go [default: results/calibration-N]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Each part is an ordinary experiment; the DUT is a plain IPv4 router, and nothing is compared but itself.
const PARTS: [(&str, &str); 3] = [
    ("duet", "compare = \"duet\"\niterations = 40"),
    ("two-core", "compare = \"duet\"\nlayout = \"two-core\"\niterations = 20"),
    ("blocks", "compare = \"blocks\"\niterations = 30\nwarmup = \"100 ms\"\nduration = \"1 s\"\nretries = 1"),
];
const SEED: u64 = 1;

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let directory = match args.output {
        Some(directory) => directory,
        None => free_directory(Path::new("calibration"))?,
    };
    signal::catch();
    for (name, method) in PARTS {
        if name == "two-core" && std::thread::available_parallelism().map_or(1, usize::from) < 2 {
            continue;
        }
        ui::note(&format!("{name}:"));
        if part(&directory.join(name), name, method)? == Ended::Interrupted {
            return Ok(Exit::Interrupted);
        }
    }
    let text = report(&directory)?;
    fs::write(directory.join("README.md"), format!("# Calibration\n\n```text\n{text}```\n\n![Rate over time](phases.png)\n"))
        .context("cannot write README.md")?;
    ui::out(&text)?;
    ui::note(&format!("\nkept in {0}; `linerate plan FILE --calibration {0}` uses it", directory.display()));
    Ok(Exit::Done)
}

fn part(directory: &Path, name: &str, method: &str) -> anyhow::Result<Ended> {
    let text = format!(
        "title = \"Calibration: {name}\"\n\n[method]\n{method}\nseed = {SEED}\n\n[[variant]]\nname = \"same\"\n\n\
         [[config]]\nname = \"forwarding\"\n\n[[traffic]]\nname = \"inet4\"\nfamily = \"inet4\"\n"
    );
    let source = Source { path: PathBuf::from(format!("{name}.toml")), text };
    let experiment = source.parse(SEED)?;
    let plan = Plan::new(&experiment, SEED);
    let mut writer = Writer::create(directory, &source.text, &experiment, &plan)?;
    writer.append(&Event::Facts { host: "lab".into(), facts: facts::gather() })?;
    let (log, _) = store::read(directory)?;
    carry_out(&mut writer, &log)
}

/// The noise floor in words, and `phases.svg` and `phases.png` beside it.
fn report(directory: &Path) -> anyhow::Result<String> {
    let log = |name: &str| store::read(&directory.join(name)).ok().map(|(log, _)| log);
    let mut text = String::new();
    let Some(duets) = log("duet").as_ref().and_then(Duets::of) else {
        bail!("too few valid duets; `linerate doctor` says what is wrong with this machine");
    };
    say_duets(&mut text, "duet, inline (the default)", &duets);
    if let Some(duets) = log("two-core").as_ref().and_then(Duets::of) {
        say_duets(&mut text, "duet, two-core", &duets);
    }
    if let Some(log) = log("blocks") {
        if let Some(runs) = Runs::of(&log) {
            say_runs(&mut text, &runs);
        }
        draw(directory, &log)?;
        for line in advice(&log, &duets) {
            writeln!(text, "  try  {line}")?;
        }
    }
    Ok(text)
}

fn say_duets(text: &mut String, what: &str, duets: &Duets) {
    let percent = |share: f64| format!("+-{:.3} %", share * 100.0);
    let bias = &duets.bias;
    let lines = [
        format!("{what}: {} blocks of {}", duets.count, show_duration(duets.block)),
        format!("    a block's number has a standard deviation of {:.2} %", duets.sd * 100.0),
        format!(
            "    the same against itself: {:+.3} % ({:+.3} to {:+.3} %){}",
            bias.percent(),
            (bias.low - 1.0) * 100.0,
            (bias.high - 1.0) * 100.0,
            if bias.low > 1.0 || bias.high < 1.0 { ", which should hold 0 and does 19 times in 20" } else { "" }
        ),
        format!(
            "    resolution per comparison: {} in 1 minute, {} in 5, {} in 30",
            percent(duets.resolution(duets.blocks_in(Duration::from_secs(60)))),
            percent(duets.resolution(duets.blocks_in(Duration::from_secs(300)))),
            percent(duets.resolution(duets.blocks_in(Duration::from_secs(1800)))),
        ),
    ];
    *text += &(lines.join("\n") + "\n");
}

fn say_runs(text: &mut String, runs: &Runs) {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let independent = 2.0 / (runs.count as f64).sqrt();
    let mut lines = vec![
        format!("separate runs of 1 s, as the classic protocol has them: {} runs", runs.count),
        format!("    between runs the mean rate varies by {} (coefficient of variation), its 90th percentile by {}", percent(runs.cv_mean), percent(runs.cv_p90)),
        format!("    five runs against five find {} nine times in ten", percent(runs.classic_effect)),
        format!(
            "    neighbouring runs correlate by {:.2}{}; drift {:+.1} % per minute; first run {:+.1} standard deviations",
            runs.lag1,
            if runs.lag1 > independent { ": not independent, a t test on them is wrong" } else { "" },
            runs.drift_per_minute * 100.0,
            runs.first_run_sd
        ),
        format!("    slow phases: {} of the time more than 5 % below the best, {} at a time", percent(runs.slow_share), format_args!("{} ms", runs.slow_phase.as_millis())),
    ];
    if let Some((low, high)) = runs.groups {
        lines.push(format!("    two groups of runs, {low} slow and {high} fast: means of these mislead"));
    }
    *text += &(lines.join("\n") + "\n");
}

fn draw(directory: &Path, log: &Log) -> anyhow::Result<()> {
    let runs: Vec<Vec<f64>> =
        log.results.iter().filter(|result| result.verdict == RunVerdict::Valid).map(samples).collect();
    let svg = Phases {
        title: "Forwarding rate of one and the same DUT".into(),
        caption: "packets per second; what differs is the machine's doing".into(),
        runs,
        seconds_per_sample: 0.01,
    }
    .svg();
    fs::write(directory.join("phases.png"), crate::plot::png(&svg)).context("cannot write phases.png")?;
    fs::write(directory.join("phases.svg"), svg).context("cannot write phases.svg")
}

/// What would make this machine quieter, from its facts and from what was seen.
fn advice(log: &Log, duets: &Duets) -> Vec<String> {
    let facts = log.facts.get("lab").cloned().unwrap_or_default();
    let fact = |name: &str| facts.get(name).map_or("", String::as_str);
    let mut advice = Vec::new();
    if !["performance", "none visible", ""].contains(&fact("governor")) {
        advice.push(format!("cpupower frequency-set -g performance: the governor is `{}`", fact("governor")));
    }
    if fact("SMT") == "on" {
        advice.push("echo off > /sys/devices/system/cpu/smt/control: a busy sibling halves a core at random".into());
    }
    if fact("virtual machine").starts_with("yes") {
        advice.push("a machine of your own: neighbours on this host are seen as slow phases, not as steal".into());
    }
    let shared = log.results.iter().filter(|result| !result.warnings.is_empty() || result.verdict != RunVerdict::Valid).count();
    if shared > 0 {
        advice.push(format!("stopping other programs: {shared} of {} runs had to share the DUT's CPU or were invalid", log.results.len()));
    }
    if duets.sd > 0.01 {
        advice.push("more blocks: a block's number varies by more than 1 % here, five times what a quiet machine shows".into());
    }
    advice
}
