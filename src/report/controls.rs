//! What the experiment says about its own error: the baseline against itself.

use crate::judge::{CONFIDENCE, Control, Judgement};
use crate::store::Log;
use crate::store::event::RunVerdict;

use super::doc::{Block, Table, Text, Tone, plain, strong};
use super::words::{count, plural, short};

/// One line above the fold: the resolution, or that a control failed.
pub fn headline(judgement: &Judgement) -> Option<Block> {
    let failed: Vec<String> = judgement.failed_controls().map(place).collect();
    if !failed.is_empty() {
        let text = format!(
            " the baseline differs from its own copy in {}, more clearly than chance allows. Something other than the change \
             is at work there; do not trust those verdicts before it is found.",
            failed.join("; ")
        );
        return Some(Block::Callout(Tone::Warning, vec![strong("The control failed:"), plain(text)]));
    }
    let bounds: Option<Vec<f64>> = judgement.controls.iter().map(Control::bound).collect();
    let text = match bounds {
        Some(bounds) if bounds.is_empty() => return None,
        Some(bounds) => format!(
            " the baseline against a copy of itself, in the same blasts, differs by less than {} % in every cell: the error that this \
             experiment shows of its own.",
            digits(bounds.into_iter().fold(0.0, f64::max) * 100.0)
        ),
        None => " too few blocks to compare the baseline with its copy in every cell.".to_string(),
    };
    Some(Block::Paragraph(vec![strong("Control:"), plain(text)]))
}

/// All controls, and what to make of them.
pub fn section(log: &Log, judgement: &Judgement) -> Vec<Block> {
    if judgement.controls.is_empty() {
        return Vec::new();
    }
    let interval = format!("#{} % interval", short(CONFIDENCE * 100.0));
    let mut table = Table::new(&["config", "traffic", "#control against baseline", &interval, "#at most"]);
    for control in &judgement.controls {
        let percent = |ratio: f64| format!("{:+.3}", (ratio - 1.0) * 100.0);
        let [effect, range, resolution] = match &control.interval {
            Ok(interval) => [
                format!("{} %", percent(interval.ratio)),
                format!("{} to {} %", percent(interval.low), percent(interval.high)),
                format!("{} %", digits(control.bound().unwrap_or(0.0) * 100.0)),
            ],
            Err(error) => [error.to_string(), "-".into(), "-".into()],
        };
        table.row([plain(&control.config), plain(&control.traffic), plain(effect), plain(range), plain(resolution)]);
    }
    let outside = |control: &&Control| control.interval.as_ref().is_ok_and(|it| it.low > 1.0 || it.high < 1.0);
    let outside = judgement.controls.iter().filter(outside).count();
    let text = format!(
        "Each blast also holds a copy of the baseline. Its interval should hold 0, and at {} % confidence one in twenty does not by \
         chance alone: {outside} of {} here. The alarm is raised when one misses 0 by more than chance explains for all of \
         them together; in an experiment without fault that happens one time in twenty at most.",
        short(CONFIDENCE * 100.0),
        judgement.controls.len(),
    );
    let mut blocks = vec![Block::Heading("Control".into()), Block::Paragraph(vec![plain(text)]), Block::Table(table)];
    let valid = || log.results.iter().filter(|result| result.verdict == RunVerdict::Valid);
    let disturbed: Vec<&String> = valid().flat_map(|result| &result.warnings).collect();
    if let Some(first) = disturbed.first() {
        let text: Text = vec![plain(format!(
            "{} of {} were disturbed, which widens the intervals and leans to no side, since all arms of a blast suffer \
             alike. The first: {first}.",
            count(disturbed.len() as f64),
            plural(valid().count(), "valid run")
        ))];
        blocks.push(Block::Paragraph(text));
    }
    blocks
}

fn place(control: &Control) -> String {
    format!("{}, {}", control.config, control.traffic)
}

/// Two significant digits of a small percentage.
fn digits(percent: f64) -> String {
    match percent {
        x if x < 0.0995 => format!("{percent:.3}"),
        x if x < 9.95 => format!("{percent:.2}"),
        _ => format!("{percent:.0}"),
    }
}
