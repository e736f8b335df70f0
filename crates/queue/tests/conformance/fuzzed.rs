//! Any bytes as a discipline with parameters and a list of its inputs: the work of the fuzz target, without a fuzzer.
//!
//! `crates/queue/fuzz` runs the same under libFuzzer. A case it finds becomes a test here, with its bytes.
#![allow(clippy::unwrap_used)]

#[path = "../common/bytes.rs"]
mod bytes;

use bytes::examine;
use proptest::prelude::*;
use units::{Rng, Stream};

#[test]
fn bytes_at_random_reach_every_kind() {
    let mut stream = Stream::new(1, "fuzzed");
    let mut byte = || (stream.uniform() * 256.0) as u8;
    for (i, kind) in queue::KINDS.iter().enumerate() {
        let reached = (0..2000).any(|_| {
            let mut data: Vec<u8> = (0..200).map(|_| byte()).collect();
            data[0] = i as u8;
            examine(&data)
        });
        assert!(reached, "{kind}: none of 2000 sets of parameters fits together");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_keep_the_rules(data in prop::collection::vec(any::<u8>(), 0..700)) {
        examine(&data);
    }
}
