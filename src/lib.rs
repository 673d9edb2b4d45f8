//! linerate: did this change make the router or firewall forward packets faster or slower, by how much,
//! and how sure are we?
//!
//! Data flows one way, and a module uses those above it, never those below.

/// Words: loads, durations, rates.
pub mod units;
/// The question: a TOML file, checked.
pub mod experiment;
/// What runs, in which order.
pub mod plan;
/// Evidence: the event log.
pub mod store;
/// The judge: samples to verdicts; pure.
pub mod stats;
/// Log -> judgement: what the cells say about each other; pure.
pub mod judge;
/// Data -> SVG, and PNG from the same SVG.
pub mod plot;
/// README.md, index.html, JSON and the verdict table.
pub mod report;
/// One file per subcommand.
pub mod cli;
