//! Speech over RTP: one codec frame in each packet during a talk spurt, nothing during a pause.
//!
//! *Reference*: frames of 20 ms and their sizes as in RFC 3551 sections 4.5.6 and 4.5.14 (G.729, PCMU); lengths of talk
//! spurts and pauses of ITU-P59: exponential, means 1.004 s and 1.587 s. *Deviations*: one side of a conversation; no
//! comfort noise; a talk spurt begins with a packet and not with a full frame.

use units::param::{require, Check, Param, Problem, Range};
use units::{choices, params, Bytes, Span};

choices! {
    /// How speech is coded.
    pub enum Codec {
        /// 64 kbit/s: 160 bytes in 20 ms.
        G711 = "g711",
        /// 32 kbit/s: 80 bytes in 20 ms.
        G726 = "g726",
        /// 8 kbit/s: 20 bytes in 20 ms.
        G729 = "g729",
    }
}

impl Codec {
    /// Bits a second.
    fn bps(self) -> u64 {
        match self {
            Codec::G711 => 64_000,
            Codec::G726 => 32_000,
            Codec::G729 => 8_000,
        }
    }
}

params! {
    /// One side of a conversation.
    pub struct Voice {
        /// How speech is coded.
        codec: Codec = Codec::G711 => { source: "RFC 3551" },
        /// Speech in a packet.
        frame: Span = Span::from_millis(20) => { range: Range::Within(0.001, 1.0), source: "RFC 3551 section 4.2" },
        /// Headers of a packet.
        headers: Bytes = Bytes(40) => { source: "IPv4 20, UDP 8, RTP 12 (RFC 3550)" },
        /// Whether nothing is sent in pauses; otherwise packets leave all the time.
        suppression: bool = true => { source: "ITU-P59" },
        /// Mean length of a talk spurt.
        talk: Span = Span::from_millis(1004) => { range: Range::Positive, source: "ITU-P59" },
        /// Mean length of a pause.
        pause: Span = Span::from_millis(1587) => { range: Range::Positive, source: "ITU-P59" },
    }
}

impl Voice {
    /// Speech in a packet, in bytes.
    pub(super) fn payload(&self) -> u64 {
        (self.codec.bps() as f64 / 8.0 * self.frame.as_secs()).round() as u64
    }
}

impl Check for Voice {
    fn relations(&self, problems: &mut Vec<Problem>) {
        let least = "lengthen it: G.729 produces a byte in a millisecond";
        require(
            problems,
            self.payload() > 0,
            "frame",
            self.frame.show(),
            "must hold at least one byte of speech",
            least,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::kinds::SourcePart;
    use crate::source::packets::Udp;
    use units::Rate;

    #[test]
    fn rates_on_the_wire_by_hand() {
        // Fifty packets a second: (160 + 40) * 8 * 50, (80 + 40) * 8 * 50, (20 + 40) * 8 * 50.
        for (codec, packet, rate) in
            [(Codec::G711, 200, 80_000), (Codec::G726, 120, 48_000), (Codec::G729, 60, 24_000)]
        {
            let plan = Voice { codec, ..Voice::default() }.datagrams(&Udp::default()).unwrap();
            assert_eq!((plan.packet, plan.rate), (Bytes(packet), Rate(rate)));
        }
        let short = Voice { codec: Codec::G729, frame: Span(100_000), ..Voice::default() };
        assert_eq!(units::param::Valid::new(short).unwrap_err()[0].path, "frame");
    }
}
