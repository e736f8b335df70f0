//! Linux's timer wheel at 1000 ticks per second: a timer never fires early, hence one unit of its level late.
//!
//! *Reference*: the comment on levels and granularity in Linux `kernel/time/timer.c`; segment by segment in
//! `docs/transports/tcp.md`.
//! *Units*: times; a tick is 1 ms.
//! *Deviations*: ticks, and the units of all levels, are counted from the start of the run.

use units::{Span, Time};

/// Tick of the timers.
const TICK: Span = Span::from_millis(1);
/// Ticks that a level reaches, and the logarithm of its granularity.
const LEVELS: [(u64, u32); 4] = [(63, 0), (504, 3), (4032, 6), (32_256, 9)];
/// Logarithm of the granularity of the level above.
const COARSEST: u32 = 12;

/// A time in whole ticks, rounded up.
pub(crate) fn in_ticks(after: Span) -> Span {
    Span(after.0.div_ceil(TICK.0) * TICK.0)
}

/// When a timer fires that is armed `now` for a time from now: counted from the last tick in whole ticks, at the end of
/// the unit of its level.
#[cold]
#[inline(never)]
pub(crate) fn expiry(now: Time, after: Span) -> Time {
    let ticks = in_ticks(after).0 / TICK.0;
    let shift = LEVELS.iter().find(|(reach, _)| ticks < *reach).map_or(COARSEST, |(_, shift)| *shift);
    let units = ((now.0 / TICK.0 + ticks) >> shift) + 1;
    Time((units << shift) * TICK.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(now_us: u64, wait_us: u64) -> f64 {
        expiry(Time(now_us * 1000), Span(wait_us * 1000)).0 as f64 / 1e6
    }

    /// A short timer fires at the second tick after its time at the latest; a timeout of 200 ms at a multiple of 8 ms,
    /// one of 600 ms at a multiple of 64 ms.
    #[test]
    fn a_timer_is_late_by_a_unit_of_its_level() {
        assert_eq!(after(10_400, 2_000), 13.0);
        assert_eq!(after(10_400, 2_001), 14.0);
        assert_eq!(after(0, 62_000), 63.0);
        assert_eq!(after(0, 63_000), 64.0);
        assert_eq!(after(1_900, 200_000), 208.0);
        assert_eq!(after(0, 600_000), 640.0);
        assert_eq!(after(0, 5_000_000), 5120.0);
        assert_eq!(after(0, 40_000_000), 40_960.0);
    }
}
