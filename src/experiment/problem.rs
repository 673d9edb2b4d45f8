//! What is wrong with an experiment file: the place, the thing, and what to do.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Everything found wrong with one experiment file, in its order; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl std::error::Error for Problems {}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.0.iter().enumerate() {
            write!(f, "{}{problem}", if position == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

/// One thing wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    /// Where in the file; `None` when it is about the file as such.
    pub place: Option<Place>,
    pub what: String,
    pub advice: String,
}

/// A place in a text file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From 1, columns in characters.
    pub line: usize,
    pub column: usize,
    /// The line and the characters meant, to be shown; `None` when there is nothing to point at.
    pub excerpt: Option<(String, usize)>,
}

/// `FILE:LINE:COLUMN: what`, the line with the place marked, and the advice on a line of its own.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(Place { line, column, excerpt }) = &self.place {
            write!(f, "{line}:{column}: {}", self.what)?;
            if let Some((text, marked)) = excerpt {
                // A tab before the mark is as wide as the tab above it.
                let indent: String = text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
                let gutter = line.to_string().len();
                write!(f, "\n  {line} | {text}\n  {:gutter$} | {indent}{}", "", "^".repeat(*marked))?;
            }
        } else {
            write!(f, " {}", self.what)?;
        }
        write!(f, "\n  try      {}", self.advice)
    }
}

/// The text under examination, and what was found wrong with it so far.
pub(super) struct Findings<'a> {
    pub path: &'a Path,
    text: &'a str,
    problems: RefCell<Vec<Problem>>,
}

/// Lines longer than this are not shown.
const EXCERPT_COLUMNS_MAX: usize = 160;

impl<'a> Findings<'a> {
    pub fn new(path: &'a Path, text: &'a str) -> Findings<'a> {
        Findings { path, text, problems: RefCell::default() }
    }

    /// Notes a problem with the bytes `span` of the text.
    pub fn report(&self, span: Range<usize>, what: impl Into<String>, advice: impl Into<String>) {
        let problem = Problem { path: self.path.to_owned(), place: Some(self.place(span)), what: what.into(), advice: advice.into() };
        self.problems.borrow_mut().push(problem);
    }

    /// Line of a byte, from 1.
    pub fn line(&self, byte: usize) -> usize {
        self.text[..byte].matches('\n').count() + 1
    }

    /// `Err` when there was any problem.
    pub fn verdict(self) -> Result<(), Problems> {
        let mut problems = self.problems.into_inner();
        problems.sort_by(|a, b| a.place.cmp(&b.place));
        if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
    }

    fn place(&self, span: Range<usize>) -> Place {
        let start = self.text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let column = self.text[start..span.start].chars().count() + 1;
        let end = span.end.min(start + line.len());
        let marked = self.text.get(span.start..end).unwrap_or_default().chars().count().max(1);
        let shown: String = line.chars().map(|c| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }).collect();
        let worth_showing = span != (0..0) && !line.is_empty() && line.chars().count() <= EXCERPT_COLUMNS_MAX;
        Place { line: self.line(span.start), column, excerpt: worth_showing.then_some((shown, marked)) }
    }
}

/// A user's text inside a message: in backquotes, its control characters spelt out.
pub(super) fn quoted(text: &str) -> String {
    let clean: String = text.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect();
    format!("`{clean}`")
}

/// The one of `candidates` that was probably meant by `word`.
pub(super) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let by_distance = candidates.into_iter().map(|candidate| (strsim::osa_distance(word, candidate), candidate));
    let (distance, candidate) = by_distance.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= word.chars().count().max(3)).then_some(candidate)
}
