//! FORMAT.md is held to the code: what a log can hold is there, and what is there a log can hold.

use std::collections::BTreeSet;

use linerate::store::event::Cause;
use serde_json::Value;

const FORMAT: &str = include_str!("../../FORMAT.md");
const GOLDEN: &str = include_str!("every-event.jsonl");

/// Fields whose keys are names of the user's or the lab's.
const FREE: [&str; 4] = ["sysctl", "files", "facts", "drops"];

fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                match value {
                    Value::Object(inner) if FREE.contains(&key.as_str()) => inner.values().for_each(|value| fields(value, found)),
                    _ => fields(value, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| fields(value, found)),
        _ => {}
    }
}

/// Every word in backquotes.
fn words(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

// One of every event: each field is documented under the event's heading.
#[test]
fn every_field_of_every_event_is_documented() {
    let (_, log) = FORMAT.split_once("\n## Event log\n").unwrap();
    let (common, _) = log.split_once("\n### ").unwrap();
    for line in GOLDEN.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let name = event["event"].as_str().unwrap();
        let section =
            log.split("\n### ").find(|section| section.starts_with(&format!("{name}\n"))).unwrap_or_else(|| panic!("no section {name}"));
        let documented: BTreeSet<String> = words(common).union(&words(section)).cloned().collect();
        let mut used = BTreeSet::new();
        fields(&event, &mut used);
        let missing: Vec<_> =
            used.iter().filter(|field| !documented.contains(*field) && !section.contains(&format!("\"{field}\""))).collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
}

// Rows of the tables that no log has are leftovers.
#[test]
fn no_other_field_is_documented() {
    let (_, log) = FORMAT.split_once("\n## Event log\n").unwrap();
    let (log, _) = log.split_once("\n## The plan as JSON").unwrap();
    let mut used = BTreeSet::new();
    GOLDEN.lines().for_each(|line| fields(&serde_json::from_str(line).unwrap(), &mut used));
    let rows = log.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next().map(|cell| words(&format!("`{cell}"))));
    let leftovers: Vec<String> = rows.flatten().filter(|word| !used.contains(word) && !word.contains('-')).collect();
    assert_eq!(leftovers, [""; 0]);
}

// Every cause an invalid run can have, by an exhaustive match: a new one does not compile until it is listed here.
#[test]
fn every_cause_is_documented() {
    use Cause::*;
    let all = [SenderLimited, NothingReceived, FramesUnaccounted, ForeignFrames, CpuShared, WrongDutState, LabFailed];
    for cause in all {
        match cause {
            SenderLimited | NothingReceived | FramesUnaccounted | ForeignFrames | CpuShared | WrongDutState | LabFailed => {}
        }
        let name = serde_json::to_value(cause).unwrap();
        assert!(FORMAT.contains(&format!("| `{}` |", name.as_str().unwrap())), "{name}");
    }
}
