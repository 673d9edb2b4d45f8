//! What should make a reader look twice: stray runs, two modes, drift. Flagged, never dropped.

use super::describe::{mean, squares_about_mean};
use super::student;
use super::summary::median_of_sorted;

/// Share of samples of normal noise that get any flag of a kind.
pub const FALSE_ALARMS: f64 = 0.01;

/// Distance from the median, in robust standard deviations, that the farthest of `n` normal values exceeds in 1 % of
/// samples: simulated, 400,000 samples each (100,000 from 40 on). With five values even 5 is exceeded in 11 %.
const FAR: [(usize, f64); 16] = [
    (4, 16.2),
    (5, 18.3),
    (6, 10.1),
    (7, 10.6),
    (8, 7.9),
    (9, 8.2),
    (10, 6.9),
    (12, 6.3),
    (15, 5.9),
    (20, 5.2),
    (25, 5.0),
    (30, 4.8),
    (40, 4.6),
    (50, 4.5),
    (70, 4.4),
    (100, 4.3),
];

/// The same for the widest gap between neighbours, in standard deviations within the two clusters it makes of at least
/// two values each. From ten values on it is the customary 4, and rarer.
const WIDE: [(usize, f64); 7] = [(4, 16.1), (5, 10.4), (6, 7.5), (7, 6.1), (8, 5.1), (9, 4.4), (10, 4.0)];

/// Makes the median absolute deviation of normal noise its standard deviation.
const MAD_TO_SIGMA: f64 = 1.482_602_218_505_602;

/// Places of the values that lie too far from the median for noise: modified z above a limit that depends on their
/// number, so that normal noise is flagged in 1 % of samples whatever its size. None below four values, where no value can
/// be called far.
///
/// When more than half of the values are equal, all others are flagged.
///
/// # Source
/// Iglewicz and Hoaglin, *How to Detect and Handle Outliers* (1993); limits simulated.
pub fn far_out(values: &[f64]) -> Vec<usize> {
    let Some(limit) = limit(&FAR, values.len()) else {
        return Vec::new();
    };
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = median_of_sorted(&sorted);
    let mut distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    distances.sort_unstable_by(f64::total_cmp);
    let sigma = MAD_TO_SIGMA * median_of_sorted(&distances);
    (0..values.len()).filter(|place| (values[*place] - median).abs() > limit * sigma).collect()
}

/// Sizes of the two clusters, low and high, when the values fall into two, such as 7 and 3; a mean of both describes
/// neither. RSS, queues and NUMA nodes do this.
///
/// Both clusters have at least two values. None below four values.
pub fn two_modes(values: &[f64]) -> Option<(usize, usize)> {
    let limit = limit(&WIDE, values.len())?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    (2..=n - 2)
        .map(|cut| {
            let (low, high) = sorted.split_at(cut);
            let within = ((squares_about_mean(low) + squares_about_mean(high)) / (n - 2) as f64).sqrt();
            (high[0] - low[cut - 1], within, cut)
        })
        .filter(|(gap, within, _)| *gap > limit * within)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, _, cut)| (cut, n - cut))
}

/// The limit for `n` values: that of the largest tabulated number not above `n`.
fn limit(table: &[(usize, f64)], n: usize) -> Option<f64> {
    table.iter().rev().find(|(from, _)| *from <= n).map(|(_, limit)| *limit)
}

/// A straight line through values over some other quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Change of the value per unit.
    pub slope: f64,
    /// Two-sided p value of "no change".
    pub p: f64,
}

/// Least squares line of `values` over `at`: the order of the runs for drift, the position in the block for order effects.
/// Log rates make the slope a share per unit.
///
/// `None` below four points, for slices of different lengths, when all `at` or all residuals are equal, and for what is
/// not finite.
pub fn trend(at: &[f64], values: &[f64]) -> Option<Trend> {
    let n = values.len();
    if n < 4 || at.len() != n || at.iter().chain(values).any(|value| !value.is_finite()) {
        return None;
    }
    let (mean_at, mean_value) = (mean(at), mean(values));
    let products: f64 = at.iter().zip(values).map(|(at, value)| (at - mean_at) * (value - mean_value)).sum();
    let squares = squares_about_mean(at);
    let slope = products / squares;
    let residuals: f64 =
        at.iter().zip(values).map(|(at, value)| (value - mean_value - slope * (at - mean_at)).powi(2)).sum();
    let df = (n - 2) as f64;
    let t = slope / (residuals / df / squares).sqrt();
    t.is_finite().then(|| Trend { slope, p: student::two_sided_p(t, df) })
}

/// Correlation of neighbours in time, -1 to 1; about -1/n for independent noise. `None` below four values or when all are
/// equal.
pub fn lag_one(values: &[f64]) -> Option<f64> {
    if values.len() < 4 {
        return None;
    }
    let mean = mean(values);
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    Some(products / squares_about_mean(values)).filter(|correlation| correlation.is_finite())
}

/// Two-sided p value of "above and below the median follow each other at random" (Wald and Wolfowitz's runs test, normal
/// approximation). Values at the median are left out; `None` with fewer than ten on either side.
///
/// # Source
/// Wald and Wolfowitz, *Annals of Mathematical Statistics* 11 (1940).
pub fn runs_test_p(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    if sorted.is_empty() {
        return None;
    }
    let median = median_of_sorted(&sorted);
    let sides: Vec<bool> = values.iter().filter(|value| **value != median).map(|value| *value > median).collect();
    let above = sides.iter().filter(|side| **side).count();
    let below = sides.len() - above;
    if above.min(below) < 10 {
        return None;
    }
    let runs = 1 + sides.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let (n, pairs) = (sides.len() as f64, 2.0 * above as f64 * below as f64);
    let (expected, variance) = (1.0 + pairs / n, pairs * (pairs - n) / (n * n * (n - 1.0)));
    Some(student::two_sided_p((runs as f64 - expected) / variance.sqrt(), f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Nine calm runs and one at half speed; ten calm ones; too few to say.
    #[test]
    fn a_run_at_half_speed_is_far_out() {
        let mut rates = vec![101.0, 100.0, 99.5, 100.4, 100.9, 99.1, 100.2, 99.8, 100.6, 99.4];
        assert!(far_out(&rates).is_empty());
        rates[6] = 50.0;
        assert_eq!(far_out(&rates), [6]);
        assert!(far_out(&[1.0, 1.0, 50.0]).is_empty());
        assert_eq!(far_out(&[7.0, 7.0, 7.0, 7.0, 8.0]), [4]);
        assert!(far_out(&[7.0; 9]).is_empty());
    }

    // Seven runs on one speed and three on another; one stray run is not a mode; five calm runs are one.
    #[test]
    fn two_speeds_are_two_modes() {
        let rates = [100.0, 120.1, 100.4, 99.8, 119.9, 100.1, 100.3, 99.9, 120.4, 100.2];
        assert_eq!(two_modes(&rates), Some((7, 3)));
        assert_eq!(two_modes(&[100.0, 100.4, 99.8, 100.1, 100.3, 99.9, 100.2, 150.0]), None);
        assert_eq!(two_modes(&[1.0, 2.0, 3.0, 4.0, 5.0]), None);
        assert_eq!(two_modes(&[5.0, 5.0, 9.0, 9.0]), Some((2, 2)));
        assert_eq!(two_modes(&[5.0; 8]), None);
    }

    // The simulated limits hold: 1 % of normal samples are flagged, give or take the simulation.
    #[test]
    fn normal_noise_is_flagged_in_one_percent() {
        let mut random = crate::stats::simulate::Noise::new(11);
        for n in [5, 8, 10, 20] {
            let samples: Vec<Vec<f64>> = (0..8000).map(|_| (0..n).map(|_| random.normal()).collect()).collect();
            let share = |flagged: &dyn Fn(&[f64]) -> bool| {
                samples.iter().filter(|sample| flagged(sample)).count() as f64 / samples.len() as f64
            };
            let far = share(&|sample| !far_out(sample).is_empty());
            assert!((far - FALSE_ALARMS).abs() < 0.004, "{n}: {far}");
            assert!(share(&|sample| two_modes(sample).is_some()) < FALSE_ALARMS + 0.004, "{n}");
        }
    }

    // A line is found with its slope, noise has none, a constant has no answer rather than NaN.
    #[test]
    fn drift_is_a_slope() {
        let at: Vec<f64> = (0..10).map(f64::from).collect();
        let noise = [0.1, -0.2, 0.15, 0.0, -0.1, 0.2, -0.15, 0.05, -0.05, 0.0];
        let drifting: Vec<f64> = at.iter().zip(noise).map(|(at, noise)| 3.0 * at + noise).collect();
        let found = trend(&at, &drifting).unwrap();
        assert!((found.slope - 3.0).abs() < 0.05 && found.p < 1e-10);
        assert!(trend(&at, &noise).unwrap().p > 0.5);
        assert_eq!(trend(&at, &[5.0; 10]), None);
        assert_eq!(trend(&[1.0; 10], &noise), None);
        assert_eq!(trend(&at[..3], &noise[..3]), None);
    }

    // Neighbours that follow each other, alternate, or do not vary.
    #[test]
    fn neighbours_correlate() {
        let waves: Vec<f64> = (0..40).map(|i| f64::from(i / 10 % 2)).collect();
        assert!(lag_one(&waves).unwrap() > 0.8 && runs_test_p(&waves).unwrap() < 1e-6);
        let alternating: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
        assert!(lag_one(&alternating).unwrap() < -0.9 && runs_test_p(&alternating).unwrap() < 1e-6);
        assert_eq!(lag_one(&[3.0; 9]), None);
        assert_eq!(runs_test_p(&[1.0, 2.0, 3.0]), None);
        assert_eq!(runs_test_p(&[]), None);
    }

    proptest! {
        // Unit and zero point do not matter to what is far out or bimodal.
        #[test]
        fn flags_are_invariant(values in prop::collection::vec(0..50i32, 4..15), unit in 1..9i32, shift in -99..99i32) {
            let plain: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
            let moved: Vec<f64> = values.iter().map(|value| f64::from(value * unit * 64 + shift)).collect();
            prop_assert_eq!(two_modes(&plain).is_some(), two_modes(&moved).is_some());
            prop_assert_eq!(far_out(&plain), far_out(&moved));
        }
    }
}
