//! How it was measured: the bullet list at the head of every page of the archive.

use std::collections::BTreeMap;

use crate::experiment::{Change, Compare, Experiment, Family, Lab, Layout, Traffic};
use crate::judge::invalid;
use crate::store::Log;
use crate::store::event::{ArmResult, RunVerdict};
use crate::units::{Load, show_duration};

use super::doc::{Block, Span, Table, Text, code, plain, strong};
use super::words::{and, changes, count, plural, sender, share, short};

pub fn blocks(log: &Log) -> Vec<Block> {
    let experiment = &log.experiment;
    let mut items = vec![item("Lab", vec![plain(lab(experiment.lab))])];
    items.extend(machine(log));
    items.extend(sender_items(log));
    items.extend(experiment.traffic.iter().map(traffic));
    if experiment.traffic.iter().any(|traffic| traffic.family == Family::Inet6) {
        let note = "The smallest UDP frame over IPv6 is 66 bytes with FCS (14 + 40 + 8 + 4); over IPv4 it is padded to 64. Frame sizes count the FCS.";
        items.push(vec![plain(note)]);
    }
    for (n, variant) in experiment.variants.iter().enumerate() {
        let role = if n == 0 && experiment.variants.len() > 1 { " (the baseline)" } else { "" };
        items.push(changed(format!("Variant {}{role}", variant.name), &variant.change));
    }
    items.extend(experiment.configs.iter().map(|config| changed(format!("Config {}", config.name), &config.change)));
    items.push(item("Method", vec![plain(method(experiment))]));
    items.push(item("Runs", vec![plain(runs(log))]));
    items.extend(frames(log).map(|text| item("Frames", vec![plain(text)])));
    items.push(item("Measured", vec![plain(format!("{} (UTC), with linerate {}", log.started, log.linerate))]));

    let mut blocks = vec![Block::Heading("Setup".into()), Block::List(items)];
    blocks.extend(rulesets(experiment));
    blocks.extend(facts(log));
    blocks
}

/// Flows of a traffic profile.
pub fn flows(traffic: &Traffic) -> u32 {
    u32::from(traffic.sources) * u32::from(traffic.destinations)
}

/// Number of valid runs.
pub fn valid(log: &Log) -> usize {
    log.results.iter().filter(|result| result.verdict == RunVerdict::Valid).count()
}

/// Senders of the valid runs, each with their number; of all attempts where no run is valid.
pub fn senders(log: &Log) -> BTreeMap<String, usize> {
    let valid: Vec<_> = log.results.iter().filter(|result| result.verdict == RunVerdict::Valid).collect();
    let counted = if valid.is_empty() { log.results.iter().collect() } else { valid };
    let mut senders = BTreeMap::new();
    for result in counted.into_iter().filter(|result| !result.sender.is_empty()) {
        *senders.entry(result.sender.clone()).or_default() += 1;
    }
    senders
}

fn item(name: &str, mut text: Text) -> Text {
    text.insert(0, plain(": "));
    text.insert(0, strong(name));
    text
}

fn lab(lab: Lab) -> &'static str {
    match lab {
        Lab::Netns => "network namespaces on one machine: sender, DUT and receiver, joined by veth pairs",
    }
}

/// The facts everybody asks for first; the rest is in a table of its own.
fn machine(log: &Log) -> Vec<Text> {
    let mut items = Vec::new();
    for (host, facts) in &log.facts {
        for (key, name) in [("cpu", "CPU"), ("kernel", "Kernel")] {
            let name = if log.facts.len() > 1 { format!("{name} of {host}") } else { name.to_string() };
            items.extend(facts.get(key).map(|value| item(&name, vec![plain(value)])));
        }
    }
    items
}

fn sender_items(log: &Log) -> Vec<Text> {
    let senders = senders(log);
    let mixed = senders.len() > 1;
    let describe = |(name, runs): (&String, &usize)| {
        let mut text = vec![code(name)];
        text.extend(sender(name).map(|how| plain(format!(", {how}"))));
        text.extend(mixed.then(|| plain(format!(" ({})", plural(*runs, "run")))));
        item("Sender", text)
    };
    senders.iter().map(describe).collect()
}

fn traffic(traffic: &Traffic) -> Text {
    let family = match traffic.family {
        Family::Inet4 => "IPv4",
        Family::Inet6 => "IPv6",
    };
    let load = match traffic.load {
        Load::Max => "the highest load the DUT can be driven to".to_string(),
        load => format!("an intended load of {load}"),
    };
    let (sources, destinations) = (count(traffic.sources.into()), count(traffic.destinations.into()));
    let flows = count(flows(traffic).into());
    let text = format!(
        "{family}, UDP, {}-byte frames, {flows} flows ({sources} sources to {destinations} destinations), {load}",
        traffic.frame_size
    );
    item(&format!("Traffic {}", traffic.name), vec![plain(text)])
}

fn changed(name: String, change: &Change) -> Text {
    let mut text = Vec::new();
    for (n, phrase) in changes(change).into_iter().enumerate() {
        text.extend((n > 0).then(|| plain(", ")));
        text.push(code(phrase));
    }
    if text.is_empty() {
        text.push(plain("nothing changed"));
    }
    item(&name, text)
}

fn method(experiment: &Experiment) -> String {
    let method = &experiment.method;
    let layout = match method.layout {
        Layout::Inline => "inline: sender and DUT on one core, run to completion",
        Layout::TwoCore => "two-core: the DUT on a core of its own, fed through a window of frames in flight",
    };
    let compare = match method.compare {
        Compare::Duet => {
            "duet: in each blast every variant has a DUT of its own, beside a copy of the baseline (the control) and, inline, an arm \
             without a DUT; the sender changes over between them every half millisecond (two-core: 2 ms)"
        }
        Compare::Blocks => "blocks: one DUT at a time",
    };
    format!(
        "{compare}. {} of every cell, each from fresh namespaces, in randomised complete blocks (seed {}); a blast of {} after {} of \
         warm-up. Layout {layout}. Differences below {} % do not matter",
        plural(method.iterations as usize, "iteration"),
        method.seed,
        show_duration(method.duration),
        show_duration(method.warmup),
        short(method.margin * 100.0)
    )
}

fn runs(log: &Log) -> String {
    let of = format!("{} of {} valid", count(valid(log) as f64), count(log.plan.runs.len() as f64));
    match invalid(log).count() {
        0 => format!("{of}; no attempt was invalid"),
        number => format!("{of}; {} invalid, listed below and in no average", plural(number, "attempt")),
    }
}

/// What became of the frames of the valid runs.
fn frames(log: &Log) -> Option<String> {
    let arms = || log.results.iter().filter(|result| result.verdict == RunVerdict::Valid).flat_map(|result| &result.arms);
    let sum = |part: fn(&ArmResult) -> u64| arms().map(part).fold(0u64, u64::saturating_add);
    let (sent, received) = (sum(|arm| arm.sent), sum(|arm| arm.received));
    if sent == 0 {
        return None;
    }
    let mut drops = BTreeMap::<&str, u64>::new();
    for (place, frames) in arms().flat_map(|arm| &arm.drops) {
        let lost = drops.entry(place).or_default();
        *lost = lost.saturating_add(*frames);
    }
    let places: Vec<String> = drops.iter().map(|(place, frames)| format!("{} at {place}", count(*frames as f64))).collect();
    let lost = match places.is_empty() {
        true => "none was lost".to_string(),
        false => {
            format!("lost: {} ({} of all)", and(&places), share(drops.values().map(|frames| *frames as f64).sum::<f64>() / sent as f64))
        }
    };
    Some(format!("{} sent, {} received; {lost}", count(sent as f64), count(received as f64)))
}

/// Rulesets and files in full: what a reviewer asks for next.
fn rulesets(experiment: &Experiment) -> Vec<Block> {
    let configs = experiment.configs.iter().map(|config| (&config.name, &config.change));
    let variants = experiment.variants.iter().map(|variant| (&variant.name, &variant.change));
    let files =
        configs.chain(variants).flat_map(|(name, change)| change.nft.iter().chain(change.files.values()).map(move |file| (name, file)));
    files
        .map(|(name, file)| {
            let summary: Vec<Span> = vec![code(&file.path), plain(format!(" of {name}"))];
            Block::Folded(summary, vec![Block::Verbatim(file.content.clone())])
        })
        .collect()
}

fn facts(log: &Log) -> Vec<Block> {
    log.facts
        .iter()
        .filter(|(_, facts)| !facts.is_empty())
        .map(|(host, facts)| {
            let mut table = Table::new(&["fact", "value"]);
            facts.iter().for_each(|(fact, value)| table.row([plain(fact), code(value)]));
            Block::Folded(vec![plain(format!("All facts about {host}"))], vec![Block::Table(table)])
        })
        .collect()
}
