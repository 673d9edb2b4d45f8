//! The noise floor of a lab: what runs of one and the same DUT differ by. Pure.

use std::time::Duration;

use crate::duet::Duet;
use crate::stats::{RatioInterval, Summary, one_sample, student};
use crate::store::Log;
use crate::store::event::{RunResult, RunVerdict};

const CONFIDENCE: f64 = 0.95;
/// Standard errors to the smallest effect that a two-sided 5 % test finds nine times in ten: 1.96 + 1.28.
const POWER_90: f64 = 3.24;

/// What separate runs of the same DUT say, one rate each.
#[derive(Debug, Clone, PartialEq)]
pub struct Runs {
    pub count: usize,
    /// Coefficients of variation between runs of the mean rate and of the 90th percentile of 10 ms samples.
    pub cv_mean: f64,
    pub cv_p90: f64,
    /// Correlation of neighbouring runs: above some 2 / sqrt(count), runs are not independent and a t test on them is wrong.
    pub lag1: f64,
    /// Slope of a line through the rates, as a share per minute.
    pub drift_per_minute: f64,
    /// The first run against the mean of the others, in standard deviations of those.
    pub first_run_sd: f64,
    /// `Some` sizes of two groups of runs with a wide gap between.
    pub groups: Option<(usize, usize)>,
    /// Share of 10 ms samples more than 5 % below the best ones, and how long such a phase lasts (median).
    pub slow_share: f64,
    pub slow_phase: Duration,
    /// Smallest effect that five runs, then five of another variant, find nine times in ten.
    pub classic_effect: f64,
}

/// What duets of the baseline with itself say, one log ratio per block.
#[derive(Debug, Clone, PartialEq)]
pub struct Duets {
    pub count: usize,
    /// Standard deviation of a block's number, as a share.
    pub sd: f64,
    /// Should hold 1.
    pub bias: RatioInterval,
    /// Wall time of a block.
    pub block: Duration,
}

impl Runs {
    /// From a log of single runs; `None` under four valid ones.
    pub fn of(log: &Log) -> Option<Runs> {
        let runs: Vec<&RunResult> = valid(log).filter(|result| result.arms.len() == 1).collect();
        let rates: Vec<f64> = runs.iter().filter_map(|result| result.arms[0].forwarding_rate_pps()).collect();
        let p90: Vec<f64> = runs.iter().filter_map(|result| quantile(samples(result), 0.9)).collect();
        if rates.len() < 4 {
            return None;
        }
        let (mean, p90) = (Summary::of(&rates)?, Summary::of(&p90)?);
        let others = Summary::of(&rates[1..])?;
        let seconds = log.experiment.method.duration.as_secs_f64();
        let apart = runs.iter().map(|result| result.wall_s).sum::<f64>() / runs.len() as f64;
        let (slow_share, slow_samples) = slow_phases(&runs);
        Some(Runs {
            count: rates.len(),
            cv_mean: mean.stddev? / mean.mean,
            cv_p90: p90.stddev? / p90.mean,
            lag1: lag1(&rates, mean.mean),
            drift_per_minute: slope(&rates) / mean.mean * 60.0 / apart.max(seconds),
            first_run_sd: (rates[0] - others.mean) / others.stddev?.max(f64::MIN_POSITIVE),
            groups: groups(&rates),
            slow_share,
            slow_phase: Duration::from_millis(10) * slow_samples as u32,
            classic_effect: POWER_90 * mean.stddev? / mean.mean * (2.0f64 / 5.0).sqrt(),
        })
    }
}

impl Duets {
    /// From a log of duets: the control against the baseline. `None` where there are too few blocks for an interval.
    pub fn of(log: &Log) -> Option<Duets> {
        let baseline = &log.experiment.variants.first()?.name;
        let logs: Vec<f64> = valid(log).filter_map(|result| Duet::of(result).control(baseline)).collect();
        let walls: Vec<f64> = valid(log).map(|result| result.wall_s).collect();
        let bias = one_sample(&logs, CONFIDENCE).ok()?;
        let sd = Summary::of(&logs)?.stddev?;
        Some(Duets { count: logs.len(), sd, bias, block: Duration::try_from_secs_f64(Summary::of(&walls)?.mean).ok()? })
    }

    /// Half the width of the interval that so many blocks give: the smallest effect told from noise half of the time.
    pub fn resolution(&self, blocks: u32) -> f64 {
        let blocks = f64::from(blocks.max(3));
        student::critical(CONFIDENCE, blocks - 1.0) * self.sd / blocks.sqrt()
    }

    /// Blocks that fit into so much time.
    pub fn blocks_in(&self, time: Duration) -> u32 {
        (time.as_secs_f64() / self.block.as_secs_f64().max(1e-3)) as u32
    }

    /// Fewest blocks whose interval is at most this wide on either side.
    pub fn blocks_for(&self, resolution: f64) -> Option<u32> {
        (3..100_000).find(|&blocks| self.resolution(blocks) <= resolution)
    }
}

fn valid(log: &Log) -> impl Iterator<Item = &RunResult> {
    log.results.iter().filter(|result| result.verdict == RunVerdict::Valid)
}

/// Rates of a run's slots, packets per second.
pub fn samples(result: &RunResult) -> Vec<f64> {
    let counted = result.slots.iter().filter(|slot| slot.3 > 0);
    counted.map(|&(_, _, frames, ns)| f64::from(frames) / (ns as f64 * 1e-9)).collect()
}

fn quantile(mut values: Vec<f64>, share: f64) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get((values.len().checked_sub(1)? as f64 * share).round() as usize).copied()
}

fn lag1(values: &[f64], mean: f64) -> f64 {
    let square: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let neighbours: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if square > 0.0 { neighbours / square } else { 0.0 }
}

/// Least-squares slope per step.
fn slope(values: &[f64]) -> f64 {
    let middle = (values.len() - 1) as f64 / 2.0;
    let (mut top, mut bottom) = (0.0, 0.0);
    for (step, value) in values.iter().enumerate() {
        top += (step as f64 - middle) * value;
        bottom += (step as f64 - middle).powi(2);
    }
    if bottom > 0.0 { top / bottom } else { 0.0 }
}

/// Two groups when the widest gap between sorted values is more than four times the spread inside either side.
fn groups(values: &[f64]) -> Option<(usize, usize)> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let gap = |at: usize| sorted[at] - sorted[at - 1];
    let cut = (2..sorted.len().checked_sub(1)?).max_by(|&a, &b| gap(a).total_cmp(&gap(b)))?;
    let spread = |part: &[f64]| Summary::of(part).and_then(|summary| summary.stddev).unwrap_or(0.0);
    let (low, high) = sorted.split_at(cut);
    (gap(cut) > 4.0 * spread(low).max(spread(high))).then_some((low.len(), high.len()))
}

/// Share of slow samples over all runs, and the median length of a stretch of them, in samples.
fn slow_phases(runs: &[&RunResult]) -> (f64, usize) {
    let all: Vec<f64> = runs.iter().flat_map(|result| samples(result)).collect();
    let count = all.len();
    let Some(best) = quantile(all, 0.95) else { return (0.0, 0) };
    let mut stretches = Vec::new();
    for result in runs {
        let slow: Vec<bool> = samples(result).iter().map(|rate| *rate < best * 0.95).collect();
        stretches.extend(slow.chunk_by(|a, b| a == b).filter(|stretch| stretch[0]).map(<[bool]>::len));
    }
    let share = stretches.iter().sum::<usize>() as f64 / count as f64;
    stretches.sort_unstable();
    (share, stretches.get(stretches.len() / 2).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Runs that alternate are anti-correlated, runs in two halves are correlated and fall into two groups.
    #[test]
    fn neighbours_and_groups() {
        let alternating = [1.0, 2.0, 1.0, 2.0, 1.0, 2.0];
        assert!(lag1(&alternating, 1.5) < -0.8);
        let halves = [1.0, 1.01, 1.02, 2.0, 2.01, 2.02];
        assert!(lag1(&halves, 1.51) > 0.4);
        assert_eq!(groups(&halves), Some((3, 3)));
        assert_eq!(groups(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), None);
    }

    #[test]
    fn a_slope_is_per_step() {
        assert!((slope(&[1.0, 3.0, 5.0, 7.0]) - 2.0).abs() < 1e-12);
        assert_eq!(slope(&[4.0]), 0.0);
    }

    // A hundred blocks of 0.2 % give +-0.04 %; the count needed for that is found again.
    #[test]
    fn resolution_and_blocks_are_inverse() {
        let bias = RatioInterval::from_log(0.0, 0.0001, 99.0, 100, 0.95).unwrap();
        let duets = Duets { count: 100, sd: 0.002, bias, block: Duration::from_secs(1) };
        assert!((duets.resolution(100) - 0.0397e-2).abs() < 1e-6);
        assert_eq!(duets.blocks_for(duets.resolution(100)), Some(100));
        assert_eq!(duets.blocks_in(Duration::from_secs(60)), 60);
    }
}
