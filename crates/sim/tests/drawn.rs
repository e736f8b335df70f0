//! Random scenarios over the whole catalogue: no panic, no packet lost or made, both engines with the same bits.
//!
//! The example `fuzz_runs` does the same for hours: `make fuzz`. A case it finds becomes a test here, by its seed.

#[path = "common/drawn.rs"]
mod drawn;

use drawn::{judge, Drawer};
use std::collections::BTreeSet;

/// Enough for every discipline to be drawn.
const RUNS: u64 = 120;

#[test]
fn random_scenarios_run_alike_in_both_engines() {
    let (mut queues, mut transports, mut arrived) = (BTreeSet::new(), BTreeSet::new(), 0);
    let mut drawer = Drawer::new(26);
    for seed in 0..RUNS {
        let one = drawer.next();
        arrived += judge(&one.scenario, seed).arrived;
        queues.insert(one.queue);
        transports.extend(one.transports);
    }
    assert!(arrived > 10_000, "{arrived} packets in all runs");
    assert!(queues.len() + 3 >= queue::KINDS.len(), "{queues:?}");
    assert!(transports.len() >= 14, "{transports:?}");
}
