//! Rate-based transports: endpoints that space packets by a rate instead of limiting a window.
//!
//! | module | holds |
//! |---|---|
//! | [`common`] | the traits of both endpoints, the packet spacer, the conformance tests |
//! | [`tfrc`] | TFRC: the rate follows the TCP throughput equation |
//! | [`rap`] | RAP: additive increase, multiplicative decrease of a rate |
//! | [`tear`] | TEAR: the receiver emulates a TCP window |
//! | [`lda`] | LDA+: the rate follows RTCP receiver reports |
//! | [`scream`] | SCReAM: a window that follows the queueing delay, and a rate for a video coder |
//! | [`gcc`] | GCC: a rate that follows the change of the one-way delay, and the losses |
//! | [`drs`] | DRS: TCP's window without retransmissions, whose rate a shaped video follows |

pub mod common;
pub mod drs;
pub mod gcc;
pub mod lda;
pub mod rap;
pub mod scream;
pub mod tear;
pub mod tfrc;
