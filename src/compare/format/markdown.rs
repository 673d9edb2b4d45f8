//! GitHub's Markdown: a table of series, a table of verdicts, and what is to be known about them.

use super::super::Comparison;
use super::{COLUMNS, columns, evidence, family, has_groups, p, title};

pub(in super::super) fn render(comparison: &Comparison) -> String {
    let groups = has_groups(comparison);
    let mut text = String::new();
    let mut head = if groups { vec!["config", "variant"] } else { vec!["variant"] };
    head.extend(COLUMNS);
    let mean = format!("mean, {}", comparison.settings.unit);
    if !comparison.settings.unit.is_empty() {
        let at = head.len() - COLUMNS.len() + 1;
        head[at] = &mean;
    }
    rows(&mut text, &head, COLUMNS.len());
    for described in &comparison.series {
        let series = &described.series;
        let mut cells = if groups { vec![plain(&series.group)] } else { Vec::new() };
        cells.push(plain(&series.variant));
        cells.extend(columns(described));
        row(&mut text, &cells);
    }
    text.push('\n');
    rows(&mut text, &["comparison", "verdict", "how sure", "p (Holm)"], 1);
    for pair in &comparison.pairs {
        let name = plain(&title(pair));
        let cells = match &pair.answer {
            Ok(answer) => [name, format!("**{}**", answer.verdict), plain(&answer.sentence), p(answer.p_holm)],
            Err(error) => [name, "not judged".to_string(), plain(&error.to_string()), "-".to_string()],
        };
        row(&mut text, &cells);
    }
    let notes: Vec<String> = notes(comparison).collect();
    if !notes.is_empty() {
        text += &format!("\n{}", notes.concat());
    }
    text
}

fn notes(comparison: &Comparison) -> impl Iterator<Item = String> {
    let family = family(comparison);
    let of_pairs = comparison.pairs.iter().filter_map(|pair| pair.answer.as_ref().ok().map(|answer| (pair, answer)));
    let of_pairs = of_pairs.flat_map(move |(pair, answer)| {
        let flags = answer.flags.iter().map(|flag| format!("; {}", plain(flag))).collect::<String>();
        [format!("- {}: {}{flags}\n", plain(&title(pair)), plain(&evidence(answer, family)))]
    });
    let of_series = comparison.series.iter().flat_map(|described| {
        let name = plain(&described.series.variant);
        described.flags.iter().map(move |flag| format!("- {name}: {}\n", plain(flag)))
    });
    let of_contrasts = comparison.contrasts.iter().filter(|contrast| contrast.interval.is_ok());
    of_pairs.chain(of_series).chain(of_contrasts.map(|contrast| format!("- {}\n", plain(&contrast.sentence))))
}

/// The head of a table whose last `numbers` columns are aligned to the right.
fn rows(text: &mut String, head: &[&str], numbers: usize) {
    row(text, &head.iter().map(|name| plain(name)).collect::<Vec<_>>());
    let rule = |at: usize| if at + numbers >= head.len() { "--:".to_string() } else { "---".to_string() };
    row(text, &(0..head.len()).map(rule).collect::<Vec<_>>());
}

fn row(text: &mut String, cells: &[String]) {
    *text += &format!("| {} |\n", cells.join(" | "));
}

/// Text that shows as it is: a file name must not become markup.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '@' | '!' => {
                plain.push('\\');
                plain.push(character);
            }
            control if control.is_control() => plain.push(' '),
            other => plain.push(other),
        }
    }
    plain
}
