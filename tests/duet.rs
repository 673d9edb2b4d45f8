//! A duet's numbers against a simulated DUT whose truth is known: phases, stalls and a null arm.

use linerate::duet::Duet;
use linerate::experiment::{CONTROL, NULL};
use linerate::plan::Run;
use linerate::random::Random;
use linerate::store::event::{RunResult, RunVerdict};
use proptest::prelude::*;

const ARMS: [&str; 4] = ["a", "b", CONTROL, NULL];

/// What the machine does to everybody alike, and what each arm costs.
struct Machine {
    /// Nanoseconds per frame of each arm in the fast phase.
    ns: [f64; 4],
    /// Share of slots in which the sender was off its CPU for three quarters of the time.
    stalls: f64,
    /// The slow phase takes so many times longer and lasts so many rounds.
    slow: f64,
    phase_rounds: usize,
}

impl Machine {
    fn run(&self, rounds: usize, seed: u64) -> RunResult {
        let mut random = Random::new(seed);
        let mut share = || random.below(1 << 30) as f64 / f64::from(1 << 30);
        let mut slots = Vec::new();
        let mut order = [0, 1, 2];
        for round in 0..rounds {
            let speed = if (round / self.phase_rounds).is_multiple_of(2) { 1.0 } else { self.slow };
            order.rotate_left((share() * 3.0) as usize);
            let length = 350_000 + (share() * 300_000.0) as u64;
            let null: &[u8] = if round % 4 == 0 { &[3] } else { &[] };
            for &arm in null.iter().chain(&order) {
                let noise = 1.0 + (share() - 0.5) * 0.02;
                let stalled = if share() < self.stalls { 0.25 } else { 1.0 };
                let frames = length as f64 * stalled / (self.ns[usize::from(arm)] * speed * noise);
                slots.push((0, arm, frames as u32, length));
            }
        }
        RunResult {
            run: Run {
                id: 0,
                block: 0,
                config: "forwarding".into(),
                traffic: "inet4".into(),
                arms: ARMS.map(String::from).to_vec(),
                seed,
            },
            attempt: 0,
            verdict: RunVerdict::Valid,
            sender: "simulated".into(),
            warnings: Vec::new(),
            wall_s: 1.0,
            blast_s: 0.6,
            dut_busy: None,
            arms: Vec::new(),
            slots,
        }
    }
}

const CALM: Machine = Machine { ns: [1000.0, 1005.0, 1000.0, 200.0], stalls: 0.0, slow: 1.0, phase_rounds: 1 };

// Half a per cent is found to a twentieth of that in one blast, although the machine goes from fast to slow and back.
#[test]
fn phases_do_not_matter() {
    let machine = Machine { slow: 1.5, phase_rounds: 50, ..CALM };
    let result = machine.run(400, 1);
    let effect = Duet::of(&result).effect("b", "a").unwrap();
    assert!((effect - (1000.0f64 / 1005.0).ln()).abs() < 0.00025, "{effect}");
}

// A tenth of all slots stalls, in any arm: no effect appears where there is none. The mean of the two copies of the
// baseline, compared inside each round, would be off by 0.1 % and more.
#[test]
fn stalls_do_not_lean_to_a_side() {
    let machine = Machine { ns: [1000.0, 1000.0, 1000.0, 200.0], stalls: 0.1, ..CALM };
    let effects: Vec<f64> = (0..40).map(|seed| Duet::of(&machine.run(400, seed)).effect("b", "a").unwrap()).collect();
    let mean = effects.iter().sum::<f64>() / 40.0;
    assert!(mean.abs() < 0.0002, "{mean}");
}

// The time of a frame without a DUT is seen in its own slots and ties blasts together.
#[test]
fn the_null_arm_is_seen_every_fourth_round() {
    let result = CALM.run(400, 3);
    let duet = Duet::of(&result);
    assert!((duet.against_null("a").unwrap() - (200.0f64 / 1000.0).ln()).abs() < 0.002);
    assert!((duet.ns_per_frame(NULL).unwrap() - 200.0).abs() < 1.0);
}

// Slots in which nothing could be counted are left out; a blast of nothing else has no number.
#[test]
fn empty_slots_are_no_numbers() {
    let mut result = CALM.run(400, 4);
    for slot in result.slots.iter_mut().step_by(3) {
        (slot.2, slot.3) = (0, 0);
    }
    assert!((Duet::of(&result).effect("b", "a").unwrap() + 0.005).abs() < 0.002);
    result.slots.iter_mut().for_each(|slot| (slot.2, slot.3) = (0, 0));
    assert_eq!(Duet::of(&result).effect("b", "a"), None);
    result.slots.clear();
    assert_eq!(Duet::of(&result).control("a"), None);
}

proptest! {
    // Swapping the arms changes the sign and nothing else.
    #[test]
    fn swapping_the_arms_changes_the_sign(seed in any::<u64>(), stalls in 0.0..0.4f64) {
        let machine = Machine { stalls, slow: 1.4, phase_rounds: 30, ..CALM };
        let result = machine.run(100, seed);
        let duet = Duet::of(&result);
        let (there, back) = (duet.log_ratio("b", "a").unwrap(), duet.log_ratio("a", "b").unwrap());
        prop_assert!((there + back).abs() < 1e-12);
    }
}
