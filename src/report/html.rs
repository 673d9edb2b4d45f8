//! Doc -> one self-contained HTML file: pictures and style inside, nothing fetched, no script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::doc::{Block, Doc, Span, Table, Tone, lines};
use crate::plot::{ink, visible};

pub fn render(doc: &Doc) -> String {
    let dark = format!("@media (prefers-color-scheme:dark){{{}}}", ink::dark_css());
    let sections = doc.blocks.iter().filter_map(|block| match block {
        Block::Heading(title) => Some(title),
        _ => None,
    });
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Without an icon of its own a page makes the browser ask for one.
                link rel="icon" href="data:,";
                title { (visible(&doc.title)) }
                style { (PreEscaped(include_str!("page.css"))) (PreEscaped(dark)) }
            }
            body {
                main {
                    h1 { (visible(&doc.title)) }
                    @if doc.blocks.iter().any(|block| matches!(block, Block::Heading(_))) {
                        nav { @for title in sections { a href={ "#" (anchor(title)) } { (visible(title)) } " " } }
                    }
                    @for each in &doc.blocks { (block(each)) }
                }
            }
        }
    };
    page.into_string()
}

fn block(block: &Block) -> Markup {
    html! {
        @match block {
            Block::Heading(title) => h2 id=(anchor(title)) { (visible(title)) },
            Block::Subheading(title) => h3 { (visible(title)) },
            Block::Paragraph(text) => p { (inline(text)) },
            Block::Callout(Tone::Answer, text) => p.answer { (inline(text)) },
            Block::Callout(Tone::Warning, text) => p.warning { (inline(text)) },
            Block::List(items) => ul { @for item in items { li { (inline(item)) } } },
            Block::Table(rows) => (table(rows)),
            Block::Verbatim(text) => pre { @for line in lines(text) { (line) "\n" } },
            Block::Picture(picture) => figure { (PreEscaped(&picture.svg)) },
            Block::Folded(summary, blocks) => details {
                summary { (inline(summary)) }
                @for inner in blocks { (self::block(inner)) }
            },
        }
    }
}

/// A run of text; also what GitHub shows inside a `<summary>`.
pub fn inline(text: &[Span]) -> Markup {
    html! {
        @for span in text {
            @match span {
                // A percent sign stays with its number.
                Span::Plain(text) => (visible(text).replace(" %", "\u{a0}%")),
                Span::Strong(text) => strong { (visible(text)) },
                Span::Code(text) => code { (visible(text)) },
            }
        }
    }
}

fn table(table: &Table) -> Markup {
    let class = |column: usize| table.head[column].number.then_some("number");
    // A name is not broken, a sentence is.
    let short = |cell: &[Span]| cell.iter().map(Span::len).sum::<usize>() <= 24;
    let cell_class = |column: usize, cell: &[Span]| class(column).or(short(cell).then_some("name"));
    html! {
        div.wide {
            table {
                thead { tr { @for (n, column) in table.head.iter().enumerate() { th scope="col" class=[class(n)] { (visible(&column.name)) } } } }
                tbody {
                    @for row in &table.rows {
                        tr { @for (n, cell) in row.iter().enumerate() { td class=[cell_class(n, cell)] { (inline(cell)) } } }
                    }
                }
            }
        }
    }
}

/// Sections are named by us, in words.
fn anchor(title: &str) -> String {
    title.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect()
}
