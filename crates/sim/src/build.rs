//! From a plan and a seed to a network at rest.

use crate::flow::FlowProbe;
use crate::link::Link;
use crate::loss::Loss;
use crate::network::{Flow, Network};
use crate::plan::{AppPlan, FlowPlan, LinkPlan, Load, Member, Plan, TransportPlan};
use crate::probe::{LinkProbe, Window};
use crate::source::{AppSink, AppSource, Marker, Origin, Sink, Source, UdpSource};
use queue::Setting;
use std::sync::Arc;
use transport::tcp;
use units::param::Valid;
use units::{Dice, Span, Stream, Time};

/// Up to this many flows each keep a histogram of their own; beyond it, each group keeps one.
pub const FLOWS_WITH_HISTOGRAMS: usize = 64;

/// Up to this many flows keep series.
pub const FLOWS_WITH_SERIES: usize = 256;

/// Builds the network of a plan. Every random value comes from the stream of the component it belongs to.
pub fn build(plan: &Plan, seed: u64, series: bool) -> Network {
    let window = Window {
        warmup: plan.run.start + plan.run.warmup,
        end: plan.run.start + plan.run.duration,
        sample: plan.run.sample,
        series,
    };
    let links = plan.links.iter().enumerate().map(|(i, link)| build_link(i, link, seed, window));
    let histogram_of = histogram_numbers(plan);
    let histograms = histogram_of.iter().max().map_or(0, |last| last + 1);
    let mut network = Network::new(window, links, histograms);
    network.flows.reserve_exact(plan.flows.len());
    for (number, flow) in plan.flows.iter().enumerate() {
        let keep = series && number < FLOWS_WITH_SERIES;
        let mut probe = FlowProbe::new(&window, histogram_of[number], keep);
        if matches!(&flow.transport, TransportPlan::Tcp { load: Load::App(_), .. }) {
            probe.completions = Some(Box::default());
        }
        network.add_flow(build_flow(flow, seed, plan.run.start, probe), &flow.forward, &flow.back);
    }
    network
}

/// The histogram of each flow's delays.
pub fn histogram_numbers(plan: &Plan) -> Vec<usize> {
    if plan.flows.len() <= FLOWS_WITH_HISTOGRAMS {
        return (0..plan.flows.len()).collect();
    }
    let groups = groups(plan);
    let number = |flow: &FlowPlan| groups.iter().position(|group| *group == flow.group).unwrap_or(0);
    plan.flows.iter().map(number).collect()
}

/// Names of the groups in order of their first flow.
pub fn groups(plan: &Plan) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for flow in &plan.flows {
        if groups.last() != Some(&flow.group.as_str()) && !groups.contains(&flow.group.as_str()) {
            groups.push(&flow.group);
        }
    }
    groups
}

fn build_link(number: usize, plan: &LinkPlan, seed: u64, window: Window) -> Link {
    // Both directions share the draw: a long path is long both ways.
    let path = plan.name.strip_suffix(".back").unwrap_or(&plan.name);
    let delay = member_value(&plan.delay, seed, &format!("delay/{path}"));
    let setting = Setting { rate: plan.rate, delay, packet: plan.packet };
    let dice = Stream::new(seed, &format!("queue/{}", plan.name));
    let queue = plan.queue.build(&setting);
    let mut link = Link::new(number as u32, queue, dice, plan.rate, delay, plan.counts_wire);
    if let Some(opportunities) = &plan.opportunities {
        link.vary(opportunities);
    }
    link.hold_in_ring(plan.ring);
    link.loss = Loss::new(&plan.loss, Stream::new(seed, &format!("loss/{}", plan.name)));
    if plan.reported {
        link = link.with_probe(LinkProbe::new(window));
    }
    link
}

fn build_flow(plan: &FlowPlan, seed: u64, zero: Time, mut probe: FlowProbe) -> Flow {
    let name = format!("{}/{}", plan.group, plan.start.index);
    let start = zero + member_value(&plan.start, seed, &format!("start/{name}"));
    let stop = plan.stop.map_or(Time::NEVER, |stop| zero + stop);
    let stream = Stream::new(seed, &format!("source/{name}"));
    let (source, sink, stop) = match &plan.transport {
        TransportPlan::Tcp { params, load: Load::App(app) } => build_app(params, app, stop, stream),
        TransportPlan::Tcp { params, load } => {
            let mut sender = tcp::Sender::sharing(params, stream);
            match load {
                Load::File(size) => {
                    sender.supply_bytes(size.0);
                    probe.awaited = sender.supplied();
                }
                _ => sender.supply_forever(),
            }
            (Source::Tcp(sender), Sink::Tcp(tcp::Receiver::new(params)), stop)
        }
        TransportPlan::Rated { rated, load } => {
            let (source, sink) = rated.build(load, stream);
            (Source::Rated(Box::new(source)), Sink::Rated(Box::new(sink)), stop)
        }
        TransportPlan::Udp(plan) => {
            // An open-loop source keeps to its stop by itself.
            (Source::Udp(UdpSource::new(plan.clone(), stop, stream)), Sink::Udp { payload: 0 }, Time::NEVER)
        }
    };
    let marker = Marker::new(plan.class, plan.meter, Stream::new(seed, &format!("meter/{name}")));
    Flow::new(source, sink, marker, start, stop, probe)
}

/// The ends of a session, or the place where sessions arrive.
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

/// The value of one member of a group; random ones come from the stream with this name.
fn member_value(member: &Member, seed: u64, name: &str) -> Span {
    let draw = Stream::new(seed, name).uniform();
    member.spread.of(member.index, member.of, draw)
}
