//! Queue disciplines as pure state machines: the time and the dice come in with each call.
//!
//! | module | holds |
//! |---|---|
//! | [`disc`] | the contract between a discipline and whoever drives it |
//! | [`conformance`] | the exam every discipline sits |
//! | [`fifo`] | the one packet store, with its hard limit |
//! | [`cake`] | shaper, tins, fair queues under COBALT |
//! | [`child`] | a discipline inside another |
//! | [`classes`] | how the class of a packet becomes a place in a list |
//! | [`registry`] | what a discipline must say of itself to be listed below |
//! | [`ared`] | Adaptive RED |
//! | [`avq`] | Adaptive Virtual Queue |
//! | [`blue`] | BLUE |
//! | [`choke`] | CHOKe |
//! | [`cobalt`] | CoDel and BLUE, alternated |
//! | [`codel`] | Controlled Delay |
//! | [`curve`] | RED with any drop curve |
//! | [`droptail`] | tail drop, and its victims at the head or at random |
//! | [`drr`] | Deficit Round Robin |
//! | [`dtred`] | dynamic-threshold RED |
//! | [`dualpi2`] | two coupled queues for scalable and classic flows |
//! | [`erd`] | Early Random Drop |
//! | [`feng`] | self-configuring RED |
//! | [`fq_cobalt`] | flow queues in turn, each under COBALT |
//! | [`fq_codel`] | flow queues in turn, each under CoDel |
//! | [`fq_pie`] | flow queues in turn, each under PIE |
//! | [`fred_flow`] | Flow RED, an account for each flow |
//! | [`fred_refined`] | Refined RED, steps of probability and weight |
//! | [`gred`] | generic RED of Linux |
//! | [`nlred`] | nonlinear RED |
//! | [`pi`] | the proportional-integral controller |
//! | [`pie`] | Proportional Integral controller Enhanced |
//! | [`prio`] | strict priority |
//! | [`red_at`] | RED with adaptive thresholds |
//! | [`red_size`] | RED for several packet sizes |
//! | [`red`] | Random Early Detection and its dialects |
//! | [`rem`] | Random Exponential Marking |
//! | [`rio`] | RED with In and Out |
//! | [`rtred`] | reconfigurable-threshold RED |
//! | [`sfb`] | Stochastic Fair BLUE |
//! | [`sfq`] | Stochastic Fairness Queueing |
//! | [`wred`] | weighted RED, a curve for each class |
//! | [`wtred`] | weighted RED, a weight for each area of the buffer |
//!
//! A scenario's table becomes a [`Spec`] (checked parameters), a [`Spec`] becomes a [`Disc`] (a discipline
//! at work), and [`catalogue`] tells people what can be written. To add a discipline: one module, one line
//! in the list below.
//!
//! It needs `core` and `alloc` only; the feature `std`, on by default, is the one of [`units`]: square roots and
//! rounding by the standard library instead of `libm`, sooner and with the same bits.

#![no_std]
#![forbid(unsafe_code)]

#[macro_use]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod accounts;
pub mod ared;
pub mod avq;
pub mod blue;
mod buckets;
pub mod cake;
pub mod child;
pub mod choke;
pub mod classes;
pub mod cobalt;
pub mod codel;
pub mod conformance;
pub mod curve;
pub mod disc;
pub mod droptail;
pub mod drr;
pub mod dtred;
pub mod dualpi2;
pub mod erd;
pub mod feng;
pub mod fifo;
mod flows;
pub mod fq_cobalt;
pub mod fq_codel;
pub mod fq_pie;
pub mod fred_flow;
pub mod fred_refined;
pub mod gred;
mod mix;
pub mod nlred;
pub mod pi;
pub mod pie;
pub mod prio;
pub mod red;
pub mod red_at;
pub mod red_size;
pub mod registry;
pub mod rem;
mod ring;
pub mod rio;
pub mod rtred;
pub mod sfb;
pub mod sfq;
#[cfg(test)]
mod testing;
pub mod wred;
pub mod wtred;

/// The examples of the README and of the contributing guide, run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../../../CONTRIBUTING.md")]
    struct Contributing;
}

use alloc::vec::Vec;
use disc::{Cx, Decides, Packet, Probe, QueueDisc};
use fifo::Unit;
use registry::disciplines;
pub use registry::{Chosen, Discipline, Entry, Setting};
use units::param::{Problem, Table};
use units::{Bytes, Time};

disciplines! {
    "ared" => ared::Ared,
    "avq" => avq::Avq,
    "blue" => blue::Blue,
    "cake" => cake::Cake,
    "choke" => choke::Choke,
    "cobalt" => cobalt::Cobalt,
    "codel" => codel::CoDel,
    "curve" => curve::AnyCurve,
    "droptail" => droptail::DropTail,
    "drr" => drr::Drr,
    "dtred" => dtred::Dtred,
    "dualpi2" => dualpi2::DualPi2,
    "erd" => erd::Erd,
    "feng" => feng::Feng,
    "fq_cobalt" => fq_cobalt::FqCobalt,
    "fq_codel" => fq_codel::FqCoDel,
    "fq_pie" => fq_pie::FqPie,
    "fred_flow" => fred_flow::FredFlow,
    "fred_refined" => fred_refined::FredRefined,
    "gred" => gred::Gred,
    "nlred" => nlred::Nlred,
    "pi" => pi::Pi,
    "pie" => pie::Pie,
    "prio" => prio::Prio,
    "red" => red::Red,
    "red_at" => red_at::RedAt,
    "red_size" => red_size::RedSize,
    "rem" => rem::Rem,
    "rio" => rio::Rio,
    "rtred" => rtred::Rtred,
    "sfb" => sfb::Sfb,
    "sfq" => sfq::Sfq,
    "wred" => wred::Wred,
    "wtred" => wtred::Wtred,
}
