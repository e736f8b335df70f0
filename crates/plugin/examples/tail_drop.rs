//! Tail drop as a plug-in: accepts a packet if it fits, else drops it.

use plugin::abi::{HostCall, LinkAhead, PacketView, ParameterRow, PluginDiscipline, SignalReason};
use std::collections::VecDeque;
use std::ffi::CStr;

/// Numbers of the packets in the queue.
pub struct TailDrop {
    queue: VecDeque<u32>,
    limit: usize,
}

impl PluginDiscipline for TailDrop {
    const NAME: &'static CStr = c"tail_drop_plugin";
    const TITLE: &'static CStr = c"Tail drop, as a plug-in";
    const ABOUT: &'static CStr = c"Drops the arriving packet if the buffer is full.";
    const PARAMETERS: &'static [ParameterRow] =
        &[ParameterRow::new(c"limit", c"pkts", c"Packets that fit.", 1000.0, (1.0, 1e9))];
    const DECIDES_AT_ARRIVAL: bool = true;

    fn new(values: &[f64], _link: &LinkAhead) -> Self {
        TailDrop { queue: VecDeque::new(), limit: values[0] as usize }
    }

    fn enqueue(&mut self, packet: &PacketView, call: &mut HostCall) {
        if self.queue.len() < self.limit {
            self.queue.push_back(packet.number);
        } else {
            call.drop(packet.number, SignalReason::Overflow);
        }
    }

    fn dequeue(&mut self, _call: &mut HostCall) -> Option<u32> {
        self.queue.pop_front()
    }
}

plugin::export!(TailDrop);
