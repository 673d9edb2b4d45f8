//! A tiny run: what works in it works in a long one.

use std::time::Duration;

use super::super::netns::NetnsLab;
use super::Finding;
use crate::experiment::{Change, Compare, Config, Experiment, Family, Lab, Layout, Method, TextFile, Traffic, Variant};
use crate::plan::{Plan, Run};
use crate::store::event::RunVerdict;
use crate::units::{Load, show_pps};

const PLAIN: &str = "forwarding";
const STATEFUL: &str = "nft-stateful";
const RULES: &str = "table inet trial {\n  chain forward {\n    type filter hook forward priority filter; policy drop;\n    \
                     ct state established,related accept\n    ct state new accept\n  }\n}\n";

/// A duet of one variant per family, through a stateful firewall; where that fails, through a plain router.
pub fn run(lab: &mut NetnsLab) -> Vec<Finding> {
    let experiment = experiment();
    let plan = Plan::new(&experiment, experiment.method.seed);
    let of = |config: &str, traffic: &Traffic| {
        plan.runs
            .iter()
            .find(|run| run.config == config && run.traffic == traffic.name)
            .expect("the plan has every cell")
    };
    let by = format!("100 ms of {}", lab.sender().name());
    let mut findings = Vec::new();
    for traffic in &experiment.traffic {
        let what = if traffic.family == Family::Inet4 { "run over IPv4" } else { "run over IPv6" };
        let (rate, stateful) = match attempt(lab, &experiment, of(STATEFUL, traffic)) {
            Ok(rate) => (Ok(rate), Ok(())),
            Err(why) => (attempt(lab, &experiment, of(PLAIN, traffic)), Err(why)),
        };
        findings.push(match (rate, stateful) {
            (Ok(rate), Ok(())) => Finding::ok(what, format!("{by} through {STATEFUL}: {}, valid", show_pps(rate))),
            (Ok(rate), Err(why)) => Finding::worse(
                what,
                format!("{by} through a plain router: {}, valid; but not through {STATEFUL}: {why}", show_pps(rate)),
                "apt-get install nftables; modprobe -a nf_tables nf_conntrack nft_ct",
            ),
            (Err(why), _) => Finding::missing(
                what,
                why,
                "`ip link add type veth` and the kernel's log (dmesg); `sender = \"af-packet\"` needs less of the kernel",
            ),
        });
    }
    findings
}

/// The rate through the one variant's DUT, or what was wrong.
fn attempt(lab: &mut NetnsLab, experiment: &Experiment, run: &Run) -> Result<f64, String> {
    let result = lab.run(experiment, run, 0, &mut |_| Ok(())).map_err(|error| format!("{error:#}"))?;
    match result.verdict {
        RunVerdict::Valid => {
            let arm = result.arms.iter().find(|arm| arm.variant == experiment.variants[0].name);
            arm.and_then(|arm| arm.forwarding_rate_pps()).ok_or_else(|| "no frame was counted".into())
        }
        RunVerdict::Invalid { cause, detail } => Err(format!("invalid, {cause}: {detail}")),
    }
}

fn experiment() -> Experiment {
    let traffic = |name: &str, family: Family| Traffic {
        name: name.into(),
        family,
        frame_size: family.smallest_frame(),
        sources: 20,
        destinations: 100,
        load: Load::Max,
    };
    let config = |name: &str, nft| Config { name: name.into(), change: Change { nft, ..Change::default() } };
    let rules = TextFile { path: format!("{STATEFUL}.nft"), content: RULES.into() };
    Experiment {
        title: "Does a run work here?".into(),
        question: String::new(),
        lab: Lab::Netns,
        method: Method {
            compare: Compare::Duet,
            layout: Layout::Inline,
            sender: None,
            iterations: 1,
            seed: 1,
            warmup: Duration::from_millis(10),
            duration: Duration::from_millis(100),
            retries: 0,
            margin: 0.01,
        },
        traffic: vec![traffic("inet4", Family::Inet4), traffic("inet6", Family::Inet6)],
        configs: vec![config(PLAIN, None), config(STATEFUL, Some(rules))],
        variants: vec![Variant { name: "default".into(), change: Change::default() }],
    }
}
