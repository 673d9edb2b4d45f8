//! Whether a change does under one config what it does under another. Two verdicts side by side do not say: "significant
//! here, not there" is no difference between here and there.

use super::analysis::Blocks;
use super::{Pair, Series, Settings};
use crate::stats::family::holm;
use crate::stats::{RatioInterval, StatsError, one_sample, verdict};

/// The effect of a candidate under one config over its effect under the first config.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    pub baseline: String,
    pub candidate: String,
    /// The first config, and the other one.
    pub reference: String,
    pub group: String,
    /// Ratio of ratios: 0.98 when the change costs 2 % more under `group`. The error says why there is none.
    pub interval: Result<RatioInterval, StatsError>,
    /// p value adjusted to all contrasts (Holm); 1 without an interval.
    pub p_holm: f64,
    /// In words; no full stop. Empty without an interval.
    pub sentence: String,
}

/// Every candidate's later configs against its first.
pub(super) fn contrasts(series: &[Series], pairs: &[Pair], settings: &Settings) -> Vec<Contrast> {
    let mut contrasts = Vec::new();
    for (at, other) in pairs.iter().enumerate() {
        let Some(first) = pairs[..at].iter().find(|pair| pair.candidate == other.candidate) else {
            continue;
        };
        contrasts.push(Contrast {
            baseline: other.baseline.clone(),
            candidate: other.candidate.clone(),
            reference: first.group.clone(),
            group: other.group.clone(),
            interval: interval(series, first, other, settings),
            p_holm: 1.0,
            sentence: String::new(),
        });
    }
    let p: Vec<f64> =
        contrasts.iter().map(|contrast| contrast.interval.as_ref().map_or(1.0, |interval| interval.p)).collect();
    for (contrast, p_holm) in contrasts.iter_mut().zip(holm(&p)) {
        contrast.p_holm = p_holm;
        if let Ok(interval) = contrast.interval {
            contrast.sentence = sentence(contrast, &interval, settings);
        }
    }
    contrasts
}

/// Block by block where both configs were measured in the same blocks, else from the two intervals.
fn interval(series: &[Series], first: &Pair, other: &Pair, settings: &Settings) -> Result<RatioInterval, StatsError> {
    let of =
        |group: &str, variant: &str| series.iter().find(|series| series.group == group && series.variant == variant);
    let cells = [
        of(&first.group, &first.baseline),
        of(&first.group, &first.candidate),
        of(&other.group, &other.baseline),
        of(&other.group, &other.candidate),
    ];
    let cells: Vec<&Series> = cells.into_iter().flatten().collect();
    if let Some(blocks) = Blocks::of(&cells).filter(|blocks| blocks.numbers.len() >= 8) {
        let effect = |block: usize, before: usize| (blocks.arms[before + 1][block] / blocks.arms[before][block]).ln();
        let differences: Vec<f64> =
            (0..blocks.numbers.len()).map(|block| effect(block, 2) - effect(block, 0)).collect();
        return one_sample(&differences, settings.confidence);
    }
    let (first, other) = (first.answer.as_ref().map_err(Clone::clone)?, other.answer.as_ref().map_err(Clone::clone)?);
    other.interval.versus(&first.interval, settings.confidence)
}

fn sentence(contrast: &Contrast, interval: &RatioInterval, settings: &Settings) -> String {
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let (low, estimate, high) = (percent(interval.low), percent(interval.ratio), percent(interval.high));
    let digits = verdict::decimals(&[low, high], settings.margin * 100.0);
    let Contrast { candidate, group, reference, .. } = contrast;
    let level = settings.confidence * 100.0;
    if contrast.p_holm >= 1.0 - settings.confidence {
        return format!(
            "{candidate}: whether it does something else under {group} than under {reference} is not shown \
             ({level} % CI {low:+.digits$} to {high:+.digits$} %)"
        );
    }
    let (word, from, to) = if estimate < 0.0 { ("below", -high, -low) } else { ("above", low, high) };
    let size = estimate.abs();
    format!(
        "{candidate}: its effect under {group} is {size:.digits$} % {word} that under {reference} \
         ({level} % CI {from:.digits$} to {to:.digits$} %)"
    )
}
