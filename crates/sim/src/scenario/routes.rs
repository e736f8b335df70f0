//! Routers at which a group's data enters and leaves, and the static routes between them.

use super::model::{FlowGroup, Form, Model, Sends};
use super::shortest::{Graph, Paths};
use crate::plan::LinkPlan;
use std::collections::BTreeMap;
use units::param::{nearest, Problem};

/// Node names and their numbers.
#[derive(Default)]
pub struct Nodes {
    /// Names in order of their numbers.
    pub names: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Nodes {
    /// The number of a node, a new one if it has none.
    pub fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), number);
        number
    }
}

/// A group's route over the shared links.
pub struct Route {
    /// Links of its data.
    pub forward: Vec<usize>,
    /// Links of the reverse direction; empty if there are none and none are needed.
    pub back: Vec<usize>,
}

/// Finds the route of every group; `None` where there is a problem.
pub fn routes(
    model: &Model,
    links: &[LinkPlan],
    nodes: &Nodes,
    problems: &mut Vec<Problem>,
) -> Vec<Option<Route>> {
    let ends: Vec<_> = model.flows.iter().map(|flow| ends(model, flow, nodes, problems)).collect();
    let pairs = ends.iter().flatten().flat_map(|&(from, to)| [(from, to), (to, from)]).collect();
    let paths = Graph::new(links, nodes.names.len()).paths(&pairs);
    let mut routes = Vec::with_capacity(ends.len());
    for (flow, pair) in model.flows.iter().zip(ends) {
        let way = pair.map(|pair| {
            route(flow, pair, &paths, nodes).map_err(|rule| {
                let path = format!("flows.{}", flow.name);
                problems.push(Problem::new(path, "", rule, loose_end(links, nodes, [pair.0, pair.1])));
            })
        });
        routes.push(way.and_then(Result::ok));
    }
    routes
}

/// The nodes where a group's data enters and leaves.
fn ends(
    model: &Model,
    flow: &FlowGroup,
    nodes: &Nodes,
    problems: &mut Vec<Problem>,
) -> Option<(usize, usize)> {
    let ends = flow.path.ends(&model.topology.trunks);
    let keys = if flow.path.reversed() { ("to", "from") } else { ("from", "to") };
    let from = end(model, flow, keys.0, &ends.0, nodes, problems);
    let to = end(model, flow, keys.1, &ends.1, nodes, problems);
    let (from, to) = (from?, to?);
    if from == to {
        let rule = format!("from and to are the same place, {}", ends.0);
        problems.push(Problem::new(format!("flows.{}", flow.name), "", rule, "choose two different ones"));
        return None;
    }
    Some((from, to))
}

/// The links of a group in both directions, or the rule that the scenario breaks.
fn route(
    flow: &FlowGroup,
    (from, to): (usize, usize),
    paths: &Paths,
    nodes: &Nodes,
) -> Result<Route, String> {
    let names = (&nodes.names[from], &nodes.names[to]);
    let Some(forward) = paths.get(&(from, to)) else {
        return Err(format!("no links lead from '{}' to '{}'", names.0, names.1));
    };
    let back = match paths.get(&(to, from)) {
        None if !matches!(flow.sends, Sends::Udp(..)) => {
            let what = if matches!(flow.sends, Sends::Tcp(..)) { "TCP's ACKs" } else { "the reports" };
            return Err(format!("no links lead back from '{}' to '{}' for {what}", names.1, names.0));
        }
        routes => routes.cloned().unwrap_or_default(),
    };
    Ok(Route { forward: forward.clone(), back })
}

/// The node a group's `from` or `to` means.
fn end(
    model: &Model,
    flow: &FlowGroup,
    key: &str,
    name: &str,
    nodes: &Nodes,
    problems: &mut Vec<Problem>,
) -> Option<usize> {
    if let Some(&number) = nodes.numbers.get(name) {
        return Some(number);
    }
    let path = format!("flows.{}.{key}", flow.name);
    let known: Vec<&str> = nodes.names.iter().map(String::as_str).collect();
    problems.push(if model.topology.form == Form::Chain {
        let rule = format!("routers are numbered 1 to {}", model.topology.trunks.len() + 1);
        Problem::new(path, name.trim_start_matches('r'), rule, "choose one of them, or raise chain.hops")
    } else if name.is_empty() {
        let what = if key == "from" { "begins" } else { "ends" };
        let rule = format!("must name the node where the group's data {what}");
        Problem::new(path, "", rule, format!("write one of {}", known.join(", ")))
    } else {
        let remedy = match nearest(name, &known) {
            Some(hint) => format!("did you mean '{hint}'?"),
            None => format!("nodes are {}", known.join(", ")),
        };
        Problem::new(path, format!("\"{name}\""), "no link has a node of this name", remedy)
    });
    None
}

/// A remedy for a node's name that was misspelt in a link: a node without links onward whose name is nearly
/// another's.
fn loose_end(links: &[LinkPlan], nodes: &Nodes, ends: [usize; 2]) -> String {
    let uses = |node: usize| links.iter().filter(|link| link.from == node || link.to == node).count();
    let loose = |node: &usize| uses(*node) <= 2 && !ends.contains(node) && nodes.names[*node].len() > 2;
    for number in (0..nodes.names.len()).filter(loose) {
        let name = &nodes.names[number];
        let others: Vec<&str> =
            nodes.names.iter().map(String::as_str).filter(|other| other != name).collect();
        if let Some(hint) = nearest(name, &others) {
            return format!("only one link has a node '{name}': is it '{hint}'?");
        }
    }
    "add a link, or correct the names".into()
}
