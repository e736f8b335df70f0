//! Congestion controls from outside this crate: plug-ins, which a host registers by name before it reads scenarios.
//!
//! A plug-in handles the two events of every control, may observe every ACK, and may ask for pacing. What it sets is
//! checked: a window that is not a number, or none at all, is a panic which names the plug-in.
//!
//! *Units*: windows in segments, rates in segments per second.

use super::{AckEvent, CongestionEvent, Control, Window};
use std::sync::Arc;
use units::param::Choice;
use units::plugin::{Declaration, Registry};
use units::Time;

/// Largest window that a plug-in may set.
const MOST: f64 = 1e9;

/// A plug-in: its declaration, and the constructor of its controls.
pub trait ControlPlugin: Send + Sync {
    /// Name, texts, parameters and the hash of its code.
    fn declaration(&self) -> &Declaration;
    /// Whether its controls want [`ExternalControl::on_every_ack`].
    fn watches(&self) -> bool;
    /// Whether its controls ask for pacing.
    fn paces(&self) -> bool;
    /// Makes a control; values in the order of the declared parameters.
    fn build(&self, values: &[f64]) -> Box<dyn ExternalControl>;
}

/// A control of a plug-in; see [`Control`] for the meaning of each call.
pub trait ExternalControl: Send + Sync {
    /// Grows the window.
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent);
    /// Returns the reduced window.
    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64;
    /// Observes every ACK, also in recovery.
    fn on_every_ack(&mut self, event: &AckEvent);
    /// Pacing rate in segments per second; `None`: not paced at present.
    fn pace(&self, now: Time) -> Option<f64>;
    /// Saves state: a reduction follows that may be undone.
    fn save_before_reduction(&mut self);
    /// Restores that state.
    fn undo_reduction(&mut self);
    /// A control with the same state.
    fn duplicate(&self) -> Box<dyn ExternalControl>;
}

static CONTROLS: Registry<dyn ControlPlugin> = Registry::new();

/// Makes a plug-in's name known to scenarios of this process.
///
/// # Errors
/// If the name, or a parameter's, cannot be used; the same code under the same name is no error.
pub fn register(plugin: Arc<dyn ControlPlugin>) -> Result<(), String> {
    let built_in: Vec<&str> = super::Algorithm::all().iter().map(|(_, name, _)| *name).collect();
    plugin.declaration().check(&built_in)?;
    CONTROLS.add(plugin, |one| (one.declaration().name, &one.declaration().code))
}

/// The registered plug-ins.
pub fn registered() -> Vec<Arc<dyn ControlPlugin>> {
    CONTROLS.all()
}

/// A plug-in with checked parameters.
#[derive(Clone)]
pub struct ControlSpec {
    plugin: Arc<dyn ControlPlugin>,
    values: Vec<f64>,
}

impl ControlSpec {
    /// Parses `mine` or `mine:gain=0.5`; `None` if no plug-in has the name.
    pub(crate) fn read(text: &str) -> Option<Result<ControlSpec, String>> {
        let (name, options) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let plugin = registered().into_iter().find(|one| one.declaration().name == name)?;
        let values = plugin.declaration().read(options);
        Some(values.map(|values| ControlSpec { plugin, values }))
    }

    /// The name, every parameter, and the hash of the code.
    pub(crate) fn show(&self) -> String {
        self.plugin.declaration().show(&self.values)
    }

    /// Makes the control.
    pub(crate) fn build(&self) -> PluginControl {
        PluginControl {
            name: self.plugin.declaration().name,
            watches: self.plugin.watches(),
            paces: self.plugin.paces(),
            pace: None,
            control: self.plugin.build(&self.values),
        }
    }
}

impl PartialEq for ControlSpec {
    fn eq(&self, other: &ControlSpec) -> bool {
        self.show() == other.show()
    }
}

impl std::fmt::Debug for ControlSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.show())
    }
}

/// A control of a plug-in, and the checks of what it sets.
pub struct PluginControl {
    name: &'static str,
    watches: bool,
    paces: bool,
    /// Pacing rate since the last event.
    pace: Option<f64>,
    control: Box<dyn ExternalControl>,
}

impl PluginControl {
    fn checked(&self, what: &str, value: f64) -> f64 {
        let fits = (0.0..=MOST).contains(&value) && value > 0.0;
        assert!(
            fits,
            "the plug-in {} has set {what} to {value}: it must lie above 0 and up to {MOST}",
            self.name
        );
        value
    }

    fn repace(&mut self, now: Time) {
        if self.paces {
            self.pace = self.control.pace(now).map(|rate| self.checked("the pacing rate", rate));
        }
    }
}

impl Clone for PluginControl {
    fn clone(&self) -> PluginControl {
        PluginControl { control: self.control.duplicate(), ..*self }
    }
}

impl std::fmt::Debug for PluginControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "control of the plug-in {}", self.name)
    }
}

impl Control for PluginControl {
    fn on_ack(&mut self, window: &mut Window, event: &AckEvent) {
        let before = window.ssthresh;
        self.control.on_ack(window, event);
        self.checked("cwnd", window.cwnd);
        if window.ssthresh != before {
            self.checked("ssthresh", window.ssthresh);
        }
        self.repace(event.now);
    }

    fn on_congestion(&mut self, window: &Window, event: &CongestionEvent) -> f64 {
        let reduced = self.control.on_congestion(window, event);
        self.repace(event.now);
        self.checked("the reduced window", reduced)
    }

    fn on_every_ack(&mut self, event: &AckEvent) {
        self.control.on_every_ack(event);
        self.repace(event.now);
    }

    fn save_before_reduction(&mut self) {
        self.control.save_before_reduction();
    }

    fn undo_reduction(&mut self) {
        self.control.undo_reduction();
    }

    fn pace(&self) -> Option<f64> {
        self.pace
    }

    fn paces(&self) -> bool {
        self.paces
    }

    fn watches(&self) -> bool {
        self.watches
    }
}
