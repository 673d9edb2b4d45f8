use std::collections::BTreeMap;

use super::*;
use crate::experiment::Family;
use crate::plan::Run;
use crate::store::event::ArmResult;
use crate::traffic::ArmCount;

const SENT: u64 = 1_000_000;
const BLAST_NS: u64 = 500_000_000;

/// What a blast of half a second gave, with one thing or another wrong.
struct Case {
    traffic: Traffic,
    report: BlastReport,
    result: RunResult,
    counters: Vec<Counters>,
}

impl Case {
    /// Everything arrived, nothing disturbed.
    fn good(arms: &[&str]) -> Case {
        let traffic = Traffic {
            name: "inet4".into(),
            family: Family::Inet4,
            frame_size: 64,
            sources: 20,
            destinations: 100,
            load: Load::Max,
        };
        let arm = |name: &&str| ArmResult {
            variant: name.to_string(),
            sent: SENT,
            received: SENT,
            forwarded: SENT - SENT / 10,
            elapsed_ns: BLAST_NS,
            ..ArmResult::default()
        };
        let run = Run {
            id: 0,
            block: 0,
            config: "forwarding".into(),
            traffic: "inet4".into(),
            arms: arms.iter().map(|arm| arm.to_string()).collect(),
            seed: 1,
        };
        let result = RunResult {
            run,
            attempt: 0,
            verdict: RunVerdict::Valid,
            sender: "xdp-live-frames".into(),
            warnings: Vec::new(),
            wall_s: 1.0,
            blast_s: BLAST_NS as f64 * 1e-9,
            dut_busy: None,
            arms: arms.iter().map(arm).collect(),
            slots: Vec::new(),
        };
        let stations = ["arrived at d0", "reached IP input", "were forwarded by IP", "left through d1"];
        let counters = Counters { stations: stations.map(|station| (station, SENT)).to_vec(), ..Counters::default() };
        Case {
            traffic,
            report: BlastReport { arms: vec![ArmCount::default(); arms.len()], ..Default::default() },
            result,
            counters: vec![counters; arms.len()],
        }
    }

    fn one() -> Case {
        Case::good(&["default"])
    }

    /// `frames` of an arm are lost at a place that counts them.
    fn lose(&mut self, arm: usize, place: &str, frames: u64) {
        self.result.arms[arm].received -= frames;
        for drops in [&mut self.result.arms[arm].drops, &mut self.counters[arm].drops] {
            drops.insert(place.into(), frames);
        }
    }

    fn verdict(&self) -> RunVerdict {
        judge(&self.traffic, &self.report, &self.result, &self.counters)
    }

    /// The cause, and that the detail says all of `words`.
    fn expect(&self, expected: Cause, words: &[&str]) {
        match self.verdict() {
            RunVerdict::Invalid { cause, detail } => {
                assert_eq!(cause, expected, "{detail}");
                assert!(words.iter().all(|word| detail.contains(word)), "{words:?} in {detail}");
            }
            RunVerdict::Valid => panic!("valid instead of {expected}"),
        }
    }
}

fn share(of: u64, percent: f64) -> u64 {
    (of as f64 * percent / 100.0) as u64
}

// Nothing wrong, and all lost frames named: valid.
#[test]
fn a_run_whose_frames_are_all_accounted_for_is_valid() {
    let mut case = Case::good(&["default", "changed", "control", "null"]);
    assert_eq!(case.verdict(), RunVerdict::Valid);
    case.lose(1, "DUT nft rule inet f forward #4", SENT / 100);
    assert_eq!(case.verdict(), RunVerdict::Valid);
}

// No frame at the receiver; where they were last seen is in the detail.
#[test]
fn nothing_received() {
    let mut case = Case::one();
    case.lose(0, EGRESS, SENT);
    case.expect(
        Cause::NothingReceived,
        &["none of 1000000 sent", "1000000 left through d1", "lost at DUT egress", "0 received"],
    );
}

// One frame missing or one too many, in any arm, and the run is invalid.
#[test]
fn one_frame_off_is_unaccounted() {
    let mut case = Case::good(&["default", "control"]);
    case.result.arms[1].received -= 1;
    case.expect(
        Cause::FramesUnaccounted,
        &["1 frames of arm control are neither received nor counted", "`counter` in front of `drop`"],
    );
    case.result.arms[1].received += 2;
    case.expect(Cause::FramesUnaccounted, &["1 frames of arm control more than were sent"]);
}

// Frames of the kernel's own are tolerated: ten, or a hundred-thousandth; not more.
#[test]
fn foreign_frames() {
    for (received, tolerated) in [(SENT, 10), (10 * SENT, 100)] {
        let mut case = Case::one();
        (case.result.arms[0].sent, case.result.arms[0].received) = (received, received);
        case.result.arms[0].foreign = tolerated;
        assert_eq!(case.verdict(), RunVerdict::Valid);
        case.result.arms[0].foreign += 1;
        case.expect(Cause::ForeignFrames, &[&format!("{} frames at the receiver are not ours", tolerated + 1)]);
    }
}

// A load the DUT takes with time to spare measures the sender.
#[test]
fn a_load_below_what_the_dut_takes_is_sender_limited() {
    let mut case = Case::one();
    case.traffic.load = Load::Pps(10_000);
    case.report.idle_ns = share(BLAST_NS, 1.9);
    assert_eq!(case.verdict(), RunVerdict::Valid);
    case.report.idle_ns = share(BLAST_NS, 99.0);
    case.expect(Cause::SenderLimited, &["10.0 kpps", "99 % of the time to spare", "load = \"max\""]);
}

// Lost frames do not show that the DUT was saturated: a stall overflows a queue far below that.
#[test]
fn lost_frames_do_not_show_saturation() {
    let mut case = Case::one();
    case.traffic.load = Load::Pps(10_000);
    case.report.idle_ns = share(BLAST_NS, 50.0);
    case.lose(0, "DUT nft rule inet f forward #4", 10);
    case.expect(Cause::SenderLimited, &[]);
    case.lose(0, "link to the DUT full (g0)", 10);
    case.expect(Cause::SenderLimited, &[]);
}

// A DUT on a core of its own is saturated when its thread ran all the time, and by nothing else.
#[test]
fn a_dut_with_a_core_of_its_own_must_use_it() {
    let mut case = Case::one();
    case.result.dut_busy = Some(0.951);
    assert_eq!(case.verdict(), RunVerdict::Valid);
    case.result.dut_busy = Some(0.949);
    case.expect(Cause::SenderLimited, &["busy for 94.9 % of the blast"]);
    case.lose(0, "DUT IP InDiscards", 1);
    case.expect(Cause::SenderLimited, &[]);
    case.lose(0, "link to the DUT full (g0)", 1);
    case.expect(Cause::SenderLimited, &[]);
    case.result.dut_busy = Some(0.0);
    case.expect(Cause::SenderLimited, &[]);
}

// The AF_PACKET sender's slots count what it sends: a variant that drops would look faster the more it drops.
#[test]
fn af_packet_cannot_judge_a_dut_that_drops() {
    let mut case = Case::one();
    case.result.sender = "af-packet".into();
    assert_eq!(case.verdict(), RunVerdict::Valid);
    case.lose(0, "DUT nft rule inet f forward #4", share(SENT, 1.0));
    case.expect(Cause::WrongDutState, &["xdp-live-frames"]);
}

// A config that moves the work to another core than the layout's measures something else.
#[test]
fn work_on_another_cpu_is_a_wrong_state() {
    let mut case = Case::good(&["default", "changed"]);
    case.report.arms[1].elsewhere = share(SENT, 0.1);
    assert_eq!(case.verdict(), RunVerdict::Valid);
    case.report.arms[1].elsewhere += 1;
    case.expect(Cause::WrongDutState, &["1001 of 1000000 frames", "another CPU"]);
    // Of a short blast a few batches are more than that share, and mean nothing either.
    (case.result.arms[1].sent, case.result.arms[1].received) = (25_000, 25_000);
    case.report.arms[1].elsewhere = 256;
    assert_eq!(case.verdict(), RunVerdict::Valid);
    case.report.arms[1].elsewhere = 257;
    case.expect(Cause::WrongDutState, &["257 of 25000 frames"]);
}

// One arm alone is at the mercy of its neighbours; a duet's arms suffer alike, so it is valid with a warning.
#[test]
fn a_shared_cpu_spoils_one_arm_and_not_a_duet() {
    let alone = |run_delay_ns, steal_ns| {
        let mut case = Case::one();
        (case.report.run_delay_ns, case.report.steal_ns) = (run_delay_ns, steal_ns);
        case
    };
    assert_eq!(alone(share(BLAST_NS, 5.0), share(BLAST_NS, 5.0)).verdict(), RunVerdict::Valid);
    alone(share(BLAST_NS, 5.1), 0).expect(Cause::CpuShared, &["other processes had the DUT's CPU for 5.1 %"]);
    alone(0, share(BLAST_NS, 6.0)).expect(Cause::CpuShared, &["the hypervisor for 6.0 %"]);

    let mut duet = Case::good(&["default", "control"]);
    duet.report.run_delay_ns = share(BLAST_NS, 40.0);
    assert_eq!(duet.verdict(), RunVerdict::Valid);
    assert!(shared_cpu(&duet.report, duet.result.blast_s).unwrap().contains("40.0 %"));
}

// An arm in whose slots nothing could be counted has no rate.
#[test]
fn an_arm_without_a_slot_to_count_in_fails() {
    let mut case = Case::good(&["default", "control"]);
    case.result.arms[0].elapsed_ns = 0;
    case.expect(Cause::LabFailed, &["no slot of arm default"]);
}

/// Eight probes of which each station saw as many as given, and one drop.
fn probed(stations: [u64; 4], drop: (&str, u64), report: ProbeReport) -> Broken {
    let names = ["arrived at d0", "reached IP input", "were forwarded by IP", "left through d1"];
    let stations = names.into_iter().zip(stations).collect();
    let counters = Counters { stations, drops: BTreeMap::from([(drop.0.to_string(), drop.1)]), receiver: None };
    judge_probes(&ProbeReport { sent: 8, ..report }, &counters, "dut0".into())
}

// Probes that vanish inside the DUT are its doing; those that it sent on and nobody got are not.
#[test]
fn vanished_probes_are_the_duts_or_the_receivers_doing() {
    let lost = ProbeReport::default;
    let dropped = probed([8, 8, 0, 0], ("", 0), lost());
    assert_eq!(dropped.cause, Cause::WrongDutState);
    assert!(
        dropped.detail.contains("8 sent, 8 arrived at d0, 8 reached IP input, 0 were forwarded by IP"),
        "{}",
        dropped.detail
    );
    for (stations, egress) in [([8, 8, 8, 8], 0), ([9, 8, 8, 2], 8)] {
        let dead = probed(stations, (EGRESS, egress), lost());
        assert_eq!(dead.cause, Cause::NothingReceived, "{}", dead.detail);
    }
    // Eight frames of the kernel's own through d1 are not our eight.
    assert_eq!(probed([12, 8, 0, 8], ("", 0), lost()).cause, Cause::WrongDutState);
}

// A frame that arrives otherwise than a router forwards it is shown.
#[test]
fn a_frame_changed_wrongly_is_a_wrong_state() {
    let wrong = vec!["byte 22 is 0x40 instead of 0x3f".to_string()];
    let broken = probed([8, 8, 8, 8], ("", 0), ProbeReport { forwarded: 7, wrong, sent: 8 });
    assert_eq!(broken.cause, Cause::WrongDutState);
    assert!(
        broken.detail.contains("7 of 8 probe frames") && broken.detail.contains("byte 22 is 0x40"),
        "{}",
        broken.detail
    );
}
