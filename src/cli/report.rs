//! `linerate report`: renders a result directory again, from its log alone.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Exit;
use crate::report::{self, Rendered};
use crate::store::{self, Log};
use crate::ui;

/// Render a result directory's report again, from its event log
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory that `linerate run -o` wrote
    directory: PathBuf,
    /// `files` writes README.md, index.html and the graphs; `json` and `text` print the same facts
    #[arg(long, value_enum, default_value_t = Format::Files, value_name = "FORMAT")]
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
    match args.format {
        Format::Json => ui::out(&report::json(&log))?,
        Format::Text => ui::out(&report::terminal(&log))?,
        Format::Files => {
            write(&args.directory, &log)?;
            ui::note(&format!("report in {}: README.md, index.html, graph.svg, graph.png", args.directory.display()));
        }
    }
    Ok(Exit::Done)
}

/// Writes the report's files beside the log, each whole or not at all.
pub(super) fn write(directory: &Path, log: &Log) -> anyhow::Result<Rendered> {
    let rendered = report::render(log);
    let files: [(&str, &[u8]); 4] = [
        ("README.md", rendered.readme.as_bytes()),
        ("index.html", rendered.html.as_bytes()),
        ("graph.svg", rendered.svg.as_bytes()),
        ("graph.png", &rendered.png),
    ];
    for (name, bytes) in files {
        let (unfinished, path) = (directory.join(format!(".{name}.part")), directory.join(name));
        let written = fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, &path));
        written.with_context(|| {
            let _ = fs::remove_file(&unfinished);
            format!("cannot write {}; the log is whole, `linerate report {}` tries again", path.display(), directory.display())
        })?;
    }
    Ok(rendered)
}
