//! A class of the tree: its parameters as a scenario writes them, and its buckets at work.

use crate::child::Child;
use crate::store::token_bucket::TokenBucket;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;
use units::param::{read_table, require, Check, Described, Kind, Param, Problem, Range, Table, Valid, Value};
use units::{Bytes, Rate, Time};

units::params! {
    /// A class of HTB.
    pub struct ClassParams {
        /// Parent class, by its position in the list from 0; it precedes this class. `auto`: none.
        parent: Option<u64> = None => { source: "Linux htb" },
        /// Guaranteed rate of the class. `auto`: no bound.
        rate: Option<Rate> = None => { range: Range::Positive, source: "Linux htb" },
        /// Rate up to which it may borrow. `auto`: as `rate`.
        ceil: Option<Rate> = None => { range: Range::Positive, source: "Linux htb" },
        /// Bytes that may leave at once at its own rate.
        burst: Bytes = Bytes(1600) => { range: Range::Positive, source: "Linux htb" },
        /// Bytes that may leave at once at its ceiling.
        cburst: Bytes = Bytes(1600) => { range: Range::Positive, source: "Linux htb" },
        /// Urgency among classes that may send or borrow: 0 is the most urgent.
        prio: u64 = 0 => { range: Range::Within(0.0, 7.0), source: "Linux htb" },
        /// Bytes sent in one turn. `auto`: those of a tenth of a second at its rate, between 1000 and 200000.
        quantum: Option<Bytes> = None => { range: Range::Positive, source: "Linux htb" },
        /// Discipline of a leaf class.
        child: Child = Child::PLAIN => { source: "Linux htb" },
    }
}

impl Check for ClassParams {
    fn relations(&self, problems: &mut Vec<Problem>) {
        if let Some(ceil) = self.ceil {
            let holds = self.rate.is_some_and(|rate| ceil >= rate);
            require(
                problems,
                holds,
                "ceil",
                ceil.show(),
                "must be at least rate, which must be given with it",
                "",
            );
        }
    }
}

impl ClassParams {
    /// Whether its packets may have to wait for tokens.
    pub(super) fn shapes(&self) -> bool {
        self.rate.is_some()
    }

    /// The rate up to which it may send.
    pub(super) fn ceiling(&self) -> Option<Rate> {
        self.ceil.or(self.rate)
    }

    fn quantum_bytes(&self) -> i64 {
        let auto = self.rate.map_or(1514, |rate| (rate.0 / 80).clamp(1000, 200_000));
        self.quantum.map_or(auto, |quantum| quantum.0) as i64
    }
}

/// A class as an entry of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct HtbClass(Arc<Valid<ClassParams>>);

impl HtbClass {
    /// A class with these parameters.
    pub fn new(params: Valid<ClassParams>) -> HtbClass {
        HtbClass(Arc::new(params))
    }
}

impl Default for HtbClass {
    fn default() -> HtbClass {
        let plain = Valid::new(ClassParams::default());
        HtbClass::new(plain.expect("the defaults of a class hold its rules"))
    }
}

impl Deref for HtbClass {
    type Target = ClassParams;
    fn deref(&self) -> &ClassParams {
        &self.0
    }
}

impl Param for HtbClass {
    fn kind() -> Kind {
        Kind::plain("htb class", "{ rate = \"2 Mbit/s\", ceil = \"10 Mbit/s\" }")
    }

    fn read(value: &Value) -> Result<Self, String> {
        Self::read_whole(value).map_err(|problems| {
            problems.first().map_or(String::new(), |problem| format!("{}: {}", problem.path, problem.rule))
        })
    }

    fn read_whole(value: &Value) -> Result<Self, Vec<Problem>> {
        let Value::Table(table) = value else {
            let rule = "must be a table such as { rate = \"2 Mbit/s\", ceil = \"10 Mbit/s\" }";
            return Err(vec![Problem::new("", value, rule, "")]);
        };
        let mut problems = Vec::new();
        let read: ClassParams = read_table("", table, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        Valid::new(read).map(HtbClass::new)
    }

    fn show(&self) -> Value {
        let table: Table = self.0.show();
        Value::Table(table)
    }
}

/// Whether a class may send, by its buckets alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Within its own rate.
    CanSend,
    /// Beyond its rate, within its ceiling.
    MayBorrow,
    /// Beyond its ceiling.
    CannotSend,
}

/// State of a class.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: Option<usize>,
    /// Distance from the lowest class below it: 0 for a leaf.
    pub(super) level: usize,
    pub(super) prio: usize,
    pub(super) quantum: i64,
    /// Bytes it may still send in its turn, by the level that lends.
    pub(super) deficit: Vec<i64>,
    tokens: TokenBucket,
    ceiling: TokenBucket,
}

impl Node {
    pub(super) fn new(params: &ClassParams, level: usize, levels: usize) -> Node {
        Node {
            parent: params.parent.map(|i| i as usize),
            level,
            prio: params.prio as usize,
            quantum: params.quantum_bytes(),
            deficit: vec![0; levels],
            tokens: TokenBucket::new(params.rate.unwrap_or(Rate(0)), params.burst),
            ceiling: TokenBucket::new(params.ceiling().unwrap_or(Rate(0)), params.cburst),
        }
    }

    /// When it is within its own rate again, and when within its ceiling.
    pub(super) fn times(&self) -> (Time, Time) {
        (self.tokens.reaches(0), self.ceiling.reaches(0))
    }

    pub(super) fn mode(&self, now: Time) -> Mode {
        let (own, ceiling) = self.times();
        if ceiling > now {
            Mode::CannotSend
        } else if own > now {
            Mode::MayBorrow
        } else {
            Mode::CanSend
        }
    }

    /// Accounts for a packet that leaves from below it, or from itself, lent by a class of level `lender`.
    pub(super) fn charge(&mut self, size: Bytes, lender: usize, now: Time) {
        if self.level >= lender {
            self.tokens.spend(self.tokens.cost(size), now);
        } else {
            self.tokens.refill(now);
        }
        self.ceiling.spend(self.ceiling.cost(size), now);
    }
}
