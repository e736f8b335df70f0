//! The driver of a plug-in: stores its packets by number, and checks every number it names.

use super::{ArrivingPacket, Call, External, Host, PluginSpec};
use crate::disc::{Cx, Decides, Packet, QueueDisc, Reason};
use crate::registry::Setting;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use units::{Bytes, Time};

/// A plug-in's discipline as a [`QueueDisc`].
pub struct Driver<P> {
    spec: PluginSpec,
    setting: Setting,
    inner: Box<dyn External>,
    slots: Slots<P>,
    /// The accepted packets in their order, for a plug-in that decides at arrival.
    order: Option<VecDeque<u32>>,
    timed: bool,
    deadline: Time,
    ready: Time,
    average: f64,
}

impl<P: Packet + Copy> Driver<P> {
    /// Makes the discipline of a plug-in.
    pub(super) fn new(spec: PluginSpec, setting: Setting) -> Driver<P> {
        let inner = spec.plugin.build(&spec.values, &setting);
        let first = spec.plugin.first_deadline(&spec.values, &setting);
        Driver {
            inner,
            slots: Slots { packets: Vec::new(), free: Vec::new(), bytes: 0 },
            order: spec.decides_at_arrival().then(VecDeque::new),
            timed: first.is_some(),
            deadline: Time(first.map_or(0, |span| span.0)),
            ready: Time::ZERO,
            average: f64::NAN,
            spec,
            setting,
        }
    }

    /// Calls the plug-in; takes over the values it has set. `arriving` is the packet of a call of `enqueue`.
    #[inline]
    fn call<T>(
        &mut self,
        cx: &mut Cx<'_, P>,
        arriving: Option<u32>,
        act: impl FnOnce(&mut dyn External, &mut Call<'_>) -> T,
    ) -> T {
        let (now, on_wire) = (cx.now, cx.on_wire);
        let (name, bound) = (self.spec.kind(), self.order.is_some());
        let mut state = CallState { slots: &mut self.slots, cx, bound, arriving, name };
        let (deadline, ready, average) = (self.deadline, self.ready, self.average);
        let mut call = Call { now, on_wire, deadline, ready, average, host: &mut state };
        let answer = act(&mut *self.inner, &mut call);
        (self.deadline, self.ready, self.average) = (call.deadline, call.ready, call.average);
        answer
    }
}

/// A clone has the state of a new discipline: schedulers copy one that was never used for each of their queues.
impl<P: Packet + Copy> Clone for Driver<P> {
    fn clone(&self) -> Driver<P> {
        debug_assert!(self.slots.is_empty(), "a plug-in's discipline is copied before it is used");
        Driver::new(self.spec.clone(), self.setting)
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Driver<P> {
    fn enqueue(&mut self, mut pkt: P, cx: &mut Cx<'_, P>) {
        pkt.set_enqueued(cx.now);
        let arrival = ArrivingPacket {
            number: self.slots.put(pkt),
            size: pkt.size().0 as u32,
            flow: pkt.flow(),
            ecn: pkt.ecn(),
            class: pkt.class(),
        };
        let number = arrival.number;
        self.call(cx, Some(number), |inner, call| inner.enqueue(&arrival, call));
        if let Some(order) = self.order.as_mut().filter(|_| self.slots.holds(number)) {
            order.push_back(number);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let number = self.call(cx, None, |inner, call| inner.dequeue(call));
        if let Some(next) = self.order.as_mut().map(VecDeque::pop_front) {
            assert!(number == next, "{}", out_of_order(self.spec.kind(), number, next));
        }
        let number = number?;
        Some(self.slots.take(number).unwrap_or_else(|| stray(self.spec.kind(), "sent", number)))
    }

    fn len(&self) -> usize {
        self.slots.packets.len() - self.slots.free.len()
    }

    fn backlog(&self) -> Bytes {
        Bytes(self.slots.bytes)
    }

    fn decides(&self) -> Decides {
        if self.order.is_some() {
            Decides::AtArrival
        } else {
            Decides::Later
        }
    }

    fn ready(&self) -> Option<Time> {
        self.spec.shapes().then_some(self.ready)
    }

    fn next_deadline(&self) -> Option<Time> {
        self.timed.then_some(self.deadline)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        let due = self.deadline;
        self.call(cx, None, |inner, call| inner.on_deadline(call));
        let name = self.spec.kind();
        assert!(self.deadline > due, "the plug-in {name} has not set a later deadline in on_deadline");
    }

    fn avg(&self) -> Option<f64> {
        Some(self.average).filter(|average| !average.is_nan())
    }
}

/// Packets by number.
struct Slots<P> {
    packets: Vec<Option<P>>,
    free: Vec<u32>,
    bytes: u64,
}

impl<P: Packet + Copy> Slots<P> {
    fn is_empty(&self) -> bool {
        self.packets.len() == self.free.len()
    }

    #[inline]
    fn put(&mut self, pkt: P) -> u32 {
        self.bytes += pkt.size().0;
        if let Some(number) = self.free.pop() {
            self.packets[number as usize] = Some(pkt);
            return number;
        }
        self.packets.push(Some(pkt));
        (self.packets.len() - 1) as u32
    }

    fn holds(&self, number: u32) -> bool {
        self.packets.get(number as usize).is_some_and(Option::is_some)
    }

    #[inline]
    fn take(&mut self, number: u32) -> Option<P> {
        let pkt = self.packets.get_mut(number as usize)?.take()?;
        self.free.push(number);
        self.bytes -= pkt.size().0;
        Some(pkt)
    }
}

/// A call in progress: the packets, and the context of the caller.
struct CallState<'a, 'b, P> {
    slots: &'a mut Slots<P>,
    cx: &'a mut Cx<'b, P>,
    /// Whether the plug-in decides at arrival, so that it may drop and mark the arriving packet alone.
    bound: bool,
    arriving: Option<u32>,
    name: &'static str,
}

impl<P> CallState<'_, '_, P> {
    /// Panics for a packet that the plug-in may no longer drop or mark.
    fn check(&self, done: &str, number: u32) {
        assert!(
            !self.bound || self.arriving == Some(number),
            "the plug-in {} has {done} packet {number} after its arrival, although it declares decides_at_arrival (remove the declaration to do so)",
            self.name
        );
    }
}

impl<P: Packet + Copy> Host for CallState<'_, '_, P> {
    fn uniform(&mut self) -> f64 {
        self.cx.uniform()
    }

    fn drop(&mut self, number: u32, reason: Reason) {
        self.check("dropped", number);
        let pkt = self.slots.take(number).unwrap_or_else(|| stray(self.name, "dropped", number));
        self.cx.drop(pkt, reason);
    }

    fn mark(&mut self, number: u32, reason: Reason) -> bool {
        self.check("marked", number);
        let slot = self.slots.packets.get_mut(number as usize).and_then(Option::as_mut);
        let pkt = slot.unwrap_or_else(|| stray(self.name, "marked", number));
        if !pkt.ecn().capable() {
            return false;
        }
        match self.cx.mark_or_drop(*pkt, true, reason) {
            Some(marked) => {
                *pkt = marked;
                true
            }
            None => false,
        }
    }
}

/// The fault of a plug-in that declares that it decides at arrival, and sends another packet than the oldest.
#[cold]
fn out_of_order(name: &str, sent: Option<u32>, oldest: Option<u32>) -> String {
    let sent = sent.map_or("nothing".to_string(), |number| format!("packet {number}"));
    let oldest =
        oldest.map_or("its queue is empty".to_string(), |number| format!("packet {number} is the oldest"));
    format!("the plug-in {name} has sent {sent} where {oldest}, although it declares decides_at_arrival (remove the declaration to do so)")
}

/// The fault of a plug-in that names a packet it does not have.
#[cold]
fn stray(name: &str, what: &str, number: u32) -> ! {
    panic!("the plug-in {name} has {what} packet {number}, which is not in its queue")
}
