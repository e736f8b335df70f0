//! Disciplines from outside this crate: plug-ins, which a host registers by name before it reads scenarios.
//!
//! A plug-in sees packets as numbers with a description ([`ArrivingPacket`]) and acts through a [`Call`]; [`Driver`]
//! makes a [`QueueDisc`](crate::disc::QueueDisc) of it. The driver stores the packets and counts them, so that a
//! plug-in can neither lose nor invent one: a number that is not in the queue is a panic which names the plug-in. So is
//! a packet out of order from one that declares that it decides at arrival.
//!
//! Units: seconds, bits per second, bytes and packets as declared by each parameter.

mod driver;

use crate::disc::{Packet, Reason};
use crate::registry::{CatalogueEntry, Setting};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use units::param::{Field, Meta, Param, Problem, Range, Table, Value};
use units::plugin::remedy;
#[cfg(feature = "std")]
use units::plugin::Registry;
use units::{Bytes, Ecn, Rate, Span, Time};

pub use driver::Driver;
pub use units::plugin::Parameter;

/// A plug-in: its declarations, and the constructor of its disciplines.
pub trait Plugin: Send + Sync {
    /// The name that a scenario writes after `kind`.
    fn name(&self) -> &'static str;
    /// Its name in words.
    fn title(&self) -> &'static str;
    /// Description in one paragraph.
    fn about(&self) -> &'static str;
    /// Its parameters.
    fn parameters(&self) -> &[Parameter];
    /// A hash of its code, stored with results so that those of other code are never taken for its own.
    fn code(&self) -> &str;
    /// Whether it holds packets back although the link is free. Only then [`Call::ready`] counts.
    fn shapes(&self) -> bool {
        false
    }
    /// Whether every packet that it accepts leaves unchanged after all accepted before it
    /// ([`Decides::AtArrival`](crate::disc::Decides::AtArrival)). The driver enforces it.
    fn decides_at_arrival(&self) -> bool {
        false
    }
    /// When [`External::on_deadline`] is first called; `None` for a plug-in without a periodic controller.
    fn first_deadline(&self, _values: &[f64], _setting: &Setting) -> Option<Span> {
        None
    }
    /// Makes a discipline; values in the order of [`Plugin::parameters`].
    fn build(&self, values: &[f64], setting: &Setting) -> Box<dyn External>;
}

/// A packet as a plug-in sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrivingPacket {
    /// Identifies it until it has left or is dropped; then the number is free for another one.
    pub number: u32,
    /// Its bytes.
    pub size: u32,
    /// Identifies its flow.
    pub flow: u64,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its class.
    pub class: u8,
}

/// The part of the simulator that a plug-in acts through in a call.
pub trait Host {
    /// A uniform number in [0, 1).
    fn uniform(&mut self) -> f64;
    /// Drops a packet.
    fn drop(&mut self, number: u32, reason: Reason);
    /// Marks a packet; false if it is not ECN-capable.
    fn mark(&mut self, number: u32, reason: Reason) -> bool;
}

/// The context of a call.
pub struct Call<'a> {
    /// The current time.
    pub now: Time,
    /// Bytes of the packet on the wire, where the link counts it as part of the queue.
    pub on_wire: Bytes,
    /// When to call [`External::on_deadline`] next; only for a plug-in that has a first one. It may set this.
    pub deadline: Time,
    /// Before this time `dequeue` returns nothing, as a shaper does. It may set this.
    pub ready: Time,
    /// Its average of the queue, NaN if it has none. It may set this.
    pub average: f64,
    /// Random numbers, drops and marks.
    pub host: &'a mut dyn Host,
}

/// A discipline of a plug-in.
pub trait External: Send + Sync {
    /// Takes a packet: queues it, or drops it (or another).
    fn enqueue(&mut self, packet: &ArrivingPacket, call: &mut Call<'_>);
    /// The number of the packet to send. With an empty queue: the line went idle.
    fn dequeue(&mut self, call: &mut Call<'_>) -> Option<u32>;
    /// A periodic controller's tick.
    fn on_deadline(&mut self, _call: &mut Call<'_>) {}
}

#[cfg(feature = "std")]
static PLUGINS: Registry<dyn Plugin> = Registry::new();

/// Makes a plug-in's name known to scenarios of this process.
///
/// # Errors
/// If the name, or a parameter's, cannot be used; the same code under the same name is no error.
#[cfg(feature = "std")]
pub fn register(plugin: Arc<dyn Plugin>) -> Result<(), String> {
    units::plugin::check(plugin.name(), plugin.parameters(), crate::KINDS)?;
    PLUGINS.add(plugin, |one| (one.name(), one.code()))
}

/// The registered plug-ins.
pub fn registered() -> Vec<Arc<dyn Plugin>> {
    #[cfg(feature = "std")]
    return PLUGINS.all();
    #[cfg(not(feature = "std"))]
    Vec::new()
}

/// The plug-in of this name.
pub(crate) fn find(name: &str) -> Option<Arc<dyn Plugin>> {
    registered().into_iter().find(|one| one.name() == name)
}

/// A plug-in with checked parameters.
#[derive(Clone)]
pub struct PluginSpec {
    plugin: Arc<dyn Plugin>,
    values: Vec<f64>,
}

impl PluginSpec {
    /// Parses the keys of a scenario other than `kind`.
    pub(crate) fn read(
        plugin: Arc<dyn Plugin>,
        path: &str,
        table: &Table,
        problems: &mut Vec<Problem>,
    ) -> Option<PluginSpec> {
        let before = problems.len();
        let mut values: Vec<f64> = plugin.parameters().iter().map(|one| one.default).collect();
        for (key, value) in table {
            let fault = match plugin.parameters().iter().position(|one| one.name == key) {
                Some(place) => {
                    plugin.parameters()[place].read(value).map(|number| values[place] = number).err()
                }
                None if key == "code" => same_code(plugin.code(), value).err(),
                None => Some(unknown(key, value, &*plugin)),
            };
            problems.extend(fault.map(|problem| problem.under(path)));
        }
        (problems.len() == before).then_some(PluginSpec { plugin, values })
    }

    /// The name a scenario writes after `kind`.
    pub(crate) fn kind(&self) -> &'static str {
        self.plugin.name()
    }

    /// `kind`, every parameter, and the hash of the code.
    pub(crate) fn show(&self) -> Table {
        let mut table = vec![("kind".to_string(), Value::Text(self.kind().to_string()))];
        let rows = self.plugin.parameters().iter().zip(&self.values);
        table.extend(rows.map(|(one, value)| (one.name.to_string(), one.show(*value))));
        table.push(("code".to_string(), Value::Text(self.plugin.code().to_string())));
        table
    }

    /// Whether it holds packets back although the link is free.
    pub(crate) fn shapes(&self) -> bool {
        self.plugin.shapes()
    }

    /// Whether it decides at arrival.
    fn decides_at_arrival(&self) -> bool {
        self.plugin.decides_at_arrival() && !self.plugin.shapes()
    }

    /// Makes the discipline.
    pub(crate) fn build<P: Packet + Copy>(&self, setting: &Setting) -> Driver<P> {
        Driver::new(self.clone(), *setting)
    }
}

impl PartialEq for PluginSpec {
    fn eq(&self, other: &PluginSpec) -> bool {
        (self.kind(), self.plugin.code(), &self.values) == (other.kind(), other.plugin.code(), &other.values)
    }
}

impl core::fmt::Debug for PluginSpec {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {:?}", self.kind(), self.values)
    }
}

fn same_code(code: &str, value: &Value) -> Result<(), Problem> {
    units::plugin::same_code(code, value)
        .map_err(|rule| Problem::new("code", value, rule, "remove the key to use what is loaded"))
}

fn unknown(key: &str, value: &Value, plugin: &dyn Plugin) -> Problem {
    let names: Vec<&str> = plugin.parameters().iter().map(|one| one.name).collect();
    let remedy = remedy(key, &names);
    Problem::new(key, value, format!("is not a parameter of the plug-in {}", plugin.name()), remedy)
}

/// A parameter as a field of a catalogue.
pub fn field(one: &Parameter) -> Field {
    Field {
        name: one.name,
        doc: one.about.to_string(),
        kind: match one.unit {
            "s" => Span::kind(),
            "bit/s" => Rate::kind(),
            _ => f64::kind(),
        },
        meta: Meta { unit: one.unit, range: Range::Within(one.range.0, one.range.1), ..Meta::NONE },
        default: one.show(one.default),
    }
}

/// Catalogue entry of a plug-in.
pub(crate) fn entry(plugin: &dyn Plugin) -> CatalogueEntry {
    CatalogueEntry {
        kind: plugin.name(),
        title: plugin.title(),
        about: plugin.about(),
        reference: "",
        fields: plugin.parameters().iter().map(field).collect(),
        preset_key: "",
        presets: &[],
    }
}
