use linerate::store::event::{Cause, RunVerdict};

use crate::workshop::{
    BASELINE, BOTH_FAMILIES, INET4, PLAIN, SHORT, Workshop, alone, assert_accounted, invalid, result, root,
};

const CHANGED: &str = "[[variant]]\nname = \"changed\"\n";

/// Drops one destination of a hundred, which no probe frame goes to.
const ONE_IN_A_HUNDRED: &str = "table inet t {
  chain f {
    type filter hook forward priority filter; policy accept;
    ip daddr 198.19.10.51 COUNTER drop
    ip6 daddr 2001:2:0:8010::33 COUNTER drop
  }
}
";
const ALL: &str = "table inet t {\n  chain f {\n    type filter hook forward priority filter; policy drop;\n  }\n}\n";

fn config(name: &str, change: &str) -> String {
    format!("[[config]]\nname = \"{name}\"\n{change}\n")
}

// What is wrong with a DUT or a receiver ends in the cause that says so, for both families; what is right, or lost where it
// is counted, adds up to the frame.
#[test]
fn every_lost_frame_has_a_place_or_the_run_a_cause() {
    if !root() {
        return;
    }
    let configs = [
        PLAIN.to_owned(),
        config("one-in-a-hundred-counted", "nft = \"counted.nft\""),
        config("one-in-a-hundred", "nft = \"uncounted.nft\""),
        config("all-dropped", "nft = \"all.nft\""),
        config("dead-receiver", r#"commands = [["ip", "-n", "receiver0", "link", "set", "s0", "down"]]"#),
        config(
            "wrong-route",
            r#"commands = [
                ["ip", "route", "replace", "198.19.10.0/24", "via", "198.18.0.2", "dev", "d0"],
                ["ip", "route", "replace", "2001:2:0:8010::/64", "via", "2001:2:0:1::2", "dev", "d0"],
            ]"#,
        ),
        // Both name one setting of the kernel, and the second is written last.
        config("stubborn-sysctl", r#"sysctl = { "net.ipv4.conf.all.forwarding" = 0, "net.ipv4.ip_forward" = 1 }"#),
        config(
            "no-route-for-one-in-a-hundred",
            r#"commands = [
                ["ip", "route", "add", "throw", "198.19.10.51/32"],
                ["ip", "-6", "route", "add", "throw", "2001:2:0:8010::33/128"],
            ]"#,
        ),
        config("failing-command", r#"commands = [["sh", "-c", "echo out of cheese >&2; exit 3"]]"#),
        config("missing-command", r#"commands = [["no-such-program"]]"#),
    ];
    let workshop = Workshop::new(SHORT, &[BOTH_FAMILIES, &configs.concat(), BASELINE, CHANGED].concat());
    workshop.file("uncounted.nft", &ONE_IN_A_HUNDRED.replace("COUNTER ", ""));
    workshop.file("counted.nft", &ONE_IN_A_HUNDRED.replace("COUNTER", "counter"));
    workshop.file("all.nft", ALL);
    let _alone = alone();
    let log = workshop.run();

    for traffic in ["inet4", "inet6"] {
        let plain = result(&log, "forwarding", traffic);
        assert_accounted(plain);
        assert!(plain.arms.iter().all(|arm| arm.drops.is_empty()), "{:?}", plain.arms);

        for (name, expected) in
            [("one-in-a-hundred-counted", "DUT nft rule t f #"), ("no-route-for-one-in-a-hundred", "DUT IP no route")]
        {
            let counted = result(&log, name, traffic);
            assert_accounted(counted);
            for arm in counted.arms.iter().filter(|arm| arm.variant != "null") {
                let (place, &drops) = arm.drops.iter().next().expect("frames were dropped");
                assert!(place.starts_with(expected) && arm.drops.len() == 1, "{:?}", arm.drops);
                // Flows come in turn over all arms: a short slot holds one arm's share of a hundredth only by and large.
                assert!((0.002..0.05).contains(&(drops as f64 / arm.sent as f64)), "{arm:?}");
            }
        }

        for (name, expected, words) in [
            (
                "one-in-a-hundred",
                Cause::FramesUnaccounted,
                ["neither received nor counted", "`counter` in front of `drop`"],
            ),
            ("all-dropped", Cause::WrongDutState, ["0 of 8 probe frames", "8 reached IP input"]),
            ("dead-receiver", Cause::NothingReceived, ["receiver", "0 received"]),
            ("wrong-route", Cause::WrongDutState, ["0 of 8 probe frames", "look at the routes"]),
            ("stubborn-sysctl", Cause::WrongDutState, ["net.ipv4.conf.all.forwarding is `1`", "not `0`"]),
            ("failing-command", Cause::WrongDutState, ["ended with 3", "out of cheese"]),
            ("missing-command", Cause::WrongDutState, ["ended with 127", "cannot start `no-such-program`"]),
        ] {
            let (cause, detail) = invalid(result(&log, name, traffic));
            assert_eq!(cause, expected, "{name} {traffic}: {detail}");
            assert!(words.iter().all(|word| detail.contains(word)), "{name} {traffic}: {detail}");
        }
    }
}

// One arm alone: a rule's count is exact, since flows come in turn and every run begins with the first.
#[test]
fn a_counted_drop_is_counted_exactly() {
    if !root() {
        return;
    }
    let method = format!("compare = \"blocks\"\n{SHORT}");
    let counted = config("one-in-a-hundred-counted", "nft = \"counted.nft\"");
    let workshop =
        Workshop::new(&method.replace("retries = 0", "retries = 9"), &[BOTH_FAMILIES, &counted, BASELINE].concat());
    workshop.file("counted.nft", &ONE_IN_A_HUNDRED.replace("COUNTER", "counter"));
    let _alone = alone();
    for result in workshop.run().results {
        // A neighbour's load may spoil a lone arm; its frames are counted all the same.
        let cause = if let RunVerdict::Invalid { cause, .. } = result.verdict { Some(cause) } else { None };
        assert!(matches!(cause, None | Some(Cause::CpuShared)), "{:?}", result.verdict);
        let [arm] = result.arms.as_slice() else { panic!("one arm") };
        let drops: u64 = arm.drops.values().sum();
        assert_eq!(arm.sent, arm.received + drops);
        // Warm-up and blast each begin with flow 0; of every 2,000 frames 20 go to the dropped destination.
        assert!(drops.abs_diff(arm.sent / 100) <= 40, "{drops} of {}", arm.sent);
    }
}

// A load that the DUT takes in its sleep measures the sender; a rule that drops does not hide that.
#[test]
fn a_load_of_10_kpps_is_sender_limited() {
    if !root() {
        return;
    }
    let slow = INET4.to_owned() + "load = \"10 kpps\"\n";
    let counted = config("counted", "nft = \"counted.nft\"");
    for sender in ["", "sender = \"af-packet\"\n"] {
        let workshop = Workshop::new(&(SHORT.to_owned() + sender), &[&slow, PLAIN, &counted, BASELINE].concat());
        workshop.file("counted.nft", &ONE_IN_A_HUNDRED.replace("COUNTER", "counter"));
        let _alone = alone();
        let log = workshop.run();
        // With af-packet a run whose frames are dropped is invalid already.
        for config in if sender.is_empty() { ["forwarding", "counted"].as_slice() } else { &["forwarding"] } {
            let (cause, detail) = invalid(result(&log, config, "inet4"));
            assert_eq!(cause, Cause::SenderLimited, "{sender}{config}: {detail}");
            assert!(detail.contains("10.0 kpps") && detail.contains("load = \"max\""), "{detail}");
        }
    }
}

// A queue in front of the DUT, and frames in flight at every change-over: they are all accounted for just the same. On a
// busy machine the DUT's thread does not get the core, and the run is invalid for that.
#[test]
fn a_queue_hides_no_frame() {
    if !root() || std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return println!("skipped: needs root and two CPUs");
    }
    let method = format!("layout = \"two-core\"\n{SHORT}");
    let counted = config("counted", "nft = \"counted.nft\"");
    let workshop = Workshop::new(&method, &[BOTH_FAMILIES, PLAIN, &counted, BASELINE].concat());
    workshop.file("counted.nft", &ONE_IN_A_HUNDRED.replace("COUNTER", "counter"));
    let _alone = alone();
    for result in workshop.run().results {
        if let RunVerdict::Invalid { cause, detail } = &result.verdict {
            assert!(matches!(cause, Cause::SenderLimited | Cause::CpuShared | Cause::LabFailed), "{detail}");
        }
        assert!(result.arms.iter().all(|arm| arm.sent > 0 && arm.unaccounted() == 0), "{:?}", result.arms);
    }
}

// An invalid attempt is kept, with its cause, and the run is tried again.
#[test]
fn an_invalid_run_is_tried_again_and_kept() {
    if !root() {
        return;
    }
    let once = config("first-time-fails", r#"commands = [["sh", "-c", "test -e seen || { touch seen; exit 1; }"]]"#);
    let workshop = Workshop::new(&SHORT.replace("retries = 0", "retries = 1"), &[INET4, &once, BASELINE].concat());
    let _alone = alone();
    let log = workshop.run();
    let [failed, repeated] = log.results.as_slice() else { panic!("{:?}", log.results) };
    assert_eq!((failed.attempt, invalid(failed).0), (0, Cause::WrongDutState));
    assert_eq!(repeated.attempt, 1);
    assert_accounted(repeated);
    assert!(log.complete);
}
