//! The data plane: frames, schedules, senders, receivers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::experiment::{SenderKind, Traffic};

#[cfg(target_os = "linux")]
pub mod af_packet;
/// Addresses, headers, checksums: a flow's frame.
pub mod frame;
#[cfg(target_os = "linux")]
pub mod probe;
/// Which arm is sent to, and for how long.
pub mod schedule;
#[cfg(target_os = "linux")]
pub mod xdp;

/// One blast: frames of one traffic profile, sent to the arms in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blast {
    pub traffic: Traffic,
    pub sender: SenderKind,
    /// The sender's thread stays on this CPU, and inline with it the DUT's work.
    pub cpu: usize,
    /// The DUT's threads on a core of their own; `None`: inline.
    pub dut: Option<DutThreads>,
    /// Number of arms, whose namespaces and interfaces have fixed names.
    pub arms: usize,
    /// The arm without a DUT.
    pub null: Option<usize>,
    /// Per arm, multiplications that each of its frames waits for: a known slow-down.
    pub burn: Vec<u32>,
    #[serde(with = "crate::experiment::seconds")]
    pub warmup: Duration,
    /// Of the part that is measured, all arms together.
    #[serde(with = "crate::experiment::seconds")]
    pub duration: Duration,
    /// Of the schedule.
    pub seed: u64,
}

/// Threads of the kernel that do the DUTs' work on a core of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DutThreads {
    pub cpu: usize,
    pub pids: Vec<u32>,
}

/// A part of a blast with one schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Arm and nanoseconds of each slot, in order.
    pub schedule: Vec<(u8, u32)>,
    /// So long a slot is not counted, beyond its first two batches.
    pub guard: Duration,
}

/// What a blast did. Times are nanoseconds of CLOCK_MONOTONIC.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BlastReport {
    /// One per slot of the measured part.
    pub slots: Vec<Slot>,
    /// One per arm.
    pub arms: Vec<ArmCount>,
    /// Time the sender waited because the intended load was not yet due.
    pub idle_ns: u64,
    /// Time the DUTs' own threads ran; 0 inline.
    pub dut_busy_ns: u64,
    /// Time the sender's thread was ready to run but another thread had its CPU.
    pub run_delay_ns: u64,
    /// Time the hypervisor gave the CPU to somebody else, as the guest is told (10 ms steps).
    pub steal_ns: u64,
}

impl BlastReport {
    /// Adds the frames of the warm-up to the totals, so that the account closes; its slots and times are left out.
    pub fn add_warmup(&mut self, warmup: BlastReport) {
        for (count, before) in self.arms.iter_mut().zip(warmup.arms) {
            count.sent += before.sent;
            count.received = count.received.zip(before.received).map(|(after, before)| after + before);
            count.foreign += before.foreign;
            count.elsewhere += before.elsewhere;
        }
    }
}

/// One slot of the schedule, exactly counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    pub arm: u8,
    pub start_ns: u64,
    /// All frames sent in the slot, and its whole length.
    pub sent: u32,
    pub whole_ns: u64,
    /// Frames and time without the first batches after the switch: frames that arrived, where the receiver can
    /// be read so often, else frames sent. 0 ns when the slot was too short for that.
    pub frames: u32,
    pub ns: u64,
}

/// One arm's frames over the whole blast.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmCount {
    pub sent: u64,
    /// Counted by the receiver's XDP program; `None` where an nft rule counts instead.
    pub received: Option<u64>,
    pub foreign: u64,
    /// Frames that arrived on another CPU than the DUT's.
    pub elsewhere: u64,
    /// Nanoseconds since the blast began, frames at the receiver so far: about every 20 ms.
    pub samples: Vec<(u64, u64)>,
}

/// Names of an arm's namespaces and interfaces. The sender's namespace holds one interface per arm.
pub const SENDER: &str = "sender";

pub fn dut(arm: usize) -> String {
    format!("dut{arm}")
}

pub fn receiver(arm: usize) -> String {
    format!("receiver{arm}")
}

pub fn sender_interface(arm: usize) -> String {
    format!("g{arm}")
}

/// Index of [`sender_interface`] in the sender's namespace.
pub fn sender_ifindex(arm: usize) -> u32 {
    10 + arm as u32
}
