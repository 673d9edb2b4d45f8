//! Plain text.

use super::super::{Comparison, Described};
use super::{COLUMNS, columns, evidence, family, has_groups, title};

pub(in super::super) fn render(comparison: &Comparison) -> String {
    let mut text = table(comparison);
    let family = family(comparison);
    for pair in &comparison.pairs {
        match &pair.answer {
            Ok(answer) => {
                text += &format!("\n{}: {}\n", title(pair), answer.sentence);
                text += &format!("  {}: {}\n", answer.verdict, evidence(answer, family));
                answer.flags.iter().for_each(|flag| text += &format!("  note: {flag}\n"));
            }
            Err(error) => text += &format!("\n{}: not judged\n  {error}\n", title(pair)),
        }
    }
    let flagged: Vec<String> = comparison.series.iter().flat_map(flags).collect();
    if !flagged.is_empty() {
        text += &format!("\n{}", flagged.concat());
    }
    if !comparison.contrasts.is_empty() {
        text.push('\n');
    }
    for contrast in &comparison.contrasts {
        match &contrast.interval {
            Ok(_) => text += &format!("{}\n", contrast.sentence),
            Err(error) => {
                text += &format!(
                    "{}: {} against {} not judged: {error}\n",
                    contrast.candidate, contrast.group, contrast.reference
                );
            }
        }
    }
    text
}

fn flags(described: &Described) -> Vec<String> {
    let series = &described.series;
    let name =
        if series.group.is_empty() { series.variant.clone() } else { format!("{}, {}", series.group, series.variant) };
    described.flags.iter().map(|flag| format!("note: {name}: {flag}\n")).collect()
}

/// Series by series; names to the left, numbers to the right.
fn table(comparison: &Comparison) -> String {
    let groups = has_groups(comparison);
    let mut head = vec!["variant".to_string()];
    if groups {
        head.insert(0, "config".to_string());
    }
    let names = head.len();
    head.extend(COLUMNS.map(str::to_string));
    if !comparison.settings.unit.is_empty() {
        head[names + 1] += &format!(" {}", comparison.settings.unit);
    }
    let mut rows = vec![head];
    for described in &comparison.series {
        let mut row = vec![described.series.variant.clone()];
        if groups {
            row.insert(0, described.series.group.clone());
        }
        row.extend(columns(described));
        rows.push(row);
    }
    let length = |text: &str| text.chars().count();
    let widths: Vec<usize> =
        (0..rows[0].len()).map(|column| rows.iter().map(|row| length(&row[column])).max().unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cell = |(column, text): (usize, &String)| {
            let blanks = " ".repeat(widths[column] - length(text));
            if column < names { format!("{text}{blanks}") } else { format!("{blanks}{text}") }
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        format!("{}\n", cells.join("  "))
    };
    rows.iter().map(line).collect()
}
