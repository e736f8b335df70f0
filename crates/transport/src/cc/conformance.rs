//! The conformance kit for congestion controls: random ACKs, losses, timeouts and ECN echoes, and what holds of every
//! control.
//!
//! A window is a finite number above zero, most losses narrow it, and the same events give the same windows. Not all
//! losses do: Westwood sets a window by the bandwidth it measures, whatever the window at the time. Controls that set
//! the window from rate samples ([`Control::models`]) answer events otherwise and are refused.

use super::{AckEvent, Cause, Cc, CongestionEvent, Control, Window};
use crate::params::{ControlName, Params};
use units::{Rng, Span, Stream, Time};

/// Counts of a sequence of events, and a hash over all windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// ACKs.
    pub acks: u64,
    /// Reductions: losses, timeouts and ECN echoes.
    pub reductions: u64,
    /// Reductions that left no smaller window.
    pub widened: u64,
    /// Reductions that were undone.
    pub undone: u64,
    /// Hash over the windows.
    pub windows: u64,
}

/// Drives a control through `count` random events.
///
/// # Errors
/// The rule that was broken, and at which event.
pub fn check_control(name: &ControlName, count: usize, seed: u64) -> Result<Report, String> {
    let params = Params { cc: name.clone(), ..Params::default() };
    let mut rig = Rig {
        cc: Cc::new(&params),
        window: Window { cwnd: 3.0, ssthresh: 1e6 },
        rng: Stream::new(seed, "conformance"),
        now: Time::ZERO,
        una: 0,
        report: Report::default(),
    };
    if rig.cc.models() {
        return Err("sets its window from rate samples, which these events are not".into());
    }
    for number in 0..count {
        rig.step().map_err(|rule| format!("event {number}: {rule}"))?;
    }
    let Report { reductions, widened, .. } = rig.report;
    if 2 * widened > reductions {
        return Err(format!("{widened} of {reductions} reductions did not narrow the window"));
    }
    Ok(rig.report)
}

/// A control under test, and the connection around it.
struct Rig {
    cc: Cc,
    window: Window,
    rng: Stream,
    now: Time,
    una: u32,
    report: Report,
}

impl Rig {
    fn step(&mut self) -> Result<(), String> {
        self.now += Span::from_secs(self.rng.exponential(0.002));
        let draw = self.rng.uniform();
        match draw {
            _ if draw < 0.97 => self.ack(),
            _ if draw < 0.985 => self.reduce(Cause::Loss)?,
            _ if draw < 0.995 => self.reduce(Cause::Ecn)?,
            _ => self.reduce(Cause::Timeout)?,
        }
        let Window { cwnd, ssthresh } = self.window;
        if !(cwnd.is_finite() && cwnd > 0.0 && ssthresh > 0.0) {
            return Err(format!("cwnd is {cwnd} and ssthresh {ssthresh}: both must lie above 0"));
        }
        let hash = self.report.windows ^ cwnd.to_bits() ^ ssthresh.to_bits().rotate_left(1);
        self.report.windows = hash.wrapping_mul(0x100_0000_01b3);
        Ok(())
    }

    fn ack(&mut self) {
        let flight = self.flight();
        let acked = if self.rng.uniform() < 0.3 { 2 } else { 1 };
        let queueing = self.rng.exponential(0.01);
        let echo = self.rng.uniform() < 0.01;
        self.una += acked;
        let event = AckEvent {
            now: self.now,
            acked,
            delivered: acked,
            rtt: (self.rng.uniform() < 0.9).then(|| Span::from_secs(0.02 + queueing)),
            by_segment: false,
            flight,
            una: self.una,
            next: self.una + flight,
            sacks: false,
            ece: echo,
            marked: u32::from(echo),
            recovering: false,
            reducing: false,
        };
        self.report.acks += 1;
        if self.cc.watches() {
            self.cc.on_every_ack(&event);
        }
        if !echo || self.cc.grows_on_echo() {
            self.cc.on_ack(&mut self.window, &event);
        }
    }

    fn reduce(&mut self, cause: Cause) -> Result<(), String> {
        let flight = self.flight();
        let load = f64::from(flight);
        let before = self.window;
        self.cc.save_before_reduction();
        let event = CongestionEvent { now: self.now, cause, load, flight, ecn_factor: None };
        let reduced = self.cc.on_congestion(&self.window, &event);
        self.report.reductions += 1;
        if !(reduced.is_finite() && reduced >= 0.0) {
            return Err(format!("{cause:?} has led to a window of {reduced} segments"));
        }
        self.report.widened += u64::from(reduced.max(2.0) > before.cwnd.max(load).max(2.0));
        self.window.ssthresh = reduced.max(2.0);
        self.window.cwnd = if cause == Cause::Timeout { 1.0 } else { self.window.ssthresh };
        if self.rng.uniform() < 0.1 {
            self.report.undone += 1;
            self.window = before;
            self.cc.undo_reduction();
        }
        Ok(())
    }

    fn flight(&self) -> u32 {
        self.window.cwnd.clamp(1.0, 1e6) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::super::plugin::{self, ControlPlugin, ExternalControl};
    use super::*;
    use crate::params::Algorithm;
    use std::sync::Arc;
    use units::param::{Choice, Param, Value};
    use units::plugin::{Declaration, Parameter};

    #[test]
    fn every_built_in_control_passes() {
        for (algorithm, name, _) in Algorithm::all() {
            let control = ControlName::from(*algorithm);
            if Cc::new(&Params { cc: control.clone(), ..Params::default() }).models() {
                continue;
            }
            for seed in 1..=5 {
                let report =
                    check_control(&control, 5_000, seed).unwrap_or_else(|rule| panic!("{name}: {rule}"));
                assert_eq!(check_control(&control, 5_000, seed), Ok(report), "{name}");
                assert!(report.acks > 4_500 && report.reductions > 50 && report.undone > 0);
            }
        }
    }

    /// Reno's growth, and `left` of the window after a reduction.
    #[derive(Clone)]
    struct Left(f64);

    impl ExternalControl for Left {
        fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
            window.cwnd += f64::from(event.acked) / window.cwnd;
        }
        fn on_congestion(&mut self, window: &Window, _event: &CongestionEvent) -> f64 {
            window.cwnd * self.0
        }
        fn on_every_ack(&mut self, _event: &AckEvent) {}
        fn pace(&self, _now: Time) -> Option<f64> {
            None
        }
        fn save_before_reduction(&mut self) {}
        fn undo_reduction(&mut self) {}
        fn duplicate(&self) -> Box<dyn ExternalControl> {
            Box::new(self.clone())
        }
    }

    struct Declared(Declaration);

    impl ControlPlugin for Declared {
        fn declaration(&self) -> &Declaration {
            &self.0
        }
        fn watches(&self) -> bool {
            false
        }
        fn paces(&self) -> bool {
            false
        }
        fn build(&self, values: &[f64]) -> Box<dyn ExternalControl> {
            Box::new(Left(values[0]))
        }
    }

    fn read(text: &str) -> Result<ControlName, String> {
        ControlName::read(&Value::Text(text.into()))
    }

    #[test]
    fn a_plug_in_is_named_checked_and_shown_with_its_code() {
        let left = Parameter { name: "left", unit: "", about: "", default: 0.5, range: (0.0, 9.0) };
        let declaration = Declaration {
            name: "left_over",
            title: "Left over",
            about: "",
            parameters: vec![left],
            code: "12".into(),
        };
        assert!(read("left_over").is_err(), "nobody has registered it");
        plugin::register(Arc::new(Declared(declaration.clone()))).unwrap();
        let reno = Declaration { name: "reno", ..declaration };
        assert!(plugin::register(Arc::new(Declared(reno))).unwrap_err().contains("built in"));
        let control = read("left_over:left=0.7").unwrap();
        assert_eq!(control.show(), Value::Text("left_over:left=0.7,code=12".into()));
        assert_eq!(check_control(&control, 2_000, 1), check_control(&control, 2_000, 1));
        assert!(check_control(&control, 2_000, 1).is_ok());
        let wide = check_control(&read("left_over:left=3").unwrap(), 2_000, 1).unwrap_err();
        assert!(wide.contains("reductions did not narrow the window"), "{wide}");
        assert!(read("left_over:left=30").unwrap_err().contains("must lie in 0 to 9"));
        assert!(read("lefty").unwrap_err().contains("must be one of"));
    }

    #[test]
    #[should_panic(expected = "the plug-in left_none has set the reduced window to 0")]
    fn a_window_of_nothing_is_the_plug_ins_fault() {
        let left = Parameter { name: "left", unit: "", about: "", default: 0.0, range: (0.0, 9.0) };
        let declaration =
            Declaration { name: "left_none", title: "", about: "", parameters: vec![left], code: "1".into() };
        plugin::register(Arc::new(Declared(declaration))).unwrap();
        let _ = check_control(&read("left_none").unwrap(), 2_000, 1);
    }
}
