//! One duet's numbers: what its slots say about two arms. Pure.
//!
//! Rates on a shared machine wander by 10 % and more in phases of 0.1 s to seconds, alike for all arms: two slots of the
//! same round see the same phase. So only slots of one round are compared, and the median over rounds does not see the few
//! that a phase change or an interruption split.

use crate::experiment::{CONTROL, NULL};
use crate::store::event::RunResult;

/// Logs of nanoseconds per frame: one entry per round and arm.
#[derive(Debug, Clone, PartialEq)]
pub struct Duet<'a> {
    arms: &'a [String],
    /// `None` for a slot too short to be counted, and for the null arm in rounds that it sits out.
    rounds: Vec<Vec<Option<f64>>>,
}

impl<'a> Duet<'a> {
    /// Takes a run apart into rounds. A run with one arm has none.
    ///
    /// In a round every arm but the null arm has one slot; a slot of the null arm belongs to the round that follows it.
    pub fn of(result: &'a RunResult) -> Duet<'a> {
        let arms = &result.run.arms;
        let null = arms.iter().position(|arm| arm == NULL);
        let full = arms.len() - usize::from(null.is_some());
        let mut rounds = Vec::new();
        let mut round = vec![None; arms.len()];
        let mut slots = 0;
        for &(_, arm, frames, ns) in if full > 1 { result.slots.as_slice() } else { &[] } {
            let arm = usize::from(arm);
            // Time in which no frame arrived is a rate of 0, not a slot to leave out: its log is infinite, and the median sees it.
            round[arm] = (ns > 0).then(|| (ns as f64 / f64::from(frames)).ln());
            slots += usize::from(null != Some(arm));
            if slots == full {
                rounds.push(std::mem::replace(&mut round, vec![None; arms.len()]));
                slots = 0;
            }
        }
        Duet { arms, rounds }
    }

    /// Median over rounds of ln(rate of `candidate` / rate of `baseline`); `None` without a round that has both.
    ///
    /// # Source
    /// Slots alternate in random order and last 0.5 ms, so the median of their paired log ratios has no bias from phases,
    /// positions or the direction of the ratio: swapping the arms changes the sign and nothing else.
    pub fn log_ratio(&self, candidate: &str, baseline: &str) -> Option<f64> {
        let at = |name: &str| self.arms.iter().position(|arm| arm == name);
        let (candidate, baseline) = (at(candidate)?, at(baseline)?);
        let ratios = self.rounds.iter().filter_map(|round| Some(round[baseline]? - round[candidate]?));
        median(ratios.filter(|ratio| !ratio.is_nan()).collect())
    }

    /// The candidate against the baseline and its copy, the control: the mean of both medians.
    ///
    /// Not the median of a mean over both: a stall in either copy would then push it one way twice as often.
    pub fn effect(&self, candidate: &str, baseline: &str) -> Option<f64> {
        let first = self.log_ratio(candidate, baseline)?;
        Some(self.log_ratio(candidate, CONTROL).map_or(first, |second| (first + second) / 2.0))
    }

    /// The control against the baseline it is a copy of: 0 but for noise.
    pub fn control(&self, baseline: &str) -> Option<f64> {
        self.log_ratio(CONTROL, baseline)
    }

    /// ln(rate of `arm` / rate without a DUT): what ties this blast to others.
    pub fn against_null(&self, arm: &str) -> Option<f64> {
        self.log_ratio(arm, NULL)
    }

    /// Median nanoseconds per frame of an arm's slots.
    pub fn ns_per_frame(&self, arm: &str) -> Option<f64> {
        let arm = self.arms.iter().position(|name| name == arm)?;
        median(self.rounds.iter().filter_map(|round| round[arm]).collect()).map(f64::exp)
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}
