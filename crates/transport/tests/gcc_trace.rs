//! The delay-based controller of GCC against a transcription of the draft: what it compares, its threshold, its signal,
//! its state and its rate, packet by packet.

#![allow(clippy::unwrap_used)]

use transport::rate_based::gcc::control::DelayControl;
use transport::rate_based::gcc::params::{GccBound, GccUnconfirmed};
use transport::rate_based::gcc::GccParams;
use units::{Bytes, Rate, Span, Time};

fn params(text: &str) -> GccParams {
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {name} = "))).unwrap();
        line.to_string()
    };
    GccParams {
        mss: Bytes(1000),
        initial_rate: Rate(1_200_000),
        estimate_gain: value("gain").parse().unwrap(),
        longest_group: Span::from_millis(value("longest").parse().unwrap_or(0)),
        unconfirmed: match value("unconfirmed").as_str() {
            "normal" => GccUnconfirmed::Normal,
            _ => GccUnconfirmed::Previous,
        },
        bound: if value("bound") == "growth" { GccBound::Growth } else { GccBound::Always },
        ..GccParams::default()
    }
}

/// Plays a trace; returns the number of lines with a sample.
fn play(text: &str) -> usize {
    let mut control = DelayControl::new(&params(text));
    let near = |ours: f64, theirs: &str, line: &str| {
        let theirs: f64 = theirs.parse().unwrap();
        assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{line}: {ours}");
    };
    let mut samples = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (packet, rate) = line.split_once('|').map_or((line, None), |(packet, rate)| (packet, Some(rate)));
        let words: Vec<&str> = packet.split_whitespace().collect();
        let at = |word: &str| Time(1000 * word.parse::<u64>().unwrap());
        control.on_packet(at(words[0]), at(words[1]), Span::from_millis(60));
        if let [_, _, _, compared, threshold, signal] = words[..] {
            samples += 1;
            near(control.detector.compared, compared, line);
            near(control.detector.threshold, threshold, line);
            assert_eq!(format!("{:?}", control.detector.signal).to_lowercase(), signal, "{line}");
        }
        if let Some((state, rate)) = rate.and_then(|rate| rate.trim().split_once(' ')) {
            assert_eq!(format!("{:?}", control.rate.state).to_lowercase(), state, "{line}");
            near(control.rate.rate, rate, line);
        }
    }
    samples
}

#[test]
fn it_agrees_with_the_transcription() {
    assert!(play(include_str!("traces/gcc_deployed.txt")) > 1000);
    assert!(play(include_str!("traces/gcc_draft.txt")) > 400);
    assert!(play(include_str!("traces/gcc_previous.txt")) > 400);
}
