//! The devices of a forwarder.

use crate::header::Layer;
use crate::sys::{NfQueue, PacketSocket, Tun};
use serde_json::Value as Json;
use std::os::fd::RawFd;

/// An open device.
pub(crate) enum Port {
    /// A TUN device.
    Tun(Tun),
    /// A packet socket.
    Packet(PacketSocket),
    /// A netfilter queue.
    Queue(NfQueue),
}

impl Port {
    /// Opens the device that a row of the settings describes; returns its name for messages, and the device.
    pub(crate) fn open(json: &Json) -> Result<(String, Port), String> {
        let name = json["name"].as_str().unwrap_or_default();
        let namespace = json["netns"].as_str();
        let (what, port) = match json["kind"].as_str() {
            Some("tun") => (format!("TUN device {name}"), Tun::open(name, namespace).map(Port::Tun)),
            Some("packet") => {
                (format!("interface {name}"), PacketSocket::open(name, namespace).map(Port::Packet))
            }
            Some("queue") => {
                let number = json["number"].as_u64().unwrap_or(0) as u16;
                (format!("netfilter queue {number}"), NfQueue::open(number).map(Port::Queue))
            }
            _ => return Err(format!("{json} does not describe a device")),
        };
        match port {
            Ok(port) => Ok((what, port)),
            Err(error) => Err(format!("{what}: cannot be opened: {error}")),
        }
    }

    /// The descriptor to poll.
    pub(crate) fn fd(&self) -> RawFd {
        match self {
            Port::Tun(tun) => tun.fd(),
            Port::Packet(socket) => socket.fd(),
            Port::Queue(queue) => queue.fd(),
        }
    }

    /// Whether the device still exists. One that is down does.
    pub(crate) fn is_present(&self) -> bool {
        match self {
            Port::Tun(tun) => tun.is_present(),
            Port::Packet(socket) => socket.is_present(),
            Port::Queue(_) => true,
        }
    }

    /// Packets that it lost before they were read, since it was opened.
    pub(crate) fn missed(&mut self) -> u64 {
        match self {
            Port::Tun(tun) => tun.missed(),
            Port::Packet(socket) => socket.missed(),
            Port::Queue(queue) => queue.missed(),
        }
    }

    /// Bytes that we sent and that are queued in it: in its driver's ring, or in a discipline below. `None` if it
    /// cannot be read.
    pub(crate) fn behind(&self) -> Option<u64> {
        match self {
            Port::Packet(socket) => Some(socket.behind()),
            Port::Tun(_) | Port::Queue(_) => None,
        }
    }

    /// How its frames begin.
    pub(crate) fn layer(&self) -> Layer {
        match self {
            Port::Packet(_) => Layer::Ethernet,
            Port::Tun(_) | Port::Queue(_) => Layer::Ip,
        }
    }

    /// Most bytes behind the link-layer header that it sends.
    pub(crate) fn mtu(&self) -> usize {
        match self {
            Port::Packet(socket) => socket.mtu,
            Port::Tun(_) | Port::Queue(_) => 65535,
        }
    }
}
