//! The comparison as a check in continuous integration.

use super::{Comparison, Pair};
use crate::stats::verdict::small_effect_interval;

/// What a gate says; the order is that of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// Every candidate is shown to be no slower than the margin allows.
    Pass,
    /// Neither is shown: more iterations, or less noise.
    Inconclusive,
    /// A pair could not be judged: the measurement failed, not the change.
    Infrastructure,
    /// A candidate is slower, by more than the margin as far as can be told, and beyond chance among all pairs.
    Regression,
}

impl Gate {
    pub fn word(self) -> &'static str {
        match self {
            Gate::Pass => "pass",
            Gate::Inconclusive => "inconclusive",
            Gate::Infrastructure => "infrastructure",
            Gate::Regression => "regression",
        }
    }
}

impl Comparison {
    /// The gate of all pairs: the worst one's. A regression that was found stays found when another pair failed.
    pub fn gate(&self) -> Gate {
        self.pairs.iter().map(|pair| self.gate_of(pair)).max().unwrap_or(Gate::Infrastructure)
    }

    /// Non-inferiority. It passes when the interval of the two one-sided tests lies above minus the margin, which needs no
    /// adjustment to the number of pairs, for all must pass; it fails by Holm's adjusted p value.
    pub fn gate_of(&self, pair: &Pair) -> Gate {
        let Ok(answer) = &pair.answer else {
            return Gate::Infrastructure;
        };
        let (interval, allowed) = (&answer.interval, 1.0 - self.settings.margin);
        if interval.high < 1.0 && interval.ratio < allowed && answer.p_holm < 1.0 - self.settings.confidence {
            Gate::Regression
        } else if small_effect_interval(interval).low > allowed {
            Gate::Pass
        } else {
            Gate::Inconclusive
        }
    }
}
