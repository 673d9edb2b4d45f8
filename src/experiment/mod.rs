//! The question: a TOML file, read and checked whole before anything is touched.

mod change;
mod keys;
mod parse;
mod problem;
mod source;
mod table;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use keys::KEYS;
pub use parse::SEED_MAX;
pub use problem::{Place, Problem, Problems};
pub use source::{FILE_SIZE_MAX, Source};

use crate::units::Load;

/// One experiment: what is compared (variants), under which configs and traffic, where (lab) and how (method).
///
/// Built by [`Source::parse`], which has checked it: names are unique and not empty, every list has an element,
/// every file named exists and lies in [`Change::files`] and [`Change::nft`] with its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    pub title: String,
    /// Free text for the report: what was asked and why.
    #[serde(default)]
    pub question: String,
    pub lab: Lab,
    pub method: Method,
    pub traffic: Vec<Traffic>,
    pub configs: Vec<Config>,
    /// The first is the baseline.
    pub variants: Vec<Variant>,
}

impl Experiment {
    /// The traffic profile of that name, which a plan made from this experiment always has.
    pub fn traffic(&self, name: &str) -> &Traffic {
        self.traffic.iter().find(|traffic| traffic.name == name).expect("the plan names traffic of its experiment")
    }

    /// As [`Experiment::traffic`].
    pub fn config(&self, name: &str) -> &Config {
        self.configs.iter().find(|config| config.name == name).expect("the plan names configs of its experiment")
    }

    /// The variant that an arm of a run stands for; the control stands for the baseline.
    pub fn variant(&self, arm: &str) -> &Variant {
        self.variants.iter().find(|variant| variant.name == arm).unwrap_or(&self.variants[0])
    }
}

/// Where the runs happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lab {
    /// Network namespaces on this machine.
    Netns,
}

/// A traffic profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    pub name: String,
    pub family: Family,
    /// Bytes with the 4-byte FCS, as RFC 2544 counts.
    pub frame_size: u16,
    /// Flows are sources x destinations, UDP port 2000 to 2001.
    pub sources: u16,
    pub destinations: u16,
    pub load: Load,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    Inet4,
    Inet6,
}

impl Family {
    /// The smallest UDP frame with FCS: 64 bytes over IPv4; 14 + 40 + 8 + 4 = 66 over IPv6.
    pub fn smallest_frame(self) -> u16 {
        match self {
            Family::Inet4 => 64,
            Family::Inet6 => 66,
        }
    }
}

/// A configuration set the DUT runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    pub name: String,
    pub change: Change,
}

/// What is judged; the first one is the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    pub name: String,
    pub change: Change,
}

/// How a config or a variant differs from a bare DUT. Applied in this order: files, sysctls, nft, commands;
/// the config first, then the variant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctl: BTreeMap<String, String>,
    /// A ruleset for `nft -f`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nft: Option<TextFile>,
    /// Commands run on the DUT, each an argument list; no shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Vec<String>>,
    /// Target path on the DUT -> the file to put there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, TextFile>,
    /// Multiplications that each frame waits for in front of the DUT: a known slow-down, to try the method out. Variants
    /// only.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub burn: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Change {
    pub fn is_empty(&self) -> bool {
        *self == Change::default()
    }
}

/// A file named by the experiment: where it came from (as written) and what was in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextFile {
    pub path: String,
    pub content: String,
}

/// The arm of a duet that is the baseline once more: it should differ from the baseline by nothing.
pub const CONTROL: &str = "control";

/// The arm of a duet that has no DUT: its frames go from the sender to the receiver.
pub const NULL: &str = "null";

/// How variants are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compare {
    /// All variants' DUTs side by side in one blast, which changes over between them every half millisecond.
    Duet,
    /// One DUT at a time, in randomised complete blocks.
    Blocks,
}

/// Where sender and DUT run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// On one core, run to completion: each batch is forwarded before the next is made. Nothing waits, nothing is lost.
    Inline,
    /// The DUT's threaded NAPI on a core of its own, fed through a bounded window of frames in flight: a real queue.
    TwoCore,
}

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

/// How to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Method {
    pub compare: Compare,
    pub layout: Layout,
    /// Which sender to use; `None`: the best that works.
    pub sender: Option<SenderKind>,
    /// Number of blocks: each holds one iteration of every cell.
    pub iterations: u32,
    /// Order and schedules follow from it; recorded.
    pub seed: u64,
    #[serde(rename = "warmup_s", with = "seconds")]
    pub warmup: Duration,
    /// Length of the blast that is measured; the arms of a duet share it.
    #[serde(rename = "duration_s", with = "seconds")]
    pub duration: Duration,
    /// How often an invalid run is tried again.
    pub retries: u32,
    /// Effects smaller than this ratio do not matter: 0.01 for 1 %.
    pub margin: f64,
}

/// Durations in the log are seconds as a number.
pub(crate) mod seconds {
    use super::*;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(duration.as_secs_f64())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)
    }
}
