//! `repr(C)` twins of the structs in `bpf/traffic.bpf.c`: keep both in step.

/// Most DUTs in one blast.
pub const MAX_ARMS: usize = 16;
/// Longest schedule of one blast.
pub const MAX_SLOTS: usize = 16384;
/// A sink interface's index in its namespace is this plus the arm's number.
pub const SINK_IFINDEX: u32 = 100;

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Control {
    pub ifindex: [u32; MAX_ARMS],
    pub headers: [u64; 8],
    pub ip_sum: u32,
    pub udp_sum: u32,
    pub ipv6: u32,
    pub sources: u32,
    pub destinations: u32,
    pub batch: u32,
    pub burn: [u32; MAX_ARMS],
    pub interval_ns: u64,
    pub guard_ns: u64,
    pub sink_cpu: u32,
    pub window: u32,
    pub slot_count: u32,
    pub started: u32,
    pub done: u32,
    pub slot: u32,
    pub in_batch: u32,
    pub batches_in_slot: u32,
    pub source: u32,
    pub destination: u32,
    pub next_ns: u64,
    pub idle_ns: u64,
    pub idle_since: u64,
    pub sent: u64,
    pub sent_to: [u64; MAX_ARMS],
    pub waiting_since: u64,
    pub seen_waiting: u64,
    pub burnt: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct SlotRecord {
    pub start_ns: u64,
    pub ns: u64,
    pub guarded_ns: u64,
    pub sunk_guard: u64,
    pub sunk_after: u64,
    pub frames: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sunk {
    pub ours: u64,
    pub foreign: u64,
}

// SAFETY: `repr(C)` structs of integers without padding that could be read uninitialised: every bit pattern is a
// value, and the sizes are asserted below against the C side's layout.
unsafe impl aya::Pod for Control {}
unsafe impl aya::Pod for SlotRecord {}
unsafe impl aya::Pod for Sunk {}

const _: () = assert!(size_of::<Control>() == 64 + 64 + 6 * 4 + 64 + 16 + 10 * 4 + 7 * 8 + 128);
const _: () = assert!(size_of::<SlotRecord>() == 48);
