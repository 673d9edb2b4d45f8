//! `linerate run`: plan, run on the lab, judge, report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::question::{FileArgs, Question};
use super::{Exit, report};
use crate::lab::facts;
use crate::runner::{self, Ended};
use crate::store::event::{Event, RunResult, RunVerdict};
use crate::store::{self, Log, Writer};
use crate::sys::signal;
use crate::ui::{self, Progress, Style};
use crate::units::show_pps;

/// Run an experiment, judge it and leave a report
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    question: Option<FileArgs>,
    /// Result directory, made if it is missing [default: results/ and the experiment file's name, numbered]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Go on where the run that left this result directory stopped
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "seed", "output"])]
    resume: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let (directory, mut writer, log) = match (args.question, args.resume) {
        (Some(question), None) => begin(&question.read()?, args.output)?,
        (None, Some(directory)) => {
            let (writer, log, torn) = Writer::resume(&directory)?;
            if let Some(torn) = torn {
                ui::warning(&torn.to_string());
            }
            (directory, writer, log)
        }
        _ => bail!("`linerate run` needs an experiment file, or `--resume` and a result directory"),
    };
    if !log.complete {
        signal::catch();
        let facts = facts::gather();
        same_machine(&log, &facts)?;
        writer.append(&Event::Facts { host: "lab".into(), facts })?;
        if carry_out(&mut writer, &log)? == Ended::Interrupted {
            let again = directory.display();
            ui::warning(&format!("interrupted; every finished run is kept, `linerate run --resume {again}` goes on"));
            return Ok(Exit::Interrupted);
        }
    }
    drop(writer);
    let (log, _) = store::read(&directory)?;
    report::publish(&directory, &log)?;
    let incomplete = log.plan.runs.iter().filter(|run| log.valid(run.id).is_none()).count();
    if incomplete > 0 {
        ui::warning(&format!("{incomplete} of {} runs never became valid; the report lists them with their causes", log.plan.runs.len()));
        return Ok(Exit::TooFewValid);
    }
    Ok(Exit::Done)
}

fn begin(question: &Question, output: Option<PathBuf>) -> anyhow::Result<(PathBuf, Writer, Log)> {
    let directory = match output {
        Some(directory) => directory,
        None => free_directory(&question.source.path)?,
    };
    let writer = Writer::create(&directory, &question.source.text, &question.experiment, &question.plan)?;
    let (log, _) = store::read(&directory)?;
    Ok((directory, writer, log))
}

/// Half an experiment on one kernel and half on another would be one interval over both.
fn same_machine(log: &Log, now: &BTreeMap<String, String>) -> anyhow::Result<()> {
    let Some(before) = log.facts.get("lab") else { return Ok(()) };
    for fact in ["kernel", "kernel build", "cpu", "architecture"] {
        if let (Some(before), Some(now)) = (before.get(fact), now.get(fact))
            && before != now
        {
            bail!(
                "this is not the machine the runs were begun on: its {fact} is `{now}`, not `{before}`\n  \
                 so what  one interval would hold both\n  \
                 try      go on where they were begun, or run the experiment anew"
            );
        }
    }
    Ok(())
}

/// `results/NAME-1`, or the first number that is free.
pub(super) fn free_directory(experiment: &Path) -> anyhow::Result<PathBuf> {
    let name = experiment.file_stem().context("the experiment file has no name")?.to_string_lossy();
    (1..10_000)
        .map(|number| PathBuf::from(format!("results/{name}-{number}")))
        .find(|directory| !directory.exists())
        .context("results/ is full; choose a directory with `-o`")
}

pub(super) fn carry_out(writer: &mut Writer, log: &Log) -> anyhow::Result<Ended> {
    let pending = log.pending().len() as u64;
    let total = log.plan.runs.len() as u64;
    let progress = Progress::new(pending, log.plan.estimate(&log.experiment) * pending as u32 / total.max(1) as u32);
    let outcome = runner::execute(writer, log, &mut |moment| match moment {
        runner::Moment::FellBack(why) => {
            let first = why.lines().next().unwrap_or_default();
            ui::warning(&format!("the slower sender af-packet is used: live frames do not work here ({first})"));
        }
        runner::Moment::Begins(run) => progress.begin(&format!("{} {} {}", run.config, run.traffic, run.arms.join(" | "))),
        runner::Moment::Ended { result, last } => progress.end(&line(result), last),
    });
    drop(progress);
    outcome
}

/// A finished attempt in one line.
fn line(result: &RunResult) -> String {
    let run = &result.run;
    let what = format!("{:>4}  {:16} {:8}", run.id + 1, run.config, run.traffic);
    match &result.verdict {
        RunVerdict::Valid => {
            let arms: Vec<String> = result
                .arms
                .iter()
                .map(|arm| format!("{} {}", arm.variant, arm.forwarding_rate_pps().map_or("-".into(), show_pps)))
                .collect();
            format!("{what} {}", arms.join("  "))
        }
        RunVerdict::Invalid { cause, detail } => {
            let cause = ui::paint_err(Style::Bad, &format!("invalid: {cause}"));
            format!("{what} {}  {cause}: {detail}", run.arms.join(" "))
        }
    }
}
