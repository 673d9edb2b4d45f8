//! The embedded lab from outside: the binary, real namespaces, real packets.
//!
//! What a test cannot do here for want of privileges it skips, and says so.

mod accounting;
mod control;
mod doctor;
mod files;
mod host;
mod killed;
mod ordinary_user;
mod traces;
mod wire;
mod workshop;
