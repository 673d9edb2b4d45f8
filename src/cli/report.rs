//! `linerate report`: renders a result directory again, from its log alone.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Exit;
use crate::report::Report;
use crate::store::{self, Log};
use crate::ui::{self, Style};

/// Render a result directory's report again, from its event log
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory that `linerate run -o` wrote
    directory: PathBuf,
    /// `files` writes README.md, index.html and the graphs; `json` and `text` print the same facts
    #[arg(long, value_enum, default_value_t = Format::Files, value_name = "FORMAT", hide_possible_values = true)]
    format: Format,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    Files,
    Json,
    Text,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let (log, torn) = store::read(&args.directory)?;
    if let Some(torn) = torn {
        ui::warning(&torn.to_string());
    }
    let report = Report::new(&log);
    match args.format {
        Format::Json => ui::out(&report.json())?,
        Format::Text => verdicts(&report)?,
        Format::Files => write(&args.directory, &report)?,
    }
    Ok(Exit::Done)
}

/// The report of a finished run: files beside the log, and the verdicts on the terminal.
pub(super) fn publish(directory: &Path, log: &Log) -> anyhow::Result<()> {
    let report = Report::new(log);
    verdicts(&report)?;
    write(directory, &report)
}

fn verdicts(report: &Report) -> anyhow::Result<()> {
    let paint = |verdict: &str| match verdict {
        "improved" | "faster" => ui::paint_out(Style::Good, verdict),
        "regressed" | "slower" => ui::paint_out(Style::Bad, verdict),
        "inconclusive" | "not judged" => ui::paint_out(Style::Doubtful, verdict),
        other => other.to_string(),
    };
    ui::out(&report.terminal(paint))
}

/// Writes the report's files beside the log, each whole or not at all.
fn write(directory: &Path, report: &Report) -> anyhow::Result<()> {
    let files = report.page().files();
    for file in &files {
        let (unfinished, path) = (directory.join(format!(".{}.part", file.name)), directory.join(&file.name));
        let written = fs::write(&unfinished, &file.content).and_then(|()| fs::rename(&unfinished, &path));
        written.with_context(|| {
            let _ = fs::remove_file(&unfinished);
            let again = directory.display();
            format!("cannot write {}; the log is whole, `linerate report {again}` tries again", path.display())
        })?;
    }
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    ui::note(&format!("\nreport in {}: {}", directory.display(), names.join(", ")));
    Ok(())
}
