//! Student's t, central and noncentral.
//!
//! Degrees of freedom are real numbers above zero, as Welch's are; probabilities lie strictly between 0 and 1.

use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};

use super::quadrature::gauss_legendre;

/// Above so many degrees of freedom Student's t is the normal distribution to eight digits, more than its own series
/// keeps there.
const NORMAL_FROM_DF: f64 = 1e7;

/// The `t` with `P(T <= t) = probability`; `df` may be infinite (the normal distribution).
///
/// # Panics
/// On a `df` that is not positive or a `probability` outside (0, 1): both are the caller's mistake, not the data's.
pub fn quantile(probability: f64, df: f64) -> f64 {
    assert!(probability > 0.0 && probability < 1.0, "probability {probability} outside (0, 1)");
    if probability < 0.5 {
        return -quantile(1.0 - probability, df);
    }
    if df >= NORMAL_FROM_DF {
        return Normal::standard().inverse_cdf(probability);
    }
    // The tail is convex: Newton's method, started below the answer (the normal quantile is), climbs to it and never
    // passes it. The library's own inverse is no choice: it does not return for some degrees of freedom above 10^6.
    let student = central(df);
    let tail = 1.0 - probability;
    let mut t = Normal::standard().inverse_cdf(probability);
    for _ in 0..200 {
        let step = (student.sf(t) - tail) / student.pdf(t);
        t += step;
        if step.abs() <= 1e-15 * t {
            break;
        }
    }
    t
}

/// Half-width of a two-sided interval in standard errors: `critical(0.95, 8.0)` is 2.306.
///
/// # Panics
/// As [`quantile`].
pub fn critical(confidence: f64, df: f64) -> f64 {
    assert!(confidence > 0.0 && confidence < 1.0, "confidence {confidence} outside (0, 1)");
    quantile(0.5 + confidence / 2.0, df)
}

/// `P(T > t)`, without cancellation however small.
pub fn upper_tail(t: f64, df: f64) -> f64 {
    if df >= NORMAL_FROM_DF { Normal::standard().sf(t) } else { central(df).sf(t) }
}

/// `P(|T| > |t|)`: the p value of a two-sided test, at most 1.
pub fn two_sided_p(t: f64, df: f64) -> f64 {
    (2.0 * upper_tail(t.abs(), df)).min(1.0)
}

fn central(df: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, df).expect("degrees of freedom are positive")
}

/// `P(T <= t)` for the noncentral t with noncentrality `delta`: the distribution of `(Z + delta) / S`.
///
/// Exact but for rounding and quadrature, together below 1e-10: no normal approximation.
pub fn noncentral_cdf(t: f64, df: f64, delta: f64) -> f64 {
    let breaks = if t == 0.0 { None } else { Some(delta / t) };
    mean_over_s(df, breaks, t.abs(), |s| standard_normal_cdf(t * s - delta))
}

/// `E[f(S)]` where `S` is the estimated standard deviation over the true one: `S² df` is chi-squared with `df`.
///
/// `f` may rise steeply, over a width of about `1 / steepness`, at `at`; elsewhere it must be smooth on the scale of
/// S itself. Gauss-Legendre panels over the 1e-18 core of S, normalised by the same quadrature, so that no gamma
/// function of a large argument is needed.
pub(super) fn mean_over_s(df: f64, at: Option<f64>, steepness: f64, f: impl Fn(f64) -> f64) -> f64 {
    let mode = ((df - 1.0).max(0.0) / df).sqrt();
    let width = (0.5 / df).sqrt();
    let from = (mode - 12.0 * width).max(0.0);
    let to = mode + 14.0 * width;
    // Density over its value at the mode, written so that large degrees of freedom do not cancel digits.
    let density = |s: f64| {
        if mode == 0.0 {
            return s.powf(df - 1.0) * (-df * s * s / 2.0).exp();
        }
        let off = s / mode - 1.0;
        ((df - 1.0) * (off.ln_1p() - off - off * off / 2.0)).exp()
    };

    let mut edges = vec![from, to];
    edges.extend((1..40).map(|i| from + (to - from) * f64::from(i) / 40.0));
    if let Some(at) = at {
        edges.extend((-20..=20).map(|i| at + f64::from(i) * 0.5 / steepness).filter(|edge| *edge > from && *edge < to));
    }
    edges.sort_unstable_by(f64::total_cmp);

    let (mut mass, mut sum) = (0.0, 0.0);
    for (s, weight) in gauss_legendre(&edges) {
        let share = weight * density(s);
        mass += share;
        sum += share * f(s);
    }
    sum / mass
}

pub(super) fn standard_normal_cdf(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Printed tables of Student's t, and Welch's fractional degrees of freedom.
    #[test]
    fn quantiles_are_the_tables() {
        for (probability, df, t) in [
            (0.975, 1.0, 12.706_204_736_174_7),
            (0.975, 8.0, 2.306_004_135_204_17),
            (0.95, 18.0, 1.734_063_606_617_54),
            (0.975, f64::INFINITY, 1.959_963_984_540_05),
            (0.999, 1.0, 318.308_838_985_55),
            (0.025, 8.0, -2.306_004_135_204_17),
        ] {
            assert!((quantile(probability, df) / t - 1.0).abs() < 1e-12, "{probability} {df}");
        }
    }

    // The inverse undoes the distribution from one to a hundred million degrees of freedom.
    #[test]
    fn quantile_inverts_the_tail() {
        for df in [1.0, 1.5, 4.2, 30.0, 1e3, 4.5e4, 1e6, 1e9] {
            for probability in [0.6, 0.9, 0.975, 0.999, 0.999_99] {
                let back = upper_tail(quantile(probability, df), df);
                assert!((back / (1.0 - probability) - 1.0).abs() < 1e-9, "{probability} {df}: {back}");
            }
        }
    }

    // Without noncentrality it is the central t, left and right of zero.
    #[test]
    fn noncentral_without_shift_is_central() {
        for df in [1.0, 2.0, 4.5, 18.0, 400.0, 45_000.0] {
            for t in [-4.0, -0.3, 0.0, 0.7, 2.1, 30.0] {
                let central = 1.0 - upper_tail(t, df);
                assert!((noncentral_cdf(t, df, 0.0) - central).abs() < 1e-11, "{t} {df}");
            }
        }
    }

    // Values computed from the defining integral with 40-digit arithmetic.
    #[test]
    fn noncentral_is_exact() {
        for (t, df, delta, cdf) in NONCENTRAL {
            assert!(
                (noncentral_cdf(t, df, delta) - cdf).abs() < 1e-10,
                "{t} {df} {delta}: {}",
                noncentral_cdf(t, df, delta)
            );
        }
    }

    const NONCENTRAL: [(f64, f64, f64, f64); 8] = [
        (2.306, 8.0, 2.5, 0.406_933_397_463_321_5),
        (12.706, 1.0, 3.0, 0.813_889_000_017_125_5),
        (-1.5, 3.0, 1.0, 0.018_185_485_409_109_65),
        (4.303, 2.0, 410.0, 0.0),
        (1.96, 45_000.0, 2.8, 0.200_456_166_360_031_3),
        (2.1, 17.3, 0.3, 0.952_561_161_148_263_7),
        (2.0, 4.2, -2.0, 0.999_586_667_524_419),
        (50.0, 9.0, 40.0, 0.762_892_181_742_294_5),
    ];
}
