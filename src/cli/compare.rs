//! `linerate compare`: verdicts on files of plain numbers.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::Exit;
use crate::compare::{Comparison, Gate, Series, Settings};
use crate::stats::ministat;
use crate::ui;

/// Judge files of numbers, one rate per line: is the second faster or slower than the first, and how sure is that?
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Two files or more; the first is the baseline; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file that the others are held against, if it is not the first
    #[arg(long, value_name = "FILE")]
    baseline: Option<String>,
    /// Effects smaller than this do not matter
    #[arg(long, default_value = "1 %", value_parser = percent, value_name = "PERCENT")]
    margin: f64,
    /// Of every interval
    #[arg(long, default_value = "95 %", value_parser = confidence, value_name = "PERCENT")]
    confidence: f64,
    /// `text`, `markdown`, `json`, `csv`, `benchfmt` (for Go's benchstat) or `junit`
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    format: Format,
    /// Be a check: exit with 0 when no regression beyond the margin is possible, 1 when there is one, 2 when that cannot be
    /// judged, 3 when it is open
    #[arg(long)]
    gate: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    Text,
    Markdown,
    Json,
    Csv,
    Benchfmt,
    Junit,
}

pub fn run(args: Args) -> anyhow::Result<Exit> {
    let series = args.files.iter().map(|file| read(file)).collect::<anyhow::Result<Vec<Series>>>()?;
    let (margin, confidence, baseline) = (args.margin, args.confidence, args.baseline);
    let comparison = Comparison::of(series, Settings { margin, confidence, baseline, ..Settings::default() })?;
    ui::out(&match args.format {
        Format::Text => comparison.text(),
        Format::Markdown => comparison.markdown(),
        Format::Json => comparison.json(),
        Format::Csv => comparison.csv(),
        Format::Benchfmt => comparison.benchfmt(),
        Format::Junit => comparison.junit(),
    })?;
    Ok(if args.gate { exit(comparison.gate()) } else { Exit::Done })
}

fn exit(gate: Gate) -> Exit {
    match gate {
        Gate::Pass => Exit::Done,
        Gate::Regression => Exit::Regressed,
        Gate::Infrastructure => Exit::Error,
        Gate::Inconclusive => Exit::Inconclusive,
    }
}

/// A file of numbers, by ministat's rules: the first word of each line, `#` begins a comment.
fn read(path: &Path) -> anyhow::Result<Series> {
    let name = path.display().to_string();
    let text = if path == Path::new("-") {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text).context("cannot read standard input")?;
        text
    } else if path.is_dir() {
        bail!(
            "{name} is a directory, not a file of numbers\n  try      `linerate report {name}`, if linerate wrote it"
        );
    } else {
        fs::read(path).with_context(|| format!("cannot read {name}"))?
    };
    match ministat::parse(&text, 1, b" \t") {
        Ok(values) => Ok(Series::plain(name, values)),
        Err(bad) => bail!(
            "{name}, line {}: the first word is no number\n  try      `#` in front of lines that are none",
            bad.line
        ),
    }
}

/// A share out of "1 %", "0.5%" or "2".
fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text
        .trim()
        .trim_end_matches('%')
        .trim_end()
        .parse()
        .map_err(|_| "write a percentage such as `0.5 %`".to_string())?;
    if number > 0.0 && number < 100.0 { Ok(number / 100.0) } else { Err("it must lie between 0 and 100 %".to_string()) }
}

fn confidence(text: &str) -> Result<f64, String> {
    percent(text)
        .and_then(|share| if share > 0.5 { Ok(share) } else { Err("it must lie between 50 and 100 %".to_string()) })
}
