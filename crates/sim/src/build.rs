//! Builds a network from a plan and a seed.

use crate::account::FlowProbe;
use crate::account::{LinkProbe, MeasurementWindow, Trace};
use crate::link::Faults;
use crate::link::Link;
use crate::network::{Carrier, Flow, Network};
use crate::packet::{FlowLabel, WaitingPacket};
use crate::plan::{member_of, GroupPlan, LinkPlan, Plan, PrivatePlan, TransportPlan};
use crate::source::connection::AppParams;
use crate::source::load::{AppPlan, Load};
use crate::source::rated::Rated;
use crate::source::{AppSink, AppSource, Marker, Origin, Sink, Source, UdpSource};
use queue::disc::QueueDisc;
use queue::Setting;
use std::sync::Arc;
use transport::tcp;
use units::framing::LineFraming;
use units::{Rng, Span, Stream, Time};

/// Up to this many flows have a histogram each; beyond it, each group has one.
pub const FLOWS_WITH_HISTOGRAMS: usize = 64;

/// Up to this many flows record series.
pub const FLOWS_WITH_SERIES: usize = 256;

/// Builds the network of a plan; `carrier` connects its steps. Every random value comes from the stream of
/// its component.
pub fn build<C: Carrier>(
    plan: &Plan,
    seed: u64,
    window: MeasurementWindow,
    trace: Trace,
    carrier: C,
) -> Network<C> {
    let own_histograms = plan.flows() <= FLOWS_WITH_HISTOGRAMS;
    let histograms = if own_histograms { plan.flows() } else { plan.groups.len() };
    let mut network = Network::new(window, carrier, histograms);
    network.trace = trace;
    let labels: Option<Arc<Vec<FlowLabel>>> =
        plan.links.iter().any(|link| link.queue.reads_headers()).then(|| Arc::new(plan.labels()));
    for (number, link) in (0..).zip(&plan.links) {
        let mut built = build_link(number, link, seed, window);
        if let Some(labels) = labels.as_ref().filter(|_| link.queue.reads_headers()) {
            built.set_labels(labels);
        }
        network.add_link(built);
    }
    for group in &plan.groups {
        if let Some(private) = &group.private {
            add_private_links(&mut network, group, private, seed);
        }
    }
    network.flows.reserve_exact(plan.flows());
    let groups = plan.groups.iter().enumerate();
    let members = groups.flat_map(|(place, group)| (0..group.count).map(move |i| (place, group, i)));
    for (number, (place, group, index)) in members.enumerate() {
        let histogram = if own_histograms { number } else { place };
        let series = window.series && number < FLOWS_WITH_SERIES;
        let mut probe = FlowProbe::new(&window, histogram, series);
        if group.transport.is_app() {
            probe.enable_completions();
        }
        let flow = build_flow(group, index, seed, plan.run.start, probe);
        let start = start_of(group, index, seed, plan.run.start);
        network.add_flow(flow, start, &group.route_forward(index), &group.route_back(index));
    }
    C::prepare(&mut network);
    network
}

/// The measurement window of a run of this plan; `series`: whether it records series.
pub fn measurement_window(plan: &Plan, series: bool) -> MeasurementWindow {
    MeasurementWindow {
        warmup: plan.run.start + plan.run.warmup,
        end: plan.run.start + plan.run.duration,
        sample: plan.run.sample,
        series,
    }
}

fn build_link(number: u32, plan: &LinkPlan, seed: u64, window: MeasurementWindow) -> Link {
    let LinkPlan { rate, delay, packet, .. } = *plan;
    let rng = Stream::new(seed, &format!("queue/{}", plan.name));
    let queue = plan.queue.build(&Setting { rate, delay, packet });
    let mut link = Link::new(number, queue, rng, rate, delay, plan.counts_wire);
    if let Some(opportunities) = &plan.opportunities {
        link.set_opportunities(opportunities);
    }
    if plan.framing != LineFraming::NONE {
        link.set_framing(plan.framing);
    }
    link.use_ring(plan.ring);
    link.faults = Faults::new(&plan.loss, Stream::new(seed, &format!("loss/{}", plan.name)));
    link.with_probe(LinkProbe::new(window))
}

/// Adds the private links of a group's members. There are many, so the carrier may replace them before they
/// are built.
fn add_private_links<C: Carrier>(network: &mut Network<C>, group: &GroupPlan, plan: &PrivatePlan, seed: u64) {
    let setting = |side: usize, delay| Setting { rate: plan.rates[side], delay, packet: plan.packet };
    let limit = plan.queue.build::<WaitingPacket>(&setting(0, Span::ZERO)).plain_limit();
    for (index, side) in (0..group.count).flat_map(|index| [(index, 0), (index, 1)]) {
        let name = || format!("delay/{}", group.private_link(index, side, false));
        let draw = || Stream::new(seed, &name()).uniform();
        let (rate, delay) = (plan.rates[side], member_of(&plan.delays[side], index, group.count, draw));
        for back in [false, true] {
            network.add_private_link(limit, rate, delay, |number| {
                let rng = Stream::new(seed, &format!("queue/{}", group.private_link(index, side, back)));
                Link::new(number, plan.queue.build(&setting(side, delay)), rng, rate, delay, false)
            });
        }
    }
}

/// When the source of a member starts, in a run that begins at `zero`.
pub fn start_of(plan: &GroupPlan, index: usize, seed: u64, zero: Time) -> Time {
    let draw = || Stream::new(seed, &format!("start/{}", plan.member(index))).uniform();
    zero + plan.start(index, draw)
}

fn build_flow<S: Default>(
    plan: &GroupPlan,
    index: usize,
    seed: u64,
    zero: Time,
    mut probe: FlowProbe,
) -> Flow<S> {
    let name = plan.member(index);
    let stop = plan.stop.map_or(Time::NEVER, |stop| zero + stop);
    let stream = Stream::new(seed, &format!("source/{name}"));
    let (source, sink, stop) = match &plan.transport {
        TransportPlan::Tcp { params, load: Load::App(app) } => {
            build_app(&AppParams::Tcp(params.clone()), app, stop, stream)
        }
        TransportPlan::Rated { rated: Rated::Quic(params), load: Load::App(app) } => {
            build_app(&AppParams::Quic(params.clone()), app, stop, stream)
        }
        TransportPlan::Tcp { params, load } => {
            let mut sender = tcp::Sender::sharing(params, stream);
            match load {
                Load::File(size) => {
                    sender.supply_bytes(size.0);
                    probe.expected_segments = sender.supplied();
                }
                _ => sender.supply_forever(),
            }
            (Source::Tcp(sender), Sink::Tcp(tcp::Receiver::sharing(params)), stop)
        }
        TransportPlan::Rated { rated, load } => {
            let (source, sink) = rated.build(load, stream);
            (Source::Rated(source), Sink::Rated(sink), stop)
        }
        TransportPlan::Udp(plan) => {
            // An open-loop source handles its stop time itself.
            let source = Box::new(UdpSource::new(plan.clone(), stop, stream));
            (Source::Udp(source), Sink::Udp { payload: 0 }, Time::NEVER)
        }
    };
    let marker = Marker::new(plan.meter, || Stream::new(seed, &format!("meter/{name}")));
    Flow::new(source, sink, (plan.class, marker), stop, probe)
}

/// The two ends of a session, or the origin of sessions that arrive in an open loop.
fn build_app(params: &AppParams, app: &Arc<AppPlan>, stop: Time, stream: Stream) -> (Source, Sink, Time) {
    let sink = Sink::App(Box::new(AppSink::new(params.clone())));
    if app.arrivals().is_some() {
        let origin = Origin::new(params.clone(), app.clone(), stop, stream);
        return (Source::Origin(Box::new(origin)), sink, Time::NEVER);
    }
    (Source::App(Box::new(AppSource::new(params.clone(), app.clone(), stream))), sink, stop)
}
