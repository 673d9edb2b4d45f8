//! A column of numbers out of text, by ministat's rules.

use super::plain::{newline, plain_number};
use super::strtod::{is_space, strtod};

/// A field that is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Invalid data on line {line}")]
pub struct BadLine {
    /// From 1; a line of more than 8191 bytes counts once per 8191.
    pub line: usize,
}

/// The buffer the original reads lines into, less the byte that ends a C string.
const LONGEST_LINE: usize = 8191;

/// The numbers of field `column` (from 1) of a whole text; see [`Column`].
///
/// # Errors
/// [`BadLine`] for the first field that is no number.
pub fn parse(text: &[u8], column: usize, delimiters: &[u8]) -> Result<Vec<f64>, BadLine> {
    let mut reader = Column::new(column, delimiters);
    reader.take(text, true)?;
    Ok(reader.values)
}

/// Reads the numbers of one field of each line, fields being separated by runs of delimiters.
///
/// Blanks at the end of a line do not count and a NUL ends it. Lines with fewer fields, and those where a field up to the
/// wanted one begins with `#`, are passed over.
#[derive(Debug)]
pub struct Column<'a> {
    column: usize,
    delimiters: &'a [u8],
    /// Whether a line of one plain number can be nothing else: the first column, and no delimiter in a number.
    plain: bool,
    line: usize,
    pub values: Vec<f64>,
}

impl<'a> Column<'a> {
    /// `column` counts from 1; each byte of `delimiters` separates fields.
    pub fn new(column: usize, delimiters: &'a [u8]) -> Column<'a> {
        let plain = column == 1 && !delimiters.iter().any(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'\n'));
        Column { column, delimiters, plain, line: 0, values: Vec::new() }
    }

    /// Reads the lines at the start of `text` and returns how many bytes they were. What is left is the beginning of a
    /// line, to be given again with more behind it; nothing is left when this is the `last` of the text.
    ///
    /// # Errors
    /// [`BadLine`] for the first field that C's strtod would not read whole.
    pub fn take(&mut self, text: &[u8], last: bool) -> Result<usize, BadLine> {
        let mut rest = text;
        while !rest.is_empty() {
            let (length, end) = match newline(rest) {
                Some(newline) if newline < LONGEST_LINE => (newline + 1, newline),
                None if rest.len() < LONGEST_LINE && !last => break,
                _ => (rest.len().min(LONGEST_LINE), rest.len().min(LONGEST_LINE)),
            };
            self.line += 1;
            if self.plain
                && let Some(value) = plain_number(rest, end)
            {
                self.values.push(value);
            } else if let Some(field) = field(&rest[..length], self.column, self.delimiters) {
                self.values.push(strtod(field).ok_or(BadLine { line: self.line })?);
            }
            rest = &rest[length..];
        }
        Ok(text.len() - rest.len())
    }
}

/// Field `column` of a line, unless it is passed over.
fn field<'a>(line: &'a [u8], column: usize, delimiters: &[u8]) -> Option<&'a [u8]> {
    let line = &line[..line.iter().position(|byte| *byte == 0).unwrap_or(line.len())];
    let end = line.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
    let mut fields = line[..end].split(|byte| delimiters.contains(byte)).filter(|field| !field.is_empty());
    let field = fields.by_ref().take(column).take_while(|field| field[0] != b'#').enumerate().last()?;
    (field.0 + 1 == column).then_some(field.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(text: &str) -> Result<Vec<f64>, BadLine> {
        parse(text.as_bytes(), 1, b" \t")
    }

    // Blank lines, comments, carriage returns, NULs and a missing last newline.
    #[test]
    fn reads_lines_as_ministat_does() {
        assert_eq!(numbers("1\n\n# two\n  3 # three\n4\r\n5\t\n6\0 7\n8"), Ok(vec![1.0, 3.0, 4.0, 5.0, 6.0, 8.0]));
        assert_eq!(numbers("1\n4#glued\n"), Err(BadLine { line: 2 }));
        assert_eq!(numbers("1,000\n"), Err(BadLine { line: 1 }));
        assert_eq!(numbers(""), Ok(vec![]));
    }

    // Short lines and lines with a comment at or before the column are passed over; other delimiters can be had.
    #[test]
    fn picks_a_column() {
        assert_eq!(parse(b"a 1\nb\n# 2\nc # 3\n d  4 x\n", 2, b" \t"), Ok(vec![1.0, 4.0]));
        assert_eq!(parse(b"a,1\nb,,2\nc, 3\n", 2, b","), Ok(vec![1.0, 2.0, 3.0]));
        assert_eq!(parse(b"a, ,1\n", 2, b","), Err(BadLine { line: 1 }));
        assert_eq!(parse(b"1525\n1.5\n153\n", 1, b"5"), Ok(vec![1.0, 1.0, 1.0]));
    }

    // A long line is read in pieces, the rest of it as if it were a line of its own.
    #[test]
    fn long_lines_come_in_pieces() {
        let text = format!("1 {}7\n", "x".repeat(LONGEST_LINE - 2));
        assert_eq!(numbers(&text), Ok(vec![1.0, 7.0]));
        assert_eq!(numbers(&format!("{}\n", "1 ".repeat(LONGEST_LINE))), Ok(vec![1.0, 1.0]));
    }

    proptest! {
        // A text that arrives in pieces gives the same numbers, or the same bad line.
        #[test]
        fn pieces_make_the_whole(text in "([0-9 .#\n-]|1\n){0,60}", cut in 0usize..60) {
            let cut = cut.min(text.len());
            let mut reader = Column::new(1, b" ");
            let pieces = reader.take(&text.as_bytes()[..cut], false).and_then(|used| reader.take(&text.as_bytes()[used..], true));
            prop_assert_eq!(pieces.map(|_| reader.values), parse(text.as_bytes(), 1, b" "));
        }
    }
}
