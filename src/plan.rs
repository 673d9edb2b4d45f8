//! Experiment + seed -> Plan: what runs, in which order, how long it takes. Pure: no clock, no lab, no root.

use serde::{Deserialize, Serialize};

use crate::experiment::Experiment;

/// Everything that will run, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub runs: Vec<Run>,
}

/// One blast: a config and a traffic profile, and the variants whose DUTs stand side by side in it.
///
/// In blocks each run has one arm. In a duet all variants are arms of one run and share its seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Position in the plan, from 0; names the run in the log.
    pub id: u32,
    /// Which iteration, from 0: a block holds one iteration of every cell.
    pub block: u32,
    pub config: String,
    pub traffic: String,
    /// Variants, in the order in which their DUTs are set up.
    pub arms: Vec<String>,
    /// Seed of everything random inside the run.
    pub seed: u64,
}

impl Plan {
    /// Randomised complete blocks: every block holds each cell once, in an order drawn from `seed`.
    pub fn new(_experiment: &Experiment, _seed: u64) -> Plan {
        todo!()
    }
}
