//! State that the fast engine stores with a flow: tail-drop links that this flow alone uses, and when its ends have
//! more to do than process an arrival.

use super::{DroptailLink, FastLink, FastStep};
use crate::account::{MeasurementWindow, Trace};
use crate::calendar::Key;
use crate::network::{Flow, Transit};
use units::Time;

/// Tail-drop links without a probe that only one flow uses, at the beginning and the end of the route of one end.
#[derive(Default)]
pub(super) struct PrivateLinks {
    pub(super) first: Option<DroptailLink>,
    pub(super) last: Option<DroptailLink>,
}

impl FastStep for PrivateLinks {
    /// A link, and the number of routes that lead over it.
    type Situation<'a> = (&'a DroptailLink, u32);

    /// Only one route leads over the link, and nothing is recorded of it.
    fn is_eligible((link, routes): (&DroptailLink, u32)) -> bool {
        routes == 1 && !link.has_probe()
    }
}

/// The fast engine's state of a flow; in all arrays the sending end is first.
#[derive(Default)]
pub struct FastFlow {
    /// The private links of the packets that each end sends.
    pub(super) private: [PrivateLinks; 2],
    /// When the probe next has to record more at each end than it records of every packet.
    pub(super) probe_due: [Time; 2],
    /// The earlier of that and the next deadline of each end.
    pub(super) next_due: [Time; 2],
}

/// Why a packet did not pass a flow's last link.
pub(super) enum StopReason {
    /// The run ends before it arrives.
    AfterEnd(Transit),
    /// The queue of the link with this number overflowed.
    Overflow(u32, Transit),
}

impl Flow<FastFlow> {
    /// Passes the private last link of the packets of an end, if that link is idle; returns the time of arrival.
    #[inline(always)]
    pub(super) fn pass_last_link(&mut self, side: usize, size: u32, now: Time) -> Option<Time> {
        match &mut self.state.private[side].last {
            Some(link) => link.pass_if_idle(size, now),
            None => Some(now),
        }
    }

    /// The same if the link is busy, or if the packet passed it after the end of the run (`late`).
    pub(super) fn pass_last_link_slow(
        &mut self,
        transit: &Transit,
        late: Option<Time>,
        end: Time,
    ) -> Result<Key, StopReason> {
        let (pkt, key) = (transit.pkt, transit.key());
        let private = &mut self.state.private[usize::from(pkt.is_back())];
        let link = private.last.as_mut().filter(|_| key.time <= end);
        let Some(link) = link else { return Err(StopReason::AfterEnd(*transit)) };
        let late = late.map(|time| Key { time, birth: key.time, component: link.component() });
        match late.or_else(|| link.pass_without_probe(pkt.size, key)) {
            Some(last) if last.time <= end => Ok(last),
            Some(last) => Err(StopReason::AfterEnd(Transit::new(pkt, last))),
            None => Err(StopReason::Overflow(link.component(), *transit)),
        }
    }

    /// Records when a source is due, if that is sooner than before. Returns whether it needs an earlier timer.
    #[inline(always)]
    pub(super) fn needs_earlier_timer(&mut self, due: Time) -> bool {
        if due < self.state.next_due[0] {
            self.state.next_due[0] = due;
        }
        due < self.armed_for[0]
    }

    /// Updates the time at which an end next has to record more than it records of every packet.
    pub(super) fn update_due(&mut self, side: usize, window: &MeasurementWindow, trace: &Trace) {
        self.state.probe_due[side] =
            if trace.is_kept() { Time::ZERO } else { self.probe.next_due(side, window) };
        self.state.next_due[side] = self.deadline(side).min(self.state.probe_due[side]);
    }
}
