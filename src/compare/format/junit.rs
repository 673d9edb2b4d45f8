//! JUnit's XML, which build servers read: one test case per pair. A regression is a failure, a pair that cannot be judged
//! an error, an inconclusive one is skipped with its reason.

use super::super::{Comparison, Gate, Pair};
use super::{evidence, family};

pub(in super::super) fn render(comparison: &Comparison) -> String {
    let count = |gate: Gate| comparison.pairs.iter().filter(|pair| comparison.gate_of(pair) == gate).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"linerate compare\" tests=\"{}\" \
         failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        comparison.pairs.len(),
        count(Gate::Regression),
        count(Gate::Infrastructure),
        count(Gate::Inconclusive),
    );
    for pair in &comparison.pairs {
        text += &case(comparison, pair);
    }
    text + "  </testsuite>\n</testsuites>\n"
}

fn case(comparison: &Comparison, pair: &Pair) -> String {
    let class = if pair.group.is_empty() { "linerate".to_string() } else { format!("linerate.{}", pair.group) };
    let name = format!("{} against {}", pair.candidate, pair.baseline);
    let (message, detail) = match &pair.answer {
        Ok(answer) => (answer.sentence.clone(), evidence(answer, family(comparison))),
        Err(error) => (error.to_string(), String::new()),
    };
    let (message, detail) = (escaped(&message), escaped(&detail));
    let outcome = match comparison.gate_of(pair) {
        Gate::Pass => format!("      <system-out>{message}\n{detail}</system-out>\n"),
        Gate::Regression => format!("      <failure message=\"{message}\" type=\"regression\">{detail}</failure>\n"),
        Gate::Infrastructure => format!("      <error message=\"{message}\" type=\"infrastructure\"/>\n"),
        Gate::Inconclusive => format!("      <skipped message=\"{message}\"/>\n"),
    };
    format!("    <testcase classname=\"{}\" name=\"{}\">\n{outcome}    </testcase>\n", escaped(&class), escaped(&name))
}

/// Text for an element or an attribute; what XML cannot hold becomes a replacement character.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(' '),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
