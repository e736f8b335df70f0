//! The conformance kit through the C interface: every discipline, with its defaults and in every dialect, has the same
//! transcript through the interface as without it, bit for bit.

#![allow(clippy::unwrap_used)]

use core::ffi::{c_int, c_void};
use dropcurve::discipline::*;
use dropcurve::state::*;
use queue::conformance::{drive, steps, KitPacket, Rules};
use queue::disc::{Cx, Decides, Packet as _, Probe, QueueDisc, Reason};
use queue::{catalogue, Disc, Setting, Spec};
use std::ffi::{CStr, CString};
use units::param::{Table, Value};
use units::{Bytes, Ecn, Rate, Rng, Span, Stream, Time};

const SETTING: Setting =
    Setting { rate: Rate(10_000_000), delay: Span::from_millis(20), packet: Bytes(1000) };
const RAW: RawSetting = RawSetting { rate_bps: 10_000_000, delay_ns: 20_000_000, packet_bytes: 1000 };
const PACKET: CallerPacket = CallerPacket {
    user: core::ptr::null_mut(),
    flow: 0,
    source: 0,
    destination: 0,
    size: 0,
    ecn: 0,
    traffic_class: 0,
};
const EVENT: PacketFate = PacketFate { packet: PACKET, kind: 0, reason: 0 };

/// A discipline behind the interface, as the kit drives one.
struct ThroughC {
    queue: *mut Queue,
    decides: Decides,
    kit_packets: Vec<KitPacket>,
    names: Vec<&'static str>,
}

impl ThroughC {
    fn new(toml: &str, plain: &Disc<KitPacket>) -> ThroughC {
        let text = CString::new(toml).unwrap();
        // SAFETY: both texts end with a zero byte and live through the call.
        let queue = unsafe { dropcurve_queue_new(text.as_ptr(), &RAW, 1, c"unused".as_ptr()) };
        assert!(!queue.is_null(), "{toml}: {}", last_error());
        let mut probe = Probe::default();
        plain.probe(&mut probe);
        let names = probe.values.into_iter().map(|(name, _)| name).collect();
        ThroughC { queue, decides: plain.decides(), kit_packets: Vec::new(), names }
    }

    /// Calls the interface with the random numbers of a context, then passes on the fates of packets.
    fn call(&mut self, cx: &mut Cx<'_, KitPacket>, act: impl FnOnce(*mut Queue, u64) -> c_int) -> c_int {
        let (now, on_wire) = (cx.now.0, cx.on_wire.0);
        let mut context: *mut Cx<'_, KitPacket> = cx;
        // SAFETY: the queue is this one's; the context lives through the calls, and `draw` gets it back as it is.
        unsafe {
            dropcurve_queue_set_random(self.queue, Some(draw), (&raw mut context).cast());
            dropcurve_queue_set_on_wire(self.queue, on_wire);
        }
        let answer = act(self.queue, now);
        assert!(answer >= 0, "{}", last_error());
        let mut event = EVENT;
        // SAFETY: queue and event are valid.
        while unsafe { dropcurve_queue_next_event(self.queue, &mut event) } == 1 {
            let reason = [Reason::Early, Reason::Forced, Reason::Overflow][event.reason as usize];
            let kit_packet = self.kit_packet(&event.packet);
            if event.kind == 1 {
                let unmarked = self.kit_packets[event.packet.user as usize];
                self.kit_packets[event.packet.user as usize] =
                    cx.mark_or_drop(unmarked, true, reason).expect("a marked packet is capable");
            } else {
                cx.drop(kit_packet, reason);
            }
        }
        answer
    }

    /// The kit's packet behind one of the interface.
    fn kit_packet(&self, raw: &CallerPacket) -> KitPacket {
        let mut kit_packet = self.kit_packets[raw.user as usize];
        if raw.ecn == 3 && kit_packet.ecn() != Ecn::Ce {
            kit_packet.set_ce();
        }
        kit_packet
    }
}

// SAFETY: called back by the library with the context that was set.
unsafe extern "C" fn draw(context: *mut c_void) -> f64 {
    // SAFETY: `ThroughC::call` passes a place with the context of the call in progress.
    unsafe { (**context.cast::<*mut Cx<'_, KitPacket>>()).uniform() }
}

fn last_error() -> String {
    // SAFETY: the text is the library's and ends with a zero byte.
    unsafe { CStr::from_ptr(dropcurve::fault::dropcurve_last_error()) }.to_string_lossy().into_owned()
}

impl QueueDisc<KitPacket> for ThroughC {
    fn enqueue(&mut self, mut pkt: KitPacket, cx: &mut Cx<'_, KitPacket>) {
        pkt.set_enqueued(cx.now);
        let raw = CallerPacket {
            user: self.kit_packets.len() as *mut c_void,
            flow: pkt.flow(),
            source: pkt.hosts()[0],
            destination: pkt.hosts()[1],
            size: pkt.size().0 as u32,
            ecn: match pkt.ecn() {
                Ecn::NotEct => 0,
                Ecn::Ect1 => 1,
                Ecn::Ect0 => 2,
                Ecn::Ce => 3,
            },
            traffic_class: pkt.class(),
        };
        self.kit_packets.push(pkt);
        // SAFETY: the queue is this one's, and the packet is valid.
        self.call(cx, |queue, now| unsafe { dropcurve_queue_enqueue(queue, now, &raw) });
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, KitPacket>) -> Option<KitPacket> {
        let mut raw = PACKET;
        let place = &raw mut raw;
        // SAFETY: the queue is this one's, and the place is valid.
        let got = self.call(cx, |queue, now| unsafe { dropcurve_queue_dequeue(queue, now, place) });
        (got == 1).then(|| self.kit_packet(&raw))
    }

    fn len(&self) -> usize {
        // SAFETY: the queue is this one's.
        unsafe { dropcurve_queue_length(self.queue) as usize }
    }

    fn backlog(&self) -> Bytes {
        // SAFETY: the queue is this one's.
        Bytes(unsafe { dropcurve_queue_backlog(self.queue) })
    }

    fn decides(&self) -> Decides {
        self.decides
    }

    fn ready(&self) -> Option<Time> {
        // SAFETY: the queue is this one's.
        Some(Time(unsafe { dropcurve_queue_ready(self.queue) })).filter(|time| time.0 > 0)
    }

    fn next_deadline(&self) -> Option<Time> {
        // SAFETY: the queue is this one's.
        Some(Time(unsafe { dropcurve_queue_next_timer(self.queue) })).filter(|time| time.0 != NEVER)
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, KitPacket>) {
        // SAFETY: the queue is this one's.
        self.call(cx, |queue, now| unsafe { dropcurve_queue_on_timer(queue, now) });
    }

    fn avg(&self) -> Option<f64> {
        // SAFETY: the queue is this one's.
        Some(unsafe { dropcurve_queue_average(self.queue) }).filter(|average| !average.is_nan())
    }

    fn probe(&self, out: &mut Probe) {
        for (index, known) in self.names.iter().enumerate() {
            let (mut name, mut number) = (core::ptr::null(), 0.0);
            // SAFETY: the queue is this one's, the places are valid, and the name is the library's.
            let found = unsafe {
                let found = dropcurve_queue_value(self.queue, index, &mut name, &mut number);
                (found, CStr::from_ptr(name).to_str())
            };
            assert_eq!(found, (1, Ok(*known)));
            out.note(known, number);
        }
    }
}

impl Drop for ThroughC {
    fn drop(&mut self) {
        // SAFETY: the queue is this one's, and used for the last time.
        unsafe { dropcurve_queue_free(self.queue) }
    }
}

/// Every kind plain and in each dialect, with marks where it has them: as TOML and as a table.
fn candidates() -> Vec<(String, Table)> {
    let text = |key: &str, value: &str| (key.to_string(), Value::Text(value.to_string()));
    let mut list = Vec::new();
    for entry in catalogue() {
        for dialect in std::iter::once(None).chain(entry.presets.iter().map(|row| Some(row.name))) {
            let mut table = vec![text("kind", entry.kind)];
            table.extend(dialect.map(|name| text(entry.preset_key, name)));
            if entry.fields.iter().any(|field| field.name == "ecn") {
                table.push(("ecn".to_string(), Value::Bool(true)));
            }
            if (entry.kind, dialect) == ("red", Some("wred")) {
                table.extend([text("min_th", "2 pkts"), text("max_th", "10 pkts")]);
            }
            let toml: String = table.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
            list.push((toml, table));
        }
    }
    list
}

#[test]
fn every_discipline_comes_to_the_same_bits_through_the_interface() {
    let list = candidates();
    assert!(list.len() > 40);
    for (toml, table) in list {
        let mut problems = Vec::new();
        let Some(spec) = Spec::read("queue", &table, &mut problems) else { panic!("{toml}: {problems:?}") };
        let rules = Rules { marks: true, reorders: true, ..Rules::default() };
        for seed in 1..=3 {
            let steps = steps(seed, 1_500);
            let plain = drive(spec.build(&SETTING), &steps, seed, &rules).unwrap();
            let through = drive(ThroughC::new(&toml, &spec.build(&SETTING)), &steps, seed, &rules).unwrap();
            assert!(plain.arrived > 100, "{toml}");
            assert_eq!(plain, through, "{toml}, seed {seed}");
        }
    }
}

// SAFETY: called back by the library with the context that was set.
unsafe extern "C" fn from_stream(context: *mut c_void) -> f64 {
    // SAFETY: the test below passes its stream.
    unsafe { (*context.cast::<Stream>()).uniform() }
}

/// The packets that RED drops of 200, with random numbers of its own or of the caller.
fn drops(by_caller: bool) -> Vec<u64> {
    let mut stream = Stream::new(7, "queue/x");
    let text = c"kind = 'red'\nlimit = '40 pkts'\nmin_th = '2 pkts'\nmax_th = '20 pkts'\nw_q = 0.1";
    let (mut ended, mut event, mut out) = (Vec::new(), EVENT, PACKET);
    // SAFETY: the texts are constants; the queue is freed once, after its last use; the stream outlives it.
    unsafe {
        let queue = dropcurve_queue_new(text.as_ptr(), &RAW, 7, c"queue/x".as_ptr());
        if by_caller {
            dropcurve_queue_set_random(queue, Some(from_stream), (&raw mut stream).cast());
        }
        for i in 0..200u64 {
            let raw = CallerPacket { user: i as *mut c_void, size: 1000, ..PACKET };
            dropcurve_queue_enqueue(queue, i * 500_000, &raw);
            if i % 2 == 0 {
                dropcurve_queue_dequeue(queue, i * 500_000, &mut out);
            }
        }
        while dropcurve_queue_next_event(queue, &mut event) == 1 {
            ended.push(event.packet.user as u64);
        }
        dropcurve_queue_free(queue);
    }
    ended
}

#[test]
fn its_own_random_numbers_are_those_of_the_named_stream() {
    assert_eq!(drops(false), drops(true));
    assert!(drops(true).len() > 3);
}

fn new(text: &CStr, setting: *const RawSetting) -> *mut Queue {
    // SAFETY: the texts are constants; the test passes a null setting.
    unsafe { dropcurve_queue_new(text.as_ptr(), setting, 1, c"s".as_ptr()) }
}

#[test]
fn a_wrong_discipline_is_refused_with_the_reason() {
    for (text, reported) in [
        (c"raid", "kind"),
        (c"kind = 'red'\nmin_thh = '5 pkts'", "did you mean 'min_th'?"),
        (c"kind = ", "line 1"),
        (c"kind = 'red'\nmax_p = 2", "max_p"),
    ] {
        assert!(new(text, &RAW).is_null(), "{text:?}");
        assert!(last_error().contains(reported), "{text:?}: {}", last_error());
    }
    assert!(new(c"codel", core::ptr::null()).is_null());
    assert!(last_error().contains("setting: is null"));
    assert!(new(c"codel", &RawSetting { packet_bytes: 0, ..RAW }).is_null());
}

#[test]
fn wrong_calls_are_errors_and_nothing_worse() {
    let queue = new(c"codel", &RAW);
    // SAFETY: the test passes null and an earlier time; the queue is freed once.
    unsafe {
        assert_eq!(dropcurve_queue_enqueue(queue, 5, &PACKET), 0);
        assert_eq!(dropcurve_queue_enqueue(queue, 4, &PACKET), -1);
        assert!(last_error().contains("now_ns = 4: is before 5"));
        assert_eq!(dropcurve_queue_enqueue(core::ptr::null_mut(), 6, &PACKET), -1);
        assert_eq!(dropcurve_queue_enqueue(queue, 6, core::ptr::null()), -1);
        assert_eq!(dropcurve_queue_dequeue(queue, 6, core::ptr::null_mut()), -1);
        assert_eq!(dropcurve_queue_length(core::ptr::null()), 0);
        dropcurve_queue_free(core::ptr::null_mut());
        dropcurve_queue_free(queue);
    }
    // SAFETY: the text is a constant; no digest is asked for.
    let ran = unsafe {
        dropcurve::simulation::dropcurve_run(c"[run]\nduration = 'x'".as_ptr(), 1, core::ptr::null_mut())
    };
    assert!(ran.is_null() && last_error().contains("run.duration"), "{}", last_error());
}
