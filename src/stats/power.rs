//! What a number of iterations can show: exact power of the t test and of two one-sided tests.
//!
//! Effects and coefficients of variation are on the log scale, where 0.01 is 1 % but for a difference far below what
//! a noise is ever known to.

use super::student::{critical, mean_over_s, noncentral_cdf, standard_normal_cdf};

/// Probability that a two-sided t test with `df` degrees of freedom finds an effect of `effect` standard errors, in its
/// direction or the other.
///
/// # Panics
/// On a `confidence` outside (0, 1) or a `df` that is not positive.
pub fn of_difference(effect: f64, df: f64, confidence: f64) -> f64 {
    let t = critical(confidence, df);
    (1.0 - noncentral_cdf(t, df, effect) + noncentral_cdf(-t, df, effect)).clamp(0.0, 1.0)
}

/// Probability that two one-sided tests prove the effect to lie inside the margins, where all three numbers are logs and
/// `se` is the true standard error of the estimate. `confidence` belongs to the interval that must fit: 0.90 for tests
/// at 5 %.
///
/// # Panics
/// As [`of_difference`].
pub fn of_equivalence(effect: f64, margins: (f64, f64), se: f64, df: f64, confidence: f64) -> f64 {
    let t = critical(confidence, df);
    let (low, high) = ((margins.0 - effect) / se, (margins.1 - effect) / se);
    // The interval fits when low + t S < Z < high - t S; past the S where both meet it cannot.
    let meet = (high - low) / (2.0 * t);
    let fits =
        |s: f64| if s < meet { standard_normal_cdf(high - t * s) - standard_normal_cdf(low + t * s) } else { 0.0 };
    mean_over_s(df, Some(meet), t, fits).clamp(0.0, 1.0)
}

/// Smallest whole number in `from..=to` for which `enough` holds; it must hold for all larger ones too.
pub(super) fn smallest(from: u32, to: u32, enough: impl Fn(u32) -> bool) -> Option<u32> {
    if from > to || !enough(to) {
        return None;
    }
    let (mut low, mut high) = (from, to);
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}
