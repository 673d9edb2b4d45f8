//! ministat's table of Student's t, generated.

use crate::stats::student;

/// One of the six confidence levels, with the quantile its column of the table holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    percent: f64,
    quantile: f64,
}

/// The last column is labelled 99.5 % and holds the quantile 0.999, which is 99.8 % of a two-sided test. Digits must
/// match, so it stays.
const LEVELS: [Confidence; 6] = [
    Confidence { percent: 80.0, quantile: 0.90 },
    Confidence { percent: 90.0, quantile: 0.95 },
    Confidence { percent: 95.0, quantile: 0.975 },
    Confidence { percent: 98.0, quantile: 0.99 },
    Confidence { percent: 99.0, quantile: 0.995 },
    Confidence { percent: 99.5, quantile: 0.999 },
];

/// Values of the last column, by degrees of freedom, that are not the rounded quantile.
const EXCEPTIONS: [(usize, f64); 7] =
    [(1, 318.313), (7, 4.782), (8, 4.499), (9, 4.296), (10, 4.143), (11, 4.024), (12, 3.929)];

/// Above so many degrees of freedom the table has one row, the normal distribution's.
const ROWS: usize = 100;

impl Confidence {
    pub const P95: Confidence = LEVELS[2];

    /// The level of so many percent, when it is one of 80, 90, 95, 98, 99 and 99.5.
    pub fn of_percent(percent: f64) -> Option<Confidence> {
        LEVELS.into_iter().find(|level| level.percent == percent)
    }

    /// What the level calls itself: 99.5 for the column that is 99.8 % in truth.
    pub fn percent(self) -> f64 {
        self.percent
    }

    /// Probability of the two-sided interval: 0.998 for the column called 99.5.
    pub fn two_sided(self) -> f64 {
        2.0 * self.quantile - 1.0
    }

    /// The table's value: the quantile rounded half up to three decimals, but for seven values of the last column.
    pub(super) fn critical(self, df: usize) -> f64 {
        let last_column = self == LEVELS[5];
        if let Some((_, value)) = EXCEPTIONS.iter().find(|(row, _)| last_column && *row == df) {
            return *value;
        }
        let df = if df > ROWS { f64::INFINITY } else { df as f64 };
        (student::quantile(self.quantile, df) * 1000.0 + 0.5).floor() / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values every printed table of Student's t shows.
    #[test]
    fn holds_the_printed_values() {
        for (percent, df, t) in [
            (95.0, 4, 2.776),
            (95.0, 8, 2.306),
            (95.0, 18, 2.101),
            (95.0, 100, 1.984),
            (95.0, 101, 1.960),
            (80.0, 1, 3.078),
            (99.0, 2, 9.925),
            (99.5, 4, 7.173),
            (99.5, 18, 3.610),
            (99.5, 8, 4.499),
        ] {
            assert_eq!(Confidence::of_percent(percent).unwrap().critical(df), t, "{percent} {df}");
        }
        assert_eq!(Confidence::of_percent(97.0), None);
    }

    // Rounding is only safe while no quantile lies on a half: none of the 606 comes closer than the quantile is exact.
    #[test]
    fn no_value_is_in_doubt() {
        for level in LEVELS {
            for df in (1..=ROWS).map(|df| df as f64).chain([f64::INFINITY]) {
                let thousandths = student::quantile(level.quantile, df) * 1000.0;
                assert!((thousandths.fract() - 0.5).abs() > 1e-5, "{df} {level:?} {thousandths}");
            }
        }
    }
}
