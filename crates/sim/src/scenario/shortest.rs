//! Shortest paths over directed links (Dijkstra 1959): least delay, then fewest hops, then the names of the links in
//! the order of the path, so that the path does not depend on the order of the links in the scenario.

use crate::plan::LinkPlan;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use units::Span;

/// Links of each path that exists, by the numbers of its first and its last node.
pub type Paths = BTreeMap<(usize, usize), Vec<usize>>;

/// A directed link as the search sees it.
pub struct Edge<'a> {
    from: usize,
    to: usize,
    delay: Span,
    name: &'a str,
}

/// The links by the node that they leave.
pub struct Graph<'a> {
    edges: Vec<Edge<'a>>,
    leaving: Vec<Vec<usize>>,
}

/// The best path known to a node: its delay and hops, and its last edge.
#[derive(Clone, Copy)]
struct KnownPath {
    delay: Span,
    hops: usize,
    by: usize,
}

impl<'a> Graph<'a> {
    /// The graph of these links, over this many nodes.
    pub fn new(links: &'a [LinkPlan], nodes: usize) -> Self {
        let edge =
            |link: &'a LinkPlan| Edge { from: link.from, to: link.to, delay: link.delay, name: &link.name };
        Self::of(links.iter().map(edge).collect(), nodes)
    }

    fn of(edges: Vec<Edge<'a>>, nodes: usize) -> Self {
        let mut leaving = vec![Vec::new(); nodes];
        for (index, edge) in edges.iter().enumerate() {
            leaving[edge.from].push(index);
        }
        Self { edges, leaving }
    }

    /// The shortest paths between these pairs of nodes; a pair that no path connects is left out.
    ///
    /// One search serves all pairs of a first node, and ends when it has reached all their last ones.
    pub fn paths(&self, pairs: &BTreeSet<(usize, usize)>) -> Paths {
        let mut targets: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &(from, to) in pairs {
            targets.entry(from).or_default().insert(to);
        }
        let mut paths = Paths::new();
        for (from, wanted) in targets {
            let reached = self.search(from, wanted.clone());
            for to in wanted {
                if let Some(path) = self.path(&reached, from, to) {
                    paths.insert((from, to), path);
                }
            }
        }
        paths
    }

    /// The best paths from a node, final for all `wanted` ones that can be reached.
    fn search(&self, from: usize, mut wanted: BTreeSet<usize>) -> Vec<Option<KnownPath>> {
        let mut reached: Vec<Option<KnownPath>> = vec![None; self.leaving.len()];
        let mut settled = vec![false; self.leaving.len()];
        let mut open = BinaryHeap::from([Reverse((Span::ZERO, 0, from))]);
        while let Some(Reverse((delay, hops, node))) = open.pop() {
            if std::mem::replace(&mut settled[node], true) {
                continue;
            }
            wanted.remove(&node);
            if wanted.is_empty() {
                break;
            }
            for &by in &self.leaving[node] {
                let edge = &self.edges[by];
                let next = KnownPath { delay: delay + edge.delay, hops: hops + 1, by };
                // Every path that ties ends in a node with fewer hops, so that all ties come before a node is settled.
                if !settled[edge.to] && self.improves(&reached, from, next) {
                    reached[edge.to] = Some(next);
                    open.push(Reverse((next.delay, next.hops, edge.to)));
                }
            }
        }
        reached
    }

    /// Whether a path to a node comes before the best that is known.
    fn improves(&self, reached: &[Option<KnownPath>], from: usize, next: KnownPath) -> bool {
        let Some(known) = reached[self.edges[next.by].to] else { return true };
        let (new, old) = ((next.delay, next.hops), (known.delay, known.hops));
        new < old || (new == old && self.names(reached, from, next) < self.names(reached, from, known))
    }

    /// The names of the links of a path, in order.
    fn names(&self, reached: &[Option<KnownPath>], from: usize, end: KnownPath) -> Vec<&str> {
        self.edges_to(reached, from, end).into_iter().map(|index| self.edges[index].name).collect()
    }

    fn path(&self, reached: &[Option<KnownPath>], from: usize, to: usize) -> Option<Vec<usize>> {
        Some(self.edges_to(reached, from, reached[to]?))
    }

    /// The edges of a path, in order.
    fn edges_to(&self, reached: &[Option<KnownPath>], from: usize, end: KnownPath) -> Vec<usize> {
        let mut edges = vec![end.by];
        let mut node = self.edges[end.by].from;
        while node != from {
            let Some(step) = reached[node] else { break };
            edges.push(step.by);
            node = self.edges[step.by].from;
        }
        edges.reverse();
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::{Edge, Graph, Paths};
    use std::collections::BTreeSet;
    use units::Span;

    /// The shortest path by trying every path, in the order of delay, hops and names.
    fn exhaustive(edges: &[Edge<'_>], from: usize, to: usize) -> Option<Vec<usize>> {
        let mut open = BTreeSet::from([(Span::ZERO, 0, Vec::<&str>::new(), Vec::<usize>::new(), from)]);
        let mut done = BTreeSet::new();
        while let Some((delay, hops, names, route, node)) = open.pop_first() {
            if node == to {
                return Some(route);
            }
            if done.insert(node) {
                for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.from == node) {
                    let longer = [&names[..], &[edge.name]].concat();
                    open.insert((
                        delay + edge.delay,
                        hops + 1,
                        longer,
                        [&route[..], &[index]].concat(),
                        edge.to,
                    ));
                }
            }
        }
        None
    }

    /// Numbers below `below` that look random, the same each time.
    fn draws(seed: u64) -> impl FnMut(u64) -> usize {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % below).unwrap()
        }
    }

    #[test]
    fn every_path_is_that_of_an_exhaustive_search_on_graphs_full_of_ties() {
        for seed in 0..200 {
            let mut draw = draws(seed);
            let (nodes, count) = (2 + draw(8), 1 + draw(24));
            let names: Vec<String> = (0..count).map(|index| format!("l{}", (index * 7 + 3) % 31)).collect();
            let ends: Vec<[usize; 3]> =
                names.iter().map(|_| [draw(nodes as u64), draw(nodes as u64), draw(3)]).collect();
            let edges = || -> Vec<Edge<'_>> {
                names
                    .iter()
                    .zip(&ends)
                    .map(|(name, &[from, to, delay])| Edge {
                        from,
                        to,
                        delay: Span::from_micros(delay as u64),
                        name,
                    })
                    .collect()
            };
            let pairs: BTreeSet<(usize, usize)> =
                (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
            let paths = Graph::of(edges(), nodes).paths(&pairs);
            let plain = edges();
            let wanted: Paths =
                pairs.iter().filter_map(|&(a, b)| Some(((a, b), exhaustive(&plain, a, b)?))).collect();
            assert_eq!(paths, wanted, "seed {seed}");
        }
    }

    #[test]
    fn a_ring_of_ten_thousand_links_is_walked_to_its_end() {
        let nodes = 10_000;
        let edges = (0..nodes)
            .map(|node| Edge {
                from: node,
                to: (node + 1) % nodes,
                delay: Span::from_micros(1),
                name: "ring",
            })
            .collect();
        let paths = Graph::of(edges, nodes).paths(&BTreeSet::from([(1, 0), (0, 9_999)]));
        assert_eq!(paths[&(1, 0)].len(), 9_999);
        assert_eq!(paths[&(0, 9_999)], (0..9_999).collect::<Vec<_>>());
    }
}
