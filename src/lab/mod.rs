//! Where runs happen: sets up DUTs, proves that they forward as declared, blasts, counts, takes all down again.

/// What works on this machine, what is missing and what fixes it.
pub mod checkup;
/// A core of its own for a DUT.
pub mod napi;
/// Places where frames get lost, and what they counted.
pub mod counters;
/// A DUT's state: the base every DUT has, what a config or variant changes, whether it holds.
pub mod dut;
/// What machine this is.
pub mod facts;
/// The embedded lab: namespaces and veth pairs.
pub mod netns;
/// Commands on hosts of the lab, recorded.
pub mod notebook;
/// Programs that the lab runs, and their packages.
pub mod tools;
/// A run's own verdict: valid, or invalid with a cause.
pub mod validity;
