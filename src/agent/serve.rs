//! The side that acts: reads requests from standard input until it closes, answers on standard output.
//!
//! In the embedded lab it is the first process of its own PID, mount and network namespaces: when it ends, for
//! whatever reason, the kernel ends every process in them and with those the namespaces and all that was set up.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::exec::{self, Place};
use super::protocol::{Answer, Capabilities, Request};
use crate::sys::namespace::{self, Namespace};
use crate::sys::thread;
use crate::traffic::xdp::XdpTraffic;
use crate::experiment::SenderKind;
use crate::random::Random;
use crate::traffic::probe::Closing;
use crate::traffic::{self, Blast, BlastReport, Part, af_packet, probe, schedule};

const NETNS: &str = "/run/netns";

/// Serves until standard input closes.
pub fn serve() -> Result<()> {
    hide_names()?;
    let mut host = Host::default();
    for line in io::stdin().lock().lines() {
        let answer = match serde_json::from_str(&line?) {
            Ok(request) => host.answer(request).unwrap_or_else(|error| Answer::Failed(format!("{error:#}"))),
            Err(error) => Answer::Failed(format!("not a request: {error}")),
        };
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

/// Gives this mount namespace a `/run/netns` of its own, so that `ip netns add` leaves no name outside.
fn hide_names() -> Result<()> {
    let names = Path::new(NETNS);
    if !names.is_dir() {
        // Without root nobody may create it, and with root it would outlive us; a /run of our own may hold it.
        namespace::mount_tmpfs(Path::new("/run")).context("cannot mount a private /run")?;
        std::fs::create_dir_all(names)?;
    }
    namespace::mount_tmpfs(names).context("cannot mount a private /run/netns")
}

#[derive(Default)]
struct Host {
    /// Loaded at first use.
    xdp: Option<XdpTraffic>,
    /// Mount namespaces of hosts whose commands have a view of their own.
    mounts: BTreeMap<String, Namespace>,
    /// Sockets of probes that are still being closed.
    closing: Vec<Closing>,
}

impl Host {
    fn answer(&mut self, request: Request) -> Result<Answer> {
        Ok(match request {
            Request::Capabilities => Answer::Capabilities(self.capabilities()?),
            Request::Exec { host, argv, stdin, timeout_s } => {
                let net = if host.is_empty() { None } else { Some(open(&host)?) };
                let place = net.as_ref().map(|net| Place { net, mount: self.mounts.get(&host) });
                Answer::Exec(exec::run(&host, place, &argv, &stdin, Duration::from_secs_f64(timeout_s)))
            }
            Request::EndLeftovers => {
                namespace::end_all_others().context("cannot end what a command left running")?;
                self.mounts.clear();
                Answer::Done
            }
            Request::Install { host, files } => {
                let mount = install(&open(&host)?, &files)?;
                self.mounts.insert(host, mount);
                Answer::Done
            }
            Request::Probe { traffic, arm } => {
                let (sender, receiver) = (open(traffic::SENDER)?, open(&traffic::receiver(arm))?);
                let (report, closing) = probe::probe(&traffic, &traffic::sender_interface(arm), &sender, &receiver)?;
                self.closing.push(closing);
                Answer::Probe(report)
            }
            Request::Prime { traffic, arm } => {
                let (sender, receiver) = (open(traffic::SENDER)?, open(&traffic::receiver(arm))?);
                self.closing.push(probe::prime(&traffic, &traffic::sender_interface(arm), &sender, &receiver)?);
                Answer::Done
            }
            Request::Blast(blast) => Answer::Blast(self.blast(&blast)?),
        })
    }

    fn capabilities(&mut self) -> Result<Capabilities> {
        let no_bpf = self.xdp().err().map(|error| format!("{error:#}"));
        Ok(Capabilities { cpus: thread::allowed_cpus()?, no_bpf })
    }

    fn xdp(&mut self) -> Result<&mut XdpTraffic> {
        match &mut self.xdp {
            Some(xdp) => Ok(xdp),
            none => Ok(none.insert(XdpTraffic::load()?)),
        }
    }

    fn blast(&mut self, blast: &Blast) -> Result<BlastReport> {
        let sender = open(traffic::SENDER)?;
        let receivers = (0..blast.arms).map(|arm| open(&traffic::receiver(arm))).collect::<Result<Vec<_>>>()?;
        for closing in self.closing.drain(..) {
            closing.join().map_err(|_| anyhow::anyhow!("closing a probe's sockets panicked"))?;
        }
        let mut sinks = Vec::new();
        if blast.sender == SenderKind::XdpLiveFrames {
            for (arm, receiver) in receivers.iter().enumerate() {
                sinks.push(self.xdp()?.attach_sink(arm, receiver)?);
            }
        }
        let warmup = schedule::warmup(blast.arms, blast.warmup);
        let first = self.part(blast, &warmup, &sender, &receivers)?;
        let slowest = schedule::slowest(&first.slots);
        let mut random = Random::new(blast.seed);
        let measured = schedule::measured(blast, slowest, &mut random);
        let mut report = self.part(blast, &measured, &sender, &receivers)?;
        report.add_warmup(first);
        Ok(report)
    }

    fn part(&mut self, blast: &Blast, part: &Part, sender: &Namespace, receivers: &[Namespace]) -> Result<BlastReport> {
        let around = |send: &mut dyn FnMut() -> io::Result<()>| {
            thread::run_on(&[blast.cpu])?;
            // Unprivileged the sender competes as any other process does; the run's own checks see it. Where the
            // kernel groups sessions, nice counts only inside the group, and the group has a nice of its own.
            let _ = thread::raise_priority();
            let _ = std::fs::write("/proc/self/autogroup", "-20");
            let before = Surroundings::read(blast)?;
            send()?;
            Ok(Surroundings::read(blast)?.since(&before))
        };
        let (mut report, around) = match blast.sender {
            SenderKind::XdpLiveFrames => self.xdp()?.blast(blast, part, sender, around)?,
            SenderKind::AfPacket => af_packet::blast(blast, part, sender, receivers, around)?,
        };
        (report.run_delay_ns, report.steal_ns) = (around.run_delay_ns, around.steal_ns);
        report.dut_busy_ns = around.dut_busy_ns;
        Ok(report)
    }
}

/// Opens a namespace of the lab by its name.
fn open(name: &str) -> Result<Namespace> {
    Namespace::open(&Path::new(NETNS).join(name)).with_context(|| format!("no namespace `{name}`"))
}

/// Lays files over a host's file system: each target's nearest existing directory gets a private layer on a tmpfs. The host's
/// commands also get a /sys of their own.
fn install(net: &Namespace, files: &BTreeMap<String, String>) -> Result<Namespace> {
    let mut directories: Vec<PathBuf> = Vec::new();
    let mut placed: Vec<(PathBuf, &String)> = Vec::new();
    for (target, content) in files {
        let nearest = Path::new(target).ancestors().skip(1).find(|path| path.is_dir()).context("no such directory")?;
        anyhow::ensure!(
            nearest != Path::new("/"),
            "`{target}`: files cannot be installed into `/` itself; choose an existing directory"
        );
        // Links are followed here and nowhere else, so that no file lands beside the layers.
        let real = nearest.canonicalize().with_context(|| format!("cannot find `{}`", nearest.display()))?;
        placed.push((real.join(Path::new(target).strip_prefix(nearest)?), content));
        directories.push(real);
    }
    // A directory inside another that is laid over already is covered by it.
    directories.sort();
    directories.dedup_by(|inner, outer| inner.starts_with(&*outer));
    let directories: Vec<&Path> = directories.iter().map(PathBuf::as_path).collect();
    namespace::own_view(net, &directories, Path::new(NETNS), || {
        for (target, content) in placed {
            if let Some(directory) = target.parent() {
                std::fs::create_dir_all(directory)?;
            }
            // What stands there may be a link that leads out of the layer.
            if let Err(error) = std::fs::remove_file(&target)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error);
            }
            std::fs::write(target, content)?;
        }
        Ok(())
    })
    .context("cannot lay private files over the DUT's file system (overlayfs)")
}

/// What the sender's thread and its CPU went through, and what the DUTs' own threads did.
struct Surroundings {
    run_delay_ns: u64,
    steal_ns: u64,
    dut_busy_ns: u64,
}

impl Surroundings {
    /// For the calling thread. schedstat(5) has time on the CPU and time waiting for it; without CONFIG_SCHED_INFO: 0.
    fn read(blast: &Blast) -> io::Result<Self> {
        let schedstat = |task: &str, column: usize| {
            let text = std::fs::read_to_string(format!("/proc/{task}/schedstat")).ok()?;
            text.split_whitespace().nth(column)?.parse::<u64>().ok()
        };
        // Column 8 of a cpu line is steal, in ticks of 1/100 s (proc_stat(5)).
        let stat = std::fs::read_to_string("/proc/stat")?;
        let steal: u64 = stat
            .lines()
            .find_map(|line| line.strip_prefix(&format!("cpu{} ", blast.cpu)))
            .and_then(|columns| columns.split_whitespace().nth(7)?.parse().ok())
            .unwrap_or(0);
        let pids = blast.dut.iter().flat_map(|dut| &dut.pids);
        Ok(Surroundings {
            run_delay_ns: schedstat("thread-self", 1).unwrap_or(0),
            steal_ns: steal * 10_000_000,
            dut_busy_ns: pids.filter_map(|pid| schedstat(&pid.to_string(), 0)).sum(),
        })
    }

    fn since(&self, before: &Surroundings) -> Surroundings {
        Surroundings {
            run_delay_ns: self.run_delay_ns.saturating_sub(before.run_delay_ns),
            steal_ns: self.steal_ns.saturating_sub(before.steal_ns),
            dut_busy_ns: self.dut_busy_ns.saturating_sub(before.dut_busy_ns),
        }
    }
}
