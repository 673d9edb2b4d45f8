//! What a page says, before it is Markdown or HTML. User data is raw in here; each renderer makes it harmless.

use crate::plot::visible;

#[derive(Debug, Clone, PartialEq)]
pub struct Doc {
    pub title: String,
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    Heading(String),
    /// A heading inside a section.
    Subheading(String),
    Paragraph(Text),
    /// What a reader must not miss.
    Callout(Tone, Text),
    List(Vec<Text>),
    Table(Table),
    /// Lines as they are, in a fixed-width font.
    Verbatim(String),
    Picture(Picture),
    /// Detail that stays folded away, behind its summary, where the format can fold.
    Folded(Text, Vec<Block>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// The answer.
    Answer,
    /// Something the answer suffers from.
    Warning,
}

impl Span {
    /// Length in characters.
    pub fn len(&self) -> usize {
        let (Span::Plain(text) | Span::Strong(text) | Span::Code(text)) = self;
        text.chars().count()
    }
}

/// A run of text.
pub type Text = Vec<Span>;

#[derive(Debug, Clone, PartialEq)]
pub enum Span {
    Plain(String),
    Strong(String),
    /// What is typed or read on a machine.
    Code(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub head: Vec<Column>,
    /// As many cells in each row as columns in the head.
    pub rows: Vec<Vec<Text>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    /// Numbers stand right, words left.
    pub number: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// File name without its ending.
    pub name: &'static str,
    /// What is to be seen, for those who cannot.
    pub alt: String,
    pub svg: String,
}

pub fn plain(text: impl Into<String>) -> Span {
    Span::Plain(text.into())
}

pub fn strong(text: impl Into<String>) -> Span {
    Span::Strong(text.into())
}

pub fn code(text: impl Into<String>) -> Span {
    Span::Code(text.into())
}

/// The lines of a verbatim block, harmless but for their tabs, which are layout.
pub fn lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(|line| line.split('\t').map(visible).collect::<Vec<_>>().join("\t"))
}

impl Table {
    /// An empty table; a column whose name starts with `#` holds numbers.
    pub fn new(columns: &[&str]) -> Table {
        let column = |name: &&str| Column { name: name.trim_start_matches('#').to_string(), number: name.starts_with('#') };
        Table { head: columns.iter().map(column).collect(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = Span>) {
        let row: Vec<Text> = cells.into_iter().map(|cell| vec![cell]).collect();
        assert_eq!(row.len(), self.head.len(), "a row has one cell per column");
        self.rows.push(row);
    }
}
