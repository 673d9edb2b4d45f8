//! What a number of iterations can show: exact power of the t test and of two one-sided tests.
//!
//! Effects, margins and coefficients of variation are on the log scale, where 0.01 is 1 % but for a difference far below
//! what a noise is ever known to.

use super::student::{critical, mean_over_s, noncentral_cdf, standard_normal_cdf};

/// Power a plan should have: four of five such experiments find what is there.
pub const POWER: f64 = 0.8;

/// Beyond so many iterations of each variant the answer is less noise, not more iterations.
pub const MOST_RUNS: u32 = 100_000;

/// How runs become one comparison of two variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// Two groups of runs, each run with the noise `cv`: Welch's test.
    Groups,
    /// Complete blocks of so many arms, `cv` being the noise within a block.
    Blocks { arms: u32 },
    /// One log ratio per block, whose standard deviation is `cv`: the duet, and pairs.
    Ratios,
}

impl Design {
    /// Fewest runs of each variant that leave a degree of freedom.
    const FEWEST: u32 = 2;

    /// True standard error of the log ratio after `n` runs of each variant.
    fn se(self, n: u32, cv: f64) -> f64 {
        let variances = if self == Design::Ratios { 1.0 } else { 2.0 };
        cv * (variances / f64::from(n)).sqrt()
    }

    fn df(self, n: u32) -> f64 {
        let n = f64::from(n);
        match self {
            Design::Groups => 2.0 * (n - 1.0),
            Design::Blocks { arms } => (n - 1.0) * (f64::from(arms) - 1.0),
            Design::Ratios => n - 1.0,
        }
    }
}

/// Fewest runs of each variant with which an effect is found with probability `power`; `None` beyond [`MOST_RUNS`].
///
/// # Panics
/// On an `effect` or `cv` that is not positive and finite, or probabilities outside (0, 1).
pub fn runs_for_effect(design: Design, effect: f64, cv: f64, power: f64, confidence: f64) -> Option<u32> {
    check(effect, cv, power);
    smallest(Design::FEWEST, MOST_RUNS, |n| of_difference(effect / design.se(n, cv), design.df(n), confidence) >= power)
}

/// Fewest runs of each variant with which two one-sided tests prove, with probability `power`, that no effect as large as
/// `margin` exists, when there is none at all; `None` beyond [`MOST_RUNS`]. `confidence` is that of the verdict, 0.95.
///
/// # Panics
/// As [`runs_for_effect`].
pub fn runs_for_equivalence(design: Design, margin: f64, cv: f64, power: f64, confidence: f64) -> Option<u32> {
    check(margin, cv, power);
    let inner = 1.0 - 2.0 * (1.0 - confidence);
    smallest(Design::FEWEST, MOST_RUNS, |n| {
        of_equivalence(0.0, (-margin, margin), design.se(n, cv), design.df(n), inner) >= power
    })
}

/// Smallest effect that `n` runs of each variant find with probability `power`; `None` for fewer than two runs.
///
/// # Panics
/// As [`runs_for_effect`].
pub fn detectable_effect(design: Design, n: u32, cv: f64, power: f64, confidence: f64) -> Option<f64> {
    check(1.0, cv, power);
    if n < Design::FEWEST {
        return None;
    }
    let found = |in_se: f64| of_difference(in_se, design.df(n), confidence) >= power;
    let mut high = 1.0;
    while !found(high) {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if found(middle) { high = middle } else { low = middle }
    }
    Some(high * design.se(n, cv))
}

fn check(effect: f64, cv: f64, power: f64) {
    assert!(effect > 0.0 && effect.is_finite(), "effect {effect} is not positive");
    assert!(cv > 0.0 && cv.is_finite(), "cv {cv} is not positive");
    assert!(power > 0.0 && power < 1.0, "power {power} outside (0, 1)");
}

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
    let mut high = from.max(1);
    while !enough(high) {
        if high >= to {
            return None;
        }
        high = (high * 2).min(to);
    }
    let mut low = from;
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Runs per variant, two-sided 5 %, power .8 and .9: rows are effects, columns coefficients of variation in percent.
    const CVS: [f64; 9] = [0.2, 0.33, 0.5, 0.8, 1.0, 1.4, 1.6, 2.1, 3.8];
    const RUNS: [(f64, f64, [u32; 9]); 7] = [
        (2.0, 0.8, [2, 2, 3, 4, 6, 9, 12, 19, 58]),
        (2.0, 0.9, [2, 3, 3, 5, 7, 12, 15, 25, 77]),
        (1.0, 0.8, [3, 4, 6, 12, 17, 32, 42, 71, 228]),
        (1.0, 0.9, [3, 4, 7, 15, 23, 43, 55, 94, 305]),
        (0.5, 0.8, [4, 8, 17, 42, 64, 125, 162, 278, 908]),
        (0.5, 0.9, [5, 11, 23, 55, 86, 166, 217, 372, 0]),
        (0.1, 0.8, [64, 172, 394, 1006, 1571, 3078, 4020, 6924, 22669]),
    ];

    // The published power table, from another program; 0 stands for a cell it leaves out.
    #[test]
    fn runs_for_an_effect() {
        for (effect, power, runs) in RUNS {
            for (cv, runs) in CVS.iter().zip(runs).filter(|(_, runs)| *runs > 0) {
                let found = runs_for_effect(Design::Groups, effect / 100.0, cv / 100.0, power, 0.95);
                assert_eq!(found, Some(runs), "effect {effect} %, cv {cv} %, power {power}");
            }
        }
    }

    // The published numbers for proving nothing, truth zero. The last cell is 310 there; the normal approximation, which
    // is good at that size, gives 2 (1.645 + 1.282)^2 (2.1 / 0.5)^2 + 1 = 303.
    #[test]
    fn runs_to_prove_nothing() {
        for (margin, runs) in
            [(1.0, [3, 6, 12, 18, 45, 77]), (2.0, [2, 3, 4, 6, 12, 20]), (0.5, [9, 18, 45, 70, 177, 303])]
        {
            for (cv, runs) in [0.33, 0.5, 0.8, 1.0, 1.6, 2.1].iter().zip(runs) {
                let found = runs_for_equivalence(Design::Groups, margin / 100.0, cv / 100.0, 0.8, 0.95);
                assert_eq!(found, Some(runs), "margin {margin} %, cv {cv} %");
            }
        }
    }

    // The published smallest effects at 3, 5, 10, 20 and 30 runs.
    #[test]
    fn detectable_effects() {
        for (cv, effects) in [(0.8, [2.46, 1.62, 1.06, 0.73, 0.59]), (0.33, [1.01, 0.67, 0.44, 0.30, 0.24])] {
            for (n, effect) in [3, 5, 10, 20, 30].into_iter().zip(effects) {
                let found = detectable_effect(Design::Groups, n, cv / 100.0, 0.8, 0.95).unwrap() * 100.0;
                assert!((found - effect).abs() < 0.0051, "{n} runs, cv {cv} %: {found}");
            }
        }
    }

    // The duet's measured numbers: standard error 0.033 % after 100 blocks finds 0.1 to 0.12 % with power 0.9.
    #[test]
    fn ratios_of_a_duet() {
        let effect = detectable_effect(Design::Ratios, 100, 0.0033, 0.9, 0.95).unwrap() * 100.0;
        assert!((0.10..0.12).contains(&effect), "{effect}");
        assert_eq!(detectable_effect(Design::Ratios, 1, 0.0033, 0.9, 0.95), None);
        assert_eq!(runs_for_effect(Design::Groups, 1e-9, 0.01, 0.8, 0.95), None);
    }

    // With no effect a test's power is its level, and equivalence is never found at its border.
    #[test]
    fn power_at_the_borders() {
        assert!((of_difference(0.0, 8.0, 0.95) - 0.05).abs() < 1e-9);
        assert!((of_equivalence(0.01, (-0.01, 0.01), 1e-4, 30.0, 0.90) - 0.05).abs() < 1e-3);
    }

    proptest! {
        // More runs, larger effects and less noise never lower the power.
        #[test]
        fn power_is_monotone(n in 3..60u32, effect in 0.001..0.05f64, cv in 0.001..0.05f64) {
            let power = |n: u32, effect: f64, cv: f64| {
                of_difference(effect / Design::Groups.se(n, cv), Design::Groups.df(n), 0.95)
            };
            let here = power(n, effect, cv);
            prop_assert!(power(n + 1, effect, cv) >= here - 1e-9);
            prop_assert!(power(n, effect * 1.1, cv) >= here - 1e-9);
            prop_assert!(power(n, effect, cv * 1.1) <= here + 1e-9);
        }
    }
}
