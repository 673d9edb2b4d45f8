//! Judgement -> the data of the two pictures.

use crate::experiment::{Experiment, Traffic};
use crate::judge::{Answer, Comparison, Judgement, Name, Question};
use crate::plot::bars::{Bar, Bars, Group, Panel, Reference};
use crate::plot::effects::{Effect, Effects, Mark};
use crate::stats::Verdict;
use crate::store::Log;
use crate::units::Load;

use super::words::{and, change, count, label, plural, range, short, title, word};

/// All cells: panels are traffic profiles, groups configs, bars variants, or one level less where there is one of a kind.
pub fn bars(log: &Log, judgement: &Judgement) -> Bars {
    let Experiment { variants, configs, traffic, .. } = &log.experiment;
    let bar = |variant: &str, config: &str, traffic: &str| {
        let name = Name { variant: variant.into(), config: config.into(), traffic: traffic.into() };
        let summary = judgement.cell(&name)?.summary?;
        Some(Bar { min: summary.min, median: summary.median, max: summary.max })
    };
    let variant_names: Vec<String> = variants.iter().map(|variant| variant.name.clone()).collect();
    let config_names: Vec<String> = configs.iter().map(|config| config.name.clone()).collect();
    let traffic_names: Vec<String> = traffic.iter().map(|traffic| traffic.name.clone()).collect();
    let groups = |names: &[String], series: &[String], bar: &dyn Fn(&str, &str) -> Option<Bar>| {
        let group = |name: &String| Group { name: name.clone(), bars: series.iter().map(|one| bar(name, one)).collect() };
        names.iter().map(group).collect::<Vec<_>>()
    };
    let (series, panels) = match (&variant_names[..], &config_names[..], &traffic_names[..]) {
        ([variant], ..) => {
            let groups = groups(&config_names, &traffic_names, &|config, traffic| bar(variant, config, traffic));
            (traffic_names.clone(), vec![Panel { name: String::new(), groups }])
        }
        (_, [config], [traffic]) => {
            let groups = groups(&variant_names, &[String::new()], &|variant, _| bar(variant, config, traffic));
            (vec![config.clone()], vec![Panel { name: String::new(), groups }])
        }
        (_, [config], _) => {
            let groups = groups(&traffic_names, &variant_names, &|traffic, variant| bar(variant, config, traffic));
            (variant_names.clone(), vec![Panel { name: String::new(), groups }])
        }
        _ => {
            let panel = |traffic: &Traffic| Panel {
                name: format!("{}: {}-byte frames", traffic.name, traffic.frame_size),
                groups: groups(&config_names, &variant_names, &|config, variant| bar(variant, config, &traffic.name)),
            };
            (variant_names.clone(), traffic.iter().map(panel).collect())
        }
    };
    Bars { title: log.experiment.title.clone(), series, panels, reference: reference(traffic), note: note(log) }
}

/// The first question that has answers: what the change did, else what the configs cost.
pub fn effects(log: &Log, judgement: &Judgement) -> Option<Effects> {
    let answered = |question: &Question| judgement.asked(*question).any(|comparison| comparison.answer.is_ok());
    let question = [Question::Change, Question::Config, Question::Family].into_iter().find(answered)?;
    let label = |comparison: &Comparison| label(&log.experiment, comparison);
    let all: Vec<&Comparison> = judgement.asked(question).collect();
    let rows = all.iter().filter_map(|comparison| Some(row(question, label(comparison), comparison.answer.as_ref().ok()?))).collect();
    let missing: Vec<String> = all.iter().filter(|comparison| comparison.answer.is_err()).map(|comparison| label(comparison)).collect();
    let note = if missing.is_empty() { String::new() } else { format!("Not judged, for want of valid runs: {}.", and(&missing)) };
    let confidence = short(crate::judge::CONFIDENCE * 100.0);
    Some(Effects {
        title: title(&log.experiment, question),
        caption: format!(
            "Difference of the forwarding rates with its {confidence} % confidence interval. Grey band: differences below {} % do not matter.",
            short(judgement.margin * 100.0)
        ),
        margin: judgement.margin * 100.0,
        rows,
        note,
    })
}

pub fn mark(verdict: Verdict) -> Mark {
    match verdict {
        Verdict::Improved => Mark::Better,
        Verdict::Regressed => Mark::Worse,
        Verdict::Negligible | Verdict::Equivalent => Mark::Same,
        Verdict::Inconclusive { .. } => Mark::Open,
    }
}

fn row(question: Question, name: String, answer: &Answer) -> Effect {
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let interval = &answer.interval;
    Effect {
        name,
        percent: percent(interval.ratio),
        low: percent(interval.low),
        high: percent(interval.high),
        mark: mark(answer.verdict),
        text: format!("{} ({}) {}", change(answer), range(answer), word(question, answer.verdict)),
    }
}

/// A common intended load is what the bars could reach at most.
fn reference(traffic: &[Traffic]) -> Option<Reference> {
    let (first, rest) = traffic.split_first()?;
    match first.load {
        Load::Pps(pps) if rest.iter().all(|other| other.load == first.load) => {
            Some(Reference { pps: pps as f64, name: format!("intended load {}", first.load) })
        }
        _ => None,
    }
}

fn note(log: &Log) -> String {
    let method = &log.experiment.method;
    let mut flows: Vec<u32> = log.experiment.traffic.iter().map(super::setup::flows).collect();
    flows.dedup();
    let flows: Vec<String> = flows.into_iter().map(|flows| count(f64::from(flows))).collect();
    let senders: Vec<String> = super::setup::senders(log).into_keys().collect();
    let sender = if senders.is_empty() { String::new() } else { format!("; sender: {}", and(&senders)) };
    format!(
        "{} UDP flows; {} from fresh network namespaces in randomised blocks, seed {}{sender}; linerate {}",
        and(&flows),
        plural(method.iterations as usize, "iteration"),
        method.seed,
        log.linerate
    )
}
