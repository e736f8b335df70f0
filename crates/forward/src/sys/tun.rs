//! A TUN device: the packets of a network namespace, from its IP headers on, without offloads.

use super::{checked, inside, number_in, request, unblock};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

/// An open TUN device.
pub struct Tun {
    device: File,
    /// The kernel's count of packets that found no room, and its value at the start; of our own namespace alone.
    drops: Option<(File, u64)>,
}

impl Tun {
    /// Makes the device in a network namespace (given by its file), or attaches to it if it exists.
    ///
    /// The device is opened without `IFF_VNET_HDR`, so the kernel cuts and checksums the packets it puts there.
    ///
    /// # Errors
    /// Errors of the device node and of `TUNSETIFF`.
    pub fn open(name: &str, namespace: Option<&str>) -> io::Result<Tun> {
        let open = || {
            let node = "/dev/net/tun";
            let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_CLOEXEC).open(node)?;
            let mut request = request(name)?;
            request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
            // SAFETY: the request is whole and lives through the call.
            checked(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &mut request) })?;
            Ok(file)
        };
        let file = inside(namespace, open)?;
        unblock(file.as_fd())?;
        let counter = || File::open(format!("/sys/class/net/{name}/statistics/tx_dropped")).ok();
        let drops = namespace.is_none().then(counter).flatten();
        let drops = drops.and_then(|mut drops| number_in(&mut drops).map(|first| (drops, first)));
        Ok(Tun { device: file, drops })
    }

    /// Packets that found no room in the device, since it was opened.
    pub fn missed(&mut self) -> u64 {
        self.drops.as_mut().and_then(|(file, first)| number_in(file)?.checked_sub(*first)).unwrap_or(0)
    }

    /// Whether the device still exists.
    pub fn is_present(&self) -> bool {
        // SAFETY: an all-zero request is a valid one, and lives through the call, which writes it.
        unsafe {
            let mut request: libc::ifreq = std::mem::zeroed();
            libc::ioctl(self.fd(), libc::TUNGETIFF as _, &mut request) == 0
        }
    }

    /// The file descriptor to poll.
    pub fn fd(&self) -> RawFd {
        self.device.as_raw_fd()
    }

    /// The next packet; `None` if there is none now.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.device.read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands a packet to the kernel; returns whether it took it.
    pub fn send(&mut self, frame: &[u8]) -> bool {
        self.device.write(frame).is_ok_and(|length| length == frame.len())
    }
}
