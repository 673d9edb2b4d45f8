//! What was found: headlines, tables of verdicts, ministat blocks, the table of cells.

use std::slice::from_ref;

use crate::judge::{Answer, CONFIDENCE, Comparison, Judgement, Name, Question, reference_config};
use crate::plot::visible;
use crate::stats::Verdict;
use crate::stats::ministat::{self, Dataset, MOST_SETS, Options};
use crate::store::Log;
use crate::units::show_pps;

use super::doc::{Block, Table, Text, plain, strong};
use super::words::{and, change, cost, count, label, plural, range, share, short, title, word};

/// One sentence per candidate, or about the configs where nothing is a candidate.
pub fn headlines(log: &Log, judgement: &Judgement) -> Vec<Text> {
    let Some((baseline, candidates)) = log.experiment.variants.split_first() else { return Vec::new() };
    let headline = |title: String, comparisons: Vec<&Comparison>| -> Text {
        let said = match &comparisons[..] {
            [one] => sentence(one),
            _ => tally(&comparisons),
        };
        vec![strong(format!("{title}:")), plain(format!(" {said}."))]
    };
    let of = |candidate: &str| judgement.asked(Question::Change).filter(|each| each.candidate.variant == candidate).collect::<Vec<_>>();
    let changes = candidates.iter().map(|candidate| headline(format!("{} against {}", candidate.name, baseline.name), of(&candidate.name)));
    let mut texts: Vec<Text> = changes.collect();
    let configs: Vec<&Comparison> = judgement.asked(Question::Config).collect();
    if let (true, Some(reference), false) = (texts.is_empty(), reference_config(&log.experiment), configs.is_empty()) {
        texts.push(headline(format!("Each config against {reference}"), configs));
    }
    texts
}

/// `improved in 4 of 6 cells (by 1.2 to 2.9 %), equivalent in 2`.
fn tally(comparisons: &[&Comparison]) -> String {
    let answers: Vec<&Answer> = comparisons.iter().filter_map(|comparison| comparison.answer.as_ref().ok()).collect();
    let word = |answer: &Answer| word(comparisons[0].question, answer.verdict);
    let mut parts = Vec::new();
    for kind in ["improved", "regressed", "faster", "slower", "negligible", "equivalent", "inconclusive"] {
        let mut found: Vec<&Answer> = answers.iter().copied().filter(|answer| word(answer) == kind).collect();
        found.sort_by(|a, b| a.interval.ratio.ln().abs().total_cmp(&b.interval.ratio.ln().abs()));
        let of = if parts.is_empty() { format!(" of {}", plural(comparisons.len(), "cell")) } else { String::new() };
        let extent = match &found[..] {
            [] => continue,
            [one] => format!(" ({})", change(one)),
            [least, .., most] => format!(" ({} to {})", change(least).trim_end_matches(" %"), change(most)),
        };
        let shown = matches!(found[0].verdict, Verdict::Improved | Verdict::Regressed | Verdict::Negligible);
        parts.push(format!("{kind} in {}{of}{}", found.len(), if shown { extent } else { String::new() }));
    }
    let unjudged = comparisons.len() - answers.len();
    if unjudged > 0 {
        parts.push(format!("not judged in {unjudged}, for want of valid runs"));
    }
    and(&parts)
}

/// A comparison's verdict in words, or why there is none.
pub fn sentence(comparison: &Comparison) -> String {
    match &comparison.answer {
        Ok(answer) if answer.doubtful => format!("{}, but the control of this cell failed", answer.sentence),
        Ok(answer) => answer.sentence.clone(),
        Err(error) => format!("not judged: {error}"),
    }
}

/// All comparisons of a question; `None` where there are none. Rates are means, as the changes are ratios of means:
/// medians next to them would at times point the other way.
pub fn table(log: &Log, judgement: &Judgement, question: Question) -> Option<Table> {
    let mut comparisons = judgement.asked(question).peekable();
    let first = comparisons.peek()?;
    let two = log.experiment.variants.len() == 2;
    let (before, after) = match question {
        Question::Change if two => (first.baseline.variant.clone(), first.candidate.variant.clone()),
        Question::Change => (first.baseline.variant.clone(), "variant".into()),
        Question::Config => (first.baseline.config.clone(), "config".into()),
        Question::Family => (first.baseline.traffic.clone(), first.candidate.traffic.clone()),
    };
    let interval = format!("#{} % interval", short(CONFIDENCE * 100.0));
    // A duet's ratio comes from slots beside each other, not from the mean rates, which wander: two of them next to it would
    // at times point the other way.
    let both = judgement.controls.is_empty();
    let (before, after) = (format!("#{before}"), format!("#{after}"));
    let mut columns = vec!["cell", &before];
    columns.extend(both.then_some(after.as_str()));
    columns.extend(["#change", &interval, "#per packet", "verdict"]);
    let shown = |question, verdict| match verdict {
        Verdict::Improved | Verdict::Regressed if question == Question::Change => strong(word(question, verdict)),
        verdict => plain(word(question, verdict)),
    };
    let mut table = Table::new(&columns);
    for comparison in comparisons {
        let before = plain(mean(judgement, &comparison.baseline));
        let after = both.then(|| plain(mean(judgement, &comparison.candidate)));
        let [change, range, cost, verdict] = match &comparison.answer {
            Ok(answer) => {
                let verdict = match answer.doubtful {
                    true => plain(format!("{}, control failed", word(question, answer.verdict))),
                    false => shown(question, answer.verdict),
                };
                [plain(change(answer)), plain(range(answer)), plain(cost(answer)), verdict]
            }
            Err(_) => [plain("-"), plain("-"), plain("-"), plain("not judged")],
        };
        let first = [plain(label(&log.experiment, comparison)), before];
        table.row(first.into_iter().chain(after).chain([change, range, cost, verdict]));
    }
    Some(table)
}

/// Mean rate of a cell as a person says it, or a dash where nothing valid was measured.
fn mean(judgement: &Judgement, name: &Name) -> String {
    let summary = judgement.cell(name).and_then(|cell| cell.summary);
    summary.map_or("-".into(), |summary| show_pps(summary.mean))
}

/// One block per config and traffic profile, all variants in it, and a sentence of verdict for each candidate.
pub fn ministat_blocks(log: &Log, judgement: &Judgement) -> Vec<Block> {
    let mut comparisons: Vec<&Comparison> = judgement.asked(Question::Change).collect();
    // Variants of one cell stand in one block: order by place, keeping the experiment's order inside.
    let place = |comparison: &Comparison| judgement.cells.iter().position(|cell| cell.name == comparison.baseline);
    comparisons.sort_by_key(|comparison| place(comparison));
    let mut blocks = Vec::new();
    for group in comparisons.chunk_by(|a, b| a.baseline == b.baseline) {
        let Name { config, traffic, .. } = &group[0].baseline;
        blocks.push(Block::Subheading(format!("{config}, {traffic}")));
        blocks.extend(ministat_texts(judgement, &group[0].baseline, group).into_iter().map(Block::Verbatim));
        for comparison in group {
            let Name { variant, .. } = &comparison.candidate;
            let per_packet = comparison.answer.as_ref().map_or(String::new(), |answer| format!("; {} per packet", cost(answer)));
            let said = format!(" {}{per_packet}.", sentence(comparison));
            blocks.push(Block::Paragraph(vec![strong(format!("{variant}:")), plain(said)]));
        }
    }
    if !blocks.is_empty() {
        let experiment = &log.experiment;
        blocks.insert(0, Block::Heading(format!("{}, one by one", title(experiment, Question::Change))));
    }
    blocks
}

/// What ministat says about the rates, packets per second, one text per table it takes to hold all; none where the
/// baseline has too few rates for it, or only zeros, of which nothing is a percentage.
fn ministat_texts(judgement: &Judgement, baseline: &Name, candidates: &[&Comparison]) -> Vec<String> {
    let set = |name: &Name| Dataset::new(visible(&name.variant), judgement.cell(name)?.values());
    let nothing = judgement.cell(baseline).is_none_or(|cell| cell.received == 0);
    let Some(reference) = set(baseline).filter(|_| !nothing) else { return Vec::new() };
    let sets: Vec<Dataset> = candidates.iter().filter_map(|comparison| set(&comparison.candidate)).collect();
    let options = Options { separate_bars: true, ..Options::default() };
    let text = |others: &[Dataset]| ministat::render(&[from_ref(&reference), others].concat(), &options).ok();
    sets.chunks(MOST_SETS - 1).filter_map(text).collect()
}

/// Every cell in numbers.
pub fn cells(judgement: &Judgement) -> Block {
    let with_own = judgement.cells.iter().any(|cell| cell.own_ns.is_some());
    let mut columns = vec!["config", "traffic", "variant", "#N", "#min", "#median", "#mean", "#max", "#stddev", "#CV"];
    columns.extend(with_own.then_some("#DUT's own per packet"));
    columns.extend(["#loss", "#invalid"]);
    let mut table = Table::new(&columns);
    for cell in &judgement.cells {
        let Name { variant, config, traffic } = &cell.name;
        let numbers = match &cell.summary {
            Some(summary) => [
                count(summary.min),
                count(summary.median),
                count(summary.mean),
                count(summary.max),
                summary.stddev.map_or("-".into(), count),
                summary.cv().map_or("-".into(), |cv| format!("{:.2} %", cv * 100.0)),
            ],
            None => std::array::from_fn(|_| "-".to_string()),
        };
        let invalid: u32 = cell.invalid.values().sum();
        let measured = match cell.rates.len() as u32 {
            all if all == cell.planned => all.to_string(),
            some => format!("{some} of {}", cell.planned),
        };
        let words = [config, traffic, variant].map(plain);
        let own = cell.own_ns.map_or("-".into(), |own| format!("{:.1} ± {:.1} ns", own.mean, own.half));
        let own = with_own.then(|| plain(own));
        let last = [cell.loss_ratio().map_or("-".into(), share), count(invalid.into())].map(plain);
        table.row(words.into_iter().chain([plain(measured)]).chain(numbers.map(plain)).chain(own).chain(last));
    }
    Block::Table(table)
}
