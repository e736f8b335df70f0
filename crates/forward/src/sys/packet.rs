//! A packet socket on an interface: receives and sends whole Ethernet frames.

use super::{checked, inside, request};
use crate::offload::{Vnet, VNET_HEADER};
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const PACKET_STATISTICS: i32 = 6;
const PACKET_AUXDATA: i32 = 8;
const PACKET_VNET_HDR: i32 = 15;
const PACKET_QDISC_BYPASS: i32 = 20;
const PACKET_IGNORE_OUTGOING: i32 = 23;
const STATUS_VLAN_VALID: u32 = 1 << 4;
const STATUS_VLAN_TPID_VALID: u32 = 1 << 6;
/// Size of the kernel's receive ring: a burst of some thousand frames.
const BUFFER: i32 = 8 << 20;

/// An open packet socket.
pub struct PacketSocket {
    socket: OwnedFd,
    index: i32,
    missed: u64,
    /// Frames are no larger than this, their Ethernet header not counted.
    pub mtu: usize,
}

impl PacketSocket {
    /// Opens a socket on an interface, in promiscuous mode, for received frames only, each with the checksums and sizes
    /// that the kernel's offloads left to the device.
    ///
    /// # Errors
    /// Errors of the kernel; there is no such interface.
    pub fn open(name: &str, namespace: Option<&str>) -> io::Result<PacketSocket> {
        inside(namespace, || {
            let protocol = (libc::ETH_P_ALL as u16).to_be();
            let flags = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
            // SAFETY: a new descriptor, owned by nobody else. Protocol 0: nothing comes before it is bound.
            let socket = unsafe { OwnedFd::from_raw_fd(checked(libc::socket(libc::AF_PACKET, flags, 0))?) };
            let fd = socket.as_raw_fd();
            let index = interface(fd, name, libc::SIOCGIFINDEX)?;
            let mtu = interface(fd, name, libc::SIOCGIFMTU)? as usize;
            for (option, value) in [
                (PACKET_VNET_HDR, 1),
                (PACKET_AUXDATA, 1),
                (PACKET_IGNORE_OUTGOING, 1),
                (PACKET_QDISC_BYPASS, 1),
            ] {
                set(fd, libc::SOL_PACKET, option, &value)?;
            }
            set(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &BUFFER)
                .or_else(|_| set(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, &BUFFER))?;
            let member = libc::packet_mreq {
                mr_ifindex: index,
                mr_type: libc::PACKET_MR_PROMISC as u16,
                mr_alen: 0,
                mr_address: [0; 8],
            };
            set(fd, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &member)?;
            // SAFETY: an all-zero address is a valid one; it lives through the call.
            unsafe {
                let mut address: libc::sockaddr_ll = std::mem::zeroed();
                address.sll_family = libc::AF_PACKET as u16;
                address.sll_protocol = protocol;
                address.sll_ifindex = index;
                let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
                checked(libc::bind(fd, std::ptr::from_ref(&address).cast(), length))?;
            }
            Ok(PacketSocket { socket, index, missed: 0, mtu })
        })
    }

    /// Whether the interface still exists in the namespace of the socket.
    pub fn is_present(&self) -> bool {
        // SAFETY: an all-zero request is a valid one, and lives through the call, which writes a name into it.
        unsafe {
            let mut request: libc::ifreq = std::mem::zeroed();
            request.ifr_ifru.ifru_ifindex = self.index;
            libc::ioctl(self.fd(), libc::SIOCGIFNAME as _, &mut request) == 0
        }
    }

    /// The descriptor to poll.
    pub fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// The next frame with the kernel's notes on its offloads; `None` if there is none now. A VLAN tag that the card
    /// took off is put back.
    ///
    /// # Errors
    /// Errors of the socket.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<(usize, Vnet)>> {
        let mut head = [0_u8; VNET_HEADER];
        let mut control = [0_u64; 16];
        let mut parts = [
            libc::iovec { iov_base: head.as_mut_ptr().cast(), iov_len: VNET_HEADER },
            // Room for a tag.
            libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() - 4 },
        ];
        // SAFETY: the message points to buffers that live through the call, with their lengths.
        let (length, tag) = unsafe {
            let mut message: libc::msghdr = std::mem::zeroed();
            message.msg_iov = parts.as_mut_ptr();
            message.msg_iovlen = 2;
            message.msg_control = control.as_mut_ptr().cast();
            message.msg_controllen = size_of::<[u64; 16]>() as _;
            let length = libc::recvmsg(self.fd(), &mut message, libc::MSG_DONTWAIT);
            (length, if length > 0 { tag_of(&message) } else { None })
        };
        if length < 0 {
            let error = io::Error::last_os_error();
            // An interface that goes down and comes back is no reason to stop.
            let passing = matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::ENETDOWN | libc::EINTR));
            return if passing { Ok(None) } else { Err(error) };
        }
        let mut length = (length as usize).saturating_sub(VNET_HEADER);
        let mut vnet = Vnet::read(&head);
        if let Some((kind, value)) = tag.filter(|_| length >= 12) {
            buffer.copy_within(12..length, 16);
            buffer[12..14].copy_from_slice(&kind.to_be_bytes());
            buffer[14..16].copy_from_slice(&value.to_be_bytes());
            length += 4;
            vnet = vnet.shifted(4);
        }
        Ok(Some((length, vnet)))
    }

    /// Packets that found no room in the socket, since it was opened.
    pub fn missed(&mut self) -> u64 {
        // Packets and drops since we last asked.
        let mut counts = [0_u32; 2];
        let mut length = size_of::<[u32; 2]>() as libc::socklen_t;
        let to = counts.as_mut_ptr().cast();
        // SAFETY: the counts live through the call and have this length.
        let asked =
            unsafe { libc::getsockopt(self.fd(), libc::SOL_PACKET, PACKET_STATISTICS, to, &mut length) };
        if asked == 0 {
            self.missed += u64::from(counts[1]);
        }
        self.missed
    }

    /// Bytes that were sent and not yet transmitted: they are in the driver's ring, or in a discipline of a device
    /// below, and include the kernel's overhead of memory.
    pub fn behind(&self) -> u64 {
        let mut bytes = 0_i32;
        // SAFETY: the number lives through the call, which writes it.
        let asked = unsafe { libc::ioctl(self.fd(), libc::TIOCOUTQ, &mut bytes) };
        if asked == 0 {
            bytes.max(0) as u64
        } else {
            0
        }
    }

    /// Sends a frame; returns whether the kernel took it.
    pub fn send(&mut self, frame: &[u8]) -> bool {
        let head = [0_u8; VNET_HEADER];
        let parts = [
            libc::iovec { iov_base: head.as_ptr().cast_mut().cast(), iov_len: VNET_HEADER },
            libc::iovec { iov_base: frame.as_ptr().cast_mut().cast(), iov_len: frame.len() },
        ];
        // SAFETY: both parts live through the call, which only reads them.
        unsafe { libc::writev(self.fd(), parts.as_ptr(), 2) == (VNET_HEADER + frame.len()) as isize }
    }
}

/// A number that the kernel reports of an interface.
fn interface(fd: RawFd, name: &str, what: libc::c_ulong) -> io::Result<i32> {
    let mut request = request(name)?;
    // SAFETY: the request is whole and lives through the call; these calls write a number.
    unsafe {
        checked(libc::ioctl(fd, what as _, &mut request))?;
        Ok(request.ifr_ifru.ifru_ifindex)
    }
}

fn set<T>(fd: RawFd, level: i32, option: i32, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value lives through the call and has this length.
    checked(unsafe { libc::setsockopt(fd, level, option, std::ptr::from_ref(value).cast(), length) })
        .map(|_| ())
}

/// The VLAN tag that the card took off: type and value.
unsafe fn tag_of(message: &libc::msghdr) -> Option<(u16, u16)> {
    #[repr(C)]
    struct AuxData {
        status: u32,
        length: u32,
        snap: u32,
        mac: u16,
        net: u16,
        tag: u16,
        kind: u16,
    }
    let mut part = libc::CMSG_FIRSTHDR(message);
    while !part.is_null() {
        if (*part).cmsg_level == libc::SOL_PACKET && (*part).cmsg_type == PACKET_AUXDATA {
            let data: AuxData = std::ptr::read_unaligned(libc::CMSG_DATA(part).cast());
            let kind = if data.status & STATUS_VLAN_TPID_VALID != 0 { data.kind } else { 0x8100 };
            return (data.status & STATUS_VLAN_VALID != 0).then_some((kind, data.tag));
        }
        part = libc::CMSG_NXTHDR(message, part);
    }
    None
}
