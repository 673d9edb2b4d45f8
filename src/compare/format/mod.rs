//! One comparison, six ways to write it down.

pub(super) mod benchfmt;
pub(super) mod csv;
pub(super) mod json;
pub(super) mod junit;
pub(super) mod markdown;
pub(super) mod text;

use super::{Answer, Comparison, Described, Method, Pair};
use crate::stats::ministat::General;

/// A p value as people write it: 0.031, 0.0006, 3e-15.
pub(super) fn p(p: f64) -> String {
    match p {
        p if p >= 0.001 => format!("{p:.3}"),
        p if p >= 0.0001 => format!("{p:.4}"),
        p => format!("{p:.0e}"),
    }
}

/// A rate with eight significant digits.
pub(super) fn rate(value: f64) -> String {
    General(value, 8).to_string()
}

/// Runs, mean, spread, smallest, largest: the columns that describe a series.
fn columns(described: &Described) -> [String; 5] {
    let Some(summary) = &described.summary else {
        return [described.series.rates.len().to_string(), "-".into(), "-".into(), "-".into(), "-".into()];
    };
    let cv = summary.cv().map_or("-".to_string(), |cv| format!("{:.2} %", cv * 100.0));
    [summary.n.to_string(), rate(summary.mean), cv, rate(summary.min), rate(summary.max)]
}

const COLUMNS: [&str; 5] = ["runs", "mean", "stddev", "min", "max"];

/// "patched against base", with "pf: " in front where there are configs.
fn title(pair: &Pair) -> String {
    let group = if pair.group.is_empty() { String::new() } else { format!("{}: ", pair.group) };
    format!("{group}{} against {}", pair.candidate, pair.baseline)
}

/// How the answer came about: method, p values, ranks.
fn evidence(answer: &Answer, family: usize) -> String {
    let method = match answer.method {
        Method::Welch => "Welch's t on logs",
        Method::Blocks => "block by block",
    };
    let holm = if family > 1 { format!(" ({} among {family}, by Holm)", p(answer.p_holm)) } else { String::new() };
    let mut text = format!("{method}, {:.1} degrees of freedom, p {}{holm}", answer.interval.df, p(answer.interval.p));
    if let Some(share) = answer.block_share {
        text += &format!("; blocks took {:.0} % of the variance away", share * 100.0);
    }
    if let Some(ranks) = &answer.ranks {
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        let (ratio, low, high) = (percent(ranks.shift.ratio), percent(ranks.shift.low), percent(ranks.shift.high));
        let level = ranks.shift.confidence * 100.0;
        text += &format!("; by ranks {ratio:+.2} % ({low:+.2} to {high:+.2} % at {level:.1} %), p {}", p(ranks.p));
    }
    text
}

/// Pairs with an answer: the family that p values are adjusted to.
fn family(comparison: &Comparison) -> usize {
    comparison.pairs.iter().filter(|pair| pair.answer.is_ok()).count()
}

/// Configs are a column only where there are any.
fn has_groups(comparison: &Comparison) -> bool {
    comparison.series.iter().any(|described| !described.series.group.is_empty())
}
