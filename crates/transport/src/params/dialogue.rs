//! When segments and acknowledgements leave, and what they say of congestion.

use super::{Handshake, Params};
use crate::cc::Algorithm;
use units::param::{require, Choice, Problem};

units::choices! {
    /// Whether segments are spread over time.
    pub enum Pacing {
        /// Where the congestion control asks for it.
        Auto = "auto",
        /// A window over a round trip, times a gain, where the congestion control has no pace of its own.
        Window = "window",
        /// Never: segments leave as the window lets them.
        Off = "off",
    }
}

units::choices! {
    /// When a delayed acknowledgement may not wait.
    pub enum AckRule {
        /// Out of order, or a repeat: at once (RFC 5681).
        Rfc5681 = "rfc5681",
        /// As `rfc5681`, but segment 0 may not wait and a repeat of the newest in-order segment may (ns-2).
        Ns2 = "ns2",
        /// As `rfc5681`; besides at once: what the sender pushes, each segment while the window offered opens, `quick_acks` of them at
        /// the start and 16 after a repeat or a pause, and a change of marks (DCTCP). After three duplicates the next wait
        /// for others, a millisecond at most (Linux).
        Linux = "linux",
    }
}

units::choices! {
    /// Who says what in the dialogue of explicit congestion notification.
    pub enum EcnRule {
        /// ECE on every acknowledgement until CWR; retransmissions are not capable; no growth on an echo.
        Rfc3168 = "rfc3168",
        /// Segment 0 negotiates and its acknowledgement carries ECE; only acknowledgements of capable segments
        /// echo; a retransmission may carry CWR; growth does not stop before the first echo (ns-2).
        Ns2 = "ns2",
        /// As `rfc3168`, but each acknowledgement says whether the segments it answers were marked; a change is
        /// acknowledged at once (RFC 8257 section 3.2).
        Dctcp = "dctcp",
        /// Each acknowledgement carries three bits of the number of segments that arrived marked, and the option tells the bytes; what
        /// the peer can do decides the handshake (RFC 9768).
        AccEcn = "accecn",
    }
}

units::choices! {
    /// What ECN the receiver can do.
    pub enum PeerEcn {
        /// What the sender asks for.
        Same = "same",
        /// The classic one: accurate ECN falls back to it, ECT(1) to ECT(0), and `dctcp` and `prague` halve for an echo.
        Rfc3168 = "rfc3168",
        /// None: nothing is ECN-capable.
        Off = "none",
    }
}

units::choices! {
    /// What an ECN-capable sender marks its segments with.
    pub enum Codepoint {
        /// ECT(0): marks are classic, one a round trip counts.
        Ect0 = "ect0",
        /// ECT(1): marks are many and each counts (L4S, RFC 9331). Retransmissions carry it, too.
        Ect1 = "ect1",
    }
}

/// What controls that live by marks ask of the dialogue.
pub(super) fn check(params: &Params, problems: &mut Vec<Problem>) {
    require(
        problems,
        params.cc != Algorithm::Dctcp || params.ecn,
        "ecn",
        params.ecn,
        "must be true with cc = dctcp",
        "leave ecn and ecn_rule out: dctcp brings both",
    );
    require(
        problems,
        params.cc != Algorithm::Prague || (params.ecn && params.ecn_rule == EcnRule::AccEcn),
        "ecn_rule",
        Choice::name(params.ecn_rule),
        "must be \"accecn\", and ecn true, with cc = prague",
        "leave ecn and ecn_rule out: prague brings both",
    );
    let negotiates = params.handshake == Handshake::ThreeWay && params.ecn_rule != EcnRule::Ns2;
    require(
        problems,
        params.peer_ecn == PeerEcn::Same || (params.ecn && negotiates),
        "peer_ecn",
        Choice::name(params.peer_ecn),
        "must be \"same\" where no handshake negotiates ECN",
        "set ecn = true and handshake = \"three_way\", and another ecn_rule than \"ns2\"",
    );
}
