use std::fs;

use linerate::store::event::{Cause, RunVerdict};

use crate::workshop::{BASELINE, BOTH_FAMILIES, PLAIN, SHORT, Workshop, alone, assert_accounted, invalid, root, shown};

const STATEFUL: &str = "[[config]]\nname = \"stateful\"\nnft = \"stateful.nft\"\n";
const RULES: &str = "table inet t {\n  chain f {\n    type filter hook forward priority filter; policy drop;\n    \
                     ct state established counter accept\n    ct state new counter accept\n  }\n}\n";

fn workshop(method: &str) -> Workshop {
    let workshop = Workshop::new(&(SHORT.to_owned() + method), &[BOTH_FAMILIES, PLAIN, STATEFUL, BASELINE].concat());
    workshop.file("stateful.nft", RULES);
    workshop
}

/// Every frame of every run accounted for, sent by af-packet. A lone arm may be spoilt by a neighbour's load.
fn assert_works(workshop: &Workshop, duet: bool) {
    let log = workshop.log();
    assert!(log.complete);
    assert_eq!(log.results.iter().filter(|result| result.attempt == 0).count(), log.plan.runs.len());
    for result in &log.results {
        assert_eq!(result.sender, "af-packet");
        match &result.verdict {
            RunVerdict::Invalid { cause: Cause::CpuShared, .. } if !duet => {}
            _ => assert_accounted(result),
        }
    }
    let report = fs::read_to_string(workshop.result().join("README.md")).unwrap();
    assert!(report.contains("af-packet"), "{report}");
}

// An ordinary user gets a result, duets and blocks, with the sender that needs no privileges.
#[test]
fn an_ordinary_user_gets_a_result() {
    for (method, duet) in [("", true), ("compare = \"blocks\"\n", false)] {
        let workshop = workshop(method);
        let Some(mut command) = workshop.as_ordinary_user(&["run", "x.toml", "-o", "result"]) else { return };
        let _alone = alone();
        let output = command.output().unwrap();
        assert!(
            matches!(output.status.code(), Some(0 | 4)) && (!duet || output.status.success()),
            "{}",
            shown(&output)
        );
        assert_works(&workshop, duet);
        assert!(workshop.log().facts["lab"]["live frames"].starts_with("do not work: "));
        assert!(workshop.processes().is_empty());
    }
}

// Root may ask for that sender too.
#[test]
fn root_can_use_af_packet() {
    if !root() {
        return;
    }
    for (method, duet) in
        [("sender = \"af-packet\"\n", true), ("sender = \"af-packet\"\ncompare = \"blocks\"\n", false)]
    {
        let workshop = workshop(method);
        let _alone = alone();
        workshop.run();
        assert_works(&workshop, duet);
    }
}

// What an ordinary user cannot have is refused by its name, not replaced in silence.
#[test]
fn what_needs_root_says_so() {
    let wanted = workshop("sender = \"xdp-live-frames\"\n");
    let Some(mut command) = wanted.as_ordinary_user(&["run", "x.toml", "-o", "result"]) else { return };
    let _alone = alone();
    let output = command.output().unwrap();
    let said = shown(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("sender = \"xdp-live-frames\", which does not work here: "), "{said}");

    let two_core = workshop("layout = \"two-core\"\n");
    let mut command = two_core.as_ordinary_user(&["run", "x.toml", "-o", "result"]).unwrap();
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
    for result in &two_core.log().results {
        let (cause, detail) = invalid(result);
        assert_eq!(cause, Cause::LabFailed);
        assert!(detail.contains("layout = \"two-core\" needs"), "{detail}");
    }
}
