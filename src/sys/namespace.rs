//! Network and mount namespaces. Everything here changes one thread or one child, never the whole process.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// A namespace held open; it lives at least as long as this.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// Opens a namespace file: `/run/netns/NAME` or `/proc/PID/ns/net`.
    pub fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Namespace)
    }

    fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Runs `work` on a thread of its own inside the network namespace, so that no other thread ever leaves its own.
/// Sockets opened there stay in that namespace.
pub fn inside<T: Send>(namespace: &Namespace, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                enter(namespace.raw(), libc::CLONE_NEWNET)?;
                work()
            })
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("a thread inside the namespace panicked")))
    })
}

/// Makes `command` start inside the given network namespace and, where given, mount namespace; in the directory it would
/// start in anyway.
pub fn start_inside(command: &mut Command, net: &Namespace, mount: Option<&Namespace>) {
    let (net, mount) = (net.raw(), mount.map(Namespace::raw));
    let here = std::env::current_dir().ok().and_then(|here| CString::new(here.into_os_string().into_vec()).ok());
    // SAFETY: the closure runs in the child between fork and exec and calls only setns(2) and chdir(2), which are
    // async-signal-safe; the descriptors are open in the parent across spawn() because the caller borrows them.
    unsafe {
        command.pre_exec(move || {
            enter(net, libc::CLONE_NEWNET)?;
            if let Some(mount) = mount {
                // This leads to the root directory.
                enter(mount, libc::CLONE_NEWNS)?;
                if let Some(here) = &here {
                    check(libc::chdir(here.as_ptr()))?;
                }
            }
            Ok(())
        });
    }
}

/// Starts `command` in a session of its own, so that Ctrl-C at the terminal is for us alone, and has it killed when the
/// thread that starts it ends: nothing outlives a linerate that was killed.
pub fn own_session_until_parent_dies(command: &mut Command) {
    // SAFETY: setsid and prctl(PR_SET_PDEATHSIG) are async-signal-safe and touch only the child.
    unsafe {
        command.pre_exec(|| {
            if libc::setsid() < 0 {
                return Err(io::Error::last_os_error());
            }
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))
        });
    }
}

/// Mounts an empty tmpfs over a directory, in the caller's mount namespace.
pub fn mount_tmpfs(over: &Path) -> io::Result<()> {
    mount("tmpfs", over, "tmpfs", 0, "")
}

/// A mount namespace for the processes of a network namespace: /sys shows its interfaces, and each of the directories has a
/// private, writable layer. What `write` writes below them stays in memory, and only processes in there see it. `lent` is
/// any directory: it is covered for as long as the layers are made.
pub fn own_view(
    net: &Namespace,
    directories: &[&Path],
    lent: &Path,
    write: impl FnOnce() -> io::Result<()> + Send,
) -> io::Result<Namespace> {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                // SAFETY: unshare(CLONE_NEWNS) changes only the calling thread, which ends with this closure.
                check(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
                // Where a container forbids it, /sys shows other interfaces; whoever looks for one there is told.
                enter(net.raw(), libc::CLONE_NEWNET)?;
                let _ = mount("sysfs", Path::new("/sys"), "sysfs", 0, "");
                mount_tmpfs(lent)?;
                for (index, directory) in directories.iter().enumerate() {
                    let (upper, work) = (lent.join(format!("upper{index}")), lent.join(format!("work{index}")));
                    std::fs::create_dir(&upper)?;
                    std::fs::create_dir(&work)?;
                    let options = format!(
                        "lowerdir={},upperdir={},workdir={}",
                        directory.display(),
                        upper.display(),
                        work.display()
                    );
                    mount("overlay", directory, "overlay", 0, &options)?;
                }
                // The layers keep their tmpfs; here it would only be in the way.
                unmount(lent)?;
                write()?;
                Namespace::open(Path::new("/proc/thread-self/ns/mnt"))
            })
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that mounts overlays panicked")))
    })
}

/// Kills every other process of this PID namespace and waits for them. Only for its first process: the kernel spares that
/// one, and hands it the orphans to wait for.
pub fn end_all_others() -> io::Result<()> {
    if std::process::id() != 1 {
        return Err(io::Error::other("this is not the first process of a PID namespace of its own"));
    }
    // SAFETY: kill takes integers. For process -1 it reaches this PID namespace and nothing outside.
    match check(unsafe { libc::kill(-1, libc::SIGKILL) }) {
        Err(error) if error.raw_os_error() != Some(libc::ESRCH) => return Err(error),
        _ => {}
    }
    loop {
        // SAFETY: waitpid may be given no place for the status.
        match check(unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) }.min(0)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ok(()), // no child is left
            Ok(()) => {}
        }
    }
}

/// Whether this process may do what root may: in its user namespace, be it the machine's or one of its own.
pub fn is_root() -> bool {
    // SAFETY: geteuid has no preconditions and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

fn enter(fd: RawFd, kind: i32) -> io::Result<()> {
    // SAFETY: setns takes a descriptor and a flag; a wrong descriptor is an error, not undefined behaviour.
    check(unsafe { libc::setns(fd, kind) })
}

fn mount(source: &str, target: &Path, kind: &str, flags: libc::c_ulong, options: &str) -> io::Result<()> {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| io::Error::other("a path holds a NUL byte"));
    let (source, target) = (text(source.as_bytes())?, text(target.as_os_str().as_bytes())?);
    let (kind, options) = (text(kind.as_bytes())?, text(options.as_bytes())?);
    // SAFETY: all four strings are NUL-terminated and live until the call returns.
    check(unsafe { libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) })
}

fn unmount(target: &Path) -> io::Result<()> {
    let target = CString::new(target.as_os_str().as_bytes()).map_err(|_| io::Error::other("a path holds a NUL byte"))?;
    // SAFETY: the string is NUL-terminated and lives until the call returns.
    check(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) })
}

pub(super) fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether `fd` is ready to be read within `timeout_ms`.
pub fn readable(fd: BorrowedFd<'_>, timeout_ms: i32) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid pollfd is passed with a count of one.
    match unsafe { libc::poll(&mut poll, 1, timeout_ms) } {
        -1 => Err(io::Error::last_os_error()),
        ready => Ok(ready > 0),
    }
}
