//! Builds a network from a plan and a seed.

use crate::account::FlowProbe;
use crate::account::{LinkProbe, MeasurementWindow};
use crate::engine::Engine;
use crate::fast::DroptailLink;
use crate::link::Faults;
use crate::link::Link;
use crate::network::{BuiltLink, Flow, Network};
use crate::packet::Waiting;
use crate::plan::{member_of, GroupPlan, LinkPlan, Plan, PrivatePlan, TransportPlan};
use crate::source::load::{AppPlan, Load};
use crate::source::{AppSink, AppSource, Marker, Origin, Sink, Source, UdpSource};
use queue::disc::QueueDisc;
use queue::Setting;
use std::sync::Arc;
use transport::tcp;
use units::param::Valid;
use units::{Rng, Span, Stream, Time};

/// Up to this many flows have a histogram each; beyond it, each group has one.
pub const FLOWS_WITH_HISTOGRAMS: usize = 64;

/// Up to this many flows record series.
pub const FLOWS_WITH_SERIES: usize = 256;

/// Builds the network of a plan. Every random value comes from the stream of the component it belongs to.
pub fn build(plan: &Plan, seed: u64, series: bool, engine: Engine) -> Network {
    let window = MeasurementWindow {
        warmup: plan.run.start + plan.run.warmup,
        end: plan.run.start + plan.run.duration,
        sample: plan.run.sample,
        series,
    };
    let shared = plan.links.iter().zip(0..).map(|(link, number)| build_link(number, link, seed, window));
    let groups = plan.groups.iter();
    let private =
        groups.flat_map(|group| group.private.iter().flat_map(|own| private_links(group, own, seed, engine)));
    let own_histograms = plan.flows() <= FLOWS_WITH_HISTOGRAMS;
    let histograms = if own_histograms { plan.flows() } else { plan.groups.len() };
    let mut network = Network::new(window, engine, shared.map(BuiltLink::Link).chain(private), histograms);
    network.reserve_flows(plan.flows());
    let members = plan
        .groups
        .iter()
        .enumerate()
        .flat_map(|(place, group)| (0..group.count).map(move |i| (place, group, i)));
    for (number, (place, group, index)) in members.enumerate() {
        let histogram = if own_histograms { number } else { place };
        let mut probe = FlowProbe::new(&window, histogram, series && number < FLOWS_WITH_SERIES);
        if matches!(&group.transport, TransportPlan::Tcp { load: Load::App(_), .. }) {
            probe.enable_completions();
        }
        let flow = build_flow(group, index, seed, plan.run.start, probe);
        let start = start_of(group, index, seed, plan.run.start);
        network.add_flow(flow, start, &group.way_forward(index), &group.way_back(index));
    }
    network
}

fn build_link(number: u32, plan: &LinkPlan, seed: u64, window: MeasurementWindow) -> Link {
    let LinkPlan { rate, delay, packet, .. } = *plan;
    let rng = Stream::new(seed, &format!("queue/{}", plan.name));
    let queue = plan.queue.build(&Setting { rate, delay, packet });
    let mut link = Link::new(number, queue, rng, rate, delay, plan.counts_wire);
    if let Some(opportunities) = &plan.opportunities {
        link.set_opportunities(opportunities);
    }
    link.use_ring(plan.ring);
    link.faults = Faults::new(&plan.loss, Stream::new(seed, &format!("loss/{}", plan.name)));
    link.with_probe(LinkProbe::new(window))
}

/// The private links of a group's members, specialised from the start if they can be, because there are many.
fn private_links<'a>(
    group: &'a GroupPlan,
    plan: &'a PrivatePlan,
    seed: u64,
    engine: Engine,
) -> impl Iterator<Item = BuiltLink> + 'a {
    let setting = |side: usize, delay| Setting { rate: plan.rates[side], delay, packet: plan.packet };
    let limit =
        plan.queue.build::<Waiting>(&setting(0, Span::ZERO)).plain_limit().filter(|_| engine == Engine::Fast);
    let ends = (0..group.count).flat_map(|index| [(index, 0), (index, 1)]);
    let delayed = ends.map(move |(index, side)| {
        let name = || format!("delay/{}", group.private_link(index, side, false));
        let draw = || Stream::new(seed, &name()).uniform();
        (index, side, member_of(&plan.delays[side], index, group.count, draw))
    });
    let both = delayed.flat_map(|(index, side, delay)| [false, true].map(|back| (index, side, delay, back)));
    both.zip(plan.first as u32..).map(move |((index, side, delay, back), number)| {
        let rate = plan.rates[side];
        if let Some(limit) = limit {
            return BuiltLink::Droptail(DroptailLink::new(number, limit, rate, delay, None));
        }
        let rng = Stream::new(seed, &format!("queue/{}", group.private_link(index, side, back)));
        let queue = plan.queue.build(&setting(side, delay));
        BuiltLink::Link(Link::new(number, queue, rng, rate, delay, false))
    })
}

/// When the source of a member starts, in a run that begins at `zero`.
pub fn start_of(plan: &GroupPlan, index: usize, seed: u64, zero: Time) -> Time {
    let draw = || Stream::new(seed, &format!("start/{}", plan.member(index))).uniform();
    zero + plan.start(index, draw)
}

fn build_flow(plan: &GroupPlan, index: usize, seed: u64, zero: Time, mut probe: FlowProbe) -> Flow {
    let name = plan.member(index);
    let stop = plan.stop.map_or(Time::NEVER, |stop| zero + stop);
    let stream = Stream::new(seed, &format!("source/{name}"));
    let (source, sink, stop) = match &plan.transport {
        TransportPlan::Tcp { params, load: Load::App(app) } => build_app(params, app, stop, stream),
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
            (Source::Rated(Box::new(source)), Sink::Rated(Box::new(sink)), stop)
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
fn build_app(
    params: &Arc<Valid<tcp::Params>>,
    app: &Arc<AppPlan>,
    stop: Time,
    stream: Stream,
) -> (Source, Sink, Time) {
    let sink = Sink::App(Box::new(AppSink::new(params.clone())));
    if app.arrivals().is_some() {
        let origin = Origin::new(params.clone(), app.clone(), stop, stream);
        return (Source::Origin(Box::new(origin)), sink, Time::NEVER);
    }
    (Source::App(Box::new(AppSource::new(params.clone(), app.clone(), stream))), sink, stop)
}
