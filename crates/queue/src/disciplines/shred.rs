//! SHRED: RED that spares packets of small windows, since a short flow pays for a loss with a timeout.
//!
//! Reference: CKH04.
//! Units: as in RED; `rtt` is simulated time, a window counts packets.
//! Deviations: of the paper the abstract was available, and its two equations from memory: with the window of a packet
//! as a share of the mean window, the lower threshold moves by the rest of the share towards the upper one, and `max_p`
//! shrinks to the share. The paper's packets carry their window as a hint of the sender or of an edge router; here the
//! hint is that of an edge: the packets of the flow that came in the present `rtt` or in the one before it.

use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::red::shared_params::red_params;
use crate::red::wrapped::{as_red, red_setting};
use crate::red::{self, Red};
use crate::registry::{Discipline, Setting};
use crate::store::flow_table::FlowTable;
use alloc::vec::Vec;
use units::param::{Check, Problem, Range, Valid};
use units::quantity::Amount;
use units::{Span, Time};

units::choices! {
    /// Treatment of a window above the mean one.
    pub enum AboveMean {
        /// RED's own threshold and `max_p`.
        Plain = "plain",
        /// `max_p` grows in proportion as well.
        Scaled = "scaled",
    }
}

red_params! {
    /// RED that is milder to small windows.
    pub struct Params {
        /// Average queue from which marking begins, for windows from the mean upward.
        min_th: Amount = Amount::Packets(5.0) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`.
        max_th: Amount = Amount::Packets(15.0) => { range: Range::Positive, source: "FJ93" },
        /// Probability just below `max_th`, for windows from the mean upward.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// Weight of a packet's window in the mean window.
        w_c: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), assumed: true },
        /// Time over which the packets of a flow are taken for its window.
        rtt: Span = Span::from_millis(100) => { range: Range::Positive, assumed: true },
        /// Treatment of a window above the mean one.
        above_mean: AboveMean = AboveMean::Plain => { assumed: true },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        red::Params {
            min_th: Some(self.min_th),
            max_th: Some(self.max_th),
            max_p: self.max_p,
            w_q: Some(self.w_q),
            ..self.base()
        }
    }

    /// Lower threshold and `max_p` for a window that is this share of the mean.
    fn law(&self, share: f64, min_th: f64, max_th: f64) -> (f64, f64) {
        if share < 1.0 {
            (min_th + (max_th - min_th) * (1.0 - share), self.max_p * share)
        } else if self.above_mean == AboveMean::Scaled {
            (min_th, (self.max_p * share).min(1.0))
        } else {
            (min_th, self.max_p)
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        self.red().relations(problems);
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Short-lived flow friendly RED (SHRED)";
    const ABOUT: &'static str = "RED with a lower threshold and a max_p for each packet: the smaller the window of its flow \
        against the mean window, the higher the one and the smaller the other. So short transfers, which a loss would cost a \
        timeout, lose less. Built from the abstract of its paper; windows are estimated as an edge router does.";
    const REFERENCE: &'static str = "CKH04, FJ93";
    type Disc<P: Packet + Copy> = Shred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Shred<P> {
        Shred::new(params, setting)
    }

    red_setting!();
}

/// Packets of one flow.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    /// In the last round trip.
    last: u64,
    /// In the present one.
    present: u64,
}

/// State of a SHRED queue.
#[derive(Clone, Debug)]
pub struct Shred<P> {
    red: Red<P>,
    params: Valid<Params>,
    min_th: f64,
    max_th: f64,
    windows: FlowTable<Window>,
    /// Mean window of the arrivals; none before the first.
    mean: Option<f64>,
    next: Time,
}

impl<P: Packet + Copy> Shred<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Shred<P> {
        let red = params.red();
        let resolved = red.resolve(setting);
        Shred {
            red: Red::linear(&red, setting),
            min_th: resolved.min_th,
            max_th: resolved.max_th,
            windows: FlowTable::new(),
            mean: None,
            next: Time::ZERO + params.rtt,
            params: params.clone(),
        }
    }

    /// The window of an arrival's flow as a share of the mean, which takes it in.
    fn share(&mut self, flow: u64) -> f64 {
        let row = self.windows.entry(flow);
        row.present += 1;
        let window = row.present.max(row.last) as f64;
        let w_c = self.params.w_c;
        let mean = self.mean.map_or(window, |mean| (1.0 - w_c) * mean + w_c * window);
        self.mean = Some(mean);
        window / mean
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Shred<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.observe(&pkt, cx);
        let share = self.share(pkt.flow());
        let (min_th, max_p) = self.params.law(share, self.min_th, self.max_th);
        let curve = self.red.curve_mut();
        curve.set_thresholds(min_th, self.max_th);
        curve.set_max_p(max_p, false);
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!();

    fn next_deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, _cx: &mut Cx<'_, P>) {
        for (_, window) in self.windows.iter_mut() {
            *window = Window { last: window.present, present: 0 };
        }
        self.windows.retain(|window| window.last > 0);
        self.next += self.params.rtt;
    }

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("mean_window", self.mean.unwrap_or(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    #[test]
    fn the_law_by_hand() {
        let at = |rows: &[(&str, &str)], share| params::<Params>(rows).law(share, 4.0, 20.0);
        let rows = [("max_p", "0.125")];
        // A quarter of the mean: 12 of the 16 packets between the thresholds, and a quarter of max_p.
        assert_eq!(
            [at(&rows, 0.25), at(&rows, 1.0), at(&rows, 4.0)],
            [(16.0, 0.03125), (4.0, 0.125), (4.0, 0.125)]
        );
        let scaled = [("max_p", "0.125"), ("above_mean", "scaled")];
        assert_eq!(
            [at(&scaled, 0.5), at(&scaled, 4.0), at(&scaled, 99.0)],
            [(12.0, 0.0625), (4.0, 0.5), (4.0, 1.0)]
        );
    }

    #[test]
    fn a_window_is_the_larger_count_of_two_round_trips() {
        let mut bench = Bench::new(Shred::<Pkt>::new(&params(&[("w_c", "0.5")]), &SETTING));
        (0..4).for_each(|_| bench.arrive(0, Pkt::new(0)));
        // Windows 1, 2, 3, 4: means 1, 1.5, 2.25, 3.125.
        assert_eq!(bench.probe("mean_window"), 3.125);
        bench.tick_until(100_000);
        bench.arrive(100_000, Pkt::new(0));
        assert_eq!(bench.probe("mean_window"), (3.125 + 4.0) / 2.0);
        bench.tick_until(300_000);
        assert_eq!(bench.disc.windows.len(), 0, "two round trips without a packet");
    }

    #[test]
    fn the_first_packet_of_a_flow_meets_a_higher_threshold() {
        let rows = [("w_q", "0.999999"), ("w_c", "0.000001"), ("max_p", "1")];
        let mut bench = Bench::new(Shred::<Pkt>::new(&params(&rows), &SETTING));
        (0..2).for_each(|_| bench.arrive(0, Pkt::new(0)));
        bench.disc.mean = Some(10.0);
        bench.rng.0 = 0.0;
        // An average of 12 to 13: a new flow is a tenth of the mean, its threshold 5 + 9 = 14.
        (0..11).for_each(|flow| bench.arrive(0, Pkt { flow: 9 + flow, ..Pkt::new(0) }));
        assert_eq!(bench.dropped(), vec![]);
        // One that has sent ten is judged from 5 upward.
        bench.disc.windows.entry(1).present = 9;
        bench.arrive(0, Pkt { flow: 1, ..Pkt::new(0) });
        assert_eq!(bench.dropped(), vec![13]);
    }
}
