//! Header fields of a frame, and the one change that a queue makes to it.
//!
//! Reference: RFC791, RFC8200 (headers), RFC3168 section 5 (ECN field), RFC1624 (checksum).
//!
//! The rule for frames that are not plain IP packets:
//!
//! | Frame | Is |
//! |---|---|
//! | too short for its link-layer header, or in a tunnel for an IP header | refused, counted as a runt |
//! | IP by its type, but with a wrong version, header length or total length | refused, counted as malformed |
//! | not IP (ARP, LLDP, PPPoE ...) | queued like any other, never marked; one flow for each type and pair of addresses |
//! | a fragment | queued; all fragments of a packet belong to the flow of its addresses, as only the first has ports |
//! | with an IP header whose checksum was wrong before | queued; a mark leaves it as wrong as it was |
//!
//! The time to live is left alone: this is a wire with a queue, not a router.

use crate::checksum;
use units::Ecn;

/// How frames begin on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// With an IP header: TUN devices, packets from a netfilter queue.
    Ip,
    /// With an Ethernet header.
    Ethernet,
}

/// Why a frame is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Shorter than the shortest header.
    Runt,
    /// IP by its type, but not by its contents.
    Malformed,
    /// Larger than the device can send, and not of a kind that can be split.
    Oversize,
}

/// The header fields of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// Offset and version of the IP header; `None` if it is not IP.
    pub ip: Option<(usize, Version)>,
    /// Equal for frames of one flow and direction.
    pub flow: u64,
    /// Source and destination: equal for frames of one address.
    pub hosts: [u64; 2],
    /// The ECN field; [`Ecn::NotEct`] if it is not IP.
    pub ecn: Ecn,
    /// The precedence: the upper three bits of the DSCP.
    pub class: u8,
    /// Whether it is a fragment.
    pub fragment: bool,
}

/// Version of the Internet Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// 802.1Q, 802.1ad, and the type used before 802.1ad.
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];
/// Most extension headers to skip in search of the ports.
const EXTENSIONS: usize = 8;

/// Parses a frame's headers.
///
/// # Errors
/// Frames to be refused, by the rule at the top.
pub fn read(frame: &[u8], layer: Layer) -> Result<Header, Refusal> {
    match layer {
        Layer::Ip => match frame.first().map(|byte| byte >> 4) {
            Some(4) => ipv4(frame, 0),
            Some(6) => ipv6(frame, 0),
            Some(_) if frame.len() >= 20 => Err(Refusal::Malformed),
            _ => Err(Refusal::Runt),
        },
        Layer::Ethernet => ethernet(frame),
    }
}

/// Offset and type of the network-layer header, behind Ethernet and up to two VLAN tags.
pub(crate) fn network_layer(frame: &[u8]) -> Option<(usize, u16)> {
    let mut at = 12;
    for _ in 0..3 {
        let kind = word(frame, at)?;
        if !VLAN.contains(&kind) {
            return Some((at + 2, kind));
        }
        at += 4;
    }
    Some((at + 2, word(frame, at)?))
}

fn ethernet(frame: &[u8]) -> Result<Header, Refusal> {
    let (at, kind) = network_layer(frame).ok_or(Refusal::Runt)?;
    match kind {
        IPV4 => ipv4(frame, at),
        IPV6 => ipv6(frame, at),
        _ => {
            let flow = Hash::new().over(&frame[..12]).over(&kind.to_be_bytes());
            let hosts = [&frame[6..12], &frame[..6]].map(Hash::of_address);
            Ok(Header { ip: None, flow: flow.0, hosts, ecn: Ecn::NotEct, class: 0, fragment: false })
        }
    }
}

fn ipv4(frame: &[u8], at: usize) -> Result<Header, Refusal> {
    let header = frame.get(at..).filter(|rest| rest.len() >= 20).ok_or(Refusal::Runt)?;
    let (length, total) =
        (usize::from(header[0] & 15) * 4, usize::from(u16::from_be_bytes([header[2], header[3]])));
    if header[0] >> 4 != 4 || length < 20 || total < length || header.len() < total {
        return Err(Refusal::Malformed);
    }
    // More fragments, or an offset other than zero.
    let fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff != 0;
    let flow = Hash::new().over(&header[12..20]).over(&header[9..10]);
    let flow = if fragment { flow } else { flow.over_ports(&header[length..total], header[9]) };
    let (ecn, class) = traffic_class(header[1]);
    let hosts = [&header[12..16], &header[16..20]].map(Hash::of_address);
    Ok(Header { ip: Some((at, Version::V4)), flow: flow.0, hosts, ecn, class, fragment })
}

fn ipv6(frame: &[u8], at: usize) -> Result<Header, Refusal> {
    let header = frame.get(at..).filter(|rest| rest.len() >= 40).ok_or(Refusal::Runt)?;
    let end = 40 + usize::from(u16::from_be_bytes([header[4], header[5]]));
    if header[0] >> 4 != 6 || header.len() < end {
        return Err(Refusal::Malformed);
    }
    let (protocol, rest, fragment) = upper_layer(header[6], &header[40..end]);
    let flow = Hash::new().over(&header[8..40]).over(&[protocol]);
    let flow = if fragment { flow } else { flow.over_ports(rest, protocol) };
    let (ecn, class) = traffic_class(header[0] << 4 | header[1] >> 4);
    let hosts = [&header[8..24], &header[24..40]].map(Hash::of_address);
    Ok(Header { ip: Some((at, Version::V6)), flow: flow.0, hosts, ecn, class, fragment })
}

/// Skips extension headers (RFC8200 section 4): the protocol behind them, its bytes, and whether it is a fragment.
fn upper_layer(mut protocol: u8, mut rest: &[u8]) -> (u8, &[u8], bool) {
    for _ in 0..EXTENSIONS {
        let length = match (protocol, rest) {
            // Hop-by-hop options, routing, destination options, mobility: length in eights after the first eight.
            (0 | 43 | 60 | 135, [_, units, ..]) => 8 + 8 * usize::from(*units),
            (44, [next, ..]) if rest.len() >= 8 => return (*next, &rest[8..], true),
            _ => break,
        };
        let Some(behind) = rest.get(length..) else { break };
        (protocol, rest) = (rest[0], behind);
    }
    (protocol, rest, false)
}

fn traffic_class(byte: u8) -> (Ecn, u8) {
    let ecn = match byte & 3 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    };
    (ecn, byte >> 5)
}

/// Sets CE in an IP header, and updates IPv4's checksum.
pub fn set_ce(frame: &mut [u8], header: (usize, Version)) {
    let ip = &mut frame[header.0..];
    match header.1 {
        Version::V4 => {
            let old = u16::from_be_bytes([ip[0], ip[1]]);
            let sum = checksum::updated(u16::from_be_bytes([ip[10], ip[11]]), old, old | 3);
            ip[1] |= 3;
            ip[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        // The traffic class straddles the first two bytes; its ECN bits are in the second.
        Version::V6 => ip[1] |= 0x30,
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

/// FNV-1a over the fields that identify a flow. Disciplines hash it again, with a secret of their own.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn over(self, bytes: &[u8]) -> Hash {
        Hash(bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    fn of_address(address: &[u8]) -> u64 {
        Hash::new().over(address).0
    }

    /// Over the ports of TCP, UDP, DCCP, SCTP and UDP-Lite, or the identifier of an echo.
    fn over_ports(self, rest: &[u8], protocol: u8) -> Hash {
        match protocol {
            6 | 17 | 33 | 132 | 136 => self.over(rest.get(..4).unwrap_or(&[])),
            1 | 58 => self.over(rest.get(4..6).unwrap_or(&[])),
            _ => self,
        }
    }
}
