//! CoDel as a plug-in, with the results of the built-in `codel`. Reference: RFC 8289 section 5.

use plugin::abi::{HostCall, LinkAhead, PacketView, ParameterRow, PluginDiscipline, SignalReason};
use std::collections::VecDeque;
use std::ffi::CStr;

/// A packet in the queue.
struct Queued {
    number: u32,
    size: u32,
    enqueued_ns: u64,
}

/// The queue and the state of the control law.
pub struct CoDel {
    queue: VecDeque<Queued>,
    bytes: u64,
    max_packet: u64,
    limit: usize,
    target_ns: u64,
    interval_ns: u64,
    first_above_ns: Option<u64>,
    drop_next_ns: u64,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl CoDel {
    /// Takes the oldest packet; true if packets have waited above the target for an interval.
    fn take(&mut self, now_ns: u64) -> (Option<u32>, bool) {
        let Some(packet) = self.queue.pop_front() else {
            self.first_above_ns = None;
            return (None, false);
        };
        self.bytes -= u64::from(packet.size);
        if now_ns - packet.enqueued_ns < self.target_ns || self.bytes <= self.max_packet {
            self.first_above_ns = None;
            return (Some(packet.number), false);
        }
        let above = *self.first_above_ns.get_or_insert(now_ns + self.interval_ns);
        (Some(packet.number), now_ns >= above)
    }

    /// The moment `interval / sqrt(count)` after `from`.
    fn next_drop(&self, from_ns: u64) -> u64 {
        from_ns + (self.interval_ns as f64 / f64::from(self.count).sqrt()).round() as u64
    }

    /// The steps in and into the dropping state. Returns the packet to send.
    fn signal(&mut self, head: Option<u32>, mut ok_to_drop: bool, call: &mut HostCall) -> Option<u32> {
        let now = call.now_ns;
        let mut head = head;
        if !self.dropping {
            call.drop(head?, SignalReason::Early);
            head = self.take(now).0;
            self.dropping = true;
            let delta = self.count.wrapping_sub(self.last_count);
            let is_recent = (now as i64 - self.drop_next_ns as i64) < 16 * self.interval_ns as i64;
            self.count = if is_recent && delta > 1 { delta } else { 1 };
            self.last_count = self.count;
            self.drop_next_ns = self.next_drop(now);
            return head;
        }
        self.dropping = ok_to_drop;
        while self.dropping && now >= self.drop_next_ns {
            self.count += 1;
            call.drop(head?, SignalReason::Early);
            (head, ok_to_drop) = self.take(now);
            self.dropping = ok_to_drop;
            if ok_to_drop {
                self.drop_next_ns = self.next_drop(self.drop_next_ns);
            }
        }
        head
    }
}

impl PluginDiscipline for CoDel {
    const NAME: &'static CStr = c"codel_plugin";
    const TITLE: &'static CStr = c"CoDel, as a plug-in";
    const ABOUT: &'static CStr = c"Drops at dequeue while packets wait above a target for an interval.";
    const PARAMETERS: &'static [ParameterRow] = &[
        ParameterRow::new(c"limit", c"pkts", c"Packets that fit.", 1000.0, (1.0, 1e9)),
        ParameterRow::new(c"target", c"s", c"Acceptable sojourn time.", 0.005, (1e-6, 10.0)),
        ParameterRow::new(c"interval", c"s", c"Time that a queue may need to drain.", 0.1, (1e-6, 10.0)),
    ];

    fn new(values: &[f64], _link: &LinkAhead) -> Self {
        let ns = |seconds: f64| (seconds * 1e9).round() as u64;
        CoDel {
            queue: VecDeque::new(),
            bytes: 0,
            max_packet: 0,
            limit: values[0] as usize,
            target_ns: ns(values[1]),
            interval_ns: ns(values[2]),
            first_above_ns: None,
            drop_next_ns: 0,
            count: 0,
            last_count: 0,
            dropping: false,
        }
    }

    fn enqueue(&mut self, packet: &PacketView, call: &mut HostCall) {
        if self.queue.len() >= self.limit {
            return call.drop(packet.number, SignalReason::Overflow);
        }
        self.max_packet = self.max_packet.max(u64::from(packet.size));
        self.bytes += u64::from(packet.size);
        self.queue.push_back(Queued { number: packet.number, size: packet.size, enqueued_ns: call.now_ns });
    }

    fn dequeue(&mut self, call: &mut HostCall) -> Option<u32> {
        let (head, ok_to_drop) = self.take(call.now_ns);
        if self.dropping || ok_to_drop {
            return self.signal(head, ok_to_drop, call);
        }
        head
    }
}

plugin::export!(CoDel);
