//! The queue disciplines, and the list that names them.
//!
//! | module | holds |
//! |---|---|
//! | [`cake`] | shaper, tins, fair queues under COBALT |
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
//! To add a discipline: one module, one line in the list at the end of this file.

pub mod ared;
pub mod avq;
pub mod blue;
pub mod cake;
pub mod choke;
pub mod cobalt;
pub mod codel;
pub mod curve;
pub mod droptail;
pub mod drr;
pub mod dtred;
pub mod dualpi2;
pub mod erd;
pub mod feng;
pub mod fq_cobalt;
pub mod fq_codel;
pub mod fq_pie;
pub mod fred_flow;
pub mod fred_refined;
pub mod gred;
pub mod nlred;
pub mod pi;
pub mod pie;
pub mod prio;
pub mod red;
pub mod red_at;
pub mod red_size;
pub mod rem;
pub mod rio;
pub mod rtred;
pub mod sfb;
pub mod sfq;
pub mod wred;
pub mod wtred;

use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc};
use crate::limit::Unit;
use crate::plugin::{self, Driver, PluginSpec};
use crate::registry::{self, disciplines, CatalogueEntry, Chosen, Discipline, Setting};
use alloc::vec::Vec;
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
