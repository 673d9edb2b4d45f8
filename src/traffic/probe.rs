//! Frames that prove the path before a blast, and frames that make a stateful firewall know the flows.

use std::collections::BTreeSet;
use std::io;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::frame::{self, DUT_EGRESS_MAC, Flow, RECEIVER_MAC, TTL};
use crate::experiment::{Family, Traffic};
use crate::sys::namespace::{Namespace, inside};
use crate::sys::packet::{FrameRing, PacketSocket};

/// Probe frames carry 18 bytes, so they are longer than the smallest IPv6 frame: they need a payload to check.
const PAYLOAD: &[u8; 18] = b"linerate probe 001";
const PROBES: usize = 8;
/// A frame through three namespaces takes microseconds; this is for a machine that is busy.
const PATIENCE: Duration = Duration::from_millis(500);

/// What became of the probe frames.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeReport {
    pub sent: usize,
    /// Distinct probes that arrived forwarded: TTL one less, MACs rewritten, addresses and payload intact.
    pub forwarded: usize,
    /// What was wrong with those that arrived otherwise.
    pub wrong: Vec<String>,
}

/// Sockets that are being closed. The kernel takes some 20 ms for each (it waits for readers of the list of taps), in
/// which the next arm can be set up; join before a blast, so that no tap is left in its way.
pub type Closing = JoinHandle<()>;

/// Sends a few frames through the DUT and looks at each one at the receiver's `s0`.
pub fn probe(
    traffic: &Traffic,
    interface: &str,
    sender: &Namespace,
    receiver: &Namespace,
) -> io::Result<(ProbeReport, Closing)> {
    let listening = inside(receiver, || PacketSocket::open("s0", true))?;
    let sending = inside(sender, || PacketSocket::open(interface, false))?;
    let all: Vec<Flow> = frame::flows(traffic).collect();
    let flows: BTreeSet<usize> = (0..PROBES).map(|n| n * (all.len() - 1) / (PROBES - 1)).collect();
    let frames: Vec<Vec<u8>> = flows.iter().map(|&n| frame::forward(traffic.family, all[n], PAYLOAD)).collect();
    let mut missing: Vec<Vec<u8>> = frames.iter().map(|frame| forwarded(traffic.family, frame)).collect();
    let mut report = ProbeReport { sent: frames.len(), ..Default::default() };
    let length = frames[0].len();
    send(&sending, frames.concat(), length)?;

    let deadline = Instant::now() + PATIENCE;
    let mut buffer = [0; 256];
    while !missing.is_empty() {
        let length = match listening.receive(&mut buffer, deadline) {
            Ok(Some(length)) => length,
            Ok(None) => break,
            // The receiver's interface is down: nothing arrives, and the counters will show it.
            Err(error) if error.kind() == io::ErrorKind::NetworkDown => break,
            Err(error) => return Err(error),
        };
        let arrived = &buffer[..length];
        if let Some(index) = missing.iter().position(|expected| expected == arrived) {
            missing.swap_remove(index);
            report.forwarded += 1;
        } else if arrived.windows(8).any(|window| window == &PAYLOAD[..8]) {
            report.wrong.push(difference(&missing[0], arrived));
        }
    }
    Ok((report, std::thread::spawn(|| drop((listening, sending)))))
}

/// Sends one frame of every flow through the DUT, then its answer back: one-way UDP never becomes established.
pub fn prime(
    traffic: &Traffic,
    interface: &str,
    sender: &Namespace,
    receiver: &Namespace,
) -> io::Result<Closing> {
    let payload = [0; 18];
    let mut sockets = Vec::new();
    for (namespace, interface, make) in
        [(sender, interface, frame::forward as fn(Family, Flow, &[u8]) -> Vec<u8>), (receiver, "s0", frame::reverse)]
    {
        let socket = inside(namespace, || PacketSocket::open(interface, false))?;
        let frames: Vec<u8> = frame::flows(traffic).flat_map(|flow| make(traffic.family, flow, &payload)).collect();
        let length = frame::header_length(traffic.family) + payload.len();
        send(&socket, frames, length)?;
        sockets.push(socket);
    }
    Ok(std::thread::spawn(|| drop(sockets)))
}

fn send(socket: &PacketSocket, frames: Vec<u8>, length: usize) -> io::Result<()> {
    let count = frames.len() / length;
    let mut ring = FrameRing::new(frames, length);
    let mut sent = 0;
    let deadline = Instant::now() + PATIENCE;
    while sent < count {
        sent += ring.send(socket, count - sent)?;
        if Instant::now() > deadline {
            return Err(io::Error::other(format!("the interface took only {sent} of {count} frames")));
        }
    }
    Ok(())
}

/// What a router makes of a frame (RFC 1812, RFC 8200): new MACs, TTL or hop limit one less, IPv4 checksum adjusted.
fn forwarded(family: Family, frame: &[u8]) -> Vec<u8> {
    let mut frame = frame.to_vec();
    frame[..6].copy_from_slice(&RECEIVER_MAC);
    frame[6..12].copy_from_slice(&DUT_EGRESS_MAC);
    match family {
        Family::Inet4 => {
            frame[22] = TTL - 1;
            frame[24..26].fill(0);
            let checksum = frame::fold(frame::words(&frame[14..34]));
            frame[24..26].copy_from_slice(&checksum.to_be_bytes());
        }
        Family::Inet6 => frame[21] = TTL - 1,
    }
    frame
}

fn difference(expected: &[u8], arrived: &[u8]) -> String {
    if expected.len() != arrived.len() {
        return format!("{} bytes instead of {}", arrived.len(), expected.len());
    }
    let differing: Vec<String> = expected
        .iter()
        .zip(arrived)
        .enumerate()
        .filter(|(_, (expected, arrived))| expected != arrived)
        .map(|(at, (expected, arrived))| format!("byte {at} is {arrived:#04x} instead of {expected:#04x}"))
        .take(4)
        .collect();
    if differing.is_empty() { "arrived twice".into() } else { differing.join(", ") }
}
