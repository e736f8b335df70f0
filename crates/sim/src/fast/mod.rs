//! The fast engine: every step of the plain engine that has a specialised form, with the same bits.
mod deliver;
mod droptail_link;
mod engine;
mod fabric;
mod fold;
mod hop;
mod known_departures;
mod link;
mod lookahead;
mod paths;
mod private_links;
mod red_link;
mod step;
mod travel;

pub use droptail_link::DroptailLink;
pub use fabric::Fast;
pub use link::FastLink;
pub use paths::{FastPath, FastPaths};
pub use red_link::RedLink;
