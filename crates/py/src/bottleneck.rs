//! A bottleneck in virtual time for other people's packets: the pump of the live forwarder without devices.

use forward::config;
use forward::event::{reason_name, EventObserver, PacketEvent};
use forward::header::Header;
use forward::pump::{Frame, Pump};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use units::{Ecn, Time};

/// (number of the packet, nanoseconds, why).
type Drop = (u64, u64, &'static str);

/// A link with a queue discipline. Packets are numbered from 0 as they are sent; their bytes stay with the caller.
#[pyclass(module = "dropcurve._core")]
pub struct Bottleneck {
    pump: Pump,
    drops: Drops,
}

#[pymethods]
impl Bottleneck {
    /// A link from its settings as JSON (`forward::config`). `name` and `seed` make the discipline's rng.
    #[new]
    fn new(settings: &str, seed: u64, name: &str) -> PyResult<Bottleneck> {
        let json =
            serde_json::from_str(settings).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let link =
            config::usable_link(&json).map_err(|problems| PyValueError::new_err(problems.join("\n")))?;
        Ok(Bottleneck { pump: Pump::new(link, &[], seed, name), drops: Drops::default() })
    }

    /// Hands a packet to the queue at a time (ns), after everything that is due by then.
    fn send(&mut self, at_ns: u64, size: u32, flow: u64, ecn: u8, precedence: u8) {
        let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(ecn & 3)];
        let header = Header { ip: None, flow, hosts: [0; 2], ecn, class: precedence, fragment: false };
        let frame = Frame { bytes: &[], header, size, path: 0, token: 0 };
        self.pump.arrive(&frame, Time(at_ns), &mut self.drops);
    }

    /// Executes everything due by a time (ns); returns the packets that arrived: (number, ns, whether CE was set).
    fn advance(&mut self, to_ns: u64) -> Vec<(u64, u64, bool)> {
        self.pump.advance(Time(to_ns), &mut self.drops);
        let mut arrived = Vec::new();
        while let Some(delivery) = self.pump.deliver(Time(to_ns)) {
            arrived.push((delivery.handle.number, delivery.due.0, delivery.handle.marked));
            self.pump.delivered(&delivery);
        }
        arrived
    }

    /// Returns the packets dropped since the last call: (number, ns, reason).
    fn take_drops(&mut self) -> Vec<Drop> {
        std::mem::take(&mut self.drops.0)
    }

    /// The next time (ns) at which something is due; None if nothing is queued or in flight.
    fn next_due(&self) -> Option<u64> {
        self.pump.next_due().map(|time| time.0)
    }

    /// Packets and bytes in the queue, the packet being transmitted not counted.
    fn backlog(&self) -> (usize, u64) {
        let (packets, bytes) = self.pump.backlog();
        (packets, bytes.0)
    }
}

/// Collects drops.
#[derive(Default)]
struct Drops(Vec<Drop>);

impl EventObserver for Drops {
    fn on_event(&mut self, event: &PacketEvent<'_>, _frame: &[u8]) {
        if let PacketEvent::Dropped { time, number, reason, .. } = *event {
            self.0.push((number, time.0, reason_name(reason)));
        }
    }
}
