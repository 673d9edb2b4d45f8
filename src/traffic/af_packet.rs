//! The sender for machines without eBPF or root: sendmmsg(2) on one AF_PACKET socket per arm.
//!
//! Without GRO the veth peer has no NAPI: each frame is forwarded to the sink before the send call returns, so frames
//! sent in a slot are frames forwarded. Frames are counted by an nft rule in the receiver's namespace.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use super::frame;
use super::schedule::BATCH;
use super::{ArmCount, Blast, BlastReport, Part, Slot, sender_interface};
use crate::sys::namespace::{Namespace, inside};
use crate::sys::packet::{FrameRing, PacketSocket};
use crate::sys::thread::monotonic_ns;
use crate::units::Load;

const GUARD_BATCHES: u32 = 2;
const SAMPLE_INTERVAL: Duration = Duration::from_millis(20);

/// Sends a part of a blast and returns when its schedule is done; `around` surrounds the sending on its thread.
pub fn blast<T: Send>(
    blast: &Blast,
    part: &Part,
    sender: &Namespace,
    receivers: &[Namespace],
    around: impl FnOnce(&mut dyn FnMut() -> io::Result<()>) -> io::Result<T> + Send,
) -> Result<(BlastReport, T)> {
    let traffic = &blast.traffic;
    let payload = vec![0; usize::from(traffic.frame_size) - 4 - frame::header_length(traffic.family)];
    let frames = || frame::flows(traffic).flat_map(|flow| frame::forward(traffic.family, flow, &payload)).collect();
    let mut rings: Vec<_> =
        (0..blast.arms).map(|_| FrameRing::new(frames(), usize::from(traffic.frame_size) - 4)).collect();
    let mut counters = receivers
        .iter()
        .map(|receiver| inside(receiver, || File::open("/proc/thread-self/net/dev")))
        .collect::<io::Result<Vec<_>>>()
        .context("cannot read the receiver's interface counters")?;
    let mut report = BlastReport { arms: vec![ArmCount::default(); blast.arms], ..Default::default() };
    let started = monotonic_ns();
    let over = AtomicBool::new(false);

    let (slots, idle_ns, from_thread, samples) = std::thread::scope(|scope| -> Result<_> {
        let (over, rings) = (&over, &mut rings);
        let sending = scope.spawn(move || {
            let mut slots = Vec::with_capacity(part.schedule.len());
            let mut idle_ns = 0;
            let result = inside(sender, || {
                let sockets = (0..blast.arms)
                    .map(|arm| PacketSocket::open(&sender_interface(arm), false))
                    .collect::<io::Result<Vec<_>>>()?;
                around(&mut || {
                    idle_ns = send_all(blast, part, &sockets, rings, &mut slots)?;
                    Ok(())
                })
            });
            over.store(true, Ordering::Release);
            result.map(|from_thread| (slots, idle_ns, from_thread))
        });
        let mut samples = vec![Vec::new(); counters.len()];
        let mut first = vec![None; counters.len()];
        while !over.load(Ordering::Acquire) {
            for (arm, file) in counters.iter_mut().enumerate() {
                let frames = received_frames(file)?;
                let first = *first[arm].get_or_insert(frames);
                samples[arm].push((monotonic_ns() - started, frames - first));
            }
            std::thread::sleep(SAMPLE_INTERVAL);
        }
        let (slots, idle_ns, from_thread) =
            sending.join().map_err(|_| anyhow::anyhow!("the sender's thread panicked"))?.context("AF_PACKET sender")?;
        Ok((slots, idle_ns, from_thread, samples))
    })?;
    for slot in &slots {
        report.arms[usize::from(slot.arm)].sent += u64::from(slot.sent);
    }
    for (count, samples) in report.arms.iter_mut().zip(samples) {
        count.samples = samples;
    }
    report.slots = slots;
    report.idle_ns = idle_ns;
    Ok((report, from_thread))
}

/// Returns the time spent waiting for departures that were not yet due.
fn send_all(
    blast: &Blast,
    part: &Part,
    sockets: &[PacketSocket],
    rings: &mut [FrameRing],
    slots: &mut Vec<Slot>,
) -> io::Result<u64> {
    let (batch, interval_ns) = match blast.traffic.load {
        Load::Max => (BATCH as usize, 0),
        Load::Pps(pps) => (1, 1_000_000_000 / pps),
    };
    let mut now = monotonic_ns();
    let mut due = now;
    let mut idle_ns = 0;
    let mut burnt = 1;
    for &(arm, length) in &part.schedule {
        let (socket, ring) = (&sockets[usize::from(arm)], &mut rings[usize::from(arm)]);
        let start_ns = now;
        let mut sent = 0;
        let mut batches = 0;
        let mut guard = None;
        while now - start_ns < u64::from(length) {
            if interval_ns > 0 && now < due {
                let waiting = now;
                now = monotonic_ns();
                idle_ns += now - waiting;
                continue;
            }
            due += interval_ns;
            burnt = burn(burnt, blast.burn[usize::from(arm)] as usize * batch);
            sent += ring.send(socket, batch)? as u32;
            now = monotonic_ns();
            batches += 1;
            if batches == GUARD_BATCHES {
                guard = Some((now, sent));
            }
        }
        let (frames, ns) = guard.map_or((0, 0), |(time, frames)| (sent - frames, now - time));
        slots.push(Slot { arm, start_ns, sent, whole_ns: now - start_ns, frames, ns });
    }
    Ok(idle_ns)
}

/// A chain of multiplications, each of which waits for the one before.
fn burn(start: u64, steps: usize) -> u64 {
    let mut value = start;
    for _ in 0..steps {
        value = std::hint::black_box(value.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
    value
}

/// Frames received by `s0`, from an open `/proc/net/dev` of the receiver's namespace.
fn received_frames(file: &mut File) -> Result<u64> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    text.lines()
        .find_map(|line| line.trim_start().strip_prefix("s0:"))
        .and_then(|columns| columns.split_whitespace().nth(1)?.parse().ok())
        .context("the receiver's interface s0 is not in /proc/net/dev")
}
