//! Any bytes as frames: headers are read, marks are set, super-packets are cut, and the pump carries what is left.
#![no_main]

#[path = "../../tests/common/bytes.rs"]
mod bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::carry(data);
});
