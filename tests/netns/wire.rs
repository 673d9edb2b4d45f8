use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::workshop::{BASELINE, BOTH_FAMILIES, SHORT, Workshop, alone, root};

/// Runs tcpdump in the DUT, on what leaves it for the receiver, and waits until it listens.
const WATCH: &str = "tcpdump -i d1 -Z root -B 32768 -c 6008 -w capture.$$ udp and src port 2000 >/dev/null 2>&1 & \
                     until [ $(wc -l < /proc/net/packet) -gt 1 ]; do sleep 0.01; done";

// tcpdump, which has not read our code, finds in what leaves the DUT: 8 probes, a frame of each flow for conntrack, then the
// blast with all 2,000 flows in turn; every checksum right, TTL or hop limit one less.
#[test]
fn tcpdump_finds_every_frame_right() {
    if !root() {
        return;
    }
    if !Command::new("tcpdump").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return println!("skipped: needs tcpdump");
    }
    for sender in ["xdp-live-frames", "af-packet"] {
        let method = format!("{}compare = \"blocks\"\nsender = \"{sender}\"\n", SHORT.replace("10 ms", "200 ms"));
        let config = format!("[[config]]\nname = \"watched\"\ncommands = [[\"sh\", \"-c\", \"{WATCH}\"]]\n");
        let workshop = Workshop::new(&method, &[BOTH_FAMILIES, &config, BASELINE].concat());
        let _alone = alone();
        let output = workshop.command(&["run", "x.toml", "-o", "result"]).output().unwrap();
        if String::from_utf8_lossy(&output.stderr).contains("xdp-live-frames\", which does not work here") {
            println!("skipped for {sender}: needs eBPF");
            continue;
        }
        let files = std::fs::read_dir(workshop.path()).unwrap().map(|entry| entry.unwrap().path());
        let captures: Vec<_> = files.filter(|path| path.to_string_lossy().contains("/capture.")).collect();
        assert_eq!(captures.len(), 2, "{}", crate::workshop::shown(&output));
        let families: BTreeSet<bool> = captures.iter().map(|capture| check(capture)).collect();
        assert_eq!(families.len(), 2);
    }
}

/// Returns whether it is IPv6.
fn check(capture: &Path) -> bool {
    let output = Command::new("tcpdump").args(["-nn", "-t", "-vv", "-r"]).arg(capture).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).replace("\n    ", " ");
    let frames: Vec<&str> = text.lines().collect();
    assert_eq!(frames.len(), 6008, "{}", String::from_utf8_lossy(&output.stderr));
    let ipv6 = frames[0].starts_with("IP6");
    let limit = if ipv6 { "hlim 63" } else { "ttl 63" };
    let smallest = if ipv6 { "UDP, length 0" } else { "UDP, length 18" };
    for (number, frame) in frames.iter().enumerate() {
        assert!(
            frame.contains("[udp sum ok]") && frame.contains(limit) && !frame.contains("bad"),
            "frame {number}: {frame}"
        );
        assert!(number < 2008 || frame.ends_with(smallest), "frame {number}: {frame}");
    }
    // `.. SOURCE.PORT > DESTINATION.PORT: ..`
    let flow = |frame: &&str| {
        let (before, after) = frame.split_once(" > ").expect("an arrow between addresses");
        (before.rsplit(' ').next().map(str::to_owned), after.split(": ").next().map(str::to_owned))
    };
    let flows: BTreeSet<_> = frames[2008..4008].iter().map(flow).collect();
    assert_eq!(flows.len(), 2000);
    ipv6
}
