//! Programs the embedded lab runs, and the Debian packages they come in.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::agent::client::search_path;
use crate::experiment::SenderKind;

/// A run cannot begin without it.
#[derive(Debug, thiserror::Error)]
#[error("`{name}`, which {purpose}, is not on this machine; try `{fix}`", name = .0.name, purpose = .0.purpose, fix = .0.fix())]
pub struct MissingTool(pub &'static Tool);

/// A program, where it comes from and what it is for.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    pub name: &'static str,
    /// Debian package.
    pub package: &'static str,
    pub purpose: &'static str,
}

pub const UNSHARE: Tool = Tool { name: "unshare", package: "util-linux", purpose: "makes namespaces" };
pub const IP: Tool = Tool { name: "ip", package: "iproute2", purpose: "sets up links, addresses and routes" };
pub const SYSCTL: Tool = Tool { name: "sysctl", package: "procps", purpose: "makes a namespace a router" };
pub const ETHTOOL: Tool =
    Tool { name: "ethtool", package: "ethtool", purpose: "opens a link to live frames, and counts those it drops" };
pub const NFT: Tool = Tool {
    name: "nft",
    package: "nftables",
    purpose: "loads rulesets, and counts at the receiver for the sender af-packet",
};
pub const PERF: Tool = Tool {
    name: "perf",
    package: "linux-perf",
    purpose: "shows where the kernel spends its time; linerate runs without it",
};

/// Those without which no run works with this sender.
pub fn needed(sender: SenderKind) -> [&'static Tool; 4] {
    [&UNSHARE, &IP, &SYSCTL, if sender == SenderKind::XdpLiveFrames { &ETHTOOL } else { &NFT }]
}

impl Tool {
    /// Where it is, if it is here.
    pub fn find(&self) -> Option<PathBuf> {
        let path = search_path();
        let candidates = std::env::split_paths(&path).map(|directory| directory.join(self.name));
        let runs =
            |path: &PathBuf| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
        candidates.into_iter().find(runs)
    }

    pub fn fix(&self) -> String {
        format!("apt-get install {}", self.package)
    }
}
