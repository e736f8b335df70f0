//! A part: keys that are declared together, in a table that several parts share.

use units::param::{Check, Described, Field, Preset, Table};
use units::Span;

/// A span without the quotes of a scenario value.
pub fn bare(span: Span) -> String {
    units::quantity::show_span(span)
}

/// The keys of a part, with that of its preset.
pub fn keys<T: Check>() -> Vec<&'static str> {
    Part::of::<T>().keys()
}

/// The keys of a part as data, for callers without its type.
pub struct Part {
    /// Description of the part.
    pub doc: &'static str,
    /// Its keys.
    pub fields: Vec<Field>,
    /// The key that names a row of options, and the rows.
    pub presets: (&'static str, &'static [Preset]),
}

impl Part {
    /// The keys of `T`.
    pub fn of<T: Check>() -> Part {
        Part { doc: T::DOC, fields: T::fields(), presets: (T::PRESET_KEY, T::presets()) }
    }

    /// Their names, with that of the preset.
    pub fn keys(&self) -> Vec<&'static str> {
        let preset = Some(self.presets.0).filter(|key| !key.is_empty());
        preset.into_iter().chain(self.fields.iter().map(|field| field.name)).collect()
    }
}

/// The fields a part shows, without those equal to `base`.
pub fn difference<T: Described>(part: &T, base: &T) -> Table {
    let base = base.show();
    part.show().into_iter().filter(|row| !base.contains(row)).collect()
}

/// `parent.key`, without the dot at the top.
pub fn dotted(parent: &str, key: &str) -> String {
    if parent.is_empty() {
        key.to_string()
    } else {
        format!("{parent}.{key}")
    }
}
