//! Experiment + seed -> Plan: what runs, in which order, how long it takes. Pure: no clock, no lab, no root.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::experiment::{CONTROL, Compare, Experiment, Layout, NULL};
use crate::random::Random;

/// What each arm of a run takes beyond the warm-up and the blast: set-up, probes, counters, teardown. Measured on
/// two slow cores: 0.22 s for one arm, 0.36 s for three, 0.47 s for four.
pub const ARM_OVERHEAD: Duration = Duration::from_millis(120);

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
    /// Variants, in the order in which their DUTs are set up; in a duet also [`CONTROL`] and [`NULL`].
    pub arms: Vec<String>,
    /// Seed of everything random inside the run: at most 53 bits.
    pub seed: u64,
}

impl Plan {
    /// Randomised complete blocks: every block holds each cell once, in an order drawn from `seed`.
    ///
    /// The same experiment and seed give the same plan, always. A plan with more iterations begins with the plan
    /// with fewer.
    ///
    /// # Source
    /// Fisher, *The arrangement of field experiments* (1926): what drifts between blocks cancels inside them.
    pub fn new(experiment: &Experiment, seed: u64) -> Plan {
        let mut random = Random::new(seed);
        let mut runs = Vec::new();
        for block in 0..experiment.method.iterations {
            let mut cells = cells(experiment);
            random.shuffle(&mut cells);
            for (config, traffic, mut arms) in cells {
                random.shuffle(&mut arms);
                runs.push(Run { id: runs.len() as u32, block, config, traffic, arms, seed: random.seed() });
            }
        }
        Plan { runs }
    }

    /// How long the whole plan takes when no run has to be repeated.
    pub fn estimate(&self, experiment: &Experiment) -> Duration {
        let run = |run: &Run| experiment.method.warmup + experiment.method.duration + ARM_OVERHEAD * run.arms.len() as u32;
        self.runs.iter().map(run).sum()
    }
}

/// What a block holds once, in the order of the file: config, traffic, and the variants that share a run.
fn cells(experiment: &Experiment) -> Vec<(String, String, Vec<String>)> {
    let variants = || experiment.variants.iter().map(|variant| variant.name.clone());
    let arms: Vec<Vec<String>> = match experiment.method.compare {
        // On a core of its own the DUT's time is its own: there is nothing to subtract.
        Compare::Duet if experiment.method.layout == Layout::TwoCore => vec![variants().chain([CONTROL.into()]).collect()],
        Compare::Duet => vec![variants().chain([CONTROL.into(), NULL.into()]).collect()],
        Compare::Blocks => variants().map(|variant| vec![variant]).collect(),
    };
    let mut cells = Vec::new();
    for config in &experiment.configs {
        for traffic in &experiment.traffic {
            for arms in &arms {
                cells.push((config.name.clone(), traffic.name.clone(), arms.clone()));
            }
        }
    }
    cells
}
