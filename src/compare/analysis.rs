//! From the series of one config to an answer per candidate.

use super::{Answer, Method, Pair, Ranks, Series, Settings, flags};
use crate::stats::ratio::log_ratios;
use crate::stats::{RatioInterval, StatsError, rank, rcbd, verdict, welch};

/// Every series but the baseline's against it; none when the config has no baseline.
pub(super) fn pairs(group: &[&Series], baseline: &str, settings: &Settings) -> Vec<Pair> {
    let Some(reference) = group.iter().find(|series| series.variant == baseline) else {
        return Vec::new();
    };
    let candidates = group.iter().filter(|series| series.variant != baseline);
    let mut arms = vec![*reference];
    arms.extend(candidates.clone());
    let blocks = Blocks::of(&arms);
    let method = settings.method.unwrap_or_else(|| {
        blocks.as_ref().map_or(Method::Welch, |blocks| Method::of_design(arms.len(), blocks.numbers.len()))
    });
    candidates
        .enumerate()
        .map(|(at, candidate)| Pair {
            group: reference.group.clone(),
            baseline: baseline.to_string(),
            candidate: candidate.variant.clone(),
            answer: match (method, &blocks) {
                (Method::Welch, _) => by_welch(reference, candidate, settings),
                (Method::Blocks, Some(blocks)) => by_blocks(blocks, at + 1, settings),
                (Method::Blocks, None) => Err(StatsError::NoBlocks),
            },
        })
        .collect()
}

/// Rates of several arms, block by block.
pub(super) struct Blocks {
    /// The blocks that hold every arm.
    pub(super) numbers: Vec<u32>,
    /// The rates of each arm in these blocks, in the same order.
    pub(super) arms: Vec<Vec<f64>>,
    /// Blocks in which an arm is missing.
    left_out: usize,
}

impl Blocks {
    /// `None` when a rate belongs to no block, or an arm has two in one.
    pub(super) fn of(arms: &[&Series]) -> Option<Blocks> {
        let mut all: Vec<u32> = Vec::new();
        for arm in arms {
            let mut own = arm.rates.iter().map(|rate| rate.block).collect::<Option<Vec<u32>>>()?;
            own.sort_unstable();
            if own.windows(2).any(|pair| pair[0] == pair[1]) {
                return None;
            }
            all.extend(own);
        }
        all.sort_unstable();
        all.dedup();
        let rate =
            |arm: &Series, block: u32| arm.rates.iter().find(|rate| rate.block == Some(block)).map(|rate| rate.value);
        let complete = |block: &u32| arms.iter().all(|arm| rate(arm, *block).is_some());
        let numbers: Vec<u32> = all.iter().copied().filter(complete).collect();
        let arms = arms.iter().map(|arm| numbers.iter().filter_map(|block| rate(arm, *block)).collect()).collect();
        Some(Blocks { left_out: all.len() - numbers.len(), numbers, arms })
    }

    fn without(&self, places: &[usize]) -> Vec<Vec<f64>> {
        let keep = |arm: &Vec<f64>| without(arm, places);
        self.arms.iter().map(keep).collect()
    }
}

pub(super) fn without(values: &[f64], places: &[usize]) -> Vec<f64> {
    values.iter().enumerate().filter(|(place, _)| !places.contains(place)).map(|(_, value)| *value).collect()
}

fn by_welch(baseline: &Series, candidate: &Series, settings: &Settings) -> Result<Answer, StatsError> {
    let (before, after) = (baseline.values(), candidate.values());
    let interval = welch(&before, &after, settings.confidence)?;
    let ranks = Ranks {
        p: rank::mann_whitney(&before, &after)?.p,
        shift: rank::hodges_lehmann(&before, &after, settings.confidence)?,
    };
    let mut answer = answer(Method::Welch, interval, ranks, settings);
    let lowest = rank::lowest_p(before.len(), after.len());
    answer.flags.extend(flags::ranks_disagree(&interval, &ranks, lowest, settings));

    let stray = [flags::stray_rates(&before), flags::stray_rates(&after)];
    if stray.iter().any(|stray| !stray.is_empty()) {
        let names =
            [(baseline, &stray[0]), (candidate, &stray[1])].map(|(series, stray)| flags::name_runs(series, stray));
        let calm = welch(&without(&before, &stray[0]), &without(&after, &stray[1]), settings.confidence);
        answer.flags.push(flags::stray(&names.concat(), answer.verdict, calm, settings));
    }
    Ok(answer)
}

fn by_blocks(blocks: &Blocks, candidate: usize, settings: &Settings) -> Result<Answer, StatsError> {
    let contrast = |arms: &[Vec<f64>]| {
        let fit = rcbd(&arms.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        Ok::<_, StatsError>((fit.contrast(0, candidate, settings.confidence)?, fit.block_share))
    };
    let (interval, block_share) = contrast(&blocks.arms)?;
    let logs = log_ratios(&blocks.arms[0], &blocks.arms[candidate])?;
    let ranks = Ranks {
        p: rank::signed_rank_p(&logs).unwrap_or(1.0),
        shift: rank::hodges_lehmann_of_blocks(&logs, settings.confidence)?,
    };
    let mut answer = answer(Method::Blocks, interval, ranks, settings);
    answer.block_share = Some(block_share);
    if blocks.left_out > 0 {
        let (left_out, of) = (blocks.left_out, blocks.left_out + blocks.numbers.len());
        answer.flags.push(format!("{left_out} of {of} blocks lack a variant and are left out"));
    }
    let lowest = 0.5f64.powi(logs.len() as i32 - 1);
    answer.flags.extend(flags::ranks_disagree(&interval, &ranks, lowest, settings));

    let stray = flags::stray_logs(&logs);
    if !stray.is_empty() {
        let names: Vec<String> = stray.iter().map(|place| format!("block {}", blocks.numbers[*place])).collect();
        let calm = contrast(&blocks.without(&stray)).map(|(interval, _)| interval);
        answer.flags.push(flags::stray(&names, answer.verdict, calm, settings));
    }
    Ok(answer)
}

/// Without what depends on the other pairs, which is filled in when all are there.
fn answer(method: Method, interval: RatioInterval, ranks: Ranks, settings: &Settings) -> Answer {
    Answer {
        method,
        interval,
        verdict: verdict::judge(&interval, settings.margin),
        p_holm: interval.p,
        p_bh: interval.p,
        p_equivalence: verdict::equivalence_p(&interval, settings.margin),
        sentence: String::new(),
        ranks: Some(ranks),
        block_share: None,
        flags: Vec::new(),
    }
}
