//! The same facts for machines: `linerate report --format json`. The shape is stable; fields are added, never changed.
//!
//! ```text
//! format            1
//! linerate          version that declared the experiment
//! title, question   as in the experiment
//! started           RFC 3339, UTC
//! complete          true when every run of the plan was made
//! stopped           why not, or null
//! seed, iterations  of the method
//! confidence        of every interval, 0.95 for 95 %
//! margin            effects smaller than this share do not matter, 0.01 for 1 %
//! facts             host -> fact -> value
//! senders           how the frames were made -> number of valid runs (of all attempts, where none is valid)
//! cells[]           variant, config, traffic
//!   planned           iterations in the plan
//!   rates[]           one per valid run: block, pps
//!   summary           n, min, max, median, mean, stddev (null for one run), in packets per second; null without a valid run
//!   sent, received, foreign, drops {place: frames}, loss_ratio (null when nothing was sent): valid runs together
//!   own_ns            mean and half (half its interval) of the DUT's own nanoseconds per packet; null without an arm that
//!                     has no DUT
//!   invalid           {cause: attempts}
//! comparisons[]     question: "change", "config" or "family"; baseline, candidate: {variant, config, traffic}
//!   answer            ratio (candidate / baseline), low, high, df, p, cost_ns (time per packet that the candidate takes
//!                     more), cost_half_ns (half its interval), verdict (regressed, improved, negligible, equivalent,
//!                     inconclusive), more (further iterations that would settle an inconclusive one, or null),
//!                     sentence, doubtful (true when the control of its cells failed); null when there is none
//!   unjudged          why not, or null
//! controls[]        config, traffic; ratio (control / baseline), low, high, p (null without an interval); failed: whether it
//!                   differs from 1 by more than chance explains
//! invalid_runs[]    run, attempt, block, config, traffic, variants, cause, detail, sender
//! ```

use serde_json::{Map, Value, json};

use crate::judge::{Answer, CONFIDENCE, Cell, Comparison, Control, Judgement, Name, Question, invalid};
use crate::stats::Verdict;
use crate::store::Log;

use super::setup::senders;
use super::words::cause;

/// Version of the shape above.
const FORMAT: u32 = 1;

/// One JSON object, indented, with a newline at its end.
pub fn render(log: &Log, judgement: &Judgement) -> String {
    let method = &log.experiment.method;
    let page = json!({
        "format": FORMAT,
        "linerate": log.linerate,
        "title": log.experiment.title,
        "question": log.experiment.question,
        "started": log.started,
        "complete": log.complete,
        "stopped": log.stopped,
        "seed": method.seed,
        "iterations": method.iterations,
        "confidence": CONFIDENCE,
        "margin": judgement.margin,
        "facts": log.facts,
        "senders": senders(log),
        "cells": judgement.cells.iter().map(cell).collect::<Vec<_>>(),
        "comparisons": judgement.comparisons.iter().map(comparison).collect::<Vec<_>>(),
        "controls": judgement.controls.iter().map(|one| control(one, judgement)).collect::<Vec<_>>(),
        "invalid_runs": invalid(log).map(|(result, why, detail)| json!({
            "run": result.run.id,
            "attempt": result.attempt,
            "block": result.run.block,
            "config": result.run.config,
            "traffic": result.run.traffic,
            "variants": result.run.arms,
            "cause": cause(why),
            "detail": detail,
            "sender": result.sender,
        })).collect::<Vec<_>>(),
    });
    format!("{page:#}\n")
}

fn cell(cell: &Cell) -> Value {
    let summary = cell.summary.map(|summary| {
        json!({
            "n": summary.n,
            "min": summary.min,
            "max": summary.max,
            "median": summary.median,
            "mean": rounded(summary.mean),
            "stddev": summary.stddev.map(rounded),
        })
    });
    let invalid: Map<String, Value> = cell.invalid.iter().map(|(why, attempts)| (cause(*why).to_string(), json!(attempts))).collect();
    json!({
        "variant": cell.name.variant,
        "config": cell.name.config,
        "traffic": cell.name.traffic,
        "planned": cell.planned,
        "rates": cell.rates.iter().map(|rate| json!({ "block": rate.block, "pps": rate.pps })).collect::<Vec<_>>(),
        "summary": summary,
        "sent": cell.sent,
        "received": cell.received,
        "foreign": cell.foreign,
        "drops": cell.drops,
        "loss_ratio": cell.loss_ratio().map(rounded),
        "own_ns": cell.own_ns.map(|own| json!({ "mean": rounded(own.mean), "half": rounded(own.half) })),
        "invalid": invalid,
    })
}

fn comparison(comparison: &Comparison) -> Value {
    json!({
        "question": match comparison.question {
            Question::Change => "change",
            Question::Config => "config",
            Question::Family => "family",
        },
        "baseline": name(&comparison.baseline),
        "candidate": name(&comparison.candidate),
        "answer": comparison.answer.as_ref().ok().map(answer),
        "unjudged": comparison.answer.as_ref().err().map(ToString::to_string),
    })
}

fn control(control: &Control, judgement: &Judgement) -> Value {
    let interval = control.interval.as_ref().ok();
    json!({
        "config": control.config,
        "traffic": control.traffic,
        "ratio": interval.map(|interval| rounded(interval.ratio)),
        "low": interval.map(|interval| rounded(interval.low)),
        "high": interval.map(|interval| rounded(interval.high)),
        "p": interval.map(|interval| rounded(interval.p)),
        "failed": judgement.failed_controls().any(|failed| failed == control),
    })
}

fn answer(answer: &Answer) -> Value {
    let more = match answer.verdict {
        Verdict::Inconclusive { more } => more,
        _ => None,
    };
    json!({
        "ratio": rounded(answer.interval.ratio),
        "low": rounded(answer.interval.low),
        "high": rounded(answer.interval.high),
        "df": rounded(answer.interval.df),
        "p": rounded(answer.interval.p),
        "cost_ns": rounded(answer.cost_ns),
        "cost_half_ns": rounded(answer.cost_half_ns),
        "verdict": answer.verdict.word(),
        "more": more,
        "sentence": answer.sentence,
        "doubtful": answer.doubtful,
    })
}

/// Ten digits: what a logarithm gives beyond them differs between machines, and says nothing.
fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

fn name(name: &Name) -> Value {
    json!({ "variant": name.variant, "config": name.config, "traffic": name.traffic })
}
