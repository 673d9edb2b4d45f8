//! `linerate plan`: what would run, in which order, how long. Touches nothing and needs no root.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;

use super::{Exit, question};
use crate::calibration::Duets;
use crate::experiment::{Compare, Experiment, Family, Layout, Method, Source, Traffic};
use crate::plan::{Plan, Run};
use crate::store;
use crate::ui::{self, Cell, Style};
use crate::units::show_duration;

/// Check an experiment and show what would run, in which order and how long
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    question: question::FileArgs,
    /// Say what the plan can see, from `linerate calibrate` or an earlier result directory of duets on the same machine
    #[arg(long, value_name = "DIR")]
    calibration: Option<PathBuf>,
    /// `text`, or `json` with every run and its seed
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    format: Format,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

/// The same facts for machines.
#[derive(Serialize)]
struct Answer<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    estimate_s: f64,
    /// Half the interval's width that each comparison is expected to have, as a share; only with `--calibration`.
    resolution: Option<f64>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let question::Question { source, experiment, plan } = args.question.read()?;
    let estimate_s = plan.estimate(&experiment).as_secs_f64();
    let noise = args.calibration.map(|directory| noise(&directory, &experiment)).transpose()?;
    let resolution = noise.as_ref().map(|noise| noise.resolution(experiment.method.iterations));
    match args.format {
        Format::Text => ui::out(&text(&source, &experiment, &plan, noise.as_ref()))?,
        Format::Json => {
            let answer = Answer { experiment: &experiment, plan: &plan, estimate_s, resolution };
            ui::out(&format!("{}\n", serde_json::to_string_pretty(&answer)?))?;
        }
    }
    Ok(Exit::Done)
}

fn text(source: &Source, experiment: &Experiment, plan: &Plan, noise: Option<&Duets>) -> String {
    let method = &experiment.method;
    let cells = cells(experiment, plan);
    let traffic: Vec<String> = experiment.traffic.iter().map(describe).collect();
    let variants: Vec<&str> = experiment.variants.iter().map(|variant| variant.name.as_str()).collect();
    let configs: Vec<&str> = experiment.configs.iter().map(|config| config.name.as_str()).collect();
    let mut facts = vec![
        ("file", source.path.display().to_string()),
        ("variants", format!("{} (the first is the baseline)", variants.join(", "))),
        ("configs", configs.join(", ")),
        ("traffic", traffic.join("\n            ")),
        ("a run", a_run(method)),
        (
            "runs",
            format!("{}: {} blocks of {}, each block in an order of its own", plan.runs.len(), method.iterations, count(cells.len(), "run")),
        ),
        ("time", format!("about {}, more when runs are invalid and repeated", show_duration(plan.estimate(experiment)))),
        ("seed", format!("{0}; `--seed {0}` repeats this order", method.seed)),
    ];
    facts.extend(noise.map(|noise| ("sees", foreseen(noise, experiment))));
    let mut text = format!("{}\n\n", ui::paint_out(Style::Strong, &experiment.title));
    for (name, fact) in facts {
        writeln!(text, "  {name:8}  {fact}").expect("a String takes any text");
    }
    let header = ["run", "config", "traffic", if method.compare == Compare::Duet { "variants" } else { "variant" }];
    let row = |(number, run): (usize, &&Run)| {
        let compared = if method.compare == Compare::Duet { variants.join(", ") } else { run.arms.concat() };
        vec![Cell::number(number + 1), run.config.as_str().into(), run.traffic.as_str().into(), compared.into()]
    };
    text + "\n" + &ui::table(&header, cells.iter().enumerate().map(row)) + "\n" + &order(plan, &cells)
}

/// What one run does.
fn a_run(method: &Method) -> String {
    let (warmup, blast) = (show_duration(method.warmup), show_duration(method.duration));
    let (slot, own_core) = match method.layout {
        Layout::Inline => ("half millisecond", ""),
        Layout::TwoCore => ("2 ms", "; the DUT has a core of its own"),
    };
    let text = match method.compare {
        Compare::Duet => format!(
            "a duet: one blast of {blast}, after {warmup} of warm-up, that changes over every {slot}\n            \
             between the DUTs of all variants, the baseline's once more (control), and none (null)"
        ),
        Compare::Blocks => format!("one variant's DUT: {warmup} of warm-up, then a blast of {blast}"),
    };
    text + own_core
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The runs of one block, in the order of the file.
fn cells<'p>(experiment: &Experiment, plan: &'p Plan) -> Vec<&'p Run> {
    let mut cells: Vec<&Run> = plan.runs.iter().filter(|run| run.block == 0).collect();
    cells.sort_by_key(|run| {
        let config = experiment.configs.iter().position(|config| config.name == run.config);
        let traffic = experiment.traffic.iter().position(|traffic| traffic.name == run.traffic);
        (config, traffic, experiment.variants.iter().position(|variant| run.arms.first() == Some(&variant.name)))
    });
    cells
}

/// The runs by number, a line per block; of a long plan its beginning.
fn order(plan: &Plan, cells: &[&Run]) -> String {
    const BLOCKS_SHOWN: usize = 20;
    // The arms of a duet are the same ones in every run, each time in another order.
    let same_arms = |a: &Run, b: &Run| a.arms.len() > 1 || a.arms == b.arms;
    let number = |run: &Run| {
        cells.iter().position(|cell| (&cell.config, &cell.traffic) == (&run.config, &run.traffic) && same_arms(cell, run))
    };
    let width = cells.len().to_string().len();
    let blocks: Vec<&[Run]> = plan.runs.chunk_by(|a, b| a.block == b.block).collect();
    let mut text = String::new();
    for block in blocks.iter().take(BLOCKS_SHOWN) {
        write!(text, "  block {:<3}", block[0].block).expect("a String takes any text");
        for run in *block {
            write!(text, " {:>width$}", number(run).map_or(0, |number| number + 1)).expect("a String takes any text");
        }
        text.push('\n');
    }
    if blocks.len() > BLOCKS_SHOWN {
        text += &format!("  .. and {} more blocks; `--format json` lists every run\n", blocks.len() - BLOCKS_SHOWN);
    }
    text
}

fn describe(traffic: &Traffic) -> String {
    let Traffic { name, family, frame_size, sources, destinations, load } = traffic;
    let protocol = if *family == Family::Inet4 { "IPv4" } else { "IPv6" };
    let flows = u32::from(*sources) * u32::from(*destinations);
    format!("{name}: {frame_size}-byte UDP frames over {protocol}, {flows} flows ({sources} x {destinations}), load {load}")
}

/// What blocks of this machine differ by, in the layout of the experiment.
fn noise(directory: &Path, experiment: &Experiment) -> anyhow::Result<Duets> {
    if experiment.method.compare == Compare::Blocks {
        bail!("`--calibration` foresees what duets see; this experiment says compare = \"blocks\"");
    }
    let part = directory.join(if experiment.method.layout == Layout::Inline { "duet" } else { "two-core" });
    let (log, _) = store::read(if part.is_dir() { &part } else { directory })?;
    Duets::of(&log).with_context(|| format!("{} holds too few valid duets to learn from", directory.display()))
}

/// What the plan can see, and how long finer answers take.
fn foreseen(noise: &Duets, experiment: &Experiment) -> String {
    let cells = (experiment.configs.len() * experiment.traffic.len()) as u32;
    let blocks = experiment.method.iterations;
    let mut text = format!(
        "+-{:.2} % per comparison at {blocks} blocks, where one block varies by {:.2} %",
        noise.resolution(blocks) * 100.0,
        noise.sd * 100.0
    );
    for share in [0.001, 0.0005] {
        if let Some(needed) = noise.blocks_for(share).filter(|&needed| needed > blocks) {
            let time = show_duration(noise.block * needed * cells);
            text += &format!("; +-{} % needs {needed} blocks, {time}", share * 100.0);
        }
    }
    text
}
