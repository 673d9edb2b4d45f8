//! The plan: complete, in random order, and the same for ever.

use std::collections::BTreeSet;
use std::time::Duration;

use linerate::experiment::{CONTROL, Change, Compare, Config, Experiment, Family, Lab, Layout, Method, NULL, Traffic, Variant};
use linerate::plan::{ARM_OVERHEAD, Plan, Run};
use linerate::units::Load;
use proptest::prelude::*;

/// `configs` x `traffic` x `variants` cells in blocks, named by letter and number.
fn experiment(configs: usize, traffic: usize, variants: usize, iterations: u32) -> Experiment {
    let names = |letter: &'static str, count| (0..count).map(move |number| format!("{letter}{number}"));
    let (warmup, duration) = (Duration::from_millis(200), Duration::from_millis(1000));
    let profile = |name| Traffic { name, family: Family::Inet4, frame_size: 64, sources: 20, destinations: 100, load: Load::Max };
    Experiment {
        title: "cells".into(),
        question: String::new(),
        lab: Lab::Netns,
        method: Method {
            compare: Compare::Blocks,
            layout: Layout::Inline,
            sender: None,
            iterations,
            seed: 0,
            warmup,
            duration,
            retries: 3,
            margin: 0.01,
        },
        traffic: names("t", traffic).map(profile).collect(),
        configs: names("c", configs).map(|name| Config { name, change: Change::default() }).collect(),
        variants: names("v", variants).map(|name| Variant { name, change: Change::default() }).collect(),
    }
}

fn duet(configs: usize, traffic: usize, variants: usize, iterations: u32) -> Experiment {
    let mut experiment = experiment(configs, traffic, variants, iterations);
    experiment.method.compare = Compare::Duet;
    experiment
}

fn cell(run: &Run) -> (&str, &str, &[String]) {
    (&run.config, &run.traffic, &run.arms)
}

proptest! {
    // Every block is a permutation of all cells; runs are numbered in order, block after block.
    #[test]
    fn every_block_holds_each_cell_once(c in 1usize..5, t in 1usize..4, v in 1usize..5, iterations in 1u32..8, seed: u64) {
        let plan = Plan::new(&experiment(c, t, v, iterations), seed);
        let cells = c * t * v;
        prop_assert_eq!(plan.runs.len(), cells * iterations as usize);
        for (block, runs) in plan.runs.chunks(cells).enumerate() {
            prop_assert_eq!(runs.iter().map(cell).collect::<BTreeSet<_>>().len(), cells);
            prop_assert!(runs.iter().all(|run| run.block as usize == block && run.arms.len() == 1));
        }
        prop_assert!(plan.runs.iter().enumerate().all(|(position, run)| run.id as usize == position));
    }

    // In a duet every run has all variants as arms, the baseline's copy and the arm without a DUT, each once.
    #[test]
    fn a_duet_has_all_arms_in_one_run(c in 1usize..4, t in 1usize..3, v in 1usize..5, iterations in 1u32..5, seed: u64) {
        let plan = Plan::new(&duet(c, t, v, iterations), seed);
        prop_assert_eq!(plan.runs.len(), c * t * iterations as usize);
        let mut expected: Vec<String> = (0..v).map(|number| format!("v{number}")).chain([CONTROL.into(), NULL.into()]).collect();
        expected.sort();
        for (block, runs) in plan.runs.chunks(c * t).enumerate() {
            let cells: BTreeSet<_> = runs.iter().map(|run| (&run.config, &run.traffic)).collect();
            prop_assert_eq!(cells.len(), c * t);
            for run in runs {
                let mut arms = run.arms.clone();
                arms.sort();
                prop_assert_eq!((run.block as usize, &arms), (block, &expected));
            }
        }
    }

    // Seeds of runs differ, and are exact in a JSON reader that keeps 53 bits.
    #[test]
    fn every_run_has_a_seed_of_its_own(seed: u64) {
        let plan = Plan::new(&experiment(3, 2, 2, 5), seed);
        prop_assert_eq!(plan.runs.iter().map(|run| run.seed).collect::<BTreeSet<_>>().len(), 60);
        prop_assert!(plan.runs.iter().all(|run| run.seed < 1 << 53));
    }

    // More iterations append blocks: those planned before stay what they were.
    #[test]
    fn a_longer_plan_begins_with_the_shorter_one(seed: u64, fewer in 1u32..5, more in 5u32..9) {
        let (short, long) = (Plan::new(&experiment(2, 2, 2, fewer), seed), Plan::new(&experiment(2, 2, 2, more), seed));
        prop_assert!(long.runs.starts_with(&short.runs));
    }

    // Blocks are drawn one by one, not one order repeated; another seed draws others.
    #[test]
    fn the_order_differs_between_blocks_and_seeds(seed in 0u64..u64::MAX) {
        let experiment = experiment(3, 2, 2, 5);
        let plan = Plan::new(&experiment, seed);
        let order = |runs: &[Run]| runs.iter().map(|run| (run.config.clone(), run.traffic.clone(), run.arms.clone())).collect::<Vec<_>>();
        let orders: BTreeSet<_> = plan.runs.chunks(12).map(order).collect();
        prop_assert_eq!(orders.len(), 5);
        prop_assert_ne!(order(&plan.runs), order(&Plan::new(&experiment, seed + 1).runs));
    }
}

// Logs hold plans drawn from a seed, and people repeat them: the order for a seed must never change.
#[test]
fn the_order_for_a_seed_is_fixed() {
    let plan = Plan::new(&experiment(2, 1, 2, 3), 1);
    let order: Vec<String> = plan.runs.iter().map(|run| format!("{} {}{} {:x}", run.block, run.config, run.arms[0], run.seed)).collect();
    let expected = [
        "0 c0v0 e3830d21dc859",
        "0 c0v1 e376a9b1a2036",
        "0 c1v1 1869a17ff202a0",
        "0 c1v0 1c133d8d9ae6c7",
        "1 c1v1 ceebb8ee02ac9",
        "1 c0v1 135f9a89a299f1",
        "1 c0v0 e8ed9f149754b",
        "1 c1v0 10f6683ad21af4",
        "2 c1v0 1a175a1b4ae575",
        "2 c1v1 15d086f2c615f1",
        "2 c0v0 1c4c6306ee7dec",
        "2 c0v1 21c588d0cbd30",
    ];
    assert_eq!(order, expected);
}

// No arm has a favourite place: which DUT is set up first must not decide who is faster.
#[test]
fn arms_take_every_place_equally_often() {
    let plan = Plan::new(&duet(1, 1, 2, 1000), 1);
    for place in 0..4 {
        for arm in ["v0", "v1", CONTROL, NULL] {
            let count = plan.runs.iter().filter(|run| run.arms[place] == arm).count();
            // Binomial, n = 1000, p = 1/4: five standard deviations are 68.
            assert!(count.abs_diff(250) < 68, "{arm} is in place {place} {count} times of 1000");
        }
    }
}

// Blocks: two runs of one arm, seven times. Duets: one run of two variants, control and null, seven times.
#[test]
fn the_estimate_adds_up() {
    let (blast, blocks) = (Duration::from_millis(1200), experiment(1, 1, 2, 7));
    assert_eq!(Plan::new(&blocks, 3).estimate(&blocks), 14 * (blast + ARM_OVERHEAD));
    let duet = duet(1, 1, 2, 7);
    assert_eq!(Plan::new(&duet, 3).estimate(&duet), 7 * (blast + 4 * ARM_OVERHEAD));
}
