//! Comma-separated values by RFC 4180: one row per pair, empty fields where there is no answer.

use super::super::{Answer, Comparison, Pair};
use super::json::rounded;
use crate::stats::Verdict;

const HEAD: &str = "config,baseline,candidate,method,ratio,low,high,confidence,df,p,p_holm,p_bh,p_equivalence,\
                    rank_p,verdict,more,gate,sentence,flags";

pub(in super::super) fn render(comparison: &Comparison) -> String {
    let rows = comparison.pairs.iter().map(|pair| row(comparison, pair));
    std::iter::once(HEAD.to_string()).chain(rows).map(|row| row + "\r\n").collect()
}

fn row(comparison: &Comparison, pair: &Pair) -> String {
    let mut fields = vec![pair.group.clone(), pair.baseline.clone(), pair.candidate.clone()];
    match &pair.answer {
        Ok(answer) => fields.extend(numbers(answer)),
        Err(_) => fields.extend(vec![String::new(); 13]),
    }
    fields.push(comparison.gate_of(pair).word().to_string());
    match &pair.answer {
        Ok(answer) => fields.extend([answer.sentence.clone(), answer.flags.join("; ")]),
        Err(error) => fields.extend([error.to_string(), String::new()]),
    }
    fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",")
}

fn numbers(answer: &Answer) -> [String; 13] {
    let interval = &answer.interval;
    let more = match answer.verdict {
        Verdict::Inconclusive { more: Some(more) } => more.to_string(),
        _ => String::new(),
    };
    let number = |value: f64| rounded(value).to_string();
    [
        answer.method.name().to_string(),
        number(interval.ratio),
        number(interval.low),
        number(interval.high),
        number(interval.confidence),
        number(interval.df),
        number(interval.p),
        number(answer.p_holm),
        number(answer.p_bh),
        number(answer.p_equivalence),
        answer.ranks.map_or(String::new(), |ranks| number(ranks.p)),
        answer.verdict.word().to_string(),
        more,
    ]
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_string()
    }
}
