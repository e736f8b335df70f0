//! A run driven step by step, for a host that shows it meanwhile: the plain engine, with one link observed.
//!
//! The result has the bits of [`run`](crate::run()): steps only cut the sequence of events, and observing changes
//! nothing.

mod link_view;

use crate::account::Trace;
use crate::build::{build, measurement_window};
use crate::network::{Network, Plain};
use crate::outcome::{Outcome, StoppedBy};
use crate::plan::Plan;
use crate::run::check_conservation;
use crate::source::Source;
pub use link_view::{
    DrawnPacket, FlowPassages, LinkView, SOJOURN_BINS, SOJOURN_FIRST_MS, SOJOURN_PER_DECADE,
};
use queue::disc::Probe;
use units::time::DOUBLES;
use units::{Span, Time};

/// The state of the observed link at one moment, and its packets since the sample before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSample {
    /// Time of the sample.
    pub time: Time,
    /// Packets in the queue.
    pub queue_pkts: u64,
    /// Bytes in the queue.
    pub queue_bytes: u64,
    /// The discipline's own average, in the unit of its thresholds.
    pub avg: Option<f64>,
    /// The discipline's probability of a drop or mark, if it has one.
    pub probability: Option<f64>,
    /// Packets that arrived, were dropped, were marked and departed since the sample before.
    pub counts: [u32; 4],
    /// Bytes that departed since then.
    pub departed_bytes: u64,
    /// Mean sojourn time of the packets that departed since then; zero if there are none.
    pub sojourn: Span,
}

/// A run in progress.
pub struct Session {
    plan: Plan,
    seed: u64,
    link: usize,
    network: Network<Plain>,
    view: LinkView,
    samples: Vec<LinkSample>,
    now: Time,
    events: u64,
    ended: bool,
}

/// Names under which disciplines report a probability of a drop or mark, the first that is there counts.
const PROBABILITIES: [&str; 8] =
    ["p_b", "drop_prob", "prob", "p_m", "p_drop", "p_classic", "p_mean", "highest_drop_prob"];

impl Session {
    /// A run of this plan at its start. Observes the link with this number among [`Plan::links`].
    ///
    /// # Panics
    /// If there is no such link, or the plan asks for a clock of doubles and this instance of the engine counts
    /// nanoseconds.
    pub fn new(plan: Plan, seed: u64, link: usize) -> Session {
        assert!(DOUBLES || !plan.run.in_doubles(), "clock = \"doubles\" is for the engine of doubles/sim");
        assert!(link < plan.links.len(), "no link {link}");
        let window = measurement_window(&plan, false);
        let mut network = build(&plan, seed, window, Trace::new(false), Plain::default());
        network.observe(link as u32);
        let view = LinkView::new(plan.flows(), window.warmup);
        let (now, samples) = (plan.run.start, Vec::new());
        Session { plan, seed, link, network, view, samples, now, events: 0, ended: false }
    }

    /// Executes events up to `until`, in steps of `step` with a [`LinkSample`] after each, and stops early after the
    /// step in which `most` events are exceeded. Returns the time reached.
    pub fn advance(&mut self, until: Time, step: Span, most: u64) -> Time {
        let end = self.network.window.end;
        let until = until.min(end);
        let stop = self.events.saturating_add(most).min(self.plan.run.max_events);
        while self.now < until && self.events < stop {
            let next = (self.now + step.max(Span(1))).min(until);
            let (done, more) = self.network.advance_until(next, stop - self.events);
            self.events += done;
            if more {
                // In the middle of a step: the next call continues from here.
                break;
            }
            self.now = next;
            self.sample();
        }
        self.ended = self.now >= end || self.events >= self.plan.run.max_events;
        self.now
    }

    fn sample(&mut self) {
        let passages = self.network.take_passages();
        self.view.record(&passages);
        let link = &self.network.links[self.link];
        let mut probe = Probe::default();
        link.discipline().into_iter().for_each(|disc| queue::disc::QueueDisc::probe(disc, &mut probe));
        let named =
            |name: &&str| probe.values.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
        let (queue_bytes, avg) = link.discipline().map_or((0, None), |disc| {
            (queue::disc::QueueDisc::backlog(disc).0, queue::disc::QueueDisc::avg(disc))
        });
        let (counts, departed_bytes, sojourn) = self.view.take_interval();
        self.samples.push(LinkSample {
            time: self.now,
            queue_pkts: link.queue_len() as u64,
            queue_bytes,
            avg,
            probability: PROBABILITIES.iter().find_map(named),
            counts,
            departed_bytes,
            sojourn,
        });
    }

    /// The samples since the last call.
    pub fn take_samples(&mut self) -> Vec<LinkSample> {
        std::mem::take(&mut self.samples)
    }

    /// The observed link: its counts so far, and the packets in its queue.
    pub fn view(&self) -> &LinkView {
        &self.view
    }

    /// Names and values of the quantities that the observed discipline reports.
    pub fn discipline_values(&self) -> Vec<(&'static str, f64)> {
        let mut probe = Probe::default();
        let disc = self.network.links[self.link].discipline();
        disc.into_iter().for_each(|disc| queue::disc::QueueDisc::probe(disc, &mut probe));
        probe.values
    }

    /// The congestion window of a flow in segments, or the allowed rate in bit/s of a rate-based one; `None` for the
    /// others.
    pub fn window_of(&self, flow: usize) -> Option<f64> {
        match &self.network.flows.get(flow)?.source {
            Source::Tcp(sender) => Some(sender.cwnd()),
            Source::App(source) => Some(source.sender.cwnd()),
            Source::Rated(source) => Some(8.0 * source.rate()),
            Source::Udp(_) | Source::Origin(_) => None,
        }
    }

    /// The plan it runs.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The time reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether the run is over.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Ends the run, at its duration or, if it is not over, at the present moment, and returns its outcome with the
    /// plan.
    ///
    /// # Panics
    /// If a packet was created or lost, which is a fault of the program.
    pub fn into_outcome(self) -> (Outcome, Plan) {
        let whole = self.now >= self.network.window.end;
        let stopped_by = match (whole, self.ended) {
            (true, _) => StoppedBy::Duration,
            (false, true) => StoppedBy::Events,
            (false, false) => StoppedBy::Watch,
        };
        let mut records = self.network.into_records(self.now);
        check_conservation(&records, whole);
        records.gather_sessions(self.plan.flows());
        (Outcome { records, seed: self.seed, stopped_by, events: self.events, end: self.now }, self.plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::{run, Options};

    fn plan(queue: &str) -> Plan {
        let text = format!(
            "[run]\nduration = \"4 s\"\nwarmup = \"1 s\"\n[dumbbell]\nrate = \"5 Mbit/s\"\n[queue]\nkind = \"{queue}\"\n\
             [flows.tcp]\ncount = 4\n[flows.web]\nsource = \"http\"\n[flows.udp]\ntransport = \"udp\"\nsource = \"voice\"\n"
        );
        Scenario::parse(&text).expect("a sound scenario").plan()
    }

    /// A run in uneven steps, with at most some events a call, has the digest of the run in one piece.
    #[test]
    fn steps_change_no_bit() {
        for kind in ["droptail", "red", "codel", "fq_codel", "pie"] {
            let whole = run(&plan(kind), 7, &Options::default()).digest(&plan(kind));
            let mut session = Session::new(plan(kind), 7, 0);
            let mut until = Time::ZERO;
            while !session.has_ended() {
                until += Span::from_millis(37);
                session.advance(until.max(session.now() + Span(1)), Span::from_millis(5), 40);
            }
            let (outcome, plan) = session.into_outcome();
            assert_eq!(outcome.digest(&plan), whole, "{kind}");
        }
    }

    /// The view has as many packets as the queue, and each arrival departed, was dropped, or is still in the queue.
    #[test]
    fn the_picture_of_the_queue_is_the_queue() {
        for kind in ["droptail", "red", "codel", "fq_codel", "sfq"] {
            let mut session = Session::new(plan(kind), 3, 0);
            let mut longest = 0;
            for step in 1..=800u64 {
                session.advance(Time(step * 5_000_000), Span::from_millis(5), u64::MAX);
                let last = session.take_samples().pop().expect("a sample for each step");
                assert_eq!(session.view().queue().len() as u64, last.queue_pkts, "{kind} at {:?}", last.time);
                longest = longest.max(last.queue_pkts);
            }
            assert!(longest > 5, "{kind}: the queue was never longer than {longest}");
        }
    }
}
