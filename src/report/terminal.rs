//! The verdicts as a table for a terminal. Plain characters; colour is the caller's.

use crate::judge::{Judgement, Question, invalid};
use crate::plot::visible;
use crate::store::Log;
use crate::store::event::RunVerdict;

use super::answers::table;
use super::doc::{Span, Table, Text};
use super::words::{cause, plural, title};

/// Every comparison, question by question, why some have no verdict, and the attempts that do not count.
/// `paint` may colour a verdict: it gets one word, `improved` or `not judged`, and must not change its width.
pub fn render(log: &Log, judgement: &Judgement, paint: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for question in [Question::Change, Question::Config, Question::Family] {
        if let Some(table) = table(log, judgement, question) {
            text.push_str(&format!("{}\n{}\n", visible(&title(&log.experiment, question)), aligned(&table, &paint)));
        }
    }
    let bounds: Option<Vec<f64>> = judgement.controls.iter().map(|control| control.bound()).collect();
    let failed = judgement.failed_controls().count();
    match judgement.controls.len() {
        0 => {}
        all if failed > 0 => text.push_str(&format!("control: failed in {failed} of {all}; do not trust those verdicts\n")),
        _ => text.push_str(&match bounds {
            Some(bounds) => format!(
                "control: the baseline differs from a copy of itself by less than {:.2} % in every cell\n",
                bounds.into_iter().fold(0.0, f64::max) * 100.0
            ),
            None => "control: too few blocks to compare the baseline with its copy in every cell\n".to_string(),
        }),
    }
    let valid = || log.results.iter().filter(|result| result.verdict == RunVerdict::Valid);
    let disturbed = valid().filter(|result| !result.warnings.is_empty()).count();
    if disturbed > 0 {
        let all = valid().count();
        text.push_str(&format!("disturbed: {disturbed} of {all} valid runs had to share the DUT's CPU; rates are too low, changes hold\n"));
    }
    if !judgement.controls.is_empty() {
        text.push_str("changes come from slots side by side, not from the mean rates, which wander with the machine\n");
    }
    let mut reasons: Vec<String> =
        judgement.comparisons.iter().filter_map(|each| each.answer.as_ref().err()).map(ToString::to_string).collect();
    reasons.sort();
    for same in reasons.chunk_by(|a, b| a == b) {
        text.push_str(&format!("{} not judged: {}\n", plural(same.len(), "comparison"), same[0]));
    }
    let mut causes: Vec<_> = invalid(log).map(|(_, why, _)| why).collect();
    causes.sort();
    for same in causes.chunk_by(|a, b| a == b) {
        text.push_str(&format!("{} invalid: {}\n", plural(same.len(), "attempt"), cause(same[0])));
    }
    text
}

/// Columns side by side, numbers to the right; the last column is painted.
fn aligned(table: &Table, paint: &impl Fn(&str) -> String) -> String {
    let head: Vec<String> = table.head.iter().map(|column| visible(&column.name)).collect();
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(words).collect()).collect();
    let width = |column: usize| rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let last = head.len() - 1;
    let mut text = String::new();
    for (n, row) in [&head].into_iter().chain(&rows).enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            match table.head[column].number {
                _ if column == last => text.push_str(&format!("  {}\n", if n == 0 { cell.clone() } else { paint(cell) })),
                true => text.push_str(&format!("  {cell:>width$}")),
                false => text.push_str(&format!("  {cell:width$}")),
            }
        }
    }
    text
}

fn words(text: &Text) -> String {
    let word = |span: &Span| match span {
        Span::Plain(text) | Span::Strong(text) | Span::Code(text) => visible(text),
    };
    text.iter().map(word).collect()
}
