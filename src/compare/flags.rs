//! What a reader should know beside the verdict. Nothing is dropped for it.

use super::{Described, Ranks, Series, Settings};
use crate::stats::outliers::{far_out, trend, two_modes};
use crate::stats::{RatioInterval, StatsError, Summary, Verdict, verdict};

/// Drift is worth a word below this p value, and from so many runs on.
const DRIFT_BELOW: f64 = 0.01;
const DRIFT_FROM: usize = 8;

pub(super) fn describe(series: Series) -> Described {
    let values = series.values();
    let mut flags = Vec::new();
    let logs = logs(&values);
    if let Some((low, high)) = logs.as_deref().and_then(two_modes) {
        flags.push(format!("two modes, {low} slow and {high} fast: a mean describes neither (RSS, queues, NUMA?)"));
    }
    let order: Vec<f64> = (0..values.len()).map(|at| at as f64).collect();
    let drift = logs.filter(|logs| logs.len() >= DRIFT_FROM).and_then(|logs| trend(&order, &logs));
    if let Some(drift) = drift.filter(|drift| drift.p < DRIFT_BELOW) {
        flags.push(format!("drifts by {:+.2} % per run (p {})", drift.slope * 100.0, super::format::p(drift.p)));
    }
    Described { summary: Summary::of(&values), flags, series }
}

/// Logs of rates; `None` when one is not positive.
fn logs(rates: &[f64]) -> Option<Vec<f64>> {
    rates.iter().map(|rate| (*rate > 0.0).then(|| rate.ln())).collect()
}

/// Places of rates too far from their median for noise.
pub(super) fn stray_rates(rates: &[f64]) -> Vec<usize> {
    logs(rates).map_or(Vec::new(), |logs| far_out(&logs))
}

/// Places of log ratios too far from their median for noise.
pub(super) fn stray_logs(logs: &[f64]) -> Vec<usize> {
    far_out(logs)
}

/// "run 3 of before (473689)", counted from 1.
pub(super) fn name_runs(series: &Series, places: &[usize]) -> Vec<String> {
    let name = |place: &usize| {
        format!("run {} of {} ({})", place + 1, series.variant, super::format::rate(series.rates[*place].value))
    };
    places.iter().map(name).collect()
}

/// Which runs stand far off, and whether the verdict rests on them.
pub(super) fn stray(
    names: &[String],
    verdict: Verdict,
    without: Result<RatioInterval, StatsError>,
    settings: &Settings,
) -> String {
    let (stand, they) = if names.len() == 1 {
        ("stands far off and still counts", "it")
    } else {
        ("stand far off and still count", "them")
    };
    let names = names.join(", ");
    let consequence = match without.map(|interval| verdict::judge(&interval, settings.margin)) {
        Ok(calm) if calm.word() == verdict.word() => format!("the verdict is the same without {they}"),
        Ok(calm) => format!("without {they} the verdict would be `{calm}`"),
        Err(error) => format!("without {they} there is no verdict: {error}"),
    };
    format!("{names} {stand}: {consequence}")
}

/// A word when t and ranks do not agree that there is an effect, unless there are too few runs for ranks to say so.
pub(super) fn ranks_disagree(
    interval: &RatioInterval,
    ranks: &Ranks,
    lowest: f64,
    settings: &Settings,
) -> Option<String> {
    let alpha = 1.0 - settings.confidence;
    let disagree = (interval.p < alpha) != (ranks.p < alpha) && lowest < alpha;
    let see = if ranks.p < alpha { "ranks see an effect" } else { "ranks see no effect" };
    disagree.then(|| format!("{see} (p {}): look at the single runs", super::format::p(ranks.p)))
}
