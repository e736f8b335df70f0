//! ECN feedback of a receiver.
//!
//! *Reference*: RFC 3168 section 6.1.3, RFC 8257 section 3.2, RFC 9768 section 3.2; ns-2.35 where an option
//! asks for it.
//! *Units*: segments.
//! *Deviations*: by RFC 8257 section 3.2 a segment that changes the mark is acknowledged at once, too; here only with
//! `ack_rule = linux`.

use super::Receiver;
use crate::accecn::{payload, ByteCounters, ByteOption, Mode};
use crate::params::{EcnRule, Handshake, Params, PeerEcn, RttSamples};
use crate::segment::{Ack, Segment};
use units::{Ecn, Time};

/// Number of unreported marks that triggers an ACK (RFC 9768 section 3.2.2.5.1).
const MARKS_UNREPORTED: u8 = 2;

/// ECN state of a receiver.
#[derive(Clone, Debug)]
pub(super) struct EcnFeedback {
    /// Marks since the last ACK, and whether the last segment was marked (RFC 9768).
    unreported: u8,
    was_marked: bool,
    /// Bytes by ECN field, where the AccECN option reports them.
    counted: Option<ByteCounters>,
    /// ECN modes this end supports, the mode negotiated by a SYN, and the flags of the SYN-ACK.
    can: Option<Mode>,
    agreed: Option<Mode>,
    answer: u8,
    /// The SYN-ACK carries the AccECN option.
    option_on_answer: bool,
    /// The echo rule of classic ECN, where that is negotiated.
    classic: EcnRule,
}

/// Whether SYN and SYN-ACK negotiate the ECN mode.
fn negotiates(p: &Params) -> bool {
    p.handshake == Handshake::ThreeWay && p.ecn_rule != EcnRule::Ns2
}

impl EcnFeedback {
    pub(super) fn new(p: &Params) -> EcnFeedback {
        let reports = p.ecn && p.ecn_rule == EcnRule::AccEcn && p.accecn_option;
        let knows_dctcp = p.ecn_rule == EcnRule::Dctcp && p.peer_ecn == PeerEcn::Same;
        EcnFeedback {
            unreported: 0,
            was_marked: false,
            counted: reports.then(|| ByteCounters::new(p.samples != RttSamples::PerWindow)),
            can: negotiates(p).then(|| Mode::of_peer(p)),
            agreed: None,
            answer: 0,
            option_on_answer: false,
            classic: if knows_dctcp { EcnRule::Dctcp } else { EcnRule::Rfc3168 },
        }
    }
}

impl EcnFeedback {
    /// Counts a segment of this payload that arrived without CE.
    #[inline]
    pub(super) fn count_unmarked(&mut self, ecn: Ecn, payload: u32) {
        if let Some(counted) = &mut self.counted {
            counted.count(ecn, payload);
        }
        self.was_marked = false;
    }

    /// The counters that an ACK without SACK blocks reports; it reports all marks so far.
    #[inline]
    pub(super) fn report_alone(&mut self) -> Option<ByteOption> {
        self.marks_reported();
        self.counted.as_mut().and_then(|counted| counted.report(0)).map(|(option, _)| option)
    }

    /// Records that an ACK reports all marks so far.
    pub(super) fn marks_reported(&mut self) {
        self.unreported = 0;
    }
}

impl Receiver {
    /// RFC 3168: echoes congestion from a CE mark until the sender sends CWR.
    pub(super) fn update_ecn(&mut self, segment: &Segment) {
        if self.ecn_rule == EcnRule::Dctcp {
            return self.update_dctcp_echo(segment.ecn == Ecn::Ce);
        }
        if self.ecn_rule == EcnRule::AccEcn {
            return self.count_accecn_mark(segment);
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

    /// Processes a SYN: the first one decides the ECN mode, each answer reports how its SYN arrived (RFC 9768
    /// section 3.1.5).
    #[cold]
    pub(super) fn agree(&mut self, syn: &Segment) {
        let Some(cold_part) = &mut self.store.cold_part else { return };
        let answers = &mut cold_part.answers;
        let Some(can) = answers.can else { return };
        let again = answers.agreed.is_some();
        let mode = *answers.agreed.get_or_insert(can.for_syn(syn.ecn_flags));
        answers.answer = mode.answers(syn.ecn);
        // A repeated SYN may mean that the SYN-ACK was dropped for its option (section 3.2.3.2.2).
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

    /// Adds ECN feedback other than the echo to an ACK.
    #[inline(never)]
    pub(super) fn report_ecn(&mut self, ack: &mut Ack) {
        let Some(cold_part) = &mut self.store.cold_part else {
            // Without ECN the SYN-ACK says so.
            if ack.syn && negotiates(&self.store.params) {
                ack.ace = Mode::NotEcn.answers(Ecn::NotEct);
            }
            return;
        };
        let answers = &mut cold_part.answers;
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

    /// RFC 8257 section 3.2: unacknowledged segments are acknowledged before the CE state changes.
    fn update_dctcp_echo(&mut self, marked: bool) {
        if marked != self.echo_ece && self.unacked > 0 {
            let ack = self.acknowledge();
            self.due = Time::NEVER;
            self.store.cold_part().early = Some(ack);
            self.early = true;
        }
        self.echo_ece = marked;
    }

    /// RFC 9768 section 3.2: the first mark after unmarked segments, and every second mark, is reported at
    /// once. Segments below `rcv_nxt` are not acceptable and do not count.
    fn count_accecn_mark(&mut self, segment: &Segment) {
        if segment.seq < self.rcv_nxt {
            return;
        }
        let headers = self.store.params.header_bytes().0 as u32;
        let answers = &mut self.store.cold_part().answers;
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
