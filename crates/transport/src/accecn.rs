//! Accurate ECN (AccECN): flags of the handshake, counters of marked segments and bytes, and the TCP option
//! with the latter.
//!
//! *Reference*: RFC 9768 sections 3.1 (negotiation), 3.2.1 to 3.2.3 (counters, option) and appendix A.
//! *Units*: bytes of payload; segments.
//! *Deviations*: data flows one way, so no third segment of the handshake reports how the SYN-ACK arrived.

use crate::params::{EcnRule, Params, PeerEcn};
pub use crate::segment::ByteOption;
use crate::segment::Segment;
use units::Ecn;

/// Initial value of the counter of marked segments (RFC 9768 section 3.2.1).
pub const FIRST_MARK: u8 = 5;
/// Flags AE, CWR and ECE of a SYN that requests accurate ECN.
pub const ASKS_ACCURATE: u8 = 0b111;
/// The same flags for classic ECN.
pub const ASKS_CLASSIC: u8 = 0b011;
/// Flags of a SYN-ACK that accepts classic ECN.
pub const AGREES_CLASSIC: u8 = 0b001;
/// The option's fields count modulo this.
const WRAP: u32 = 1 << 24;
/// Bytes for options in a TCP header.
const OPTION_SPACE: u32 = 40;
/// Size of the timestamp option with its padding (RFC 7323 appendix A).
const TIMESTAMPS: u32 = 12;
/// SACK blocks with priority over the option when space is short (RFC 9768 section 3.2.3.3).
const BLOCKS_BEFORE: u32 = 2;

/// The negotiated ECN feedback mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Accurate ECN.
    Accurate,
    /// One echo per round trip (RFC 3168).
    Classic,
    /// No ECN.
    NotEcn,
}

impl Mode {
    /// The best mode an end with these options supports.
    pub fn of(params: &Params) -> Mode {
        match (params.ecn, params.ecn_rule) {
            (false, _) => Mode::NotEcn,
            (true, EcnRule::AccEcn) => Mode::Accurate,
            (true, _) => Mode::Classic,
        }
    }

    /// The best mode of its peer.
    pub fn of_peer(params: &Params) -> Mode {
        match params.peer_ecn {
            PeerEcn::Same => Mode::of(params),
            PeerEcn::Rfc3168 => Mode::Classic,
            PeerEcn::Off => Mode::NotEcn,
        }
    }

    /// Flags of a SYN that requests this mode.
    pub fn asks(self) -> u8 {
        match self {
            Mode::Accurate => ASKS_ACCURATE,
            Mode::Classic => ASKS_CLASSIC,
            Mode::NotEcn => 0,
        }
    }

    /// Mode of a server that supports `self`, for a SYN with these flags (RFC 9768 table 2 and section
    /// 3.1.3).
    pub fn for_syn(self, flags: u8) -> Mode {
        match (self, flags) {
            (Mode::NotEcn, _) | (_, 0) => Mode::NotEcn,
            (_, ASKS_CLASSIC) | (Mode::Classic, ASKS_ACCURATE) => Mode::Classic,
            (Mode::Classic, _) => Mode::NotEcn,
            (Mode::Accurate, _) => Mode::Accurate,
        }
    }

    /// Mode of a client that requested `self`, for a SYN-ACK with these flags.
    pub fn for_answer(self, flags: u8) -> Mode {
        match (self, flags) {
            (Mode::NotEcn, _) | (_, 0 | ASKS_ACCURATE) => Mode::NotEcn,
            (_, AGREES_CLASSIC) => Mode::Classic,
            (Mode::Accurate, _) => Mode::Accurate,
            (Mode::Classic, _) => Mode::NotEcn,
        }
    }

    /// Flags of the SYN-ACK for a SYN that arrived with `ecn`.
    pub fn answers(self, ecn: Ecn) -> u8 {
        match (self, ecn) {
            (Mode::NotEcn, _) => 0,
            (Mode::Classic, _) => AGREES_CLASSIC,
            (Mode::Accurate, Ecn::NotEct) => 0b010,
            (Mode::Accurate, Ecn::Ect1) => 0b011,
            (Mode::Accurate, Ecn::Ect0) => 0b100,
            (Mode::Accurate, Ecn::Ce) => 0b110,
        }
    }
}

/// Whether a SYN-ACK reports that a SYN sent as Not-ECT arrived as something else (RFC 9768 section 3.2.2.3).
pub fn was_mangled(answer: u8) -> bool {
    !matches!(answer, 0b010 | 0b101)
}

/// Whether a SYN-ACK reports that the SYN arrived CE-marked.
pub fn was_marked(answer: u8) -> bool {
    answer == 0b110
}

/// Byte counters of a receiver.
#[derive(Clone, Copy, Debug)]
pub struct ByteCounters {
    /// By ECN field: ECT(0), CE, ECT(1).
    bytes: [u32; 3],
    /// Bit masks: counters that have ever grown, and those that grew since the last option.
    grown: u8,
    news: u8,
    /// Bytes of other options, SACK excepted.
    others: u32,
}

/// Field orders: the place in `ByteCounters::bytes` of each field.
const ORDERS: [[usize; 3]; 2] = [[0, 1, 2], [2, 1, 0]];

impl ByteCounters {
    /// Counters of a new connection (RFC 9768 section 3.2.1). `timestamps` use some of the option space.
    pub fn new(timestamps: bool) -> ByteCounters {
        let others = if timestamps { TIMESTAMPS } else { 0 };
        ByteCounters { bytes: [1, 0, 1], grown: 0, news: 0, others }
    }

    /// Counts a received segment with this payload.
    pub fn count(&mut self, ecn: Ecn, payload: u32) {
        let place = match ecn {
            Ecn::Ect0 => 0,
            Ecn::Ce => 1,
            Ecn::Ect1 => 2,
            Ecn::NotEct => return,
        };
        self.bytes[place] = self.bytes[place].wrapping_add(payload);
        self.grown |= 1 << place;
        self.news |= 1 << place;
    }

    /// Returns the option to send with this many SACK blocks, and how many blocks still fit; `None` if
    /// nothing grew since the last option or it does not fit.
    pub fn report(&mut self, blocks: u32) -> Option<(ByteOption, u32)> {
        if self.news == 0 {
            return None;
        }
        // All counters that ever grew; if they do not fit, those that grew since the last option.
        let found = [self.grown, self.news].into_iter().find_map(|wanted| {
            let option = self.with(wanted);
            let least = blocks.min(BLOCKS_BEFORE);
            (least..=blocks).rev().find(|kept| self.fits(&option, *kept)).map(|kept| (option, kept))
        });
        if found.is_some() {
            self.news = 0;
        }
        found
    }

    /// The option of the SYN-ACK, with all fields, so that the client can detect tampering.
    pub fn first(&self) -> ByteOption {
        self.in_order(0, 3)
    }

    fn fits(&self, option: &ByteOption, blocks: u32) -> bool {
        let sack = if blocks > 0 { 2 + 8 * blocks } else { 0 };
        self.others + sack + option.length() <= OPTION_SPACE
    }

    /// The shorter of the two orders that holds the counters `wanted`.
    fn with(&self, wanted: u8) -> ByteOption {
        let fields = |order: usize| {
            (0..3).rev().find(|at| wanted & 1 << ORDERS[order][*at] != 0).map_or(0, |at| at + 1)
        };
        let order = usize::from(fields(1) < fields(0));
        self.in_order(order, fields(order) as u8)
    }

    fn in_order(&self, order: usize, fields: u8) -> ByteOption {
        let [e0b, ceb, e1b] = self.bytes.map(|count| count % WRAP);
        ByteOption { ect1_first: order == 1, fields, e0b, ceb, e1b }
    }
}

/// Whether the option reaches the sender (RFC 9768 sections 3.2.3.2.3 and 3.2.3.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Options {
    /// None has arrived.
    Absent,
    Present,
    /// The first one was invalid: all are ignored.
    Ignored,
}

/// Accurate-ECN feedback at the sender: the receiver's counters as far as known.
#[derive(Clone, Copy, Debug)]
pub struct AccEcnFeedback {
    /// Marked segments, plus five.
    cep: u32,
    /// `cep` at the last option with a count of marked bytes.
    cep_then: u32,
    ceb: u32,
    options: Options,
    /// Segments newly reported as marked by this ACK.
    pub newly_marked: u32,
    /// Marked bytes grew and marked segments did not: the path alters the feedback.
    pub contradicted: bool,
}

impl Default for AccEcnFeedback {
    fn default() -> AccEcnFeedback {
        let cep = u32::from(FIRST_MARK);
        let options = Options::Absent;
        AccEcnFeedback { cep, cep_then: cep, ceb: 0, options, newly_marked: 0, contradicted: false }
    }
}

impl AccEcnFeedback {
    /// Processes the SYN-ACK's option, or its absence.
    pub fn open(&mut self, option: Option<&ByteOption>) {
        let zeroed = |first: &ByteOption| first.fields == 3 && (first.e0b == 0 || first.e1b == 0);
        self.options = match option {
            None => Options::Absent,
            Some(option) if zeroed(option) => Options::Ignored,
            Some(_) => Options::Present,
        };
    }

    /// Marked segments reported so far.
    pub fn marked(&self) -> u32 {
        self.cep.wrapping_sub(u32::from(FIRST_MARK))
    }

    /// Marked bytes reported by options so far, modulo 2^24.
    pub fn marked_bytes(&self) -> u32 {
        self.ceb
    }

    /// Processes an ACK of `acked` more segments, each with at most `mss` bytes of payload.
    ///
    /// With the option, the marked bytes give the number of marked segments, and the three bits refine it
    /// (appendix A.2.2 leaves the size of marked segments open; here all but the last of a file are full).
    /// Without it the smallest increase that fits counts or, if more segments are acknowledged than three
    /// bits can distinguish, the largest (section 3.2.2.5.2, appendix A.2.1).
    pub fn read(&mut self, ace: u8, option: Option<&ByteOption>, acked: u32, mss: u32) {
        let least = u32::from(ace.wrapping_sub(self.cep as u8) & 7);
        let used = option.filter(|_| self.options != Options::Ignored);
        if used.is_some() {
            self.options = Options::Present;
        }
        let before = self.cep;
        if let Some(ceb) = used.and_then(ByteOption::marked) {
            let bytes = ceb.wrapping_sub(self.ceb) % WRAP;
            let counted = self.cep.wrapping_sub(self.cep_then);
            let by_bytes = bytes.div_ceil(mss.max(1));
            self.contradicted |= bytes > 0 && counted == 0 && least == 0 && acked < 8;
            let total = by_bytes + ((counted + least).wrapping_sub(by_bytes) & 7);
            self.cep = self.cep_then.wrapping_add(total);
            (self.cep_then, self.ceb) = (self.cep, ceb);
        } else {
            let marked = if acked < 8 { least } else { acked - ((acked - least) & 7) };
            self.cep = self.cep.wrapping_add(marked);
        }
        // Marks counted too early are not counted again.
        self.newly_marked = self.cep.saturating_sub(before);
    }
}

/// Payload of a segment, as the counters count it.
pub(crate) fn payload(segment: &Segment, headers: u32) -> u32 {
    segment.size.saturating_sub(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9768 table 2, and section 3.1.3 for the cases it leaves open.
    #[test]
    fn the_handshake_follows_the_table() {
        use Mode::{Accurate, Classic, NotEcn};
        let server = |can: Mode, flags: u8| {
            let mode = can.for_syn(flags);
            (mode, mode.answers(Ecn::NotEct))
        };
        assert_eq!(server(Accurate, 0b111), (Accurate, 0b010));
        assert_eq!(server(Accurate, 0b011), (Classic, 0b001));
        assert_eq!(server(Accurate, 0b000), (NotEcn, 0b000));
        // Any other combination stands for a later variant of accurate ECN.
        for flags in [0b001, 0b010, 0b100, 0b101, 0b110] {
            assert_eq!(server(Accurate, flags).0, Accurate);
        }
        // A server of RFC 3168 sees the two flags it knows.
        assert_eq!(server(Classic, 0b111), (Classic, 0b001));
        assert_eq!(server(NotEcn, 0b111), (NotEcn, 0b000));
        let answers = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce].map(|ecn| Accurate.answers(ecn));
        assert_eq!(answers, [0b010, 0b011, 0b100, 0b110]);
        for (flags, mode) in [
            (0b000, NotEcn),
            (0b001, Classic),
            (0b010, Accurate),
            (0b011, Accurate),
            (0b100, Accurate),
            (0b101, Accurate),
            (0b110, Accurate),
            (0b111, NotEcn),
        ] {
            assert_eq!(Accurate.for_answer(flags), mode, "{flags:03b}");
        }
        assert_eq!((Classic.for_answer(0b001), Classic.for_answer(0b010)), (Classic, NotEcn));
        assert_eq!([0b010, 0b011, 0b100, 0b101, 0b110].map(was_mangled), [false, true, true, false, true]);
    }

    /// One field while only ECT(0) arrived, two with the first mark, ECT(1) alone by the other order; no
    /// option without news.
    #[test]
    fn the_option_holds_all_counters_that_grew() {
        let mut counters = ByteCounters::new(false);
        assert_eq!(counters.report(0), None);
        counters.count(Ecn::NotEct, 1000);
        assert_eq!(counters.report(0), None);
        counters.count(Ecn::Ect0, 1000);
        let (one, _) = counters.report(0).unwrap();
        assert_eq!((one.ect1_first, one.fields, one.e0b, one.size()), (false, 1, 1001, 8));
        assert_eq!(counters.report(0), None);
        counters.count(Ecn::Ce, 500);
        let (two, _) = counters.report(0).unwrap();
        assert_eq!((two.fields, two.marked(), two.size()), (2, Some(500), 8));
        counters.count(Ecn::Ect1, 7);
        let (three, _) = counters.report(0).unwrap();
        assert_eq!((three.fields, three.e1b, three.length(), three.size()), (3, 8, 11, 12));
        let mut other = ByteCounters::new(false);
        other.count(Ecn::Ect1, 10);
        other.count(Ecn::Ce, 20);
        let (reversed, _) = other.report(0).unwrap();
        assert_eq!((reversed.ect1_first, reversed.fields, reversed.e1b, reversed.ceb), (true, 2, 11, 20));
    }

    /// Options have forty bytes. With timestamps (12) and two SACK blocks (18) ten are left: two fields. A
    /// third block gives way, a second does not; three fields give way to those that grew and, if that does
    /// not fit, the option is left out.
    #[test]
    fn loss_is_reported_before_bytes() {
        let mut counters = ByteCounters::new(true);
        counters.count(Ecn::Ect0, 10);
        counters.count(Ecn::Ce, 10);
        let (short, left_short) = counters.report(3).unwrap();
        assert_eq!((short.fields, left_short), (2, 2));
        counters.count(Ecn::Ect1, 10);
        // In order 1 the field that grew comes first.
        let (news, left_news) = counters.report(2).unwrap();
        assert_eq!((news.ect1_first, news.fields, left_news), (true, 1, 2));
        counters.count(Ecn::Ect0, 10);
        counters.count(Ecn::Ect1, 10);
        assert_eq!(counters.report(2), None);
        // The counters are reported as soon as there is room.
        assert_eq!(counters.report(0).unwrap().0.fields, 3);
    }

    fn option(ceb: u32) -> ByteOption {
        ByteOption { ect1_first: false, fields: 2, e0b: 1, ceb, e1b: 1 }
    }

    /// Appendix A.2.1: 9 segments and an increase of 2 are 2 marks, 10 segments are 10.
    #[test]
    fn three_bits_count_what_is_safest() {
        for (acked, marked) in [(7, 2), (9, 2), (10, 10), (17, 10)] {
            let mut feedback = AccEcnFeedback::default();
            feedback.read(7, None, acked, 1460);
            assert_eq!(feedback.newly_marked, marked, "{acked} acknowledged");
        }
    }

    /// Bytes resolve the ambiguity of three bits: ten acknowledged, two or ten of them marked.
    #[test]
    fn bytes_tell_how_often_the_bits_went_round() {
        for (bytes, marked) in [(2 * 1460, 2), (10 * 1460, 10)] {
            let mut feedback = AccEcnFeedback::default();
            feedback.read(7, Some(&option(bytes)), 10, 1460);
            assert_eq!((feedback.newly_marked, feedback.marked_bytes()), (marked, bytes));
        }
        // The field wraps, too: appendix A.1's example in bytes.
        let mut near_the_end = AccEcnFeedback { ceb: WRAP - 459, ..AccEcnFeedback::default() };
        near_the_end.read(6, Some(&option(1001)), 1, 1460);
        assert_eq!(near_the_end.newly_marked, 1);
    }

    /// Ten were assumed marked because no option arrived; the next option says two, and only later marks
    /// count then.
    #[test]
    fn an_option_corrects_what_was_guessed() {
        let mut feedback = AccEcnFeedback::default();
        feedback.read(7, None, 10, 1460);
        assert_eq!(feedback.newly_marked, 10);
        feedback.read(0, Some(&option(3 * 1460)), 1, 1460);
        assert_eq!((feedback.newly_marked, feedback.marked()), (0, 3));
        feedback.read(1, Some(&option(4 * 1460)), 1, 1460);
        assert_eq!((feedback.newly_marked, feedback.marked()), (1, 4));
    }

    /// Bytes without a segment are a contradiction; a zero where the count starts with one is not a valid
    /// option.
    #[test]
    fn contradictions_are_detected() {
        let mut feedback = AccEcnFeedback::default();
        feedback.read(5, Some(&option(1460)), 1, 1460);
        assert!(feedback.contradicted);
        let mut disabled = AccEcnFeedback::default();
        disabled.open(Some(&ByteOption { ect1_first: false, fields: 3, e0b: 0, ceb: 0, e1b: 1 }));
        disabled.read(5, Some(&option(1460)), 1, 1460);
        assert!(!disabled.contradicted && disabled.newly_marked == 0);
    }
}
