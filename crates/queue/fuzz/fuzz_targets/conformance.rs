//! Arbitrary bytes as a discipline, its parameters and its arrivals, put through the conformance kit of
//! `queue::conformance`.
#![no_main]

#[path = "../../tests/common/bytes.rs"]
mod bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::examine(data);
});
