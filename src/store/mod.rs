//! Evidence: the append-only event log of a result directory.

pub mod event;
