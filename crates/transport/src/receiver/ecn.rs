//! What a receiver says of marked segments.
//!
//! *Reference*: RFC 3168 section 6.1.3, RFC 8257 section 3.2, RFC 9768 section 3.2; ns-2.35 where an option says so.
//! *Units*: segments.
//! *Deviations*: none.

use super::Receiver;
use crate::accecn::{payload, ByteCounters, Mode};
use crate::params::{EcnRule, Handshake, Params, PeerEcn, Samples};
use crate::segment::{Ack, Segment};
use units::{Ecn, Time};

/// Marks that are not reported yet are fewer (RFC 9768 section 3.2.2.5.1).
const MARKS_UNREPORTED: u8 = 2;

/// What a receiver remembers to answer of ECN.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    /// Marks since the last acknowledgement, and whether the last segment was marked (RFC 9768).
    unreported: u8,
    was_marked: bool,
    /// Bytes by their ECN field, where the option reports them.
    counted: Option<ByteCounters>,
    /// What ECN this end can do, whether a SYN has decided what it does, and what the answer to the SYN says of it.
    can: Option<Mode>,
    agreed: Option<Mode>,
    answer: u8,
    /// The answer to the SYN carries the option.
    option_on_answer: bool,
    /// The echo of classic ECN, where that is agreed on.
    classic: EcnRule,
}

/// Whether the SYN and its answer decide what ECN the connection has.
fn negotiates(p: &Params) -> bool {
    p.handshake == Handshake::ThreeWay && p.ecn_rule != EcnRule::Ns2
}

impl Answers {
    pub(super) fn new(p: &Params) -> Answers {
        let reports = p.ecn && p.ecn_rule == EcnRule::AccEcn && p.accecn_option;
        let knows_dctcp = p.ecn_rule == EcnRule::Dctcp && p.peer_ecn == PeerEcn::Same;
        Answers {
            unreported: 0,
            was_marked: false,
            counted: reports.then(|| ByteCounters::new(p.samples != Samples::PerWindow)),
            can: negotiates(p).then(|| Mode::of_peer(p)),
            agreed: None,
            answer: 0,
            option_on_answer: false,
            classic: if knows_dctcp { EcnRule::Dctcp } else { EcnRule::Rfc3168 },
        }
    }
}

impl Answers {
    /// An acknowledgement reports all marks so far.
    pub(super) fn note_reported(&mut self) {
        self.unreported = 0;
    }
}

impl Receiver {
    /// RFC 3168: echo from a CE mark until the sender answers with CWR.
    pub(super) fn note_ecn(&mut self, segment: &Segment) {
        if self.ecn_rule == EcnRule::Dctcp {
            return self.note_mark(segment.ecn == Ecn::Ce);
        }
        if self.ecn_rule == EcnRule::AccEcn {
            return self.count_mark(segment);
        }
        if segment.cwr {
            self.ece = false;
        }
        if segment.ecn == Ecn::Ce {
            self.ece = true;
        }
        self.echo_ece = match self.ecn_rule {
            EcnRule::Rfc3168 => self.ece,
            EcnRule::Ns2 => {
                let waiting = self.due != Time::NEVER && self.echo_capable;
                self.echo_capable = segment.ecn.capable() || waiting;
                (self.ece && self.echo_capable) || segment.seq == 0
            }
            EcnRule::Dctcp | EcnRule::AccEcn => self.echo_ece,
        };
    }

    /// A SYN arrives: the first one decides what ECN the connection has, each is told how it arrived (RFC 9768 section 3.1.5).
    #[cold]
    pub(super) fn agree(&mut self, syn: &Segment) {
        let Some(rare) = &mut self.store.rare else { return };
        let answers = &mut rare.answers;
        let Some(can) = answers.can else { return };
        let again = answers.agreed.is_some();
        let mode = *answers.agreed.get_or_insert(can.for_syn(syn.ecn_flags));
        answers.answer = mode.answers(syn.ecn);
        // Who asks again may not have got the answer because of its option (section 3.2.3.2.2).
        answers.option_on_answer = !again;
        if again {
            return;
        }
        match mode {
            Mode::Accurate => {}
            Mode::Classic => (self.ecn_rule, answers.counted) = (answers.classic, None),
            Mode::NotEcn => (self.ecn, answers.counted) = (false, None),
        }
    }

    /// What an acknowledgement says of ECN beside its echo.
    #[inline(never)]
    pub(super) fn report_ecn(&mut self, ack: &mut Ack) {
        let Some(rare) = &mut self.store.rare else {
            // Without ECN the answer to a SYN says so.
            if ack.syn && negotiates(&self.store.params) {
                ack.ace = Mode::NotEcn.answers(Ecn::NotEct);
            }
            return;
        };
        let answers = &mut rare.answers;
        if ack.syn {
            if answers.can.is_some() {
                ack.ace = answers.answer;
            }
            if answers.option_on_answer {
                ack.bytes = answers.counted.as_ref().map(ByteCounters::first);
            }
        } else if let Some((option, blocks)) =
            answers.counted.as_mut().and_then(|held| held.report(ack.sack.len() as u32))
        {
            ack.bytes = Some(option);
            if (blocks as usize) < ack.sack.len() {
                let all = std::mem::take(&mut ack.sack);
                all.iter().take(blocks as usize).for_each(|(start, end)| ack.sack.push(start, end));
            }
        }
        ack.size += ack.bytes.map_or(0, |option| option.size());
    }

    /// RFC 8257 section 3.2: what waits for its acknowledgement gets it before the mark changes.
    fn note_mark(&mut self, marked: bool) {
        if marked != self.echo_ece && self.unacked > 0 {
            let ack = self.acknowledge();
            self.due = Time::NEVER;
            self.store.rare().early = Some(ack);
            self.early = true;
        }
        self.echo_ece = marked;
    }

    /// RFC 9768 section 3.2: the first mark after unmarked segments, and every second mark, is reported at once. What lies below
    /// all that is expected is not acceptable and does not count.
    fn count_mark(&mut self, segment: &Segment) {
        if segment.seq < self.rcv_nxt {
            return;
        }
        let headers = self.store.params.header_bytes().0 as u32;
        let answers = &mut self.store.rare().answers;
        if let Some(counted) = &mut answers.counted {
            counted.count(segment.ecn, payload(segment, headers));
        }
        let marked = segment.ecn == Ecn::Ce;
        if marked {
            self.ace = (self.ace + 1) & 7;
            answers.unreported += 1;
            self.pending |= !answers.was_marked || answers.unreported >= MARKS_UNREPORTED;
        }
        answers.was_marked = marked;
    }
}
