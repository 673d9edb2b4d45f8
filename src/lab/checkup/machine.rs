//! What the machine itself does to a measurement. Pure.

use std::collections::BTreeMap;

use super::Finding;

/// More runnable processes than this, over the last minute, are somebody else's load.
const MAX_LOAD: f64 = 0.5;

/// `facts` as gathered, `/proc/loadavg`, CPUs that may be used (more than two are not told apart), and whether the
/// kernel's own threads can be seen.
pub fn findings(facts: &BTreeMap<String, String>, loadavg: &str, cpus: usize, kernel_threads: bool) -> Vec<Finding> {
    let fact = |name: &str| facts.get(name).map_or("", String::as_str);
    let mut findings = vec![cores(cpus, kernel_threads), load(loadavg)];
    findings.push(match fact("SMT") {
        "on" => Finding::worse(
            "SMT",
            "the DUT's core is shared with its sibling thread, whose work slows it down by up to a third",
            "echo off > /sys/devices/system/cpu/smt/control",
        ),
        _ => Finding::ok("SMT", "no sibling thread shares the DUT's core, as far as this kernel knows"),
    });
    findings.push(match fact("governor") {
        "performance" => Finding::ok("governor", "the CPU keeps its speed"),
        "none visible" | "" => Finding::ok("governor", "none: this kernel does not change the CPU's speed"),
        governor => Finding::worse(
            "governor",
            format!("`{governor}`: the CPU changes its speed while it measures"),
            "cpupower frequency-set -g performance (package linux-cpupower)",
        ),
    });
    findings.push(match fact("virtual machine") {
        machine if machine.starts_with("yes") => Finding::worse(
            "machine",
            "virtual: its neighbours change the speed of its CPUs; duets cancel most of that, absolute rates wander",
            "bare metal, where absolute rates matter",
        ),
        _ => Finding::ok("machine", "no hypervisor visible"),
    });
    findings
}

fn cores(cpus: usize, kernel_threads: bool) -> Finding {
    match (cpus, kernel_threads) {
        (0 | 1, _) => Finding::worse(
            "cores",
            "one: the layout two-core does not work, and whatever else runs takes its time from the DUT",
            "a second CPU, or a wider affinity for this process (taskset)",
        ),
        (_, false) => Finding::worse(
            "cores",
            "the layout two-core does not work: the kernel's threads cannot be seen from this container",
            "a container that shares the host's PID namespace",
        ),
        _ => Finding::ok("cores", "two or more: the DUT has one, everything else the others"),
    }
}

fn load(loadavg: &str) -> Finding {
    let load: f64 = loadavg.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0.0);
    match load > MAX_LOAD {
        true => Finding::worse(
            "load",
            format!("{load} processes ran on average in the last minute"),
            "stop what else runs here",
        ),
        false => Finding::ok("load", "nothing much else runs here"),
    }
}

/// What lets namespaces be made: the setting that forbids them, where one can be told. `setting` reads a sysctl.
pub fn namespaces_fix(privileged: bool, setting: impl Fn(&str) -> Option<u64>) -> String {
    let forbidding = [
        ("kernel/unprivileged_userns_clone", 0, "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", 1, "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        ("user/max_user_namespaces", 0, "sysctl -w user.max_user_namespaces=10000"),
        ("user/max_net_namespaces", 0, "sysctl -w user.max_net_namespaces=10000"),
    ];
    let found = forbidding.into_iter().find(|&(name, value, _)| setting(name) == Some(value));
    match (found, privileged) {
        (Some((_, _, fix)), _) => format!("{fix} (as root)"),
        (None, true) => "a container with CAP_SYS_ADMIN and CAP_NET_ADMIN, or the host itself".into(),
        (None, false) => "sudo linerate ..".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    fn states(facts: &[(&str, &str)], loadavg: &str, cpus: usize, kernel_threads: bool) -> Vec<(&'static str, State)> {
        let facts = facts.iter().map(|&(name, value)| (name.to_string(), value.to_string())).collect();
        findings(&facts, loadavg, cpus, kernel_threads).iter().map(|finding| (finding.what, finding.state)).collect()
    }

    // A quiet machine on the desk has nothing to mend; a busy laptop's virtual machine has everything.
    #[test]
    fn each_nuisance_is_found() {
        let calm = [("SMT", "off"), ("governor", "performance"), ("virtual machine", "no hypervisor visible")];
        assert!(states(&calm, "0.10 0.2 0.3 1/99 1", 4, true).iter().all(|(_, state)| *state == State::Ok));
        let wild = [("SMT", "on"), ("governor", "powersave"), ("virtual machine", "yes (QEMU)")];
        let found = states(&wild, "3.10 0.2 0.3 1/99 1", 1, true);
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|(_, state)| *state == State::Worse), "{found:?}");
    }

    // Two CPUs help a DUT to a core of its own only where its thread can be found.
    #[test]
    fn a_core_of_its_own_needs_the_kernels_threads() {
        assert_eq!(cores(2, true).state, State::Ok);
        assert_eq!(cores(2, false).state, State::Worse);
    }

    // The setting that forbids namespaces is named; where there is none, other privileges help.
    #[test]
    fn the_setting_that_forbids_namespaces_is_named() {
        let only = |name: &'static str, value| move |asked: &str| (asked == name).then_some(value);
        assert!(
            namespaces_fix(false, only("kernel/unprivileged_userns_clone", 0)).contains("unprivileged_userns_clone=1")
        );
        assert!(namespaces_fix(false, only("kernel/apparmor_restrict_unprivileged_userns", 1)).contains("_userns=0"));
        assert!(namespaces_fix(true, only("user/max_net_namespaces", 0)).contains("max_net_namespaces=10000"));
        assert_eq!(namespaces_fix(false, only("user/max_user_namespaces", 100)), "sudo linerate ..");
        assert!(namespaces_fix(true, |_| None).contains("CAP_SYS_ADMIN"));
    }
}
