//! The only unsafe code: namespaces, raw packet sockets, threads, the eBPF wire types. Linux alone has it;
//! everything above `sys` that does not drive a lab builds without it.

/// `repr(C)` twins of the structs in `bpf/traffic.bpf.c`.
pub mod bpf_types;
/// Network and mount namespaces.
pub mod namespace;
/// AF_PACKET sockets.
pub mod packet;
/// Ctrl-C and its kin.
pub mod signal;
/// CPU affinity, priority, interruption of threads.
pub mod thread;
