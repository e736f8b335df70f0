//! The conformance kit: checks that every discipline passes, here and in other crates.
//!
//! [`drive`] drives a discipline through a list of [`KitStep`]s, as a link would, and checks the rules that
//! hold for every discipline: nothing is lost unrecorded, packets of a flow keep their order, the limit
//! holds, ECN is respected, and its own counts are right. It returns a transcript, so that two runs can be
//! compared. [`steps`] makes lists at random from a seed.
//!
//! ```
//! use queue::conformance::{drive, steps, Rules};
//! use queue::{Setting, Spec};
//! use units::param::{Table, Value};
//!
//! let table: Table = vec![("kind".into(), Value::Text("droptail".into()))];
//! let spec = Spec::read("queue", &table, &mut Vec::new()).unwrap();
//! let setting = Setting { rate: units::Rate(10_000_000), delay: units::Span(0), packet: units::Bytes(1000) };
//! let report = drive(spec.build(&setting), &steps(1, 1000), 1, &Rules::default()).unwrap();
//! assert_eq!(report.arrived, report.left + report.dropped + report.waiting);
//! ```

use crate::disc::{Cx, Decides, Fate, Packet, Probe, QueueDisc, Reason};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use units::{Bytes, Ecn, Rng, Span, Stream, Time};

/// One step of a test sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KitStep {
    /// The clock advances.
    Wait(Span),
    /// A packet arrives.
    Arrive {
        /// Its flow.
        flow: u8,
        /// Its bytes.
        size: u16,
        /// Its ECN field.
        ecn: Ecn,
    },
    /// The transmitter is free.
    Depart,
}

/// Rules of one discipline, in addition to those for all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// Maximum number of packets in the queue.
    pub packets: Option<usize>,
    /// Maximum backlog; a caller that allows the last packet to exceed it adds its size.
    pub bytes: Option<Bytes>,
    /// Whether ECN-capable packets may be marked at all.
    pub marks: bool,
    /// Whether an ECN-capable packet is never dropped early.
    pub spares_capable: bool,
    /// Whether packets of one flow may overtake each other.
    pub reorders: bool,
    /// Whether the link counts the packet it sends as part of the queue.
    pub wire_counts: bool,
}

/// Result of a run of the kit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Packets that arrived.
    pub arrived: u64,
    /// Packets that left through the transmitter.
    pub left: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// Packets marked.
    pub marked: u64,
    /// Packets in the queue at the end.
    pub waiting: u64,
    /// Fate of each packet, in order: number and a letter.
    pub transcript: Vec<(u64, char)>,
}

/// A packet of the kit, without content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KitPacket {
    /// Its number in order of arrival.
    pub id: u64,
    flow: u8,
    size: u16,
    ecn: Ecn,
    enqueued: Time,
}

impl KitPacket {
    /// A packet that is not ECN-capable.
    pub fn new(id: u64, size: u16) -> KitPacket {
        KitPacket { id, flow: 0, size, ecn: Ecn::NotEct, enqueued: Time::ZERO }
    }

    /// An ECN-capable packet.
    pub fn capable(id: u64, size: u16) -> KitPacket {
        KitPacket { ecn: Ecn::Ect0, ..KitPacket::new(id, size) }
    }
}

impl Packet for KitPacket {
    fn size(&self) -> Bytes {
        Bytes(u64::from(self.size))
    }
    fn flow(&self) -> u64 {
        u64::from(self.flow)
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn class(&self) -> u8 {
        self.flow
    }
    fn enqueued(&self) -> Time {
        self.enqueued
    }
    fn set_enqueued(&mut self, now: Time) {
        self.enqueued = now;
    }
}

/// A random list of steps: bursts, pauses and steady load in turn.
pub fn steps(seed: u64, n: usize) -> Vec<KitStep> {
    let mut stream = Stream::new(seed, "conformance/steps");
    let mut share = 0.5;
    let mut list = Vec::with_capacity(n);
    while list.len() < n {
        let u = stream.uniform();
        if u < 0.02 {
            share = stream.between(0.2, 0.8);
        } else if u < 0.3 {
            let longest = if stream.uniform() < 0.02 { 1e9 } else { 2e6 };
            list.push(KitStep::Wait(Span(stream.between(0.0, longest) as u64)));
        } else if stream.uniform() < share {
            let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][(stream.uniform() * 4.0) as usize];
            let size = [40, 576, 1000, 1500][(stream.uniform() * 4.0) as usize];
            list.push(KitStep::Arrive { flow: (stream.uniform() * 5.0) as u8, size, ecn });
        } else {
            list.push(KitStep::Depart);
        }
    }
    list
}

/// A generator that counts its draws, for the transcript.
struct Counted(Stream, u64);

impl Rng for Counted {
    fn uniform(&mut self) -> f64 {
        self.1 += 1;
        self.0.uniform()
    }
}

/// The kit's own record of the packets in the queue.
struct Expected<'a> {
    rules: &'a Rules,
    decides: Decides,
    /// Packets that must still be inside, by number.
    inside: BTreeMap<u64, KitPacket>,
    /// In order of acceptance, for disciplines that decide at arrival.
    order: VecDeque<u64>,
    /// Last packet of each flow to leave.
    last: BTreeMap<u64, u64>,
    report: Report,
}

/// Drives `disc` through `steps` with random numbers from `seed`.
///
/// # Errors
/// The first rule that the discipline breaks, in words, with the number of the step.
pub fn drive<D: QueueDisc<KitPacket>>(
    mut disc: D,
    steps: &[KitStep],
    seed: u64,
    rules: &Rules,
) -> Result<Report, String> {
    let mut rng = Counted(Stream::new(seed, "conformance/rng"), 0);
    let (mut now, mut on_wire, mut fates) = (Time::ZERO, Bytes(0), Vec::new());
    let names = probe_names(&disc)?;
    let mut expected = Expected {
        rules,
        decides: disc.decides(),
        inside: BTreeMap::new(),
        order: VecDeque::new(),
        last: BTreeMap::new(),
        report: Report::default(),
    };
    for (i, step) in steps.iter().enumerate() {
        while let Some(deadline) = disc.next_deadline().filter(|deadline| *deadline <= now) {
            disc.on_deadline(&mut Cx::new(now, &mut rng, &mut fates));
            expected.settle(&mut fates, None)?;
            check(disc.next_deadline() > Some(deadline), || "a deadline that does not advance".into())?;
        }
        let broke = |rule: String| format!("step {i} {step:?}: {rule}");
        match *step {
            KitStep::Wait(span) => now += span,
            KitStep::Arrive { flow, size, ecn } => {
                let pkt = KitPacket { id: expected.report.arrived, flow, size, ecn, enqueued: Time::ZERO };
                expected.arrive(KitPacket { enqueued: now, ..pkt });
                let mut cx = Cx::new(now, &mut rng, &mut fates);
                cx.on_wire = on_wire;
                disc.enqueue(pkt, &mut cx);
                expected.settle(&mut fates, Some(pkt.id)).map_err(broke)?;
            }
            KitStep::Depart => {
                let held_back = disc.ready().is_some_and(|at| at > now);
                let pkt = disc.dequeue(&mut Cx::new(now, &mut rng, &mut fates));
                check(pkt.is_none() || !held_back, || broke("a packet left before it was ready".into()))?;
                on_wire = pkt.filter(|_| rules.wire_counts).map_or(Bytes(0), |pkt| pkt.size());
                let holds = disc.ready().is_some_and(|at| at > now);
                let ended = !fates.is_empty() || held_back || holds;
                expected.settle(&mut fates, None).map_err(broke)?;
                expected.depart(pkt, ended).map_err(broke)?;
            }
        }
        expected.compare(&disc).map_err(broke)?;
        check(probe_names(&disc).map_err(broke)? == names, || {
            broke("the names of its probes changed".into())
        })?;
    }
    expected.report.waiting = disc.len() as u64;
    expected.report.transcript.push((rng.1, 'u'));
    Ok(expected.report)
}

fn check(holds: bool, rule: impl FnOnce() -> String) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(rule())
    }
}

/// The names of the probes; values that are probabilities by name must lie in [0, 1].
fn probe_names<D: QueueDisc<KitPacket>>(disc: &D) -> Result<Vec<&'static str>, String> {
    let mut probe = Probe::default();
    disc.probe(&mut probe);
    for (name, value) in &probe.values {
        let probability = name.starts_with("p_") || name.ends_with("_p") || name.ends_with("prob");
        let sane = value.is_finite() && (!probability || (0.0..=1.0).contains(value));
        check(sane, || format!("probe {name} = {value}"))?;
    }
    Ok(probe.values.into_iter().map(|(name, _)| name).collect())
}

impl Expected<'_> {
    fn arrive(&mut self, pkt: KitPacket) {
        self.report.arrived += 1;
        self.inside.insert(pkt.id, pkt);
        self.order.push_back(pkt.id);
    }

    /// Enters the fates of one call; `arriving` is the packet it was about.
    fn settle(&mut self, fates: &mut Vec<Fate<KitPacket>>, arriving: Option<u64>) -> Result<(), String> {
        for fate in fates.drain(..) {
            match fate {
                Fate::Dropped(pkt, reason) => self.dropped(pkt, reason, arriving)?,
                Fate::Marked(pkt, _) => self.marked(pkt, arriving)?,
            }
        }
        Ok(())
    }

    fn dropped(&mut self, pkt: KitPacket, reason: Reason, arriving: Option<u64>) -> Result<(), String> {
        let known = self.inside.remove(&pkt.id);
        check(known.is_some(), || format!("packet {} was dropped but is not inside", pkt.id))?;
        check(self.decides == Decides::Later || arriving == Some(pkt.id), || {
            format!("packet {} was accepted and then dropped, yet it decides at arrival", pkt.id)
        })?;
        let spared = self.rules.spares_capable && pkt.ecn.capable() && reason == Reason::Early;
        check(!spared, || format!("packet {} is ECN-capable and was dropped early", pkt.id))?;
        self.order.retain(|id| *id != pkt.id);
        self.report.dropped += 1;
        self.report.transcript.push((pkt.id, 'x'));
        Ok(())
    }

    fn marked(&mut self, pkt: KitPacket, arriving: Option<u64>) -> Result<(), String> {
        let known =
            self.inside.get_mut(&pkt.id).ok_or(format!("packet {} was marked from outside", pkt.id))?;
        check(known.ecn.capable(), || format!("packet {} is not ECN-capable and was marked", pkt.id))?;
        check(self.rules.marks, || format!("packet {} was marked, yet marking is off", pkt.id))?;
        check(self.decides == Decides::Later || arriving == Some(pkt.id), || {
            format!("packet {} was accepted and then marked, yet it decides at arrival", pkt.id)
        })?;
        known.ecn = Ecn::Ce;
        self.report.marked += 1;
        self.report.transcript.push((pkt.id, 'm'));
        Ok(())
    }

    fn depart(&mut self, pkt: Option<KitPacket>, ended: bool) -> Result<(), String> {
        let Some(pkt) = pkt else {
            let waited = !self.inside.is_empty();
            return check(!waited || ended, || {
                "the queue is not empty, but no packet was sent or dropped".into()
            });
        };
        let known = self.inside.remove(&pkt.id);
        let known = known.ok_or(format!("packet {} left but was not inside", pkt.id))?;
        check(pkt == known, || format!("packet {} changed inside: {pkt:?}, was {known:?}", pkt.id))?;
        let first = self.order.front() == Some(&pkt.id);
        check(self.decides == Decides::Later || first, || format!("packet {} left out of order", pkt.id))?;
        let before = self.last.insert(pkt.flow(), pkt.id);
        let in_order = self.rules.reorders || before.is_none_or(|before| before < pkt.id);
        check(in_order, || format!("packet {} was overtaken in its flow", pkt.id))?;
        self.order.retain(|id| *id != pkt.id);
        self.report.left += 1;
        self.report.transcript.push((pkt.id, '>'));
        Ok(())
    }

    /// Compares the length and the backlog that the queue reports with the expected ones.
    fn compare<D: QueueDisc<KitPacket>>(&self, disc: &D) -> Result<(), String> {
        let bytes: u64 = self.inside.values().map(|pkt| u64::from(pkt.size)).sum();
        let (len, backlog) = (disc.len(), disc.backlog().0);
        check(len == self.inside.len(), || format!("len is {len}, should be {}", self.inside.len()))?;
        check(backlog == bytes, || format!("backlog is {backlog} bytes, should be {bytes}"))?;
        check(self.rules.packets.is_none_or(|most| len <= most), || {
            format!("{len} packets are in the queue")
        })?;
        check(self.rules.bytes.is_none_or(|most| backlog <= most.0), || {
            format!("{backlog} bytes are in the queue")
        })
    }
}
