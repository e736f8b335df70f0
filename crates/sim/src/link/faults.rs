//! Faults of a link: losses, jitter, reordering, duplicates.
//!
//! *Reference*: bursts of losses after Elliott63 (and Gilbert): a good and a bad state, left with a probability for
//! each packet. Each packet takes the draws of the configured faults, in this order: state, loss, jitter, reordering,
//! duplicate.

use crate::plan::LossPlan;
use units::{Rng, Stream, Time};

/// The state of a link's faults.
pub struct Faults {
    plan: LossPlan,
    rng: Stream,
    /// Positions used of the lists of drops and marks.
    drops: usize,
    marks: usize,
    entered: u64,
    /// In a burst of losses (the bad state).
    bad: bool,
    /// When the last packet arrived at the far end.
    last: Time,
}

/// Fate of a packet as it enters the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryFate {
    /// Nothing.
    Passes,
    /// CE is set if it is ECN-capable.
    Marked,
    /// It is destroyed.
    Destroyed,
}

/// The arrival of a packet that was not lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Its time.
    pub time: Time,
    /// Whether the packet arrives twice.
    pub duplicated: bool,
}

impl Faults {
    /// The faults of a plan; `None` if it has none.
    pub fn new(plan: &LossPlan, rng: Stream) -> Option<Box<Faults>> {
        let some = *plan
            != LossPlan {
                overtaking: plan.overtaking,
                reorder: (0.0, plan.reorder.1),
                ..LossPlan::default()
            };
        some.then(|| {
            let plan = plan.clone();
            Box::new(Faults { plan, rng, drops: 0, marks: 0, entered: 0, bad: false, last: Time::ZERO })
        })
    }

    /// Counts a packet that enters the link, and looks its position up in the lists.
    #[inline]
    pub fn on_entry(&mut self) -> EntryFate {
        let destroyed = self.plan.positions.get(self.drops) == Some(&self.entered);
        let marked = self.plan.marks.get(self.marks) == Some(&self.entered);
        self.entered += 1;
        self.drops += usize::from(destroyed);
        self.marks += usize::from(marked);
        match (destroyed, marked) {
            (true, _) => EntryFate::Destroyed,
            (false, true) => EntryFate::Marked,
            (false, false) => EntryFate::Passes,
        }
    }

    /// Draws whether a transmitted packet is lost.
    pub fn on_wire(&mut self) -> bool {
        let mut share = self.plan.random;
        if let Some(bursts) = self.plan.bursts {
            let leaves = if self.bad { bursts.end } else { bursts.begin };
            self.bad ^= self.rng.uniform() < leaves;
            share = if self.bad { bursts.loss } else { share };
        }
        share > 0.0 && self.rng.uniform() < share
    }

    /// Whether packets may arrive out of order, late, or twice.
    pub fn reorders(&self) -> bool {
        self.plan.jitter.is_some() || self.plan.reorder.0 > 0.0 || self.plan.duplicate > 0.0
    }

    /// The arrival of a packet that would arrive at `due`.
    pub fn arrival(&mut self, due: Time) -> Arrival {
        let mut time = due;
        if let Some(jitter) = self.plan.jitter {
            time += jitter.draw(&mut self.rng);
            if !self.plan.overtaking {
                time = time.max(self.last);
                self.last = time;
            }
        }
        let (share, by) = self.plan.reorder;
        if share > 0.0 && self.rng.uniform() < share {
            time += by;
        }
        let duplicated = self.plan.duplicate > 0.0 && self.rng.uniform() < self.plan.duplicate;
        Arrival { time, duplicated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::LossBursts;
    use units::param::{Distribution, DistributionShape};
    use units::Span;

    fn loss(plan: &LossPlan) -> Box<Faults> {
        Faults::new(plan, Stream::new(1, "loss")).unwrap()
    }

    /// The additional delay of packets that leave a millisecond apart.
    fn extra(plan: &LossPlan, n: u64) -> Vec<Span> {
        let mut loss = loss(plan);
        let leave = |i: u64| Time(i * 1_000_000);
        (0..n).map(|i| loss.arrival(leave(i)).time.since(leave(i))).collect()
    }

    #[test]
    fn positions_are_hit_once_each() {
        let (positions, marks) = (vec![1, 2, 5], vec![2, 3, 6]);
        let mut loss = loss(&LossPlan { positions, marks, ..LossPlan::default() });
        let hits: Vec<EntryFate> = (0..7).map(|_| loss.on_entry()).collect();
        let (passes, marked, gone) = (EntryFate::Passes, EntryFate::Marked, EntryFate::Destroyed);
        assert_eq!(
            hits,
            [passes, gone, gone, marked, passes, gone, marked],
            "what is destroyed is not marked"
        );
        let idle = LossPlan { reorder: (0.0, Span(5)), overtaking: true, ..LossPlan::default() };
        assert!(Faults::new(&idle, Stream::new(1, "loss")).is_none());
    }

    /// Begin 1/100, end 1/4, every packet of a burst lost: 1/26 of all packets, in bursts of four on average.
    #[test]
    fn bursts_have_the_length_and_share_of_theory() {
        let bursts = Some(LossBursts { begin: 0.01, end: 0.25, loss: 1.0 });
        let mut loss = loss(&LossPlan { bursts, ..LossPlan::default() });
        let n = 200_000;
        let lost: Vec<bool> = (0..n).map(|_| loss.on_wire()).collect();
        let total = lost.iter().filter(|lost| **lost).count() as f64;
        let begun = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        // The standard error of the share with bursts of four: about sqrt(p (1 - p) (1 + 2 * 0.74 / 0.26) / n).
        assert!((total / f64::from(n) - 1.0 / 26.0).abs() < 5.0 * 0.0011, "{total}");
        assert!((total / begun - 4.0).abs() < 5.0 * (12.0 / begun).sqrt(), "{}", total / begun);
    }

    #[test]
    fn losses_outside_bursts_are_those_of_the_good_state() {
        let bursts = Some(LossBursts { begin: 0.02, end: 0.2, loss: 0.5 });
        let mut loss = loss(&LossPlan { random: 0.01, bursts, ..LossPlan::default() });
        let n = 200_000;
        let total = (0..n).filter(|_| loss.on_wire()).count() as f64;
        let theory = (0.2 * 0.01 + 0.02 * 0.5) / 0.22;
        assert!((total / f64::from(n) - theory).abs() < 0.003, "{total}");
    }

    #[test]
    fn jitter_keeps_the_order_unless_it_may_not() {
        let law = Distribution::of(DistributionShape::Exponential(0.003));
        let plan = LossPlan { jitter: Some(law), ..LossPlan::default() };
        let overtakes = |faults: &LossPlan| {
            let times: Vec<u64> = extra(faults, 5000)
                .iter()
                .enumerate()
                .map(|(i, extra)| i as u64 * 1_000_000 + extra.0)
                .collect();
            times.windows(2).filter(|pair| pair[1] < pair[0]).count()
        };
        assert_eq!(overtakes(&plan), 0);
        assert!(overtakes(&LossPlan { overtaking: true, ..plan.clone() }) > 1000);
        let free = extra(&LossPlan { overtaking: true, ..plan }, 20_000);
        let mean = free.iter().map(|extra| extra.as_millis()).sum::<f64>() / 20_000.0;
        assert!((mean - 3.0).abs() < 5.0 * 3.0 / 20_000f64.sqrt(), "{mean}");
    }

    #[test]
    fn shares_of_reordering_and_duplicates_are_kept() {
        let plan = LossPlan { reorder: (0.1, Span::from_millis(7)), duplicate: 0.05, ..LossPlan::default() };
        let mut loss = loss(&plan);
        let arrivals: Vec<Arrival> = (0..20_000).map(|_| loss.arrival(Time(5))).collect();
        let late = arrivals.iter().filter(|one| one.time == Time(7_000_005)).count() as f64;
        let duplicated = arrivals.iter().filter(|one| one.duplicated).count() as f64;
        assert!(
            (late - 2000.0).abs() < 5.0 * 1800f64.sqrt() && (duplicated - 1000.0).abs() < 5.0 * 950f64.sqrt()
        );
        assert!(arrivals.iter().all(|one| one.time == Time(5) || one.time == Time(7_000_005)));
    }
}
