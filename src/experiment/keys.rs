//! The keys of an experiment file, table by table.

/// What a user would call the part of the file before the first header.
pub(super) const TOP: &str = "the top level";

/// Every table and its keys, as FORMAT.md describes them.
pub const KEYS: [(&str, &[&str]); 5] = [
    (TOP, &["title", "question", "lab", "method", "traffic", "config", "variant"]),
    ("[method]", &["compare", "layout", "sender", "iterations", "seed", "warmup", "duration", "retries", "margin"]),
    ("[[traffic]]", &["name", "family", "frame_size", "sources", "destinations", "load"]),
    ("[[config]]", &["name", "sysctl", "nft", "commands", "files"]),
    ("[[variant]]", &["name", "sysctl", "nft", "commands", "files", "burn"]),
];

/// The keys of a table.
pub(super) fn of(title: &str) -> &'static [&'static str] {
    KEYS.iter().find(|(table, _)| *table == title).map_or(&[], |(_, keys)| keys)
}

/// The first table that has this key.
pub(super) fn home(key: &str) -> Option<&'static str> {
    KEYS.iter().find(|(_, keys)| keys.contains(&key)).map(|(table, _)| *table)
}
