//! A made-up log: two variants, three configs, both families; rates by a formula, so that every number on a page can be
//! followed, and each kind of trouble once.

// Each test file uses its share of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::time::Duration;

use linerate::experiment::{Change, Compare, Config, Experiment, Family, Lab, Layout, Method, TextFile, Traffic, Variant};
use linerate::plan::{Plan, Run};
use linerate::store::Log;
use linerate::store::event::{ArmResult, Cause, RunResult, RunVerdict};
use linerate::units::Load;

pub fn sysctl(name: &str, value: &str) -> Change {
    Change { sysctl: BTreeMap::from([(name.into(), value.into())]), ..Change::default() }
}

fn nft(path: &str, content: &str) -> Change {
    Change { nft: Some(TextFile { path: path.into(), content: content.into() }), ..Change::default() }
}

pub fn experiment() -> Experiment {
    let config = |name: &str, change| Config { name: name.into(), change };
    let variant = |name: &str, change| Variant { name: name.into(), change };
    let traffic = |name: &str, family: Family| Traffic {
        name: name.into(),
        family,
        frame_size: family.smallest_frame(),
        sources: 20,
        destinations: 100,
        load: Load::Max,
    };
    let stateless = "table inet filter {\n  chain forward {\n    type filter hook forward priority 0; policy drop;\n    udp dport 2001 accept\n  }\n}\n";
    let stateful = "table inet filter {\n  chain forward {\n    type filter hook forward priority 0; policy drop;\n    ct state established,new accept\n  }\n}\n";
    Experiment {
        title: "Does a router forward faster without early demux?".into(),
        question: "Early demux looks up a socket for every packet before routing it. A router has no sockets to find.".into(),
        lab: Lab::Netns,
        method: Method {
            compare: Compare::Blocks,
            layout: Layout::Inline,
            sender: None,
            iterations: 5,
            seed: 42,
            warmup: Duration::from_millis(300),
            duration: Duration::from_secs(2),
            retries: 2,
            margin: 0.01,
        },
        traffic: vec![traffic("inet4", Family::Inet4), traffic("inet6", Family::Inet6)],
        configs: vec![
            config("forwarding", Change::default()),
            config("nft-stateless", nft("stateless.nft", stateless)),
            config("nft-stateful", nft("stateful.nft", stateful)),
        ],
        variants: vec![variant("default", Change::default()), variant("no-early-demux", sysctl("net.ipv4.ip_early_demux", "0"))],
    }
}

/// Runs in plain order, one arm each.
pub fn plan(experiment: &Experiment) -> Plan {
    let mut runs = Vec::new();
    for block in 0..experiment.method.iterations {
        for config in &experiment.configs {
            for traffic in &experiment.traffic {
                for variant in &experiment.variants {
                    let id = runs.len() as u32;
                    let (config, traffic, arms) = (config.name.clone(), traffic.name.clone(), vec![variant.name.clone()]);
                    runs.push(Run { id, block, config, traffic, arms, seed: u64::from(id) });
                }
            }
        }
    }
    Plan { runs }
}

/// A valid run of two seconds at `pps`, with `lost` frames dropped at a named place.
pub fn valid(run: &Run, attempt: u32, pps: f64, lost: u64) -> RunResult {
    let received = (pps * 2.0).round() as u64;
    let drops = if lost > 0 { BTreeMap::from([("dut:nft-forward".to_string(), lost)]) } else { BTreeMap::new() };
    let arm = |variant: &String| ArmResult {
        variant: variant.clone(),
        sent: received + lost,
        received,
        drops: drops.clone(),
        forwarded: received,
        elapsed_ns: 2_000_000_000,
        ..ArmResult::default()
    };
    let arms = run.arms.iter().map(arm).collect();
    RunResult {
        run: run.clone(),
        attempt,
        verdict: RunVerdict::Valid,
        sender: "xdp-live-frames".into(),
        warnings: Vec::new(),
        wall_s: 2.7,
        blast_s: 2.0,
        dut_busy: None,
        arms,
        slots: Vec::new(),
    }
}

pub fn invalid(run: &Run, attempt: u32, cause: Cause, detail: &str) -> RunResult {
    let verdict = RunVerdict::Invalid { cause, detail: detail.into() };
    RunResult { verdict, arms: Vec::new(), ..valid(run, attempt, 0.0, 0) }
}

/// All of it: the change helps plain forwarding, does nothing behind a stateless filter, and one cell has two valid runs.
pub fn log() -> Log {
    let experiment = experiment();
    let plan = plan(&experiment);
    let mut results = Vec::new();
    for run in &plan.runs {
        let base = match run.config.as_str() {
            "forwarding" => 2_650_000.0,
            "nft-stateless" => 2_420_000.0,
            _ => 1_930_000.0,
        };
        let family = if run.traffic == "inet6" { 0.95 } else { 1.0 };
        let changed = run.arms[0] == "no-early-demux";
        let effect = match (changed, run.config.as_str(), run.traffic.as_str()) {
            (true, "forwarding", "inet4") => 1.031,
            (true, "forwarding", _) => 1.006,
            (true, "nft-stateless", "inet6") => 0.978,
            (true, "nft-stateful", "inet4") => 1.012,
            _ => 1.0,
        };
        // Noise between -1 and 1: a step of 7 in a ring of 11 looks irregular and sums to nearly nothing.
        let noise = f64::from((run.id * 7 + run.block * 3) % 11) / 5.0 - 1.0;
        let scatter = match run.config.as_str() {
            "forwarding" => 0.003,
            "nft-stateless" => 0.004,
            _ => 0.02,
        };
        let pps = base * family * effect * (1.0 + scatter * noise);
        let starved = changed && run.config == "nft-stateful" && run.traffic == "inet6" && run.block >= 2;
        if starved {
            for attempt in 0..3 {
                results.push(invalid(run, attempt, Cause::CpuShared, "somebody else had 12.4 % of CPU 1 (stress-ng)"));
            }
        } else if run.id == 7 {
            results.push(invalid(run, 0, Cause::ForeignFrames, "3 frames are not ours: 2 of fe80::1, 1 of 10.0.0.1"));
            results.push(valid(run, 1, pps, 0));
        } else {
            results.push(valid(run, 0, pps, if run.config == "nft-stateless" { 120 } else { 0 }));
        }
    }
    let facts = [
        ("cpu", "Example Processor 2.4 GHz, 2 cores"),
        ("kernel", "Linux 6.18.44 x86_64"),
        ("mitigations", "spectre_v2: Retpolines"),
        ("governor", "performance"),
    ];
    let facts = facts.map(|(fact, value)| (fact.to_string(), value.to_string()));
    Log {
        experiment,
        plan,
        linerate: "0.1.0".into(),
        started: "2026-11-21T10:00:00.000Z".into(),
        facts: BTreeMap::from([("lab".to_string(), BTreeMap::from(facts))]),
        results,
        complete: true,
        stopped: None,
    }
}
