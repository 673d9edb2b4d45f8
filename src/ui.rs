//! The person at the terminal: the only place that prints. Results go to standard output, all else to standard error.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::experiment::Problems;
use crate::units::show_duration;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

#[derive(Debug, Default)]
struct Settings {
    color_out: bool,
    color_err: bool,
    quiet: bool,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Settles colours and verbosity for the whole process; before it, output is plain.
pub fn init(color: Color, quiet: bool) {
    let asked_not_to = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = asked_not_to("NO_COLOR") || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let wanted = |terminal: bool| color == Color::Always || (color == Color::Auto && terminal && !dumb);
    let (color_out, color_err) = (wanted(io::stdout().is_terminal()), wanted(io::stderr().is_terminal()));
    let _ = SETTINGS.set(Settings { color_out, color_err, quiet }); // the first call counts
}

fn settings() -> &'static Settings {
    SETTINGS.get_or_init(Settings::default)
}

/// What a piece of text means; its colour follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Strong,
    Weak,
    Good,
    Bad,
    Doubtful,
}

fn paint(style: Style, text: &str, color: bool) -> String {
    let code = match style {
        Style::Strong => "1",
        Style::Weak => "2",
        Style::Good => "32",
        Style::Bad => "1;31",
        Style::Doubtful => "33",
    };
    if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// Text for standard output in its style.
pub fn paint_out(style: Style, text: &str) -> String {
    paint(style, text, settings().color_out)
}

/// Text for standard error in its style.
pub fn paint_err(style: Style, text: &str) -> String {
    paint(style, text, settings().color_err)
}

/// Writes a result to standard output. A reader that has seen enough (`| head`) is no error.
pub fn out(text: &str) -> anyhow::Result<()> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to standard output"),
        _ => Ok(()),
    }
}

/// Tells how things go, on standard error, unless quiet.
pub fn note(text: &str) {
    if !settings().quiet {
        err(text);
    }
}

/// Tells what the user should know even when quiet.
pub fn warning(text: &str) {
    err(&format!("{} {}", paint_err(Style::Doubtful, "warning:"), plain(text)));
}

/// As many wrong places of a file as fit a terminal.
const PROBLEMS_SHOWN: usize = 20;

/// Tells why nothing came of it: the error, then what it came from, a line each.
pub fn error(error: &anyhow::Error) {
    let label = paint_err(Style::Bad, "error:");
    if let Some(problems) = error.downcast_ref::<Problems>() {
        for problem in problems.0.iter().take(PROBLEMS_SHOWN) {
            err(&format!("{label} {}", plain(&problem.to_string())));
        }
        if problems.0.len() > PROBLEMS_SHOWN {
            err(&format!("{label} {} more in the same file", problems.0.len() - PROBLEMS_SHOWN));
        }
        return;
    }
    let mut causes = error.chain().map(|cause| plain(&cause.to_string()));
    let mut text = causes.next().unwrap_or_default();
    for cause in causes {
        text += &format!("\n  because  {}", cause.replace('\n', "\n           "));
    }
    err(&format!("{label} {text}"));
}

/// A lost terminal must not end a measurement: what cannot be told is not told.
fn err(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Without the control characters that could come in with a file or another program's output.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !"\n\t".contains(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// A field of a table.
#[derive(Debug, Clone)]
pub struct Cell {
    text: String,
    style: Option<Style>,
    right: bool,
}

impl Cell {
    /// Aligned to the right.
    pub fn number(number: impl Display) -> Cell {
        Cell { text: number.to_string(), style: None, right: true }
    }

    pub fn style(self, style: Style) -> Cell {
        Cell { style: Some(style), ..self }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.into(), style: None, right: false }
    }
}

/// Columns as wide as they need be, for standard output. A column is aligned as its last field; a header over it likewise.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
    let rows: Vec<Vec<Cell>> = rows.into_iter().collect();
    let width = |text: &str| text.chars().count();
    let column = |at: usize| rows.iter().filter_map(move |row| row.get(at));
    let widths: Vec<usize> =
        header.iter().enumerate().map(|(at, name)| column(at).map(|cell| width(&cell.text)).max().unwrap_or(0).max(width(name))).collect();
    let head = header.iter().enumerate().map(|(at, name)| Cell {
        text: (*name).to_owned(),
        style: Some(Style::Weak),
        right: column(at).next_back().is_some_and(|cell| cell.right),
    });
    let mut text = String::new();
    for row in std::iter::once(head.collect()).chain(rows.iter().cloned()) {
        let mut line = String::from(" ");
        for (cell, width_max) in row.iter().zip(&widths) {
            let blanks = " ".repeat(width_max - width(&cell.text));
            let shown = cell.style.map_or(cell.text.clone(), |style| paint_out(style, &cell.text));
            line += &if cell.right { format!(" {blanks}{shown} ") } else { format!(" {shown}{blanks} ") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A bar with the time left, on a terminal; elsewhere only the lines of finished runs.
///
/// It is drawn when a run begins or ends and never in between: nothing wakes up during a blast.
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    estimate: Duration,
}

impl Progress {
    /// `runs` runs, which take `estimate` together.
    pub fn new(runs: u64, estimate: Duration) -> Progress {
        let target = if settings().quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("  {bar:24} {pos}/{len}  {wide_msg}").expect("a template that parses");
        Progress { bar: ProgressBar::with_draw_target(Some(runs), target).with_style(style), begun: Instant::now(), estimate }
    }

    /// A run begins.
    pub fn begin(&self, run: &str) {
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        let each = if done == 0 { self.estimate / all.max(1) as u32 } else { self.begun.elapsed() / done as u32 };
        let left = each * all.saturating_sub(done) as u32;
        self.bar.set_message(format!("{} left  {run}", show_duration(left)));
        self.bar.tick();
    }

    /// An attempt at a run is over, and this is its line. `done`: it will not be tried again.
    pub fn end(&self, line: &str, done: bool) {
        self.bar.suspend(|| note(line));
        self.bar.inc(done.into());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Numbers end under each other, text begins under each other, headers follow; nothing trails.
    #[test]
    fn columns_are_as_wide_as_they_need_be() {
        let rows = [("forwarding", 1_000_000, "regressed"), ("ü", 7, "")];
        let rows = rows.map(|(config, pps, verdict)| vec![config.into(), Cell::number(pps), Cell::from(verdict).style(Style::Bad)]);
        let expected = "  config          pps  verdict\n  forwarding  1000000  regressed\n  ü                 7\n";
        assert_eq!(table(&["config", "pps", "verdict"], rows), expected);
    }

    // A colour code in a file's text does not reach the terminal.
    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(plain("a\x1b[31m\u{9b}0m\n\tb"), "a\u{fffd}[31m\u{fffd}0m\n\tb");
    }
}
