//! The kernel: devices, clock, sleep, priority, privileges. The only place with `unsafe`.
//!
//! Nothing here spins: where nothing is due, the thread sleeps in `ppoll` until the next due time or the next packet,
//! with the timer slack at a nanosecond.

#![allow(unsafe_code)]

mod nfqueue;
mod packet;
mod seccomp;
mod tun;

pub use nfqueue::NfQueue;
pub use packet::PacketSocket;
pub use seccomp::{filter_calls, FilterScope};
pub use tun::Tun;

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use units::Time;

/// The clock of the run: nanoseconds since it was made, monotonic.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: u64,
    /// Nanoseconds since 1970 at the start.
    pub epoch: u64,
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock { start: read_clock(libc::CLOCK_MONOTONIC), epoch: read_clock(libc::CLOCK_REALTIME) }
    }
}

impl SystemClock {
    /// The current time.
    #[inline]
    pub fn now(&self) -> Time {
        Time(read_clock(libc::CLOCK_MONOTONIC).saturating_sub(self.start))
    }
}

fn read_clock(which: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid place for a timespec.
    unsafe { libc::clock_gettime(which, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Sleeps until one of the descriptors can be read, or for at most `span_ns` nanoseconds. Returns those that can.
///
/// # Errors
/// Errors of `ppoll`, but not an interruption by a signal.
pub fn wait(fds: &[RawFd], span_ns: Option<u64>, ready: &mut Vec<bool>) -> io::Result<()> {
    let mut list: Vec<libc::pollfd> =
        fds.iter().map(|fd| libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 }).collect();
    let span = span_ns.map(|ns| libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    });
    let timeout = span.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: `list` and `timeout` live through the call; the mask is absent.
    let found =
        unsafe { libc::ppoll(list.as_mut_ptr(), list.len() as libc::nfds_t, timeout, std::ptr::null()) };
    ready.clear();
    ready.extend(list.iter().map(|entry| entry.revents != 0));
    match checked(found) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Lets timers fire when they are due, and asks for real-time priority; returns whether it was granted.
pub fn be_prompt(real_time: bool) -> bool {
    let param = libc::sched_param { sched_priority: 5 };
    // SAFETY: plain values; `param` lives through the call. Both act on this thread alone.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0);
        real_time && libc::sched_setscheduler(0, libc::SCHED_FIFO, &param) == 0
    }
}

/// A descriptor that becomes readable on SIGINT, SIGTERM or SIGHUP, which no longer do anything else to this thread.
///
/// # Errors
/// Errors of `signalfd`.
pub fn stop_signals() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised by `sigemptyset` before it is used; the new descriptor is owned by nobody else.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::sigaddset(&mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
        let fd = checked(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Drops every capability for good: devices that are open stay usable, nothing new can be opened with them. The kernel
/// takes verdicts on queued packets only from a process that may administer the network: `administers` keeps that one.
///
/// # Errors
/// Errors of `prctl` and `capset`.
pub fn drop_capabilities(administers: bool) -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    const NET_ADMIN: u32 = 1 << 12;
    let kept = if administers { NET_ADMIN } else { 0 };
    // Effective, permitted and inheritable, and the upper halves of the three.
    let (head, words) = (Header { version: 0x2008_0522, pid: 0 }, [kept, kept, 0, 0, 0, 0]);
    // SAFETY: the version asks for two sets of three words, which `words` holds.
    unsafe {
        checked(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        checked(libc::syscall(libc::SYS_capset, &head, words.as_ptr()) as i32).map(|_| ())
    }
}

/// Calls `work` inside a network namespace, given by its file, and returns to our own.
///
/// # Errors
/// Errors of the file, of `setns`, and of `work`.
pub fn inside<T>(namespace: Option<&str>, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let Some(path) = namespace else { return work() };
    let (home, there) = (File::open("/proc/thread-self/ns/net")?, File::open(path)?);
    // SAFETY: both descriptors are open through the calls.
    checked(unsafe { libc::setns(there.as_raw_fd(), libc::CLONE_NEWNET) })?;
    let done = work();
    // SAFETY: as above.
    checked(unsafe { libc::setns(home.as_raw_fd(), libc::CLONE_NEWNET) })?;
    done
}

/// The present content of a small file of the kernel.
fn reread(file: &mut File) -> Option<String> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

/// The number in such a file.
fn number_in(file: &mut File) -> Option<u64> {
    reread(file)?.trim().parse().ok()
}

/// Turns the result of a call of the C library into an `io::Result`.
fn checked(result: i32) -> io::Result<i32> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

fn unblock(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is open.
    unsafe {
        let flags = checked(libc::fcntl(fd.as_raw_fd(), libc::F_GETFL))?;
        checked(libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK)).map(|_| ())
    }
}

/// An interface's name in a request to the kernel.
fn request(name: &str) -> io::Result<libc::ifreq> {
    // SAFETY: an all-zero request is a valid one.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.is_empty() || name.len() >= request.ifr_name.len() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("'{name}' is not the name of an interface"),
        ));
    }
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    Ok(request)
}
