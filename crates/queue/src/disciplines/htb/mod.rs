//! Hierarchical token bucket: classes with a rate each, which lend each other the part they do not use.
//!
//! Reference: tc-htb(8) and the user guide it names, for the classes, levels and borrowing.
//! Units: rates, bytes for bursts and quanta; `limit` counts packets or bytes of all classes together.
//! Deviations: sizes are those on the link; no overhead is added, and there is no hysteresis. The class of a packet is
//! read from the packet and not by filters. One limit holds for all classes together; a discipline inside may have its
//! own.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the parameters, the tree and the choice of the next class |
//! | `class.rs` | a class: its parameters and its buckets |

mod class;

pub use class::{ClassParams, HtbClass};

use crate::classes::{entry_of, ClassBy};
use crate::disc::{Cx, Decides, Packet, Probe, QueueDisc, Reason};
use crate::fifo::{Limit, LimitTest};
use crate::flow_key::FlowKey;
use crate::registry::{Discipline, Setting};
use crate::store::buckets::Buckets;
use alloc::vec::Vec;
use class::{Mode, Node};
use units::param::{require, Check, Param, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Time};

const PRIOS: usize = 8;
const MOST_CLASSES: usize = 256;
const MOST_LEVELS: usize = 8;

units::params! {
    /// A tree of classes with token buckets.
    pub struct Params {
        /// Limit of all classes together, in packets or bytes.
        limit: Amount = Amount::Packets(1000.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The classes, each after the one above it: 1 to 256 of them. Those that no other names are the leaves.
        classes: Vec<HtbClass> = vec![HtbClass::default(); 3] => { source: "Linux htb" },
        /// The part of a packet's class that counts.
        class_by: ClassBy = ClassBy::Number => { assumed: true },
        /// The leaf of each packet class, by its place in `classes`; the last applies to all classes that follow.
        leaf_of: Vec<u64> = vec![0, 1, 2] => { range: Range::Within(0.0, 255.0), assumed: true },
    }
}

impl Params {
    /// Whether a class has no other below it.
    fn is_leaf(&self, i: usize) -> bool {
        !self.classes.iter().any(|class| class.parent == Some(i as u64))
    }

    /// The level of each class: 0 for a leaf, else one more than the highest below.
    fn levels(&self) -> Vec<usize> {
        let mut levels = vec![0; self.classes.len()];
        for i in (0..self.classes.len()).rev() {
            if let Some(parent) = self.classes[i].parent {
                levels[parent as usize] = levels[parent as usize].max(levels[i] + 1);
            }
        }
        levels
    }

    /// The setting of the discipline in a leaf: its link has the ceiling of the leaf.
    fn inside(&self, i: usize, setting: &Setting) -> Setting {
        let ceiling = self.classes[i].ceiling().filter(|rate| setting.rate.0 == 0 || *rate < setting.rate);
        Setting { rate: ceiling.unwrap_or(setting.rate), ..*setting }
    }
}

impl Check for Params {
    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        let (many, shown) = (self.classes.len(), format!("{} classes", self.classes.len()));
        let number = format!("must have 1 to {MOST_CLASSES} entries");
        require(problems, (1..=MOST_CLASSES).contains(&many), "classes", shown, number, "");
        let before = |(i, class): (usize, &HtbClass)| class.parent.is_none_or(|parent| (parent as usize) < i);
        let ordered = self.classes.iter().enumerate().all(before);
        let order = "must each name a parent before it in the list";
        require(problems, ordered, "classes", "parent", order, "");
        let leaves: Vec<usize> = (0..many).filter(|i| self.is_leaf(*i)).collect();
        let known = !self.leaf_of.is_empty() && self.leaf_of.iter().all(|i| leaves.contains(&(*i as usize)));
        let rule = format!("must name at least one leaf, and only leaves ({leaves:?})");
        require(problems, known, "leaf_of", self.leaf_of.show(), rule, "");
        if ordered && (1..=MOST_CLASSES).contains(&many) {
            let depth = self.levels().into_iter().max().unwrap_or(0) + 1;
            let most = format!("must be at most {MOST_LEVELS} levels deep");
            require(problems, depth <= MOST_LEVELS, "classes", depth, most, "");
        }
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Hierarchical token bucket (HTB)";
    const ABOUT: &'static str = "A tree of classes, each with a rate of its own and a ceiling up to which it may borrow from \
        the class above. Leaves that may send take turns by quantum, the more urgent first; each holds a plain queue or \
        any discipline. Without rates it is a weighted round robin.";
    const REFERENCE: &'static str = "RFC2697, SV95";
    type Disc<P: Packet + Copy> = Htb<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Htb<P> {
        Htb::new(params, setting)
    }

    fn shapes(&self) -> bool {
        self.classes.iter().any(|class| class.shapes())
    }

    fn reads_headers(&self) -> bool {
        self.classes.iter().any(|class| class.child.reads_headers())
    }

    fn resolved(&self, setting: &Setting) -> Table {
        let classes = self.classes.iter().enumerate();
        let of = |(i, class): (usize, &HtbClass)| {
            class.child.resolved(&format!("classes.{i}.child"), &self.inside(i, setting))
        };
        classes.flat_map(of).collect()
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        for (i, class) in self.classes.iter().enumerate() {
            class.child.fits(&format!("classes.{i}.child"), &self.inside(i, setting), problems);
        }
    }
}

/// The classes at which the rounds of a class, or of a level, go on: one for each priority; none where a round has come
/// to its end or has not begun.
type Turns = [Option<usize>; PRIOS];

/// State of a hierarchical token bucket.
#[derive(Clone, Debug)]
pub struct Htb<P: Packet + Copy> {
    nodes: Vec<Node>,
    /// The queue of each class; only those of leaves are used.
    queues: Vec<Buckets<P>>,
    leaves: Vec<usize>,
    /// Where the round among the classes below each class continues.
    below: Vec<Turns>,
    /// Where the round among the classes of each level that can send continues.
    at_level: Vec<Turns>,
    /// Leaves that may send, each with the class that lends to it; in a turn, of the first level and urgency that has
    /// any.
    able: Vec<(usize, usize)>,
    limit: Limit,
    class_by: ClassBy,
    leaf_of: Vec<u64>,
    len: usize,
    bytes: u64,
}

impl<P: Packet + Copy> Htb<P> {
    /// Empty classes with full buckets.
    pub fn new(params: &Valid<Params>, setting: &Setting) -> Htb<P> {
        let (levels, classes) = (params.levels(), &params.classes);
        let depth = levels.iter().max().map_or(1, |most| most + 1);
        let queue = |i: usize| Buckets::new(1, FlowKey::Flow, &classes[i].child, &params.inside(i, setting));
        Htb {
            nodes: classes
                .iter()
                .zip(&levels)
                .map(|(class, level)| Node::new(class, *level, depth))
                .collect(),
            queues: (0..classes.len()).map(queue).collect(),
            leaves: (0..classes.len()).filter(|i| params.is_leaf(*i)).collect(),
            below: vec![[None; PRIOS]; classes.len()],
            at_level: vec![[None; PRIOS]; depth],
            able: Vec::with_capacity(classes.len()),
            limit: Limit::new(params.limit, params.limit_test),
            class_by: params.class_by,
            leaf_of: params.leaf_of.clone(),
            len: 0,
            bytes: 0,
        }
    }

    /// Runs `act` on the queue of a leaf and updates the totals.
    fn on_leaf<R>(&mut self, i: usize, act: impl FnOnce(&mut Buckets<P>) -> R) -> R {
        let queue = &mut self.queues[i];
        let (len, bytes) = (queue.len(), queue.bytes());
        let result = act(queue);
        self.len = self.len - len + queue.len();
        self.bytes = self.bytes - bytes + queue.bytes();
        result
    }

    /// The class that lends to a leaf now: itself, or the first above it within its own rate, if none between is
    /// beyond its ceiling.
    fn lender(&self, leaf: usize, now: Time) -> Option<usize> {
        let mut i = leaf;
        loop {
            match self.nodes[i].mode(now) {
                Mode::CanSend => return Some(i),
                Mode::CannotSend => return None,
                Mode::MayBorrow => i = self.nodes[i].parent?,
            }
        }
    }

    /// When a leaf will have a lender, if nothing else is sent.
    fn eligible_at(&self, leaf: usize) -> Time {
        let (mut earliest, mut ceilings) = (Time::NEVER, Time::ZERO);
        let mut next = Some(leaf);
        while let Some(i) = next {
            let (own, ceiling) = self.nodes[i].times();
            ceilings = ceilings.max(ceiling);
            earliest = earliest.min(ceilings.max(own));
            next = self.nodes[i].parent;
        }
        earliest
    }

    /// Lists the leaves that may send now.
    fn list_able(&mut self, now: Time) {
        let mut able = core::mem::take(&mut self.able);
        able.clear();
        let waiting = self.leaves.iter().filter(|i| self.queues[**i].len() > 0);
        able.extend(waiting.filter_map(|&leaf| self.lender(leaf, now).map(|lender| (leaf, lender))));
        self.able = able;
    }

    /// The level of a lender and the urgency of its leaf.
    fn rank(&self, row: &(usize, usize)) -> (usize, usize) {
        (self.nodes[row.1].level, self.nodes[row.0].prio)
    }

    /// Lists the leaves that may send. A round of a level that has reached a class which can send no more continues
    /// with the next that can, or comes to its end.
    fn settle(&mut self, now: Time) {
        self.list_able(now);
        for level in 0..self.at_level.len() {
            for prio in 0..PRIOS {
                let Some(place) = self.at_level[level][prio] else { continue };
                let there = self.able.iter().filter(|row| self.rank(row) == (level, prio));
                self.at_level[level][prio] = there.map(|row| row.1).filter(|lender| *lender >= place).min();
            }
        }
    }

    /// The leaf whose turn it is, and the class that lends to it: of the lowest lending level, there of the most
    /// urgent, in turn from the class that lends down to the leaf. A round stays where it is until a turn ends.
    fn turn(&mut self, now: Time) -> Option<(usize, usize)> {
        self.settle(now);
        let first = self.able.iter().map(|row| self.rank(row)).min()?;
        let mut able = core::mem::take(&mut self.able);
        able.retain(|row| self.rank(row) == first);
        self.able = able;
        let (level, prio) = first;
        loop {
            let start = self.able.iter().map(|row| row.1).min();
            let lender = self.at_level[level][prio].or(start)?;
            self.at_level[level][prio] = Some(lender);
            match self.descend(lender, prio) {
                Ok(leaf) => return Some((leaf, lender)),
                Err(at) => self.pass_on(at, lender, first),
            }
        }
    }

    /// The leaf below a lender whose turn it is; or else the first class on the way whose round has come to its end,
    /// and which begins it again.
    fn descend(&mut self, lender: usize, prio: usize) -> Result<usize, usize> {
        let mut at = lender;
        while self.nodes[at].level > 0 {
            let place = self.below[at][prio];
            let later =
                place.and_then(|place| self.children(at, lender).filter(|child| *child >= place).min());
            self.below[at][prio] = later.or_else(|| self.children(at, lender).min());
            at = later.ok_or(at)?;
        }
        Ok(at)
    }

    /// Classes right below one through which a leaf borrows from the lender.
    fn children(&self, at: usize, lender: usize) -> impl Iterator<Item = usize> + '_ {
        let mine = self.able.iter().filter(move |row| row.1 == lender);
        mine.filter_map(move |row| self.child_towards(at, row.0))
    }

    /// Makes it the turn of the class after this one, or ends the round above it.
    fn pass_on(&mut self, at: usize, lender: usize, (level, prio): (usize, usize)) {
        if at == lender {
            let lenders = self.able.iter().map(|row| row.1);
            self.at_level[level][prio] = lenders.filter(|other| *other > at).min();
        } else if let Some(parent) = self.nodes[at].parent {
            let next = self.children(parent, lender).filter(|child| *child > at).min();
            self.below[parent][prio] = next;
        }
    }

    /// The class right below `i` on the way to a leaf.
    fn child_towards(&self, i: usize, leaf: usize) -> Option<usize> {
        let mut at = leaf;
        while self.nodes[at].parent != Some(i) {
            at = self.nodes[at].parent?;
        }
        Some(at)
    }

    /// Accounts for a packet that a leaf has sent, and ends its turn when its quantum is used up.
    fn sent(&mut self, leaf: usize, lender: usize, size: Bytes, now: Time) {
        let (level, prio) = (self.nodes[lender].level, self.nodes[leaf].prio);
        let mut next = Some(leaf);
        while let Some(i) = next {
            self.nodes[i].charge(size, level, now);
            next = self.nodes[i].parent;
        }
        let node = &mut self.nodes[leaf];
        node.deficit[level] -= size.0 as i64;
        if node.deficit[level] < 0 {
            node.deficit[level] += node.quantum;
            self.pass_on(leaf, lender, (level, prio));
        }
    }
}

impl<P: Packet + Copy> QueueDisc<P> for Htb<P> {
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
        if !self.limit.has_room(self.len, self.bytes, &pkt, cx) {
            return cx.drop(pkt, Reason::Overflow);
        }
        let leaf = entry_of(&self.leaf_of, self.class_by.place(pkt.class())).map_or(0, |leaf| leaf as usize);
        self.on_leaf(leaf, |queue| queue.push(0, pkt, 0, cx));
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
        for k in 0..self.leaves.len() {
            self.on_leaf(self.leaves[k], |queue| queue.sent(cx));
        }
        while let Some((leaf, lender)) = self.turn(cx.now) {
            // A discipline inside may drop all it holds: then it is the turn of another.
            let Some(pkt) = self.on_leaf(leaf, |queue| queue.pop(0, false, cx)) else { continue };
            self.on_leaf(leaf, |queue| queue.sends(0));
            self.sent(leaf, lender, pkt.size(), cx.now);
            self.settle(cx.now);
            return Some(pkt);
        }
        None
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn backlog(&self) -> Bytes {
        Bytes(self.bytes)
    }

    #[inline]
    fn decides(&self) -> Decides {
        Decides::Later
    }

    fn ready(&self) -> Option<Time> {
        let waiting = self.leaves.iter().filter(|i| self.queues[**i].len() > 0);
        waiting.map(|&leaf| self.eligible_at(leaf)).min()
    }

    fn next_deadline(&self) -> Option<Time> {
        self.leaves.iter().filter_map(|i| self.queues[*i].next_deadline()).min()
    }

    fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
        for k in 0..self.leaves.len() {
            let i = self.leaves[k];
            if self.queues[i].next_deadline().is_some_and(|due| due <= cx.now) {
                self.on_leaf(i, |queue| queue.on_deadline(cx));
            }
        }
    }

    fn probe(&self, out: &mut Probe) {
        let active = self.leaves.iter().filter(|i| self.queues[**i].len() > 0);
        out.note("active_leaves", active.count() as f64);
    }
}

#[cfg(test)]
mod tests;
