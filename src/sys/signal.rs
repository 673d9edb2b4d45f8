//! SIGINT, SIGTERM and SIGHUP become a flag that the main loop looks at.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on those signals set a flag instead of ending the process; a second one ends it.
pub fn catch() {
    extern "C" fn stop(signal: libc::c_int) {
        if STOP.swap(true, Ordering::Relaxed) {
            // SAFETY: _exit is async-signal-safe.
            unsafe { libc::_exit(128 + signal) };
        }
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler only touches an atomic and calls _exit: both async-signal-safe. Without SA_RESTART
        // blocking calls return EINTR, which std retries or reports.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = stop as extern "C" fn(libc::c_int) as usize;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Whether the user asked to stop.
pub fn stop_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}
