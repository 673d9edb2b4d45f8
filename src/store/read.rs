//! Reading a result directory's log back.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;

use serde::Deserialize;

use super::event::{Event, FORMAT, Line};
use super::{EVENTS, Log, StoreError};

/// The last line, cut short when linerate or the machine died while it was written. It is not part of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Its number, from 1.
    pub line: u64,
    /// Where it begins, and how long it is, in bytes.
    pub offset: u64,
    pub length: u64,
}

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{EVENTS}:{}: the last line was cut short and is left out ({} bytes)", self.line, self.length)
    }
}

/// Reads the whole log of the result directory `dir`, and says so when its last line is torn.
///
/// Fields this version does not know are passed over. Commands are checked for being JSON and passed over.
///
/// # Errors
/// [`StoreError::Missing`] and [`StoreError::Empty`] when there is nothing to read, [`StoreError::Format`] for
/// a log of the future, [`StoreError::Line`] for any damaged line that is not a torn last one.
pub fn read(dir: &Path) -> Result<(Log, Option<Torn>), StoreError> {
    let path = dir.join(EVENTS);
    let file = File::open(&path).map_err(|error| open_error(dir, error))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut log = None;
    let mut line = Vec::new();
    let mut offset = 0;
    for number in 1.. {
        line.clear();
        let length = reader.read_until(b'\n', &mut line).map_err(StoreError::io("read", &path))? as u64;
        if length == 0 || line.last() != Some(&b'\n') {
            let torn = (length > 0).then_some(Torn { line: number, offset, length });
            return log.map(|log| (log, torn)).ok_or(StoreError::Empty(path));
        }
        offset += length;
        take(&line, &mut log).map_err(|bad| match bad {
            Bad::Future(found) => StoreError::Format { path: path.clone(), found },
            Bad::Line(why) => StoreError::Line { path: path.clone(), line: number, why },
        })?;
    }
    unreachable!("a file has fewer lines than u64::MAX")
}

/// Why a log could not be opened.
pub(super) fn open_error(dir: &Path, error: io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => StoreError::Missing(dir.to_owned()),
        _ => StoreError::io("open", &dir.join(EVENTS))(error),
    }
}

/// As much of a line as tells what to do with it.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    event: Cow<'a, str>,
    format: Option<u32>,
}

enum Bad {
    Future(u32),
    Line(String),
}

impl From<serde_json::Error> for Bad {
    fn from(error: serde_json::Error) -> Bad {
        let text = error.to_string();
        // serde_json counts lines inside the one line it was given.
        let why = text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why);
        Bad::Line(format!("not an event of format {FORMAT}: {why}"))
    }
}

/// Adds a line to the log; the first line makes it.
fn take(bytes: &[u8], log: &mut Option<Log>) -> Result<(), Bad> {
    let head: Head = serde_json::from_slice(bytes)?;
    match head.format {
        Some(format) if log.is_none() && format != FORMAT => return Err(Bad::Future(format)),
        _ if head.event == "command" && log.is_some() => return Ok(()),
        _ => {}
    }
    let Line { time, event } = serde_json::from_slice(bytes)?;
    let Some(log) = log else {
        *log = Some(declared(time, event)?);
        return Ok(());
    };
    match event {
        Event::Declared { .. } => return Err(Bad::Line("the experiment is declared a second time".into())),
        Event::Facts { host, facts } => log.facts.entry(host).or_default().extend(facts),
        Event::RunFinished(result) => {
            if log.plan.runs.get(result.run.id as usize) != Some(&result.run) {
                return Err(Bad::Line(format!("run {} is not the one of that number in the plan", result.run.id)));
            }
            log.results.push(result);
        }
        Event::Resumed { .. } => log.stopped = None,
        Event::Stopped { reason } => log.stopped = Some(reason),
        Event::Complete => log.complete = true,
        Event::RunStarted { .. } | Event::Command(_) => {}
    }
    Ok(())
}

/// The log as its first line makes it.
fn declared(started: String, event: Event) -> Result<Log, Bad> {
    let Event::Declared { linerate, experiment, plan, .. } = event else {
        return Err(Bad::Line("the first event must declare the experiment".into()));
    };
    if plan.runs.iter().enumerate().any(|(position, run)| run.id as usize != position) {
        return Err(Bad::Line("the runs of the plan are not numbered 0, 1, 2, ..".into()));
    }
    let (facts, results) = (BTreeMap::new(), Vec::new());
    Ok(Log { experiment, plan, linerate, started, facts, results, complete: false, stopped: None })
}
