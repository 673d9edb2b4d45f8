//! Everything, for machines. The shape is stable: fields are added, never changed.
//!
//! ```text
//! format         1
//! unit           what the rates count, or ""
//! confidence     of every interval, 0.95 for 95 %
//! margin         effects smaller than this share do not matter, 0.01 for 1 %
//! gate           pass, inconclusive, infrastructure or regression
//! series[]       config, variant, rates[] (value, block or null), flags[]
//!   summary        n, min, max, median, mean, stddev (null for one run); null when there is none
//! pairs[]        config, baseline, candidate, gate
//!   unjudged       why there is no answer, or null
//!   answer         null without; method (welch, blocks), ratio (candidate / baseline), low, high, df, p, p_holm, p_bh,
//!                  p_equivalence, verdict, more (further iterations that would settle an inconclusive one, or null),
//!                  sentence, block_share (or null), flags[]
//!     ranks          p, ratio, low, high, confidence (the interval's own)
//! contrasts[]    baseline, candidate, reference and config (what is compared), unjudged, sentence
//!   answer         null without; ratio (effect under config / effect under reference), low, high, df, p, p_holm
//! ```

use serde_json::{Value, json};

use super::super::{Answer, Comparison, Contrast, Described, Pair};
use crate::stats::Verdict;

/// Version of the shape above.
const FORMAT: u32 = 1;

pub(in super::super) fn render(comparison: &Comparison) -> String {
    let all = json!({
        "format": FORMAT,
        "unit": comparison.settings.unit,
        "confidence": comparison.settings.confidence,
        "margin": comparison.settings.margin,
        "gate": comparison.gate().word(),
        "series": comparison.series.iter().map(series).collect::<Vec<_>>(),
        "pairs": comparison.pairs.iter().map(|one| pair(one, comparison)).collect::<Vec<_>>(),
        "contrasts": comparison.contrasts.iter().map(contrast).collect::<Vec<_>>(),
    });
    format!("{all:#}\n")
}

fn series(described: &Described) -> Value {
    let summary = described.summary.map(|summary| {
        json!({
            "n": summary.n,
            "min": summary.min,
            "max": summary.max,
            "median": summary.median,
            "mean": rounded(summary.mean),
            "stddev": summary.stddev.map(rounded),
        })
    });
    let series = &described.series;
    json!({
        "config": series.group,
        "variant": series.variant,
        "rates": series.rates.iter().map(|rate| json!({ "value": rate.value, "block": rate.block })).collect::<Vec<_>>(),
        "summary": summary,
        "flags": described.flags,
    })
}

fn pair(pair: &Pair, comparison: &Comparison) -> Value {
    json!({
        "config": pair.group,
        "baseline": pair.baseline,
        "candidate": pair.candidate,
        "gate": comparison.gate_of(pair).word(),
        "unjudged": pair.answer.as_ref().err().map(ToString::to_string),
        "answer": pair.answer.as_ref().ok().map(answer),
    })
}

fn answer(answer: &Answer) -> Value {
    let more = match answer.verdict {
        Verdict::Inconclusive { more } => more,
        _ => None,
    };
    json!({
        "method": answer.method.name(),
        "ratio": rounded(answer.interval.ratio),
        "low": rounded(answer.interval.low),
        "high": rounded(answer.interval.high),
        "df": rounded(answer.interval.df),
        "p": rounded(answer.interval.p),
        "p_holm": rounded(answer.p_holm),
        "p_bh": rounded(answer.p_bh),
        "p_equivalence": rounded(answer.p_equivalence),
        "verdict": answer.verdict.word(),
        "more": more,
        "sentence": answer.sentence,
        "block_share": answer.block_share.map(rounded),
        "flags": answer.flags,
        "ranks": answer.ranks.map(|ranks| json!({
            "p": rounded(ranks.p),
            "ratio": rounded(ranks.shift.ratio),
            "low": rounded(ranks.shift.low),
            "high": rounded(ranks.shift.high),
            "confidence": rounded(ranks.shift.confidence),
        })),
    })
}

fn contrast(contrast: &Contrast) -> Value {
    let answer = contrast.interval.as_ref().ok().map(|interval| {
        json!({
            "ratio": rounded(interval.ratio),
            "low": rounded(interval.low),
            "high": rounded(interval.high),
            "df": rounded(interval.df),
            "p": rounded(interval.p),
            "p_holm": rounded(contrast.p_holm),
        })
    });
    json!({
        "baseline": contrast.baseline,
        "candidate": contrast.candidate,
        "reference": contrast.reference,
        "config": contrast.group,
        "unjudged": contrast.interval.as_ref().err().map(ToString::to_string),
        "sentence": contrast.sentence,
        "answer": answer,
    })
}

/// Ten digits: what a logarithm gives beyond them differs between machines, and says nothing.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}
