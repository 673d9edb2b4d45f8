//! Log -> judgement: what was measured in each cell, and what the cells say about each other. Pure.

use std::collections::BTreeMap;

use crate::duet::Duet;
use crate::experiment::{Experiment, Family, NULL};
use crate::stats::{RatioInterval, StatsError, Summary, Verdict, one_sample, student, verdict, welch};
use crate::store::Log;
use crate::store::event::{Cause, RunResult, RunVerdict};

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// Rates that share their blocks are compared block by block from so many blocks on; below, pairing costs more degrees of
/// freedom than it gains (it would need a block variance share of .18 at 8).
const BLOCKS_TO_PAIR: usize = 8;

/// What a log says.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Effects smaller than this share do not matter; from the experiment.
    pub margin: f64,
    /// Every cell of the experiment, measured or not, by config, then traffic, then variant, each in the experiment's order.
    pub cells: Vec<Cell>,
    /// By question, then in the order of the cells.
    pub comparisons: Vec<Comparison>,
    /// The baseline against itself, one per config and traffic of a duet.
    pub controls: Vec<Control>,
}

/// The baseline against a copy of itself, in the same blasts and by the same analysis as the candidates: what it shows
/// beside nothing is the error of this experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    pub config: String,
    pub traffic: String,
    /// Control / baseline.
    pub interval: Result<RatioInterval, StatsError>,
}

impl Control {
    /// The largest difference between the baseline and its copy that the interval does not exclude, as a share.
    pub fn bound(&self) -> Option<f64> {
        self.interval.as_ref().ok().map(|interval| (interval.high - 1.0).max(1.0 - interval.low))
    }
}

/// Names a cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    pub variant: String,
    pub config: String,
    pub traffic: String,
}

/// One variant under one config and traffic profile, over all iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    pub name: Name,
    /// Iterations in the plan.
    pub planned: u32,
    /// One per valid run, in log order.
    pub rates: Vec<Rate>,
    /// Nanoseconds per packet that are the DUT's own; only where the blasts had an arm without a DUT.
    pub own_ns: Option<Nanoseconds>,
    /// Of the rates; `None` without one.
    pub summary: Option<Summary>,
    /// Frames of all valid runs together.
    pub sent: u64,
    pub received: u64,
    pub foreign: u64,
    /// Where frames of valid runs were lost: place -> frames.
    pub drops: BTreeMap<String, u64>,
    /// Attempts that ended invalid: cause -> number.
    pub invalid: BTreeMap<Cause, u32>,
}

/// The forwarding rate of one iteration. The block says which rates of other cells were measured beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    pub block: u32,
    pub pps: f64,
}

/// A time per packet: mean over blocks and half the width of its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nanoseconds {
    pub mean: f64,
    pub half: f64,
}

/// What a comparison asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Did the change matter? A variant against the baseline, all else equal.
    Change,
    /// What does a config cost? Against the reference config: the first that changes nothing. Baseline variant.
    Config,
    /// IPv6 against IPv4: the first profile of each family. Baseline variant.
    Family,
}

/// Two cells, and what their rates say about each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub question: Question,
    pub baseline: Name,
    pub candidate: Name,
    /// The error says why there is no answer.
    pub answer: Result<Answer, StatsError>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Candidate / baseline.
    pub interval: RatioInterval,
    pub verdict: Verdict,
    /// The verdict in words, with the interval; no full stop.
    pub sentence: String,
    /// Decimals that percentages of this answer deserve, the same in the sentence and beside it.
    pub decimals: usize,
    /// Time per packet that the candidate takes more (or, negative, less) than the baseline, nanoseconds: the baseline's time
    /// times what the ratio adds. What sender and receiver take of both alike cancels out.
    pub cost_ns: f64,
    /// Half the width of the interval, as time per packet.
    pub cost_half_ns: f64,
    /// The control of one of its cells failed.
    pub doubtful: bool,
}

impl Judgement {
    /// # Panics
    /// On a margin that is not between 0 and 1; experiments are checked for that.
    pub fn of(log: &Log) -> Judgement {
        let margin = log.experiment.method.margin;
        let duets = Duets::of(log);
        let cells: Vec<Cell> = names(&log.experiment).map(|name| Cell::of(log, &duets, name)).collect();
        let comparisons = pairs(&log.experiment).into_iter().map(|(question, baseline, candidate)| {
            let rates = |name: &Name| cells.iter().find(|cell| cell.name == *name).map_or(&[][..], |cell| &cell.rates);
            let interval = duets
                .compare(question, &baseline, &candidate)
                .unwrap_or_else(|| compare_rates(rates(&baseline), rates(&candidate)));
            // Where the machine's time was partly somebody else's, a mean rate holds it and a median over slots does not.
            let baseline_ns = duets.ns_per_frame(&baseline).unwrap_or_else(|| ns_per_packet(rates(&baseline)));
            let answer = interval.map(|interval| Answer::of(interval, baseline_ns, margin));
            Comparison { question, baseline, candidate, answer }
        });
        let mut comparisons: Vec<Comparison> = comparisons.collect();
        let controls = duets.controls(&log.experiment);
        let failed: Vec<&Control> = failed(&controls).collect();
        for comparison in &mut comparisons {
            let cells = [&comparison.baseline, &comparison.candidate];
            let here = |control: &&Control| cells.iter().any(|cell| (&cell.config, &cell.traffic) == (&control.config, &control.traffic));
            if let Ok(answer) = &mut comparison.answer {
                answer.doubtful = failed.iter().any(here);
            }
        }
        Judgement { margin, comparisons, controls, cells }
    }

    /// The controls that found a difference where there is none, more clearly than chance explains.
    pub fn failed_controls(&self) -> impl Iterator<Item = &Control> {
        failed(&self.controls)
    }

    pub fn cell(&self, name: &Name) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.name == *name)
    }

    pub fn asked(&self, question: Question) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(move |comparison| comparison.question == question)
    }
}

/// p below 5 % shared out among all controls (Bonferroni): an experiment without fault raises this alarm one time in twenty at
/// most.
fn failed(controls: &[Control]) -> impl Iterator<Item = &Control> {
    let alarm = (1.0 - CONFIDENCE) / controls.len().max(1) as f64;
    controls.iter().filter(move |control| control.interval.as_ref().is_ok_and(|interval| interval.p < alarm))
}

impl Cell {
    fn of(log: &Log, duets: &Duets, name: Name) -> Cell {
        let here =
            |config: &str, traffic: &str, arms: &[String]| config == name.config && traffic == name.traffic && arms.contains(&name.variant);
        let planned = log.plan.runs.iter().filter(|run| here(&run.config, &run.traffic, &run.arms)).count() as u32;
        let attempts = || log.results.iter().filter(|result| here(&result.run.config, &result.run.traffic, &result.run.arms));
        let mut invalid = BTreeMap::new();
        for result in attempts() {
            if let RunVerdict::Invalid { cause, .. } = result.verdict {
                *invalid.entry(cause).or_default() += 1;
            }
        }
        let arms = attempts().filter(|result| result.verdict == RunVerdict::Valid).flat_map(|result| {
            let of_ours = result.arms.iter().filter(|arm| arm.variant == name.variant);
            of_ours.map(|arm| (result.run.block, arm))
        });
        let mut cell = Cell {
            planned,
            rates: Vec::new(),
            own_ns: duets.own_ns(&name),
            summary: None,
            sent: 0,
            received: 0,
            foreign: 0,
            drops: BTreeMap::new(),
            invalid,
            name: name.clone(),
        };
        for (block, arm) in arms {
            cell.rates.extend(arm.forwarding_rate_pps().map(|pps| Rate { block, pps }));
            cell.sent = cell.sent.saturating_add(arm.sent);
            cell.received = cell.received.saturating_add(arm.received);
            cell.foreign = cell.foreign.saturating_add(arm.foreign);
            for (place, frames) in &arm.drops {
                let sum = cell.drops.entry(place.clone()).or_default();
                *sum = sum.saturating_add(*frames);
            }
        }
        cell.summary = Summary::of(&cell.values());
        cell
    }

    /// The rates alone, packets per second.
    pub fn values(&self) -> Vec<f64> {
        self.rates.iter().map(|rate| rate.pps).collect()
    }

    /// Share of the frames offered that did not arrive; `None` when none was offered.
    pub fn loss_ratio(&self) -> Option<f64> {
        (self.sent > 0).then(|| (self.sent as f64 - self.received as f64) / self.sent as f64)
    }
}

impl Answer {
    fn of(interval: RatioInterval, baseline_ns: f64, margin: f64) -> Answer {
        Answer {
            doubtful: false,
            verdict: verdict::judge(&interval, margin),
            sentence: verdict::sentence(&interval, margin),
            decimals: verdict::decimals(&[interval.low, interval.high].map(|ratio| (ratio - 1.0) * 100.0), margin * 100.0),
            cost_ns: baseline_ns * (1.0 / interval.ratio - 1.0),
            cost_half_ns: baseline_ns * (1.0 / interval.low - 1.0 / interval.high) / 2.0,
            interval,
        }
    }
}

/// Nanoseconds per packet at the geometric mean of the rates.
fn ns_per_packet(rates: &[Rate]) -> f64 {
    let mean_log = rates.iter().map(|rate| rate.pps.ln()).sum::<f64>() / rates.len() as f64;
    1e9 / mean_log.exp()
}

/// Rates of separate runs: block by block where there are blocks enough, else Welch.
fn compare_rates(baseline: &[Rate], candidate: &[Rate]) -> Result<RatioInterval, StatsError> {
    let beside = |block: u32| candidate.iter().find(|rate| rate.block == block).map(|rate| rate.pps);
    let paired: Vec<f64> =
        baseline.iter().filter_map(|rate| Some((beside(rate.block)? / rate.pps).ln())).filter(|log| log.is_finite()).collect();
    let all_paired = paired.len() == baseline.len() && paired.len() == candidate.len();
    if all_paired && paired.len() >= BLOCKS_TO_PAIR {
        return one_sample(&paired, CONFIDENCE);
    }
    let pps = |rates: &[Rate]| rates.iter().map(|rate| rate.pps).collect::<Vec<f64>>();
    welch(&pps(baseline), &pps(candidate), CONFIDENCE)
}

/// The valid duets of a log.
struct Duets<'a> {
    runs: Vec<(&'a RunResult, Duet<'a>)>,
    baseline: &'a str,
}

impl<'a> Duets<'a> {
    fn of(log: &'a Log) -> Duets<'a> {
        let valid = log.results.iter().filter(|result| result.verdict == RunVerdict::Valid && result.run.arms.len() > 1);
        let baseline = log.experiment.variants.first().map_or("", |variant| variant.name.as_str());
        Duets { runs: valid.map(|result| (result, Duet::of(result))).collect(), baseline }
    }

    fn of_cell(&self, config: &str, traffic: &str) -> impl Iterator<Item = (u32, &Duet<'a>)> {
        let here = move |run: &crate::plan::Run| run.config == config && run.traffic == traffic;
        self.runs.iter().filter(move |(result, _)| here(&result.run)).map(|(result, duet)| (result.run.block, duet))
    }

    /// One number per block, then an interval over blocks; `None` where no duet answers the question.
    fn compare(&self, question: Question, baseline: &Name, candidate: &Name) -> Option<Result<RatioInterval, StatsError>> {
        let effects: Vec<f64> = match question {
            Question::Change => self
                .of_cell(&candidate.config, &candidate.traffic)
                .filter_map(|(_, duet)| duet.effect(&candidate.variant, &baseline.variant))
                .collect(),
            // Two blasts of one block, each with an arm that has no DUT: that arm ties them together.
            Question::Config => self
                .of_cell(&candidate.config, &candidate.traffic)
                .filter_map(|(block, duet)| {
                    let (_, reference) =
                        self.of_cell(&baseline.config, &baseline.traffic).find(|(other, _)| *other == block)?;
                    Some(duet.against_null(&candidate.variant)? - reference.against_null(&baseline.variant)?)
                })
                .collect(),
            // Frames of another length cost the sender another time, so nothing ties the blasts together but their block; the
            // median over slots at least does not see who else had the CPU for a while.
            Question::Family => self
                .of_cell(&candidate.config, &candidate.traffic)
                .filter_map(|(block, duet)| {
                    let (_, other) = self.of_cell(&baseline.config, &baseline.traffic).find(|(it, _)| *it == block)?;
                    Some((other.ns_per_frame(&baseline.variant)? / duet.ns_per_frame(&candidate.variant)?).ln())
                })
                .collect(),
        };
        (!effects.is_empty()).then(|| one_sample(&effects, CONFIDENCE))
    }

    fn controls(&self, experiment: &Experiment) -> Vec<Control> {
        let mut controls = Vec::new();
        for config in &experiment.configs {
            for traffic in &experiment.traffic {
                let effects: Vec<f64> = self
                    .of_cell(&config.name, &traffic.name)
                    .filter_map(|(_, duet)| duet.control(self.baseline))
                    .collect();
                if !effects.is_empty() {
                    let (config, traffic) = (config.name.clone(), traffic.name.clone());
                    controls.push(Control { config, traffic, interval: one_sample(&effects, CONFIDENCE) });
                }
            }
        }
        controls
    }

    /// Nanoseconds per frame of an arm, sender and receiver included: median over slots, then over blocks.
    fn ns_per_frame(&self, name: &Name) -> Option<f64> {
        let blocks = self.of_cell(&name.config, &name.traffic).filter_map(|(_, duet)| duet.ns_per_frame(&name.variant));
        Summary::of(&blocks.collect::<Vec<f64>>()).map(|summary| summary.median)
    }

    /// What a frame takes longer through the DUT than without one. Each block gives the ratio of the two, which does not
    /// depend on the machine's speed of the moment; it is turned into time at the median speed of all blocks.
    fn own_ns(&self, name: &Name) -> Option<Nanoseconds> {
        let null_ns = self.ns_per_frame(&Name { variant: NULL.into(), ..name.clone() })?;
        let own: Vec<f64> = self
            .of_cell(&name.config, &name.traffic)
            .filter_map(|(_, duet)| Some(((-duet.against_null(&name.variant)?).exp() - 1.0) * null_ns))
            .collect();
        let summary = Summary::of(&own)?;
        let (n, stddev) = (summary.n as f64, summary.stddev?);
        let half = student::critical(CONFIDENCE, n - 1.0) * stddev / n.sqrt();
        Some(Nanoseconds { mean: summary.mean, half })
    }
}

/// The attempts that do not count, in log order, each with its cause and what was seen.
pub fn invalid(log: &Log) -> impl Iterator<Item = (&RunResult, Cause, &str)> {
    log.results.iter().filter_map(|result| match &result.verdict {
        RunVerdict::Valid => None,
        RunVerdict::Invalid { cause, detail } => Some((result, *cause, detail.as_str())),
    })
}

/// The config that the others are compared with: the first that changes nothing.
pub fn reference_config(experiment: &Experiment) -> Option<&str> {
    experiment.configs.iter().find(|config| config.change.is_empty()).map(|config| config.name.as_str())
}

fn names(experiment: &Experiment) -> impl Iterator<Item = Name> {
    experiment.configs.iter().flat_map(move |config| {
        experiment
            .traffic
            .iter()
            .flat_map(move |traffic| experiment.variants.iter().map(move |variant| name(&variant.name, &config.name, &traffic.name)))
    })
}

fn name(variant: &str, config: &str, traffic: &str) -> Name {
    Name { variant: variant.into(), config: config.into(), traffic: traffic.into() }
}

/// Every comparison there is to make: question, baseline, candidate.
fn pairs(experiment: &Experiment) -> Vec<(Question, Name, Name)> {
    let Some((baseline, candidates)) = experiment.variants.split_first() else { return Vec::new() };
    let mut pairs = Vec::new();
    for candidate in candidates {
        for config in &experiment.configs {
            for traffic in &experiment.traffic {
                let cell = |variant: &str| name(variant, &config.name, &traffic.name);
                pairs.push((Question::Change, cell(&baseline.name), cell(&candidate.name)));
            }
        }
    }
    if let Some(reference) = reference_config(experiment) {
        for config in experiment.configs.iter().filter(|config| config.name != reference) {
            for traffic in &experiment.traffic {
                let cell = |config: &str| name(&baseline.name, config, &traffic.name);
                pairs.push((Question::Config, cell(reference), cell(&config.name)));
            }
        }
    }
    let first = |family| experiment.traffic.iter().find(|traffic| traffic.family == family);
    if let (Some(inet4), Some(inet6)) = (first(Family::Inet4), first(Family::Inet6)) {
        for config in &experiment.configs {
            let cell = |traffic: &str| name(&baseline.name, &config.name, traffic);
            pairs.push((Question::Family, cell(&inet4.name), cell(&inet6.name)));
        }
    }
    pairs
}
