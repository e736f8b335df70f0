//! Sources of plug-ins, which a host registers by name before it reads scenarios.
//!
//! A source answers one question: after which pause, and how many bytes next? Over UDP that is a packet on the wire,
//! counted from the packet before; over TCP an object, counted from the moment at which the one before was
//! acknowledged.

use super::action::AppAction;
use std::sync::Arc;
use units::plugin::{Declaration, Registry};
use units::{Bytes, Rate, Span, Stream, Time};

/// Largest packet over UDP, and largest object over TCP.
const PACKET: u64 = 65_535;
const OBJECT: u64 = 1 << 40;

/// A plug-in: its declaration, and the constructor of its sources.
pub trait SourcePlugin: Send + Sync {
    /// Name, texts, parameters and the hash of its code.
    fn declaration(&self) -> &Declaration;
    /// Whether it sends objects over TCP; otherwise packets over UDP.
    fn over_tcp(&self) -> bool;
    /// Its typical packet and rate over UDP, for what is derived from them before the run.
    fn typical(&self) -> (Bytes, Rate);
    /// Makes a source with random numbers of its own; values in the order of the declared parameters.
    fn build(&self, values: &[f64], rng: Stream) -> Box<dyn ExternalSource>;
}

/// The source of a plug-in.
pub trait ExternalSource: Send + Sync {
    /// The next packet or object; `None` if there is none.
    fn next(&mut self, now: Time) -> Option<NextData>;
}

/// A packet or an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextData {
    /// The pause before it.
    pub after: Span,
    /// Its size.
    pub bytes: u64,
}

static SOURCES: Registry<dyn SourcePlugin> = Registry::new();

/// Adds a plug-in whose declaration was checked.
///
/// # Errors
/// Another plug-in has the name.
pub(super) fn add(plugin: Arc<dyn SourcePlugin>) -> Result<(), String> {
    SOURCES.add(plugin, |one| (one.declaration().name, &one.declaration().code))
}

/// The registered plug-ins.
pub fn registered() -> Vec<Arc<dyn SourcePlugin>> {
    SOURCES.all()
}

/// A plug-in with checked parameters.
#[derive(Clone)]
pub struct SourceSpec {
    plugin: Arc<dyn SourcePlugin>,
    values: Vec<f64>,
}

impl SourceSpec {
    /// Makes a source.
    pub(crate) fn build(&self, rng: Stream) -> Box<dyn ExternalSource> {
        self.plugin.build(&self.values, rng)
    }

    /// Parses `mine` or `mine:pause=20 ms`; `None` if no plug-in has the name.
    pub(super) fn read(text: &str) -> Option<Result<SourceSpec, String>> {
        let (name, options) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let plugin = registered().into_iter().find(|one| one.declaration().name == name)?;
        let values = plugin.declaration().read(options);
        Some(values.map(|values| SourceSpec { plugin, values }))
    }

    /// The name, every parameter, and the hash of the code.
    pub(super) fn show(&self) -> String {
        self.plugin.declaration().show(&self.values)
    }

    /// Whether it sends objects over TCP.
    pub(super) fn over_tcp(&self) -> bool {
        self.plugin.over_tcp()
    }

    /// Typical packet and rate over UDP.
    pub(super) fn typical(&self) -> (Bytes, Rate) {
        self.plugin.typical()
    }

    /// The next packet of its source, with a size that a packet can have.
    pub(crate) fn next_packet(&self, source: &mut dyn ExternalSource, now: Time) -> Option<NextData> {
        let name = self.plugin.declaration().name;
        source.next(now).inspect(|next| checked(name, next.bytes, PACKET))
    }
}

/// Asserts that a size is possible.
fn checked(name: &str, bytes: u64, most: u64) {
    assert!((1..=most).contains(&bytes), "the plug-in {name} has sent {bytes} bytes: it must be 1 to {most}");
}

impl PartialEq for SourceSpec {
    fn eq(&self, other: &SourceSpec) -> bool {
        self.show() == other.show()
    }
}

impl std::fmt::Debug for SourceSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.show())
    }
}

/// A plug-in's source over TCP: an object at a time, on one connection.
pub struct PluginApp {
    name: &'static str,
    source: Box<dyn ExternalSource>,
    /// Size of the object for which it waits.
    due: Option<u64>,
    connected: bool,
}

impl PluginApp {
    /// Before the first object.
    pub(crate) fn new(spec: &SourceSpec, rng: Stream) -> PluginApp {
        PluginApp {
            name: spec.plugin.declaration().name,
            source: spec.build(rng),
            due: None,
            connected: false,
        }
    }

    /// The action at the start, and after each wait.
    pub fn next_action(&mut self, now: Time) -> AppAction {
        match self.due.take() {
            Some(bytes) => AppAction::Send { bytes, fresh: !std::mem::replace(&mut self.connected, true) },
            None => self.on_acknowledged(now),
        }
    }

    /// The action once everything sent has been acknowledged.
    pub fn on_acknowledged(&mut self, now: Time) -> AppAction {
        let Some(next) = self.source.next(now) else { return AppAction::End };
        checked(self.name, next.bytes, OBJECT);
        self.due = Some(next.bytes);
        AppAction::Wait { span: next.after, close: false }
    }
}

impl std::fmt::Debug for PluginApp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "source of a plug-in, due: {:?}", self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "has sent 0 bytes")]
    fn a_packet_of_nothing_is_the_plug_ins_fault() {
        checked("none", 0, PACKET);
    }
}
