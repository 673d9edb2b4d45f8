//! Our own binary on a host of the lab: it runs commands, probes and blasts, and answers in JSON lines over its pipe.
//! When the pipe closes it ends, and all it made ends with it.

/// The side that asks.
pub mod client;
/// Commands with a deadline, inside a namespace.
pub mod exec;
/// Requests and answers.
pub mod protocol;
/// The side that acts.
pub mod serve;
