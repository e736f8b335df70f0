//! Loads of transports with feedback, and the applications that decide them as they go.

use super::action::AppAction;
use super::http::{Http, Loop, PageConnection, SizeOf, WebUser};
use super::plugin::{PluginApp, SourceSpec};
use super::shaped::Shaped;
use super::telnet::{Telnet, TelnetUser};
use super::video::{Video, VideoPlayer};
use std::sync::Arc;
use units::param::{Distribution, DistributionShape};
use units::{Bytes, Span, Stream, Time};

/// The load of a transport with feedback.
#[derive(Clone, Debug)]
pub enum Load {
    /// Unlimited data.
    Greedy,
    /// A file with this payload.
    File(Bytes),
    /// The objects of an application.
    App(Arc<AppPlan>),
    /// Frames of a shaped video.
    Shaped(Arc<Shaped>),
}

/// An application over TCP or QUIC.
#[derive(Clone, Debug)]
pub enum AppPlan {
    /// Web sessions.
    Http(Box<Http>),
    /// A terminal session.
    Telnet(Telnet),
    /// Video in chunks.
    Video(Video),
    /// The source of a plug-in.
    Plugin(SourceSpec),
}

impl AppPlan {
    /// Time between arrivals of sessions, if they arrive in an open loop at each flow.
    pub fn arrivals(&self) -> Option<Distribution<Span>> {
        match self {
            AppPlan::Http(http) => (http.sessions == Loop::Open).then_some(http.arrival),
            AppPlan::Telnet(_) | AppPlan::Video(_) | AppPlan::Plugin(_) => None,
        }
    }

    /// Whether an object is a whole number of segments.
    pub fn whole_segments(&self) -> bool {
        matches!(self, AppPlan::Http(http) if http.size_of == SizeOf::Segments)
    }

    /// Whether it fetches pages of several objects.
    pub fn has_pages(&self) -> bool {
        let one = Distribution::of(DistributionShape::Constant(0.0));
        matches!(self, AppPlan::Http(http) if http.embedded != one)
    }

    /// Flows that carry a session side by side.
    pub fn connections(&self) -> usize {
        match self {
            AppPlan::Http(http) => http.connections as usize,
            AppPlan::Telnet(_) | AppPlan::Video(_) | AppPlan::Plugin(_) => 1,
        }
    }

    /// The connections of a session that has several.
    pub fn begin_page(&self, rng: &mut Stream) -> Vec<PageConnection> {
        match self {
            AppPlan::Http(http) => PageConnection::page(http, rng),
            AppPlan::Telnet(_) | AppPlan::Video(_) | AppPlan::Plugin(_) => Vec::new(),
        }
    }

    /// Begins a session.
    pub fn begin(&self, rng: &mut Stream) -> App {
        match self {
            AppPlan::Http(http) => App::WebUser(WebUser::new(http, rng)),
            AppPlan::Telnet(_) => App::TelnetUser(TelnetUser::default()),
            AppPlan::Video(_) => App::VideoPlayer(VideoPlayer::default()),
            AppPlan::Plugin(spec) => App::Plugin(PluginApp::new(spec, rng.branch(0))),
        }
    }
}

/// The state of an application.
#[derive(Debug)]
pub enum App {
    /// A user of web pages.
    WebUser(WebUser),
    /// A connection of a page.
    PageConnection(PageConnection),
    /// A user of a terminal.
    TelnetUser(TelnetUser),
    /// A video player.
    VideoPlayer(VideoPlayer),
    /// The source of a plug-in.
    Plugin(PluginApp),
}

impl App {
    /// Whether the object just begun is the first and the last of a page on one connection; `None` for other
    /// applications.
    pub fn page_part(&self) -> Option<(bool, bool)> {
        match self {
            App::WebUser(user) => Some(user.page_part()),
            _ => None,
        }
    }

    /// The action at the start, and after each wait.
    pub fn next_action(&mut self, plan: &AppPlan, now: Time, rng: &mut Stream) -> AppAction {
        match (self, plan) {
            (App::WebUser(user), AppPlan::Http(http)) => user.next_action(http, rng),
            (App::PageConnection(one), AppPlan::Http(_)) => one.next_action(),
            (App::TelnetUser(user), AppPlan::Telnet(telnet)) => user.next_action(telnet, rng),
            (App::VideoPlayer(player), AppPlan::Video(video)) => player.next_action(video, now),
            (App::Plugin(app), AppPlan::Plugin(_)) => app.next_action(now),
            _ => AppAction::End,
        }
    }

    /// The action once everything sent has been acknowledged.
    pub fn on_acknowledged(&mut self, plan: &AppPlan, now: Time, rng: &mut Stream) -> AppAction {
        match (self, plan) {
            (App::WebUser(user), AppPlan::Http(http)) => user.on_acknowledged(http, rng),
            (App::PageConnection(one), AppPlan::Http(http)) => one.on_acknowledged(http, rng),
            (App::VideoPlayer(player), AppPlan::Video(video)) => player.on_acknowledged(video, now),
            (App::Plugin(app), AppPlan::Plugin(_)) => app.on_acknowledged(now),
            _ => AppAction::Rest,
        }
    }
}
