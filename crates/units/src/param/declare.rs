//! The two macros that declare parameters: `params!` for structs, `choices!` for options with names.

/// Declares a parameter struct.
///
/// ```
/// units::params! {
///     /// A leaky bucket.
///     pub struct Bucket {
///         /// Rate at which it leaks.
///         rate: units::Rate = units::Rate(1_000_000) => { source: "assumed", assumed: true },
///         /// Share that is kept.
///         keep: f64 = 0.5 => { unit: "1", range: units::param::Range::Within(0.0, 1.0) },
///     }
/// }
/// impl units::param::Check for Bucket {}
/// assert_eq!(Bucket::default().keep, 0.5);
/// assert!(units::param::Valid::new(Bucket { keep: f64::NAN, ..Bucket::default() }).is_err());
///
/// units::params! {
///     /// A bucket with a lid; `..part` adds the parameters of another struct, which keep their names.
///     pub struct Lidded {
///         /// Whether it is closed.
///         closed: bool = false,
///         ..bucket: Bucket,
///     }
/// }
/// use units::param::{Described, Value};
/// let mut lidded = Lidded::default();
/// assert_eq!(lidded.set("keep", &Value::Float(0.25)), Some(Ok(())));
/// assert_eq!((lidded.bucket.keep, Lidded::fields().len()), (0.25, 3));
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $doc:expr])+
        pub struct $name:ident {
            $( $(#[doc = $field_doc:expr])+ $field:ident : $ty:ty = $default:expr $(=> { $($meta:tt)* })? ),*
            $(, ..$part:ident : $part_ty:ty)* $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $( $(#[doc = $field_doc])+ pub $field: $ty, )*
            $( #[doc = "Further parameters."] pub $part: $part_ty, )*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $( $field: $default, )* $( $part: <$part_ty>::default(), )* }
            }
        }

        impl $name {
            #[allow(clippy::needless_update)] // a parameter may have every entry
            const META: &'static [(&'static str, $crate::param::Meta)] = &[
                $( (stringify!($field), $crate::param::Meta { $($($meta)*,)? ..$crate::param::Meta::NONE }), )*
            ];

            fn meta(name: &str) -> $crate::param::Meta {
                Self::META.iter().find(|(key, _)| *key == name).map_or($crate::param::Meta::NONE, |(_, meta)| *meta)
            }
        }

        impl $crate::param::Described for $name {
            const DOC: &'static str = concat!($($doc, "\n"),+);

            fn fields() -> $crate::param::macros::Vec<$crate::param::Field> {
                use $crate::param::macros::*;
                let default = $name::default();
                let _ = &default;
                #[allow(unused_mut)]
                let mut fields = Vec::from([ $( Field {
                    name: stringify!($field),
                    doc: concat!($($field_doc, "\n"),+).trim().replace("\n ", "\n"),
                    kind: <$ty as Param>::kind(),
                    meta: Self::meta(stringify!($field)),
                    default: Param::show(&default.$field),
                }, )* ]);
                $( fields.extend(<$part_ty as $crate::param::Described>::fields()); )*
                fields
            }

            fn set(&mut self, name: &str, value: &$crate::param::Value) -> Option<Result<(), $crate::param::macros::Vec<$crate::param::Problem>>> {
                use $crate::param::macros::*;
                let _ = value;
                match name {
                    $( stringify!($field) => Some(<$ty as Param>::read_whole(value).map(|read| self.$field = read)), )*
                    _ => {
                        $( if let Some(set) = $crate::param::Described::set(&mut self.$part, name, value) {
                            return Some(set);
                        } )*
                        None
                    }
                }
            }

            fn show(&self) -> $crate::param::Table {
                use $crate::param::macros::*;
                #[allow(unused_mut)]
                let mut table = Vec::from([ $( (stringify!($field).to_string(), Param::show(&self.$field)), )* ]);
                $( table.extend($crate::param::Described::show(&self.$part)); )*
                table
            }

            fn out_of_range(&self) -> $crate::param::macros::Vec<$crate::param::Problem> {
                use $crate::param::macros::*;
                #[allow(unused_mut)]
                let mut problems = Vec::new();
                $( for number in Param::numbers(&self.$field) {
                    let range = Self::meta(stringify!($field)).range;
                    if !range.holds(number) {
                        problems.push(Problem::new(stringify!($field), Param::show(&self.$field), range.rule(), ""));
                    }
                } )*
                $( problems.extend($crate::param::Described::out_of_range(&self.$part)); )*
                problems
            }
        }
    };
}

/// Declares an option with named values.
///
/// ```
/// units::choices! {
///     /// The fate of the packet.
///     pub enum Verdict {
///         /// It stays.
///         Keep = "keep",
///         /// It goes.
///         Drop = "drop",
///     }
/// }
/// use units::param::Choice;
/// assert_eq!(Verdict::Drop.name(), "drop");
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $doc:expr])+
        pub enum $name:ident {
            $( $(#[doc = $variant_doc:expr])+ $variant:ident = $text:literal ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $( $(#[doc = $variant_doc])+ $variant, )*
        }

        impl $crate::param::Choice for $name {
            fn all() -> &'static [(Self, &'static str, &'static str)] {
                &[ $( ($name::$variant, $text, concat!($($variant_doc),+)), )* ]
            }
        }

        impl $crate::param::Param for $name {
            fn kind() -> $crate::param::Kind {
                $crate::param::Kind::choice::<$name>()
            }
            fn read(value: &$crate::param::Value) -> Result<Self, $crate::param::macros::String> {
                $crate::param::Kind::read_choice(value)
            }
            fn show(&self) -> $crate::param::Value {
                $crate::param::Value::Text($crate::param::Choice::name(*self).into())
            }
        }
    };
}
