//! Places where frames get lost, and what they counted.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::notebook::Notebook;
use crate::experiment::{Family, SenderKind};
use crate::store::event::Cause;
use crate::traffic;

/// Where frames are lost that found no room: the place's name begins so.
const LINK_FULL: &str = "link to the DUT full";
/// Where frames are lost that the DUT forwarded and could not hand on.
pub const EGRESS: &str = "DUT egress (d1 tx_dropped)";

/// Counters of one arm at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counters {
    /// Place -> frames lost there. Each lost frame is counted at one of them at most.
    pub drops: BTreeMap<String, u64>,
    /// Stations on the way through the DUT -> frames that passed, to say where uncounted frames vanished.
    pub stations: Vec<(&'static str, u64)>,
    /// Frames that our nft rule at the receiver counted, ours and others; only without XDP.
    pub receiver: Option<(u64, u64)>,
}

impl Counters {
    /// What was counted since `before`.
    pub fn since(&self, before: &Counters) -> Counters {
        let earlier = |place: &String| before.drops.get(place).copied().unwrap_or(0);
        Counters {
            drops: self
                .drops
                .iter()
                .map(|(place, &count)| (place.clone(), count.saturating_sub(earlier(place))))
                .filter(|&(_, count)| count > 0)
                .collect(),
            stations: self
                .stations
                .iter()
                .zip(&before.stations)
                .map(|(&(station, after), &(_, before))| (station, after.saturating_sub(before)))
                .collect(),
            receiver: self
                .receiver
                .zip(before.receiver)
                .map(|(after, before)| (after.0 - before.0, after.1 - before.1)),
        }
    }
}

/// Reads an arm's counters. An arm without a DUT has only those of the link and the receiver.
pub fn read(notebook: &mut Notebook, sender: SenderKind, family: Family, arm: usize, has_dut: bool) -> Result<Counters> {
    let (dut, receiver, interface) = (traffic::dut(arm), traffic::receiver(arm), traffic::sender_interface(arm));
    let mut counters = Counters::default();

    let ring_full = match sender {
        SenderKind::XdpLiveFrames => {
            let text = notebook.run(Cause::LabFailed, traffic::SENDER, &["ethtool", "-S", &interface], "")?;
            ethtool(&text).filter(|(name, _)| name.ends_with("xdp_xmit_errors")).map(|(_, count)| count).sum()
        }
        SenderKind::AfPacket => link(&links(notebook, traffic::SENDER)?, &interface).tx_dropped,
    };
    counters.drops.insert(format!("{LINK_FULL} ({interface})"), ring_full);
    if sender == SenderKind::AfPacket {
        let table = notebook.run(Cause::LabFailed, &receiver, &["nft", "-j", "list", "table", "netdev", "linerate"], "")?;
        let counts: Vec<u64> = rules_with_counter(&table).map(|rule| rule.packets).collect();
        let &[ours, foreign] = counts.as_slice() else { anyhow::bail!("the receiver's nft table has lost its rules") };
        counters.receiver = Some((ours, foreign));
    }
    if !has_dut {
        return Ok(counters);
    }

    let dut_links = links(notebook, &dut)?;
    let (ingress, egress) = (link(&dut_links, "d0"), link(&dut_links, "d1"));
    counters.drops.insert(EGRESS.into(), egress.tx_dropped);

    // No /proc/net/stat/nf_conntrack where conntrack is not loaded: cat prints the others and fails.
    let files = ["cat", "/proc/net/snmp", "/proc/net/netstat", "/proc/net/snmp6", "/proc/net/stat/nf_conntrack"];
    let text = notebook.try_run(&dut, &files, "")?.stdout;
    let ip = ip_statistics(&text, family);
    let statistic = |name: &str| ip.get(name).copied().unwrap_or(0);
    for name in [
        "InHdrErrors",
        "InAddrErrors",
        "InDiscards",
        "InTruncatedPkts",
        "InTooBigErrors",
        "InUnknownProtos",
        "OutDiscards",
    ] {
        counters.drops.insert(format!("DUT IP {name}"), statistic(name));
    }
    counters.drops.insert("DUT IP no route".into(), statistic("OutNoRoutes") + statistic("InNoRoutes"));
    for (name, count) in conntrack(&text) {
        counters.drops.insert(format!("DUT conntrack {name}"), count);
    }
    let rules = notebook.try_run(&dut, &["nft", "-j", "list", "ruleset"], "")?;
    for (rule, count) in dropping_rules(&rules.stdout) {
        counters.drops.insert(format!("DUT nft rule {rule}"), count);
    }
    counters.stations = vec![
        ("arrived at d0", ingress.rx_packets),
        ("reached IP input", statistic("InReceives")),
        ("were forwarded by IP", statistic("ForwDatagrams") + statistic("OutForwDatagrams")),
        ("left through d1", egress.tx_packets),
    ];
    Ok(counters)
}

#[derive(Debug, Default)]
struct Link {
    rx_packets: u64,
    tx_packets: u64,
    tx_dropped: u64,
}

fn links(notebook: &mut Notebook, host: &str) -> Result<Value> {
    let text = notebook.run(Cause::LabFailed, host, &["ip", "-s", "-j", "link"], "")?;
    serde_json::from_str(&text).context("`ip -s -j link` did not print JSON")
}

fn link(links: &Value, interface: &str) -> Link {
    let found = links.as_array().into_iter().flatten().find(|link| link["ifname"] == interface);
    let count = |direction: &str, what: &str| found.and_then(|link| link["stats64"][direction][what].as_u64()).unwrap_or(0);
    Link { rx_packets: count("rx", "packets"), tx_packets: count("tx", "packets"), tx_dropped: count("tx", "dropped") }
}

/// `     name: number` lines of `ethtool -S`.
fn ethtool(text: &str) -> impl Iterator<Item = (&str, u64)> {
    text.lines().filter_map(|line| {
        let (name, count) = line.trim().split_once(':')?;
        Some((name, count.trim().parse().ok()?))
    })
}

/// A family's counters: a header and a value line that begin with `Ip:`, two with `IpExt:`, or `Ip6Name number` lines.
fn ip_statistics(text: &str, family: Family) -> BTreeMap<String, u64> {
    match family {
        Family::Inet4 => ["Ip: ", "IpExt: "]
            .into_iter()
            .flat_map(|prefix| {
                let mut rows = text.lines().filter_map(move |line| line.strip_prefix(prefix));
                let (names, values) = (rows.next().unwrap_or(""), rows.next().unwrap_or(""));
                names.split_whitespace().zip(values.split_whitespace())
            })
            .filter_map(|(name, value)| Some((name.to_string(), value.parse().ok()?)))
            .collect(),
        Family::Inet6 => text
            .lines()
            .filter_map(|line| {
                let (name, value) = line.strip_prefix("Ip6")?.split_once(char::is_whitespace)?;
                Some((name.to_string(), value.trim().parse().ok()?))
            })
            .collect(),
    }
}

/// `drop` and `insert_failed` summed over CPUs: columns of a table in hexadecimal, one row per CPU.
fn conntrack(text: &str) -> Vec<(&'static str, u64)> {
    let mut rows = text.lines().skip_while(|line| !line.starts_with("entries "));
    let Some(header) = rows.next() else { return Vec::new() };
    let rows: Vec<Vec<u64>> =
        rows.map(|row| row.split_whitespace().map(|hex| u64::from_str_radix(hex, 16).unwrap_or(0)).collect()).collect();
    ["drop", "insert_failed"]
        .into_iter()
        .filter_map(|name| {
            let column = header.split_whitespace().position(|column| column == name)?;
            Some((name, rows.iter().filter_map(|row| row.get(column)).sum()))
        })
        .collect()
}

/// Whether each packet that comes so far in a rule is dropped, and none goes free in between.
fn drops_all(statements: &[Value]) -> bool {
    let is = |names: &[&str], statement: &Value| names.iter().any(|name| statement.get(name).is_some());
    let rest = statements.iter().find(|statement| !is(&["log", "mangle", "notrack"], statement));
    rest.is_some_and(|statement| is(&["drop", "reject"], statement))
}

struct CountingRule {
    name: String,
    packets: u64,
    drops: bool,
}

/// Rules with a `counter` right in front of a `drop` or `reject`: `table chain #handle` -> packets.
fn dropping_rules(json: &str) -> impl Iterator<Item = (String, u64)> {
    rules_with_counter(json).filter(|rule| rule.drops).map(|rule| (rule.name, rule.packets))
}

fn rules_with_counter(json: &str) -> impl Iterator<Item = CountingRule> {
    let json: Value = serde_json::from_str(json).unwrap_or_default();
    let entries = json["nftables"].as_array().cloned().unwrap_or_default();
    entries.into_iter().filter_map(|entry| {
        let rule = entry.get("rule")?;
        let statements = rule["expr"].as_array()?;
        let at = statements.iter().rposition(|statement| statement.get("counter").is_some())?;
        Some(CountingRule {
            name: format!("{} {} #{}", rule["table"].as_str()?, rule["chain"].as_str()?, rule["handle"]),
            packets: statements[at]["counter"]["packets"].as_u64()?,
            drops: drops_all(&statements[at + 1..]),
        })
    })
}

#[cfg(test)]
mod tests;
