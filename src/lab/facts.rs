//! What machine this is: facts that matter for a forwarding rate, read from /proc and /sys.

use std::collections::BTreeMap;
use std::fs;

/// Facts about this machine, as text. What cannot be read is left out: a container hides much.
pub fn gather() -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value.map(|value| value.trim().to_string()).filter(|value| !value.is_empty()) {
            facts.insert(name.to_string(), value);
        }
    };
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = |key: &str| {
        let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    add("kernel", joined(&["/proc/sys/kernel/ostype", "/proc/sys/kernel/osrelease"]));
    add("kernel build", read("/proc/sys/kernel/version"));
    add("kernel parameters", kernel_parameters());
    add("architecture", read("/proc/sys/kernel/arch"));
    add("cpu", cpu("model name").or_else(|| cpu("Hardware")));
    add("cpus online", read("/sys/devices/system/cpu/online"));
    add("cpu MHz", cpu("cpu MHz"));
    add("microcode", cpu("microcode"));
    add("L2 cache", read("/sys/devices/system/cpu/cpu0/cache/index2/size"));
    add("L3 cache", read("/sys/devices/system/cpu/cpu0/cache/index3/size"));
    add("SMT", read("/sys/devices/system/cpu/smt/control"));
    add(
        "governor",
        Some(read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").unwrap_or("none visible".into())),
    );
    add("virtual machine", Some(virtual_machine(&cpuinfo)));
    add("clock source", read("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
    add("memory", meminfo());
    add("mitigations", mitigations());
    for sysctl in
        ["net/core/bpf_jit_enable", "net/core/bpf_jit_harden", "net/core/netdev_budget", "kernel/numa_balancing"]
    {
        add(&format!("sysctl {}", sysctl.replace('/', ".")), read(&format!("/proc/sys/{sysctl}")));
    }
    add("operating system", os_release());
    facts
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn joined(paths: &[&str]) -> Option<String> {
    let parts: Option<Vec<String>> = paths.iter().map(|path| Some(read(path)?.trim().to_string())).collect();
    Some(parts?.join(" "))
}

/// `no`, or the hypervisor's name as far as it can be told.
fn virtual_machine(cpuinfo: &str) -> String {
    let hypervisor = cpuinfo
        .lines()
        .any(|line| line.starts_with("flags") && line.split_whitespace().any(|flag| flag == "hypervisor"));
    match joined(&["/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name"]) {
        Some(product) if hypervisor => format!("yes ({product})"),
        _ if hypervisor => "yes".into(),
        _ => "no hypervisor visible".into(),
    }
}

/// Those parameters of the kernel's command line that change how fast it forwards; the rest may be private.
fn kernel_parameters() -> Option<String> {
    const TELLING: [&str; 20] = [
        "mitigations", "isolcpus", "nohz_full", "rcu_nocbs", "irqaffinity", "idle", "nosmt", "preempt", "intel_pstate",
        "amd_pstate", "intel_idle.max_cstate", "processor.max_cstate", "cpuidle.off", "transparent_hugepage", "hugepages",
        "default_hugepagesz", "spectre_v2", "retbleed", "pti", "clocksource",
    ];
    let text = read("/proc/cmdline")?;
    let telling = text.split_whitespace().filter(|word| TELLING.contains(&word.split('=').next().unwrap_or("")));
    Some(telling.collect::<Vec<_>>().join(" "))
}

fn meminfo() -> Option<String> {
    let text = read("/proc/meminfo")?;
    let kib: u64 =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.split_whitespace().next()?.parse().ok()?;
    Some(format!("{:.1} GiB", kib as f64 / 1_048_576.0))
}

/// Mitigations that are in force; each may cost a forwarding path its share.
fn mitigations() -> Option<String> {
    let mut active: Vec<String> = fs::read_dir("/sys/devices/system/cpu/vulnerabilities")
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let state = fs::read_to_string(entry.path()).ok()?;
            let measure = state.trim().strip_prefix("Mitigation: ")?.to_string();
            Some(format!("{}: {measure}", entry.file_name().to_string_lossy()))
        })
        .collect();
    active.sort();
    Some(if active.is_empty() { "none active".into() } else { active.join(" | ") })
}

fn os_release() -> Option<String> {
    let text = read("/etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_string())
}
