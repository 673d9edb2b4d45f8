//! The machine the tests run on, as it looks from outside the lab.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

/// Interfaces, addresses, routes, rules, names of namespaces, mounts and network sysctls of the host.
pub fn snapshot() -> BTreeMap<String, String> {
    let mut seen = BTreeMap::new();
    for line in [
        "ip -j link",
        "ip -j addr",
        "ip -j route show table all",
        "ip -j -6 route show table all",
        "ip -j neigh",
        "ip -j rule",
        "ip netns list",
        "nft -j list ruleset",
    ] {
        let mut words = line.split(' ');
        let output = Command::new(words.next().unwrap()).args(words).output();
        let text = output
            .map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
        let text = match serde_json::from_str::<Value>(&text) {
            Ok(mut json) => {
                forget_what_ages(&mut json);
                json.to_string()
            }
            Err(_) => text,
        };
        seen.insert(line.to_owned(), text);
    }
    seen.insert("mounts".into(), fs::read_to_string("/proc/self/mountinfo").unwrap());
    let sysctls =
        Command::new("sysctl").args(["-a", "-r", "^net\\."]).output().map(|output| output.stdout).unwrap_or_default();
    // A count of entries is no setting.
    let settings = String::from_utf8_lossy(&sysctls)
        .lines()
        .filter(|line| !line.contains("_count"))
        .collect::<Vec<_>>()
        .join("\n");
    seen.insert("sysctls".into(), settings);
    seen
}

/// Life times, neighbours' states and the like change by themselves.
fn forget_what_ages(json: &mut Value) {
    match json {
        Value::Object(object) => {
            for key in ["valid_life_time", "preferred_life_time", "expires", "state"] {
                object.remove(key);
            }
            object.values_mut().for_each(forget_what_ages);
        }
        Value::Array(list) => list.iter_mut().for_each(forget_what_ages),
        _ => {}
    }
}

/// Names what is not as it was.
pub fn assert_unchanged(before: &BTreeMap<String, String>) {
    let after = snapshot();
    for (what, before) in before {
        assert_eq!(&after[what], before, "{what}");
    }
}
