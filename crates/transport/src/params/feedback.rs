//! When segments and ACKs are sent, and their ECN feedback.

use super::{Algorithm, Handshake, Params};
use units::param::{require, Choice, Problem};

units::choices! {
    /// Whether segments are paced.
    pub enum Pacing {
        /// If the congestion control asks for it.
        Auto = "auto",
        /// At cwnd per RTT times a gain, if the congestion control has no pacing rate of its own.
        Window = "window",
        /// As `window` until the first slow start ends, then never.
        Start = "start",
        /// Never: segments leave as the window allows.
        Off = "off",
    }
}

units::choices! {
    /// When an ACK may not be delayed.
    pub enum AckRule {
        /// Out-of-order and duplicate segments are acknowledged at once (RFC 5681).
        Rfc5681 = "rfc5681",
        /// As `rfc5681`, but segment 0 is acknowledged at once and a duplicate of the newest in-order segment
        /// may be delayed (ns-2).
        Ns2 = "ns2",
        /// As `rfc5681`, and at once: segments with PSH, each segment while the receive window opens,
        /// `quick_acks` segments at the start and 16 after a duplicate or a pause, and a change of CE
        /// (DCTCP). After three duplicate ACKs further ones are compressed, for at most 1 ms (Linux).
        Linux = "linux",
    }
}

units::choices! {
    /// ECN feedback and response.
    pub enum EcnRule {
        /// ECE on every ACK until CWR; retransmissions are Not-ECT; an echo stops growth.
        Rfc3168 = "rfc3168",
        /// Segment 0 negotiates and its ACK carries ECE; only ACKs of ECN-capable segments echo; a
        /// retransmission may carry CWR; growth does not stop before the first echo (ns-2).
        Ns2 = "ns2",
        /// As `rfc3168`, but each ACK tells whether its segments were marked; a change is acknowledged at
        /// once (RFC 8257 section 3.2).
        Dctcp = "dctcp",
        /// Accurate ECN: each ACK carries three bits of the count of marked segments, and an option with byte
        /// counters; the handshake negotiates it (RFC 9768).
        AccEcn = "accecn",
    }
}

units::choices! {
    /// ECN support of the receiver.
    pub enum PeerEcn {
        /// The same as the sender's.
        Same = "same",
        /// Classic ECN: accurate ECN falls back to it, ECT(1) to ECT(0), and `dctcp` and `prague` halve on an
        /// echo.
        Rfc3168 = "rfc3168",
        /// None: nothing is ECN-capable.
        Off = "none",
    }
}

units::choices! {
    /// ECN codepoint of data segments.
    pub enum Codepoint {
        /// ECT(0): classic marks, one response per round trip.
        Ect0 = "ect0",
        /// ECT(1): L4S marks, each of which counts (RFC 9331). Retransmissions carry it, too.
        Ect1 = "ect1",
    }
}

/// Checks the ECN options that congestion controls require.
pub(super) fn check(params: &Params, problems: &mut Vec<Problem>) {
    require(
        problems,
        params.cc != Algorithm::Dctcp || params.ecn,
        "ecn",
        params.ecn,
        "must be true with cc = dctcp",
        "omit ecn and ecn_rule: dctcp sets both",
    );
    require(
        problems,
        params.cc != Algorithm::Prague || (params.ecn && params.ecn_rule == EcnRule::AccEcn),
        "ecn_rule",
        Choice::name(params.ecn_rule),
        "must be \"accecn\", and ecn true, with cc = prague",
        "omit ecn and ecn_rule: prague sets both",
    );
    let negotiates = params.handshake == Handshake::ThreeWay && params.ecn_rule != EcnRule::Ns2;
    require(
        problems,
        params.peer_ecn == PeerEcn::Same || (params.ecn && negotiates),
        "peer_ecn",
        Choice::name(params.peer_ecn),
        "must be \"same\" unless a handshake negotiates ECN",
        "set ecn = true and handshake = \"three_way\", and an ecn_rule other than \"ns2\"",
    );
}
