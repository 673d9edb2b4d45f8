//! Named series of rates -> verdicts: for people, for machines, for gates. Pure.
//!
//! A series holds one rate per iteration of one variant, under one config or none. Every other variant is compared with
//! the baseline under the same config, and what a change does under one config with what it does under the first.

mod analysis;
mod contrast;
mod flags;
mod format;
mod gate;
#[cfg(test)]
mod tests;

pub use contrast::Contrast;
pub use gate::Gate;

use crate::stats::family::{benjamini_hochberg, holm};
use crate::stats::rank::HodgesLehmann;
use crate::stats::{RatioInterval, StatsError, Summary, Verdict, verdict};

/// The rates of one variant under one config.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// A config, with its traffic where that matters; empty where there is none, as in plain files.
    pub group: String,
    pub variant: String,
    /// In the order in which they were measured.
    pub rates: Vec<Rate>,
}

/// The rate of one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    pub value: f64,
    /// Rates of other series with the same number were measured beside this one.
    pub block: Option<u32>,
}

impl Series {
    /// A series of numbers that no block ties to others.
    pub fn plain(variant: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Series {
        let rates = values.into_iter().map(|value| Rate { value, block: None }).collect();
        Series { group: String::new(), variant: variant.into(), rates }
    }

    pub fn values(&self) -> Vec<f64> {
        self.rates.iter().map(|rate| rate.value).collect()
    }
}

/// How to judge.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Effects smaller than this share do not matter, 0.01 for 1 %; between 0 and 1.
    pub margin: f64,
    /// Of every interval, 0.95 for 95 %; between 0.5 and 1.
    pub confidence: f64,
    /// The variant that others are held against; the first one when `None`.
    pub baseline: Option<String>,
    /// What the rates count, `pps`; empty when unknown.
    pub unit: String,
    /// As declared before the first run; `None` leaves it to [`Method::of_design`].
    pub method: Option<Method>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { margin: 0.01, confidence: 0.95, baseline: None, unit: String::new(), method: None }
    }
}

/// How rates become an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Two groups of unrelated runs, unequal variances: [`crate::stats::welch`].
    Welch,
    /// Block by block, with the noise of all variants of the config: [`crate::stats::rcbd`].
    Blocks,
}

impl Method {
    /// What a design deserves: blocks take away noise that they share and cost degrees of freedom, which pays from eight
    /// blocks or three variants on.
    pub fn of_design(variants: usize, blocks: usize) -> Method {
        if blocks >= 8 || (variants >= 3 && blocks >= 3) { Method::Blocks } else { Method::Welch }
    }

    pub fn name(self) -> &'static str {
        match self {
            Method::Welch => "welch",
            Method::Blocks => "blocks",
        }
    }
}

/// Why there is nothing to compare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    #[error("`{0}` alone has nothing to be compared with: name a second file, directory or variant")]
    Alone(String),
    #[error("nothing to compare")]
    Nothing,
    #[error("there is no variant `{wanted}` to be the baseline, only {known}")]
    NoBaseline { wanted: String, known: String },
    #[error("`{0}` is there twice: give one of them another name")]
    Twice(String),
}

/// All verdicts about a set of series.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub settings: Settings,
    /// As given, with what is worth knowing about each.
    pub series: Vec<Described>,
    /// Config by config, in the order of the series.
    pub pairs: Vec<Pair>,
    pub contrasts: Vec<Contrast>,
}

/// A series in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    pub series: Series,
    /// `None` for an empty series or one with what is no finite number.
    pub summary: Option<Summary>,
    /// Two modes, drift: what a mean hides. Whole phrases.
    pub flags: Vec<String>,
}

/// A candidate held against the baseline of its config.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    pub group: String,
    pub baseline: String,
    pub candidate: String,
    /// The error says why there is no answer.
    pub answer: Result<Answer, StatsError>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub method: Method,
    /// Candidate / baseline.
    pub interval: RatioInterval,
    pub verdict: Verdict,
    /// Adjusted to all pairs of the comparison: for sentences and gates, and for exploring.
    pub p_holm: f64,
    pub p_bh: f64,
    /// p value of "the effect is at least as large as the margin".
    pub p_equivalence: f64,
    /// The verdict in words, with the interval; no full stop.
    pub sentence: String,
    /// What ranks say, as a warning lamp; its p value is Mann and Whitney's, or Wilcoxon's over blocks.
    pub ranks: Option<Ranks>,
    /// Share of the variance that blocks took away; only with [`Method::Blocks`].
    pub block_share: Option<f64>,
    /// Stray runs, disagreement of ranks, blocks left out: whole phrases.
    pub flags: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranks {
    pub p: f64,
    pub shift: HodgesLehmann,
}

impl Comparison {
    /// Compares all variants of every config with the baseline's series of the same config; a config without one is left
    /// out.
    ///
    /// # Errors
    /// [`CompareError`]. Samples that allow no answer are none: their pair says why.
    ///
    /// # Panics
    /// On a margin or confidence out of range; the command line and experiments are checked for that.
    pub fn of(series: Vec<Series>, settings: Settings) -> Result<Comparison, CompareError> {
        let baseline = baseline(&series, &settings)?;
        let mut pairs = Vec::new();
        for group in groups(&series) {
            let of_group: Vec<&Series> = series.iter().filter(|series| series.group == group).collect();
            pairs.extend(analysis::pairs(&of_group, &baseline, &settings));
        }
        if pairs.is_empty() {
            return Err(CompareError::Alone(baseline));
        }
        adjust(&mut pairs, &settings);
        let contrasts = contrast::contrasts(&series, &pairs, &settings);
        let series = series.into_iter().map(flags::describe).collect();
        Ok(Comparison { settings, series, pairs, contrasts })
    }

    /// For a terminal, a mail, a commit message.
    pub fn text(&self) -> String {
        format::text::render(self)
    }

    /// For a pull request.
    pub fn markdown(&self) -> String {
        format::markdown::render(self)
    }

    /// One object with everything, the rates too.
    pub fn json(&self) -> String {
        format::json::render(self)
    }

    /// One row per pair, RFC 4180.
    pub fn csv(&self) -> String {
        format::csv::render(self)
    }

    /// The rates as Go benchmark results, for benchstat.
    pub fn benchfmt(&self) -> String {
        format::benchfmt::render(self)
    }

    /// One test case per pair, by the rules of a gate.
    pub fn junit(&self) -> String {
        format::junit::render(self)
    }
}

fn baseline(series: &[Series], settings: &Settings) -> Result<String, CompareError> {
    for (at, one) in series.iter().enumerate() {
        if series[..at].iter().any(|other| (&other.group, &other.variant) == (&one.group, &one.variant)) {
            let under = if one.group.is_empty() { String::new() } else { format!(" under {}", one.group) };
            return Err(CompareError::Twice(format!("{}{under}", one.variant)));
        }
    }
    let first = series.first().ok_or(CompareError::Nothing)?;
    let Some(wanted) = &settings.baseline else {
        return Ok(first.variant.clone());
    };
    if series.iter().any(|one| one.variant == *wanted) {
        return Ok(wanted.clone());
    }
    let mut known: Vec<&str> = series.iter().map(|one| one.variant.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    Err(CompareError::NoBaseline { wanted: wanted.clone(), known: known.join(", ") })
}

/// Configs in the order of their first series.
fn groups(series: &[Series]) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for one in series {
        if !groups.contains(&one.group) {
            groups.push(one.group.clone());
        }
    }
    groups
}

/// More pairs than this are a table to explore; fewer are claims.
const MOST_CLAIMS: usize = 10;

/// Gives every answer its p values for the whole family, and its sentence.
fn adjust(pairs: &mut [Pair], settings: &Settings) {
    let mut answers: Vec<&mut Answer> = pairs.iter_mut().filter_map(|pair| pair.answer.as_mut().ok()).collect();
    let p: Vec<f64> = answers.iter().map(|answer| answer.interval.p).collect();
    let (strict, lenient) = (holm(&p), benjamini_hochberg(&p));
    for (at, answer) in answers.iter_mut().enumerate() {
        (answer.p_holm, answer.p_bh) = (strict[at], lenient[at]);
        let (adjusted, by) =
            if p.len() > MOST_CLAIMS { (lenient[at], "Benjamini-Hochberg") } else { (strict[at], "Holm") };
        answer.sentence = verdict::sentence(&answer.interval, settings.margin);
        let alpha = 1.0 - settings.confidence;
        if answer.interval.p < alpha && adjusted >= alpha {
            let p = format::p(adjusted);
            answer.sentence += &format!("; no longer beyond chance among {} comparisons (p {p} by {by})", strict.len());
        }
    }
}
