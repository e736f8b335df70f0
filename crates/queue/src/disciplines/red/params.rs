//! The parameters and named options of RED.
//!
//! Units: `min_th`, `max_th` and `limit` may be written in packets or bytes; [`Unit`] is the unit of the
//! queue and `avg` count, and `mean_packet` converts.

use super::Red;
use crate::disc::Packet;
use crate::fifo::{Limit, LimitTest, Unit};
use crate::registry::{Discipline, Setting};
use alloc::vec::Vec;
use units::param::{require, Check, Preset, Problem, Range, Table, Valid};
use units::quantity::Amount;
use units::{Bytes, Rate, Span};

units::choices! {
    /// How marks are spread over the packets that follow one another at a constant `p_b`.
    pub enum Spacing {
        /// `p_b / (1 - count p_b)`, `count` raised before use: uniform on 1 .. 1/p_b - 1.
        Pseudocode = "pseudocode",
        /// The same without a guard once `count p_b` passes 1: the probability turns negative.
        Unclamped = "unclamped",
        /// `p_b / (1 - count p_b)`, `count` raised after use: uniform on 1 .. 1/p_b.
        Text = "text",
        /// None while `count p_b < 1`, then `p_b / (2 - count p_b)`: uniform on 1/p_b .. 2/p_b - 1.
        Wait = "wait",
        /// `p_b / (2 - count p_b)` throughout: uniform on 1 .. 2/p_b - 1.
        Double = "double",
        /// `p_b` itself, without a count.
        Geometric = "geometric",
        /// One random number for each cycle; a mark when `count p_b` reaches it: uniform on 1 .. 1/p_b.
        Cycle = "cycle",
        /// As `double` with `count` raised after use, but one cached 22-bit random number is reduced modulo
        /// a changing divisor, which makes the distribution uneven.
        Modulus = "modulus",
    }
}

units::choices! {
    /// Arrivals that increment `count`, and events that reset it.
    pub enum MarkCounting {
        /// Arrivals between the thresholds; -1 below `min_th`, so that the first above it counts 0.
        Between = "between",
        /// Arrivals between the thresholds; 0 below `min_th`, so that the first above it counts 1, as after a
        /// mark.
        FromOne = "from_one",
        /// Every arrival; the first that finds `avg` above `min_th` is never marked and sets it to 1.
        SpareFirst = "spare_first",
        /// Every arrival; reset only by a mark.
        Carried = "carried",
    }
}

units::choices! {
    /// Treatment of arrivals from `max_th` upward.
    pub enum AboveMax {
        /// Every packet is marked or dropped.
        Drop = "drop",
        /// `p_b` rises from `max_p` to 1 at twice `max_th`.
        Gentle = "gentle",
        /// `p_b` stays at `max_p`.
        Capped = "capped",
    }
}

units::choices! {
    /// How idle time lowers the average; `m` is the packets that could have been sent meanwhile.
    pub enum IdleDecay {
        /// `(1 - w_q)^m`, `m` a real number; no sample of the empty queue.
        Exact = "exact",
        /// `(1 - w_q)^m`, `m` truncated; no sample of the empty queue.
        Truncated = "truncated",
        /// `(1 - w_q)^m`, `m` truncated, and then a sample of the empty queue: `m + 1` decays.
        PlusOne = "plus_one",
        /// Only the sample of the empty queue.
        Ignored = "ignored",
    }
}

units::choices! {
    /// When idle time starts.
    pub enum IdleFrom {
        /// When a departure or a drop leaves the queue empty.
        Empties = "empties",
        /// When the link asks for a packet and there is none.
        LinkIdle = "link_idle",
        /// At the last arrival or departure.
        LastEvent = "last_event",
        /// Never: a class of HTB or TBF asks no empty queue for a packet (Linux).
        Never = "never",
    }
}

units::choices! {
    /// The measure that is averaged.
    pub enum AverageSample {
        /// The queue as the arriving packet finds it.
        Before = "before",
        /// The queue with the arriving packet.
        WithArrival = "with_arrival",
    }
}

units::choices! {
    /// How the average is kept.
    pub enum AverageArithmetic {
        /// As a real number.
        Real = "real",
        /// As an integer scaled by `1 / w_q`, a power of two, with shifts and a table for idle time.
        Integer = "integer",
    }
}

units::choices! {
    /// Unit in which the table of idle time of integer arithmetic is made; idle time is read from it in
    /// microseconds.
    pub enum IdleTable {
        /// In microseconds.
        Microseconds = "microseconds",
        /// In ticks of 64 ns, as the `tc` command makes it: the average falls 15.6 times slower than meant.
        Ticks = "ticks",
    }
}

units::choices! {
    /// How packet sizes enter the probability; `M` is `max_packet`.
    pub enum ByteMode {
        /// Not at all (RED_1).
        Off = "off",
        /// `p_b` times `L/M` before the count correction.
        Red2 = "red_2",
        /// `p_a` times `L/M`.
        Red3 = "red_3",
        /// `p_a` times `L/M`, and `count` grows by `L/M`.
        Red4 = "red_4",
        /// `p_a` times `(L/M)^2`, and `count` grows by `(L/M)^2`.
        Red5 = "red_5",
        /// `count` is the whole number of `mean_packet` in the bytes since the last mark, and `p_a` is
        /// multiplied by `L/mean_packet`.
        Ns2 = "ns2",
    }
}

units::choices! {
    /// The reference for automatic thresholds.
    pub enum AutoTh {
        /// `min_th` = max(5 packets, half of the packets that the link sends in `target_delay`), `max_th` = 3
        /// `min_th`.
        Delay = "delay",
        /// `max_th` = `limit`/4, `min_th` = `max_th`/3.
        Limit = "limit",
        /// `max_th` = `limit`, `min_th` = 0: the probability follows the fill of the whole buffer.
        Fill = "fill",
    }
}

units::choices! {
    /// The reference for an automatic `w_q`.
    pub enum AutoWq {
        /// 1 - exp(-1/(10 R C)), `R` = max(0.1 s, 3 (delay + 1/C)), `C` in packets per second.
        Rtt = "rtt",
        /// 1 - exp(-1/C): a time constant of one second.
        Rate = "rate",
        /// 1 - exp(-10/C): a time constant of a tenth of a second.
        Tenth = "tenth",
        /// The largest power of two that lets `burst` packets pass below `min_th`.
        Burst = "burst",
    }
}

units::choices! {
    /// The packet that a forced drop or a full buffer discards.
    pub enum RedVictim {
        /// The arriving packet.
        Arriving = "arriving",
        /// One drawn at random from the queue and the arriving packet.
        Random = "random",
        /// As `random`, but only one, even if the queue still exceeds a limit in bytes; its position is the
        /// remainder of the first 31 bits of the random number divided by the number of packets.
        RandomOne = "random_one",
        /// The second packet of the queue, or the only one; only one is dropped, as above.
        Second = "second",
    }
}

units::choices! {
    /// Whether packets are exempt from marks while the queue is far below its average. Far is below the `avg`
    /// that an empty queue would leave after the packets that the link sends in 50 ms.
    pub enum Caution {
        /// No.
        Off = "off",
        /// Exempt: no mark, and no random number.
        Spare = "spare",
        /// `p_a` is lowered by the same ratio.
        Weigh = "weigh",
    }
}

units::choices! {
    /// Effect of a forced decision on an ECN-capable packet when `ecn` is on.
    pub enum EcnForced {
        /// Drop it.
        Drop = "drop",
        /// Mark it.
        Mark = "mark",
    }
}

units::choices! {
    /// Effect of a decision on a packet that is not ECN-capable when `ecn` is on.
    pub enum Incapable {
        /// Drop it.
        Drop = "drop",
        /// Keep it while there is room: only a full buffer drops it.
        Spare = "spare",
    }
}

units::choices! {
    /// When a random number is drawn.
    pub enum Draws {
        /// Only where a decision depends on it.
        Needed = "needed",
        /// At every decision; the packet is marked if the number is at most `p_a`.
        Always = "always",
    }
}

units::params! {
    /// Random Early Detection and its dialects.
    pub struct Params {
        /// Limit of the queue, in packets or bytes.
        limit: Amount = Amount::Packets(100.0) => { assumed: true },
        /// How an arriving packet is compared with the limit.
        limit_test: LimitTest = LimitTest::After => { assumed: true },
        /// The unit of the queue, `avg` and the thresholds.
        unit: Unit = Unit::Packets => { source: "FJ93" },
        /// Bytes of a typical packet: converts between packets and bytes. `auto`: as in the link's traffic.
        mean_packet: Option<Bytes> = None => { range: Range::Positive, source: "FJ93" },
        /// Average queue from which marking begins. `auto`: see `auto_th`.
        min_th: Option<Amount> = Some(Amount::Packets(5.0)) => { range: Range::Positive, source: "FJ93" },
        /// Average queue at which the probability has risen to `max_p`. `auto`: see `auto_th`.
        max_th: Option<Amount> = Some(Amount::Packets(15.0)) => { range: Range::Positive, source: "FJ93" },
        /// The reference for automatic thresholds.
        auto_th: AutoTh = AutoTh::Delay => { source: "FGS01" },
        /// Target queueing delay of the automatic thresholds.
        target_delay: Span = Span::from_millis(5) => { range: Range::Positive, source: "FGS01" },
        /// Probability just below `max_th`.
        max_p: f64 = 0.02 => { unit: "1", range: Range::Above(0.0, 1.0), source: "FJ93" },
        /// Weight of a new sample in the average. `auto`: see `auto_w_q`.
        w_q: Option<f64> = Some(0.002) => { unit: "1", range: Range::Between(0.0, 1.0), source: "FJ93" },
        /// The reference for an automatic `w_q`.
        auto_w_q: AutoWq = AutoWq::Rtt => { source: "ns-2.35" },
        /// Packets that may arrive back to back without a mark, for `auto_w_q = "burst"`. `auto`: a third of
        /// twice `min_th` plus `max_th`.
        burst: Option<u64> = None => { range: Range::Positive, source: "Linux" },
        /// How the average is kept.
        arithmetic: AverageArithmetic = AverageArithmetic::Real => { source: "FJ93" },
        /// The measure that is averaged.
        sample: AverageSample = AverageSample::Before => { source: "FJ93" },
        /// How idle time lowers the average.
        idle_decay: IdleDecay = IdleDecay::Exact => { source: "FJ93" },
        /// Unit in which the table of idle time of integer arithmetic is made.
        idle_table: IdleTable = IdleTable::Microseconds => { source: "Linux" },
        /// When idle time starts.
        idle_from: IdleFrom = IdleFrom::Empties => { source: "FJ93" },
        /// Rate by which the average decays in idle time. `auto`: that of the link.
        idle_rate: Option<Rate> = None => { range: Range::Positive, source: "FJ93" },
        /// Packet that counts one in idle time. `auto`: `mean_packet`.
        idle_packet: Option<Bytes> = None => { range: Range::Positive, source: "FJ93" },
        /// How marks are spaced.
        spacing: Spacing = Spacing::Pseudocode => { source: "FJ93 Fig. 2" },
        /// Arrivals that raise `count`.
        counting: MarkCounting = MarkCounting::Between => { source: "FJ93" },
        /// No decision on the average while fewer than this many are queued (packets or bytes, see `unit`).
        min_queue: u64 = 0 => { source: "FJ93" },
        /// Treatment of arrivals from `max_th` upward.
        above_max: AboveMax = AboveMax::Drop => { source: "FJ93" },
        /// Whether forced marks also use `count` and a draw, like early ones.
        forced_as_early: bool = false => { source: "FJ93" },
        /// Whether a forced mark resets `count`.
        forced_resets_count: bool = true => { source: "FJ93" },
        /// Whether an overflow drop resets `count`.
        overflow_resets_count: bool = true => { assumed: true },
        /// How packet sizes enter the probability.
        byte_mode: ByteMode = ByteMode::Off => { source: "FJ93" },
        /// The `M` of `byte_mode`: a packet of this size is marked with the full probability.
        max_packet: Bytes = Bytes(1500) => { range: Range::Positive, source: "CEP00" },
        /// Marks ECN-capable packets instead of dropping them.
        ecn: bool = false => { source: "RFC3168" },
        /// Effect of a forced decision on an ECN-capable packet.
        ecn_forced: EcnForced = EcnForced::Drop => { source: "RFC3168" },
        /// Effect of a decision on a packet that is not ECN-capable when `ecn` is on.
        incapable: Incapable = Incapable::Drop => { source: "RFC3168" },
        /// An early decision drops even ECN-capable packets once `p_b` reaches this. `auto`: never.
        mark_limit: Option<f64> = None => { unit: "1", range: Range::Positive, source: "RFC3168" },
        /// With `ecn`, whether every packet above `min_th` is marked, or dropped if it is not capable.
        ecn_step: bool = false => { source: "RFC3168" },
        /// When a random number is drawn.
        draws: Draws = Draws::Needed => { assumed: true },
        /// The packet that a forced drop or a full buffer discards.
        victim: RedVictim = RedVictim::Arriving => { source: "FJ93" },
        /// Whether packets are exempt from marks while the queue is far below its average.
        caution: Caution = Caution::Off => { source: "FJ93" },
    }
}

impl Check for Params {
    const PRESET_KEY: &'static str = "dialect";

    fn presets() -> &'static [Preset] {
        super::dialects::DIALECTS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        Limit::check(self.limit, self.limit_test, problems);
        if let (Some(min), Some(max)) = (self.min_th, self.max_th) {
            let comparable = min.is_bytes() == max.is_bytes();
            let rule = format!("must exceed min_th ({})", units::quantity::show_amount(min));
            let shown = units::quantity::show_amount(max);
            require(problems, !comparable || max.number() > min.number(), "max_th", shown, rule, "");
        }
        let cached = matches!(self.spacing, Spacing::Cycle | Spacing::Modulus);
        let spacing = units::param::Choice::name(self.spacing);
        let plain = matches!(self.byte_mode, ByteMode::Off | ByteMode::Red2);
        require(problems, !cached || plain, "spacing", spacing, "needs byte_mode \"off\" or \"red_2\"", "");
        let between = self.spacing != Spacing::Cycle || self.counting == MarkCounting::Between;
        require(problems, between, "spacing", spacing, "needs counting = \"between\"", "");
        let whole = self.arithmetic != AverageArithmetic::Integer
            || (self.spacing == Spacing::Cycle
                && self.unit == Unit::Bytes
                && self.above_max == AboveMax::Drop
                && self.byte_mode == ByteMode::Off);
        let rule = "needs unit = \"bytes\", spacing = \"cycle\", above_max = \"drop\", byte_mode = \"off\"";
        require(problems, whole, "arithmetic", "integer", rule, "set arithmetic = \"real\" otherwise");
        let caution = units::param::Choice::name(self.caution);
        let judged = self.caution == Caution::Off || !cached;
        let other = "needs a spacing other than \"cycle\" and \"modulus\"";
        require(problems, judged, "caution", caution, other, "");
    }
}

impl Discipline for Params {
    const TITLE: &'static str = "Random Early Detection";
    const ABOUT: &'static str =
        "Keeps an exponentially weighted average of the queue and marks or drops arriving \
        packets at random, with a probability that rises as the average goes from min_th to max_th, so \
        that flows slow down one by one before the buffer is full. Its many implementations are dialects.";
    const REFERENCE: &'static str = "FJ93, FGS01, RFC2309, RFC3168";
    type Disc<P: Packet + Copy> = Red<P>;

    fn build<P: Packet + Copy>(params: &Valid<Params>, setting: &Setting) -> Red<P> {
        Red::new(params, setting)
    }

    fn resolved(&self, setting: &Setting) -> Table {
        self.show_resolved(setting)
    }

    fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
        self.check_in(setting, problems);
    }
}
