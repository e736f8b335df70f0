//! A netfilter queue: packets that the kernel passes to us for a verdict, over netlink.
//!
//! A rule such as `iptables -A FORWARD -o IF -j NFQUEUE --queue-num N` sends packets here; each waits in the kernel
//! until its verdict: accept (with CE set, if so), or drop. The kernel cuts super-packets and completes checksums
//! before.

use super::{checked, reread};
use std::fs::File;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const SUBSYSTEM: u16 = 3 << 8;
const MESSAGE_PACKET: u16 = SUBSYSTEM;
const MESSAGE_VERDICT: u16 = SUBSYSTEM | 1;
const MESSAGE_CONFIG: u16 = SUBSYSTEM | 2;
const CONFIG_COMMAND: u16 = 1;
const CONFIG_PARAMS: u16 = 2;
const CONFIG_LENGTH: u16 = 3;
const BIND: u8 = 1;
const COPY_PACKET: u8 = 2;
const ATTRIBUTE_HEADER: u16 = 1;
const ATTRIBUTE_VERDICT: u16 = 2;
const ATTRIBUTE_PAYLOAD: u16 = 10;
/// Most packets that the kernel holds for us before it drops further ones.
const LENGTH: u32 = 20_000;
const BUFFER: i32 = 16 << 20;
/// Number, process, packets waiting, copy mode and range, overflow drops in the queue and in our socket.
const TABLE: &str = "/proc/net/netfilter/nfnetlink_queue";

/// An open netfilter queue.
pub struct NfQueue {
    socket: OwnedFd,
    queue: u16,
    message: Vec<u8>,
    /// The kernel's table of queues, one line for each.
    table: Option<File>,
}

impl NfQueue {
    /// Binds to a queue's number.
    ///
    /// # Errors
    /// Errors of the kernel: no permission, no such support, the number is taken.
    pub fn open(queue: u16) -> io::Result<NfQueue> {
        let flags = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: a new descriptor, owned by nobody else.
        let socket = unsafe {
            OwnedFd::from_raw_fd(checked(libc::socket(libc::AF_NETLINK, flags, libc::NETLINK_NETFILTER))?)
        };
        let mut opened = NfQueue { socket, queue, message: Vec::new(), table: File::open(TABLE).ok() };
        let length = size_of::<i32>() as libc::socklen_t;
        // SAFETY: the value lives through the call.
        unsafe {
            let value = std::ptr::from_ref(&BUFFER).cast();
            libc::setsockopt(opened.fd(), libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, value, length);
        }
        let family = libc::AF_INET as u16;
        opened.configure(CONFIG_COMMAND, &[BIND, 0, (family >> 8) as u8, family as u8])?;
        let mut params = u32::from(u16::MAX).to_be_bytes().to_vec();
        params.push(COPY_PACKET);
        opened.configure(CONFIG_PARAMS, &params)?;
        opened.configure(CONFIG_LENGTH, &LENGTH.to_be_bytes())?;
        super::unblock(std::os::fd::AsFd::as_fd(&opened.socket))?;
        Ok(opened)
    }

    /// The descriptor to poll.
    pub fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// The next packet and its number, copied to the start of `buffer`; `None` if there is none now.
    ///
    /// # Errors
    /// Errors of the socket. Packets that the kernel had to drop because we were too slow are no error.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<(usize, u32)>> {
        // SAFETY: the buffer lives through the call and has this length.
        let length =
            unsafe { libc::recv(self.fd(), buffer.as_mut_ptr().cast(), buffer.len(), libc::MSG_DONTWAIT) };
        if length < 0 {
            let error = io::Error::last_os_error();
            let passing = matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::ENOBUFS | libc::EINTR));
            return if passing { Ok(None) } else { Err(error) };
        }
        let message = &buffer[..length as usize];
        if message.len() < 20 || u16::from_ne_bytes([message[4], message[5]]) != MESSAGE_PACKET {
            return Ok(Some((0, 0)));
        }
        let (mut number, mut payload) = (0, 0..0);
        for (kind, range) in attributes(message, 20) {
            match (kind, &message[range.clone()]) {
                (ATTRIBUTE_HEADER, [a, b, c, d, ..]) => number = u32::from_be_bytes([*a, *b, *c, *d]),
                (ATTRIBUTE_PAYLOAD, _) => payload = range,
                _ => {}
            }
        }
        let bytes = payload.len();
        buffer.copy_within(payload, 0);
        Ok(Some((bytes, number)))
    }

    /// Accepts a packet, with the bytes of `changed` if there are any, or drops it; returns whether the kernel took the
    /// verdict.
    pub fn verdict(&mut self, number: u32, accept: bool, changed: Option<&[u8]>) -> bool {
        self.begin(MESSAGE_VERDICT, 0);
        let mut verdict = u32::from(accept).to_be_bytes().to_vec();
        verdict.extend(number.to_be_bytes());
        self.attribute(ATTRIBUTE_VERDICT, &verdict);
        if let Some(bytes) = changed {
            self.attribute(ATTRIBUTE_PAYLOAD, bytes);
        }
        self.send().is_ok()
    }

    /// Packets that found no room, in the queue or in our socket, since it was opened.
    pub fn missed(&mut self) -> u64 {
        self.table.as_mut().and_then(reread).map_or(0, |table| drops_of(&table, self.queue))
    }

    fn configure(&mut self, kind: u16, value: &[u8]) -> io::Result<()> {
        const REQUEST_AND_ACKNOWLEDGE: u16 = 5;
        self.begin(MESSAGE_CONFIG, REQUEST_AND_ACKNOWLEDGE);
        self.attribute(kind, value);
        self.send()?;
        let mut answer = [0_u8; 512];
        // SAFETY: the buffer lives through the call and has this length.
        let length = unsafe { libc::recv(self.fd(), answer.as_mut_ptr().cast(), answer.len(), 0) };
        checked(length as i32)?;
        match i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]) {
            0 => Ok(()),
            code => Err(io::Error::from_raw_os_error(-code)),
        }
    }

    fn begin(&mut self, kind: u16, flags: u16) {
        self.message.clear();
        self.message.extend([0; 4]);
        self.message.extend(kind.to_ne_bytes());
        self.message.extend((flags | 1).to_ne_bytes());
        self.message.extend([0; 8]);
        // Any family, version 0, and the queue as resource.
        self.message.extend([0, 0]);
        self.message.extend(self.queue.to_be_bytes());
    }

    fn attribute(&mut self, kind: u16, value: &[u8]) {
        self.message.extend((value.len() as u16 + 4).to_ne_bytes());
        self.message.extend(kind.to_ne_bytes());
        self.message.extend(value);
        self.message.resize(self.message.len().next_multiple_of(4), 0);
    }

    fn send(&mut self) -> io::Result<()> {
        let length = (self.message.len() as u32).to_ne_bytes();
        self.message[..4].copy_from_slice(&length);
        // SAFETY: the message lives through the call and has this length.
        let sent = unsafe { libc::send(self.fd(), self.message.as_ptr().cast(), self.message.len(), 0) };
        checked(sent as i32).map(|_| ())
    }
}

/// Kinds and places of the attributes of a message, from `at` on.
fn attributes(message: &[u8], mut at: usize) -> Vec<(u16, std::ops::Range<usize>)> {
    let mut attributes = Vec::new();
    while at + 4 <= message.len() {
        let length = usize::from(u16::from_ne_bytes([message[at], message[at + 1]]));
        let kind = u16::from_ne_bytes([message[at + 2], message[at + 3]]) & 0x3fff;
        if length < 4 || at + length > message.len() {
            break;
        }
        attributes.push((kind, at + 4..at + length));
        at += length.next_multiple_of(4);
    }
    attributes
}

/// Drops of a queue, by the kernel's table.
fn drops_of(table: &str, queue: u16) -> u64 {
    let rows =
        table.lines().map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect());
    rows.filter(|row: &Vec<u64>| row.first() == Some(&u64::from(queue)))
        .map(|row| row.iter().skip(5).take(2).sum::<u64>())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_stand_in_two_columns_of_the_queue() {
        let table = "    0   4242     0 2 65531     3     4        0  1\n    7   4243     0 2 65531     5     6        0  1\n";
        assert_eq!(
            (drops_of(table, 0), drops_of(table, 7), drops_of(table, 1), drops_of("", 0)),
            (7, 11, 0, 0)
        );
    }
}
