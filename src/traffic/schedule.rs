//! Which arm is sent to, and for how long: the schedule of one blast. Pure.

use std::time::Duration;

use crate::random::Random;

/// Length of a slot when there is one arm: also the sampling interval at the sink.
const SINGLE_SLOT: Duration = Duration::from_millis(10);

/// Slots for a blast of `duration` per arm.
///
/// One arm: slots of 10 ms. Several arms: rounds in which every arm has one slot of `slot` (jittered by +-30 %, so
/// that the rounds do not keep step with the timer tick), in random order; all slots of a round have the same length,
/// so every arm gets exactly the same time.
pub fn build(arms: usize, duration: Duration, slot: Duration, random: &mut Random) -> Vec<(u8, u32)> {
    if arms == 1 {
        let slots = (duration.as_nanos() / SINGLE_SLOT.as_nanos()).max(1);
        return vec![(0, (duration.as_nanos() / slots) as u32); slots as usize];
    }
    let rounds = (duration.as_nanos() / slot.as_nanos()).max(1);
    let mut order: Vec<u8> = (0..arms as u8).collect();
    let mut schedule = Vec::new();
    for _ in 0..rounds {
        random.shuffle(&mut order);
        let percent = 70 + random.below(61);
        let length = (slot.as_nanos() as u64 * percent / 100) as u32;
        schedule.extend(order.iter().map(|&arm| (arm, length)));
    }
    schedule
}
