//! A run's own verdict: valid, or invalid with a cause. Pure.

use super::counters::{Counters, EGRESS};
use super::notebook::Broken;
use crate::experiment::{SenderKind, Traffic};
use crate::store::event::{ArmResult, Cause, RunResult, RunVerdict};
use crate::traffic::{ArmCount, BlastReport};
use crate::traffic::probe::ProbeReport;
use crate::traffic::schedule::BATCH;
use crate::units::{Load, show_pps};

/// A sender that waited for longer than this share of the blast had a DUT that could take more.
const MAX_IDLE: f64 = 0.02;
/// A DUT on a core of its own is saturated when its threads ran for at least this share of the blast.
const MIN_BUSY: f64 = 0.95;
/// Share of the blast in which the CPU may have been somebody else's.
const MAX_SHARED: f64 = 0.05;
/// Frames that may have been handled on another CPU than the layout's. A few always are: where a timer of the kernel sends
/// a multicast report through the same interface, its CPU takes along up to a batch of ours.
const MAX_ELSEWHERE: u64 = 4 * BATCH as u64;
const MAX_ELSEWHERE_SHARE: f64 = 0.001;
/// Share of frames that may be lost where the receiver cannot be read slot by slot.
const MAX_UNSEEN_LOSS: f64 = 1e-4;
/// Frames of the kernel's own (IPv6 multicast reports) that do not disturb a blast of a million.
const MAX_FOREIGN: u64 = 10;
const MAX_FOREIGN_SHARE: f64 = 1e-5;

/// Looks at what was counted, worst cause first.
pub fn judge(traffic: &Traffic, report: &BlastReport, result: &RunResult, counters: &[Counters]) -> RunVerdict {
    let invalid = |cause, detail: String| RunVerdict::Invalid { cause, detail };
    let several = result.arms.len() > 1;
    for (arm, counters) in result.arms.iter().zip(counters) {
        let whose = if several { format!(" of arm {}", arm.variant) } else { String::new() };
        let funnel = || funnel(arm.sent, counters, arm.received);
        if arm.received == 0 {
            return invalid(Cause::NothingReceived, format!("the receiver{whose} counted none of {}", funnel()));
        }
        let said = match arm.unaccounted() {
            0 => None,
            missing @ 1.. => Some(format!(
                "{missing} frames{whose} are neither received nor counted where they were lost ({}); a firewall rule that drops \
                 needs a `counter` in front of `drop`",
                funnel()
            )),
            surplus => Some(format!(
                "{} frames{whose} more than were sent are received or counted as lost ({}): something multiplies frames, or two \
                 places count the same ones",
                -surplus,
                funnel()
            )),
        };
        if let Some(detail) = said {
            return invalid(Cause::FramesUnaccounted, detail);
        }
        if arm.foreign > MAX_FOREIGN.max((arm.received as f64 * MAX_FOREIGN_SHARE) as u64) {
            let detail =
                format!("{} frames at the receiver{whose} are not ours, beside {} that are", arm.foreign, arm.received);
            return invalid(Cause::ForeignFrames, detail);
        }
        // This sender's slots count what it sends, so frames that a rule drops would pass for forwarded ones.
        if result.sender == SenderKind::AfPacket.name() && (arm.sent - arm.received) as f64 > arm.sent as f64 * MAX_UNSEEN_LOSS {
            let detail = format!(
                "{} of {} frames{whose} were dropped ({}), and the sender af-packet cannot tell them from forwarded ones slot by \
                 slot; use sender = \"xdp-live-frames\"",
                arm.sent - arm.received,
                arm.sent,
                funnel()
            );
            return invalid(Cause::WrongDutState, detail);
        }
        if arm.elapsed_ns == 0 {
            return invalid(Cause::LabFailed, format!("no slot{whose} was long enough to count in"));
        }
    }
    let moved = |(arm, count): &(&ArmResult, &ArmCount)| {
        count.elsewhere > MAX_ELSEWHERE.max((arm.sent as f64 * MAX_ELSEWHERE_SHARE) as u64)
    };
    if let Some((arm, count)) = result.arms.iter().zip(&report.arms).find(moved) {
        let (elsewhere, sent) = (count.elsewhere, arm.sent);
        let detail = format!(
            "{elsewhere} of {sent} frames were forwarded on another CPU than the layout gives the DUT: the config moves its \
             work (RPS, threaded NAPI)"
        );
        return invalid(Cause::WrongDutState, detail);
    }
    let blast_ns = result.blast_s * 1e9;
    if let Load::Pps(pps) = traffic.load
        && report.idle_ns as f64 > blast_ns * MAX_IDLE
    {
        let detail = format!(
            "the DUT took the whole load of {} and had {:.0} % of the time to spare: the rate would be the sender's, not \
             the DUT's; use load = \"max\"",
            show_pps(pps as f64),
            report.idle_ns as f64 / blast_ns * 100.0
        );
        return invalid(Cause::SenderLimited, detail);
    }
    // On a core of its own nothing but its own time shows that the DUT was saturated: a few frames lost to a stall do not.
    if let Some(busy) = result.dut_busy.filter(|&busy| busy < MIN_BUSY) {
        let detail = format!(
            "the DUT's threads were busy for {:.1} % of the blast: the DUT was not saturated, the rate would be the sender's; \
             stop what else runs here, or use layout = \"inline\"",
            busy * 100.0
        );
        return invalid(Cause::SenderLimited, detail);
    }
    // The arms of a duet are disturbed alike, and the median over its rounds does not see who was off for a few of them.
    match shared_cpu(report, result.blast_s) {
        Some(detail) if !several => invalid(Cause::CpuShared, detail),
        _ => RunVerdict::Valid,
    }
}

/// What is to be said when the DUT's CPU was not the sender's alone.
pub fn shared_cpu(report: &BlastReport, blast_s: f64) -> Option<String> {
    let share = |ns: u64| ns as f64 / (blast_s * 1e9);
    let (others, stolen) = (share(report.run_delay_ns), share(report.steal_ns));
    (others > MAX_SHARED || stolen > MAX_SHARED).then(|| {
        format!(
            "other processes had the DUT's CPU for {:.1} % of the blast, the hypervisor for {:.1} %; stop what else runs on \
             this machine",
            others * 100.0,
            stolen * 100.0
        )
    })
}

/// What it means that not every probe frame came through as a router forwards it.
pub fn judge_probes(probes: &ProbeReport, counters: &Counters, dut: String) -> Broken {
    let sent = probes.sent as u64;
    let lost_at_egress = counters.drops.get(EGRESS).copied().unwrap_or(0);
    let funnel = funnel(sent, counters, probes.forwarded as u64);
    // The kernel sends a few frames of its own, so a station that saw enough frames may yet have seen too few of ours.
    let (egress, inside) = counters.stations.split_last().map_or((0, [].as_slice()), |(last, before)| (last.1, before));
    let came_through = egress + lost_at_egress >= sent && inside.iter().all(|&(_, frames)| frames >= sent);
    if probes.forwarded == 0 && probes.wrong.is_empty() && came_through {
        let detail =
            format!("{dut} forwarded the probe frames, but the receiver got none ({funnel}); is its interface up?");
        return Broken::new(Cause::NothingReceived, detail);
    }
    let changed = match probes.wrong.first() {
        Some(first) => {
            format!("; {} arrived changed in another way than a router changes them: {first}", probes.wrong.len())
        }
        None => String::new(),
    };
    let detail = format!(
        "{} of {} probe frames came through {dut} as a router forwards them ({funnel}){changed}; look at the routes and \
         rules that the config and the variant set",
        probes.forwarded, probes.sent
    );
    Broken::new(Cause::WrongDutState, detail)
}

/// Frames at each station between sender and receiver.
fn funnel(sent: u64, counters: &Counters, received: u64) -> String {
    let mut text = format!("{sent} sent");
    for (station, frames) in &counters.stations {
        text += &format!(", {frames} {station}");
    }
    for (place, frames) in counters.drops.iter().filter(|&(_, &frames)| frames > 0) {
        text += &format!(", {frames} lost at {place}");
    }
    text + &format!(", {received} received")
}

#[cfg(test)]
mod tests;
