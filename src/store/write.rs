//! Appending to a result directory's log.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use super::event::{Event, FORMAT};
use super::{EVENTS, EXPERIMENT, Log, StoreError, Torn, read, time};
use crate::experiment::Experiment;
use crate::plan::Plan;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The one writer of a log: holds an exclusive lock on it until dropped, or until the process dies.
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: PathBuf,
    /// Bytes of whole lines in the file: what it is cut back to when a line did not fit.
    length: u64,
}

impl Writer {
    /// A new result directory at `dir`: made if need be, empty otherwise. Declares the experiment and the plan
    /// in the log's first line and keeps a copy of the experiment file's text, `source`.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when there is a log already, [`StoreError::NotEmpty`] when there is anything else.
    pub fn create(dir: &Path, source: &str, experiment: &Experiment, plan: &Plan) -> Result<Writer, StoreError> {
        let path = dir.join(EVENTS);
        if path.exists() {
            return Err(StoreError::Exists(dir.to_owned()));
        }
        fs::create_dir_all(dir).map_err(StoreError::io("create the directory", dir))?;
        if fs::read_dir(dir).map_err(StoreError::io("list", dir))?.next().is_some() {
            return Err(StoreError::NotEmpty(dir.to_owned()));
        }
        let file = OpenOptions::new().append(true).create_new(true).open(&path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => StoreError::Exists(dir.to_owned()), // another linerate was faster
            _ => StoreError::io("create", &path)(error),
        })?;
        lock(&file, &path)?;
        let copy = dir.join(EXPERIMENT);
        fs::write(&copy, source).map_err(|error| write_error(&copy, error))?;
        let mut writer = Writer { file, path, length: 0 };
        let (experiment, plan) = (experiment.clone(), plan.clone());
        writer.append(&Event::Declared { format: FORMAT, linerate: VERSION.into(), experiment, plan })?;
        writer.sync()?;
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(StoreError::io("sync", dir))?;
        Ok(writer)
    }

    /// Goes on with the log in `dir`: what it says so far, and its last line if that was cut short; it is cut off.
    ///
    /// Appends [`Event::Resumed`], unless the log is complete already: then there is nothing to do.
    ///
    /// # Errors
    /// As [`read()`], and [`StoreError::Locked`] while another process writes it.
    pub fn resume(dir: &Path) -> Result<(Writer, Log, Option<Torn>), StoreError> {
        let path = dir.join(EVENTS);
        let file = OpenOptions::new().append(true).open(&path).map_err(|error| read::open_error(dir, error))?;
        lock(&file, &path)?;
        let (log, torn) = read(dir)?;
        let on_disk = file.metadata().map_err(StoreError::io("look at", &path))?.len();
        let length = torn.as_ref().map_or(on_disk, |torn| torn.offset);
        file.set_len(length).map_err(StoreError::io("cut the torn line off", &path))?;
        let mut writer = Writer { file, path, length };
        if !log.complete {
            writer.append(&Event::Resumed { linerate: VERSION.into() })?;
            writer.sync()?;
        }
        Ok((writer, log, torn))
    }

    /// Appends one event, stamped with the time now: one line, one `write(2)`.
    ///
    /// # Errors
    /// [`StoreError::Full`] when it does not fit. The file then ends with the event before, whole.
    pub fn append(&mut self, event: &Event) -> Result<(), StoreError> {
        let line = Stamped { time: time::rfc3339(SystemTime::now()), event };
        let mut bytes = serde_json::to_vec(&line).expect("events are plain data with text keys");
        bytes.push(b'\n');
        if let Err(error) = self.file.write_all(&bytes) {
            // A failure to cut is not reported over the reason for it: readers drop a torn last line anyway.
            let _ = self.file.set_len(self.length);
            return Err(write_error(&self.path, error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Waits until everything appended is on the disk (`fdatasync`). Called at run boundaries.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(|error| write_error(&self.path, error))
    }
}

/// [`super::event::Line`], borrowed.
#[derive(Serialize)]
struct Stamped<'a> {
    time: String,
    #[serde(flatten)]
    event: &'a Event,
}

fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::Locked(path.to_owned()),
        TryLockError::Error(error) => StoreError::io("lock", path)(error),
    })
}

fn write_error(path: &Path, source: io::Error) -> StoreError {
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => StoreError::Full { path: path.to_owned(), source },
        _ => StoreError::io("write", path)(source),
    }
}
