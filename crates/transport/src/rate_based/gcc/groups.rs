//! Groups of packets, and the change of the one-way delay from one to the next.
//!
//! *Reference*: GCC02 sections 5.1 and 5.2.
//! *Units*: milliseconds.
//! *Deviations*: a group that arrives in a burst ends after `longest_group`, as WebRTC's does.

use units::{Span, Time};

/// `later - earlier` in milliseconds, of either sign.
pub(super) fn ms_between(later: Time, earlier: Time) -> f64 {
    later.since(earlier).as_millis() - earlier.since(later).as_millis()
}

/// A group ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupSample {
    /// Arrival of its last packet.
    pub arrived: Time,
    /// Time between the departures of its last packet and that of the group before.
    pub departures: f64,
    /// The same of arrivals.
    pub arrivals: f64,
}

impl GroupSample {
    /// Inter-group delay variation `d(i)`.
    pub fn variation(&self) -> f64 {
        self.arrivals - self.departures
    }
}

#[derive(Clone, Copy, Debug)]
struct Group {
    first_sent: Time,
    sent: Time,
    first_arrived: Time,
    arrived: Time,
}

/// Sorts packets into groups.
#[derive(Clone, Debug)]
pub struct Groups {
    burst: f64,
    longest: Option<f64>,
    current: Option<Group>,
    /// Last departure and last arrival of the group before.
    before: Option<(Time, Time)>,
}

impl Groups {
    /// No packets yet. `longest`: zero for none.
    pub fn new(burst: Span, longest: Span) -> Groups {
        let longest = (longest > Span::ZERO).then(|| longest.as_millis());
        Groups { burst: burst.as_millis(), longest, current: None, before: None }
    }

    /// Takes the next packet in order; returns the group that it ends.
    pub fn on_packet(&mut self, sent: Time, arrived: Time) -> Option<GroupSample> {
        let fresh = Group { first_sent: sent, sent, first_arrived: arrived, arrived };
        let Some(group) = self.current.as_mut() else {
            self.current = Some(fresh);
            return None;
        };
        let gap = ms_between(arrived, group.arrived);
        let variation = gap - ms_between(sent, group.sent);
        let short = self.longest.is_none_or(|longest| ms_between(arrived, group.first_arrived) < longest);
        let burst = gap < self.burst && variation < 0.0 && short;
        if burst || ms_between(sent, group.first_sent) < self.burst {
            (group.sent, group.arrived) = (sent, arrived);
            return None;
        }
        let ended = (group.sent, group.arrived);
        let sample = self.before.map(|before| GroupSample {
            arrived: ended.1,
            departures: ms_between(ended.0, before.0),
            arrivals: ms_between(ended.1, before.1),
        });
        (self.before, self.current) = (Some(ended), Some(fresh));
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variations(groups: &mut Groups, packets: &[(u64, u64)]) -> Vec<f64> {
        let ms = |ms: u64| Time(ms * 1_000_000);
        packets
            .iter()
            .filter_map(|&(sent, arrived)| groups.on_packet(ms(sent), ms(arrived)))
            .map(|sample| sample.variation())
            .collect()
    }

    /// Frames of two packets each 30 ms; the last packet of the second arrives 4 ms later than it would, that of the
    /// third does not: 4, then -4. Each sample comes with the first packet after its group.
    #[test]
    fn the_last_packets_of_groups_are_compared() {
        let mut groups = Groups::new(Span::from_millis(5), Span::ZERO);
        let packets = [(0, 20), (2, 23), (30, 50), (32, 57), (60, 80), (62, 83), (90, 110)];
        assert_eq!(variations(&mut groups, &packets), [4.0, -4.0]);
    }

    /// After an outage 20 groups arrive 1 ms apart: one group. With a limit of 10 ms there are more.
    #[test]
    fn a_burst_is_one_group() {
        let packets: Vec<(u64, u64)> = (0..3)
            .map(|n| (10 * n, 10 * n + 20))
            .chain((3..23).map(|n| (10 * n, 400 + n)))
            .chain([(230, 440)])
            .collect();
        let mut merged = Groups::new(Span::from_millis(5), Span::ZERO);
        assert_eq!(variations(&mut merged, &packets).len(), 3);
        let mut limited = Groups::new(Span::from_millis(5), Span::from_millis(10));
        assert_eq!(variations(&mut limited, &packets).len(), 4);
    }
}
