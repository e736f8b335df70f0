//! `Disc` passes every call on to its discipline, and returns the discipline's results.

use queue::conformance::KitPacket;
use queue::disc::{Probe, QueueDisc};
use queue::{Disc, Setting, Spec, KINDS};
use units::param::Value;
use units::{Bytes, Rate, Span};

#[test]
fn an_average_that_is_probed_is_also_handed_on() {
    let setting = Setting { rate: Rate(10_000_000), delay: Span::from_millis(10), packet: Bytes(1000) };
    let mut with_average = Vec::new();
    for kind in KINDS {
        let table = vec![("kind".to_string(), Value::Text((*kind).to_string()))];
        let mut problems = Vec::new();
        let spec = Spec::read("queue", &table, &mut problems);
        let disc: Disc<KitPacket> = spec.unwrap_or_else(|| panic!("{kind}: {problems:?}")).build(&setting);
        let mut probe = Probe::default();
        disc.probe(&mut probe);
        let probed = probe.values.iter().find(|(name, _)| *name == "avg").map(|(_, value)| *value);
        assert_eq!(disc.avg(), probed, "{kind}");
        with_average.extend(probed.map(|_| *kind));
    }
    assert!(with_average.contains(&"red"), "{with_average:?}");
}
