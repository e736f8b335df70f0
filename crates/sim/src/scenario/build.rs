//! [`Model`] to [`Plan`]: names become indices, groups become flows, routes are found.

use super::links::limit_of;
use super::marking::{Marking, Meter};
use super::model::{Direction, FlowGroup, GroupPath, Model, Sends, Trunk};
use super::routes::{routes, Nodes, Route};
use super::sections::{Clock, Wire};
use super::traffic::MOST_FLOWS;
use crate::keys::part::bare;
use crate::plan::{
    GroupPlan, HostPlan, LinkPlan, LossBursts, LossPlan, Plan, PrivatePlan, RunPlan, TransportPlan,
};
use crate::source::meter::{Measure, MeterPlan};
use queue::Setting;
use std::sync::Arc;
use units::framing::LineFraming;
use units::param::{Param, Problem};
use units::size::Opportunities;
use units::Bytes;

/// The plan of a model: its links, routes and flows. `None` only if there are problems.
pub fn plan(model: &Model, problems: &mut Vec<Problem>) -> Option<Plan> {
    let before = problems.len();
    check_numbers(model, problems);
    let mut nodes = Nodes::default();
    let mut links = trunk_links(&model.topology.trunks, &mut nodes);
    let routes = routes(model, &links, &nodes, problems);
    if problems.len() > before {
        return None;
    }
    let routes: Vec<Route> = routes.into_iter().collect::<Option<_>>()?;
    typical_packets(model, &routes, &mut links);
    check_queues(model, &links, problems);
    check_clock(model, &links, problems);
    if problems.len() > before {
        return None;
    }
    let mut first = links.len();
    let mut hosts = Nodes::default();
    let groups = model
        .flows
        .iter()
        .zip(routes)
        .map(|(flow, route)| GroupPlan {
            hosts: flow.hosts(&model.topology.trunks).map(|host| host_plan(host, &mut hosts)),
            ..group_plan(flow, route, &mut first)
        })
        .collect();
    let run = RunPlan {
        start: model.run.clock.start(),
        duration: model.run.duration,
        warmup: model.run.warmup(),
        sample: model.run.sample(),
        max_events: model.run.max_events,
        max_memory: model.run.max_memory,
    };
    let plan = Plan { title: model.head.title.clone(), run, nodes: nodes.names, links, groups };
    check_memory(&plan, problems);
    (problems.len() == before).then_some(plan)
}

/// Refuses a run that needs more than its memory limit, before anything is allocated.
fn check_memory(plan: &Plan, problems: &mut Vec<Problem>) {
    let (needed, most) = (plan.memory(), plan.run.max_memory);
    if needed > most {
        let needed = format!("{:.1} GB", (needed.0 as f64 / 1e8).ceil() / 10.0);
        let rule = format!("{} flows need about {needed} for their state and their results", plan.flows());
        let remedy = format!("lower the counts, or write max_memory = \"{needed}\" if the machine has it");
        problems.push(Problem::new("run.max_memory", most.show(), rule, remedy));
    }
}

fn check_numbers(model: &Model, problems: &mut Vec<Problem>) {
    let total: u64 = model.flows.iter().map(|flow| flow.group.count).sum();
    if total > MOST_FLOWS {
        let rule = format!("must be at most {MOST_FLOWS}, all groups together");
        problems.push(Problem::new("flows", format!("{total} flows"), rule, "lower the counts"));
    }
    for flow in &model.flows {
        let (first, _) = flow.group.starts();
        if first >= model.run.duration {
            let rule = format!("no member starts before the end of the run ({})", bare(model.run.duration));
            let path = format!("flows.{}.start", flow.name);
            let remedy = "start earlier, or lengthen run.duration";
            problems.push(Problem::new(path, flow.group.start.show(), rule, remedy));
        }
    }
}

fn trunk_links(trunks: &[Trunk], nodes: &mut Nodes) -> Vec<LinkPlan> {
    let mut links = Vec::new();
    for trunk in trunks {
        let (from, to) = (nodes.number(&trunk.from), nodes.number(&trunk.to));
        links.push(trunk_link(trunk.name.clone(), from, to, &trunk.both.forward));
        if let Some(back) = &trunk.both.back {
            links.push(trunk_link(format!("{}.back", trunk.name), to, from, back));
        }
    }
    links
}

fn trunk_link(name: String, from: usize, to: usize, direction: &Direction) -> LinkPlan {
    let wire = &direction.wire;
    let opportunities = Opportunities::new(&wire.opportunities_ms).map(Arc::new);
    LinkPlan {
        name,
        from,
        to,
        rate: opportunities.as_ref().map_or(wire.rate, |opportunities| opportunities.mean_rate()),
        delay: wire.delay,
        queue: direction.queue.clone(),
        packet: wire.packet.unwrap_or(Bytes(0)),
        counts_wire: wire.counts_wire,
        ring: wire.ring,
        framing: LineFraming { overhead: wire.overhead.0, least: wire.mpu.0, framing: wire.framing },
        loss: loss_plan(wire),
        opportunities,
    }
}

fn loss_plan(wire: &Wire) -> LossPlan {
    let bursts = LossBursts { begin: wire.burst_begin, end: wire.burst_end, loss: wire.burst_loss };
    LossPlan {
        random: wire.loss,
        bursts: (wire.burst_begin > 0.0).then_some(bursts),
        positions: wire.drop.clone(),
        marks: wire.mark.clone(),
        jitter: (wire.jitter != Wire::default().jitter).then_some(wire.jitter),
        overtaking: wire.overtaking,
        reorder: (wire.reorder, wire.reorder_by),
        duplicate: wire.duplicate,
    }
}

/// Fills in `packet = "auto"`: the mean size of data packets over the flows that cross the link.
fn typical_packets(model: &Model, routes: &[Route], links: &mut [LinkPlan]) {
    // Flows that cross each link, and the sum of their packet sizes.
    let mut crossing = vec![(0, 0); links.len()];
    for (flow, route) in model.flows.iter().zip(routes) {
        for &index in &route.forward {
            crossing[index].0 += flow.group.count;
            crossing[index].1 += flow.group.count * flow.packet().0;
        }
    }
    for (link, (flows, bytes)) in links.iter_mut().zip(crossing).filter(|(link, _)| link.packet == Bytes(0)) {
        link.packet = (bytes + flows / 2).checked_div(flows).map_or(Bytes(1000), Bytes);
    }
}

/// Collects the problems that a discipline can find only once its link is known.
fn check_queues(model: &Model, links: &[LinkPlan], problems: &mut Vec<Problem>) {
    let base = model.topology.base.as_ref().map(|base| &base.both);
    let mut unfit: Vec<Problem> = Vec::new();
    for link in links {
        let back = link.name.ends_with(".back");
        let inherited = base.and_then(|both| if back { both.back.as_ref() } else { Some(&both.forward) });
        let path = match (inherited.is_some_and(|direction| direction.queue == link.queue), back) {
            (true, false) => "queue".to_string(),
            (true, true) => "back_queue".to_string(),
            (false, _) => format!("{}.{}.queue", model.topology.form.section(), link.name),
        };
        let setting = Setting { rate: link.rate, delay: link.delay, packet: link.packet };
        link.queue.fits(&setting, &path, &mut unfit);
    }
    for problem in unfit {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// Refuses the clock of doubles where a discipline or a link keeps times of its own, which are in nanoseconds.
fn check_clock(model: &Model, links: &[LinkPlan], problems: &mut Vec<Problem>) {
    if model.run.clock == Clock::Nanoseconds {
        return;
    }
    let other = |link: &&LinkPlan| {
        let plain = link.opportunities.is_none() && link.framing == LineFraming::NONE;
        !plain || !matches!(link.queue.kind(), "droptail" | "red")
    };
    if let Some(link) = links.iter().find(other) {
        let rule = format!(
            "goes with droptail and red at a fixed rate without framing only, and {} has another",
            link.name
        );
        let remedy = "write clock = \"nanoseconds\"";
        problems.push(Problem::new("run.clock", model.run.clock.show(), rule, remedy));
    }
}

/// The plan of a group, whose members' private links are numbered from `first` on.
fn group_plan(flow: &FlowGroup, route: Route, first: &mut usize) -> GroupPlan {
    let group = &flow.group;
    let count = group.count as usize;
    let queue = flow.access.as_ref().and_then(|access| limit_of("", access, &mut Vec::new()));
    let private = flow.access.as_ref().zip(queue).map(|(access, queue)| PrivatePlan {
        first: *first,
        queue,
        packet: flow.packet(),
        rates: [access.access_rate, access.exit_rate].map(Option::unwrap_or_default),
        delays: [access.access_delay.clone(), access.exit_delay.clone()],
    });
    *first += private.as_ref().map_or(0, |_| PrivatePlan::EACH * count);
    GroupPlan {
        name: flow.name.clone(),
        count,
        counted_as: group.counted_as.clone().unwrap_or_else(|| flow.name.clone()),
        class: flow.marking.class.0,
        hosts: [HostPlan::Own; 2],
        meter: meter_plan(&flow.marking),
        start: group.start.clone(),
        stagger: group.stagger,
        stop: group.stop,
        transport: flow.transport_plan(),
        forward: route.forward,
        back: route.back,
        private,
    }
}

fn host_plan(name: Option<String>, hosts: &mut Nodes) -> HostPlan {
    name.map_or(HostPlan::Own, |name| HostPlan::Shared(hosts.number(&name) as u32))
}

fn meter_plan(marking: &Marking) -> Option<MeterPlan> {
    let measure = match marking.meter {
        Meter::TokenBucket => Measure::Bucket(marking.meter_burst),
        Meter::SlidingWindow => Measure::Window(marking.meter_window),
    };
    marking.meter_rate.map(|rate| MeterPlan { rate, measure, out_class: marking.out_class.0 })
}

impl FlowGroup {
    /// Names of the hosts of its sources and destinations; `None` where each flow has one of its own.
    fn hosts(&self, trunks: &[Trunk]) -> [Option<String>; 2] {
        let (from, to) = match self.path {
            GroupPath::Graph(_) => {
                let (from, to) = self.path.ends(trunks);
                (Some(from), Some(to))
            }
            GroupPath::Dumbbell(_) | GroupPath::Chain(_) => (None, None),
        };
        [self.group.source_host.clone().or(from), self.group.destination_host.clone().or(to)]
    }

    /// Its transport, with `auto` resolved.
    fn transport_plan(&self) -> TransportPlan {
        match &self.sends {
            Sends::Tcp(tcp) => {
                TransportPlan::Tcp { params: Arc::new((*tcp.params).clone()), load: self.source.load() }
            }
            Sends::Rated(sends) => {
                TransportPlan::Rated { rated: sends.rated.clone(), load: self.source.load() }
            }
            Sends::Udp(udp) => {
                let plan = self.source.datagrams(udp);
                TransportPlan::Udp(plan.expect("a source for UDP says when its packets leave"))
            }
        }
    }

    /// Size of a data packet on the wire.
    fn packet(&self) -> Bytes {
        match &self.sends {
            Sends::Tcp(tcp) => tcp.params.segment_bytes(),
            Sends::Rated(sends) => {
                let (payload, headers) = sends.rated.packet();
                payload + headers
            }
            Sends::Udp(udp) => self.source.datagrams(udp).map_or(udp.packet, |plan| plan.packet),
        }
    }
}
