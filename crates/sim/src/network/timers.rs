//! Timers of the ends of flows.
//!
//! An end has one deadline and at most one timer that counts. A timer is not removed when the deadline moves: it is
//! stale then, and does nothing when it fires (lazy cancellation).

use super::{Carrier, Network};
use crate::source::Source;
use units::Time;

impl<C: Carrier> Network<C> {
    /// Arms the timer for the next deadline of an endpoint, unless an earlier one is armed.
    #[inline(always)]
    pub(crate) fn arm(&mut self, endpoint: u32, now: Time) {
        let side = (endpoint & 1) as usize;
        let flow = &mut self.flows[(endpoint >> 1) as usize];
        let due = flow.deadline(side);
        C::deadline_known(flow, side, due);
        if due < flow.armed_for[side] {
            self.arm_at(endpoint, due, now);
        }
    }

    /// Arms a timer that is earlier than the one armed, or the first one.
    ///
    /// # Panics
    /// If the deadline lies in the past: the event queue pops events in the order of time.
    #[cold]
    pub(crate) fn arm_at(&mut self, endpoint: u32, time: Time, now: Time) {
        assert!(
            time >= now,
            "the {} of flow {} has a deadline of {} s in the past, at {} s: `poll_timeout` must return the \
             present or a later time",
            if endpoint & 1 == 0 { "source" } else { "sink" },
            endpoint >> 1,
            time.as_secs(),
            now.as_secs(),
        );
        self.flows[(endpoint >> 1) as usize].armed_for[(endpoint & 1) as usize] = time;
        if time <= self.window.end {
            self.carrier.schedule_timer(self.timer_key(time, endpoint), endpoint);
        }
    }

    /// The timer of an endpoint fires. It is stale if the endpoint has armed another since.
    pub(crate) fn timer_fired(&mut self, endpoint: u32, now: Time) {
        let side = (endpoint & 1) as usize;
        let flow = &mut self.flows[(endpoint >> 1) as usize];
        if flow.armed_for[side] != now {
            return;
        }
        flow.armed_for[side] = Time::NEVER;
        if flow.is_due(side, now) {
            self.fire(endpoint, now, Time::NEVER);
        } else {
            self.arm(endpoint, now);
        }
    }

    /// Fires the timers that are due before an arrival at `now`. At equal times an arrival comes first at a source. At
    /// a sink its timer comes first, because it was armed before the arriving segment was on its last link. In ns-2 the
    /// timer comes first at both ends.
    #[cold]
    pub(crate) fn run_timers(&mut self, endpoint: u32, now: Time) {
        let first = endpoint & 1 == 1 || now.is_double();
        loop {
            let due = self.flows[(endpoint >> 1) as usize].deadline((endpoint & 1) as usize);
            if due > now || (due == now && !first) {
                return;
            }
            // The packets that the timer sends precede the answer to the arrival, whose birth is `now`.
            self.fire(endpoint, due, if due == now { now } else { Time::NEVER });
        }
    }

    /// Executes an endpoint's actions due at `now`, and sends its packets; `birth` orders its packets among others of
    /// that moment.
    #[cold]
    fn fire(&mut self, endpoint: u32, now: Time, birth: Time) {
        let number = endpoint >> 1;
        if endpoint & 1 == 1 {
            self.flows[number as usize].sink.on_timer(now);
            return self.drain_sink(number, now, birth);
        }
        self.fire_source(number, now);
        self.drain_source(number, now, birth);
    }

    /// A source starts, stops offering data, or executes the action its timer was armed for.
    fn fire_source(&mut self, number: u32, now: Time) {
        let flow = &mut self.flows[number as usize];
        flow.record_source(now, &self.window);
        let starts = !std::mem::replace(&mut flow.probe.started, true);
        let stops = now >= flow.stop;
        match &mut flow.source {
            Source::Tcp(sender) if stops => sender.cease(),
            Source::Tcp(sender) if starts => sender.start(now),
            Source::Tcp(sender) => sender.on_timer(now),
            Source::Rated(source) if stops => source.cease(),
            Source::Rated(source) if starts => source.start(now),
            Source::Rated(source) => source.on_timer(now),
            Source::Udp(source) if starts => source.start(now),
            Source::Udp(source) => source.on_timer(now),
            Source::App(source) if stops => source.cease(),
            Source::App(source) => {
                let before = source.objects_begun();
                if starts {
                    source.start(now);
                } else {
                    source.on_timer(now);
                }
                flow.probe.objects_begun(now, source.objects_begun() - before, &self.window);
            }
            Source::Origin(origin) if starts => origin.start(now),
            Source::Origin(_) => return self.admit_sessions(number, now),
        }
        if stops {
            flow.stop = Time::NEVER;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Trace;
    use crate::build::{build, measurement_window};
    use crate::fast::{Fast, FastPaths};
    use crate::network::Plain;
    use crate::plan::Plan;
    use crate::scenario::Scenario;
    use std::panic::{catch_unwind, AssertUnwindSafe};

    const TEXT: &str = "
run.duration = \"2 s\"
[dumbbell]
rate = \"1 Mbit/s\"
delay = \"10 ms\"
[queue]
kind = \"droptail\"
[flows.tcp]
count = 2
";

    /// The message of the panic of a network whose second source has a deadline of 5 ns after some events.
    fn panics<C: Carrier>(plan: &Plan, carrier: C) -> String {
        let window = measurement_window(plan, false);
        let mut network = build(plan, 1, window, Trace::default(), carrier);
        let (_, now) = network.advance(500);
        assert!(now > Time(1_000_000) && now < window.end, "{now:?}");
        network.flows[1].stop = Time(5);
        let act = AssertUnwindSafe(|| network.arm(2, Time(2_000_000_000)));
        let panic = catch_unwind(act).expect_err("the deadline lies in the past");
        *panic.downcast::<String>().expect("a formatted message")
    }

    #[test]
    fn a_deadline_in_the_past_names_its_endpoint_in_both_engines() {
        let plan = Scenario::parse(TEXT).unwrap().plan();
        let end = measurement_window(&plan, false).end;
        let plain = panics(&plan, Plain::default());
        let expected =
            "the source of flow 1 has a deadline of 0.000000005 s in the past, at 2 s: `poll_timeout` \
                        must return the present or a later time";
        assert_eq!(plain, expected);
        assert_eq!(panics(&plan, Fast::new(end, FastPaths::default())), expected);
    }
}
