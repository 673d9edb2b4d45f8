//! The model as a whole; what its parts compute is tested with them.

use proptest::prelude::*;

use super::*;
use crate::stats::simulate::Noise;

fn series(group: &str, variant: &str, rates: impl IntoIterator<Item = f64>) -> Series {
    let rates = rates.into_iter().enumerate().map(|(block, value)| Rate { value, block: Some(block as u32) }).collect();
    Series { group: group.to_string(), variant: variant.to_string(), rates }
}

/// `n` rates about 1 Mpps times `ratio` with noise of `cv`, in percent.
fn noisy(seed: u64, n: usize, ratio: f64, cv: f64) -> Vec<f64> {
    let mut noise = Noise::new(seed);
    (0..n).map(|_| 1e6 * ratio * (cv / 100.0 * noise.normal()).exp()).collect()
}

/// `n` rates about 1 Mpps times `ratio`, 0.2 % apart.
fn even(n: usize, ratio: f64) -> Vec<f64> {
    (0..n).map(|at| 1e6 * ratio * (0.002 * (at as f64 - (n - 1) as f64 / 2.0)).exp()).collect()
}

fn of(series: Vec<Series>) -> Comparison {
    Comparison::of(series, Settings::default()).unwrap()
}

fn plain(before: Vec<f64>, after: Vec<f64>) -> Comparison {
    of(vec![Series::plain("before", before), Series::plain("after", after)])
}

// The four outcomes of a gate, each from the data that should bring it about.
#[test]
fn a_gate_has_four_outcomes() {
    assert_eq!(plain(noisy(1, 8, 1.0, 0.3), noisy(2, 8, 1.0, 0.3)).gate(), Gate::Pass);
    assert_eq!(plain(noisy(1, 8, 1.0, 0.3), noisy(2, 8, 0.97, 0.3)).gate(), Gate::Regression);
    assert_eq!(plain(noisy(1, 4, 1.0, 3.0), noisy(2, 4, 1.0, 3.0)).gate(), Gate::Inconclusive);
    assert_eq!(plain(noisy(1, 8, 1.0, 0.3), vec![1e6, 0.0, 1e6]).gate(), Gate::Infrastructure);
    // Faster is no regression, however large.
    assert_eq!(plain(noisy(1, 8, 1.0, 0.3), noisy(2, 8, 1.2, 0.3)).gate(), Gate::Pass);
}

// Slower for sure, by less than the margin as far as can be told, but perhaps by more: neither pass nor failure.
#[test]
fn a_small_regression_is_open() {
    let comparison = plain(even(8, 1.0), even(8, 0.9935));
    let answer = comparison.pairs[0].answer.as_ref().unwrap();
    assert!(answer.interval.high < 1.0 && answer.interval.ratio > 0.99, "{answer:?}");
    assert_eq!((answer.verdict, comparison.gate()), (Verdict::Regressed, Gate::Inconclusive));
}

// One broken pair and one regression: the regression was found, and stays found.
#[test]
fn a_regression_outranks_a_failure() {
    let comparison = of(vec![
        Series::plain("before", noisy(1, 8, 1.0, 0.3)),
        Series::plain("slower", noisy(2, 8, 0.9, 0.3)),
        Series::plain("broken", vec![]),
    ]);
    assert_eq!(
        comparison.pairs.iter().map(|pair| comparison.gate_of(pair)).collect::<Vec<_>>(),
        [Gate::Regression, Gate::Infrastructure]
    );
    assert_eq!(comparison.gate(), Gate::Regression);
}

// Eight blocks pay, three variants pay sooner, rates without blocks cannot.
#[test]
fn the_design_decides_the_method() {
    let method = |comparison: &Comparison| comparison.pairs[0].answer.as_ref().unwrap().method;
    let two = |n| of(vec![series("", "a", noisy(1, n, 1.0, 0.3)), series("", "b", noisy(2, n, 1.0, 0.3))]);
    assert_eq!((method(&two(7)), method(&two(8))), (Method::Welch, Method::Blocks));
    let three = of((1..4).map(|seed| series("", &format!("v{seed}"), noisy(seed, 4, 1.0, 0.3))).collect());
    assert_eq!(method(&three), Method::Blocks);
    assert_eq!(method(&plain(noisy(1, 20, 1.0, 0.3), noisy(2, 20, 1.0, 0.3))), Method::Welch);
}

// A slow drift over all blocks hides 1 % from Welch and not from blocks, and blocks say what they took away.
#[test]
fn blocks_take_drift_away() {
    let drift = |rates: Vec<f64>| rates.into_iter().enumerate().map(|(at, rate)| rate * (1.0 + 0.01 * at as f64));
    let both = |method| {
        let rates =
            vec![series("", "a", drift(noisy(1, 10, 1.0, 0.2))), series("", "b", drift(noisy(2, 10, 0.985, 0.2)))];
        let settings = Settings { method: Some(method), ..Settings::default() };
        Comparison::of(rates, settings).unwrap().pairs[0].answer.clone().unwrap()
    };
    assert_eq!(both(Method::Blocks).verdict, Verdict::Regressed);
    assert!(both(Method::Blocks).block_share.unwrap() > 0.9);
    assert!(matches!(both(Method::Welch).verdict, Verdict::Inconclusive { .. }));
}

// A block without its partner is left out and counted; blocks that were declared and do not exist are an error.
#[test]
fn blocks_must_be_complete() {
    let mut missing = series("", "b", noisy(2, 10, 1.0, 0.3));
    missing.rates.remove(4);
    let comparison = of(vec![series("", "a", noisy(1, 10, 1.0, 0.3)), missing]);
    let answer = comparison.pairs[0].answer.as_ref().unwrap();
    assert_eq!((answer.method, answer.interval.runs), (Method::Blocks, 9));
    assert!(answer.flags[0].starts_with("1 of 10 blocks"), "{:?}", answer.flags);

    let series = vec![Series::plain("a", noisy(1, 9, 1.0, 0.3)), Series::plain("b", noisy(2, 9, 1.0, 0.3))];
    let settings = Settings { method: Some(Method::Blocks), ..Settings::default() };
    assert_eq!(Comparison::of(series, settings).unwrap().pairs[0].answer, Err(StatsError::NoBlocks));
}

// The patch costs 3 % under pf and nothing under forwarding: the contrast says so, in blocks and without.
#[test]
fn contrasts_between_configs() {
    for n in [6, 10] {
        let comparison = of(vec![
            series("forwarding", "base", noisy(1, n, 1.0, 0.3)),
            series("forwarding", "patched", noisy(2, n, 1.0, 0.3)),
            series("pf", "base", noisy(3, n, 0.5, 0.3)),
            series("pf", "patched", noisy(4, n, 0.485, 0.3)),
            series("ipfw", "base", noisy(5, n, 0.7, 0.3)),
            series("ipfw", "patched", noisy(6, n, 0.7, 0.3)),
        ]);
        let [pf, ipfw] = comparison.contrasts.as_slice() else { panic!("{:?}", comparison.contrasts) };
        assert_eq!((pf.reference.as_str(), pf.group.as_str()), ("forwarding", "pf"));
        assert!(pf.interval.as_ref().unwrap().high < 1.0 && pf.p_holm < 0.05, "{pf:?}");
        assert!(
            pf.sentence.contains("effect under pf is") && pf.sentence.contains("below that under forwarding"),
            "{pf:?}"
        );
        assert!(ipfw.p_holm > 0.05 && ipfw.sentence.contains("not shown"), "{ipfw:?}");
    }
}

// A stray run is named, still counts, and the reader learns that the verdict hangs on it.
#[test]
fn stray_runs_are_flagged_and_kept() {
    let mut after = noisy(2, 10, 1.0, 0.2);
    after[3] = 5e5;
    let comparison = plain(noisy(1, 10, 1.0, 0.2), after);
    let answer = comparison.pairs[0].answer.as_ref().unwrap();
    assert!(matches!(answer.verdict, Verdict::Inconclusive { .. }));
    assert_eq!(
        answer.flags,
        ["run 4 of after (500000) stands far off and still counts: without it the verdict would be `equivalent`"]
    );
}

// Two speeds in one series, and a drift, are told beside the series.
#[test]
fn modes_and_drift_are_flagged() {
    let mut modes = noisy(1, 10, 1.0, 0.2);
    [2, 5, 8].into_iter().for_each(|at| modes[at] *= 1.2);
    let drifting = (0..10).map(|at| 1e6 * (1.0 + 0.01 * f64::from(at))).zip(noisy(3, 10, 1.0, 0.1));
    let comparison = plain(modes, drifting.map(|(rate, noise)| rate * noise / 1e6).collect());
    assert!(
        comparison.series[0].flags[0].starts_with("two modes, 7 slow and 3 fast"),
        "{:?}",
        comparison.series[0].flags
    );
    assert!(comparison.series[1].flags[0].starts_with("drifts by +0.9"), "{:?}", comparison.series[1].flags);
}

// Six that are nothing and one p of 0.03: it is called what it is.
#[test]
fn a_family_is_adjusted() {
    let mut all = vec![Series::plain("base", even(8, 1.0))];
    all.extend((0..6).map(|at| Series::plain(format!("v{at}"), even(8, 1.0 + 1e-4 * f64::from(at)))));
    all.push(Series::plain("weak", even(8, 1.006)));
    let comparison = of(all);
    let weak = comparison.pairs.last().unwrap().answer.as_ref().unwrap();
    assert!(weak.interval.p < 0.05 && weak.p_holm > 0.05 && weak.p_holm >= weak.p_bh, "{weak:?}");
    assert!(weak.sentence.contains("no longer beyond chance among 7 comparisons"), "{}", weak.sentence);
}

// Usage errors have names.
#[test]
fn refuses_what_is_no_comparison() {
    let one = || Series::plain("one", vec![1.0, 2.0, 3.0]);
    let error = |series, baseline: Option<&str>| {
        let settings = Settings { baseline: baseline.map(str::to_string), ..Settings::default() };
        Comparison::of(series, settings).unwrap_err()
    };
    assert_eq!(error(vec![], None), CompareError::Nothing);
    assert_eq!(error(vec![one()], None), CompareError::Alone("one".to_string()));
    assert_eq!(error(vec![one(), one()], None), CompareError::Twice("one".to_string()));
    let missing = error(vec![one(), Series::plain("two", vec![])], Some("three")).to_string();
    assert!(missing.contains("`three`") && missing.contains("one, two"), "{missing}");
}

// Another baseline turns the ratio round.
#[test]
fn the_baseline_can_be_named() {
    let series = || vec![Series::plain("a", noisy(1, 6, 1.0, 0.3)), Series::plain("b", noisy(2, 6, 1.1, 0.3))];
    let settings = Settings { baseline: Some("b".to_string()), ..Settings::default() };
    let turned = Comparison::of(series(), settings).unwrap();
    assert_eq!((turned.pairs[0].baseline.as_str(), turned.pairs[0].candidate.as_str()), ("b", "a"));
    let ratio = |comparison: &Comparison| comparison.pairs[0].answer.as_ref().unwrap().interval.ratio;
    assert!((ratio(&of(series())) * ratio(&turned) - 1.0).abs() < 1e-12);
}

proptest! {
    // Whatever the numbers are, nobody reads NaN or infinity, and nothing panics.
    #[test]
    fn no_nan_reaches_a_user(
        rates in prop::collection::vec(
            prop::collection::vec(
                prop_oneof![
                    4 => 1e5..2e5f64,
                    1 => Just(0.0),
                    1 => Just(1e18),
                    1 => Just(5e-324),
                    1 => Just(150_000.0),
                    1 => Just(-3.0),
                    1 => Just(f64::NAN),
                    1 => Just(f64::MAX),
                ],
                0..9,
            ),
            2..4,
        ),
        blocks in any::<bool>(),
    ) {
        let named = rates.iter().enumerate().map(|(at, rates)| {
            let name = format!("v{at}");
            if blocks { series("pf", &name, rates.clone()) } else { Series::plain(name, rates.clone()) }
        });
        let comparison = of(named.collect());
        for text in [comparison.text(), comparison.markdown(), comparison.csv(), comparison.junit(), comparison.benchfmt()] {
            // The words of an error may name a rate that is none.
            let numbers: String = text.lines().filter(|line| !line.contains("a rate of")).collect();
            prop_assert!(!numbers.contains("NaN") && !numbers.contains("inf ") && !numbers.contains("-nan"), "{}", text);
        }
        let json: serde_json::Value = serde_json::from_str(&comparison.json()).unwrap();
        for pair in json["pairs"].as_array().unwrap() {
            prop_assert!(pair["answer"].is_null() != pair["unjudged"].is_null());
            prop_assert!(pair["answer"].is_null() || pair["answer"]["high"].is_number() && pair["answer"]["p_holm"].is_number());
        }
    }

    // Relabelling the unit changes no verdict.
    #[test]
    fn verdicts_know_no_unit(seed in 0..1000u64, ratio in 0.97..1.03f64, unit in 1e-3..1e3f64) {
        let scaled = |rates: Vec<f64>| rates.into_iter().map(|rate| rate * unit).collect::<Vec<_>>();
        let (before, after) = (noisy(seed, 6, 1.0, 0.5), noisy(seed + 5000, 6, ratio, 0.5));
        let one = plain(before.clone(), after.clone());
        let other = plain(scaled(before), scaled(after));
        let sentence = |comparison: &Comparison| comparison.pairs[0].answer.as_ref().unwrap().sentence.clone();
        prop_assert_eq!(sentence(&one), sentence(&other));
    }
}
