//! The parts that the tables of a scenario are made of, in whichever section they are.
//!
//! | module | holds |
//! |---|---|
//! | [`part`] | a part: keys that are declared together, as data; dotted paths |
//! | `former` | keys that have another name now |
//! | `reader` | parses one table part by part and reports the keys that remain |
//! | [`transport`] | the transports by which a flow can send |

pub(crate) mod former;
pub mod part;
pub(crate) mod reader;
pub mod transport;

pub use part::Part;
pub use transport::Transport;
