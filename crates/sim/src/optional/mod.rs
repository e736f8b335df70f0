//! Optional steps of a network, which only some scenarios need; both engines take them.
//!
//! | file | holds |
//! |---|---|
//! | `faults.rs` | links that lose, delay or duplicate packets |
//! | `open_loop.rs` | sessions that arrive in an open loop: flows that begin during the run |

mod faults;
mod open_loop;
