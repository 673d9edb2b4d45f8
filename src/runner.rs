//! Plan x lab -> events: carries a plan out, run by run, and keeps the log.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::agent::client::Interrupted;
use crate::lab::netns::NetnsLab;
use crate::experiment::SenderKind;
use crate::plan::Run;
use crate::store::event::{Cause, Event, RunResult, RunVerdict};
use crate::store::{Log, StoreError, Writer};
use crate::sys::signal;

/// How carrying out the plan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Complete,
    /// By the user; `linerate run --resume` goes on.
    Interrupted,
}

/// What the person watching is told.
pub enum Moment<'a> {
    /// The slower sender is used, though nobody asked for it, and why.
    FellBack(&'a str),
    Begins(&'a Run),
    /// An attempt is over; `last`: the run will not be tried again.
    Ended { result: &'a RunResult, last: bool },
}

/// Carries out what `log` leaves to do. `watch` sees every attempt begin and end.
///
/// An invalid run is repeated at once, up to `method.retries` times: later it would belong to another block.
///
/// # Errors
/// When the log cannot be written, or the lab does not start (again). The log then says why it stopped.
pub fn execute(writer: &mut Writer, log: &Log, watch: &mut dyn FnMut(Moment)) -> Result<Ended> {
    let outcome = match carry_out(writer, log, watch) {
        Err(error) if error.is::<Interrupted>() => Ok(Ended::Interrupted),
        outcome => outcome,
    };
    let last = match &outcome {
        Ok(Ended::Complete) => Event::Complete,
        Ok(Ended::Interrupted) => Event::Stopped { reason: "interrupted".into() },
        Err(error) => Event::Stopped { reason: format!("{error:#}") },
    };
    // A log that cannot be written is already the error that is reported.
    if writer.append(&last).and_then(|()| writer.sync()).is_err() && outcome.is_ok() {
        anyhow::bail!("cannot write the last event of the log; every run is in it");
    }
    outcome
}

fn carry_out(writer: &mut Writer, log: &Log, watch: &mut dyn FnMut(Moment)) -> Result<Ended> {
    let mut lab = None;
    for run in log.pending() {
        for attempt in log.attempts(run.id)..=log.experiment.method.retries {
            if signal::stop_requested() {
                return Ok(Ended::Interrupted);
            }
            watch(Moment::Begins(run));
            writer.append(&Event::RunStarted { run: run.id, attempt })?;
            let here = match &mut lab {
                Some(lab) => lab,
                none => {
                    // One experiment, one sender: rates of two do not compare.
                    let asked = log.experiment.method.sender.or_else(|| sender_so_far(log));
                    let here = none.insert(NetnsLab::start(asked)?);
                    if let (None, Some(why)) = (asked, here.no_live_frames()) {
                        watch(Moment::FellBack(why));
                    }
                    writer.append(&live_frames(here))?;
                    here
                }
            };
            let record = &mut |event| Ok(writer.append(&event)?);
            let result = match here.run(&log.experiment, run, attempt, record) {
                Ok(result) => result,
                Err(error) if error.is::<Interrupted>() || error.is::<StoreError>() => return Err(error),
                Err(error) => {
                    // The lab is gone; the next attempt gets a new one.
                    lab = None;
                    failed(run, attempt, &error)
                }
            };
            writer.append(&Event::RunFinished(result.clone()))?;
            writer.sync()?;
            let valid = result.verdict == RunVerdict::Valid;
            watch(Moment::Ended { result: &result, last: valid || attempt == log.experiment.method.retries });
            if valid {
                break;
            }
        }
    }
    Ok(Ended::Complete)
}

/// The sender of the runs before, when this session goes on with them.
fn sender_so_far(log: &Log) -> Option<SenderKind> {
    let first = log.results.iter().find(|result| !result.arms.is_empty())?;
    [SenderKind::XdpLiveFrames, SenderKind::AfPacket].into_iter().find(|sender| sender.name() == first.sender)
}

/// Whether the faster sender works here, or why not.
fn live_frames(lab: &NetnsLab) -> Event {
    let fact = lab.no_live_frames().map_or("work".into(), |why| format!("do not work: {why}"));
    Event::Facts { host: "lab".into(), facts: BTreeMap::from([("live frames".into(), fact)]) }
}

/// The result of a run whose lab broke down.
fn failed(run: &Run, attempt: u32, error: &anyhow::Error) -> RunResult {
    RunResult {
        run: run.clone(),
        attempt,
        verdict: RunVerdict::Invalid { cause: Cause::LabFailed, detail: format!("{error:#}") },
        sender: String::new(),
        warnings: Vec::new(),
        wall_s: 0.0,
        blast_s: 0.0,
        dut_busy: None,
        arms: Vec::new(),
        slots: Vec::new(),
    }
}
