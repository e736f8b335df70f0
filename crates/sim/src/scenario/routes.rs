//! Static routes: shortest by delay, then by hops, then by the names of the links.

use std::collections::BTreeSet;
use units::Span;

/// A directed link as the search sees it.
#[derive(Clone, Debug)]
pub struct Edge<'a> {
    /// The node it leaves.
    pub from: usize,
    /// The node it reaches.
    pub to: usize,
    /// Its cost.
    pub delay: Span,
    /// Decides between equals.
    pub name: &'a str,
}

/// The edges of the shortest way from one node to another, in order.
pub fn shortest(edges: &[Edge<'_>], from: usize, to: usize) -> Option<Vec<usize>> {
    let mut done = BTreeSet::new();
    let mut open = BTreeSet::from([(Span::ZERO, 0, Vec::<&str>::new(), Vec::<usize>::new(), from)]);
    while let Some((delay, hops, names, way, node)) = open.pop_first() {
        if node == to {
            return Some(way);
        }
        if !done.insert(node) {
            continue;
        }
        for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.from == node) {
            let (mut names, mut way) = (names.clone(), way.clone());
            names.push(edge.name);
            way.push(index);
            open.insert((delay + edge.delay, hops + 1, names, way, edge.to));
        }
    }
    None
}
