//! FreeBSD's ministat(1), byte for byte: numbers in, its text out.
//!
//! Its test is Student's with a pooled variance, every set against the first, without a correction for many tests. The
//! tool's own verdicts use Welch's test instead; this module exists because people compare digits.

mod general;
mod parse;
mod plain;
mod plot;
mod sort;
mod strtod;
mod table;
mod vitals;

pub use parse::{BadLine, Column, parse};
pub use strtod::strtod;
pub use table::Confidence;
pub use vitals::Dataset;

use std::io::{self, Write};

pub(crate) use general::General;
use plot::Plot;

/// Which ministat: published tables come from four, which differ in their arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rules {
    /// Debian's package: upper middle as the median, variance in one pass, relative error over the reference's mean.
    Debian20150715,
    /// FreeBSD of 2015 and early 2016: as Debian's with the usual median.
    Fbsd2015,
    /// FreeBSD of 2016 to 2018: as 2015 with the error of a ratio.
    Fbsd2016,
    /// FreeBSD since about 2018: as 2016 with a variance in two passes; options `-q` and `-P`.
    #[default]
    Modern,
}

impl Rules {
    pub const ALL: [Rules; 4] = [Rules::Debian20150715, Rules::Fbsd2015, Rules::Fbsd2016, Rules::Modern];

    pub fn name(self) -> &'static str {
        match self {
            Rules::Debian20150715 => "debian20150715",
            Rules::Fbsd2015 => "fbsd2015",
            Rules::Fbsd2016 => "fbsd2016",
            Rules::Modern => "modern",
        }
    }

    /// The rules called `name`, or `None`.
    pub fn named(name: &str) -> Option<Rules> {
        Rules::ALL.into_iter().find(|rules| rules.name() == name)
    }

    fn median_is_upper_middle(self) -> bool {
        self == Rules::Debian20150715
    }

    fn variance_in_one_pass(self) -> bool {
        self != Rules::Modern
    }

    fn error_of_a_ratio(self) -> bool {
        matches!(self, Rules::Fbsd2016 | Rules::Modern)
    }
}

/// What ministat's command line says, but for the files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    pub rules: Rules,
    pub confidence: Confidence,
    /// Columns between the plot's frames: 0, or at least 2 (`-w`).
    pub width: usize,
    /// One bar line per set (`-s`) rather than one for all.
    pub separate_bars: bool,
    /// Off with `-A` and `-n`.
    pub plot: bool,
    /// Off with `-n` and `-P`.
    pub tests: bool,
    /// Legend and column heads; off with `-q`.
    pub heads: bool,
    /// Standard deviation of a population, with n in place of n - 1 (`-P`).
    pub population: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rules: Rules::Modern,
            confidence: Confidence::P95,
            width: 74,
            separate_bars: false,
            plot: true,
            tests: true,
            heads: true,
            population: false,
        }
    }
}

/// Input on which the original crashes, or would have to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("a plot cannot be 1 column wide (the original crashes): use -w 0, -w 2 or more, or -A for no plot")]
    WidthOne,
    #[error("a plot cannot be wider than {} columns", plot::WIDEST)]
    TooWide,
    #[error(
        "no plot of these numbers is possible, they are infinite or too far apart (the original crashes): use -A for no plot"
    )]
    NotPlottable,
    #[error("a NaN among the numbers has no place in their order (the original's answer depends on how it sorts)")]
    NotANumber,
    #[error("Too many datasets.")]
    TooManySets,
}

/// Most sets one table takes.
pub const MOST_SETS: usize = 7;

/// ministat's standard output for `sets`, the first of which is the reference.
///
/// # Errors
/// [`Refused`], where the original crashes.
///
/// # Panics
/// Without any set.
pub fn render(sets: &[Dataset], options: &Options) -> Result<String, Refused> {
    let mut out = Vec::new();
    Table::new(sets, options)?.write(&mut out).expect("a Vec takes all that is written to it");
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// What [`render`] renders, ready to be written: names may be other than UTF-8, and the plot of a million numbers is
/// millions of bytes.
pub struct Table<'a> {
    sets: &'a [Dataset],
    options: &'a Options,
    plot: Option<Plot>,
}

impl<'a> Table<'a> {
    /// # Errors
    /// [`Refused`], where the original crashes.
    ///
    /// # Panics
    /// Without any set.
    pub fn new(sets: &'a [Dataset], options: &'a Options) -> Result<Table<'a>, Refused> {
        if sets.len() > MOST_SETS {
            return Err(Refused::TooManySets);
        }
        if sets.iter().any(Dataset::holds_nan) {
            return Err(Refused::NotANumber);
        }
        let plot = if options.plot { Some(Plot::new(sets, options)?) } else { None };
        Ok(Table { sets, options, plot })
    }

    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let symbols = || plot::SYMBOLS.iter().skip(1).map(|symbol| *symbol as char);
        if self.options.heads {
            for (set, symbol) in self.sets.iter().zip(symbols()) {
                write!(out, "{symbol} ")?;
                out.write_all(set.name())?;
                out.write_all(b"\n")?;
            }
        }
        if let Some(plot) = &self.plot {
            plot.write(out)?;
        }
        if self.options.heads {
            out.write_all(b"    N           Min           Max        Median           Avg        Stddev\n")?;
        }
        for (index, (set, symbol)) in self.sets.iter().zip(symbols()).enumerate() {
            write!(out, "{symbol} {:3}", set.n())?;
            let (median, stddev) = (set.median(self.options.rules), set.stddev(self.options));
            for value in [set.min(), set.max(), median, set.mean(), stddev] {
                write!(out, " {:>13}", General(value, 8))?;
            }
            out.write_all(b"\n")?;
            if index > 0 && self.options.tests {
                compare(&self.sets[0], set, self.options, out)?;
            }
        }
        Ok(())
    }
}

/// The lines under a set that say whether it differs from the reference. The order of operations is the original's:
/// the last digit depends on it.
fn compare(reference: &Dataset, set: &Dataset, options: &Options, out: &mut impl Write) -> io::Result<()> {
    let (n1, n2) = (reference.n() as f64, set.n() as f64);
    let (mean1, mean2) = (reference.mean(), set.mean());
    let (variance1, variance2) = (reference.variance(options.rules), set.variance(options.rules));
    let df = n1 + n2 - 2.0;
    let t = options.confidence.critical(reference.n() + set.n() - 2);
    let pooled = (((n2 - 1.0) * variance2 + (n1 - 1.0) * variance1) / df).sqrt();
    let difference = mean2 - mean1;
    let error = t * (pooled * (1.0 / n2 + 1.0 / n1).sqrt());
    let relative = if options.rules.error_of_a_ratio() {
        let squares = (n2 - 1.0) * variance2 + (n1 - 1.0) * variance1 * (mean2 * mean2) / (mean1 * mean1);
        t * (squares * ((n2 + n1) / (n2 * n1 * df))).sqrt()
    } else {
        error
    };
    let level = options.confidence.percent();
    let g = |value: f64| General(value, 6);
    if difference.abs() > error {
        writeln!(out, "Difference at {level:.1}% confidence")?;
        writeln!(out, "\t{} +/- {}", g(difference), g(error))?;
        writeln!(out, "\t{}% +/- {}%", g(difference * 100.0 / mean1), g(relative * 100.0 / mean1))?;
        writeln!(out, "\t(Student's t, pooled s = {})", g(pooled))
    } else {
        writeln!(out, "No difference proven at {level:.1}% confidence")
    }
}
