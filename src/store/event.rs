//! The event log's wire format, version 1: one JSON object per line, described in FORMAT.md.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::experiment::Experiment;
use crate::plan::{Plan, Run};

/// Version of the format, in the first line of every log.
pub const FORMAT: u32 = 1;

/// A line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// When it was written: RFC 3339, UTC, milliseconds.
    pub time: String,
    #[serde(flatten)]
    pub event: Event,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)]
pub enum Event {
    /// Always first: the question, the declared method and the plan, before any run.
    Declared { format: u32, linerate: String, experiment: Experiment, plan: Plan },
    /// What the machine is: `kernel`, `cpu`, `mitigations`, .. as text.
    Facts { host: String, facts: BTreeMap<String, String> },
    /// An attempt at a run begins. Without its `RunFinished` it was in flight when linerate was killed, and does not count.
    RunStarted {
        #[serde(rename = "id")]
        run: u32,
        attempt: u32,
    },
    /// A command run on a host of the lab: the log is a notebook a person can replay by hand.
    Command(Command),
    /// A run ended, valid or not.
    RunFinished(RunResult),
    /// `--resume` went on here.
    Resumed { linerate: String },
    /// Stopped before the plan was complete: a signal, or an error that ended it.
    Stopped { reason: String },
    /// The plan is complete.
    Complete,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    pub host: String,
    pub argv: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stdin: String,
    /// Exit status; 128 + signal number when a signal ended it, 124 at its deadline, 127 when it did not start.
    pub exit: i32,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub ms: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stdout: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// What one attempt at a run gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    #[serde(flatten)]
    pub run: Run,
    /// Which attempt at this run, from 0.
    pub attempt: u32,
    #[serde(flatten)]
    pub verdict: RunVerdict,
    /// How the frames were made: `xdp-live-frames`, `af-packet`.
    pub sender: String,
    /// What disturbed a valid run without making it wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whole run with set-up and teardown, and the measured part of its blast, in seconds.
    pub wall_s: f64,
    pub blast_s: f64,
    /// Share of the blast for which the DUTs' own threads ran; only where the DUT has a core of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dut_busy: Option<f64>,
    /// One per entry of `run.arms`, in that order; empty when the run ended before its blast.
    #[serde(rename = "measured")]
    pub arms: Vec<ArmResult>,
    /// Slots of the measured part: microseconds since the blast began, arm, frames, nanoseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<(u64, u8, u32, u64)>,
}

/// A run's own verdict. An invalid run is kept and shown, and never averaged in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum RunVerdict {
    Valid,
    Invalid { cause: Cause, detail: String },
}

/// Why a run cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The DUT took all that was offered: the rate would be the sender's.
    SenderLimited,
    /// No frame arrived at the receiver.
    NothingReceived,
    /// sent != received + drops at named places.
    FramesUnaccounted,
    /// The receiver saw frames that are not ours.
    ForeignFrames,
    /// Somebody else ran on the DUT's CPU, or the hypervisor took it away.
    CpuShared,
    /// The DUT does not forward as declared: probes lost or changed wrongly, a sysctl not as set, a command failed.
    WrongDutState,
    /// The lab itself broke: a tool failed, an agent died, a deadline passed.
    LabFailed,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Cause::SenderLimited => "sender-limited",
            Cause::NothingReceived => "nothing-received",
            Cause::FramesUnaccounted => "frames-unaccounted",
            Cause::ForeignFrames => "foreign-frames",
            Cause::CpuShared => "cpu-shared",
            Cause::WrongDutState => "wrong-dut-state",
            Cause::LabFailed => "lab-failed",
        })
    }
}

/// One arm of a run: one variant's DUT and what went through it. Frames are counted exactly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    pub variant: String,
    /// Frames handed to the DUT's link in the whole blast, warm-up included.
    pub sent: u64,
    /// Our frames at the receiver in the whole blast.
    pub received: u64,
    /// Frames at the receiver that are not ours.
    pub foreign: u64,
    /// Frames lost at a place that counted them: place -> frames.
    pub drops: BTreeMap<String, u64>,
    /// Frames that arrived in the measured part of the blast, after warm-up, and its length in nanoseconds.
    pub forwarded: u64,
    pub elapsed_ns: u64,
    /// Samples at the receiver: nanoseconds since the blast began, our frames since then.
    pub samples: Vec<(u64, u64)>,
}

impl ArmResult {
    /// Forwarding rate, frames per second: forwarded / elapsed. `None` when no time passed.
    pub fn forwarding_rate_pps(&self) -> Option<f64> {
        (self.elapsed_ns > 0).then(|| self.forwarded as f64 / (self.elapsed_ns as f64 * 1e-9))
    }

    /// Frames that neither arrived nor were counted where they were lost; negative when too many arrived.
    pub fn unaccounted(&self) -> i64 {
        self.sent as i64 - self.received as i64 - self.drops.values().sum::<u64>() as i64
    }
}
