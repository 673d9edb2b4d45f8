//! The event log: what was written is what is read, whatever happens in between.

mod crash;
mod fixture;
mod format;
mod full_disk;
mod pending;
mod refusals;
mod round_trip;
