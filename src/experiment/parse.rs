//! TOML -> Experiment. Everything wrong is reported in one go, nothing is guessed.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use toml::de::DeTable;

use super::change::change;
use super::problem::{Findings, Problems, quoted};
use super::table::Table;
use super::{Change, Compare, Config, Experiment, Family, Lab, Layout, Method, SenderKind, Source, Traffic, Variant};
use super::{CONTROL, NULL};
use crate::units::{Load, UnitError, parse_duration, parse_percent, show_duration};

/// More runs than anybody waits for are a slip of the pen.
const RUNS_MAX: usize = 100_000;
const NAME_CHARS_MAX: usize = 64;
const TITLE_CHARS_MAX: usize = 120;
/// Seeds are recorded in JSON, whose readers may keep 53 bits.
pub const SEED_MAX: u64 = (1 << 53) - 1;
/// Bytes with FCS: the largest frame without a VLAN tag.
const FRAME_SIZE_MAX: u64 = 1518;
/// As in `bpf/traffic.bpf.c`; some 4 microseconds per frame.
const BURN_MAX: u64 = 4096;
const WARMUP: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(5);
const BLAST: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(60);
/// The sender keeps every slot of a blast: 16384 of half a millisecond. More blocks say more than longer blasts.
const DUET_BLAST: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(5);
/// As in `bpf/traffic.bpf.c`: 16 arms, and two of them are the control and the null.
const DUET_VARIANTS_MAX: usize = 14;

impl Source {
    /// Checks the experiment whole and reads the files it names. `seed` is used when the file has none.
    ///
    /// # Errors
    /// Everything that is wrong, with file, line and column; the first error alone when the file is not TOML.
    pub fn parse(&self, seed: u64) -> Result<Experiment, Problems> {
        let findings = Findings::new(&self.path, &self.text);
        let experiment = match DeTable::parse(&self.text) {
            Ok(document) => Some(experiment(&Table::root(&findings, document.get_ref()), seed)),
            Err(error) => {
                let (what, advice) = match error.message() {
                    "duplicate key" => ("this is here for the second time".to_owned(), "one of the two"),
                    message => (format!("this is not TOML: {message}"), "check quotes, brackets and `=` here and in the line above"),
                };
                findings.report(error.span().unwrap_or_default(), what, advice);
                None
            }
        };
        findings.verdict()?;
        Ok(experiment.expect("what is not TOML was reported"))
    }
}

fn experiment(root: &Table, seed: u64) -> Experiment {
    let lab = root.one_of("lab", &[("netns", Lab::Netns)]).unwrap_or(Lab::Netns);
    let experiment = Experiment {
        title: title(root),
        question: root.text("question", "\"Does X make Y faster?\"").map(|text| text.get_ref().trim().to_owned()).unwrap_or_default(),
        lab,
        method: method(root, seed),
        traffic: named(root.tables("traffic", "[[traffic]]"), traffic),
        configs: named(root.tables("config", "[[config]]"), |table, name| Config { name, change: change(table, lab) }),
        variants: named(root.tables("variant", "[[variant]]"), |table, name| {
            if [CONTROL, NULL].contains(&name.as_str()) {
                let what = format!("the name {} is an arm of every duet already", quoted(&name));
                table.findings.report(table.span.clone(), what, "another name");
            }
            let burn = table.whole("burn", 0..=BURN_MAX, "it is a number of multiplications per frame").unwrap_or(0) as u32;
            Variant { name, change: Change { burn, ..change(table, lab) } }
        }),
    };
    if experiment.method.compare == Compare::Duet && experiment.variants.len() > DUET_VARIANTS_MAX {
        let what = format!("these are {} variants side by side in one blast", experiment.variants.len());
        let advice = format!("at most {DUET_VARIANTS_MAX}, or compare = \"blocks\" under [method]");
        root.findings.report(root.span.clone(), what, advice);
    }
    if experiment.method.layout == Layout::TwoCore && experiment.variants.iter().any(|variant| variant.change.burn > 0) {
        let what = "`burn` slows the sender's core down, and with layout = \"two-core\" the DUT is on another".to_owned();
        root.findings.report(root.span.clone(), what, "layout = \"inline\"");
    }
    let cells = experiment.configs.len() * experiment.traffic.len() * experiment.variants.len();
    let runs = cells.saturating_mul(experiment.method.iterations as usize);
    if runs > RUNS_MAX {
        let what = format!("this makes {runs} runs: {cells} cells, {} iterations each", experiment.method.iterations);
        root.findings.report(root.span.clone(), what, format!("fewer of either: {RUNS_MAX} runs are the most"));
    }
    experiment
}

fn title(root: &Table) -> String {
    let Some(title) = root.required("title", "\"What does X cost?\"") else { return String::new() };
    let (text, length) = (title.get_ref().trim(), title.get_ref().chars().count());
    if text.is_empty() || length > TITLE_CHARS_MAX || text.contains(char::is_control) {
        let what = format!("the title is empty, longer than {TITLE_CHARS_MAX} characters, or has a line break");
        root.findings.report(title.span(), what, "one line for `title`; `question` may have many");
    }
    text.to_owned()
}

fn method(root: &Table, seed: u64) -> Method {
    let table = root.table("method", "[method]");
    let compare = [("duet", Compare::Duet), ("blocks", Compare::Blocks)];
    let compare = table.as_ref().and_then(|table| table.one_of("compare", &compare)).unwrap_or(Compare::Duet);
    let (iterations, warmup, duration) = match compare {
        Compare::Duet => (30, Duration::from_millis(50), Duration::from_millis(600)),
        Compare::Blocks => (5, Duration::from_millis(200), Duration::from_secs(1)),
    };
    let default = Method { compare, layout: Layout::Inline, sender: None, iterations, seed, warmup, duration, retries: 3, margin: 0.01 };
    let Some(table) = table else { return default };
    let senders = [SenderKind::XdpLiveFrames, SenderKind::AfPacket].map(|sender| (sender.name(), sender));
    let blast = if compare == Compare::Duet { DUET_BLAST } else { BLAST };
    let whole = |key, bounds, why, default: u32| table.whole(key, bounds, why).map_or(default, |number| number as u32);
    Method {
        compare,
        layout: table.one_of("layout", &[("inline", Layout::Inline), ("two-core", Layout::TwoCore)]).unwrap_or(default.layout),
        sender: table.one_of("sender", &senders),
        iterations: whole("iterations", 1..=1000, "it is the number of blocks", default.iterations),
        seed: table.whole("seed", 0..=SEED_MAX, "a seed has at most 53 bits").unwrap_or(seed),
        warmup: table.quantity("warmup", "\"200 ms\"", |text| length(text, "a warm-up", WARMUP)).unwrap_or(warmup),
        duration: table.quantity("duration", "\"1 s\"", |text| length(text, "a blast", blast.clone())).unwrap_or(duration),
        retries: whole("retries", 0..=100, "it is how often an invalid run is tried again", default.retries),
        margin: table.quantity("margin", "\"1 %\"", parse_percent).unwrap_or(default.margin),
    }
}

/// A duration within bounds.
fn length(text: &str, of: &str, bounds: RangeInclusive<Duration>) -> Result<Duration, UnitError> {
    let duration = parse_duration(text)?;
    if bounds.contains(&duration) {
        return Ok(duration);
    }
    let (low, high) = (show_duration(*bounds.start()), show_duration(*bounds.end()));
    let off = if duration < *bounds.start() { "short" } else { "long" };
    Err(UnitError(format!("`{text}` is too {off} for {of}; write a duration from \"{low}\" to \"{high}\"")))
}

fn traffic(table: &Table, name: String) -> Traffic {
    let family = table.required("family", "\"inet4\" or \"inet6\"");
    let family = family.and_then(|_| table.one_of("family", &[("inet4", Family::Inet4), ("inet6", Family::Inet6)]));
    let family = family.unwrap_or(Family::Inet4);
    let smallest = family.smallest_frame();
    let protocol = if family == Family::Inet4 { "IPv4" } else { "IPv6" };
    let sizes = format!("with its FCS a UDP frame over {protocol} has {smallest} to {FRAME_SIZE_MAX} bytes");
    let one_net = "they come out of one /24 (IPv6: /120), which has room for 250";
    let whole = |key, bounds, why: &str, default: u16| table.whole(key, bounds, why).map_or(default, |number| number as u16);
    Traffic {
        name,
        family,
        frame_size: whole("frame_size", smallest.into()..=FRAME_SIZE_MAX, &sizes, smallest),
        sources: whole("sources", 1..=250, one_net, 20),
        destinations: whole("destinations", 1..=250, one_net, 100),
        load: table.quantity("load", "\"max\" or \"500 kpps\"", str::parse).unwrap_or(Load::Max),
    }
}

/// Builds what each table describes, under names that are fit and differ.
fn named<T>(tables: Vec<Table>, build: impl Fn(&Table, String) -> T) -> Vec<T> {
    let mut lines = BTreeMap::new();
    let mut built = Vec::new();
    for table in &tables {
        let name = table.required("name", "\"short-and-unique\"");
        if let Some(name) = &name {
            let (text, line) = (*name.get_ref(), table.findings.line(name.span().start));
            if let Some(why) = unfit(text) {
                table.findings.report(name.span(), format!("the name {} {why}", quoted(text)), "a short word, like `nft-stateful`");
            }
            if let Some(first) = lines.insert(text, line) {
                let what = format!("the name {} is taken by line {first}", quoted(text));
                table.findings.report(name.span(), what, "another name: results are kept under it");
            }
        }
        built.push(build(table, name.map(|name| name.get_ref().to_string()).unwrap_or_default()));
    }
    built
}

/// Why a name would be trouble in a table, a file name or a terminal.
fn unfit(name: &str) -> Option<String> {
    match name {
        "" => Some("is empty".into()),
        "." | ".." => Some("is a directory's".into()),
        _ if name.chars().count() > NAME_CHARS_MAX => Some(format!("is longer than {NAME_CHARS_MAX} characters")),
        _ if name.contains(['/', '\\']) => Some("has a path separator".into()),
        _ if name.contains(char::is_control) => Some("has a control character".into()),
        _ if name.trim() != name => Some("begins or ends with a blank".into()),
        _ => None,
    }
}
