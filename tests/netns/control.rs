use std::fs;

use linerate::duet::Duet;
use linerate::experiment::CONTROL;
use linerate::store::Log;

use crate::workshop::{BASELINE, INET4, PLAIN, SHORT, Workshop, alone, assert_accounted, root};

const BLOCKS: usize = 6;

/// The baseline's command counts its calls and loads thirty rules into the DUT when the call is on the list.
const SCRIPT: &str = r#"
calls=$(cat calls)
echo $((calls + 1)) > calls
if grep -qx "$calls" slow-calls; then nft -f slow.nft; fi
"#;

fn workshop() -> Workshop {
    let variant = format!("{BASELINE}commands = [[\"sh\", \"script\"]]\n");
    let method = SHORT.replace("iterations = 1", &format!("iterations = {BLOCKS}"));
    let workshop = Workshop::new(&method, &[INET4, PLAIN, &variant].concat());
    workshop.file("script", SCRIPT);
    workshop.file("calls", "0\n");
    workshop.file("slow-calls", "none\n");
    let rule = "    ip saddr 192.0.2.1 drop\n";
    let rules = format!(
        "table inet slow {{\n  chain f {{\n    type filter hook forward priority filter;\n{}  }}\n}}\n",
        rule.repeat(30)
    );
    workshop.file("slow.nft", &rules);
    workshop
}

/// Which calls of the script belong to the control: in each run it is called once for the baseline and once for its copy,
/// in the order in which the plan sets them up.
fn calls_for_the_control(workshop: &Workshop) -> Vec<usize> {
    let output = workshop.command(&["plan", "x.toml", "--format", "json"]).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs = answer["plan"]["runs"].as_array().unwrap();
    let second = |run: &serde_json::Value| {
        let arms = run["arms"].as_array().unwrap();
        arms.iter().position(|arm| arm == CONTROL) > arms.iter().position(|arm| arm == "default")
    };
    runs.iter().enumerate().map(|(run, it)| 2 * run + usize::from(second(it))).collect()
}

/// ln(rate of the control / rate of the baseline) of every run.
fn controls(log: &Log) -> Vec<f64> {
    log.results.iter().for_each(assert_accounted);
    log.results.iter().map(|result| Duet::of(result).control("default").unwrap()).collect()
}

// A baseline whose copy is secretly slower does not equal itself, and every block says so; an honest one does.
#[test]
fn a_secretly_slower_copy_is_found_out() {
    if !root() {
        return;
    }
    let (honest, rigged) = (workshop(), workshop());
    let calls = calls_for_the_control(&rigged);
    assert!(
        calls.iter().any(|call| call % 2 == 0) && calls.iter().any(|call| call % 2 == 1),
        "both orders occur: {calls:?}"
    );
    rigged.file("slow-calls", &calls.iter().map(|call| format!("{call}\n")).collect::<String>());
    let _alone = alone();

    let log = rigged.run();
    assert_eq!(fs::read_to_string(rigged.path().join("calls")).unwrap(), format!("{}\n", 2 * BLOCKS));
    let slower = controls(&log);
    assert!(slower.iter().all(|&ratio| ratio < -0.05), "thirty rules cost more than 5 %: {slower:?}");
    let report = fs::read_to_string(rigged.result().join("README.md")).unwrap();
    assert!(report.contains("The control failed:") && report.contains("do not trust those verdicts"), "{report}");

    let mut same = controls(&honest.run());
    same.sort_by(f64::total_cmp);
    assert!(same[BLOCKS / 2].abs() < 0.02, "{same:?}");
}
