//! Randomised complete blocks: every block holds one iteration of every arm.

use super::StatsError;
use super::describe::mean;
use super::ratio::{FEWEST, ROUNDING, RatioInterval, log};

/// Additive model, log(rate) = block + arm + noise, for any number of arms.
#[derive(Debug, Clone, PartialEq)]
pub struct Rcbd {
    /// Mean log rate of each arm.
    arms: Vec<f64>,
    pub blocks: usize,
    /// Degrees of freedom of the noise: (blocks - 1) * (arms - 1).
    pub df: f64,
    /// Variance of the noise on the log scale, pooled over arms.
    pub noise: f64,
    /// Share of the variance between runs that blocks took away, 0 to 1 (intraclass correlation).
    ///
    /// With two arms, pairing pays when it exceeds about 0.31 at 5 blocks, 0.14 at 10, 0.04 at 30.
    pub block_share: f64,
}

impl Rcbd {
    /// Ratio of arm `candidate` to arm `baseline`, by index, with the noise of all arms. With two arms it is the
    /// paired t.
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`] when a bound lies beyond 10^-9 or 10^9.
    ///
    /// # Panics
    /// On an index beyond the arms or a `confidence` outside (0, 1).
    pub fn contrast(&self, baseline: usize, candidate: usize, confidence: f64) -> Result<RatioInterval, StatsError> {
        let se = (2.0 * self.noise / self.blocks as f64).sqrt();
        let estimate = self.arms[candidate] - self.arms[baseline];
        RatioInterval::from_log(estimate, se, self.df, self.blocks, confidence)
    }
}

/// Analyses `arms`, each with one positive rate per block, the blocks in the same order in every arm.
///
/// # Errors
/// [`StatsError::TooFew`] under three blocks or two arms; [`StatsError::Unbalanced`] when an arm misses a block;
/// [`StatsError::NotPositive`]; [`StatsError::NoSpread`] when blocks and arms leave no noise at all.
///
/// # Source
/// Fisher, *The Design of Experiments* (1935), chapter IV.
pub fn rcbd(arms: &[&[f64]]) -> Result<Rcbd, StatsError> {
    if arms.len() < 2 {
        return Err(StatsError::TooFew { have: arms.len(), need: 2 });
    }
    let blocks = arms[0].len();
    if let Some(arm) = arms.iter().find(|arm| arm.len() != blocks) {
        return Err(StatsError::Unbalanced { expected: blocks, found: arm.len() });
    }
    let logs = arms
        .iter()
        .map(|arm| arm.iter().map(|rate| log(*rate)).collect::<Result<Vec<f64>, _>>())
        .collect::<Result<Vec<_>, _>>()?;
    if blocks < FEWEST {
        return Err(StatsError::TooFew { have: blocks, need: FEWEST });
    }

    let k = arms.len() as f64;
    let b = blocks as f64;
    let arm_means: Vec<f64> = logs.iter().map(|arm| mean(arm)).collect();
    let block_means: Vec<f64> = (0..blocks).map(|i| logs.iter().map(|arm| arm[i]).sum::<f64>() / k).collect();
    let grand = mean(&block_means);
    let mut squares = 0.0;
    for (arm, arm_mean) in logs.iter().zip(&arm_means) {
        for (log, block_mean) in arm.iter().zip(&block_means) {
            squares += (log - arm_mean - block_mean + grand).powi(2);
        }
    }
    let df = (b - 1.0) * (k - 1.0);
    let noise = squares / df;
    if noise.sqrt() < ROUNDING {
        return Err(StatsError::NoSpread);
    }
    let between = k * block_means.iter().map(|mean| (mean - grand).powi(2)).sum::<f64>() / (b - 1.0);
    let of_blocks = ((between - noise) / k).max(0.0);
    Ok(Rcbd { arms: arm_means, blocks, df, noise, block_share: of_blocks / (of_blocks + noise) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::ratio::{log_ratios, one_sample};
    use proptest::prelude::*;

    // Three arms, four blocks, sums of squares by hand on the log scale: residuals are +-1 and 0 times 0.001.
    #[test]
    fn three_arms_by_hand() {
        let e = |thousandths: f64| (thousandths / 1000.0f64).exp();
        let arm = |effect: f64, noise: [f64; 4]| -> Vec<f64> {
            [0.0, 10.0, 20.0, 30.0].iter().zip(noise).map(|(block, noise)| e(effect + block + noise)).collect()
        };
        let base = arm(0.0, [1.0, -1.0, 0.0, 0.0]);
        let second = arm(5.0, [-1.0, 1.0, 0.0, 0.0]);
        let third = arm(-8.0, [0.0, 0.0, 0.0, 0.0]);
        let fit = rcbd(&[&base, &second, &third]).unwrap();
        assert_eq!(fit.df, 6.0);
        assert!((fit.noise / (4e-6 / 6.0) - 1.0).abs() < 1e-9, "{fit:?}");
        let effect = fit.contrast(0, 2, 0.95).unwrap();
        assert!(
            (effect.ratio.ln() + 0.008).abs() < 1e-12 && (effect.se.powi(2) / (fit.noise / 2.0) - 1.0).abs() < 1e-9
        );
        assert!(fit.block_share > 0.99);
    }

    // Blocks that agree to the last digit leave no noise to judge against; a missing block is named.
    #[test]
    fn refuses_what_has_no_answer() {
        let base = [100.0, 200.0, 400.0];
        assert_eq!(rcbd(&[&base, &base]), Err(StatsError::NoSpread));
        assert_eq!(rcbd(&[&base, &base[..2]]), Err(StatsError::Unbalanced { expected: 3, found: 2 }));
        assert_eq!(rcbd(&[&base]), Err(StatsError::TooFew { have: 1, need: 2 }));
        assert_eq!(rcbd(&[&base[..2], &base[..2]]), Err(StatsError::TooFew { have: 2, need: 3 }));
        assert_eq!(rcbd(&[&base, &[1.0, 0.0, 2.0]]), Err(StatsError::NotPositive { value: 0.0 }));
    }

    proptest! {
        // With two arms the model is the paired t, exactly.
        #[test]
        fn two_arms_are_the_paired_t(pairs in prop::collection::vec((1e5..1e6f64, 1e5..1e6f64), 3..20)) {
            let (before, after): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let paired = one_sample(&log_ratios(&before, &after).unwrap(), 0.95).unwrap();
            let blocked = rcbd(&[&before, &after]).unwrap().contrast(0, 1, 0.95).unwrap();
            prop_assert!((paired.low / blocked.low - 1.0).abs() < 1e-9 && (paired.p - blocked.p).abs() < 1e-9);
            prop_assert_eq!(paired.df, blocked.df);
        }
    }
}
