//! From an interval to a verdict, and to the sentence a reviewer can paste.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ratio::RatioInterval;
use super::{power, student};

/// What an interval says about an effect, given the margin below which an effect does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// Slower.
    Regressed,
    /// Faster.
    Improved,
    /// Really slower or faster, but by less than the margin.
    Negligible,
    /// No effect as large as the margin; none at all may well be.
    Equivalent,
    /// Neither an effect nor its absence is shown.
    Inconclusive {
        /// Further iterations per variant (or blocks) that would settle it with a probability of 0.8 if the
        /// estimate and the noise stayed as they are; `None` when more than [`MOST_FURTHER_RUNS`] would be needed.
        more: Option<u32>,
    },
}

/// Beyond so many further iterations another experiment is better advice than a longer one.
pub const MOST_FURTHER_RUNS: u32 = 1000;

impl Verdict {
    /// The verdict in one lower-case word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Regressed => "regressed",
            Verdict::Improved => "improved",
            Verdict::Negligible => "negligible",
            Verdict::Equivalent => "equivalent",
            Verdict::Inconclusive { .. } => "inconclusive",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Judges an interval against `margin`, a share: 0.01 for 1 %.
///
/// With the interval's own confidence `c` an effect is real when 1 lies outside; it is smaller than the margin when the
/// interval at `1 - 2 (1 - c)` lies inside `1 - margin` to `1 + margin` (for 95 %: the 90 % interval, which is two
/// one-sided tests at 5 %).
///
/// # Panics
/// On a `margin` outside (0, 1), or an interval with a confidence of 0.5 or below.
///
/// # Source
/// Schuirmann, *J. Pharmacokinetics and Biopharmaceutics* 15 (1987), for the two one-sided tests.
pub fn judge(interval: &RatioInterval, margin: f64) -> Verdict {
    assert!(margin > 0.0 && margin < 1.0, "margin {margin} outside (0, 1)");
    let real = interval.high < 1.0 || interval.low > 1.0;
    let narrow = small_effect_interval(interval);
    let small = narrow.low > 1.0 - margin && narrow.high < 1.0 + margin;
    match (real, small) {
        (true, true) => Verdict::Negligible,
        (false, true) => Verdict::Equivalent,
        (true, false) if interval.ratio < 1.0 => Verdict::Regressed,
        (true, false) => Verdict::Improved,
        (false, false) => Verdict::Inconclusive { more: further_runs(interval, margin) },
    }
}

/// p value of "there is an effect as large as `margin`": the larger of the two one-sided tests'. The interval that
/// [`judge`] holds against the margin lies inside it exactly when this is below `1 - confidence`.
///
/// # Panics
/// On a `margin` outside (0, 1).
pub fn equivalence_p(interval: &RatioInterval, margin: f64) -> f64 {
    assert!(margin > 0.0 && margin < 1.0, "margin {margin} outside (0, 1)");
    let estimate = interval.ratio.ln();
    let tail = |distance: f64| student::upper_tail(distance / interval.se, interval.df);
    tail(estimate - (1.0 - margin).ln()).max(tail((1.0 + margin).ln() - estimate))
}

/// The interval that shows an effect to be small, that of two one-sided tests: each of its tails is as wide as both tails
/// of `interval`, 90 % for 95 %.
///
/// # Panics
/// On an interval with a confidence of 0.5 or below.
pub fn small_effect_interval(interval: &RatioInterval) -> RatioInterval {
    interval.at(1.0 - 2.0 * (1.0 - interval.confidence))
}

/// Further runs after which either an effect or its smallness is found with [`power::POWER`]. Noise shrinks with the root of
/// the runs, degrees of freedom grow with them.
fn further_runs(interval: &RatioInterval, margin: f64) -> Option<u32> {
    let runs = f64::from(interval.runs);
    let effect = interval.ratio.ln();
    let margins = ((1.0 - margin).ln(), (1.0 + margin).ln());
    let after = |more: u32| {
        let total = runs + f64::from(more);
        (interval.se * (runs / total).sqrt(), interval.df * (total - 1.0) / (runs - 1.0))
    };
    let found = power::smallest(1, MOST_FURTHER_RUNS, |more| {
        let (se, df) = after(more);
        power::of_difference(effect / se, df, interval.confidence) >= power::POWER
    });
    let tost = 1.0 - 2.0 * (1.0 - interval.confidence);
    let shown_small = power::smallest(1, MOST_FURTHER_RUNS, |more| {
        let (se, df) = after(more);
        power::of_equivalence(effect, margins, se, df, tost) >= power::POWER
    });
    found.into_iter().chain(shown_small).min()
}

/// The verdict as a sentence without a full stop, with the interval that proves it: "slower by 2.4 % (95 % CI 1.9 to
/// 2.9 %)". As many decimals as the interval deserves, and enough that no bound is rounded across 0 or the margin.
///
/// # Panics
/// As [`judge`].
pub fn sentence(interval: &RatioInterval, margin: f64) -> String {
    let verdict = judge(interval, margin);
    let limit = plain(margin * 100.0);
    let shown = if verdict == Verdict::Equivalent { small_effect_interval(interval) } else { *interval };
    let confidence = plain(shown.confidence * 100.0);
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let (low, estimate, high) = (percent(shown.low), percent(shown.ratio), percent(shown.high));
    let digits = decimals(&[low, high], margin * 100.0);
    let (word, from, to) = if estimate < 0.0 { ("slower", -high, -low) } else { ("faster", low, high) };
    let size = estimate.abs();
    match verdict {
        Verdict::Regressed | Verdict::Improved => {
            let beyond =
                if from > margin * 100.0 { format!(", more than the margin of {limit} %") } else { String::new() };
            format!("{word} by {size:.digits$} % ({confidence} % CI {from:.digits$} to {to:.digits$} %){beyond}")
        }
        Verdict::Negligible => format!(
            "{word} by {size:.digits$} % ({confidence} % CI {from:.digits$} to {to:.digits$} %): real, but smaller than {limit} %"
        ),
        Verdict::Equivalent => format!(
            "no impact larger than {limit} % ({estimate:+.digits$} %, {confidence} % CI {low:+.digits$} to {high:+.digits$} %)"
        ),
        Verdict::Inconclusive { more } => {
            let advice = match more {
                Some(1) => "about 1 more iteration of each variant would settle it".to_string(),
                Some(more) => format!("about {more} more iterations of each variant would settle it"),
                None => format!("not even {MOST_FURTHER_RUNS} more iterations would settle it, only less noise"),
            };
            format!(
                "cannot exclude {low:+.digits$} to {high:+.digits$} % ({confidence} % CI, estimate {estimate:+.digits$} %); {advice}"
            )
        }
    }
}

/// Decimals that show the half-width of `bounds` with one digit or two, and more while a bound would read as 0 or as the
/// margin; all in percent.
pub fn decimals(bounds: &[f64; 2], margin: f64) -> usize {
    let half = (bounds[1] - bounds[0]) / 2.0;
    let enough = if half >= 0.2 { 1 } else { 2 };
    (enough..6)
        .find(|digits| {
            let shown = |value: f64| format!("{:.*}", *digits, value.abs());
            bounds.iter().all(|bound| shown(*bound) != shown(0.0) && shown(*bound) != shown(margin))
        })
        .unwrap_or(6)
}

/// A number without superfluous zeros: 95, 99.5, 0.25.
fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval(percent: f64, half: f64) -> RatioInterval {
        let t = super::super::student::critical(0.95, 18.0);
        RatioInterval::from_log((1.0 + percent / 100.0).ln(), half / 100.0 / t, 18.0, 10, 0.95).unwrap()
    }

    // One interval per verdict, at a margin of 1 %.
    #[test]
    fn five_verdicts() {
        assert_eq!(judge(&interval(-2.4, 0.5), 0.01), Verdict::Regressed);
        assert_eq!(judge(&interval(1.8, 1.4), 0.01), Verdict::Improved);
        assert_eq!(judge(&interval(-0.4, 0.3), 0.01), Verdict::Negligible);
        assert_eq!(judge(&interval(0.1, 0.5), 0.01), Verdict::Equivalent);
        assert!(matches!(judge(&interval(0.86, 0.88), 0.01), Verdict::Inconclusive { .. }));
    }

    // The published example: +0.86 % from 10 iterations that varied by 0.92 % needs 20 for a power of 0.8.
    #[test]
    fn forecast_of_the_published_example() {
        assert_eq!(judge(&interval(0.86, 0.87), 0.01), Verdict::Inconclusive { more: Some(10) });
        assert_eq!(judge(&interval(0.9, 90.0), 0.01), Verdict::Inconclusive { more: None });
    }

    // Sentences as a reviewer pastes them.
    #[test]
    fn sentences() {
        for (percent, half, text) in [
            (-2.4, 0.5, "slower by 2.4 % (95 % CI 1.9 to 2.9 %), more than the margin of 1 %"),
            (1.45, 0.58, "faster by 1.4 % (95 % CI 0.9 to 2.0 %)"),
            (-0.4, 0.3, "slower by 0.4 % (95 % CI 0.1 to 0.7 %): real, but smaller than 1 %"),
            (0.05, 0.84, "no impact larger than 1 % (+0.0 %, 90 % CI -0.6 to +0.7 %)"),
            (
                0.86,
                0.87,
                "cannot exclude -0.01 to +1.74 % (95 % CI, estimate +0.86 %); about 10 more iterations of each variant would settle it",
            ),
        ] {
            assert_eq!(sentence(&interval(percent, half), 0.01), text);
        }
    }

    // A bound of 0.996 % must not read as "1.0 %" in a sentence that claims "smaller than 1 %".
    #[test]
    fn no_bound_is_rounded_across_the_margin() {
        assert_eq!(decimals(&[-0.5, 0.996], 1.0), 3);
        assert_eq!(decimals(&[-0.004, 0.6], 1.0), 3);
        assert_eq!(decimals(&[77.1, 88.1], 1.0), 1);
    }

    proptest! {
        // Swapping the sides swaps slower and faster and changes nothing else, but for the margin's own asymmetry
        // (1 / 1.01 is not 0.99), which stays out of the way here.
        #[test]
        fn verdicts_are_symmetric(percent in -5.0..5.0f64, half in 0.05..4.0f64) {
            let one = interval(percent, half);
            let other = interval(100.0 / (1.0 + percent / 100.0) - 100.0, half);
            let narrow = small_effect_interval(&one);
            prop_assume!([narrow.low, narrow.high].iter().all(|bound| (bound.ln().abs() - 0.01).abs() > 2e-4));
            let expected = match judge(&one, 0.01) {
                Verdict::Regressed => "improved",
                Verdict::Improved => "regressed",
                same => same.word(),
            };
            prop_assert_eq!(judge(&other, 0.01).word(), expected);
        }

        // The p value of equivalence and the interval inside the margin are one test.
        #[test]
        fn equivalence_p_is_the_interval(percent in -2.0..2.0f64, half in 0.05..2.0f64) {
            let one = interval(percent, half);
            let small = matches!(judge(&one, 0.01), Verdict::Negligible | Verdict::Equivalent);
            let p = equivalence_p(&one, 0.01);
            prop_assume!((p - 0.05).abs() > 1e-9);
            prop_assert_eq!(small, p < 0.05);
        }

        // A wider margin never turns "small" into something else.
        #[test]
        fn a_wider_margin_only_forgives(percent in -3.0..3.0f64, half in 0.05..3.0f64) {
            let small = |verdict: Verdict| matches!(verdict, Verdict::Negligible | Verdict::Equivalent);
            let one = interval(percent, half);
            prop_assert!(!small(judge(&one, 0.01)) || small(judge(&one, 0.02)));
        }
    }
}
