//! Evidence: the append-only event log of a result directory.
//!
//! The log is the ground truth: all else in the directory can be deleted and rendered again from it.

pub mod event;
pub mod read;
mod time;
pub mod write;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

pub use read::{Torn, read};
pub use write::Writer;

use crate::experiment::Experiment;
use crate::plan::{Plan, Run};
use event::{RunResult, RunVerdict};

/// Name of the log in a result directory.
pub const EVENTS: &str = "events.jsonl";
/// Name of the copy of the experiment file in a result directory: for people; the log is what is read again.
pub const EXPERIMENT: &str = "experiment.toml";

/// A result directory's log, read whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    pub experiment: Experiment,
    pub plan: Plan,
    /// Version of the linerate that declared the experiment.
    pub linerate: String,
    /// Time of the first line: RFC 3339, UTC.
    pub started: String,
    /// Host -> fact -> its text.
    pub facts: BTreeMap<String, BTreeMap<String, String>>,
    /// Every finished attempt, valid or not, in log order.
    pub results: Vec<RunResult>,
    /// The plan was carried out to its end.
    pub complete: bool,
    /// Why the last session stopped early; `None` when it was killed, goes on, or is complete.
    pub stopped: Option<String>,
}

impl Log {
    /// Finished attempts at a run, which is also the number of the next attempt.
    ///
    /// An attempt that was in flight when linerate was killed left no result and is not counted.
    pub fn attempts(&self, run: u32) -> u32 {
        self.results.iter().filter(|result| result.run.id == run).count() as u32
    }

    /// The valid result of a run, if it has one.
    pub fn valid(&self, run: u32) -> Option<&RunResult> {
        self.results.iter().find(|result| result.run.id == run && result.verdict == RunVerdict::Valid)
    }

    /// What is left to do: the runs without a valid result and with attempts left, in plan order.
    ///
    /// A run may be attempted once and then `method.retries` times again.
    pub fn pending(&self) -> Vec<&Run> {
        let mut attempts = BTreeMap::<u32, u32>::new();
        for result in &self.results {
            let used = attempts.entry(result.run.id).or_default();
            *used = if result.verdict == RunVerdict::Valid { u32::MAX } else { used.saturating_add(1) };
        }
        let left = |run: &Run| attempts.get(&run.id).is_none_or(|&used| used <= self.experiment.method.retries);
        self.plan.runs.iter().filter(|run| left(run)).collect()
    }
}

/// Why a result directory cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "`{0}` already holds a log\n  \
         so what  evidence is never overwritten\n  \
         try      `linerate run --resume {0}` to complete it, or `-o` with another directory"
    )]
    Exists(PathBuf),
    #[error(
        "`{0}` is not empty and holds no log\n  \
         so what  a report written there could overwrite files that are not linerate's\n  \
         try      `-o` with a new or empty directory"
    )]
    NotEmpty(PathBuf),
    #[error("`{0}` is not a result directory: it has no {EVENTS}\n  try      the directory that was given to `linerate run -o`")]
    Missing(PathBuf),
    #[error("`{0}` holds no whole event: linerate was killed before it began\n  try      remove the directory and run again")]
    Empty(PathBuf),
    #[error("`{0}` is being written by another linerate\n  try      wait for it, or `-o` with another directory")]
    Locked(PathBuf),
    #[error("`{path}` is format version {found}, this linerate reads version {known}\n  try      the linerate that wrote it, or a newer one",
            known = event::FORMAT)]
    Format { path: PathBuf, found: u32 },
    #[error(
        "{path}:{line}: {why}\n  \
         so what  a log with a damaged line is not evidence; only its last line may be cut short\n  \
         try      a copy of the directory from before the damage"
    )]
    Line { path: PathBuf, line: u64, why: String },
    #[error(
        "no space left for `{path}` ({source})\n  \
         so what  the run in flight is lost; every event before it is kept\n  \
         try      make room, then `linerate run --resume {dir}`",
        dir = path.parent().unwrap_or(Path::new("")).display()
    )]
    Full { path: PathBuf, source: io::Error },
    #[error("cannot {doing} `{path}`: {source}")]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
}

impl StoreError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Io { doing, path: path.to_owned(), source }
    }
}
