//! Judgement: which numbers count, and what is compared with what.

mod made;

use linerate::experiment::Change;
use linerate::judge::{Judgement, Name, Question};
use linerate::stats::{StatsError, Verdict};
use linerate::store::event::{Cause, RunVerdict};

fn name(variant: &str, config: &str, traffic: &str) -> Name {
    Name { variant: variant.into(), config: config.into(), traffic: traffic.into() }
}

// An invalid attempt adds to the count of its cause and to nothing else, even when it carries frames.
#[test]
fn invalid_attempts_are_counted_and_never_averaged_in() {
    let clean = Judgement::of(&made::log());
    let mut log = made::log();
    let mut wrong = made::valid(&log.plan.runs[0], 1, 9e9, 77);
    wrong.verdict = RunVerdict::Invalid { cause: Cause::SenderLimited, detail: String::new() };
    log.results.push(wrong);
    let judged = Judgement::of(&log);
    let cell = name("default", "forwarding", "inet4");
    let (before, after) = (clean.cell(&cell).unwrap(), judged.cell(&cell).unwrap());
    assert_eq!(after.invalid[&Cause::SenderLimited], 1);
    assert_eq!((&after.rates, after.summary, after.sent, &after.drops), (&before.rates, before.summary, before.sent, &before.drops));
    assert_eq!(judged.comparisons, clean.comparisons);
}

// A cell keeps the block of every rate: pairs of one block can be told from others.
#[test]
fn rates_keep_their_blocks() {
    let judgement = Judgement::of(&made::log());
    let cell = judgement.cell(&name("no-early-demux", "nft-stateful", "inet6")).unwrap();
    assert_eq!((cell.planned, cell.rates.iter().map(|rate| rate.block).collect::<Vec<_>>()), (5, vec![0, 1]));
    assert_eq!(cell.invalid[&Cause::CpuShared], 9);
}

// One comparison per config and profile for the change, one less per profile for the configs, one per config for IPv6.
#[test]
fn every_question_is_asked_once_per_cell() {
    let judgement = Judgement::of(&made::log());
    let asked = |question| judgement.asked(question).map(|c| (c.baseline.clone(), c.candidate.clone())).collect::<Vec<_>>();
    assert_eq!(asked(Question::Change).len(), 6);
    assert_eq!(asked(Question::Change)[1], (name("default", "forwarding", "inet6"), name("no-early-demux", "forwarding", "inet6")));
    assert_eq!(asked(Question::Config).len(), 4);
    assert_eq!(asked(Question::Config)[2], (name("default", "forwarding", "inet4"), name("default", "nft-stateful", "inet4")));
    assert_eq!(asked(Question::Family).len(), 3);
    assert_eq!(asked(Question::Family)[0], (name("default", "forwarding", "inet4"), name("default", "forwarding", "inet6")));
}

// What a firewall costs can only be asked where a config has none; one profile has no other family to compare with.
#[test]
fn questions_without_an_object_are_not_asked() {
    let mut log = made::log();
    log.experiment.configs[0].change = made::sysctl("net.core.bpf_jit_enable", "1");
    log.experiment.traffic.truncate(1);
    let judgement = Judgement::of(&log);
    assert_eq!(judgement.asked(Question::Config).count(), 0);
    assert_eq!(judgement.asked(Question::Family).count(), 0);
    log.experiment.configs[2].change = Change::default();
    let judgement = Judgement::of(&log);
    assert!(judgement.asked(Question::Config).all(|comparison| comparison.baseline.config == "nft-stateful"));
}

// 2 Mpps against 1 Mpps: 500 ns less per packet, and half the interval in nanoseconds is what the ratio's bounds say.
#[test]
fn cost_is_the_difference_of_the_times_per_packet() {
    let mut log = made::log();
    for result in &mut log.results {
        let twice = if result.run.arms[0] == "default" { 1.0 } else { 2.0 };
        let scatter = 1.0 + 0.001 * f64::from(result.run.block);
        *result = made::valid(&result.run, 0, 1e6 * twice * scatter, 0);
    }
    let judgement = Judgement::of(&log);
    let comparison = judgement.asked(Question::Change).next().unwrap();
    let answer = comparison.answer.as_ref().unwrap();
    assert!((answer.cost_ns + 499.0).abs() < 0.1, "{}", answer.cost_ns);
    assert!((answer.interval.ratio - 2.0).abs() < 1e-9 && answer.verdict == Verdict::Improved);
    let half = 998.0 * (1.0 / answer.interval.low - 1.0 / answer.interval.high) / 2.0;
    assert!((answer.cost_half_ns - half).abs() < 0.01, "{} and {half}", answer.cost_half_ns);
}

// Too few runs, and a valid run that forwarded nothing, give a reason and no number.
#[test]
fn what_cannot_be_judged_says_why() {
    let mut log = made::log();
    let judgement = Judgement::of(&log);
    let starved = judgement.asked(Question::Change).last().unwrap();
    assert_eq!(starved.answer, Err(StatsError::TooFew { have: 2, need: 3 }));
    log.results[0].arms[0].forwarded = 0;
    let judgement = Judgement::of(&log);
    assert_eq!(judgement.asked(Question::Change).next().unwrap().answer, Err(StatsError::NotPositive { value: 0.0 }));
}

// Loss is what was sent and did not arrive, over all valid runs of the cell.
#[test]
fn loss_is_a_share_of_what_was_sent() {
    let judgement = Judgement::of(&made::log());
    let cell = judgement.cell(&name("default", "nft-stateless", "inet4")).unwrap();
    assert_eq!(cell.drops["dut:nft-forward"], 5 * 120);
    assert!((cell.loss_ratio().unwrap() - 600.0 / cell.sent as f64).abs() < 1e-15);
}
