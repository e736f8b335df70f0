//! The two engines: the fast one, and the plain one that it must equal.

/// The engine that executes a run. Both have the same bits; only the number of events executed differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// With the fast paths of [`crate::fast`], and with routes folded.
    #[default]
    Fast,
    /// Every hop of every packet goes through a general link and the event queue, and every segment through the slow
    /// path of its end.
    Plain,
}

impl Engine {
    /// Both engines.
    pub const ALL: [Engine; 2] = [Engine::Fast, Engine::Plain];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Fast => "fast",
            Engine::Plain => "plain",
        }
    }

    /// The engine with this name.
    pub fn named(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }
}
