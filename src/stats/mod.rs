//! The judge's arithmetic: numbers in, verdicts out. No I/O, no clock, no randomness that is not seeded.
//!
//! The unit of analysis is the iteration (or the block): every function here takes one number per iteration. Rates are
//! judged on a log scale, so an effect is a ratio and 1.04 means 4 % faster.

mod describe;
#[cfg(test)]
mod false_verdicts;
pub mod family;
pub mod ministat;
pub mod outliers;
pub mod power;
mod quadrature;
pub mod rank;
pub mod ratio;
pub mod rcbd;
pub mod sequential;
#[cfg(test)]
pub(crate) mod simulate;
pub mod student;
pub mod summary;
pub mod verdict;

pub use ratio::{RatioInterval, one_sample, trimmed, welch};
pub use rcbd::{Rcbd, rcbd};
pub use summary::Summary;
pub use verdict::{Verdict, judge};

/// Why samples give no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// Fewer samples (iterations, blocks) than the method needs.
    #[error("{have} samples are too few: an interval needs at least {need}")]
    TooFew { have: usize, need: usize },
    /// A rate of zero or below, or one that is not a number: such a run is a failure to report, not a sample to average.
    #[error("a rate of {value} cannot be judged: a run that forwarded nothing has failed and is no sample")]
    NotPositive { value: f64 },
    /// All samples agree in every digit.
    #[error(
        "the samples do not vary at all: measured rates always do, so something else set them \
         (the sender, a line rate, a limiter), and without noise there is no interval"
    )]
    NoSpread,
    /// The samples span so many orders of magnitude that the interval reaches beyond a factor of 10^9.
    #[error("the samples span too many orders of magnitude for an interval; one of them is probably in another unit")]
    OutOfRange,
    /// Arms that should share their blocks have different lengths.
    #[error("{found} samples where the other arms have {expected}: every block must hold each arm once")]
    Unbalanced { expected: usize, found: usize },
    /// An analysis in blocks was declared, and rates belong to none.
    #[error("an analysis in blocks was declared, but not every rate belongs to a block of its own")]
    NoBlocks,
}
