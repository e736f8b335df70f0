//! Work done early must not change a bit with a clock of doubles either.

use proptest::prelude::*;
use sim_doubles::fast::{FastPath, FastPaths};
use sim_doubles::scenario::Scenario;
use sim_doubles::{run, Engine, Options};

fn scenario(rate: u32, limit: u32, red: bool, profile: &str, others: &str, faults: &str) -> String {
    let queue = if red {
        "kind = \"red\"\ndialect = \"ns2\"\nlimit = \"60 pkts\"\nmin_th = \"2 pkts\"\nmax_th = \"8 pkts\""
            .to_string()
    } else {
        format!("kind = \"droptail\"\ndialect = \"ns2\"\nlimit = \"{limit} pkts\"")
    };
    format!(
        r#"
        [run]
        duration = "6 s"
        warmup = "1 s"
        clock = "doubles"
        [dumbbell]
        rate = "{rate} kbit/s"
        delay = "10 ms"
        access_rate = "10 Mbit/s"
        access_delay = "even 1 ms to 4 ms"
        {faults}
        [queue]
        {queue}
        [flows.tcp]
        count = 3
        profile = "{profile}"
        ack_every = 2
        [flows.others]
        transport = "{others}"
        profile = "{profile}"
        [flows.udp]
        transport = "udp"
        rate = "{share} kbit/s"
        packet = "500 B"
        start = "10 ms"
        "#,
        share = rate / 5
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn engines_agree(
        rate in prop_oneof![Just(800u32), Just(1500), 300u32..20_000],
        limit in 4u32..40,
        red in any::<bool>(),
        profile in prop_oneof![Just("ns2-2.35"), Just("ns2-2000")],
        others in prop_oneof![Just("tcp"), Just("tfrc")],
        faults in prop_oneof![Just(""), Just("drop = [9, 30]\nmark = [12]\nloss = 0.01")],
        seed in any::<u64>(),
    ) {
        let text = scenario(rate, limit, red, profile, others, faults);
        let plan = Scenario::parse(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:?}")).plan();
        let report = |engine, without| {
            let outcome = run(&plan, seed, &Options { engine, without, series: true, ..Options::default() });
            let mut summary = outcome.summary(&plan, "");
            let received = |flow: &serde_json::Value| flow["received_pkts"].as_u64().unwrap_or(0);
            let flows = summary["flows"].as_array().map_or(&[][..], Vec::as_slice);
            prop_assert!(flows.iter().map(received).sum::<u64>() > 10);
            summary["events"] = serde_json::Value::Null;
            let series: Vec<_> = outcome.series(&plan).into_iter().map(|one| (one.name, one.component, one.value)).collect();
            Ok((summary.to_string(), series))
        };
        let fast = report(Engine::Fast, FastPaths::NONE)?;
        let path = FastPath::ALL[(seed % FastPath::ALL.len() as u64) as usize];
        prop_assert!(fast == report(Engine::Fast, FastPaths::NONE.with(path))?, "without {}", path.name());
        let plain = report(Engine::Plain, FastPaths::NONE)?;
        prop_assert_eq!(fast.0, plain.0);
        prop_assert!(fast.1 == plain.1);
    }
}
