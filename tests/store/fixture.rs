//! A small experiment whose plan is written out by hand.

use std::collections::BTreeMap;
use std::time::Duration;

use linerate::experiment::{
    Change, Compare, Config, Experiment, Family, Lab, Layout, Method, SenderKind, TextFile, Traffic, Variant,
};
use linerate::plan::{Plan, Run};
use linerate::store::event::{ArmResult, Cause, Command, Event, RunResult, RunVerdict};
use linerate::units::Load;

pub const SOURCE: &str = "title = \"A small question\"\n";

pub fn experiment() -> Experiment {
    let change = Change {
        sysctl: BTreeMap::from([("net.ipv4.ip_early_demux".into(), "0".into())]),
        nft: Some(TextFile { path: "rules.nft".into(), content: "table inet t {\n}\n".into() }),
        commands: vec![vec!["ip".into(), "route".into()]],
        files: BTreeMap::from([("/etc/x".into(), TextFile { path: "x".into(), content: "ä\t\u{0}".into() })]),
        burn: 16,
    };
    let (seed, warmup, duration) = (7, Duration::from_millis(200), Duration::from_millis(1200));
    Experiment {
        title: "A small question".into(),
        question: String::new(),
        lab: Lab::Netns,
        method: Method {
            compare: Compare::Blocks,
            layout: Layout::TwoCore,
            sender: Some(SenderKind::XdpLiveFrames),
            iterations: 2,
            seed,
            warmup,
            duration,
            retries: 2,
            margin: 0.01,
        },
        traffic: vec![Traffic {
            name: "inet4".into(),
            family: Family::Inet4,
            frame_size: 64,
            sources: 20,
            destinations: 100,
            load: Load::Pps(500_000),
        }],
        configs: vec![Config { name: "forwarding".into(), change: Change::default() }],
        variants: vec![Variant { name: "default".into(), change: Change::default() }, Variant { name: "changed".into(), change }],
    }
}

pub fn plan() -> Plan {
    let run = |id: u32, variant: &str| Run {
        id,
        block: id / 2,
        config: "forwarding".into(),
        traffic: "inet4".into(),
        arms: vec![variant.into()],
        seed: u64::MAX - u64::from(id),
    };
    Plan { runs: vec![run(0, "changed"), run(1, "default"), run(2, "default"), run(3, "changed")] }
}

pub fn result(run: u32, attempt: u32, verdict: RunVerdict) -> RunResult {
    let run = plan().runs[run as usize].clone();
    let arm = ArmResult {
        variant: run.arms[0].clone(),
        sent: 1_200_000,
        received: 1_199_990,
        foreign: 1,
        drops: BTreeMap::from([("dut:d0 rx ring".into(), 10)]),
        forwarded: 1_000_000,
        elapsed_ns: 1_000_345_678,
        samples: vec![(10_000_000, 10_000), (20_000_000, 20_001)],
    };
    RunResult {
        run,
        attempt,
        verdict,
        sender: "xdp-live-frames".into(),
        warnings: vec!["other processes had the DUT's CPU for 6.0 % of the blast".into()],
        wall_s: 1.7,
        blast_s: 1.2,
        dut_busy: Some(0.98),
        arms: vec![arm],
        slots: vec![(0, 0, 8_320, 10_000_123), (10_012, 0, 8_384, 10_000_077)],
    }
}

pub fn invalid() -> RunVerdict {
    RunVerdict::Invalid { cause: Cause::SenderLimited, detail: "the DUT was idle for 40 % of the blast".into() }
}

/// One of every event that may follow the first line.
pub fn events() -> Vec<Event> {
    let argv = vec!["nft".into(), "-f".into(), "-".into()];
    let command = Command { host: "dut".into(), argv, stdin: "flush".into(), exit: 1, ms: 12, stdout: "o".into(), stderr: "e\n".into() };
    vec![
        Event::Facts { host: "dut".into(), facts: BTreeMap::from([("kernel".into(), "6.18.44".into())]) },
        Event::RunStarted { run: 0, attempt: 0 },
        Event::Command(command),
        Event::RunFinished(result(0, 0, invalid())),
        Event::Stopped { reason: "interrupted".into() },
        Event::Resumed { linerate: "0.1.0".into() },
        Event::RunFinished(result(0, 1, RunVerdict::Valid)),
        Event::RunFinished(result(1, 0, RunVerdict::Valid)),
        Event::Complete,
    ]
}
