//! The data plane: frames, schedules, senders, receivers.

use serde::{Deserialize, Serialize};

use crate::experiment::Traffic;

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

/// How frames are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SenderKind {
    /// XDP frames made by an eBPF program inside BPF_PROG_TEST_RUN; needs root and Linux 5.18.
    XdpLiveFrames,
    /// sendmmsg(2) on AF_PACKET sockets; works in an unprivileged user namespace.
    AfPacket,
}

impl SenderKind {
    pub fn name(self) -> &'static str {
        match self {
            SenderKind::XdpLiveFrames => "xdp-live-frames",
            SenderKind::AfPacket => "af-packet",
        }
    }
}

/// One blast: frames of one traffic profile, sent to the arms in turn as the schedule says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blast {
    pub traffic: Traffic,
    pub sender: SenderKind,
    /// The sender's thread, and with it the DUT's work, stays on this CPU.
    pub cpu: usize,
    /// Number of DUTs; the arms' namespaces and interfaces have fixed names.
    pub arms: usize,
    /// Arm and nanoseconds of each slot, in order.
    pub schedule: Vec<(u8, u32)>,
}

/// What a blast did. Times are nanoseconds of CLOCK_MONOTONIC.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BlastReport {
    /// One per slot of the schedule that was completed.
    pub slots: Vec<Slot>,
    /// One per arm.
    pub arms: Vec<ArmCount>,
    /// Time the sender waited because the intended load was not yet due.
    pub idle_ns: u64,
    /// Time the sender's thread was ready to run but another thread had its CPU.
    pub run_delay_ns: u64,
    /// Time the hypervisor gave the CPU to somebody else, as the guest is told (10 ms steps).
    pub steal_ns: u64,
}

/// One slot of the schedule, exactly counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    pub arm: u8,
    pub start_ns: u64,
    /// All frames sent in the slot.
    pub sent: u32,
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
    /// Frames that arrived on another CPU than the sender's: the DUT did not run inline.
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
