//! Arbitrary bytes as frames: headers are parsed, marks set, super-packets cut, and the segments handed to the pump.
#![no_main]

#[path = "../../tests/frames/bytes.rs"]
mod bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::carry(data);
});
