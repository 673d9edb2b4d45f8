//! A flow's frame: addresses, headers, checksums. Pure.
//!
//! Addresses are those set aside for benchmarks: 198.18.0.0/15 (RFC 2544) and 2001:2::/48 (RFC 5180). Every DUT of a
//! lab has the same addresses and MACs, so that a frame is valid for each of them.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::experiment::{Family, Traffic};

pub type Mac = [u8; 6];

/// The sender's interface, the DUT's two, the receiver's: locally administered.
pub const SENDER_MAC: Mac = [2, 0, 0, 0, 0, 1];
pub const DUT_INGRESS_MAC: Mac = [2, 0, 0, 0, 0, 2];
pub const DUT_EGRESS_MAC: Mac = [2, 0, 0, 0, 0, 3];
pub const RECEIVER_MAC: Mac = [2, 0, 0, 0, 0, 4];

/// pkt-gen's ports: 2000 is where our flows come from, 2001 where they go.
pub const SOURCE_PORT: u16 = 2000;
pub const DESTINATION_PORT: u16 = 2001;

pub const TTL: u8 = 64;

/// Host `n` (from 0) of the sources behind the sender, or of the destinations behind the receiver.
pub fn ipv4(destination: bool, n: u16) -> Ipv4Addr {
    Ipv4Addr::new(198, if destination { 19 } else { 18 }, 10, 1 + n as u8)
}

/// As [`ipv4`].
pub fn ipv6(destination: bool, n: u16) -> Ipv6Addr {
    Ipv6Addr::new(0x2001, 2, 0, if destination { 0x8010 } else { 0x10 }, 0, 0, 0, 1 + n)
}

/// Length of Ethernet, IP and UDP headers.
pub fn header_length(family: Family) -> usize {
    match family {
        Family::Inet4 => 14 + 20 + 8,
        Family::Inet6 => 14 + 40 + 8,
    }
}

/// One of a traffic profile's flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    pub source: u16,
    pub destination: u16,
}

/// All flows of a profile in the order in which they are sent: the source changes fastest.
pub fn flows(traffic: &Traffic) -> impl Iterator<Item = Flow> + use<> {
    let (sources, destinations) = (traffic.sources, traffic.destinations);
    (0..destinations).flat_map(move |destination| (0..sources).map(move |source| Flow { source, destination }))
}

/// The frame, without FCS, that goes from the sender to the DUT; `payload` follows the UDP header.
pub fn forward(family: Family, flow: Flow, payload: &[u8]) -> Vec<u8> {
    build(family, flow, payload, false)
}

/// The answer to it, from the receiver to the DUT: it makes a stateful firewall see the flow as established.
pub fn reverse(family: Family, flow: Flow, payload: &[u8]) -> Vec<u8> {
    build(family, flow, payload, true)
}

fn build(family: Family, flow: Flow, payload: &[u8], reverse: bool) -> Vec<u8> {
    let (macs, ports) = if reverse {
        ([DUT_EGRESS_MAC, RECEIVER_MAC], [DESTINATION_PORT, SOURCE_PORT])
    } else {
        ([DUT_INGRESS_MAC, SENDER_MAC], [SOURCE_PORT, DESTINATION_PORT])
    };
    let mut frame = Vec::with_capacity(header_length(family) + payload.len());
    frame.extend(macs.concat());
    let udp_length = 8 + payload.len() as u16;
    let addresses = match family {
        Family::Inet4 => {
            let mut pair = [ipv4(false, flow.source).octets(), ipv4(true, flow.destination).octets()];
            if reverse {
                pair.reverse();
            }
            let addresses = pair.concat();
            frame.extend([0x08, 0x00]);
            let mut ip = vec![0x45, 0];
            ip.extend((20 + udp_length).to_be_bytes());
            ip.extend([0, 0, 0, 0, TTL, 17, 0, 0]);
            ip.extend(&addresses);
            let checksum = fold(words(&ip));
            ip[10..12].copy_from_slice(&checksum.to_be_bytes());
            frame.extend(ip);
            addresses
        }
        Family::Inet6 => {
            let mut pair = [ipv6(false, flow.source).octets(), ipv6(true, flow.destination).octets()];
            if reverse {
                pair.reverse();
            }
            let addresses = pair.concat();
            frame.extend([0x86, 0xdd, 0x60, 0, 0, 0]);
            frame.extend(udp_length.to_be_bytes());
            frame.extend([17, TTL]);
            frame.extend(&addresses);
            addresses
        }
    };
    let mut udp = Vec::with_capacity(udp_length.into());
    udp.extend(ports.map(u16::to_be_bytes).concat());
    udp.extend(udp_length.to_be_bytes());
    udp.extend([0, 0]);
    udp.extend(payload);
    let checksum = match fold(words(&addresses) + 17 + u32::from(udp_length) + words(&udp)) {
        0 => 0xffff, // RFC 768: an all-zero checksum would mean that there is none
        sum => sum,
    };
    udp[6..8].copy_from_slice(&checksum.to_be_bytes());
    frame.extend(udp);
    frame
}

/// Sum of big-endian 16-bit words, an odd last byte padded (RFC 1071).
pub fn words(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum()
}

/// The Internet checksum of a sum of words.
pub fn fold(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A receiver that adds up all words, checksum included, must get zero (RFC 1071).
    #[test]
    fn checksums_verify_for_both_families_and_directions() {
        for family in [Family::Inet4, Family::Inet6] {
            for flow in [Flow { source: 0, destination: 0 }, Flow { source: 19, destination: 99 }] {
                for frame in [forward(family, flow, &[0; 18]), reverse(family, flow, b"odd")] {
                    let (ip, udp) = frame[14..].split_at(header_length(family) - 22);
                    let addresses = match family {
                        Family::Inet4 => {
                            assert_eq!(fold(words(ip)), 0);
                            &ip[12..20]
                        }
                        Family::Inet6 => &ip[8..40],
                    };
                    assert_eq!(fold(words(addresses) + 17 + udp.len() as u32 + words(udp)), 0);
                }
            }
        }
    }

    #[test]
    fn the_smallest_frames_are_60_and_62_bytes_without_fcs() {
        let flow = Flow { source: 0, destination: 0 };
        assert_eq!(forward(Family::Inet4, flow, &[0; 18]).len(), 60);
        assert_eq!(forward(Family::Inet6, flow, &[]).len(), 62);
    }
}
