//! Each control compared with a slow transcription of its paper or RFC, over 4000 random ACKs and losses: the windows
//! stay the same. A transcription keeps the symbols of its source and shares nothing with the crate.

#![allow(clippy::unwrap_used)]

mod delay;
mod described;
mod ledbat;
mod window;

use transport::cc::{AckEvent, Cause, Cc, CongestionEvent, Control, Window};
use transport::params::Params;
use units::param::{read_table, Table, Value};
use units::{Rng, Span, Stream, Time};

/// One ACK of one segment, as a transcription sees it: seconds, and whether it ends a round trip.
#[derive(Clone, Copy)]
struct Sample {
    now: f64,
    rtt: f64,
    round_ends: bool,
}

/// A transcription: the window after an ACK in congestion avoidance, a loss and a timeout.
trait Law {
    fn ack(&mut self, w: f64, sample: Sample) -> f64;
    fn loss(&mut self, w: f64, now: f64) -> f64;
}

fn control(cc: &str) -> Cc {
    let options = [
        ("cc", cc),
        ("handshake", "none"),
        ("htcp_bandwidth_switch", "false"),
        ("ledbat_target", "3 ms"),
        ("ledbat_pp_target", "3 ms"),
    ];
    let table: Table =
        options.iter().map(|(key, text)| (key.to_string(), Value::Text(text.to_string()))).collect();
    let mut problems = Vec::new();
    let params: Params = read_table("", &table, &mut problems);
    assert_eq!(problems, []);
    Cc::new(&params)
}

/// Drives both through the same ACKs: rounds of one window, an RTT that wanders with the window, a loss now and then.
fn agree(cc: &str, law: &mut dyn Law, start: f64) {
    drive(cc, control(cc), law, start);
}

/// As [`agree`], after a loss that precedes all ACKs.
fn agree_after_a_loss(cc: &str, law: &mut dyn Law, start: f64) {
    let mut ours = control(cc);
    let window = Window { cwnd: start / 0.8, ssthresh: 2.0 };
    ours.on_congestion(&window, &loss_at(Time::ZERO, window.cwnd));
    law.loss(window.cwnd, 0.0);
    drive(cc, ours, law, start);
}

fn loss_at(now: Time, load: f64) -> CongestionEvent {
    CongestionEvent { now, cause: Cause::Loss, load, flight: load as u32, ecn_factor: None }
}

fn drive(cc: &str, mut ours: Cc, law: &mut dyn Law, start: f64) {
    let mut rng = Stream::new(7, cc);
    let mut window = Window { cwnd: start, ssthresh: if cc == "nv" { start } else { 2.0 } };
    let (mut theirs, mut now_ns, mut una, mut end) = (start, 0u64, 0u32, 0u32);
    for step in 0..4000 {
        let rtt_ns = 50_000_000 + (window.cwnd * 40_000.0) as u64 + (rng.uniform() * 8e6) as u64;
        now_ns += rtt_ns / window.cwnd.max(1.0) as u64;
        una += 1;
        let next = una + window.cwnd as u32;
        let event = AckEvent {
            now: Time(now_ns),
            acked: 1,
            delivered: 1,
            rtt: Some(Span(rtt_ns)),
            by_segment: false,
            reducing: false,
            flight: window.cwnd as u32,
            una,
            next,
            sacks: false,
            ece: false,
            marked: 0,
            recovering: false,
        };
        let round_ends = una > end;
        if round_ends {
            end = next;
        }
        if ours.watches() {
            ours.on_every_ack(&event);
        }
        ours.on_ack(&mut window, &event);
        let (now, rtt) = (now_ns as f64 * 1e-9, rtt_ns as f64 * 1e-9);
        theirs = law.ack(theirs, Sample { now, rtt, round_ends });
        if rng.uniform() < 0.004 {
            let loss = loss_at(Time(now_ns), window.cwnd);
            let left = ours.on_congestion(&window, &loss).max(2.0);
            window = Window { cwnd: left, ssthresh: left };
            theirs = law.loss(theirs, now).max(2.0);
        }
        let apart = (window.cwnd / theirs - 1.0).abs();
        assert!(apart < 1e-6, "{cc}, step {step}: {} and {theirs}", window.cwnd);
    }
}
