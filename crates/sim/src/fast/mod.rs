//! Fast paths: specialised forms of the plain engine's steps that produce the same bits.

mod arrival_batches;
mod droptail_link;
mod red_link;

pub use arrival_batches::ArrivalBatches;
pub use droptail_link::DroptailLink;
pub use red_link::RedLink;
