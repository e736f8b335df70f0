//! Records of a run: counters, time averages, histograms, series and the packet trace.
//!
//! | module | records |
//! |---|---|
//! | `window` | when measuring starts and ends |
//! | `tally` | packets and bytes; the conservation check |
//! | [`link_probe`] | one link: counters, queue statistics, sojourn times, series |
//! | [`flow_probe`] | one flow: delays, jitter, congestion window, series |
//! | `completions` | completion times of an application's objects |
//! | `statistics` | moments, time averages and histograms in constant memory |
//! | `trace` | every packet event, on request |
//! | `passage` | the packet events at one observed link, for hosts that draw the queue |

mod completions;
pub mod flow_probe;
pub mod link_probe;
mod packed;
mod passage;
mod statistics;
mod tally;
mod trace;
mod window;

pub use completions::{Completions, CLASSES};
pub use flow_probe::{FlowProbe, CWND_STEPS};
pub use link_probe::{Backlog, LinkProbe, EVENT_SERIES, NO_DISC};
pub use passage::{Passage, PassageEvent};
pub use statistics::{
    FewTimes, Histogram, Maximum, MeanSpan, Moments, QueueStatistics, SampleMoments, TimeAverage,
};
pub use tally::{Conservation, Outstanding, Tally};
pub use trace::{Trace, TraceEvent, TraceRow};
pub use window::MeasurementWindow;
