//! The names that the key `source` takes: those of built-in sources, and of plug-ins.

use super::kinds::{SourceKeys, SourceKind};
use super::plugin::{add, SourcePlugin, SourceSpec};
use crate::keys::reader::TableReader;
use crate::keys::{Part, Transport};
use std::sync::Arc;
use units::param::{Choice, Kind, Param, Value};
use units::plugin::not_loaded;

/// Makes a plug-in's name known to scenarios of this process.
///
/// # Errors
/// If the name, or a parameter's, cannot be used; the same code under the same name is no error.
pub fn register(plugin: Arc<dyn SourcePlugin>) -> Result<(), String> {
    let mut built_in: Vec<&str> = SourceKind::all().iter().map(|(_, name, _)| *name).collect();
    built_in.push("auto");
    plugin.declaration().check(&built_in)?;
    add(plugin)
}

/// A source as the key `source` names it.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceName {
    /// A built-in one.
    BuiltIn(SourceKind),
    /// One of a plug-in: `mine`, or `mine:share=0.5`.
    Plugin(SourceSpec),
}

impl SourceName {
    /// The transports that can carry it.
    pub fn transports(&self) -> &'static [Transport] {
        match self {
            SourceName::BuiltIn(kind) => kind.transports(),
            SourceName::Plugin(spec) if spec.over_tcp() => &[Transport::Tcp],
            SourceName::Plugin(_) => &[Transport::Udp],
        }
    }

    /// Whether the keys of a UDP flow apply.
    pub fn packets(&self) -> bool {
        matches!(self, SourceName::BuiltIn(kind) if kind.packets())
    }

    /// Its keys, as data; a plug-in's are part of its name.
    pub fn part(&self) -> Part {
        match self {
            SourceName::BuiltIn(kind) => kind.part(),
            SourceName::Plugin(_) => Part { doc: "", fields: Vec::new(), presets: ("", &[]) },
        }
    }

    /// Parses its keys.
    pub(crate) fn read_keys(&self, reader: &mut TableReader<'_>) -> SourceKeys {
        match self {
            SourceName::BuiltIn(kind) => kind.read(reader),
            SourceName::Plugin(spec) => SourceKeys::Plugin(spec.clone()),
        }
    }
}

impl PartialEq<SourceKind> for SourceName {
    fn eq(&self, other: &SourceKind) -> bool {
        matches!(self, SourceName::BuiltIn(kind) if kind == other)
    }
}

impl Param for SourceName {
    fn kind() -> Kind {
        SourceKind::kind()
    }

    fn read(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else {
            return <SourceKind as Param>::read(value).map(SourceName::BuiltIn);
        };
        match SourceSpec::read(text) {
            Some(spec) => spec.map(SourceName::Plugin),
            None => {
                let built_in = <SourceKind as Param>::read(value).map(SourceName::BuiltIn);
                built_in.map_err(|rule| not_loaded::<SourceKind>(text, rule))
            }
        }
    }

    fn show(&self) -> Value {
        match self {
            SourceName::BuiltIn(kind) => Value::Text(kind.name().into()),
            SourceName::Plugin(spec) => Value::Text(spec.show()),
        }
    }
}

impl SourceKeys {
    /// The source, by name.
    pub fn named(&self) -> SourceName {
        match self.kind() {
            Ok(kind) => SourceName::BuiltIn(kind),
            Err(spec) => SourceName::Plugin(spec.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::action::AppAction;
    use crate::source::datagrams::UdpPlan;
    use crate::source::plugin::{ExternalSource, NextData, PluginApp};
    use crate::source::udp::UdpSource;
    use units::plugin::Declaration;
    use units::{Bytes, Rate, Span, Stream, Time};

    /// Three packets or objects of 100, 200 and 300 bytes, after pauses of a random length.
    struct Three(u64, Stream);

    impl ExternalSource for Three {
        fn next(&mut self, _now: Time) -> Option<NextData> {
            self.0 += 1;
            let after = Span::from_secs(self.1.exponential(0.01));
            (self.0 <= 3).then_some(NextData { after, bytes: 100 * self.0 })
        }
    }

    struct Declared(Declaration, bool);

    impl SourcePlugin for Declared {
        fn declaration(&self) -> &Declaration {
            &self.0
        }
        fn over_tcp(&self) -> bool {
            self.1
        }
        fn typical(&self) -> (Bytes, Rate) {
            (Bytes(200), Rate(1_000_000))
        }
        fn build(&self, _values: &[f64], rng: Stream) -> Box<dyn ExternalSource> {
            Box::new(Three(0, rng))
        }
    }

    fn named(name: &'static str, over_tcp: bool) -> SourceName {
        let declaration =
            Declaration { name, title: "", about: "", parameters: Vec::new(), code: "1".into() };
        register(Arc::new(Declared(declaration, over_tcp))).unwrap();
        SourceName::read(&Value::Text(name.into())).unwrap()
    }

    #[test]
    fn packets_leave_with_their_sizes_and_the_same_numbers_each_time() {
        let name = named("three_packets", false);
        assert_eq!(name.transports(), [Transport::Udp]);
        assert_eq!(name.show(), Value::Text("three_packets:code=1".into()));
        let SourceName::Plugin(spec) = name else { panic!("a plug-in") };
        let sent = || {
            let mut source = UdpSource::new(UdpPlan::of_plugin(&spec), Time::NEVER, Stream::new(1, "udp"));
            let mut packets = Vec::new();
            source.start(Time::ZERO);
            while let Some(now) = source.poll_timeout() {
                source.on_timer(now);
                packets.extend(source.poll_transmit(now).map(|segment| (now, segment.size)));
            }
            packets
        };
        let first = sent();
        assert_eq!(first.iter().map(|(_, size)| *size).collect::<Vec<_>>(), [100, 200, 300]);
        assert!(first[0].0 > Time::ZERO && first == sent());
    }

    #[test]
    fn objects_follow_one_another_on_one_connection() {
        let SourceName::Plugin(spec) = named("three_objects", true) else { panic!("a plug-in") };
        let mut app = PluginApp::new(&spec, Stream::new(1, "tcp"));
        for number in 1..=3 {
            let wait = app.on_acknowledged(Time::ZERO);
            assert!(matches!(wait, AppAction::Wait { close: false, .. }));
            let send = AppAction::Send { bytes: 100 * number, fresh: number == 1 };
            assert_eq!(app.next_action(Time::ZERO), send);
        }
        assert_eq!(app.on_acknowledged(Time::ZERO), AppAction::End);
    }
}
