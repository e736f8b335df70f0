//! The controller of the classic queue, and the marks of the other.

use super::{Draw, Overload, Params, Side};
use crate::disc::{Cx, Packet};
use units::Span;

/// The controller: its output p' moves with the delay, is squared for classic packets and coupled for scalable ones.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    target: f64,
    alpha: f64,
    beta: f64,
    coupling: f64,
    drops_low_latency: bool,
    base: f64,
    qdelay_old: f64,
}

impl Controller {
    pub(super) fn new(params: &Params) -> Controller {
        Controller {
            target: params.target.as_secs(),
            alpha: params.alpha,
            beta: params.beta,
            coupling: params.coupling,
            drops_low_latency: params.overload == Overload::Drop,
            base: 0.0,
            qdelay_old: 0.0,
        }
    }

    /// One step, with the delay of the slower queue.
    pub(super) fn update(&mut self, qdelay: Span) {
        let qdelay = qdelay.as_secs();
        let step = self.alpha * (qdelay - self.target) + self.beta * (qdelay - self.qdelay_old);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.qdelay_old = qdelay;
    }

    /// p' itself.
    pub(super) fn base(&self) -> f64 {
        self.base
    }

    /// Probability for classic packets: p'^2.
    pub(super) fn classic(&self) -> f64 {
        self.base * self.base
    }

    /// Probability for scalable packets: k p'.
    pub(super) fn coupled(&self) -> f64 {
        (self.coupling * self.base).min(1.0)
    }

    /// Whether marks of the low-latency queue can rise no further.
    pub(super) fn is_overloaded(&self) -> bool {
        self.coupling * self.base >= 1.0
    }

    /// Whether packets of the low-latency queue are to be dropped as well.
    pub(super) fn drops_low_latency(&self) -> bool {
        self.drops_low_latency && self.is_overloaded()
    }
}

/// The low-latency queue's own marks, and how probabilities become decisions.
#[derive(Clone, Debug)]
pub(super) struct Marking {
    min_th: Span,
    range: Span,
    min_len: u64,
    recurring: bool,
    /// Probabilities added up, for each queue.
    sums: [f64; 2],
}

impl Marking {
    pub(super) fn new(params: &Params) -> Marking {
        Marking {
            min_th: params.min_th,
            range: params.range,
            min_len: params.min_len,
            recurring: params.draw == Draw::Recurring,
            sums: [0.0; 2],
        }
    }

    /// Probability of a mark by sojourn alone; `left` packets stay behind.
    pub(super) fn native(&self, sojourn: Span, left: u64) -> f64 {
        if left < self.min_len || sojourn <= self.min_th {
            0.0
        } else if sojourn >= self.min_th + self.range {
            1.0
        } else {
            (sojourn - self.min_th).ratio(self.range)
        }
    }

    /// Whether an event of probability `p` happens to a packet of this queue.
    pub(super) fn draws<P: Packet + Copy>(&mut self, side: Side, p: f64, cx: &mut Cx<'_, P>) -> bool {
        if !self.recurring {
            return cx.chance(p);
        }
        let sum = &mut self.sums[usize::from(side == Side::Classic)];
        *sum += p;
        let happens = *sum > 1.0;
        if happens {
            *sum -= 1.0;
        }
        happens
    }
}
