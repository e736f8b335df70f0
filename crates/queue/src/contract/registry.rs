//! Trait of the disciplines of the family, and the macro that lists the family.
//!
//! A discipline lives in a module of its own with a `Params` declared by `units::params!`, which says how
//! it is checked ([`units::param::Check`]) and built ([`Discipline`]). One line in the list at the top of the
//! crate then gives it a place in [`Spec`](crate::Spec), [`Disc`](crate::Disc) and the catalogue.

use crate::disc::{Packet, QueueDisc};
use crate::plugin;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Deref;
use units::param::{read_table, with_default, Check, Described, Field, Preset, Problem, Table, Valid, Value};
use units::{Bytes, Rate, Span};

/// The setting of a discipline: the properties of its link that automatic parameters and the decay of idle averages
/// need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Rate of the link behind the queue.
    pub rate: Rate,
    /// Propagation delay of that link.
    pub delay: Span,
    /// Size of a typical packet.
    pub packet: Bytes,
}

impl Setting {
    /// Typical packets per second: the `C` of the RED papers. An unlimited link counts as very fast.
    pub fn packets_per_sec(&self, packet: Bytes) -> f64 {
        let rate = if self.rate.0 == 0 { 1e15 } else { self.rate.as_bps() };
        rate / (8.0 * packet.0.max(1) as f64)
    }
}

/// Parameters from which a discipline can be made.
pub trait Discipline: Check {
    /// Its name in words.
    const TITLE: &'static str;
    /// Description in one paragraph.
    const ABOUT: &'static str;
    /// Its sources: keys of `docs/references.toml`.
    const REFERENCE: &'static str;
    /// The discipline itself.
    type Disc<P: Packet + Copy>: QueueDisc<P> + Clone;

    /// Makes the discipline. Never fails: see [`Discipline::fits`] for the check before.
    fn build<P: Packet + Copy>(params: &Valid<Self>, setting: &Setting) -> Self::Disc<P>;

    /// Whether it holds packets back although the link is free, as a shaper does.
    fn shapes(&self) -> bool {
        false
    }

    /// Whether it asks packets for their hosts, or their acknowledgements.
    fn reads_headers(&self) -> bool {
        false
    }

    /// The value of each automatic parameter in this setting, as a user would write it.
    fn resolved(&self, _setting: &Setting) -> Table {
        Table::new()
    }

    /// Adds a problem for each relation that shows only in a setting.
    fn fits(&self, _setting: &Setting, _problems: &mut Vec<Problem>) {}
}

/// Checked parameters, and the name of the dialect they started from.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen<T> {
    params: Valid<T>,
    dialect: Option<&'static str>,
}

impl<T: Discipline> Chosen<T> {
    /// Checked parameters that do not start from a dialect.
    pub fn new(params: Valid<T>) -> Chosen<T> {
        Chosen { params, dialect: None }
    }

    /// The dialect named in the scenario, if one was.
    pub fn dialect(&self) -> Option<&'static str> {
        self.dialect
    }

    /// The parameters.
    pub fn params(&self) -> &Valid<T> {
        &self.params
    }

    /// Parses the keys of a scenario other than `kind`.
    pub(crate) fn read(path: &str, table: &Table, problems: &mut Vec<Problem>) -> Option<Chosen<T>> {
        let before = problems.len();
        let params: T = read_table(path, table, problems);
        if problems.len() > before {
            return None;
        }
        let named = table.iter().find(|(key, _)| key == T::PRESET_KEY && !key.is_empty());
        let dialect = match named {
            Some((_, Value::Text(name))) => T::presets().iter().find(|row| row.name == name),
            _ => None,
        };
        Some(Chosen { params: Valid::new(params).ok()?, dialect: dialect.map(|row| row.name) })
    }

    /// Adds the problems that show only in a setting, each with a remedy and its path below `path`.
    pub(crate) fn fits(&self, setting: &Setting, path: &str, problems: &mut Vec<Problem>) {
        let mut own_problems = Vec::new();
        self.params.fits(setting, &mut own_problems);
        problems.extend(own_problems.into_iter().map(|problem| with_default::<T>(problem).under(path)));
    }

    /// `kind`, the dialect if one was named, and every parameter.
    pub(crate) fn show(&self, kind: &str) -> Table {
        let text = |s: &str| Value::Text(s.to_string());
        let mut table = vec![("kind".to_string(), text(kind))];
        table.extend(self.dialect.map(|name| (T::PRESET_KEY.to_string(), text(name))));
        table.extend(self.params.show());
        table
    }
}

impl<T> Deref for Chosen<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.params
    }
}

/// Catalogue entry of a discipline.
#[derive(Clone, Debug)]
pub struct CatalogueEntry {
    /// The name a scenario writes after `kind`.
    pub kind: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// Description in one paragraph.
    pub about: &'static str,
    /// Keys of `docs/references.toml`.
    pub reference: &'static str,
    /// Its parameters.
    pub fields: Vec<Field>,
    /// The key that names a dialect; empty if it has none.
    pub preset_key: &'static str,
    /// Its dialects.
    pub presets: &'static [Preset],
}

impl CatalogueEntry {
    pub(crate) fn of<T: Discipline + Described>(kind: &'static str) -> CatalogueEntry {
        CatalogueEntry {
            kind,
            title: T::TITLE,
            about: T::ABOUT,
            reference: T::REFERENCE,
            fields: T::fields(),
            preset_key: T::PRESET_KEY,
            presets: T::presets(),
        }
    }
}

/// Names that a message lists where none is meant for sure.
const NEAREST: usize = 3;

/// Looks up the key `kind` in a table; returns it with the other keys.
pub(crate) fn kind_of<'a>(
    kinds: &[&'static str],
    path: &str,
    table: &'a Table,
    problems: &mut Vec<Problem>,
) -> Option<(&'static str, Vec<&'a (String, Value)>)> {
    let kinds: Vec<&str> =
        kinds.iter().copied().chain(plugin::registered().iter().map(|one| one.name())).collect();
    let all = format!("`dropcurve list disciplines` shows all {}", kinds.len());
    let Some((_, value)) = table.iter().find(|(key, _)| key == "kind") else {
        let remedy = format!("name the discipline, for example kind = \"fq_codel\"; {all}");
        problems.push(Problem::new("kind", "", "is missing", remedy).under(path));
        return None;
    };
    let known = match value {
        Value::Text(name) => kinds.iter().find(|kind| *kind == name).ok_or(name.as_str()),
        _ => Err(""),
    };
    match known {
        Ok(kind) => Some((kind, table.iter().filter(|(key, _)| key != "kind").collect())),
        Err(name) => {
            let meant = units::param::nearest(name, &kinds).map_or_else(
                || format!("the nearest are {};", units::param::closest(name, &kinds, NEAREST).join(", ")),
                |hint| format!("did you mean '{hint}'?"),
            );
            let remedy = format!("{meant} {all}");
            problems.push(Problem::new("kind", value, "no such discipline", remedy).under(path));
            None
        }
    }
}

/// Lists the disciplines: makes [`Spec`](crate::Spec), [`Disc`](crate::Disc), [`KINDS`](crate::KINDS) and
/// [`catalogue`](crate::catalogue).
macro_rules! disciplines {
    ($( $kind:literal => $module:ident :: $name:ident ),* $(,)?) => {
        /// The names a scenario may write after `kind`.
        pub const KINDS: &[&str] = &[$($kind),*];

        /// The description of each kind, in the order of [`KINDS`], and of the plug-ins after them.
        pub fn catalogue() -> Vec<CatalogueEntry> {
            let mut list = vec![$( CatalogueEntry::of::<$module::Params>($kind) ),*];
            list.extend(plugin::registered().iter().map(|one| plugin::entry(&**one)));
            list
        }

        /// The discipline, with checked parameters.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant)]
        pub enum Spec {
            $(
                #[doc = concat!("`", $kind, "`")]
                $name(Chosen<$module::Params>),
            )*
            /// A plug-in.
            Plugin(PluginSpec),
        }

        impl Spec {
            /// Parses a table of a scenario: `kind` names the discipline, the other keys are its parameters.
            /// Without problems there is a `Spec`.
            pub fn read(path: &str, table: &Table, problems: &mut Vec<Problem>) -> Option<Spec> {
                let (kind, rest) = registry::kind_of(KINDS, path, table, problems)?;
                let rest: Table = rest.into_iter().cloned().collect();
                match kind {
                    $( $kind => Chosen::read(path, &rest, problems).map(Spec::$name), )*
                    name => PluginSpec::read(plugin::find(name)?, path, &rest, problems).map(Spec::Plugin),
                }
            }

            /// The name a scenario writes after `kind`.
            pub fn kind(&self) -> &'static str {
                match self {
                    $( Spec::$name(_) => $kind, )*
                    Spec::Plugin(chosen) => chosen.kind(),
                }
            }

            /// The dialect named in the scenario, if one was.
            pub fn dialect(&self) -> Option<&'static str> {
                match self {
                    $( Spec::$name(chosen) => chosen.dialect(), )*
                    Spec::Plugin(_) => None,
                }
            }

            /// `kind` first, then the dialect if one was named, then every parameter with its value.
            /// Reading it back returns the same `Spec`.
            pub fn show(&self) -> Table {
                match self {
                    $( Spec::$name(chosen) => chosen.show($kind), )*
                    Spec::Plugin(chosen) => chosen.show(),
                }
            }

            /// The value of each automatic parameter in a setting, as a user would write it.
            pub fn resolved(&self, setting: &Setting) -> Table {
                match self {
                    $( Spec::$name(chosen) => chosen.params().resolved(setting), )*
                    Spec::Plugin(_) => Table::new(),
                }
            }

            /// Problems that show only once the setting is known. To be checked before [`Spec::build`],
            /// which assumes that there are none.
            pub fn fits(&self, setting: &Setting, path: &str, problems: &mut Vec<Problem>) {
                match self {
                    $( Spec::$name(chosen) => chosen.fits(setting, path, problems), )*
                    Spec::Plugin(_) => {}
                }
            }

            /// Whether it holds packets back although the link is free.
            pub fn shapes(&self) -> bool {
                match self {
                    $( Spec::$name(chosen) => chosen.params().shapes(), )*
                    Spec::Plugin(chosen) => chosen.shapes(),
                }
            }

            /// Whether it is a plug-in.
            pub fn is_plugin(&self) -> bool {
                matches!(self, Spec::Plugin(_))
            }

            /// Whether it asks packets for their hosts, or their acknowledgements.
            pub fn reads_headers(&self) -> bool {
                match self {
                    $( Spec::$name(chosen) => chosen.params().reads_headers(), )*
                    Spec::Plugin(_) => false,
                }
            }

            /// Makes the discipline.
            pub fn build<P: Packet + Copy>(&self, setting: &Setting) -> Disc<P> {
                match self {
                    $( Spec::$name(chosen) => Disc::$name(Discipline::build(chosen.params(), setting)), )*
                    Spec::Plugin(chosen) => Disc::Plugin(chosen.build(setting)),
                }
            }
        }

        /// Any discipline: an enum, so that a call is a match instead of a lookup in a virtual table.
        #[allow(clippy::large_enum_variant)]
        #[derive(Clone)]
        pub enum Disc<P: Packet + Copy> {
            $(
                #[doc = concat!("`", $kind, "`")]
                $name(<$module::Params as Discipline>::Disc<P>),
            )*
            /// A plug-in's.
            Plugin(Driver<P>),
        }

        impl<P: Packet + Copy> core::fmt::Debug for Disc<P> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let kind = match self { $( Disc::$name(_) => $kind, )* Disc::Plugin(_) => "plug-in" };
                write!(f, "{kind} of {} packets", self.len())
            }
        }

        impl<P: Packet + Copy> QueueDisc<P> for Disc<P> {
            #[inline]
            fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>) {
                match self { $( Disc::$name(disc) => disc.enqueue(pkt, cx), )* Disc::Plugin(disc) => disc.enqueue(pkt, cx) }
            }
            #[inline]
            fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<P> {
                match self { $( Disc::$name(disc) => disc.dequeue(cx), )* Disc::Plugin(disc) => disc.dequeue(cx) }
            }
            #[inline]
            fn release(&mut self, cx: &mut Cx<'_, P>) -> Option<Bytes> {
                match self { $( Disc::$name(disc) => disc.release(cx), )* Disc::Plugin(disc) => disc.release(cx) }
            }
            #[inline]
            fn len(&self) -> usize {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::len(disc), )* Disc::Plugin(disc) => QueueDisc::<P>::len(disc) }
            }
            #[inline]
            fn backlog(&self) -> Bytes {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::backlog(disc), )* Disc::Plugin(disc) => QueueDisc::<P>::backlog(disc) }
            }
            #[inline]
            fn decides(&self) -> Decides {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::decides(disc), )* Disc::Plugin(disc) => QueueDisc::<P>::decides(disc) }
            }
            #[inline]
            fn ready(&self) -> Option<Time> {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::ready(disc), )* Disc::Plugin(disc) => QueueDisc::<P>::ready(disc) }
            }
            #[inline]
            fn next_deadline(&self) -> Option<Time> {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::next_deadline(disc), )* Disc::Plugin(disc) => QueueDisc::<P>::next_deadline(disc) }
            }
            fn plain_limit(&self) -> Option<u64> {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::plain_limit(disc), )* Disc::Plugin(disc) => QueueDisc::<P>::plain_limit(disc) }
            }
            #[inline]
            fn avg(&self) -> Option<f64> {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::avg(disc), )* Disc::Plugin(disc) => QueueDisc::<P>::avg(disc) }
            }
            fn avg_unit(&self) -> Unit {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::avg_unit(disc), )* Disc::Plugin(disc) => QueueDisc::<P>::avg_unit(disc) }
            }
            fn on_deadline(&mut self, cx: &mut Cx<'_, P>) {
                match self { $( Disc::$name(disc) => disc.on_deadline(cx), )* Disc::Plugin(disc) => disc.on_deadline(cx) }
            }
            fn probe(&self, out: &mut Probe) {
                match self { $( Disc::$name(disc) => QueueDisc::<P>::probe(disc, out), )* Disc::Plugin(disc) => QueueDisc::<P>::probe(disc, out) }
            }
        }
    };
}
pub(crate) use disciplines;
