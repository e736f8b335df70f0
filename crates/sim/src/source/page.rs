//! A web page while it is fetched: on one connection, or on several, each of which is a flow.

use units::Time;

/// The state of a page. The first flow of a page on several connections counts its objects; the others name that flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageProgress {
    start: Time,
    /// The first flow of the page, if it has several.
    first: Option<u32>,
    /// Objects that have not arrived, and the arrival of the last one.
    left: usize,
    last: Time,
    /// Flows after the first that wait for its first object, and those that no longer need to.
    waiting: u32,
    opening: u32,
}

impl PageProgress {
    /// A part of the page whose first flow is `first`.
    pub fn part_of(first: u32) -> PageProgress {
        PageProgress { first: Some(first), ..PageProgress::default() }
    }

    /// Begins a page of `objects` objects at its first flow; `others` flows wait for the first of them.
    pub fn begin(&mut self, now: Time, objects: usize, others: u32) {
        (self.start, self.left, self.waiting) = (now, objects, others);
    }

    /// The object before this one was acknowledged.
    pub fn first_acknowledged(&mut self) {
        self.opening += std::mem::take(&mut self.waiting);
    }

    /// The number of flows that are to begin now.
    pub fn take_opening(&mut self) -> u32 {
        std::mem::take(&mut self.opening)
    }

    /// The first flow of the page, if it has several.
    pub fn first(&self) -> Option<u32> {
        self.first
    }

    /// Objects of a page on several connections arrived. Returns its begin and end once all have, in any order in which
    /// the flows are simulated.
    pub fn arrived(&mut self, objects: usize, now: Time) -> Option<(Time, Time)> {
        self.left = self.left.saturating_sub(objects);
        self.last = self.last.max(now);
        (self.left == 0).then_some((self.start, self.last))
    }

    /// An object of a page on one connection is offered. Returns the page's begin with its last object.
    pub fn on_one_connection(&mut self, now: Time, begins: bool, ends: bool) -> Option<Time> {
        if begins {
            self.start = now;
        }
        ends.then_some(self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_with_the_latest_of_its_objects() {
        let mut page = PageProgress::part_of(3);
        page.begin(Time::from_secs(1.0), 3, 2);
        assert_eq!((page.first(), page.take_opening()), (Some(3), 0));
        page.first_acknowledged();
        page.first_acknowledged();
        assert_eq!((page.take_opening(), page.take_opening()), (2, 0));
        assert_eq!(page.arrived(1, Time::from_secs(2.0)), None);
        assert_eq!(page.arrived(1, Time::from_secs(9.0)), None);
        assert_eq!(page.arrived(1, Time::from_secs(4.0)), Some((Time::from_secs(1.0), Time::from_secs(9.0))));
    }
}
