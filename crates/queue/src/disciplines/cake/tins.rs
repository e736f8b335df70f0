//! Tins: the classes of traffic in each, the share of the link above which it has low priority, and its target delay.
//!
//! Reference: HTM18 section III; tc-cake(8) for code points and thresholds; RFC8622 for LE.
//! Units: shares are of the shaper's rate; code points are the six bits of RFC2474.

use crate::codel::check_times;
use alloc::vec::Vec;
use units::param::Problem;
use units::{Bytes, Rate, Span};

units::choices! {
    /// How many tins there are, and which code points go into which.
    pub enum Tins {
        /// One for all.
        BestEffort = "besteffort",
        /// Bulk, best effort, voice.
        DiffServ3 = "diffserv3",
        /// Bulk, best effort, video, voice.
        DiffServ4 = "diffserv4",
        /// Eight, from background to network control.
        DiffServ8 = "diffserv8",
        /// Eight, one for each value of the old precedence.
        Precedence = "precedence",
    }
}

units::choices! {
    /// The source of a packet's class.
    pub enum ClassIs {
        /// A DiffServ code point, six bits.
        CodePoint = "code_point",
        /// A precedence, three bits: the upper half of a code point.
        Precedence = "precedence",
    }
}

// Code points by name, RFC2474, RFC2597, RFC3246, RFC5865, RFC8622; the two of the old TOS field.
const LE: u8 = 1;
const TOS2: u8 = 2;
const TOS4: u8 = 4;
const CS1: u8 = 8;
const CS2: u8 = 16;
const CS3: u8 = 24;
const CS4: u8 = 32;
const CS5: u8 = 40;
const VA: u8 = 44;
const EF: u8 = 46;
const CS6: u8 = 48;
const CS7: u8 = 56;

/// Whether a code point is one of the three of an assured class.
fn assured(class: u8, code: u8) -> bool {
    code >> 3 == class && matches!(code & 7, 2 | 4 | 6)
}

impl Tins {
    /// The share of the rate up to which each tin goes first, in 65536ths; the least urgent tin first.
    pub(super) fn shares(self) -> Vec<u64> {
        const WHOLE: u64 = 1 << 16;
        match self {
            Tins::BestEffort => vec![WHOLE],
            // Best effort may always send, so bulk is placed above it, with a share that limits it.
            Tins::DiffServ3 => vec![WHOLE, WHOLE / 16, WHOLE / 4],
            Tins::DiffServ4 => vec![WHOLE, WHOLE / 16, WHOLE / 2, WHOLE / 4],
            Tins::DiffServ8 | Tins::Precedence => {
                core::iter::successors(Some(WHOLE), |share| Some(share * 7 / 8)).take(8).collect()
            }
        }
    }

    /// The tin of a code point: its place in [`Tins::shares`].
    pub(super) fn of(self, code: u8) -> usize {
        match self {
            Tins::BestEffort => 0,
            Tins::DiffServ3 => match code {
                LE | CS1 => 1,
                TOS4 | VA | EF | CS6 | CS7 => 2,
                _ => 0,
            },
            Tins::DiffServ4 => match code {
                LE | CS1 => 1,
                CS4 | CS5 | VA | EF | CS6 | CS7 => 3,
                TOS4 | CS2 | CS3 => 2,
                _ if (2..=4).any(|class| assured(class, code)) => 2,
                _ => 0,
            },
            Tins::DiffServ8 => match code {
                LE => 0,
                TOS2 | CS1 => 1,
                CS3 => 3,
                TOS4 => 4,
                CS2 => 5,
                CS4 | CS5 | VA | EF => 6,
                CS6 | CS7 => 7,
                _ if assured(1, code) => 1,
                _ if assured(2, code) => 4,
                _ if assured(3, code) || assured(4, code) => 3,
                _ => 2,
            },
            Tins::Precedence => usize::from(code >> 3 & 7),
        }
    }
}

impl ClassIs {
    /// The code point of a class.
    #[inline]
    pub(super) fn code(self, class: u8) -> u8 {
        match self {
            ClassIs::CodePoint => class & 63,
            ClassIs::Precedence => (class & 7) << 3,
        }
    }
}

/// Values that follow from the share of a tin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terms {
    /// Its threshold rate; zero if there is no shaper.
    pub(super) rate: Rate,
    /// Bytes that it may send in its turn among tins, where there is no shaper.
    pub(super) weight: i64,
    /// Bytes that a queue of it may send in its turn.
    pub(super) quantum: i64,
    /// Target sojourn time, and how long it must be exceeded before a signal.
    pub(super) target: Span,
    pub(super) interval: Span,
    /// Four transmission times of a full frame at the threshold: a sojourn that is not a standing queue.
    pub(super) least: Span,
}

/// A full frame with its Ethernet header.
const FRAME: Bytes = Bytes(1514);

impl Terms {
    /// Whether a packet has waited too long: longer than the target, than a few frames take, and than two frames take for
    /// each of `queues`.
    #[inline]
    pub(super) fn is_late(&self, sojourn: Span, queues: u64) -> bool {
        // `least` is the time of four frames.
        sojourn > self.target && sojourn > self.least && sojourn > Span(self.least.0 / 2 * queues)
    }

    /// The terms of each tin, the least urgent tin first.
    pub(super) fn of(tins: Tins, bandwidth: Option<Rate>, target: Span, interval: Span) -> Vec<Terms> {
        let shares = tins.shares();
        let each = shares.iter().map(|&share| {
            // Whole bytes a second, as in Linux.
            let bytes = bandwidth.map_or(0, |rate| (u128::from(rate.0 / 8) * u128::from(share)) >> 16);
            let rate = Rate(bytes as u64 * 8);
            let frame = rate.time_for(FRAME);
            let floor = Span(frame.0 * 3 / 2);
            let own = target.max(floor);
            let quantum = if rate.0 == 0 { FRAME.0 } else { ((rate.0 / 8) >> 12).clamp(300, FRAME.0) };
            Terms {
                rate,
                weight: (share >> 6).max(1) as i64,
                quantum: quantum as i64,
                target: own,
                interval: (interval + own - target).max(own + own),
                least: Span(4 * frame.0),
            }
        });
        each.collect()
    }
}

/// Times that fit together.
pub(super) fn check(target: Option<Span>, interval: Span, problems: &mut Vec<Problem>) {
    if let Some(target) = target {
        check_times(target, interval, problems);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_are_where_the_manual_puts_them() {
        let by = |tins: Tins, codes: &[u8]| codes.iter().map(|code| tins.of(*code)).collect::<Vec<usize>>();
        let named = [0, LE, CS1, 10, TOS4, CS2, 20, CS3, 30, CS4, 34, CS5, VA, EF, CS6, CS7, 63];
        assert_eq!(by(Tins::DiffServ3, &named), [0, 1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 0]);
        assert_eq!(by(Tins::DiffServ4, &named), [0, 1, 1, 0, 2, 2, 2, 2, 2, 3, 2, 3, 3, 3, 3, 3, 0]);
        assert_eq!(by(Tins::DiffServ8, &named), [2, 0, 1, 1, 4, 5, 4, 3, 3, 6, 3, 6, 6, 6, 7, 7, 2]);
        assert_eq!(by(Tins::Precedence, &named), [0, 0, 1, 1, 0, 2, 2, 3, 3, 4, 4, 5, 5, 5, 6, 7, 7]);
        assert_eq!(ClassIs::Precedence.code(5), CS5);
    }

    #[test]
    fn a_slow_tin_may_wait_for_one_and_a_half_frames() {
        // 10 Mbit/s: bulk has 625 kbit/s, where a frame takes 19.379 ms.
        let (target, interval) = (Span::from_millis(5), Span::from_millis(100));
        let terms = Terms::of(Tins::DiffServ3, Some(Rate(10_000_000)), target, interval);
        assert_eq!((terms[0].target, terms[0].interval, terms[0].quantum), (target, interval, 305));
        assert_eq!(terms[1].rate, Rate(625_000));
        assert_eq!(terms[1].target, Span(29_068_800));
        assert_eq!(terms[1].interval, Span(124_068_800));
        // Voice: 2.5 Mbit/s, a frame 4.8448 ms.
        assert_eq!(terms[2].target, Span(7_267_200));
        assert_eq!(terms[2].interval, Span(102_267_200));
        assert_eq!(terms[2].quantum, 300);
    }
}
