//! The embedded lab. Per arm: `sender:gN <-veth-> d0:dutN:d1 <-veth-> s0:receiverN`, fresh for each run.
//!
//! The agent's network namespace is private to this process and so are the names, so several linerate processes never
//! meet, and nothing outlives the agent.

use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::notebook::{Broken, Notebook};
use super::tools::MissingTool;
use super::{counters, dut, napi, tools, validity};
use crate::agent::client::{Agent, Interrupted};
use crate::experiment::{Change, Experiment, Layout, NULL, SenderKind, Traffic};
use crate::plan::Run;
use crate::store::event::{ArmResult, Cause, Event, RunResult, RunVerdict};
use crate::sys::bpf_types::SINK_IFINDEX;
use crate::traffic::frame::{DUT_EGRESS_MAC, DUT_INGRESS_MAC, Mac, RECEIVER_MAC, SENDER_MAC};
use crate::traffic::{self, Blast, BlastReport, DutThreads, SENDER};

/// The embedded lab of this process.
pub struct NetnsLab {
    agent: Agent,
    sender: SenderKind,
    cpus: Cpus,
    no_live_frames: Option<String>,
}

/// Which CPU does what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpus {
    /// The sender's, and inline the DUT's too: the last one, since interrupts and house-keeping prefer the first.
    pub sender: usize,
    /// The DUT's when it has one of its own: the last but one.
    pub dut: Option<usize>,
}

impl NetnsLab {
    /// Starts the agent. The sender is the one that is asked for, else live frames where eBPF works, else AF_PACKET.
    ///
    /// # Errors
    /// When namespaces cannot be made here, or a program is missing; `linerate doctor` says why.
    pub fn start(sender: Option<SenderKind>) -> Result<Self> {
        const NOT_HERE: &str = "the embedded lab does not start on this machine; `linerate doctor` tells what it needs";
        let mut agent = Agent::start_in_namespaces().context(NOT_HERE)?;
        let capabilities = agent.capabilities().context(NOT_HERE)?;
        let mut from_last = capabilities.cpus.iter().rev().copied();
        let cpus = Cpus { sender: from_last.next().unwrap_or(0), dut: from_last.next() };
        let sender = match (sender, &capabilities.no_bpf) {
            (Some(SenderKind::XdpLiveFrames), Some(why)) => {
                bail!("the experiment asks for sender = \"xdp-live-frames\", which does not work here: {why}")
            }
            (Some(sender), _) => sender,
            (None, None) => SenderKind::XdpLiveFrames,
            (None, Some(_)) => SenderKind::AfPacket,
        };
        if let Some(tool) = tools::needed(sender).into_iter().find(|tool| tool.find().is_none()) {
            return Err(MissingTool(tool).into());
        }
        Ok(NetnsLab { agent, sender, cpus, no_live_frames: capabilities.no_bpf })
    }

    /// Why the faster sender does not work here; `None` when it does.
    pub fn no_live_frames(&self) -> Option<&str> {
        self.no_live_frames.as_deref()
    }

    pub fn sender(&self) -> SenderKind {
        self.sender
    }

    pub fn cpus(&self) -> Cpus {
        self.cpus
    }

    /// One run from set-up to teardown. What goes wrong with the DUT is a verdict in the result; an error means that the
    /// lab itself is gone.
    pub fn run(
        &mut self,
        experiment: &Experiment,
        run: &Run,
        attempt: u32,
        record: &mut dyn FnMut(Event) -> Result<()>,
    ) -> Result<RunResult> {
        let started = Instant::now();
        let mut result = RunResult {
            run: run.clone(),
            attempt,
            verdict: RunVerdict::Valid,
            sender: self.sender.name().into(),
            warnings: Vec::new(),
            wall_s: 0.0,
            blast_s: 0.0,
            dut_busy: None,
            arms: Vec::new(),
            slots: Vec::new(),
        };
        let (sender, cpus) = (self.sender, self.cpus);
        let mut notebook = Notebook { agent: &mut self.agent, record };
        if let Err(error) = measure(&mut notebook, sender, cpus, experiment, run, &mut result) {
            // What is not about the run ends the lab, and with it all that stands.
            let broken: Broken = error.downcast()?;
            result.verdict = RunVerdict::Invalid { cause: broken.cause, detail: broken.detail };
        }
        tear_down(&mut notebook)?;
        result.wall_s = started.elapsed().as_secs_f64();
        Ok(result)
    }
}

fn measure(
    notebook: &mut Notebook,
    sender: SenderKind,
    cpus: Cpus,
    experiment: &Experiment,
    run: &Run,
    result: &mut RunResult,
) -> Result<()> {
    let traffic = experiment.traffic(&run.traffic);
    let config = &experiment.config(&run.config).change;
    let null = run.arms.iter().position(|arm| arm == NULL);
    let dut_cpu = cpus.dut.filter(|_| sender == SenderKind::XdpLiveFrames);
    let dut_cpu = match (experiment.method.layout, dut_cpu) {
        (Layout::Inline, _) => cpus.sender,
        (Layout::TwoCore, Some(cpu)) => cpu,
        (Layout::TwoCore, None) => {
            let detail = "layout = \"two-core\" needs two CPUs, root and the sender xdp-live-frames; use layout = \"inline\"";
            return Err(Broken::new(Cause::LabFailed, detail).into());
        }
    };
    let mut pids = Vec::new();
    set_up(notebook, sender, run.arms.len(), null)?;
    for (arm, variant) in run.arms.iter().enumerate().filter(|&(arm, _)| null != Some(arm)) {
        let changes = [config, &experiment.variant(variant).change];
        let dut = traffic::dut(arm);
        install(notebook, &dut, changes)?;
        for change in changes {
            dut::apply(notebook, &dut, change)?;
        }
        dut::verify(notebook, &dut, changes)?;
        if experiment.method.layout == Layout::TwoCore {
            pids.push(napi::give_core(notebook, &dut, dut_cpu)?);
        }
        check_path(notebook, traffic, arm)?;
        notebook.agent.prime(traffic, arm).map_err(lab_failed)?;
    }
    let read = |notebook: &mut Notebook| {
        (0..run.arms.len())
            .map(|arm| counters::read(notebook, sender, traffic.family, arm, null != Some(arm)))
            .collect::<Result<Vec<_>>>()
    };
    let before = read(notebook)?;
    let method = &experiment.method;
    let blast = Blast {
        traffic: traffic.clone(),
        sender,
        cpu: cpus.sender,
        arms: run.arms.len(),
        null,
        dut: (method.layout == Layout::TwoCore).then_some(DutThreads { cpu: dut_cpu, pids }),
        burn: run.arms.iter().map(|arm| if arm == NULL { 0 } else { experiment.variant(arm).change.burn }).collect(),
        warmup: method.warmup,
        duration: method.duration,
        seed: run.seed,
    };
    let report = notebook.agent.blast(blast).map_err(lab_failed)?;
    let since: Vec<_> = read(notebook)?.iter().zip(&before).map(|(after, before)| after.since(before)).collect();
    record_counts(result, &report, &since);
    result.dut_busy = (method.layout == Layout::TwoCore).then(|| report.dut_busy_ns as f64 / (result.blast_s * 1e9));
    result.warnings = validity::shared_cpu(&report, result.blast_s).into_iter().collect();
    result.verdict = validity::judge(traffic, &report, result, &since);
    Ok(())
}

/// Copies what was counted into the result.
fn record_counts(result: &mut RunResult, report: &BlastReport, since: &[counters::Counters]) {
    let began = report.slots.first().map_or(0, |slot| slot.start_ns);
    result.blast_s = report.slots.iter().map(|slot| slot.whole_ns as f64 * 1e-9).sum();
    result.slots =
        report.slots.iter().map(|slot| ((slot.start_ns - began) / 1000, slot.arm, slot.frames, slot.ns)).collect();
    for (arm, (count, counters)) in report.arms.iter().zip(since).enumerate() {
        let mine = || report.slots.iter().filter(|slot| usize::from(slot.arm) == arm);
        let (received, foreign) = counters.receiver.unwrap_or((count.received.unwrap_or(0), count.foreign));
        result.arms.push(ArmResult {
            variant: result.run.arms[arm].clone(),
            sent: count.sent,
            received,
            foreign,
            drops: counters.drops.clone(),
            forwarded: mine().map(|slot| u64::from(slot.frames)).sum(),
            elapsed_ns: mine().map(|slot| slot.ns).sum(),
            samples: count.samples.clone(),
        });
    }
}

fn set_up(notebook: &mut Notebook, sender: SenderKind, arms: usize, null: Option<usize>) -> Result<()> {
    let mut names = format!("netns add {SENDER}\n");
    let mut links = String::new();
    for arm in 0..arms {
        let (dut, receiver, interface) = (traffic::dut(arm), traffic::receiver(arm), traffic::sender_interface(arm));
        names += &format!("netns add {receiver}\n");
        let peer = if null == Some(arm) {
            format!("s0 index {} address {} netns {receiver}", SINK_IFINDEX + arm as u32, mac(RECEIVER_MAC))
        } else {
            names += &format!("netns add {dut}\n");
            format!("d0 address {} netns {dut}", mac(DUT_INGRESS_MAC))
        };
        links += &format!(
            "link add {interface} index {} address {} numtxqueues 1 numrxqueues 1 type veth \
             peer numtxqueues 1 numrxqueues 1 name {peer}\n\
             link set {interface} addrgenmode none up\n",
            traffic::sender_ifindex(arm),
            mac(SENDER_MAC),
        );
    }
    batch(notebook, &[], &names)?;
    batch(notebook, &["-n", SENDER], &links)?;
    for arm in 0..arms {
        // An interface that is up before its peer sends nothing until a worker of the kernel has seen the peer come up, on a
        // busy machine some time later. So the receiver's goes first.
        set_up_receiver(notebook, sender, arm, null != Some(arm))?;
        if null != Some(arm) {
            set_up_dut(notebook, sender, arm)?;
        }
    }
    Ok(())
}

fn set_up_dut(notebook: &mut Notebook, sender: SenderKind, arm: usize) -> Result<()> {
    let name = traffic::dut(arm);
    dut::set_base(notebook, &name)?;
    let links = format!(
        "link set d0 addrgenmode none up\n\
         link set d1 addrgenmode none up\n\
         addr add 198.18.0.1/24 dev d0\n\
         addr add 198.19.0.1/24 dev d1\n\
         addr add 2001:2:0:1::1/64 dev d0 nodad\n\
         addr add 2001:2:0:8001::1/64 dev d1 nodad\n\
         neigh add 198.18.0.2 lladdr {before} dev d0 nud permanent\n\
         neigh add 198.19.0.2 lladdr {behind} dev d1 nud permanent\n\
         neigh add 2001:2:0:1::2 lladdr {before} dev d0 nud permanent\n\
         neigh add 2001:2:0:8001::2 lladdr {behind} dev d1 nud permanent\n\
         route add 198.18.10.0/24 via 198.18.0.2 dev d0\n\
         route add 198.19.10.0/24 via 198.19.0.2 dev d1\n\
         route add 2001:2:0:10::/64 via 2001:2:0:1::2 dev d0\n\
         route add 2001:2:0:8010::/64 via 2001:2:0:8001::2 dev d1\n",
        before = mac(SENDER_MAC),
        behind = mac(RECEIVER_MAC),
    );
    batch(notebook, &["-n", &name], &links)?;
    if sender == SenderKind::XdpLiveFrames {
        // veth takes XDP frames only where its peer has NAPI, and GRO brings it.
        notebook.run(Cause::LabFailed, &name, &["ethtool", "-K", "d0", "gro", "on"], "")?;
    }
    Ok(())
}

fn set_up_receiver(notebook: &mut Notebook, sender: SenderKind, arm: usize, has_dut: bool) -> Result<()> {
    let receiver = traffic::receiver(arm);
    let mut links = String::new();
    if has_dut {
        links = format!(
            "link add s0 index {} address {} numtxqueues 1 numrxqueues 1 type veth \
             peer numtxqueues 1 numrxqueues 1 name d1 index 11 address {} netns {}\n",
            SINK_IFINDEX + arm as u32,
            mac(RECEIVER_MAC),
            mac(DUT_EGRESS_MAC),
            traffic::dut(arm),
        );
    }
    batch(notebook, &["-n", &receiver], &(links + "link set s0 addrgenmode none up\n"))?;
    if sender == SenderKind::AfPacket {
        let sink = "table netdev linerate {\n  chain sink {\n    type filter hook ingress device s0 priority 0; policy drop;\n    \
                    udp dport 2001 counter drop\n    counter drop\n  }\n}\n";
        notebook.run(Cause::LabFailed, &receiver, &["nft", "-f", "-"], sink)?;
    }
    Ok(())
}

fn batch(notebook: &mut Notebook, options: &[&str], lines: &str) -> Result<()> {
    let mut argv = vec!["ip"];
    argv.extend(options);
    argv.extend(["-batch", "-"]);
    notebook.run(Cause::LabFailed, "", &argv, lines).map(drop)
}

fn install(notebook: &mut Notebook, dut: &str, changes: [&Change; 2]) -> Result<()> {
    let files: std::collections::BTreeMap<String, String> = changes
        .iter()
        .flat_map(|change| change.files.iter().map(|(target, file)| (target.clone(), file.content.clone())))
        .collect();
    if files.is_empty() && changes.iter().all(|change| change.commands.is_empty()) {
        return Ok(());
    }
    notebook
        .agent
        .install(dut, files)
        .map_err(|error| match error.is::<Interrupted>() {
            true => error,
            false => Broken::new(Cause::WrongDutState, format!("{error:#}")).into(),
        })
}

/// Proves by probe frames that the DUT forwards as a router does.
fn check_path(notebook: &mut Notebook, traffic: &Traffic, arm: usize) -> Result<()> {
    let probes = notebook.agent.probe(traffic, arm).map_err(lab_failed)?;
    if probes.forwarded == probes.sent && probes.wrong.is_empty() {
        return Ok(());
    }
    let counters = counters::read(notebook, SenderKind::XdpLiveFrames, traffic.family, arm, true)?;
    Err(validity::judge_probes(&probes, &counters, traffic::dut(arm)).into())
}

fn tear_down(notebook: &mut Notebook) -> Result<()> {
    // What one variant's command left running must not run beside the next variant.
    notebook.agent.end_leftovers()?;
    let listed = notebook.run(Cause::LabFailed, "", &["ip", "netns", "list"], "")?;
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    let lines: String = names.map(|name| format!("netns del {name}\n")).collect();
    batch(notebook, &[], &lines)
}

/// A failure of the agent makes the run invalid; the user's wish to stop does not.
fn lab_failed(error: anyhow::Error) -> anyhow::Error {
    match error.is::<Interrupted>() {
        true => error,
        false => Broken::new(Cause::LabFailed, format!("{error:#}")).into(),
    }
}

fn mac(mac: Mac) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}
