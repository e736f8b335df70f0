//! Which links have a short form, and how they turn into it.

use super::{Link, Transmitter};
use crate::line::Line;
use crate::red_line::RedLine;
use queue::disc::QueueDisc;
use queue::Disc;

/// The short form of a link.
pub enum Short {
    /// Of a tail-drop link.
    Line(Line),
    /// Of a RED link.
    Red(Box<RedLine>),
}

impl Link {
    /// Turns the link into its short form, if it has one: see [`Line`] and [`RedLine`]. The probe goes with it. `in_doubles`:
    /// moments are sums of doubles.
    pub fn shorten(&mut self, in_doubles: bool) -> Option<Short> {
        let plain = |transmitter: &Transmitter| {
            !transmitter.counts_wire && !transmitter.line.is_varying() && transmitter.ring.is_none()
        };
        let works = self.works.as_mut().filter(|works| self.loss.is_none() && plain(&works.transmitter))?;
        self.avg_unit = works.queue.avg_unit();
        let Transmitter { component, probe, dice, ahead, .. } = &mut works.transmitter;
        let short = match &works.queue {
            Disc::Red(red) if *ahead && !in_doubles => {
                let (queue, dice) = (red.for_packets(), dice.clone());
                let line = RedLine::new(*component, queue, dice, self.rate, self.delay, probe.take());
                Short::Red(Box::new(line))
            }
            other => {
                let limit = other.plain_limit()?;
                Short::Line(Line::new(*component, limit, self.rate, self.delay, probe.take()))
            }
        };
        self.works = None;
        Some(short)
    }
}
