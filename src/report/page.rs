//! Log and judgement -> the page: what stands on it, in which order.

use crate::experiment::{Compare, Layout};
use crate::judge::{Judgement, Question, invalid};
use crate::store::Log;

use super::doc::{Block, Doc, Picture, Table, Text, Tone, code, plain, strong};
use super::words::{cause, count, meaning, plural, short, title};
use super::{answers, controls, pictures, setup};

pub fn doc(log: &Log, judgement: &Judgement) -> Doc {
    let experiment = &log.experiment;
    let paragraphs = experiment.question.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
    let mut blocks: Vec<Block> = paragraphs.map(|text| Block::Paragraph(vec![plain(text)])).collect();
    blocks.extend(warning(log).map(|text| Block::Callout(Tone::Warning, text)));
    blocks.extend(answers::headlines(log, judgement).into_iter().map(|text| Block::Callout(Tone::Answer, text)));
    blocks.extend(controls::headline(judgement));
    blocks.extend(answers::table(log, judgement, Question::Change).map(Block::Table));
    blocks.extend(pictures::effects(log, judgement).map(|effects| {
        let alt = format!("{}: a dot with its interval for every comparison", effects.title);
        Block::Picture(Picture { name: "effects", alt, svg: effects.svg() })
    }));
    if !judgement.controls.is_empty() {
        let text = "Changes come from slots that stood side by side in one blast (of configs: through the arm without a DUT), not from \
                    the quotient of mean rates, which wander with the machine.";
        blocks.push(Block::Paragraph(vec![plain(text)]));
    }
    blocks.extend(setup::blocks(log));

    blocks.push(Block::Heading("Forwarding rates".into()));
    let alt = "Bars: the median forwarding rate of every cell, with minimum and maximum".to_string();
    blocks.push(Block::Picture(Picture { name: "graph", alt, svg: pictures::bars(log, judgement).svg() }));
    blocks.push(answers::cells(judgement));

    blocks.extend(answers::ministat_blocks(log, judgement));
    for question in [Question::Config, Question::Family] {
        if let Some(table) = answers::table(log, judgement, question) {
            blocks.push(Block::Heading(title(experiment, question)));
            blocks.push(Block::Paragraph(vec![plain(explained(question, experiment.variants[0].name.as_str()))]));
            blocks.push(Block::Table(table));
        }
    }
    blocks.extend(controls::section(log, judgement));
    blocks.extend(invalid_runs(log));
    blocks.extend(closing(log, judgement));
    Doc { title: experiment.title.clone(), blocks }
}

/// What a reader must know before the first number.
fn warning(log: &Log) -> Option<Text> {
    let (valid, planned) = (setup::valid(log), log.plan.runs.len());
    let have = format!("{} of {} have a valid result", count(valid as f64), plural(planned, "run"));
    if !log.complete {
        let why = log.stopped.as_ref().map_or(String::new(), |reason| format!(" It stopped early: {reason}."));
        let text = format!("This experiment is not complete: {have}.{why} Go on with ");
        return Some(vec![plain(text), code("linerate run --resume DIR"), plain(".")]);
    }
    let text = format!("Only {have}: the others were tried again up to the limit and stayed invalid. See the invalid attempts below.");
    (valid < planned).then(|| vec![plain(text)])
}

fn explained(question: Question, baseline: &str) -> String {
    let which = match question {
        Question::Change => "Every variant against the baseline, all else equal.".to_string(),
        Question::Config => format!("Every config against the one that changes nothing, measured with variant {baseline}."),
        Question::Family => format!(
            "The first IPv6 profile against the first IPv4 profile, measured with variant {baseline}. Frames differ in size as the setup says."
        ),
    };
    format!("{which} Nanoseconds are the difference of the times per packet at the machine's median speed during the experiment: what sender and receiver take of every frame alike cancels out.")
}

/// What the verdicts on the change rest on.
fn rest_on(log: &Log, judgement: &Judgement) -> &'static str {
    match (log.experiment.method.compare, judgement.controls.is_empty()) {
        (Compare::Duet, false) => {
            " rest on slots of half a millisecond or more that stood beside each other in one blast: the median of their paired log \
             ratios is a blast's one number, and the interval is Student's over blasts. The rates themselves wander with the \
             machine, which is why ministat often proves nothing where the duet does."
        }
        _ => {
            " rest on log rates: block by block from eight blocks on, else Welch's interval for their ratio, which allows the two \
             sides to scatter differently."
        }
    }
}

/// What a rate and a time of this layout hold.
fn layout_limits(log: &Log) -> &'static str {
    match log.experiment.method.layout {
        Layout::Inline => {
            "Sender, DUT and receiver share one core, run to completion: each rate contains the sender's and the receiver's work per \
             frame, and there is no queue. The DUT's own time per packet is the difference to the arm without a DUT, in the same \
             blasts; it runs from the frame's arrival on the DUT's link to its departure, one veth crossing and the freeing of the packet \
             buffer at the receiver included."
        }
        Layout::TwoCore => {
            "The DUT has a core of its own, a real queue of 256 frames, and a bounded window of frames in flight; the receiver's work \
             and the moving of cache lines between the cores are part of its time."
        }
    }
}

fn invalid_runs(log: &Log) -> Vec<Block> {
    let mut table = Table::new(&["#run", "#attempt", "#block", "config", "traffic", "variants", "cause", "what was seen"]);
    let mut causes = Vec::new();
    for (result, why, detail) in invalid(log) {
        let run = &result.run;
        let number = |n: u32| plain(n.to_string());
        table.row([
            number(run.id),
            number(result.attempt),
            number(run.block),
            plain(&run.config),
            plain(&run.traffic),
            plain(run.arms.join(", ")),
            code(cause(why)),
            plain(detail),
        ]);
        causes.push(why);
    }
    if table.rows.is_empty() {
        return Vec::new();
    }
    causes.sort();
    causes.dedup();
    let intro = "These attempts do not count: none of their numbers is in any average. Their runs were tried again, up to the limit.";
    let mut items = Vec::new();
    items.extend(causes.into_iter().map(|why| vec![code(cause(why)), plain(format!(": {}", meaning(why)))]));
    let mut blocks = vec![Block::Heading("Invalid attempts".into()), Block::Paragraph(vec![plain(intro)]), Block::List(items)];
    blocks.push(match table.rows.len() {
        0..=12 => Block::Table(table),
        number => Block::Folded(vec![plain(format!("All {number} attempts"))], vec![Block::Table(table)]),
    });
    blocks
}

fn closing(log: &Log, judgement: &Judgement) -> Vec<Block> {
    let commands = "linerate run experiment.toml -o again    # the same experiment: the file beside this page, with the files it names\n\
                    linerate report DIR                      # this page again, from events.jsonl alone\n";
    let order = format!("The order of the runs follows from seed {}.", log.experiment.method.seed);
    let confidence = crate::judge::CONFIDENCE;
    let comparisons = judgement.comparisons.len();
    let chance = short((comparisons as f64 * (1.0 - confidence) * 10.0).round() / 10.0);
    let mut limits: Vec<Text> = vec![vec![plain(
        "The unit is the iteration, each from a fresh setup. Rates within one iteration are not independent and do not count as more evidence.",
    )]];
    if comparisons > 0 {
        limits.push(vec![plain(format!(
            "Every interval is a {} % interval of its own. Of the {} on this page about {chance} would exclude 0 even if nothing differed at all.",
            short(confidence * 100.0),
            plural(comparisons, "comparison"),
        ))]);
    }
    if judgement.asked(Question::Change).next().is_some() {
        limits.push(vec![
            plain("The ministat blocks compare means with a pooled t test, as such pages have always shown. The "),
            strong("verdicts"),
            plain(rest_on(log, judgement)),
        ]);
    }
    let rest = [
        layout_limits(log),
        "Tables of comparisons show mean rates, the picture medians with minimum and maximum.",
        "IMIX throughput is packets per second times 2834.667 bits: what the rate would be worth with the simple IMIX mix of frame sizes, if the \
         cost of a packet did not depend on its size. It was not measured.",
        "Rates of another machine, kernel or lab do not compare with these; the effects may well.",
    ];
    limits.extend(rest.map(|text| vec![plain(text)]));
    vec![
        Block::Heading("How to repeat it".into()),
        Block::Verbatim(commands.into()),
        Block::Paragraph(vec![plain(order)]),
        Block::Heading("How to read it".into()),
        Block::List(limits),
    ]
}
