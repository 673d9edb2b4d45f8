//! Evidence: the append-only event log of a result directory.

use std::collections::BTreeMap;

use crate::experiment::Experiment;
use crate::plan::Plan;

pub mod event;

use event::RunResult;

/// A result directory's log, read whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    pub experiment: Experiment,
    pub plan: Plan,
    /// Version of linerate that declared the experiment.
    pub linerate: String,
    /// Time of the first line: RFC 3339, UTC.
    pub started: String,
    /// Host -> fact -> value.
    pub facts: BTreeMap<String, BTreeMap<String, String>>,
    /// Every attempt, in log order; at most one per run is valid.
    pub results: Vec<RunResult>,
    pub complete: bool,
    /// Why it stopped before the plan was complete.
    pub stopped: Option<String>,
}
