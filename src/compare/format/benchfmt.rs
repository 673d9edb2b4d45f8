//! Go's benchmark format, one result per rate: `benchstat -col /variant FILE` compares them by its own rules.
//!
//! Golang design document 14313, with the unit line of golang.org/x/perf/benchfmt.

use super::super::{Comparison, Series};

pub(in super::super) fn render(comparison: &Comparison) -> String {
    let unit = if comparison.settings.unit.is_empty() { "rate" } else { &comparison.settings.unit };
    let unit = word(unit);
    let mut text = format!("Unit {unit} better=higher\n");
    for described in &comparison.series {
        let name = name(&described.series);
        for rate in described.series.rates.iter().filter(|rate| rate.value.is_finite()) {
            text += &format!("{name} 1 {} {unit}\n", rate.value);
        }
    }
    text
}

/// `BenchmarkForwarding/config=pf/variant=patched-1`. The number at the end is one that Go takes off again: without it, it
/// would take one off a name such as `v1-2`.
fn name(series: &Series) -> String {
    let config = if series.group.is_empty() { String::new() } else { format!("/config={}", word(&series.group)) };
    format!("BenchmarkForwarding{config}/variant={}-1", word(&series.variant))
}

/// One word: blanks end a name and slashes divide it.
fn word(text: &str) -> String {
    text.chars()
        .map(
            |character| {
                if character.is_whitespace() || character.is_control() || character == '/' { '_' } else { character }
            },
        )
        .collect()
}
