//! Tests of HTB, worked by hand.

use super::*;
use crate::testing::{Bench, Pkt, SETTING};
use alloc::string::{String, ToString};
use units::param::{read_table, Value};

/// Classes from rows of keys and values, and the leaf of each packet class.
fn read(classes: &[&[(&str, &str)]], leaf_of: &[i64]) -> Result<Valid<Params>, Vec<String>> {
    let text = |row: &(&str, &str)| (row.0.to_string(), Value::Text(row.1.to_string()));
    let classes = classes.iter().map(|rows| Value::Table(rows.iter().map(text).collect())).collect();
    let leaf_of = leaf_of.iter().map(|i| Value::Int(*i)).collect();
    let table =
        vec![("classes".to_string(), Value::List(classes)), ("leaf_of".to_string(), Value::List(leaf_of))];
    let mut problems = Vec::new();
    let params: Params = read_table("", &table, &mut problems);
    if problems.is_empty() {
        Ok(Valid::new(params).unwrap())
    } else {
        Err(problems.iter().map(ToString::to_string).collect())
    }
}

fn bench(classes: &[&[(&str, &str)]], leaf_of: &[i64]) -> Bench<Htb<Pkt>> {
    Bench::new(Htb::new(&read(classes, leaf_of).unwrap(), &SETTING))
}

fn of_class(class: u8) -> Pkt {
    Pkt { class, ..Pkt::new(0) }
}

/// Packets of each class that leave by a time, each as soon as it may; the link itself has no rate.
fn sent(queue: &mut Bench<Htb<Pkt>>, until_us: u64, classes: usize) -> Vec<usize> {
    let (mut us, mut counts) = (0, vec![0; classes]);
    while us <= until_us {
        match queue.depart(us) {
            Some(pkt) => counts[usize::from(pkt.class)] += 1,
            None => match queue.disc.ready() {
                Some(ready) => us = us.max(ready.0.div_ceil(1000)),
                None => break,
            },
        }
    }
    counts
}

fn fill(queue: &mut Bench<Htb<Pkt>>, classes: &[u8], each: usize) {
    (0..each).for_each(|_| classes.iter().for_each(|class| queue.arrive(0, of_class(*class))));
}

const BURST: (&str, &str) = ("burst", "1000 B");
const CBURST: (&str, &str) = ("cburst", "1000 B");

#[test]
fn without_rates_it_is_a_weighted_round_robin() {
    let mut queue = bench(&[&[("quantum", "2000 B")], &[("quantum", "1000 B")]], &[0, 1]);
    fill(&mut queue, &[0, 1], 9);
    let order: Vec<u8> = (0..9).map(|_| queue.depart(0).unwrap().class).collect();
    // A turn ends when the quantum is overdrawn: three packets and one too many at first, then two to one.
    assert_eq!(order.iter().filter(|class| **class == 0).count(), 6);
    assert_eq!(queue.disc.ready(), Some(Time::ZERO));
}

#[test]
fn each_class_gets_its_rate_and_no_more_than_its_ceiling() {
    let root: &[(&str, &str)] = &[("rate", "8 Mbit/s"), BURST, CBURST];
    let one: &[(&str, &str)] = &[("parent", "0"), ("rate", "2 Mbit/s"), ("ceil", "8 Mbit/s"), BURST, CBURST];
    let two: &[(&str, &str)] = &[("parent", "0"), ("rate", "2 Mbit/s"), BURST, CBURST];
    // Alone, the first borrows up to a packet a millisecond; the second stays at one each 4 ms.
    let mut queue = bench(&[root, one, two], &[1, 2]);
    fill(&mut queue, &[0], 500);
    assert!((99..=102).contains(&sent(&mut queue, 100_000, 2)[0]));
    queue = bench(&[root, one, two], &[1, 2]);
    fill(&mut queue, &[1], 500);
    assert!((25..=27).contains(&sent(&mut queue, 100_000, 2)[1]));
    // Together they fill the root: the second keeps its 2 Mbit/s, the first gets the rest.
    queue = bench(&[root, one, two], &[1, 2]);
    fill(&mut queue, &[0, 1], 500);
    let counts = sent(&mut queue, 100_000, 2);
    assert!((25..=27).contains(&counts[1]) && (73..=77).contains(&counts[0]), "{counts:?}");
}

#[test]
fn lent_bandwidth_is_shared_by_priority_and_quanta() {
    let root: &[(&str, &str)] = &[("rate", "8 Mbit/s"), BURST, CBURST];
    let leaf = |prio: &'static str, quantum: &'static str| {
        [
            ("parent", "0"),
            ("rate", "80 kbit/s"),
            ("ceil", "8 Mbit/s"),
            BURST,
            CBURST,
            ("prio", prio),
            ("quantum", quantum),
        ]
    };
    let mut queue = bench(&[root, &leaf("0", "3000 B"), &leaf("0", "1000 B")], &[1, 2]);
    fill(&mut queue, &[0, 1], 400);
    let counts = sent(&mut queue, 400_000, 2);
    assert!((2.8..3.2).contains(&(counts[0] as f64 / counts[1] as f64)), "{counts:?}");
    queue = bench(&[root, &leaf("1", "3000 B"), &leaf("0", "1000 B")], &[1, 2]);
    fill(&mut queue, &[0, 1], 400);
    let urgent = sent(&mut queue, 100_000, 2);
    // The other has its own 80 kbit/s: a packet at the start, and one after 100 ms.
    assert!(urgent[0] <= 3 && urgent[1] > 95, "{urgent:?}");
}

#[test]
fn a_class_lends_only_what_its_own_ceiling_allows() {
    let root: &[(&str, &str)] = &[("rate", "8 Mbit/s"), BURST, CBURST];
    let inner: &[(&str, &str)] =
        &[("parent", "0"), ("rate", "2 Mbit/s"), ("ceil", "4 Mbit/s"), BURST, CBURST];
    let leaf: &[(&str, &str)] =
        &[("parent", "1"), ("rate", "800 kbit/s"), ("ceil", "8 Mbit/s"), BURST, CBURST];
    let mut queue = bench(&[root, inner, leaf, leaf], &[2, 3]);
    assert_eq!(queue.disc.nodes.iter().map(|node| node.level).collect::<Vec<_>>(), [2, 1, 0, 0]);
    fill(&mut queue, &[0, 1], 400);
    let counts = sent(&mut queue, 200_000, 2);
    // 4 Mbit/s through the inner class: 100 packets in 200 ms, half of them each, in turns of ten.
    assert!((99..=103).contains(&(counts[0] + counts[1])), "{counts:?}");
    assert!(counts[0].abs_diff(counts[1]) <= 11, "{counts:?}");
}

#[test]
fn contradictory_parameters_are_refused() {
    let rule = |classes: &[&[(&str, &str)]], leaf_of: &[i64]| read(classes, leaf_of).unwrap_err()[0].clone();
    assert!(rule(&[&[("parent", "1")], &[]], &[0]).contains("must each name a parent before it"));
    assert!(rule(&[&[], &[("parent", "0")]], &[0]).contains("only leaves ([1])"));
    assert!(rule(&[&[("rate", "2 Mbit/s"), ("ceil", "1 Mbit/s")]], &[0]).contains("must be at least rate"));
    assert!(rule(&[&[("rat", "2 Mbit/s")]], &[0]).contains("rate"));
}
