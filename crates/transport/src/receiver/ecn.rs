//! What a receiver says of marked segments.
//!
//! *Reference*: RFC 3168 section 6.1.3, RFC 8257 section 3.2, RFC 9768 section 3.2; ns-2.35 where an option says so.
//! *Units*: segments.
//! *Deviations*: none.

use super::Receiver;
use crate::params::EcnRule;
use crate::segment::Segment;
use units::{Ecn, Time};

/// Marks that are not reported yet, at most.
const MARKS_UNREPORTED: u8 = 3;

impl Receiver {
    /// RFC 3168: echo from a CE mark until the sender answers with CWR.
    pub(super) fn note_ecn(&mut self, segment: &Segment) {
        if self.ecn_rule == EcnRule::Dctcp {
            return self.note_mark(segment.ecn == Ecn::Ce);
        }
        if self.ecn_rule == EcnRule::AccEcn {
            return self.count_mark(segment.ecn == Ecn::Ce);
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

    /// RFC 8257 section 3.2: what waits for its acknowledgement gets it before the mark changes.
    fn note_mark(&mut self, marked: bool) {
        if marked != self.echo_ece && self.unacked > 0 {
            let ack = self.acknowledge();
            self.due = Time::NEVER;
            match &mut self.store.early {
                Some(early) => **early = ack,
                none => *none = Some(Box::new(ack)),
            }
            self.early = true;
        }
        self.echo_ece = marked;
    }

    /// RFC 9768 section 3.2.2.5.1: the first mark after unmarked segments, and every third mark, is reported at once.
    fn count_mark(&mut self, marked: bool) {
        if marked {
            self.ace = (self.ace + 1) & 7;
            self.store.unreported += 1;
            self.pending |= !self.store.was_marked || self.store.unreported >= MARKS_UNREPORTED;
        }
        self.store.was_marked = marked;
    }
}
