use super::*;

/// What `nft -j list ruleset` prints, all counts made different.
fn ruleset() -> String {
    let mut packets = 10;
    let pieces: Vec<&str> = include_str!("ruleset.json").split("\"packets\": 0").collect();
    let mut text = pieces[0].to_owned();
    for piece in &pieces[1..] {
        packets += 1;
        text += &format!("\"packets\": {packets}{piece}");
    }
    text
}

// A counter counts drops when nothing between it and `drop` or `reject` lets a packet go: a condition there does.
#[test]
fn only_counters_right_in_front_of_a_drop_count() {
    let found: Vec<(String, u64)> = dropping_rules(&ruleset()).collect();
    let expected = [("t forward #3", 12), ("t forward #4", 13), ("t forward #8", 17)];
    assert_eq!(found, expected.map(|(name, packets)| (name.to_string(), packets)));
    assert_eq!(dropping_rules("").count(), 0);
}

const PROC: &str = "\
Ip: Forwarding DefaultTTL InReceives InHdrErrors ForwDatagrams OutNoRoutes
Ip: 1 64 1000 2 990 8
Icmp: InMsgs InErrors
Icmp: 5 6
TcpExt: SyncookiesSent
TcpExt: 7
IpExt: InNoRoutes InTruncatedPkts
IpExt: 11 12
Ip6InReceives                   \t2000
Ip6OutForwDatagrams             \t1990
Icmp6InMsgs                     \t9
entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  expect_new expect_create expect_delete search_restart
00000011  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000002 0000000a 00000000 00000000  00000000 00000000 00000000 00000000
00000011  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000001 000000f0 00000000 00000000  00000000 00000000 00000000 00000000
";

// Each family's IP counters, without those of other protocols.
#[test]
fn ip_counters_are_read_by_name() {
    let inet4 = ip_statistics(PROC, Family::Inet4);
    assert_eq!((inet4["InReceives"], inet4["ForwDatagrams"], inet4["OutNoRoutes"], inet4.len()), (1000, 990, 8, 8));
    assert_eq!((inet4["InNoRoutes"], inet4["InTruncatedPkts"]), (11, 12));
    let inet6 = ip_statistics(PROC, Family::Inet6);
    assert_eq!((inet6["InReceives"], inet6["OutForwDatagrams"], inet6.len()), (2000, 1990, 2));
}

// Hexadecimal, summed over CPUs; a kernel without conntrack has none.
#[test]
fn conntrack_counters_are_summed_over_cpus() {
    assert_eq!(conntrack(PROC), [("drop", 0xfa), ("insert_failed", 3)]);
    assert_eq!(conntrack("Ip: 1\n"), []);
}

// What was there before a blast is not counted; places without a loss are left out.
#[test]
fn counters_are_differences() {
    let at = |drops: &[(&str, u64)], station, receiver| Counters {
        drops: drops.iter().map(|&(place, count)| (place.to_string(), count)).collect(),
        stations: vec![("arrived at d0", station)],
        receiver,
    };
    let before = at(&[("a", 5), ("b", 7)], 100, Some((8, 1)));
    let after = at(&[("a", 5), ("b", 9), ("c", 1)], 350, Some((18, 1)));
    assert_eq!(after.since(&before), at(&[("b", 2), ("c", 1)], 250, Some((10, 0))));
}
