//! What works on this machine, what is missing and what fixes it; proved by a tiny run.

mod machine;
mod trial;

use std::fs;

use super::facts;
use super::netns::NetnsLab;
use super::tools::{ETHTOOL, IP, MissingTool, NFT, PERF, SYSCTL, Tool, UNSHARE};
use crate::experiment::SenderKind;
use crate::sys::namespace::is_privileged;

/// How it stands with one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ok,
    /// Runs work, and are slower, noisier or fewer than they could be.
    Worse,
    /// Runs do not work.
    Missing,
}

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub state: State,
    pub what: &'static str,
    /// What it means for a measurement.
    pub means: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl Finding {
    fn ok(what: &'static str, means: impl Into<String>) -> Finding {
        Finding { state: State::Ok, what, means: means.into(), fix: None }
    }

    fn worse(what: &'static str, means: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { state: State::Worse, what, means: means.into(), fix: Some(fix.into()) }
    }

    fn missing(what: &'static str, means: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { state: State::Missing, what, means: means.into(), fix: Some(fix.into()) }
    }
}

/// The outcome.
#[derive(Debug)]
pub struct Checkup {
    pub findings: Vec<Finding>,
    /// The sender a run would use; `None` when no run would work.
    pub sender: Option<SenderKind>,
}

/// Looks at everything and makes a tiny run. Takes about two seconds.
pub fn examine() -> Checkup {
    let privileged = is_privileged();
    let mut findings = vec![privileges(privileged)];
    let lab = NetnsLab::start(None);
    let lacking =
        lab.as_ref().err().and_then(|error| error.downcast_ref::<MissingTool>()).map(|&MissingTool(tool)| tool);
    findings.extend([&UNSHARE, &IP, &SYSCTL, &ETHTOOL, &NFT, &PERF].map(|tool| look_for(tool, lacking)));
    let mut cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let mut sender = None;
    match lab {
        Ok(mut lab) => {
            let kinds = if privileged { "network, mount and PID" } else { "user, network, mount and PID" };
            findings
                .push(Finding::ok("namespaces", format!("{kinds} namespaces of linerate's own, gone when it ends")));
            findings.push(live_frames(&lab, privileged));
            let trials = trial::run(&mut lab);
            sender = trials.iter().all(|trial| trial.state != State::Missing).then_some(lab.sender());
            findings.extend(trials);
            cpus = 1 + usize::from(lab.cpus().dut.is_some());
        }
        Err(error) if lacking.is_none() => {
            let setting = |name: &str| {
                fs::read_to_string(format!("/proc/sys/{name}")).ok().and_then(|text| text.trim().parse().ok())
            };
            let fix =
                if UNSHARE.find().is_some() { machine::namespaces_fix(privileged, setting) } else { UNSHARE.fix() };
            let why = error.chain().nth(1).map_or(error.to_string(), |cause| cause.to_string());
            findings.push(Finding::missing("namespaces", why, fix));
        }
        Err(_) => {}
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let kernel_threads = fs::read_to_string("/proc/2/comm").is_ok_and(|name| name.trim() == "kthreadd");
    findings.extend(machine::findings(&facts::gather(), &load, cpus, kernel_threads));
    Checkup { findings, sender }
}

fn privileges(privileged: bool) -> Finding {
    match privileged {
        true => Finding::ok("privileges", "root: the fastest sender and every layout"),
        false => Finding::worse(
            "privileges",
            "not root's (CAP_NET_ADMIN, CAP_SYS_ADMIN): runs work in a user namespace, with the slower sender and the inline \
             layout alone",
            "sudo linerate ..",
        ),
    }
}

/// `lacking` is the one without which the lab did not start.
fn look_for(tool: &'static Tool, lacking: Option<&Tool>) -> Finding {
    match tool.find() {
        Some(path) => Finding::ok(tool.name, format!("{} ({})", tool.purpose, path.display())),
        None if lacking == Some(tool) || [&UNSHARE, &IP, &SYSCTL].contains(&tool) => {
            Finding::missing(tool.name, tool.purpose, tool.fix())
        }
        None => Finding::worse(tool.name, tool.purpose, tool.fix()),
    }
}

fn live_frames(lab: &NetnsLab, privileged: bool) -> Finding {
    const WHAT: &str = "live frames";
    match lab.no_live_frames() {
        None => Finding::ok(WHAT, "the kernel takes the eBPF programs that make and count frames"),
        Some(_) if !privileged => {
            Finding::worse(WHAT, "loading eBPF programs needs root; af-packet is used", "sudo linerate ..")
        }
        Some(why) => Finding::worse(
            WHAT,
            format!("{why}; af-packet is used"),
            "Linux 5.18 or newer, and a container with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON",
        ),
    }
}
