//! The queue disciplines, and the list that names them.
//!
//! | module | holds |
//! |---|---|
//! | [`ared`] | Adaptive RED |
//! | [`avq`] | Adaptive Virtual Queue |
//! | [`blue`] | BLUE |
//! | [`bred`] | Balanced RED, bounds for each flow |
//! | [`cake`] | shaper, tins, fair queues under COBALT |
//! | [`cared`] | Cautious Adaptive RED |
//! | [`choke`] | CHOKe |
//! | [`cobalt`] | CoDel and BLUE, alternated |
//! | [`codel`] | Controlled Delay |
//! | [`curve`] | RED with any drop curve |
//! | [`curvy_red`] | Curvy RED in a coupled dual queue |
//! | [`docsis_pie`] | PIE of cable modems |
//! | [`dred`] | Dynamic RED |
//! | [`droptail`] | tail drop, and its victims at the head or at random |
//! | [`drr`] | Deficit Round Robin |
//! | [`dtred`] | dynamic-threshold RED |
//! | [`dualpi2`] | two coupled queues for scalable and classic flows |
//! | [`erd`] | Early Random Drop |
//! | [`feng`] | self-configuring RED |
//! | [`fpi`] | a PI controller by fuzzy rules |
//! | [`fq_cobalt`] | flow queues in turn, each under COBALT |
//! | [`fq_codel`] | flow queues in turn, each under CoDel |
//! | [`fq_pie`] | flow queues in turn, each under PIE |
//! | [`fred_flow`] | Flow RED, counters for each flow |
//! | [`fred_refined`] | Refined RED, steps of probability and weight |
//! | [`fuzzy_red`] | nine fuzzy rules over queue and change |
//! | [`gchoke`] | geometric CHOKe |
//! | [`gkvq`] | the virtual queue of Gibbens and Kelly |
//! | [`gred`] | generic RED of Linux |
//! | [`green`] | GREEN, by the arrival rate |
//! | [`green_tcp`] | GREEN, by TCP's equation |
//! | [`htb`] | classes with rates that borrow from each other |
//! | [`lred`] | Loss Ratio based RED |
//! | [`lru_red`] | RED with a cache of fast flows |
//! | [`luba`] | drops of what flows send beyond their share |
//! | [`nlred`] | nonlinear RED |
//! | [`phantom`] | the phantom queue of HULL |
//! | [`pi`] | the proportional-integral controller |
//! | [`pi2`] | PI with a squared output |
//! | [`pid_red`] | RED steered by a PID controller |
//! | [`pie`] | Proportional Integral controller Enhanced |
//! | [`policer`] | drops what exceeds a rate |
//! | [`prio`] | strict priority |
//! | [`purple`] | a probability predicted from the load |
//! | [`qprot`] | queue protection before a dual queue |
//! | [`rared`] | Refined Adaptive RED |
//! | [`red`] | Random Early Detection and its dialects |
//! | [`red_at`] | RED with adaptive thresholds |
//! | [`red_pd`] | RED behind a filter for fast flows |
//! | [`red_size`] | RED for several packet sizes |
//! | [`rem`] | Random Exponential Marking |
//! | [`rio`] | RED with In and Out |
//! | [`rtred`] | reconfigurable-threshold RED |
//! | [`savq`] | AVQ that answers to the queue |
//! | [`sfb`] | Stochastic Fair BLUE |
//! | [`sfq`] | Stochastic Fairness Queueing |
//! | [`shred`] | RED that spares small windows |
//! | [`sred`] | Stabilized RED |
//! | [`step_marking`] | marks beyond a threshold |
//! | [`tbf`] | a token bucket above any discipline |
//! | [`wred`] | weighted RED, a curve for each class |
//! | [`wtred`] | weighted RED, a weight for each area of the buffer |
//! | [`xchoke`] | CHOKe that remembers its matches |
//! | [`yellow`] | load factor with a queue control function |
//!
//! To add a discipline: one module, one line in the list at the end of this file.

pub mod ared;
pub mod avq;
pub mod blue;
pub mod bred;
pub mod cake;
pub mod cared;
pub mod choke;
pub mod cobalt;
pub mod codel;
pub mod curve;
pub mod curvy_red;
pub mod docsis_pie;
pub mod dred;
pub mod droptail;
pub mod drr;
pub mod dtred;
pub mod dualpi2;
pub mod erd;
pub mod feng;
pub mod fpi;
pub mod fq_cobalt;
pub mod fq_codel;
pub mod fq_pie;
pub mod fred_flow;
pub mod fred_refined;
pub mod fuzzy_red;
pub mod gchoke;
pub mod gkvq;
pub mod gred;
pub mod green;
pub mod green_tcp;
pub mod htb;
pub mod lred;
pub mod lru_red;
pub mod luba;
pub mod nlred;
pub mod phantom;
pub mod pi;
pub mod pi2;
pub mod pid_red;
pub mod pie;
pub mod policer;
pub mod prio;
pub mod purple;
pub mod qprot;
pub mod rared;
pub mod red;
pub mod red_at;
pub mod red_pd;
pub mod red_size;
pub mod rem;
pub mod rio;
pub mod rtred;
pub mod savq;
pub mod sfb;
pub mod sfq;
pub mod shred;
pub mod sred;
pub mod step_marking;
pub mod tbf;
pub mod wred;
pub mod wtred;
pub mod xchoke;
pub mod yellow;

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
    "bred" => bred::Bred,
    "cake" => cake::Cake,
    "cared" => cared::Cared,
    "choke" => choke::Choke,
    "cobalt" => cobalt::Cobalt,
    "codel" => codel::CoDel,
    "curve" => curve::AnyCurve,
    "curvy_red" => curvy_red::CurvyRed,
    "docsis_pie" => docsis_pie::DocsisPie,
    "dred" => dred::Dred,
    "droptail" => droptail::DropTail,
    "drr" => drr::Drr,
    "dtred" => dtred::Dtred,
    "dualpi2" => dualpi2::DualPi2,
    "erd" => erd::Erd,
    "feng" => feng::Feng,
    "fpi" => fpi::Fpi,
    "fq_cobalt" => fq_cobalt::FqCobalt,
    "fq_codel" => fq_codel::FqCoDel,
    "fq_pie" => fq_pie::FqPie,
    "fred_flow" => fred_flow::FredFlow,
    "fred_refined" => fred_refined::FredRefined,
    "fuzzy_red" => fuzzy_red::FuzzyRed,
    "gchoke" => gchoke::Gchoke,
    "gkvq" => gkvq::Gkvq,
    "gred" => gred::Gred,
    "green" => green::Green,
    "green_tcp" => green_tcp::GreenTcp,
    "htb" => htb::Htb,
    "lred" => lred::Lred,
    "lru_red" => lru_red::LruRed,
    "luba" => luba::Luba,
    "nlred" => nlred::Nlred,
    "phantom" => phantom::Phantom,
    "pi" => pi::Pi,
    "pi2" => pi2::Pi2,
    "pid_red" => pid_red::PidRed,
    "pie" => pie::Pie,
    "policer" => policer::Params,
    "prio" => prio::Prio,
    "purple" => purple::Purple,
    "qprot" => qprot::Qprot,
    "rared" => rared::Rared,
    "red" => red::Red,
    "red_at" => red_at::RedAt,
    "red_pd" => red_pd::RedPd,
    "red_size" => red_size::RedSize,
    "rem" => rem::Rem,
    "rio" => rio::Rio,
    "rtred" => rtred::Rtred,
    "savq" => savq::Savq,
    "sfb" => sfb::Sfb,
    "sfq" => sfq::Sfq,
    "shred" => shred::Shred,
    "sred" => sred::Sred,
    "step_marking" => step_marking::StepMarking,
    "tbf" => tbf::Tbf,
    "wred" => wred::Wred,
    "wtred" => wtred::Wtred,
    "xchoke" => xchoke::Xchoke,
    "yellow" => yellow::Yellow,
}
