//! A core of its own for a DUT: threaded NAPI on its ingress interface, and the kernel's thread pinned.
//!
//! The scheduler would put the thread on either CPU, so it is pinned; at nice -20 it has the core but for a few per cent.
//! Kernel threads are not visible in the agent's PID namespace: this is done from here.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use anyhow::Result;

use super::notebook::{Broken, Notebook};
use crate::agent::exec;
use crate::store::event::{Cause, Event};

/// Gives the DUT's work to a thread on `cpu` and returns the thread's process number.
pub fn give_core(notebook: &mut Notebook, dut: &str, cpu: usize) -> Result<u32> {
    let before = threads();
    let switch = ["ip", "netns", "exec", dut, "tee", "/sys/class/net/d0/threaded"];
    notebook.run(Cause::LabFailed, "", &switch, "1")?;
    let new: Vec<u32> = threads().difference(&before).copied().collect();
    let &[pid] = new.as_slice() else {
        let detail = format!("{} new threads named napi/d0-* instead of one: is another linerate running?", new.len());
        return Err(Broken::new(Cause::LabFailed, detail).into());
    };
    let (pid_text, cpu) = (pid.to_string(), cpu.to_string());
    for argv in [["taskset", "-p", "-c", &cpu, &pid_text].as_slice(), &["renice", "-n", "-20", "-p", &pid_text]] {
        let argv: Vec<String> = argv.iter().map(|&word| word.into()).collect();
        let done = exec::run("kernel", None, &argv, "", Duration::from_secs(5));
        (notebook.record)(Event::Command(done.clone()))?;
        if done.exit != 0 {
            return Err(Broken::new(Cause::LabFailed, format!("`{}`: {}", argv.join(" "), done.stderr.trim())).into());
        }
    }
    Ok(pid)
}

/// The kernel's threads that poll an interface named d0.
fn threads() -> BTreeSet<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_ours = |pid: &u32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("napi/d0-"));
    pids.filter(is_ours).collect()
}
