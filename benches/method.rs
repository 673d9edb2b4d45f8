//! `make bench-method`: how fine the duet sees on this machine, and how the classic protocol does beside it.
//!
//! Every figure comes from `linerate run` on experiments written below, with fixed seeds, through the event log. An
//! experiment here is a group of consecutive blocks of one long run; groups share no block. The truth of an effect is the
//! trimmed mean over all blocks of its run.
//!
//! `LINERATE_BENCH_SCALE=0.2` does a fifth of everything; `cargo bench --bench method -- classic` does one part:
//! resolution, no-effect, classic, agreement, disturbed.

use std::process::{Child, Command, Stdio};

use linerate::duet::Duet;
use linerate::stats::ratio::{RatioInterval, one_sample, trimmed, welch};
use linerate::stats::student;
use linerate::store::event::{RunResult, RunVerdict};
use linerate::store::{self, Log};

const BASELINE: &str = "default";

fn main() {
    let scale = std::env::var("LINERATE_BENCH_SCALE").ok().and_then(|scale| scale.parse().ok()).unwrap_or(1.0);
    let scaled = |count: f64| (count * scale).ceil() as u32;
    let directory = std::env::temp_dir().join(format!("linerate-bench-{}", std::process::id()));
    let run = |name: &str, toml: String| -> Log {
        std::fs::create_dir_all(&directory).expect("a temporary directory");
        let ruleset = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/nft-stateless.nft");
        std::fs::copy(ruleset, directory.join("nft-stateless.nft")).expect("the two-rule filter");
        let file = directory.join(format!("{name}.toml"));
        std::fs::write(&file, toml).expect("an experiment file");
        let results = directory.join(name);
        let mut linerate = Command::new(env!("CARGO_BIN_EXE_linerate"));
        let status = linerate.args(["--quiet", "run"]).arg(&file).arg("-o").arg(&results).stdout(Stdio::null()).status();
        // 4: some runs were invalid, which a busy machine makes them.
        assert!(matches!(status.expect("linerate starts").code(), Some(0 | 4)), "linerate run failed");
        store::read(&results).expect("a log").0
    };

    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |part: &str| asked.is_empty() || asked.iter().any(|name| name == part);
    println!("| question | what was run | answer |\n|---|---|---|");
    if wanted("resolution") {
        resolution(&run("resolution", duet("resolution", 101, 40 * scaled(15.0), &[("quarter", 4), ("eighth", 2)])));
    }
    if wanted("no-effect") {
        let copies = [("a1", 0), ("b1", 0), ("a2", 0), ("b2", 0), ("a3", 0), ("b3", 0)];
        false_alarms(&run("no-effect", duet("no effect", 102, 8 * scaled(50.0), &copies)));
    }
    if wanted("classic") {
        let classic_log = run("classic", blocks("classic", 103, scaled(40.0), "6 s", &[]));
        let beside = run("beside", duet("beside", 104, scaled(100.0), &[]));
        classic(&classic_log, &beside);
    }
    for burn in [80, 500].into_iter().filter(|_| wanted("agreement")) {
        let variants = [("slower", burn)];
        let fine = run(&format!("duet-{burn}"), duet("agreement", 105, scaled(10.0).max(3), &variants));
        let coarse = run(&format!("blocks-{burn}"), blocks("agreement", 106, scaled(10.0).max(3), "1 s", &variants));
        agreement(&fine, &coarse);
    }
    if wanted("disturbed") {
        let variants = [("slower", 12)];
        let calm = run("calm", duet("calm", 107, scaled(20.0).max(3) * 10, &variants));
        let _stress = Stress::start();
        disturbed(&calm, &run("disturbed", duet("disturbed", 107, scaled(20.0).max(3) * 10, &variants)));
    }
    let _ = std::fs::remove_dir_all(&directory);
}

/// A process that takes the DUT's core for a third of the time, with the same priority as the sender.
struct Stress(Child);

impl Stress {
    fn start() -> Stress {
        let last = std::thread::available_parallelism().expect("a number of CPUs").get() - 1;
        let script = "echo -20 > /proc/self/autogroup; while :; do timeout --foreground 0.1 yes > /dev/null; sleep 0.2; done";
        let cpu = last.to_string();
        let argv = ["setsid", "--wait", "taskset", "-c", &cpu, "nice", "-n", "-20", "sh", "-c", script];
        Stress(Command::new(argv[0]).args(&argv[1..]).spawn().expect("setsid starts"))
    }
}

impl Drop for Stress {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Twenty experiments of a known slow-down and as many of none, calm and disturbed.
fn disturbed(calm: &Log, disturbed: &Log) {
    const EXPERIMENTS: usize = 20;
    for (what, log) in [("calm", calm), ("disturbed", disturbed)] {
        let slower = experiments(&effects(log, |duet| duet.effect("slower", BASELINE)), EXPERIMENTS);
        let control = experiments(&effects(log, |duet| duet.control(BASELINE)), EXPERIMENTS);
        let flagged = valid(log).filter(|result| !result.warnings.is_empty()).count();
        println!(
            "| {what}{} | {EXPERIMENTS} experiments of {} blocks | wrong sign {}, found {}, mean interval \
             +-{:.3} %; no effect: {} alarms; {flagged} of {} runs flagged |",
            if what == "calm" { "" } else { ": another process has the DUT's core for a third of the time" },
            valid(log).count() / EXPERIMENTS,
            slower.iter().filter(|interval| interval.low > 1.0).count(),
            slower.iter().filter(|interval| interval.high < 1.0).count(),
            half_width(&slower),
            control.iter().filter(|interval| interval.low > 1.0 || interval.high < 1.0).count(),
            valid(log).count(),
        );
    }
}

fn duet(title: &str, seed: u64, blocks: u32, variants: &[(&str, u32)]) -> String {
    method(title, &format!("compare = \"duet\"\niterations = {blocks}\nseed = {seed}"), variants)
}

fn blocks(title: &str, seed: u64, runs: u32, blast: &str, variants: &[(&str, u32)]) -> String {
    let lines = format!("compare = \"blocks\"\niterations = {runs}\nseed = {seed}\nduration = \"{blast}\"\nretries = 0");
    method(title, &lines, variants)
}

fn method(title: &str, lines: &str, variants: &[(&str, u32)]) -> String {
    let mut toml = format!("title = \"{title}\"\n[method]\n{lines}\n[[variant]]\nname = \"{BASELINE}\"\n");
    for (name, burn) in variants {
        toml += &format!("[[variant]]\nname = \"{name}\"\nburn = {burn}\n");
    }
    toml + "[[config]]\nname = \"nft-stateless\"\nnft = \"nft-stateless.nft\"\n[[traffic]]\nname = \"inet4\"\nfamily = \"inet4\"\n"
}

fn valid(log: &Log) -> impl Iterator<Item = &RunResult> {
    log.results.iter().filter(|result| result.verdict == RunVerdict::Valid)
}

/// One number per block.
fn effects(log: &Log, of: impl Fn(&Duet) -> Option<f64>) -> Vec<f64> {
    valid(log).filter_map(|result| of(&Duet::of(result))).collect()
}

/// Intervals of `count` experiments of consecutive blocks.
fn experiments(effects: &[f64], count: usize) -> Vec<RatioInterval> {
    effects.chunks_exact(effects.len() / count).take(count).map(|blocks| one_sample(blocks, 0.95).expect("blocks differ")).collect()
}

fn percent(interval: &RatioInterval) -> String {
    format!("{:+.3} % ({:+.3} to {:+.3})", interval.percent(), (interval.low - 1.0) * 100.0, (interval.high - 1.0) * 100.0)
}

fn half_width(intervals: &[RatioInterval]) -> f64 {
    intervals.iter().map(|interval| (interval.high - interval.low) * 50.0).sum::<f64>() / intervals.len() as f64
}

fn resolution(log: &Log) {
    const EXPERIMENTS: usize = 40;
    for name in ["quarter", "eighth"] {
        let effects = effects(log, |duet| duet.effect(name, BASELINE));
        let truth = trimmed(&effects, 0.95).expect("an effect");
        let each = experiments(&effects, EXPERIMENTS);
        let found = each.iter().filter(|interval| interval.high < 1.0).count();
        // Of the 4.25 shares of a blast (four arms, and one without a DUT every fourth round) a comparison uses three.
        let seconds = log.experiment.method.duration.as_secs_f64() * (effects.len() / EXPERIMENTS) as f64 * 3.0 / 4.25;
        println!(
            "| a true effect of {} | {EXPERIMENTS} experiments of {} blocks, {seconds:.0} s of blasting per comparison | found in \
             {found} of {EXPERIMENTS}; mean interval +-{:.3} % |",
            percent(&truth),
            effects.len() / EXPERIMENTS,
            half_width(&each)
        );
    }
}

fn false_alarms(log: &Log) {
    const EXPERIMENTS_PER_PAIR: usize = 50;
    let mut alarms = 0;
    let mut all = Vec::new();
    for (one, other) in [(BASELINE, "control"), ("a1", "b1"), ("a2", "b2"), ("a3", "b3")] {
        let effects = effects(log, |duet| duet.log_ratio(other, one));
        alarms += experiments(&effects, EXPERIMENTS_PER_PAIR).iter().filter(|each| each.low > 1.0 || each.high < 1.0).count();
        all.extend(effects);
    }
    let bias = one_sample(&all, 0.95).expect("blocks differ");
    println!(
        "| no effect: false alarms at 95 % | {} experiments of {} blocks | {alarms}; bias {} |",
        4 * EXPERIMENTS_PER_PAIR,
        all.len() / 4 / EXPERIMENTS_PER_PAIR,
        percent(&bias)
    );
    for (place, first) in [("set up first", true), ("first in a slot round", false)] {
        let positions: Vec<f64> = valid(log).filter_map(|result| position(result, first)).collect();
        let bias = one_sample(&positions, 0.95).expect("blocks differ");
        println!("| position: {place} against the rest | {} blocks | {} |", positions.len(), percent(&bias));
    }
}

/// Log ratio of an arm in a certain position to another: of the arms set up first and last, or of the first and last slot
/// of each round.
fn position(result: &RunResult, set_up: bool) -> Option<f64> {
    let arms: Vec<&String> = result.run.arms.iter().filter(|arm| *arm != "null").collect();
    if set_up {
        return Duet::of(result).log_ratio(arms.first()?, arms.last()?);
    }
    let null = result.run.arms.iter().position(|arm| arm == "null");
    let slots: Vec<f64> = result
        .slots
        .iter()
        .filter(|slot| null != Some(usize::from(slot.1)))
        .map(|slot| (f64::from(slot.2) / slot.3 as f64).ln())
        .collect();
    let mut ratios: Vec<f64> =
        slots.chunks_exact(arms.len()).map(|round| round[0] - round[arms.len() - 1]).filter(|ratio| ratio.is_finite()).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// Five runs, then five, mean rates, pooled t: every window of ten consecutive runs of one and the same DUT.
fn classic(log: &Log, beside: &Log) {
    let rates: Vec<f64> = valid(log).filter_map(|result| result.arms[0].forwarding_rate_pps()).map(f64::ln).collect();
    let mut errors = Vec::new();
    let mut alarms = 0;
    for window in rates.windows(10) {
        let (before, after) = window.split_at(5);
        let mean = |runs: &[f64]| runs.iter().sum::<f64>() / 5.0;
        let squares = |runs: &[f64]| runs.iter().map(|run| (run - mean(runs)).powi(2)).sum::<f64>();
        let error = ((squares(before) + squares(after)) / 8.0 * 2.0 / 5.0).sqrt();
        let difference = mean(after) - mean(before);
        alarms += usize::from(difference.abs() > student::critical(0.95, 8.0) * error);
        errors.push(difference);
    }
    let rms = |errors: &[f64]| (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt() * 100.0;
    let classic = rms(&errors);
    println!(
        "| classic protocol: 5 runs of 6 s, then 5 | {} windows of {} runs | error {classic:.2} %, detects {:.1} % with 90 % power; \
         {alarms} of {} false alarms |",
        errors.len(),
        rates.len(),
        classic * POWER_90,
        errors.len()
    );
    let control = effects(beside, |duet| duet.control(BASELINE));
    let error = one_sample(&control, 0.95).expect("blocks differ").se * 100.0;
    println!(
        "| duet, right after it, the same 60 s of blasting | {} blocks | error {error:.3} %, detects {:.2} %: {:.0} times finer |",
        control.len(),
        error * POWER_90,
        classic / error
    );
}

/// Standard errors to the smallest effect that a two-sided 5 % test finds nine times in ten: 1.96 + 1.28.
const POWER_90: f64 = 3.24;

fn agreement(fine: &Log, coarse: &Log) {
    let duet = one_sample(&effects(fine, |duet| duet.effect("slower", BASELINE)), 0.95).expect("an effect");
    let rates = |variant: &str| -> Vec<f64> {
        valid(coarse).flat_map(|result| &result.arms).filter(|arm| arm.variant == variant).filter_map(|arm| arm.forwarding_rate_pps()).collect()
    };
    let blocks = welch(&rates(BASELINE), &rates("slower"), 0.95).expect("an effect");
    let agree = duet.low <= blocks.high && blocks.low <= duet.high;
    println!(
        "| a large effect, both ways | {} blocks each | duet {}, blocks {}: {} |",
        duet.runs,
        percent(&duet),
        percent(&blocks),
        if agree { "they agree" } else { "THEY DISAGREE" }
    );
}
