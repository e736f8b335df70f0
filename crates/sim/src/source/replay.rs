//! Packets with the times and sizes of a recording, sent without feedback.
//!
//! *Reference*: none: the recording is the model. Files are read by the front, from pcap and pcapng captures.
//! *Units*: times since the start of the flow; bytes of the IP packet, as everywhere on a link.
//! *Deviations*: open loop: recorded TCP packets do not react to the simulated network.

use units::param::{require, Check, Kind, Param, Problem, Range, Value};
use units::{params, quantity, Bytes, Rate, Span};

/// A packet of a recording, written as `"12.5 ms 1500 B"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// When it leaves, from the start.
    pub at: Span,
    /// Its size on the wire.
    pub size: Bytes,
}

impl Param for Departure {
    fn kind() -> Kind {
        let example = "12.5 ms 1500 B";
        Kind { name: "departure", example, choices: Vec::new(), auto: false, list: false }
    }

    fn read(value: &Value) -> Result<Self, String> {
        let read = |text: &str| {
            let gaps = text.char_indices().filter(|(_, c)| c.is_whitespace());
            let halves = gaps.map(|(i, _)| text.split_at(i));
            let mut both =
                halves.filter_map(|(at, size)| Some((quantity::any_span(at)?, quantity::bytes(size)?)));
            both.next().map(|(at, size)| Departure { at, size })
        };
        let departure = if let Value::Text(text) = value { read(text) } else { None };
        departure.ok_or_else(|| {
            format!("must list times and sizes such as \"12.5 ms 1500 B\", which {value} is not")
        })
    }

    fn show(&self) -> Value {
        Value::Text(format!("{} {}", quantity::show_span(self.at), quantity::show_bytes(self.size)))
    }
}

params! {
    /// A recording that is played.
    pub struct Replay {
        /// When each packet leaves, from the start of the flow, and its size on the wire; ascending. `"file:NAME"`
        /// reads them from a pcap or pcapng file.
        packets: Vec<Departure> = Vec::new() => { source: "the recording" },
        /// Whether the recording repeats until the flow stops; otherwise it is sent once.
        repeat: bool = false,
        /// Time from the last packet to the first of the next round; `"auto"` is the mean gap of the recording.
        repeat_after: Option<Span> = None,
        /// Factor on all times: 0.5 plays twice as fast.
        scale: f64 = 1.0 => { unit: "1", range: Range::Within(1e-6, 1e6) },
        /// Headers in each packet, which goodput leaves out.
        headers: Bytes = Bytes(28) => { source: "IPv4 20 and UDP 8 (RFC 791, RFC 768)" },
    }
}

/// The largest packet of IPv6 without jumbograms: 40 bytes of header and 65 535 behind it (RFC 8200 section 4.5).
const LARGEST: u64 = 65_575;

impl Check for Replay {
    fn relations(&self, problems: &mut Vec<Problem>) {
        let mut refuse = |shown: Value, rule: String, remedy: &str| {
            require(problems, false, "packets", shown, rule, remedy);
        };
        let Some(last) = self.packets.last() else {
            let remedy = "write packets = \"file:NAME\" in a scenario file, or a list such as [\"0 ms 1500 B\", \"4 ms 40 B\"]";
            return refuse(self.packets.show(), "must hold at least one packet".into(), remedy);
        };
        let size = |packet: &Departure| (1..=LARGEST).contains(&packet.size.0);
        if let Some(i) = self.packets.iter().position(|packet| !size(packet)) {
            let rule = format!("packet {} must have 1 B to {LARGEST} B", i + 1);
            return refuse(self.packets[i].show(), rule, "");
        }
        if let Some(i) = self.packets.windows(2).position(|pair| pair[1].at < pair[0].at) {
            let rule = format!("packet {} leaves before the one in front of it", i + 2);
            return refuse(self.packets[i + 1].show(), rule, "order them by time");
        }
        let length = last.at.scale(self.scale) - self.packets[0].at.scale(self.scale);
        let period = length + self.repeat_after.unwrap_or_default();
        require(
            problems,
            !self.repeat || period > Span::ZERO,
            "repeat_after",
            self.repeat_after.show(),
            "must be above 0 to repeat packets that all leave at once",
            "write the time until they leave again",
        );
    }
}

impl Replay {
    pub(super) fn recording(&self) -> Recording {
        let scaled = |packet: &Departure| Departure { at: packet.at.scale(self.scale), ..*packet };
        let packets: Vec<Departure> = self.packets.iter().map(scaled).collect();
        let ends = packets.first().zip(packets.last());
        let length = ends.map_or(Span::ZERO, |(first, last)| last.at - first.at);
        let mean_gap = length / (packets.len().max(2) as u64 - 1);
        let period = length + self.repeat_after.unwrap_or(mean_gap);
        Recording { packets, period: self.repeat.then_some(period) }
    }
}

/// The packets to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Ascending.
    packets: Vec<Departure>,
    /// From the first packet of a round to that of the next.
    period: Option<Span>,
}

impl Recording {
    /// A packet, numbered from 0 over all rounds.
    pub fn packet(&self, number: u64) -> Option<Departure> {
        let n = self.packets.len() as u64;
        let Departure { at, size } = *self.packets.get((number % n.max(1)) as usize)?;
        match (number / n, self.period) {
            (0, _) => Some(Departure { at, size }),
            (round, Some(period)) => Some(Departure { at: at + period * round, size }),
            (_, None) => None,
        }
    }

    fn bytes(&self) -> u64 {
        self.packets.iter().map(|packet| packet.size.0).sum()
    }

    pub(super) fn mean_size(&self) -> Bytes {
        Bytes(self.bytes() / (self.packets.len() as u64).max(1))
    }

    /// Over a round; zero for packets that leave at once.
    pub(super) fn mean_rate(&self) -> Rate {
        let whole = self.period.or_else(|| Some(self.packets.last()?.at - self.packets.first()?.at));
        let bps = self.bytes() as f64 * 8.0 / whole.unwrap_or_default().as_secs();
        Rate(if bps.is_finite() { bps.round() as u64 } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::kinds::SourcePart;
    use crate::source::packets::Udp;
    use crate::source::UdpSource;
    use proptest::prelude::*;
    use units::param::Valid;
    use units::{Stream, Time};

    fn replay(packets: &[(u64, u64)]) -> Replay {
        let packets = packets.iter().map(|&(at, size)| Departure { at: Span(at), size: Bytes(size) });
        Replay { packets: packets.collect(), ..Replay::default() }
    }

    /// Times in nanoseconds and sizes of the packets sent before `end`, with a start at 1000.
    fn sent(replay: &Replay, end: u64) -> Vec<(u64, u32)> {
        let plan = replay.datagrams(&Udp::default()).unwrap();
        let mut source = UdpSource::new(plan, Time(end), Stream::new(1, "replay"));
        let (mut now, mut sent) = (Time(1000), Vec::new());
        source.start(now);
        loop {
            sent.extend(source.poll_transmit(now).map(|segment| (segment.sent.0, segment.size)));
            let Some(next) = source.poll_timeout() else { break };
            now = next;
            source.on_timer(now);
        }
        sent
    }

    #[test]
    fn packets_leave_as_recorded() {
        let once = replay(&[(0, 40), (7, 1500), (7, 20), (100, 65_575)]);
        let exact = [(1000, 40), (1007, 1500), (1007, 20), (1100, 65_575)];
        assert_eq!(sent(&once, u64::MAX), exact);
        assert_eq!(sent(&once, 1100), exact[..3], "nothing leaves from the stop on");
        let late = replay(&[(50, 1), (60, 2)]);
        assert_eq!(sent(&late, u64::MAX), [(1050, 1), (1060, 2)]);
        let slow = Replay { scale: 2.5, ..once };
        assert_eq!(sent(&slow, u64::MAX), [(1000, 40), (1018, 1500), (1018, 20), (1250, 65_575)]);
    }

    #[test]
    fn rounds_follow_each_other() {
        // Gaps of 10 and 30 ns: the next round begins 20 ns after the last packet.
        let rounds = Replay { repeat: true, ..replay(&[(5, 1), (15, 2), (45, 3)]) };
        let exact = [(1005, 1), (1015, 2), (1045, 3), (1065, 1), (1075, 2), (1105, 3), (1125, 1)];
        assert_eq!(sent(&rounds, 1130), exact);
        // 6 bytes in 60 ns are 0.8 Gbit/s.
        let plan = rounds.datagrams(&Udp::default()).unwrap();
        assert_eq!((plan.rate, plan.packet), (Rate(800_000_000), Bytes(2)));
        let own = Replay { repeat_after: Some(Span(5)), ..rounds };
        assert_eq!(sent(&own, 1100)[3..], [(1050, 1), (1060, 2), (1090, 3), (1095, 1)]);
    }

    #[test]
    fn goodput_leaves_out_the_headers() {
        let plan = replay(&[(0, 20), (1, 1500)]).datagrams(&Udp::default()).unwrap();
        let source = UdpSource::new(plan, Time::NEVER, Stream::new(1, "replay"));
        assert_eq!((source.payload(20), source.payload(1500)), (0, 1472));
    }

    #[test]
    fn invalid_recordings_are_refused() {
        let path = |replay: Replay| Valid::new(replay).unwrap_err()[0].to_string();
        assert!(path(replay(&[])).starts_with("packets = []: must hold at least one packet"));
        assert_eq!(
            path(replay(&[(0, 1), (9, 0)])),
            "packets = \"9 ns 0 B\": packet 2 must have 1 B to 65575 B"
        );
        assert_eq!(
            path(replay(&[(3, 1), (2, 1)])),
            "packets = \"2 ns 1 B\": packet 2 leaves before the one in front of it; order them by time"
        );
        let burst = Replay { repeat: true, ..replay(&[(0, 1), (0, 1)]) };
        assert!(path(burst.clone()).starts_with("repeat_after = \"auto\": must be above 0"));
        assert!(Valid::new(Replay { repeat_after: Some(Span(1)), ..burst }).is_ok());
    }

    #[test]
    fn spellings_of_a_packet() {
        let exact = Departure { at: Span(12_500_000), size: Bytes(1500) };
        for text in ["12.5 ms 1500 B", "12.5ms 1500B", "12500 us  1.5 kB"] {
            assert_eq!(Departure::read(&Value::Text(text.into())), Ok(exact), "{text}");
        }
        assert_eq!(Departure::read(&Value::Text("0 40 B".into())).map(|packet| packet.at), Ok(Span::ZERO));
        for text in ["12.5 ms", "1500 B", "12.5 1500 B", "1 ms 1500", "1 ms1500 B", ""] {
            assert!(Departure::read(&Value::Text(text.into())).unwrap_err().contains(text), "{text}");
        }
        assert!(Departure::read(&Value::Int(3)).is_err());
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(at in 0u64..10_000_000_000_000, size in 1u64..=LARGEST) {
            let packet = Departure { at: Span(at), size: Bytes(size) };
            prop_assert_eq!(Departure::read(&packet.show()), Ok(packet));
        }
    }
}
