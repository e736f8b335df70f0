//! The fast paths that a run may take.

/// A fast path that can be switched off, to measure it or to compare without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastPath {
    /// [`super::DroptailLink`].
    DroptailLink,
    /// [`super::ArrivalLink`].
    RedLink,
    /// [`super::ArrivalLink`] for tail drop, at the slowest links that carry data.
    TailDropQueue,
    /// The uniform-size queue of a [`super::ArrivalLink`].
    UniformSize,
    /// Departures known at arrival, at links of any other discipline that decides at arrival.
    KnownDepartures,
    /// Dequeues executed at the next arrival, at links of disciplines that decide later.
    LazyDequeue,
    /// Hops taken at once instead of through the event queue.
    Fold,
    /// Private links stored with their flow.
    PrivateLinks,
    /// The next hop of a packet, coded in the packet.
    HopCodes,
    /// The busiest links run ahead of the event queue, with arrivals sorted in batches.
    Lookahead,
}

impl FastPath {
    /// All of them, in the order of the table in [`super`].
    pub const ALL: [FastPath; 10] = [
        FastPath::DroptailLink,
        FastPath::RedLink,
        FastPath::TailDropQueue,
        FastPath::UniformSize,
        FastPath::KnownDepartures,
        FastPath::LazyDequeue,
        FastPath::Fold,
        FastPath::PrivateLinks,
        FastPath::HopCodes,
        FastPath::Lookahead,
    ];

    /// Its name, as in the table in [`super`].
    pub fn name(self) -> &'static str {
        match self {
            FastPath::DroptailLink => "droptail_link",
            FastPath::RedLink => "red_link",
            FastPath::TailDropQueue => "tail_drop_queue",
            FastPath::UniformSize => "uniform_size",
            FastPath::KnownDepartures => "known_departures",
            FastPath::LazyDequeue => "lazy_dequeue",
            FastPath::Fold => "fold",
            FastPath::PrivateLinks => "private_links",
            FastPath::HopCodes => "hop_codes",
            FastPath::Lookahead => "lookahead",
        }
    }
}

/// A set of fast paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FastPaths(u16);

impl FastPaths {
    /// No path.
    pub const NONE: FastPaths = FastPaths(0);

    /// The set with one more path.
    #[must_use]
    pub const fn with(self, path: FastPath) -> FastPaths {
        FastPaths(self.0 | 1 << path as u16)
    }

    /// Whether a path is in the set.
    pub const fn contains(self, path: FastPath) -> bool {
        self.0 & 1 << path as u16 != 0
    }
}
