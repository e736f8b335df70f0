//! Cold state of a receiver.

use super::ecn::EcnFeedback;
use super::quick_ack::QuickAck;
use crate::marks::Marks;
use crate::params::{AckRule, Handshake, Params};
use crate::segment::{Ack, SackBlocks};
use std::sync::Arc;
use units::param::Valid;

/// Reassembly buffer and cold state.
#[derive(Clone, Debug)]
pub(super) struct Reassembly {
    pub(super) params: Arc<Valid<Params>>,
    pub(super) marks: Marks,
    /// SACK blocks, the most recently changed first.
    pub(super) recent: SackBlocks,
    pub(super) duplicates: u64,
    pub(super) cold_part: Option<Box<ColdPart>>,
}

/// State that few receivers need: with ECN, DSACK, a SYN that counts as a segment, or the rule `linux`.
#[derive(Clone, Debug)]
pub(super) struct ColdPart {
    /// ACK to send before any other (RFC 8257), if `Receiver::early`.
    pub(super) early: Option<Ack>,
    pub(super) answers: EcnFeedback,
    /// With the rule `linux`.
    pub(super) quick_ack: Option<Box<QuickAck>>,
    /// Header bytes missing from a SYN that counts as a segment.
    pub(super) lacking: u32,
}

impl Reassembly {
    /// `dsack`: duplicate segments are reported.
    pub(super) fn new(params: &Arc<Valid<Params>>, dsack: bool) -> Reassembly {
        let p: &Params = params;
        let syn_counts = p.handshake == Handshake::Ns2Syn;
        let cold_part = ColdPart {
            early: None,
            answers: EcnFeedback::new(p),
            quick_ack: (p.ack_rule == AckRule::Linux).then(|| Box::new(QuickAck::new(p))),
            lacking: if syn_counts { (p.header_bytes().0 - p.headers.0) as u32 } else { 0 },
        };
        let needed = p.ecn || dsack || cold_part.quick_ack.is_some() || cold_part.lacking > 0;
        Reassembly {
            params: params.clone(),
            marks: Marks::default(),
            recent: SackBlocks::default(),
            duplicates: 0,
            cold_part: needed.then(|| Box::new(cold_part)),
        }
    }

    /// For receivers with ECN or DSACK.
    pub(super) fn cold_part(&mut self) -> &mut ColdPart {
        self.cold_part.as_mut().expect("the options that use it create it")
    }

    pub(super) fn quick_ack(&mut self) -> Option<&mut QuickAck> {
        self.cold_part.as_mut()?.quick_ack.as_deref_mut()
    }
}
