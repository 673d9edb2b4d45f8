//! What a column of numbers looks like.

use super::describe::{mean, stddev};

/// The usual description of a sample, in the sample's own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub n: usize,
    pub min: f64,
    pub max: f64,
    /// Middle value; the mean of the two middle ones when `n` is even.
    pub median: f64,
    pub mean: f64,
    /// Standard deviation with n - 1; `None` for a single value, whose spread is unknown rather than zero.
    pub stddev: Option<f64>,
}

impl Summary {
    /// Describes `values`, in any order: the answer does not depend on it, to the last digit.
    ///
    /// `None` when there is no value, or one that is not a finite number. Values up to the limits of `f64` do not
    /// overflow on the way.
    pub fn of(values: &[f64]) -> Option<Summary> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        // A power of two, so that scaling is exact; it keeps squares and sums away from the limits of f64.
        let largest = sorted[0].abs().max(sorted[sorted.len() - 1].abs());
        let scale = power_of_two_below(largest);
        let scaled: Vec<f64> = sorted.iter().map(|value| value / scale).collect();
        let stddev = stddev(&scaled).map(|deviation| deviation * scale).filter(|deviation| deviation.is_finite());
        Some(Summary {
            n: sorted.len(),
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            median: median_of_sorted(&scaled) * scale,
            mean: (mean(&scaled) * scale).clamp(sorted[0], sorted[sorted.len() - 1]),
            stddev,
        })
    }

    /// Standard deviation as a share of the mean, 0.008 for 0.8 %; `None` without a spread or with a mean of zero.
    pub fn cv(&self) -> Option<f64> {
        self.stddev.map(|deviation| deviation / self.mean.abs()).filter(|cv| cv.is_finite())
    }
}

/// Median of values in ascending order: the mean of the two middle ones when their number is even.
///
/// # Panics
/// On an empty slice.
pub fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

fn power_of_two_below(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & 0x7ff0_0000_0000_0000).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // The textbook sample: mean 5, sum of squared deviations 32, so n - 1 gives sqrt(32/7).
    #[test]
    fn describes_a_known_sample() {
        let summary = Summary::of(&[9.0, 2.0, 4.0, 5.0, 4.0, 4.0, 7.0, 5.0]).unwrap();
        assert_eq!((summary.n, summary.min, summary.max, summary.median, summary.mean), (8, 2.0, 9.0, 4.5, 5.0));
        assert!((summary.stddev.unwrap() - (32.0f64 / 7.0).sqrt()).abs() < 1e-15);
    }

    // One value has no known spread, none and non-numbers have no description at all.
    #[test]
    fn says_nothing_where_there_is_nothing_to_say() {
        assert_eq!(Summary::of(&[7.0]).unwrap().stddev, None);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
        assert_eq!(Summary::of(&[1.0, f64::INFINITY]), None);
        assert_eq!(Summary::of(&[0.0, 0.0]).unwrap().cv(), None);
    }

    // Squares of 1e300 overflow and squares of 1e-320 vanish; the description does neither.
    #[test]
    fn survives_the_limits_of_f64() {
        for unit in [1e300, 1e18, 1e-300, 5e-324, f64::MAX / 4.0] {
            let summary = Summary::of(&[unit, 2.0 * unit, 3.0 * unit]).unwrap();
            assert_eq!(summary.mean, 2.0 * unit, "{unit}");
            assert!((summary.stddev.unwrap() / unit - 1.0).abs() < 1e-15, "{unit}");
        }
    }

    proptest! {
        // Order of the runs must not change a digit, and the middle lies in the middle.
        #[test]
        fn is_independent_of_order(mut values in prop::collection::vec(-1e12..1e12f64, 1..40)) {
            let summary = Summary::of(&values).unwrap();
            values.reverse();
            prop_assert_eq!(Summary::of(&values).unwrap(), summary);
            prop_assert!(summary.min <= summary.mean && summary.mean <= summary.max);
            prop_assert!(summary.min <= summary.median && summary.median <= summary.max);
        }
    }
}
