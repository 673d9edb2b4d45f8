//! The ASCII plot, with its bug: a high stack is cut off when a later set's is lower.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::{Dataset, Options, Refused};

/// By the bits of the sets that share a cell: sets 1 and 2 together look like set 3.
pub(super) const SYMBOLS: &[u8; 8] = b" x+*%#@O";

/// Widest plot; terminals are narrower, and memory is finite.
pub(super) const WIDEST: usize = 1_000_000;

/// A plot, laid out.
pub(super) struct Plot {
    width: usize,
    /// `None` when all numbers are the same.
    body: Option<Body>,
}

struct Body {
    /// Rows of points.
    height: usize,
    tops: Vec<Top>,
    bars: Vec<Vec<u8>>,
}

/// The top of a stack: going down from `row`, which counts from 1 at the bottom, `set` fills `column`.
struct Top {
    row: usize,
    column: usize,
    set: u8,
}

impl Plot {
    pub(super) fn new(sets: &[Dataset], options: &Options) -> Result<Plot, Refused> {
        let width = options.width;
        if width == 1 {
            return Err(Refused::WidthOne);
        }
        if width > WIDEST {
            return Err(Refused::TooWide);
        }
        let axis = Axis::over(sets, options);
        if axis.span == 0.0 {
            return Ok(Plot { width, body: None });
        }
        let stacks = sets.iter().map(|set| stacks(set, &axis)).collect::<Result<Vec<_>, _>>()?;
        let (height, tops) = tops(&stacks);
        let bars = bars(sets, options, &axis)?;
        Ok(Plot { width, body: Some(Body { height, tops, bars }) })
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(body) = &self.body else {
            return out.write_all(b"[no plot, span is zero width]\n");
        };
        let frame = format!("+{}+\n", "-".repeat(self.width));
        out.write_all(frame.as_bytes())?;
        let mut cells = vec![0; self.width];
        let mut line = format!("|{}|\n", " ".repeat(self.width)).into_bytes();
        let mut tops = body.tops.iter().peekable();
        for row in (1..=body.height).rev() {
            while let Some(top) = tops.next_if(|top| top.row >= row) {
                // A plot of width 0 has points and no cell for them.
                if let Some(cell) = cells.get_mut(top.column) {
                    *cell |= top.set;
                    line[top.column + 1] = SYMBOLS[usize::from(*cell)];
                }
            }
            out.write_all(&line)?;
        }
        for bar in &body.bars {
            line[1..=self.width].copy_from_slice(bar);
            out.write_all(&line)?;
        }
        out.write_all(frame.as_bytes())
    }
}

/// Where a number falls.
struct Axis {
    width: usize,
    span: f64,
    /// Value at the left edge of column 0.
    origin: f64,
    /// Value per column.
    step: f64,
}

impl Axis {
    /// Spans all numbers and all mean - stddev .. mean + stddev; a stddev that is not a number changes nothing.
    fn over(sets: &[Dataset], options: &Options) -> Axis {
        // The original starts from these, so numbers beyond them stretch only one end.
        let (mut low, mut high) = (999e99, -999e99);
        for set in sets {
            let (mean, stddev) = (set.mean(), set.stddev(options));
            for value in [set.min(), set.max(), mean - stddev, mean + stddev] {
                if value < low {
                    low = value;
                }
                if value > high {
                    high = value;
                }
            }
        }
        let span = high - low;
        let step = span / (options.width as f64 - 1.0);
        Axis { width: options.width, span, origin: low - 0.5 * step, step }
    }

    /// A plot of width 0 has one column that nobody sees.
    fn columns(&self) -> usize {
        self.width.max(1)
    }

    fn column(&self, value: f64) -> Result<usize, Refused> {
        let column = ((value - self.origin) / self.step).trunc();
        if column >= 0.0 && column < self.columns() as f64 { Ok(column as usize) } else { Err(Refused::NotPlottable) }
    }
}

/// How many numbers of a set fall into each column. The numbers are sorted and so are their columns: their borders are
/// found by bisection.
fn stacks(set: &Dataset, axis: &Axis) -> Result<Vec<usize>, Refused> {
    let mut stacks = vec![0; axis.columns()];
    let last = axis.column(set.max())?;
    let mut rest = set.sorted();
    while let Some(first) = rest.first() {
        let column = axis.column(*first)?;
        let height =
            if column == last { rest.len() } else { rest.partition_point(|value| axis.column(*value) == Ok(column)) };
        stacks[column] = height;
        rest = &rest[height..];
    }
    Ok(stacks)
}

/// Rows of the plot, as many as the last set is high, and the tops of all stacks from the highest down. A set shows no
/// row above the height of any later set: the original clears those when a set after that is higher again.
fn tops(stacks: &[Vec<usize>]) -> (usize, Vec<Top>) {
    let heights: Vec<usize> = stacks.iter().map(|stack| stack.iter().copied().max().unwrap_or(1).max(1)).collect();
    let mut tops = Vec::new();
    for (index, stack) in stacks.iter().enumerate() {
        let visible = heights[index..].iter().copied().min().expect("the set itself");
        let set = index as u8 + 1;
        tops.extend(stack.iter().enumerate().map(|(column, height)| Top { row: *height.min(&visible), column, set }));
    }
    tops.sort_unstable_by_key(|top| Reverse(top.row));
    (heights[heights.len() - 1], tops)
}

/// `|____A__M___|` from mean - stddev to mean + stddev, on one line for all sets or on one each.
fn bars(sets: &[Dataset], options: &Options, axis: &Axis) -> Result<Vec<Vec<u8>>, Refused> {
    let lines = if options.separate_bars { sets.len() } else { 1 };
    let mut bars = vec![vec![b' '; axis.columns()]; lines];
    for (index, set) in sets.iter().enumerate() {
        let bar = &mut bars[index.min(lines - 1)];
        let (mean, stddev) = (set.mean(), set.stddev(options));
        if !stddev.is_nan() {
            let (from, to) = (axis.column(mean - stddev)?, axis.column(mean + stddev)?);
            bar[to] = b'|';
            bar[from] = b'|';
            bar[from..to].iter_mut().filter(|cell| **cell == b' ').for_each(|cell| *cell = b'_');
        }
        bar[axis.column(set.median(options.rules))?] = b'M';
        bar[axis.column(mean)?] = b'A';
    }
    bars.iter_mut().for_each(|bar| bar.truncate(axis.width));
    Ok(bars)
}
