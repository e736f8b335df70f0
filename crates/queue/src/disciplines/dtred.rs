//! Dynamic-threshold RED: thresholds are shares of the buffer that is still free, by class.
//!
//! Reference: SW07 names the idea (thresholds follow free buffer space and the priority of a packet).
//! Units: as in RED; shares are plain.
//! Deviations: of SW07 only the abstract was available, so this is not PDT-RED: it is the simplest law that
//! does as the abstract says, `threshold = share (limit - q)` with a pair of shares for each class.

use crate::classes::ClassBy;
use crate::disc::{Cx, Packet, Probe, QueueDisc};
use crate::fifo::Unit;
use crate::red::shared_params::red_params;
use crate::red::wrapped::{as_red, red_setting};
use crate::red::{self, MarkingCurve, Red};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Problem, Range, Valid};
use units::quantity::Amount;

red_params! {
    /// RED with thresholds from the free part of the buffer.
    pub struct Params {
        /// The part of a packet's class that counts.
        class_by: ClassBy = ClassBy::Number => { source: "RFC2474", assumed: true },
        /// Lower threshold of each class, as a share of the free buffer; further classes use the last.
        min_share: Vec<f64> = vec![0.2, 0.3, 0.4] => { unit: "1", range: Range::Positive, assumed: true },
        /// Upper threshold of each class, as a share of the free buffer; further classes use the last.
        max_share: Vec<f64> = vec![0.6, 0.8, 1.0] => { unit: "1", range: Range::Positive, assumed: true },
        /// Probability just below the upper threshold.
        max_p: f64 = 0.1 => { unit: "1", range: Range::Above(0.0, 1.0), assumed: true },
        /// Weight of a new sample in the average.
        w_q: f64 = 0.002 => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
    }
}

impl Params {
    fn red(&self) -> red::Params {
        let share = |share: f64| match self.limit {
            Amount::Packets(n) => Amount::Packets(n * share),
            Amount::Bytes(n) => Amount::Bytes(n * share),
        };
        let first = |list: &[f64]| list.first().copied().unwrap_or(0.0);
        red::Params {
            min_th: Some(share(first(&self.min_share))),
            max_th: Some(share(first(&self.max_share))),
            max_p: self.max_p,
            w_q: Some(self.w_q),
            ..self.base()
        }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        let (min, max) = (&self.min_share, &self.max_share);
        let as_long = !max.is_empty() && min.len() == max.len();
        let rule = format!("must name as many classes as min_share ({})", min.len());
        require(problems, as_long, "max_share", max.len(), rule, "");
        let above = min.iter().zip(max).all(|(min, max)| max > min);
        require(problems, above, "max_share", max.len(), "must exceed min_share in each class", "");
        if as_long && above {
            self.red().relations(problems);
        }
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Dynamic-threshold RED";
    const ABOUT: &'static str =
        "RED whose thresholds shrink as the buffer fills, with larger shares for classes of higher \
        priority. Inspired by PDT-RED, whose paper was not available; no claim to be it.";
    const REFERENCE: &'static str = "SW07, PD14, FJ93";
    type Disc<P: Packet + Copy> = Dtred<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Dtred<P> {
        Dtred::new(params, setting)
    }

    red_setting!();
}

/// State of a dynamic-threshold RED queue.
#[derive(Clone, Debug)]
pub struct Dtred<P> {
    red: Red<P>,
    /// Lower and upper share of each class.
    shares: Vec<(f64, f64)>,
    class_by: ClassBy,
    limit: f64,
}

impl<P: Packet + Copy> Dtred<P> {
    /// An empty queue.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Dtred<P> {
        let red = params.red();
        let resolved = red.resolve(setting);
        Dtred {
            red: Red::linear(&red, setting),
            shares: params.min_share.iter().copied().zip(params.max_share.iter().copied()).collect(),
            class_by: params.class_by,
            limit: match params.unit {
                Unit::Packets => params.limit.in_packets(resolved.mean_packet),
                Unit::Bytes => params.limit.in_bytes(resolved.mean_packet),
            },
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Dtred<P> {
    #[inline]
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        let q = self.red.observe(&pkt, cx);
        let free = (self.limit - q).max(0.0);
        let (min, max) = self.shares[self.class_by.place(pkt.class()).min(self.shares.len() - 1)];
        self.red.curve_mut().set_thresholds(min * free, max * free);
        self.red.judge(pkt, q, cx);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        self.red.dequeue(cx)
    }

    as_red!();

    fn probe(&self, out: &mut Probe) {
        self.red.probe(out);
        out.note("min_th", self.red.curve().min_th());
        out.note("max_th", self.red.curve().max_th());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{params, Bench, Pkt, SETTING};

    #[test]
    fn thresholds_are_shares_of_what_is_free() {
        let mut bench = Bench::new(Dtred::new(&params(&[]), &SETTING));
        (0..51).for_each(|_| bench.arrive(0, Pkt::new(0)));
        // The last arrival found 50 of 100 waiting.
        assert_eq!((bench.probe("min_th"), bench.probe("max_th")), (10.0, 30.0));
        bench.arrive(0, Pkt { class: 2, ..Pkt::new(0) });
        assert!((bench.probe("min_th") - 0.4 * 49.0).abs() < 1e-12 && bench.probe("max_th") == 49.0);
    }

    #[test]
    fn lists_of_one_length_in_the_right_order() {
        let short = Params { max_share: vec![0.6], ..Params::default() };
        assert_eq!(Valid::new(short).unwrap_err()[0].path, "max_share");
        let crossed = Params { max_share: vec![0.1, 0.8, 1.0], ..Params::default() };
        assert!(Valid::new(crossed).is_err());
    }
}
