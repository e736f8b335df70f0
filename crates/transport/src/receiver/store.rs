//! What a receiver does not need for most segments.

use super::ecn::Answers;
use super::quick::Quick;
use crate::marks::Marks;
use crate::params::{AckRule, Handshake, Params};
use crate::segment::{Ack, SackBlocks};
use std::sync::Arc;
use units::param::Valid;

/// What came out of order, and what is seldom asked.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) params: Arc<Valid<Params>>,
    pub(super) marks: Marks,
    /// Blocks in the order of their last change, the latest first.
    pub(super) recent: SackBlocks,
    pub(super) duplicates: u64,
    pub(super) rare: Option<Box<Rare>>,
}

/// What few receivers need: those that answer marks, report what comes twice, count a SYN or keep to the rule `linux`.
#[derive(Clone, Debug)]
pub(super) struct Rare {
    /// Leaves before any other acknowledgement (RFC 8257), where `Receiver::early` says so.
    pub(super) early: Option<Ack>,
    pub(super) answers: Answers,
    /// With the rule `linux`.
    pub(super) quick: Option<Box<Quick>>,
    /// Header bytes that a SYN which counts as a segment does not have.
    pub(super) lacking: u32,
}

impl Store {
    /// `dsack`: what comes twice is reported.
    pub(super) fn new(params: &Arc<Valid<Params>>, dsack: bool) -> Store {
        let p: &Params = params;
        let syn_counts = p.handshake == Handshake::Ns2Syn;
        let rare = Rare {
            early: None,
            answers: Answers::new(p),
            quick: (p.ack_rule == AckRule::Linux).then(|| Box::new(Quick::new(p))),
            lacking: if syn_counts { (p.header_bytes().0 - p.headers.0) as u32 } else { 0 },
        };
        let needed = p.ecn || dsack || rare.quick.is_some() || rare.lacking > 0;
        Store {
            params: params.clone(),
            marks: Marks::default(),
            recent: SackBlocks::default(),
            duplicates: 0,
            rare: needed.then(|| Box::new(rare)),
        }
    }

    /// For those that answer marks or report what comes twice.
    pub(super) fn rare(&mut self) -> &mut Rare {
        self.rare.as_mut().expect("what asks for it makes it")
    }

    pub(super) fn quick(&mut self) -> Option<&mut Quick> {
        self.rare.as_mut()?.quick.as_deref_mut()
    }
}
