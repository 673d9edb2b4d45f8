//! AF_PACKET sockets: whole Ethernet frames in and out of one interface.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use super::namespace::readable;

/// A raw socket bound to an interface of the namespace it was opened in.
#[derive(Debug)]
pub struct PacketSocket(OwnedFd);

impl PacketSocket {
    /// Opens a socket on `interface` of the calling thread's network namespace. A sending socket bypasses the
    /// queueing discipline and receives nothing.
    pub fn open(interface: &str, receive: bool) -> io::Result<Self> {
        let protocol = if receive { (libc::ETH_P_ALL as u16).to_be() } else { 0 };
        let name = CString::new(interface).map_err(|_| io::Error::other("an interface name holds a NUL byte"))?;
        // SAFETY: plain system calls with owned, correctly sized arguments; the descriptor is owned at once.
        unsafe {
            let fd = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, i32::from(protocol));
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            let socket = OwnedFd::from_raw_fd(fd);
            let index = libc::if_nametoindex(name.as_ptr());
            if index == 0 {
                return Err(io::Error::last_os_error());
            }
            let mut address: libc::sockaddr_ll = std::mem::zeroed();
            address.sll_family = libc::AF_PACKET as u16;
            address.sll_protocol = protocol;
            address.sll_ifindex = index as i32;
            let size = size_of::<libc::sockaddr_ll>() as u32;
            super::namespace::check(libc::bind(fd, (&raw const address).cast(), size))?;
            if !receive {
                let on: i32 = 1;
                let size = size_of::<i32>() as u32;
                super::namespace::check(libc::setsockopt(
                    fd,
                    libc::SOL_PACKET,
                    libc::PACKET_QDISC_BYPASS,
                    (&raw const on).cast(),
                    size,
                ))?;
            }
            Ok(PacketSocket(socket))
        }
    }

    /// Waits until `deadline` for a frame; `None` when none came. Longer frames are cut.
    pub fn receive(&self, buffer: &mut [u8], deadline: Instant) -> io::Result<Option<usize>> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left < Duration::from_millis(1) || !readable(self.0.as_fd(), left.as_millis() as i32)? {
                return Ok(None);
            }
            // SAFETY: the buffer is valid for its length, and the kernel writes at most that.
            let length = unsafe { libc::recv(self.0.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
            match length {
                0.. => return Ok(Some(length as usize)),
                _ => match io::Error::last_os_error() {
                    error if error.kind() == io::ErrorKind::Interrupted => {}
                    error => return Err(error),
                },
            }
        }
    }
}

/// Frames made once and sent again and again, a batch per system call.
pub struct FrameRing {
    /// All frames, one behind the other; `iovecs` point into it.
    _frames: Vec<u8>,
    _iovecs: Vec<libc::iovec>,
    messages: Vec<libc::mmsghdr>,
    next: usize,
}

// SAFETY: the pointers inside point into the struct's own heap buffers, which move with it and are never shared.
unsafe impl Send for FrameRing {}

impl FrameRing {
    /// `frames` is cut into frames of `length` bytes; it must hold at least one.
    pub fn new(mut frames: Vec<u8>, length: usize) -> Self {
        let mut iovecs: Vec<libc::iovec> = frames
            .chunks_exact_mut(length)
            .map(|frame| libc::iovec { iov_base: frame.as_mut_ptr().cast(), iov_len: frame.len() })
            .collect();
        let messages = iovecs
            .iter_mut()
            .map(|iovec| {
                // SAFETY: mmsghdr is plain data for which zero is a value.
                let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
                message.msg_hdr.msg_iov = iovec;
                message.msg_hdr.msg_iovlen = 1;
                message
            })
            .collect();
        FrameRing { _frames: frames, _iovecs: iovecs, messages, next: 0 }
    }

    /// Sends up to `count` further frames of the ring and says how many the kernel took. A full device queue is
    /// zero frames, not an error.
    pub fn send(&mut self, socket: &PacketSocket, count: usize) -> io::Result<usize> {
        let count = count.min(self.messages.len() - self.next);
        // SAFETY: `next + count` stays inside `messages`, whose headers point at live buffers.
        let sent =
            unsafe { libc::sendmmsg(socket.0.as_raw_fd(), self.messages[self.next..].as_mut_ptr(), count as u32, 0) };
        if sent < 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::ENOBUFS | libc::EAGAIN | libc::EINTR) => Ok(0),
                _ => Err(error),
            };
        }
        self.next += sent as usize;
        if self.next == self.messages.len() {
            self.next = 0;
        }
        Ok(sent as usize)
    }
}
