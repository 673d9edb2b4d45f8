//! One set of numbers and ministat's sums over it.

use super::{Options, Rules, sort};

/// A named set of numbers. Sums run in the order of the input, everything else over the sorted numbers: the last digit
/// depends on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    name: Vec<u8>,
    sum: f64,
    sum_of_squares: f64,
    sorted: Vec<f64>,
}

impl Dataset {
    /// Fewest numbers ministat takes.
    pub const FEWEST: usize = 3;

    /// `None` for fewer than [`Dataset::FEWEST`] numbers.
    pub fn new(name: impl Into<Vec<u8>>, values: Vec<f64>) -> Option<Dataset> {
        if values.len() < Dataset::FEWEST {
            return None;
        }
        let (mut sum, mut sum_of_squares) = (0.0, 0.0);
        for value in &values {
            sum += value;
            sum_of_squares += value * value;
        }
        Some(Dataset { name: name.into(), sum, sum_of_squares, sorted: sort::ascending(values) })
    }

    pub fn name(&self) -> &[u8] {
        &self.name
    }

    pub(super) fn n(&self) -> usize {
        self.sorted.len()
    }

    pub(super) fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// Sorting puts what is not a number at an end.
    pub(super) fn holds_nan(&self) -> bool {
        self.min().is_nan() || self.max().is_nan()
    }

    pub(super) fn min(&self) -> f64 {
        self.sorted[0]
    }

    pub(super) fn max(&self) -> f64 {
        self.sorted[self.n() - 1]
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / self.n() as f64
    }

    pub(super) fn median(&self, rules: Rules) -> f64 {
        let middle = self.n() / 2;
        if self.n() % 2 == 1 || rules.median_is_upper_middle() {
            return self.sorted[middle];
        }
        (self.sorted[middle] + self.sorted[middle - 1]) / 2.0
    }

    /// In one pass it loses all digits of nearly equal numbers and can even be negative.
    pub(super) fn variance(&self, rules: Rules) -> f64 {
        let n = self.n() as f64;
        if rules.variance_in_one_pass() {
            return (self.sum_of_squares - self.sum * self.sum / n) / (n - 1.0);
        }
        let mean = self.mean();
        let mut squares = 0.0;
        for value in &self.sorted {
            squares += (value - mean) * (value - mean);
        }
        squares / (n - 1.0)
    }

    /// Not a number when the variance is negative.
    pub(super) fn stddev(&self, options: &Options) -> f64 {
        let n = self.n() as f64;
        let sample = self.variance(options.rules).sqrt();
        if options.population { sample * ((n - 1.0) / n).sqrt() } else { sample }
    }
}
