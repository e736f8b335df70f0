//! Undoes the offloads of network cards: frames larger than the link's, and checksums left open.
//!
//! Between two interfaces of one machine a packet may come as a *super-packet* of up to 64 kB that a card would have
//! cut into frames, with only the sum over its pseudo-header where its checksum should be. In the queue it would count
//! as one packet of a size that no link carries. So TCP super-packets are cut here, as a card would, checksums are
//! completed, and frames that cannot be cut (UDP, tunnels) are refused and counted.
//!
//! Reference: the virtio network header (VIRTIO 1.2, section 5.1.6), which Linux puts before frames of packet sockets;
//! RFC9293 (TCP header), RFC791, RFC8200.

use crate::checksum;
use crate::header::{network_layer, Layer, Refusal};

/// Bytes of the virtio network header.
pub const VNET_HEADER: usize = 10;
const NEEDS_CHECKSUM: u8 = 1;
const GSO_NONE: u8 = 0;
const GSO_TCPV4: u8 = 1;
const GSO_TCPV6: u8 = 4;
/// Flag: a segment with CWR set is first and later ones must not repeat it.
const GSO_ECN: u8 = 0x80;
const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

/// The kernel's description of a frame (`virtio_net_hdr`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vnet {
    flags: u8,
    kind: u8,
    /// Bytes of payload in each segment.
    segment: usize,
    /// Offset at which the checksum begins to count, and how far behind that it is stored.
    start: usize,
    offset: usize,
}

impl Vnet {
    /// Parses the header, whose numbers are in the machine's order.
    pub fn read(bytes: &[u8; VNET_HEADER]) -> Vnet {
        let word = |at: usize| usize::from(u16::from_ne_bytes([bytes[at], bytes[at + 1]]));
        Vnet { flags: bytes[0], kind: bytes[1], segment: word(4), start: word(6), offset: word(8) }
    }

    /// The same, after `more` bytes were inserted before the part that the checksum covers.
    pub fn shifted(mut self, more: usize) -> Vnet {
        self.start += more;
        self
    }

    /// Whether the frame can go as it is.
    pub fn is_plain(&self) -> bool {
        self.kind == GSO_NONE && self.flags & NEEDS_CHECKSUM == 0
    }
}

/// Calls back with the frames that a card would have sent for this one, in order.
///
/// # Errors
/// A frame that cannot be cut is refused; no part of it is handed out then.
pub fn undo(vnet: Vnet, frame: &mut [u8], mut take: impl FnMut(&[u8])) -> Result<(), Refusal> {
    match vnet.kind & !GSO_ECN {
        GSO_NONE => {
            if vnet.flags & NEEDS_CHECKSUM != 0 {
                complete(frame, vnet.start, vnet.offset)?;
            }
            take(frame);
            Ok(())
        }
        GSO_TCPV4 | GSO_TCPV6 => split(vnet, frame, take),
        _ => Err(Refusal::Oversize),
    }
}

/// Replaces the sum over the pseudo-header, which is in the checksum field, by the checksum.
fn complete(frame: &mut [u8], start: usize, offset: usize) -> Result<(), Refusal> {
    if start + offset + 2 > frame.len() {
        return Err(Refusal::Malformed);
    }
    let sum = checksum::finish(checksum::sum(&frame[start..], 0));
    // In UDP zero would mean "none"; minus zero is the same number (RFC768). TCP takes either.
    let sum = if sum == 0 { 0xffff } else { sum };
    frame[start + offset..start + offset + 2].copy_from_slice(&sum.to_be_bytes());
    Ok(())
}

/// Offsets of the headers of a TCP frame.
struct Layout {
    ip: usize,
    tcp: usize,
    payload: usize,
    end: usize,
    v4: bool,
}

impl Layout {
    fn of(frame: &[u8]) -> Option<Layout> {
        let (ip, kind) = network_layer(frame)?;
        let (header, v4) = (frame.get(ip..)?, kind == 0x0800);
        let (tcp, end) = match (kind, header.len()) {
            (0x0800, 20..) if header[9] == 6 => (
                ip + usize::from(header[0] & 15) * 4,
                ip + usize::from(u16::from_be_bytes([header[2], header[3]])),
            ),
            (0x86dd, 40..) if header[6] == 6 => {
                (ip + 40, ip + 40 + usize::from(u16::from_be_bytes([header[4], header[5]])))
            }
            _ => return None,
        };
        let payload = tcp + usize::from(frame.get(tcp + 12)? >> 4) * 4;
        let sound = tcp >= ip + 20 && payload >= tcp + 20 && payload < end && end <= frame.len();
        sound.then_some(Layout { ip, tcp, payload, end, v4 })
    }
}

/// Cuts a TCP super-packet as a card would: sequence numbers go on, FIN and PSH stay with the last segment, CWR with
/// the first, and identifications count up.
fn split(vnet: Vnet, frame: &[u8], mut take: impl FnMut(&[u8])) -> Result<(), Refusal> {
    let layout = Layout::of(frame).ok_or(Refusal::Oversize)?;
    if vnet.segment == 0 {
        return Err(Refusal::Oversize);
    }
    let (head, payload) = (&frame[..layout.payload], &frame[layout.payload..layout.end]);
    let sequence = u32::from_be_bytes([
        head[layout.tcp + 4],
        head[layout.tcp + 5],
        head[layout.tcp + 6],
        head[layout.tcp + 7],
    ]);
    let last = payload.len().div_ceil(vnet.segment) - 1;
    let mut out = Vec::with_capacity(layout.payload + vnet.segment);
    for (number, part) in payload.chunks(vnet.segment).enumerate() {
        out.clear();
        out.extend_from_slice(head);
        out.extend_from_slice(part);
        let tcp = &mut out[layout.tcp..];
        let here = sequence.wrapping_add((number * vnet.segment) as u32);
        tcp[4..8].copy_from_slice(&here.to_be_bytes());
        if number != last {
            tcp[13] &= !(FIN | PSH);
        }
        if number > 0 {
            tcp[13] &= !CWR;
        }
        renew(&mut out, &layout, number as u16);
        take(&out);
    }
    Ok(())
}

/// Writes lengths, identification and checksums of a segment.
fn renew(out: &mut [u8], layout: &Layout, number: u16) {
    let total = (out.len() - layout.ip) as u16;
    let ip = &mut out[layout.ip..];
    let mut pseudo = if layout.v4 {
        ip[2..4].copy_from_slice(&total.to_be_bytes());
        let id = u16::from_be_bytes([ip[4], ip[5]]).wrapping_add(number);
        ip[4..6].copy_from_slice(&id.to_be_bytes());
        ip[10..12].fill(0);
        let sum = checksum::finish(checksum::sum(&ip[..layout.tcp - layout.ip], 0));
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        checksum::sum(&ip[12..20], 0)
    } else {
        ip[4..6].copy_from_slice(&(total - 40).to_be_bytes());
        checksum::sum(&ip[8..40], 0)
    };
    pseudo += 6 + (out.len() - layout.tcp) as u32;
    out[layout.tcp + 16..layout.tcp + 18].fill(0);
    let sum = checksum::finish(checksum::sum(&out[layout.tcp..], pseudo));
    out[layout.tcp + 16..layout.tcp + 18].copy_from_slice(&sum.to_be_bytes());
}

/// Whether a frame is larger than a device of this MTU sends.
pub fn oversize(frame: &[u8], layer: Layer, mtu: usize) -> bool {
    match layer {
        Layer::Ip => frame.len() > mtu,
        Layer::Ethernet => frame.len() > mtu + network_layer(frame).map_or(14, |(at, _)| at),
    }
}
