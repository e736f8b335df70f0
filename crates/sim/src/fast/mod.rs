//! The fast engine: executes the steps of the network by fast paths where their outcome is certain.
//!
//! Each path is a specialised form of steps of the plain engine (`network/`), with the same bits. A path is taken only
//! where its precondition holds: the `is_eligible` of one of two traits, [`FastLink`] for links that replace a general
//! one and `FastStep` for steps. [`crate::Options::without`] switches a path off.
//!
//! | path | precondition (`is_eligible`) | what it skips | equality test | instructions saved |
//! |---|---|---|---|--:|
//! | `droptail_link` | tail drop, limit in packets, constant rate, no faults | storing packets: the queue is the transmissions that start later | `droptail_link::tests` | 2822 |
//! | `red_link` | RED that decides at arrival, constant rate, no faults, clock of nanoseconds | storing packets, a record of each departure | `arrival_link::tests` | 580 |
//! | `tail_drop_queue` | a `droptail_link` with a probe that is the slowest of the route of some data, clock of nanoseconds | the same as `red_link` | `arrival_link::tests` | 488 ² |
//! | `uniform_size` | inside an arrival link (the two above): RED's own fast path, or tail drop; packets of one size, a whole number of nanoseconds long | the queue itself: its length follows from the end of the last packet | `arrival_link::tests` | 179 |
//! | `known_departures` | any other discipline that decides at arrival, no ring | an event at the end of each transmission | `link::tests::known_ahead_equals_event_by_event` | 3077 |
//! | `lazy_dequeue` | any discipline that decides later, constant rate, no faults, no ring, a delay | nearly all events at ends of transmissions: dequeues are executed at the next arrival | `modes` | 248 ³ |
//! | `fold` | one component feeds the link, a packet takes at least 1 ns, and departures are known at arrival | the event of a hop: the packet is handled at once, at its later time | `modes` | 1091 |
//! | `private_links` | one flow alone uses a `droptail_link` without a probe | a look-up, and cache lines of their own | `modes` | 667 |
//! | `hop_codes` | the next event is at a shared `droptail_link` or arrival link, and a private link and the end follow | the look-up of the hop, and moving the packet | `modes` | 339 |
//! | `lookahead` | most flows pass the first arrival link and the first `droptail_link`, none passes one alone; a round trip is long enough for `arrival_batches` | the event queue: arrivals of a window are sorted in batches | `modes::engines_agree_with_lookahead`, `arrival_batches::tests` | 8 ¹ |
//! | `deliver` | a plain segment or ACK of TCP, with or without RACK, timestamps and pacing, without RACK also with classic ECN; the answer to a segment, with the receive window of the rule `linux` or the counters of accurate ECN; a retransmission by RACK; a pacing timer that fires alone | actions and timers that cannot occur | `modes`; in `transport`: `fast_path` tests | – ⁴ |
//!
//! `modes` is `tests/modes.rs`: random networks in the plain engine, in the fast one, and in the fast one without one
//! path. `tests/engines.rs` runs all shipped scenarios in both. The last column is the rise in instructions for each
//! delivered segment without the path (`cargo bench --bench dumbbell 10 30 without-PATH` under callgrind: ten greedy
//! flows with SACK through RED at 10 Mbit/s). With all paths it is 941, in the plain engine 12 369. `known_departures`
//! is counted without `droptail_link`, whose links it then serves. ¹ With 100 flows at 100 Mbit/s; ten have too short a
//! round trip. ² The same flows over tail drop, of 849. ³ Over FQ-CoDel, of 1887 (both `cargo bench --bench cells`). ⁴
//! The sender's part saves 700 for CUBIC of the profile `linux` over RED (2627 to 1934), where every segment is
//! tracked; pacing with SACK and the answers with counters save 800 for Prague over tail drop (3036 to 2234).

mod arrival_link;
mod deliver;
mod droptail_link;
mod engine;
mod extras;
mod fabric;
mod fold;
mod hop;
mod known_departures;
mod lazy_dequeue;
mod link;
mod lookahead;
mod next_dequeue;
mod paths;
mod private_links;
mod step;
mod travel;

pub use arrival_link::ArrivalLink;
pub use droptail_link::DroptailLink;
pub use fabric::Fast;
pub use link::FastLink;
use link::FastStep;
pub use paths::{FastPath, FastPaths};
