//! Marks and drops: the effect of a signal on the arriving packet, and the victim of a forced drop or a full
//! buffer.
//!
//! Reference: FJ93 drops the arriving one; the others are those of ALTQ and ns-2.35.
//! Units: none.
//! Deviations: none.

use super::{MarkingCurve, Red, RedVictim, Signal};
use crate::disc::{Cx, Packet, Reason};

/// Resolution of the random number whose remainder selects a victim.
const TWO_31: f64 = 2_147_483_648.0;

impl<P: Packet + Copy, L: MarkingCurve> Red<P, L> {
    /// Marks or drops for a signal; returns the packet if it is to be stored.
    #[cold]
    pub(super) fn answer(&mut self, pkt: P, signal: Signal, cx: &mut Cx<'_, P>) -> Option<P> {
        let rules = self.rules;
        if rules.spares && !pkt.ecn().capable() {
            return Some(pkt);
        }
        match signal {
            // A full buffer chooses its victim, also if the draw drops the arriving packet.
            Signal::Early { p_b } if rules.takes_one && !self.queue.has_room(&pkt, cx) => {
                let marks = rules.ecn && p_b < rules.mark_limit && pkt.ecn().capable();
                if marks {
                    cx.mark_or_drop(pkt, true, Reason::Early)
                } else {
                    Some(pkt)
                }
            }
            Signal::Early { p_b } => cx.mark_or_drop(pkt, rules.ecn && p_b < rules.mark_limit, Reason::Early),
            Signal::Step => cx.mark_or_drop(pkt, true, Reason::Forced),
            Signal::Forced if rules.ecn && rules.ecn_forced && pkt.ecn().capable() => {
                cx.mark_or_drop(pkt, true, Reason::Forced)
            }
            Signal::Forced => match rules.victim {
                RedVictim::Arriving => self.end(None, pkt, Reason::Forced, cx),
                RedVictim::Random => {
                    let victim = self.draw(cx);
                    self.end(victim, pkt, Reason::Forced, cx)
                }
                RedVictim::RandomOne | RedVictim::Second => {
                    let reason =
                        if self.queue.has_room(&pkt, cx) { Reason::Forced } else { Reason::Overflow };
                    self.end_one(pkt, reason, cx);
                    None
                }
            },
        }
    }

    #[cold]
    pub(super) fn overflow(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if self.rules.overflow_resets_count {
            self.marker.restart();
        }
        if self.rules.takes_one {
            return self.end_one(pkt, Reason::Overflow, cx);
        }
        let random = self.rules.victim == RedVictim::Random && self.queue.could_hold(&pkt, cx);
        let mut arriving = Some(pkt);
        while let Some(kept) = arriving {
            if self.queue.has_room(&kept, cx) {
                self.queue.push(kept, cx);
                return;
            }
            let victim = if random { self.draw(cx) } else { None };
            arriving = self.end(victim, kept, Reason::Overflow, cx);
        }
    }

    /// Drops one packet, and stores the arriving one if it is another, without a check of the limit.
    fn end_one(&mut self, pkt: P, reason: Reason, cx: &mut Cx<'_, P>) {
        let victim = match self.rules.victim {
            RedVictim::Second => self.queue.pop_at(1.min(self.queue.len())),
            _ => {
                let i = (cx.uniform() * TWO_31) as u64 % (self.queue.len() as u64 + 1);
                self.queue.pop_at(i as usize)
            }
        };
        if let Some(kept) = self.end(victim, pkt, reason, cx) {
            self.queue.push(kept, cx);
        }
    }

    /// Draws a packet of the queue, or `None` for the arriving packet, each equally likely.
    fn draw(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        let i = (cx.uniform() * (self.queue.len() + 1) as f64) as usize;
        self.queue.pop_at(i)
    }

    /// Drops `victim`, or the arriving packet if there is none; hands the arriving packet back if it stays.
    fn end(&mut self, victim: Option<P>, pkt: P, reason: Reason, cx: &mut Cx<'_, P>) -> Option<P> {
        cx.drop(victim.unwrap_or(pkt), reason);
        victim.is_some().then_some(pkt)
    }
}
