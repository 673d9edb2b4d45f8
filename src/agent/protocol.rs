//! Requests and answers: one JSON object per line each way, one answer per request, in order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::experiment::Traffic;
use crate::store::event::Command;
use crate::traffic::probe::ProbeReport;
use crate::traffic::{Blast, BlastReport};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// What this host can do.
    Capabilities,
    /// Run a command, in a namespace of the lab or, with an empty host, beside them.
    Exec {
        host: String,
        argv: Vec<String>,
        stdin: String,
        timeout_s: f64,
    },
    /// End every process that a command left behind.
    EndLeftovers,
    /// Give this host's commands a /sys of their own, and files at these paths that only they see.
    Install {
        host: String,
        files: BTreeMap<String, String>,
    },
    /// Send probe frames through a DUT and look at what arrives.
    Probe {
        traffic: Traffic,
        arm: usize,
    },
    /// Make a stateful firewall see every flow as established.
    Prime {
        traffic: Traffic,
        arm: usize,
    },
    Blast(Blast),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Capabilities(Capabilities),
    Exec(Command),
    Probe(ProbeReport),
    Blast(BlastReport),
    Done,
    /// The request could not be carried out.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// CPUs the agent may use.
    pub cpus: Vec<usize>,
    /// Why live frames do not work here; `None` when they do.
    pub no_bpf: Option<String>,
}
