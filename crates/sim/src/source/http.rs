//! Web sessions: pages of one or more objects over short connections, with times to think in between.
//!
//! *Reference*: sizes of web objects have heavy tails: CB97 (Pareto, shape near 1.06 for files, 1.1 to 1.5 for objects
//! that users wait for); the pages of `3gpp2` are those of 3GPP2-EM section 2.1.3.1. Closed and open loop: SWH06.
//! *Deviations*: only responses are simulated. A request takes no time and no packet, so a page takes half a round trip
//! to a round trip less than a browser would measure; objects of a page come one after the other, or in turn over
//! several connections once the first has arrived.

use super::action::AppAction;
use std::collections::VecDeque;
use units::param::{require, Check, Distribution, DistributionShape, Preset, Problem, Range};
use units::{choices, params, Bytes, Span, Stream};

choices! {
    /// The side that sets the pace of sessions.
    pub enum Loop {
        /// Each flow of the group is one user for the whole run: the next page comes a time to think after the last.
        Closed = "closed",
        /// Sessions arrive at each flow of the group, also while earlier ones are in progress.
        Open = "open",
    }
}

choices! {
    /// How long a connection is kept.
    pub enum Connection {
        /// For one object.
        Object = "object",
        /// For one page.
        Page = "page",
        /// For the whole session.
        Session = "session",
    }
}

choices! {
    /// The meaning of a size.
    pub enum SizeOf {
        /// Payload; the last segment may be short.
        Payload = "payload",
        /// Whole segments, rounded up (ns-2 `advanceby`).
        Segments = "segments",
    }
}

/// Rows of options with a source.
const MODELS: &[Preset] = &[
    Preset {
        name: "study",
        doc: "One object a page: Pareto with mean 12 kB and shape 1.2, half a second to think. The shape is that of the studies of web traffic, the rest is a choice.",
        options: &[],
    },
    Preset {
        name: "3gpp2",
        doc: "The web pages of the cdma2000 evaluation methodology (3GPP2-EM): lognormal objects, up to 53 more in a page, half a minute to read.",
        options: &[
            ("size", "lognormal 10710 B sd 25032 B up to 2000000 B"),
            ("embedded_size", "lognormal 7758 B sd 126168 B up to 2000000 B"),
            ("embedded", "pareto from 2 shape 1.1 up to 55 less 2"),
            ("parse", "exponential 130 ms"),
            ("think", "exponential 30 s"),
            ("connection", "page"),
        ],
    },
    Preset {
        name: "browser",
        doc: "A page in an open loop as a browser fetches it: a document of 31 kB in the mean, then 19 objects of 25 kB over up to six connections (RFC 9112 section 9.4); a quarter of the objects and the size of the document that WA22 counts on a median page.",
        options: &[
            ("sessions", "open"),
            ("size", "lognormal 31 kB sd 31 kB up to 1 MB"),
            ("embedded", "lognormal 19 sd 10 up to 100"),
            ("embedded_size", "lognormal 25 kB sd 50 kB up to 2 MB"),
            ("connection", "page"),
            ("connections", "6"),
        ],
    },
    Preset {
        name: "crovella",
        doc: "Files on the web as Crovella and Bestavros (CB97) found them: Pareto from 1 kB with shape 1.06, here cut at 100 MB; silences Pareto from 1 s with shape 1.5.",
        options: &[("size", "pareto from 1 kB shape 1.06 up to 100 MB"), ("think", "pareto from 1 s shape 1.5")],
    },
];

params! {
    /// Web sessions. Amounts are random laws such as `"pareto 12 kB shape 1.2"` (the mean and the shape).
    pub struct Http {
        /// The side that sets the pace.
        sessions: Loop = Loop::Closed => { source: "SWH06" },
        /// Time between the arrivals of sessions at one flow (`sessions = "open"`); exponential is a Poisson process.
        arrival: Distribution<Span> = Distribution::of(DistributionShape::Exponential(1.0)) => { source: "dropcurve", assumed: true },
        /// Pages of a session (`sessions = "open"`).
        pages: Distribution<u64> = Distribution::of(DistributionShape::Constant(1.0)) => { source: "dropcurve", assumed: true },
        /// Size of a page's first object.
        size: Distribution<Bytes> = Distribution::of(DistributionShape::Pareto(12_000.0, 1.2)) => { source: "CB97 for the shape", assumed: true },
        /// More objects in a page.
        embedded: Distribution<u64> = Distribution::of(DistributionShape::Constant(0.0)) => { source: "dropcurve", assumed: true },
        /// Their sizes; `"auto"` is `size`.
        embedded_size: Option<Distribution<Bytes>> = None,
        /// Time between the objects of a page.
        parse: Distribution<Span> = Distribution::of(DistributionShape::Constant(0.0)) => { source: "dropcurve", assumed: true },
        /// Time between pages, from the last acknowledgement of one to the first packet of the next.
        think: Distribution<Span> = Distribution::of(DistributionShape::Exponential(0.5)) => { source: "dropcurve", assumed: true },
        /// How long a connection is kept. A new one starts from the initial window and the initial timeout.
        connection: Connection = Connection::Object => { source: "RFC 9112 section 9" },
        /// Most connections that fetch a page at the same time (`sessions = "open"`). The first object comes alone;
        /// with its last acknowledgement the others open, and take the objects of the page in turn.
        connections: u64 = 1 => { range: Range::Within(1.0, 64.0), source: "RFC 9112 section 9.4" },
        /// The meaning of a size.
        size_of: SizeOf = SizeOf::Payload => { source: "ns-2 for segments" },
    }
}

impl Check for Http {
    const PRESET_KEY: &'static str = "model";

    fn presets() -> &'static [Preset] {
        MODELS
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        let alone = self.sessions == Loop::Open
            && self.connection == Connection::Page
            && self.pages == Distribution::of(DistributionShape::Constant(1.0));
        require(
            problems,
            self.connections == 1 || alone,
            "connections",
            self.connections,
            "must be 1 unless each session is one page in an open loop",
            "set sessions = \"open\", connection = \"page\" and leave pages out",
        );
    }
}

/// The objects of a page on one of its connections: each is fetched once the one before has been acknowledged.
#[derive(Clone, Debug, Default)]
pub struct PageConnection {
    objects: VecDeque<u64>,
    connected: bool,
}

impl PageConnection {
    /// The objects of a page by connection: the first object on the first one, the others in turn.
    pub fn page(plan: &Http, rng: &mut Stream) -> Vec<PageConnection> {
        let mut connections = vec![PageConnection::default(); plan.connections as usize];
        connections[0].objects.push_back(plan.size.draw(rng).0.max(1));
        let law = plan.embedded_size.as_ref().unwrap_or(&plan.size);
        for number in 0..plan.embedded.draw(rng) {
            let place = (number % plan.connections) as usize;
            connections[place].objects.push_back(law.draw(rng).0.max(1));
        }
        connections
    }

    /// Objects still to be fetched.
    pub fn left(&self) -> usize {
        self.objects.len()
    }

    /// The action at the start, and after each wait.
    pub fn next_action(&mut self) -> AppAction {
        match self.objects.pop_front() {
            Some(bytes) => AppAction::Send { bytes, fresh: !std::mem::replace(&mut self.connected, true) },
            None => AppAction::End,
        }
    }

    /// The action once an object has been acknowledged.
    pub fn on_acknowledged(&mut self, plan: &Http, rng: &mut Stream) -> AppAction {
        if self.objects.is_empty() {
            return AppAction::End;
        }
        AppAction::Wait { span: plan.parse.draw(rng), close: false }
    }
}

/// The state of a session: returns the next [`AppAction`] when it is asked.
#[derive(Clone, Debug, Default)]
pub struct WebUser {
    /// Pages after this one; `None` if the session never ends.
    pages: Option<u64>,
    /// Objects of this page still to be fetched.
    objects: u64,
    /// Whether the object just begun is the first of its page.
    begins: bool,
    /// Whether a connection may be open.
    connected: bool,
}

impl WebUser {
    /// The user of a new session.
    pub fn new(plan: &Http, rng: &mut Stream) -> WebUser {
        let pages = match plan.sessions {
            Loop::Closed => None,
            Loop::Open => Some(plan.pages.draw(rng).max(1)),
        };
        WebUser { pages, ..WebUser::default() }
    }

    /// The action at the start, and after each wait.
    pub fn next_action(&mut self, plan: &Http, rng: &mut Stream) -> AppAction {
        self.begins = self.objects == 0;
        let size = if self.begins {
            self.objects = plan.embedded.draw(rng);
            self.pages = self.pages.map(|pages| pages - 1);
            &plan.size
        } else {
            self.objects -= 1;
            plan.embedded_size.as_ref().unwrap_or(&plan.size)
        };
        let fresh = !self.connected || plan.connection == Connection::Object;
        self.connected = true;
        AppAction::Send { bytes: size.draw(rng).0.max(1), fresh }
    }

    /// Whether the object just begun is the first and the last of its page.
    pub fn page_part(&self) -> (bool, bool) {
        (self.begins, self.objects == 0)
    }

    /// The action once an object has been acknowledged.
    pub fn on_acknowledged(&mut self, plan: &Http, rng: &mut Stream) -> AppAction {
        let page_ends = self.objects == 0;
        if page_ends && self.pages == Some(0) {
            return AppAction::End;
        }
        let close = match plan.connection {
            Connection::Object => true,
            Connection::Page => page_ends,
            Connection::Session => false,
        };
        self.connected &= !close;
        let law = if page_ends { &plan.think } else { &plan.parse };
        AppAction::Wait { span: law.draw(rng), close }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::param::{read_table, Table, Value};

    fn http(rows: &[(&str, &str)]) -> Http {
        let table: Table =
            rows.iter().map(|(key, text)| (key.to_string(), Value::Text(text.to_string()))).collect();
        let mut problems = Vec::new();
        let read = read_table("", &table, &mut problems);
        assert_eq!(problems, []);
        read
    }

    /// Two pages with a first object and two more each, for each way to keep connections.
    #[test]
    fn a_session_by_hand() {
        for (connection, fresh) in [
            ("object", [true; 6]),
            ("page", [true, false, false, true, false, false]),
            ("session", [true, false, false, false, false, false]),
        ] {
            let plan = http(&[
                ("sessions", "open"),
                ("pages", "2"),
                ("size", "3 kB"),
                ("embedded", "2"),
                ("embedded_size", "1 kB"),
                ("parse", "10 ms"),
                ("think", "5 s"),
                ("connection", connection),
            ]);
            let mut rng = Stream::new(1, "visitor");
            let mut user = WebUser::new(&plan, &mut rng);
            for (number, opens) in fresh.into_iter().enumerate() {
                let bytes = if number % 3 == 0 { 3000 } else { 1000 };
                assert_eq!(
                    user.next_action(&plan, &mut rng),
                    AppAction::Send { bytes, fresh: opens },
                    "{connection} {number}"
                );
                let step = user.on_acknowledged(&plan, &mut rng);
                let close = opens && connection == "object" || number == 2 && connection == "page";
                match number {
                    5 => assert_eq!(step, AppAction::End),
                    2 => assert_eq!(step, AppAction::Wait { span: Span::from_secs(5.0), close }),
                    _ => assert_eq!(step, AppAction::Wait { span: Span::from_millis(10), close }),
                }
            }
        }
    }

    /// The published means: 5.64 more objects per page; 10 710 bytes before the cut at 2 MB, which changes them little.
    #[test]
    fn the_pages_of_3gpp2_have_their_means() {
        let plan = http(&[("model", "3gpp2")]);
        let mut rng = Stream::new(1, "pages");
        let n = 200_000;
        let more = (0..n).map(|_| plan.embedded.real(&mut rng)).sum::<f64>() / f64::from(n);
        assert!((more - 5.64).abs() < 0.15, "{more}");
        let bytes = (0..n).map(|_| plan.size.real(&mut rng)).sum::<f64>() / f64::from(n);
        assert!((bytes / 10_710.0 - 1.0).abs() < 0.05, "{bytes}");
    }

    #[test]
    fn every_model_is_valid() {
        for model in MODELS {
            http(&[("model", model.name)]);
        }
    }
}
