//! CPU affinity, priority and interruption of threads.

use std::io;
use std::sync::Once;

use super::namespace::check;

/// CPUs this process may run on, ascending.
pub fn allowed_cpus() -> io::Result<Vec<usize>> {
    // SAFETY: cpu_set_t is a plain bit array, for which all zeros is a value; the size passed is its own.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        check(libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set))?;
        set
    };
    // SAFETY: CPU_ISSET reads a bit of `set`; the index stays below CPU_SETSIZE.
    Ok((0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect())
}

/// Binds the calling thread to these CPUs.
pub fn run_on(cpus: &[usize]) -> io::Result<()> {
    // SAFETY: as above; indices come from `allowed_cpus` and so lie below CPU_SETSIZE.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for &cpu in cpus {
            libc::CPU_SET(cpu, &mut set);
        }
        check(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set))
    }
}

/// Asks for the highest ordinary priority (nice -20) for the calling thread; needs root.
pub fn raise_priority() -> io::Result<()> {
    // SAFETY: setpriority takes integers only. On Linux `who` 0 with PRIO_PROCESS is the calling thread.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) })
}

/// A handle with which another thread can end this thread's blocking system call with EINTR.
#[derive(Debug, Clone, Copy)]
pub struct Interrupter {
    pid: i32,
    tid: i32,
}

impl Interrupter {
    /// For the calling thread.
    pub fn for_this_thread() -> Self {
        static HANDLER: Once = Once::new();
        extern "C" fn nothing(_: libc::c_int) {}
        HANDLER.call_once(|| {
            // SAFETY: the handler does nothing, so it is async-signal-safe; without SA_RESTART the interrupted
            // call returns EINTR, which is the point.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as usize;
                libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut());
            }
        });
        // SAFETY: both calls have no preconditions.
        unsafe { Interrupter { pid: libc::getpid(), tid: libc::gettid() } }
    }

    /// Sends the signal. Harmless when the thread has ended: its number is not reused while the process lives on
    /// for as short as a blast, and a wrong receiver would only see its call interrupted.
    pub fn interrupt(self) {
        // SAFETY: tgkill takes integers and a signal that has a handler.
        unsafe { libc::syscall(libc::SYS_tgkill, self.pid, self.tid, libc::SIGUSR1) };
    }
}

/// Nanoseconds of CLOCK_MONOTONIC, the clock of `bpf_ktime_get_ns`.
pub fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec; CLOCK_MONOTONIC always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
