//! The sender that makes XDP frames inside BPF_PROG_TEST_RUN, and the XDP sink that counts and drops them.
//!
//! Live frames: Linux 5.18, commit b530e9e1063e. One system call sends a whole blast; it returns when user space
//! interrupts it. The peer of each sender interface needs NAPI (GRO on), or veth drops every frame.

use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use aya::Ebpf;
use aya::maps::{Array, MapData, PerCpuArray};
use aya::programs::xdp::XdpLink;
use aya::programs::{ProgramError, TestRun, TestRunAttrs, TestRunOptions, Xdp, XdpMode};

use super::frame::{self, Flow};
use super::schedule::{BATCH, WINDOW};
use super::{ArmCount, Blast, BlastReport, Part, Slot, sender_ifindex};
use crate::experiment::Family;
use crate::sys::bpf_types::{Control, MAX_ARMS, MAX_SLOTS, SINK_IFINDEX, SlotRecord, Sunk};
use crate::sys::namespace::{Namespace, inside};
use crate::sys::thread::{self, Interrupter};
use crate::units::Load;

static PROGRAMS: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/traffic.bpf.o"));

/// No blast sends more than this, whatever its schedule says.
const MAX_FRAMES: u32 = u32::MAX;
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);
/// After the sender stops the sinks must stand still for so long, and are given so long at most.
const DRAIN: Duration = Duration::from_millis(5);
const DRAIN_MAX: Duration = Duration::from_secs(1);

/// The loaded programs and their maps.
pub struct XdpTraffic {
    ebpf: Ebpf,
    control: Array<MapData, Control>,
    schedule: Array<MapData, u64>,
    slots: Array<MapData, SlotRecord>,
    sunk: PerCpuArray<MapData, Sunk>,
}

impl XdpTraffic {
    /// Loads the programs. Fails without CAP_BPF and on kernels before 5.18.
    pub fn load() -> Result<Self> {
        let mut ebpf = Ebpf::load(PROGRAMS).context("cannot load the eBPF programs")?;
        for name in ["blast", "sink"] {
            let program: &mut Xdp = ebpf.program_mut(name).context("an eBPF program is missing")?.try_into()?;
            program.load().with_context(|| format!("the kernel refused the eBPF program `{name}`"))?;
        }
        let mut map = |name| ebpf.take_map(name).context("an eBPF map is missing");
        Ok(XdpTraffic {
            control: map("control")?.try_into()?,
            schedule: map("schedule")?.try_into()?,
            slots: map("slots")?.try_into()?,
            sunk: map("sunk")?.try_into()?,
            ebpf,
        })
    }

    /// Attaches the sink to interface `s0` (index [`SINK_IFINDEX`] + arm) of a receiver's namespace, until the returned
    /// link is dropped.
    pub fn attach_sink(&mut self, arm: usize, receiver: &Namespace) -> Result<XdpLink> {
        let sink: &mut Xdp = self.ebpf.program_mut("sink").context("an eBPF program is missing")?.try_into()?;
        let index = SINK_IFINDEX + arm as u32;
        inside(receiver, || {
            let link = sink.attach_to_if_index(index, XdpMode::Driver).map_err(io::Error::other)?;
            sink.take_link(link).map_err(io::Error::other)
        })
        .context("cannot attach the XDP sink to the receiver's interface s0")
    }

    /// Sends a part of a blast and returns when its schedule is done; `around` surrounds the sending on its thread.
    pub fn blast<T: Send>(
        &mut self,
        blast: &Blast,
        part: &Part,
        sender: &Namespace,
        around: impl FnOnce(&mut dyn FnMut() -> io::Result<()>) -> io::Result<T> + Send,
    ) -> Result<(BlastReport, T)> {
        let arms = blast.arms;
        ensure!(
            part.schedule.len() <= MAX_SLOTS && arms <= MAX_ARMS,
            "a blast has at most {MAX_SLOTS} slots and {MAX_ARMS} arms: use a shorter `duration` or fewer variants"
        );
        let mut control = control(blast, part);
        for (index, &(arm, ns)) in part.schedule.iter().enumerate() {
            self.schedule.set(index as u32, u64::from(arm) | u64::from(ns) << 8, 0)?;
            self.slots.set(index as u32, SlotRecord::default(), 0)?;
        }
        let before: Vec<_> = (0..arms as u32).map(|arm| self.sunk.get(&arm, 0)).collect::<Result<_, _>>()?;
        for (sent_to, cpus) in control.sent_to.iter_mut().zip(&before) {
            *sent_to = cpus[control.sink_cpu as usize].ours;
        }
        self.control.set(0, control, 0)?;
        let ours_before: Vec<u64> = before.iter().map(|cpus| cpus.iter().map(|sunk| sunk.ours).sum()).collect();

        let planned: u64 = part.schedule.iter().map(|&(_, ns)| u64::from(ns)).sum();
        let deadline = Instant::now() + Duration::from_nanos(planned).mul_f64(1.5) + Duration::from_secs(2);
        let started = thread::monotonic_ns();
        let mut samples = vec![Vec::new(); arms];
        let blaster: &Xdp = self.ebpf.program("blast").context("an eBPF program is missing")?.try_into()?;
        let template = template(blast);
        let (tell, told) = std::sync::mpsc::channel();
        let from_thread = std::thread::scope(|scope| -> Result<T> {
            let sending = scope.spawn(move || {
                inside(sender, || {
                    around(&mut || {
                        tell.send(Interrupter::for_this_thread()).map_err(io::Error::other)?;
                        run(blaster, &template, control.batch)
                    })
                })
            });
            if let Ok(sender_thread) = told.recv() {
                let mut next_sample = Instant::now();
                while !sending.is_finished() {
                    let now = Instant::now();
                    if now >= next_sample {
                        next_sample = now + SAMPLE_INTERVAL;
                        let since = thread::monotonic_ns() - started;
                        for (arm, samples) in samples.iter_mut().enumerate() {
                            samples.push((since, self.sunk_ours(arm)? - ours_before[arm]));
                        }
                    }
                    if now > deadline || self.control.get(&0, 0)?.done != 0 {
                        sender_thread.interrupt();
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            Ok(sending.join().map_err(|_| anyhow::anyhow!("the sender's thread panicked"))??)
        })?;
        // Frames may still be on their way to a slow DUT on a core of its own.
        let still = Instant::now() + DRAIN_MAX;
        let mut arrived = self.arrived(arms)?;
        loop {
            std::thread::sleep(DRAIN);
            let now = self.arrived(arms)?;
            if now == arrived || Instant::now() > still {
                break;
            }
            arrived = now;
        }

        let end = self.control.get(&0, 0)?;
        if end.done == 0 {
            bail!("the blast did not end within 1.5 times its planned {} ms", planned / 1_000_000);
        }
        let mut report =
            BlastReport { idle_ns: end.idle_ns, arms: vec![ArmCount::default(); arms], ..Default::default() };
        for (index, &(arm, _)) in part.schedule.iter().enumerate() {
            let record = self.slots.get(&(index as u32), 0)?;
            report.arms[usize::from(arm)].sent += record.frames;
            report.slots.push(slot(arm, &record));
        }
        for (arm, samples) in samples.into_iter().enumerate() {
            let (mut ours, mut foreign, mut elsewhere) = (0, 0, 0);
            for (cpu, (after, before)) in self.sunk.get(&(arm as u32), 0)?.iter().zip(before[arm].iter()).enumerate() {
                ours += after.ours - before.ours;
                foreign += after.foreign - before.foreign;
                if cpu != control.sink_cpu as usize {
                    elsewhere += after.ours - before.ours;
                }
            }
            let count = &mut report.arms[arm];
            (count.received, count.foreign, count.elsewhere, count.samples) = (Some(ours), foreign, elsewhere, samples);
        }
        Ok((report, from_thread))
    }

    /// Our frames at all sinks since they were loaded.
    fn arrived(&self, arms: usize) -> Result<u64> {
        (0..arms).map(|arm| self.sunk_ours(arm)).sum()
    }

    /// Our frames at an arm's sink since it was loaded, all CPUs.
    fn sunk_ours(&self, arm: usize) -> Result<u64> {
        Ok(self.sunk.get(&(arm as u32), 0)?.iter().map(|sunk| sunk.ours).sum())
    }
}

/// One system call that sends until it is interrupted.
fn run(blaster: &Xdp, template: &[u8], batch: u32) -> io::Result<()> {
    let options = TestRunOptions {
        data_in: Some(template),
        repeat: MAX_FRAMES,
        attrs: TestRunAttrs::new().xdp_live_frames(batch),
        ..Default::default()
    };
    match blaster.test_run(options) {
        Ok(_) => Ok(()),
        Err(ProgramError::SyscallError(error)) if error.io_error.kind() == io::ErrorKind::Interrupted => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// A whole frame of flow 0; the program rewrites the headers of each copy.
fn template(blast: &Blast) -> Vec<u8> {
    let traffic = &blast.traffic;
    let payload = usize::from(traffic.frame_size) - 4 - frame::header_length(traffic.family);
    frame::forward(traffic.family, Flow { source: 0, destination: 0 }, &vec![0; payload])
}

fn control(blast: &Blast, part: &Part) -> Control {
    let traffic = &blast.traffic;
    let mut template = template(blast);
    let udp = frame::header_length(traffic.family) - 8;
    let addresses = match traffic.family {
        Family::Inet4 => 26..34,
        Family::Inet6 => 22..54,
    };
    template[udp + 6..udp + 8].fill(0);
    if traffic.family == Family::Inet4 {
        template[24..26].fill(0);
    }
    let mut headers = [0; 8];
    for (word, bytes) in headers.iter_mut().zip(template.chunks(8)) {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(whole);
    }
    let mut control = Control {
        headers,
        ip_sum: frame::words(&template[14..34]),
        udp_sum: frame::words(&template[addresses])
            + 17
            + (template.len() - udp) as u32
            + frame::words(&template[udp..]),
        ipv6: u32::from(traffic.family == Family::Inet6),
        sources: traffic.sources.into(),
        destinations: traffic.destinations.into(),
        batch: BATCH,
        sink_cpu: blast.dut.as_ref().map_or(blast.cpu, |dut| dut.cpu) as u32,
        guard_ns: part.guard.as_nanos() as u64,
        window: blast.dut.as_ref().map_or(0, |_| WINDOW),
        slot_count: part.schedule.len() as u32,
        ..Default::default()
    };
    for (arm, ifindex) in control.ifindex.iter_mut().enumerate().take(blast.arms) {
        *ifindex = sender_ifindex(arm);
    }
    control.burn[..blast.burn.len()].copy_from_slice(&blast.burn);
    if let Load::Pps(pps) = traffic.load {
        (control.batch, control.window) = (1, 0);
        control.interval_ns = 1_000_000_000 / pps;
    }
    control
}

/// A slot too short for its guard (the sender was off its CPU) has no guarded part: 0 frames in 0 ns.
fn slot(arm: u8, record: &SlotRecord) -> Slot {
    let guarded = record.guarded_ns > 0;
    Slot {
        arm,
        start_ns: record.start_ns,
        sent: record.frames as u32,
        whole_ns: record.ns,
        frames: if guarded { (record.sunk_after - record.sunk_guard) as u32 } else { 0 },
        ns: record.guarded_ns,
    }
}
