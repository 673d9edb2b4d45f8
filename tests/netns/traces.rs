use std::process::Command;

use crate::host;
use crate::workshop::{BASELINE, BOTH_FAMILIES, INET4, PLAIN, SHORT, Workshop, alone, assert_accounted, root, shown};

// Two linerate processes run side by side: neither sees the other, the host sees neither.
#[test]
fn two_at_once_touch_neither_each_other_nor_the_host() {
    if !root() {
        return;
    }
    let method = SHORT.replace("iterations = 1", "iterations = 3");
    let variants =
        format!("{BASELINE}[[variant]]\nname = \"changed\"\nsysctl = {{ \"net.ipv4.ip_early_demux\" = 0 }}\n");
    let workshops = [(); 2].map(|()| Workshop::new(&method, &[BOTH_FAMILIES, PLAIN, &variants].concat()));
    let _alone = alone();
    let before = host::snapshot();
    let started =
        workshops.each_ref().map(|workshop| workshop.command(&["run", "x.toml", "-o", "result"]).spawn().unwrap());
    let ended = started.map(|child| child.wait_with_output().unwrap());
    for (workshop, output) in workshops.iter().zip(&ended) {
        assert_eq!(output.status.code(), Some(0), "{}", shown(output));
        let log = workshop.log();
        assert!(log.complete);
        assert_eq!(log.results.len(), 6);
        log.results.iter().for_each(assert_accounted);
        assert!(workshop.processes().is_empty());
        workshop.assert_tidy(&[]);
    }
    host::assert_unchanged(&before);
    // They did run at the same time.
    let [first, second] = workshops.each_ref().map(Workshop::times);
    assert!(first.0 < second.1 && second.0 < first.1, "{first:?} {second:?}");
}

// A machine that never had a name of a namespace has none after a run; no directory for them either.
#[test]
fn no_directory_for_names_is_left() {
    if !root() {
        return;
    }
    let workshop = Workshop::new(SHORT, &[INET4, PLAIN, BASELINE].concat());
    let _alone = alone();
    let script = "mount -t tmpfs none /run && ./linerate run x.toml -o result >/dev/null && ls -A /run";
    let output =
        Command::new("unshare").args(["--mount", "sh", "-c", script]).current_dir(workshop.path()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]), "{}", shown(&output));
}
