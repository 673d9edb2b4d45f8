//! The experiment file and its seed, for every subcommand that starts with one.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

use crate::experiment::{Experiment, SEED_MAX, Source};
use crate::plan::Plan;

#[derive(Debug, clap::Args)]
pub struct FileArgs {
    /// The experiment: a TOML file
    file: PathBuf,
    /// Draw the order from this seed, whatever the file says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=SEED_MAX))]
    seed: Option<u64>,
}

/// What is asked, checked, and the plan to answer it.
pub struct Question {
    pub source: Source,
    /// Its `method.seed` is the one the plan was drawn from.
    pub experiment: Experiment,
    pub plan: Plan,
}

impl FileArgs {
    /// Reads and checks the file. The seed is `--seed`, or the file's, or drawn now: ten digits that are easy to repeat.
    pub fn read(&self) -> anyhow::Result<Question> {
        let source = Source::read(&self.file)?;
        let drawn = RandomState::new().build_hasher().finish() >> 32;
        let mut experiment = source.parse(drawn)?;
        experiment.method.seed = self.seed.unwrap_or(experiment.method.seed);
        let plan = Plan::new(&experiment, experiment.method.seed);
        Ok(Question { source, experiment, plan })
    }
}
