//! linerate: did this change make the router or firewall forward packets faster or slower, by how much,
//! and how sure are we?
//!
//! Data flows one way, and a module uses those above it, never those below.

/// Words: loads, durations, rates.
pub mod units;

/// Numbers drawn from a seed.
pub mod random;

/// The question: a TOML file, checked.
pub mod experiment;

/// What runs, in which order.
pub mod plan;

/// Evidence: the event log.
pub mod store;

/// Statistics.
pub mod stats;

/// Named series of rates -> verdicts, formats, a gate.
pub mod compare;

/// What the slots of a duet say about two arms.
pub mod duet;

/// What the cells of a log say about each other.
pub mod judge;

/// The noise floor of a lab.
pub mod calibration;

/// Data -> SVG -> PNG.
pub mod plot;

/// Log + Judgement -> documents.
pub mod report;

/// The only unsafe code.
#[cfg(target_os = "linux")]
pub mod sys;

/// Frames, schedules, senders, receivers.
pub mod traffic;

/// Our binary on a host of the lab.
#[cfg(target_os = "linux")]
pub mod agent;

/// Sets up DUTs, proves that they forward as declared, blasts, counts, takes all down again.
#[cfg(target_os = "linux")]
pub mod lab;

/// The one place that orchestrates.
#[cfg(target_os = "linux")]
pub mod runner;

/// Person: the only prints.
pub mod ui;

/// One small file per subcommand.
pub mod cli;
