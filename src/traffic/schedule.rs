//! Which arm is sent to, and for how long: the schedule of one part of a blast. Pure.

use std::time::Duration;

use crate::random::Random;

use super::{Blast, Part, Slot};

/// A slot of a duet. The machine's speed states last 0.1 s and more, so two neighbours see the same one.
const DUET_SLOT: Duration = Duration::from_micros(500);
/// A slot of a duet whose DUTs have a core of their own: frames of the arm before are still in flight when it begins.
const QUEUED_SLOT: Duration = Duration::from_millis(2);
/// So long a slot of such a duet is not counted at least.
const QUEUED_GUARD: Duration = Duration::from_micros(500);
/// Frames in flight to a DUT on a core of its own: a little less than the 256 places of its ring.
pub const WINDOW: u32 = 240;
/// Length of a slot when there is one arm: also the sampling interval at the sink.
const SINGLE_SLOT: Duration = Duration::from_millis(10);
/// Frames per batch: a veth ring has 256 places, and more than 64 at once gain nothing.
pub const BATCH: u32 = 64;
/// A slot holds at least so many batches, of which the first two are not counted.
const BATCHES_PER_SLOT: u32 = 7;
/// The arm without a DUT gets one slot in so many rounds: it is not compared, only subtracted.
const NULL_EVERY: usize = 4;

/// The warm-up: every arm in turn, in slots of a duet.
pub fn warmup(arms: usize, duration: Duration) -> Part {
    let slots = (duration.as_nanos() / DUET_SLOT.as_nanos()).max(arms as u128) as usize;
    let schedule = (0..slots).map(|slot| ((slot % arms) as u8, DUET_SLOT.as_nanos() as u32)).collect();
    Part { schedule, guard: Duration::ZERO }
}

/// The measured part, `blast.duration` for all arms together. `ns_per_frame` is the slowest arm's.
///
/// One arm: slots of 10 ms. Several: rounds in which every arm has one slot, in random order, jittered by +-30 % so
/// that rounds do not keep step with the timer tick; the slots of a round have the same length, so every arm gets exactly
/// the same time. The arm without a DUT, `null`, takes part in every fourth round only. Where frames take so long that
/// half a millisecond holds few batches, slots become longer. Batches stay the same: smaller ones would cost more per
/// frame, and blasts of different configs could not be held against each other.
pub fn measured(blast: &Blast, ns_per_frame: f64, random: &mut Random) -> Part {
    let &Blast { arms, null, duration, .. } = blast;
    // On a core of its own the DUT first works off what the arm before left in flight.
    let backlog = Duration::from_nanos((1.5 * f64::from(WINDOW) * ns_per_frame) as u64);
    let guard = if blast.dut.is_some() { QUEUED_GUARD.max(backlog) } else { Duration::ZERO };
    let shortest = if blast.dut.is_some() { QUEUED_SLOT.max(guard * 4) } else { DUET_SLOT };
    if arms == 1 {
        let slots = (duration.as_nanos() / SINGLE_SLOT.as_nanos()).max(1);
        return Part { schedule: vec![(0, (duration.as_nanos() / slots) as u32); slots as usize], guard };
    }
    let slot = shortest.as_nanos().max((ns_per_frame * f64::from(BATCH * BATCHES_PER_SLOT)) as u128) as u64;

    let mut order: Vec<u8> = (0..arms as u8).filter(|&arm| null != Some(usize::from(arm))).collect();
    let per_round = order.len() as f64 + null.map_or(0.0, |_| 1.0 / NULL_EVERY as f64);
    let rounds = (duration.as_nanos() as f64 / (slot as f64 * per_round)).max(1.0) as usize;
    let mut schedule = Vec::new();
    for round in 0..rounds {
        random.shuffle(&mut order);
        let length = (slot * (70 + random.below(61)) / 100) as u32;
        if let Some(null) = null.filter(|_| round % NULL_EVERY == 0) {
            schedule.push((null as u8, length));
        }
        schedule.extend(order.iter().map(|&arm| (arm, length)));
    }
    Part { schedule, guard }
}

/// Nanoseconds per frame of the slowest arm in these slots: its median slot, so that an interruption does not count.
pub fn slowest(slots: &[Slot]) -> f64 {
    let arms = slots.iter().map(|slot| slot.arm).max().map_or(0, |last| last + 1);
    let per_frame = |arm| {
        let mine = slots.iter().filter(|slot| slot.arm == arm && slot.sent > 0);
        let mut times: Vec<f64> = mine.map(|slot| slot.whole_ns as f64 / f64::from(slot.sent)).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(1.0)
    };
    (0..arms).map(per_frame).fold(1.0, f64::max)
}
