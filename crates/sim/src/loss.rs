//! What a link destroys beside its queue.

use crate::plan::LossPlan;
use units::{Dice, Stream};

/// Random loss after transmission, and a list of positions destroyed on entry.
pub struct Loss {
    random: f64,
    dice: Stream,
    positions: Vec<u64>,
    next: usize,
    entered: u64,
}

impl Loss {
    /// What the plan asks for, if it asks for any.
    pub fn new(plan: &LossPlan, dice: Stream) -> Option<Box<Loss>> {
        let some = plan.random > 0.0 || !plan.positions.is_empty();
        some.then(|| {
            Box::new(Loss {
                random: plan.random,
                dice,
                positions: plan.positions.clone(),
                next: 0,
                entered: 0,
            })
        })
    }

    /// Counts a packet that enters the link; true if its position is on the list.
    #[inline]
    pub fn on_entry(&mut self) -> bool {
        let hit = self.positions.get(self.next) == Some(&self.entered);
        self.entered += 1;
        self.next += usize::from(hit);
        hit
    }

    /// Whether a transmitted packet is lost by chance.
    #[inline]
    pub fn on_wire(&mut self) -> bool {
        self.random > 0.0 && self.dice.uniform() < self.random
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_hit_once_each() {
        let plan = LossPlan { random: 0.0, positions: vec![1, 2, 5] };
        let mut loss = Loss::new(&plan, Stream::new(1, "loss")).unwrap();
        let hits: Vec<bool> = (0..7).map(|_| loss.on_entry()).collect();
        assert_eq!(hits, [false, true, true, false, false, true, false]);
        assert!(Loss::new(&LossPlan::default(), Stream::new(1, "loss")).is_none());
    }
}
