//! The bins of SFB: which of them a flow has, and what they learn.
//!
//! Most packets belong to a flow hashed before, so the bins of a flow are remembered until another takes its place.

use super::Params;
use crate::store::hash::mix;
use alloc::vec::Vec;
use units::math;

/// Probability and packets of one bin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bin {
    pub(super) p_m: f64,
    pub(super) qlen: u64,
}

/// Most levels there may be.
const LEVELS: usize = 16;

/// Flows whose bins are remembered.
const KNOWN: usize = 64;

/// One set of levels with its salt.
#[derive(Clone, Debug)]
pub(super) struct Set {
    pub(super) bins: Vec<Bin>,
    pub(super) salt: u64,
    /// Hash of the salt for each level.
    keys: [u64; LEVELS],
    /// The bins of the flow last hashed, for each remainder of the number of the flow; without levels if none was.
    known: Vec<(u64, Places)>,
}

/// The bins of one flow, level by level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    at: [u16; LEVELS],
    levels: usize,
}

impl Places {
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.at.iter().take(self.levels).map(|&i| usize::from(i))
    }
}

/// The bins of a flow taken together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct View {
    pub(super) p_min: f64,
    pub(super) min_qlen: u64,
}

impl Set {
    /// Empty bins under a salt.
    pub(super) fn new(bins: Vec<Bin>, salt: u64) -> Set {
        let mut set = Set { bins, salt: 0, keys: [0; LEVELS], known: Vec::new() };
        set.restart(salt);
        set
    }

    /// Forgets everything and hashes by another salt.
    pub(super) fn restart(&mut self, salt: u64) {
        self.bins.fill(Bin::default());
        self.salt = salt;
        self.keys = core::array::from_fn(|level| mix(salt << 8 | level as u64));
        self.known.clear();
    }

    /// The bins of `flow`, hashed again only if another flow has taken its place among those remembered.
    #[inline]
    pub(super) fn known_places(&mut self, params: &Params, flow: u64) -> Places {
        // Flows of one direction differ from the second bit on.
        let slot = (flow >> 1) as usize % KNOWN;
        match self.known.get(slot) {
            Some((known, places)) if *known == flow && places.levels > 0 => *places,
            _ => self.remember(params, flow, slot),
        }
    }

    #[inline(never)]
    fn remember(&mut self, params: &Params, flow: u64, slot: usize) -> Places {
        let places = self.places(params, flow);
        if self.known.is_empty() {
            self.known.resize(KNOWN, (0, Places::default()));
        }
        self.known[slot] = (flow, places);
        places
    }

    /// The bins of `flow`.
    #[inline]
    pub(super) fn places(&self, params: &Params, flow: u64) -> Places {
        let (levels, bins) = (params.levels as usize, params.bins);
        let mut at = [0; LEVELS];
        for (level, (place, key)) in at.iter_mut().zip(self.keys).take(levels).enumerate() {
            let hash = mix(flow ^ key);
            // A division takes longer than the rest, and the number of bins is mostly a power of two.
            let bin = if bins.is_power_of_two() { hash & (bins - 1) } else { hash % bins };
            // At most 16 levels of 4096 bins.
            *place = (level as u64 * bins + bin) as u16;
        }
        Places { at, levels }
    }

    /// An arrival of the flow at `places`: each of its bins learns.
    #[inline]
    pub(super) fn learn(&mut self, params: &Params, places: &Places) -> View {
        let mut view = View { p_min: 1.0, min_qlen: u64::MAX };
        for i in places.iter() {
            let bin = &mut self.bins[i];
            if bin.qlen == 0 {
                bin.p_m = math::larger(bin.p_m - params.decrement, 0.0);
            } else if bin.qlen >= params.target {
                bin.p_m = math::smaller(bin.p_m + params.increment, 1.0);
            }
            view.p_min = math::smaller(bin.p_m, view.p_min);
            view.min_qlen = view.min_qlen.min(bin.qlen);
        }
        view
    }

    /// A packet of the flow at `places` was stored.
    pub(super) fn stored(&mut self, places: &Places) {
        places.iter().for_each(|i| self.bins[i].qlen += 1);
    }

    /// A packet of `flow` has left.
    pub(super) fn left(&mut self, params: &Params, flow: u64) {
        self.known_places(params, flow).iter().for_each(|i| self.bins[i].qlen -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flows 0, 1, 128 and 129 take each other's place among those remembered, and another salt gives other bins.
    #[test]
    fn bins_remembered_are_those_hashed() {
        let params = Params::default();
        let mut set = Set::new(Vec::new(), 0);
        for salt in 1..4 {
            for flow in [0, 1, 1, 128, 0, 129, 2, 2] {
                let known = set.known_places(&params, flow);
                assert!(known.iter().eq(set.places(&params, flow).iter()), "{flow}");
            }
            set.restart(salt);
        }
    }
}
