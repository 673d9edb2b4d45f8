//! A DUT's state: the base every DUT has, what a config or variant changes, whether it holds.

use anyhow::Result;

use super::notebook::{Broken, Notebook};
use crate::experiment::Change;
use crate::store::event::Cause;

/// Sysctls every DUT has before its config. A new namespace takes some from the machine it is made on, so they are set
/// for results to compare between machines; redirects would be answers to our own frames.
const BASE_SYSCTLS: [(&str, &str); 9] = [
    ("net.ipv4.ip_forward", "1"),
    ("net.ipv4.conf.all.rp_filter", "0"),
    ("net.ipv4.conf.default.rp_filter", "0"),
    ("net.ipv4.conf.all.send_redirects", "0"),
    ("net.ipv4.conf.default.send_redirects", "0"),
    ("net.ipv6.conf.all.disable_ipv6", "0"),
    ("net.ipv6.conf.default.disable_ipv6", "0"),
    ("net.ipv6.conf.all.forwarding", "1"),
    ("net.ipv6.conf.all.accept_ra", "0"),
];

/// Sets the base; before the interfaces are configured.
pub fn set_base(notebook: &mut Notebook, dut: &str) -> Result<()> {
    set_sysctls(notebook, Cause::LabFailed, dut, BASE_SYSCTLS)
}

/// Applies a change: files, sysctls, nft, commands, in this order.
pub fn apply(notebook: &mut Notebook, dut: &str, change: &Change) -> Result<()> {
    if !change.sysctl.is_empty() {
        let pairs = change.sysctl.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        set_sysctls(notebook, Cause::WrongDutState, dut, pairs)?;
    }
    if let Some(ruleset) = &change.nft {
        notebook.run(Cause::WrongDutState, dut, &["nft", "-f", "-"], &ruleset.content)?;
    }
    for command in &change.commands {
        let argv: Vec<&str> = command.iter().map(String::as_str).collect();
        notebook.run(Cause::WrongDutState, dut, &argv, "")?;
    }
    Ok(())
}

/// Reads back every sysctl that the changes set; the last one to set it decides.
pub fn verify(notebook: &mut Notebook, dut: &str, changes: [&Change; 2]) -> Result<()> {
    let mut expected = changes[0].sysctl.clone();
    expected.extend(changes[1].sysctl.clone());
    if expected.is_empty() {
        return Ok(());
    }
    let mut argv = vec!["sysctl", "-n"];
    argv.extend(expected.keys().map(String::as_str));
    let read = notebook.run(Cause::WrongDutState, dut, &argv, "")?;
    for ((key, value), found) in expected.iter().zip(read.lines()) {
        // Values of several numbers are shown with tabs between them.
        if found.split_whitespace().ne(value.split_whitespace()) {
            let detail = format!("sysctl {key} is `{found}` on {dut}, not `{value}` as the experiment sets it");
            return Err(Broken::new(Cause::WrongDutState, detail).into());
        }
    }
    Ok(())
}

fn set_sysctls<'a>(
    notebook: &mut Notebook,
    cause: Cause,
    dut: &str,
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<()> {
    let words: Vec<String> = pairs.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    let mut argv = vec!["sysctl", "-q", "-w"];
    argv.extend(words.iter().map(String::as_str));
    notebook.run(cause, dut, &argv, "").map(drop)
}
