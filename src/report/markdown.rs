//! Doc -> Markdown as GitHub reads it.

use super::doc::{Block, Doc, Span, Table, Tone, lines};
use crate::plot::visible;

pub fn render(doc: &Doc) -> String {
    let mut page = format!("# {}\n", escape(&doc.title));
    for each in &doc.blocks {
        page.push('\n');
        block(&mut page, each);
    }
    page
}

fn block(page: &mut String, block: &Block) {
    match block {
        Block::Heading(title) => line(page, &format!("## {}", escape(title))),
        Block::Subheading(title) => line(page, &format!("### {}", escape(title))),
        Block::Paragraph(text) | Block::Callout(Tone::Answer, text) => line(page, &begun(inline(text))),
        Block::Callout(Tone::Warning, text) => line(page, &format!("> **Note:** {}", inline(text))),
        Block::List(items) => items.iter().for_each(|item| line(page, &format!("- {}", begun(inline(item))))),
        Block::Table(rows) => table(page, rows),
        Block::Verbatim(text) => verbatim(page, text),
        Block::Picture(picture) => line(page, &format!("![{}]({}.png)", escape(&picture.alt), picture.name)),
        Block::Folded(summary, blocks) => {
            line(page, &format!("<details><summary>{}</summary>", super::html::inline(summary).into_string()));
            for inner in blocks {
                page.push('\n');
                self::block(page, inner);
            }
            page.push('\n');
            line(page, "</details>");
        }
    }
}

fn line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

fn table(page: &mut String, table: &Table) {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    line(page, &row(table.head.iter().map(|column| escape(&column.name)).collect()));
    line(page, &row(table.head.iter().map(|column| if column.number { "--:" } else { "---" }.to_string()).collect()));
    // A bar ends a cell even inside a code span.
    let span = |span: &Span| match span {
        Span::Code(text) => code(text).replace('|', "\\|"),
        span => inline(std::slice::from_ref(span)),
    };
    for cells in &table.rows {
        let texts = cells.iter().map(|cell| cell.iter().map(span).collect::<String>());
        // A unit stays with its number.
        let unbroken = texts.zip(&table.head).map(|(text, column)| if column.number { text.replace(' ', "\u{a0}") } else { text });
        line(page, &row(unbroken.collect()));
    }
}

/// A fence longer than any run of backticks inside.
fn verbatim(page: &mut String, text: &str) {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    line(page, &format!("{fence}text"));
    lines(text).for_each(|each| line(page, &each));
    line(page, &fence);
}

fn inline(text: &[Span]) -> String {
    let span = |span: &Span| match span {
        Span::Plain(text) => escape(text),
        Span::Strong(text) => format!("**{}**", escape(text)),
        Span::Code(text) => code(text),
    };
    text.iter().map(span).collect()
}

/// A code span: longer backticks outside than inside.
fn code(text: &str) -> String {
    let text = visible(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text that means nothing but itself: markup characters behind a backslash, a `_` only where it could begin emphasis.
fn escape(text: &str) -> String {
    let letters: Vec<char> = visible(text).chars().collect();
    let word = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphanumeric());
    let mut escaped = String::with_capacity(text.len());
    for (at, &letter) in letters.iter().enumerate() {
        let inside_a_word = word(at.checked_sub(1)) && word(Some(at + 1));
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' | '$' => escaped.extend(['\\', letter]),
            // A title may end in such signs, which would not be shown.
            '#' if at + 1 == letters.len() => escaped.push_str("\\#"),
            '_' if !inside_a_word => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Text at the beginning of a line, where a title, a quotation, a list or a rule could begin.
fn begun(text: String) -> String {
    let text = text.trim_start();
    let mark = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = mark.len() < text.len() && mark.starts_with(['.', ')']);
    let sign = text.starts_with(['#', '>', '+', '-', '=']);
    match (number, sign) {
        (true, _) => format!("{}\\{mark}", &text[..text.len() - mark.len()]),
        (_, true) => format!("\\{text}"),
        _ => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Names stay readable in the source, and mean only themselves.
    #[test]
    fn names_are_escaped_where_they_would_be_markup() {
        for (name, written) in [
            ("no_early_demux", "no_early_demux"),
            ("_nearly_ *all*", "\\_nearly\\_ \\*all\\*"),
            ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
            ("[a](javascript:1)", "\\[a\\](javascript:1)"),
            ("a|b", "a\\|b"),
            ("r303642", "r303642"),
            ("C #", "C \\#"),
            ("two\nlines", "two lines"),
        ] {
            assert_eq!(escape(name), written);
        }
    }

    // A question that begins like a list stays a sentence.
    #[test]
    fn lines_begin_with_text() {
        for (text, written) in [("# title", "\\# title"), ("1. first", "1\\. first"), ("- x", "\\- x"), ("10 Gb/s", "10 Gb/s")] {
            assert_eq!(begun(text.to_string()), written);
        }
    }

    #[test]
    fn code_holds_backticks() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
    }

    #[test]
    fn a_fence_outlasts_the_backticks_inside() {
        let mut page = String::new();
        verbatim(&mut page, "x ```` y");
        assert_eq!(page, "`````text\nx ```` y\n`````\n");
    }
}
