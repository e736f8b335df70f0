//! A discipline driven with the caller's packets and clock.

use crate::fault::{guard, place, text, value};
use core::ffi::{c_char, c_double, c_int, c_void};
use queue::disc::{Cx, Fate, Probe, QueueDisc, Reason};
use queue::{Disc, Setting, Spec};
use sim::scenario::read_toml;
use std::collections::VecDeque;
use std::ffi::CString;
use units::param::Problem;
use units::{Bytes, Ecn, Rate, Rng, Span, Stream, Time};

/// `dropcurve_packet`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CallerPacket {
    /// Pointer of the caller, returned with the packet.
    pub user: *mut c_void,
    /// Identifies the flow.
    pub flow: u64,
    /// Identifies the host it comes from.
    pub source: u64,
    /// Identifies the host it goes to.
    pub destination: u64,
    /// Bytes.
    pub size: u32,
    /// The two ECN bits of the IP header.
    pub ecn: u8,
    /// Class, precedence or colour.
    pub traffic_class: u8,
}

/// `dropcurve_setting`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawSetting {
    /// Rate of the link, 0 unlimited.
    pub rate_bps: u64,
    /// Its propagation delay.
    pub delay_ns: u64,
    /// The size of a typical packet.
    pub packet_bytes: u64,
}

/// `dropcurve_event`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PacketFate {
    /// The packet.
    pub packet: CallerPacket,
    /// 0 dropped, 1 marked.
    pub kind: u32,
    /// 0 early, 1 forced, 2 overflow.
    pub reason: u32,
}

/// A packet in the queue.
#[derive(Clone, Copy)]
pub(crate) struct Queued {
    raw: CallerPacket,
    enqueued: Time,
}

impl queue::disc::Packet for Queued {
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.raw.size))
    }
    fn flow(&self) -> u64 {
        self.raw.flow
    }
    fn hosts(&self) -> [u64; 2] {
        [self.raw.source, self.raw.destination]
    }
    fn ecn(&self) -> Ecn {
        // RFC 3168 section 5; RFC 9331 for ECT(1).
        [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(self.raw.ecn & 3)]
    }
    fn set_ce(&mut self) {
        self.raw.ecn |= 3;
    }
    fn class(&self) -> u8 {
        self.raw.traffic_class
    }
    fn set_class(&mut self, class: u8) {
        self.raw.traffic_class = class;
    }
    fn enqueued(&self) -> Time {
        self.enqueued
    }
    fn set_enqueued(&mut self, now: Time) {
        self.enqueued = now;
    }
}

/// The source of random numbers.
enum Source {
    Own(Stream),
    // SAFETY: the function may be called with the pointer as long as the queue exists.
    Caller(unsafe extern "C" fn(*mut c_void) -> c_double, *mut c_void),
}

impl Rng for Source {
    fn uniform(&mut self) -> f64 {
        match self {
            Source::Own(stream) => stream.uniform(),
            // SAFETY: the header requires a function that may be called with this context in every call of the queue.
            Source::Caller(function, context) => unsafe { function(*context) },
        }
    }
}

/// `dropcurve_queue`: a discipline, its random numbers, and the fates of packets.
pub struct Queue {
    pub(crate) disc: Disc<Queued>,
    source: Source,
    fates: Vec<Fate<Queued>>,
    events: VecDeque<PacketFate>,
    on_wire: Bytes,
    now: Time,
    pub(crate) names: Vec<CString>,
    /// A call ended in a panic: the state is unknown.
    broken: bool,
}

impl Queue {
    /// Calls the discipline at a time and collects the fates of packets.
    fn call<T>(
        &mut self,
        now_ns: u64,
        act: impl FnOnce(&mut Disc<Queued>, &mut Cx<'_, Queued>) -> T,
    ) -> Result<T, String> {
        if self.broken {
            return Err("an earlier call of this queue failed; free it".into());
        }
        if Time(now_ns) < self.now {
            return Err(format!("now_ns = {now_ns}: is before {}, the time of the last call", self.now.0));
        }
        self.now = Time(now_ns);
        self.broken = true;
        let mut cx = Cx::new(self.now, &mut self.source, &mut self.fates);
        cx.on_wire = self.on_wire;
        let answer = act(&mut self.disc, &mut cx);
        self.events.extend(self.fates.drain(..).map(event));
        self.broken = false;
        Ok(answer)
    }
}

fn event(fate: Fate<Queued>) -> PacketFate {
    let (kind, packet, reason) = match fate {
        Fate::Dropped(packet, reason) => (0, packet.raw, reason),
        Fate::Marked(packet, reason) => (1, packet.raw, reason),
    };
    let reason = match reason {
        Reason::Early => 0,
        Reason::Forced => 1,
        Reason::Overflow => 2,
    };
    PacketFate { packet, kind, reason }
}

/// The discipline of a table in TOML, or of a word such as `red:ns2`.
fn spec(parameters: &str, setting: &Setting) -> Result<Spec, String> {
    let lines =
        |problems: &[Problem]| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let table = match parameters.contains('=') {
        true => read_toml(parameters).map_err(|problems| lines(&problems))?,
        false => queue::child::Child::table(parameters).unwrap_or_default(),
    };
    let mut problems = Vec::new();
    let parsed = Spec::read("", &table, &mut problems);
    if let Some(spec) = &parsed {
        spec.fits(setting, "", &mut problems);
    }
    parsed.filter(|_| problems.is_empty()).ok_or_else(|| lines(&problems))
}

/// `dropcurve_queue_new`.
///
/// # Safety
/// The texts end with a zero byte, `setting` leads to a setting.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_new(
    parameters: *const c_char,
    setting: *const RawSetting,
    seed: u64,
    stream: *const c_char,
) -> *mut Queue {
    guard(core::ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let (parameters, raw, stream) =
            unsafe { (text("parameters", parameters)?, value("setting", setting)?, text("stream", stream)?) };
        if raw.packet_bytes == 0 {
            return Err("setting.packet_bytes = 0: must be 1 or more, such as 1500".into());
        }
        let link =
            Setting { rate: Rate(raw.rate_bps), delay: Span(raw.delay_ns), packet: Bytes(raw.packet_bytes) };
        let disc = spec(parameters, &link)?.build(&link);
        let mut probe = Probe::default();
        disc.probe(&mut probe);
        let names = probe.values.iter().map(|(name, _)| CString::new(*name).unwrap_or_default()).collect();
        Ok(Box::into_raw(Box::new(Queue {
            disc,
            source: Source::Own(Stream::new(seed, stream)),
            fates: Vec::new(),
            events: VecDeque::new(),
            on_wire: Bytes(0),
            now: Time::ZERO,
            names,
            broken: false,
        })))
    })
}

/// `dropcurve_queue_free`.
///
/// # Safety
/// `queue` is null, or was made by `dropcurve_queue_new` and not freed.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_free(queue: *mut Queue) {
    guard((), || {
        if !queue.is_null() {
            // SAFETY: the caller's promise: the box of `dropcurve_queue_new`, used for the last time.
            drop(unsafe { Box::from_raw(queue) });
        }
        Ok(())
    });
}

/// `dropcurve_queue_set_random`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`; the function may be called with the context in every later call.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_set_random(
    queue: *mut Queue,
    // SAFETY: the caller's promise is the section above.
    uniform: Option<unsafe extern "C" fn(*mut c_void) -> c_double>,
    context: *mut c_void,
) -> c_int {
    guard(-1, || {
        // SAFETY: the caller's promise.
        let queue = unsafe { place("queue", queue) }?;
        queue.source = Source::Caller(uniform.ok_or("uniform: is null")?, context);
        Ok(0)
    })
}

/// `dropcurve_queue_set_on_wire`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_set_on_wire(queue: *mut Queue, bytes: u64) -> c_int {
    guard(-1, || {
        // SAFETY: the caller's promise.
        unsafe { place("queue", queue) }?.on_wire = Bytes(bytes);
        Ok(0)
    })
}

/// `dropcurve_queue_enqueue`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`, `packet` leads to a packet.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_enqueue(
    queue: *mut Queue,
    now_ns: u64,
    packet: *const CallerPacket,
) -> c_int {
    guard(-1, || {
        // SAFETY: the caller's promise.
        let (queue, raw) = unsafe { (place("queue", queue)?, *value("packet", packet)?) };
        queue.call(now_ns, |disc, cx| disc.enqueue(Queued { raw, enqueued: cx.now }, cx))?;
        Ok(0)
    })
}

/// `dropcurve_queue_dequeue`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`, `packet` a place for a packet.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_dequeue(
    queue: *mut Queue,
    now_ns: u64,
    packet: *mut CallerPacket,
) -> c_int {
    guard(-1, || {
        // SAFETY: the caller's promise.
        let (queue, place) = unsafe { (place("queue", queue)?, place("packet", packet)?) };
        match queue.call(now_ns, |disc, cx| disc.dequeue(cx))? {
            Some(sent) => {
                *place = sent.raw;
                Ok(1)
            }
            None => Ok(0),
        }
    })
}

/// `dropcurve_queue_on_timer`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_on_timer(queue: *mut Queue, now_ns: u64) -> c_int {
    guard(-1, || {
        // SAFETY: the caller's promise.
        let queue = unsafe { place("queue", queue) }?;
        queue.call(now_ns, |disc, cx| {
            if disc.next_deadline().is_some_and(|due| due <= cx.now) {
                disc.on_deadline(cx);
            }
        })?;
        Ok(0)
    })
}

/// `dropcurve_queue_next_event`.
///
/// # Safety
/// `queue` is one of `dropcurve_queue_new`, `event` a place for an event.
#[no_mangle]
// SAFETY: the caller's promise is the section above.
pub unsafe extern "C" fn dropcurve_queue_next_event(queue: *mut Queue, event: *mut PacketFate) -> c_int {
    guard(-1, || {
        // SAFETY: the caller's promise.
        let (queue, place) = unsafe { (place("queue", queue)?, place("event", event)?) };
        match queue.events.pop_front() {
            Some(next) => {
                *place = next;
                Ok(1)
            }
            None => Ok(0),
        }
    })
}
