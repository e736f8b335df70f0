//! A virtual queue with a capacity that adapts, as AVQ has it: counted in bytes, served more slowly than the link.
//!
//! Reference: KS01, section 2 and its Figure 1.
//! Units: bytes, and bytes per second.
//! Deviations: on an unlimited link it never overflows.

use crate::disc::Probe;
use crate::registry::Setting;
use units::Time;

/// The virtual queue and its capacity.
#[derive(Clone, Debug)]
pub(crate) struct VirtualQueue {
    /// Capacity of the link.
    c: f64,
    /// Virtual capacity.
    pub(crate) c_virtual: f64,
    /// Virtual queue, and its buffer.
    vq: f64,
    b: f64,
    /// The arrival before.
    s: Time,
}

impl VirtualQueue {
    /// An empty virtual queue with a buffer of `b`, whose capacity begins at a share of the link's.
    pub(crate) fn new(share: f64, b: f64, setting: &Setting) -> VirtualQueue {
        let c = if setting.rate.0 == 0 { 1e15 } else { setting.rate.as_bps() / 8.0 };
        VirtualQueue { c, c_virtual: share * c, vq: 0.0, b, s: Time::ZERO }
    }

    /// Serves the virtual queue until the arrival of `size` bytes, which it takes if they fit. Returns the seconds
    /// since the arrival before, and whether they fit.
    #[inline]
    pub(crate) fn arrive(&mut self, size: f64, now: Time) -> (f64, bool) {
        let dt = now.since(self.s).as_secs();
        self.s = now;
        self.vq = (self.vq - self.c_virtual * dt).max(0.0);
        let fits = self.vq + size <= self.b;
        if fits {
            self.vq += size;
        }
        (dt, fits)
    }

    /// Moves the capacity towards a utilisation of `gamma`: up with the time since the arrival before, down with a load
    /// of `size` bytes.
    #[inline]
    pub(crate) fn adapt(&mut self, alpha: f64, gamma: f64, dt: f64, size: f64) {
        let grown = (self.c_virtual + alpha * gamma * self.c * dt).min(self.c);
        self.c_virtual = (grown - alpha * size).max(0.0);
    }

    /// Notes the virtual queue and the share of the capacity.
    pub(crate) fn probe(&self, out: &mut Probe) {
        out.note("virtual_queue_bytes", self.vq);
        out.note("virtual_share", self.c_virtual / self.c);
    }
}
