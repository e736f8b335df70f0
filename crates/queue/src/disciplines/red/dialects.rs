//! The dialects of RED: rows of named options. An option that a row leaves out is as in the paper.
//!
//! Reference: observed behaviour of the named programs; `docs/disciplines/red.md` compares them.
//! `wred` and `junos` are from CiscoWRED and JunosCoS, which describe and do not define.
//! Deviations: ALTQ, dummynet and DPDK keep `avg` in fixed point and take powers from tables; here they are
//! real numbers. ALTQ also forgets everything after a minute of idle time. DPDK shares its random number
//! among all queues; here each queue has its own.

use units::param::Preset;

/// The options of ns-2 of any year, and those that a release or its scripts added.
macro_rules! ns2 {
    ($($added:expr),* $(,)?) => {
        &[
            ("limit", "50 pkts"),
            ("limit_test", "before"),
            ("max_p", "0.1"),
            ("idle_decay", "plus_one"),
            ("idle_from", "link_idle"),
            ("spacing", "wait"),
            ("counting", "spare_first"),
            ("min_queue", "2"),
            ("draws", "always"),
            $($added),*
        ]
    };
}

pub(super) const DIALECTS: &[Preset] = &[
    Preset {
        name: "floyd93",
        doc: "The paper, as its Figure 2 counts: the first packet after a mark finds `count` at 1.",
        options: &[
            ("spacing", "pseudocode"),
        ],
    },
    Preset {
        name: "floyd93_text",
        doc: "The paper, as the formula of its text counts: the first packet after a mark finds `count` at 0.",
        options: &[
            ("spacing", "text"),
        ],
    },
    Preset {
        name: "ns2_1999",
        doc: "ns-2 as scripts of 1999 and 2000 ran it: packets, no gentle mode, thresholds 5 and 15.",
        options: ns2![
            ("mean_packet", "500 B"),
        ],
    },
    Preset {
        name: "ns2_2001_04",
        doc: "ns-2 from 23 April 2001: gentle.",
        options: ns2![
            ("mean_packet", "500 B"),
            ("above_max", "gentle"),
        ],
    },
    Preset {
        name: "ns2_2001_12",
        doc: "ns-2 from 29 December 2001: thresholds and weight are automatic.",
        options: ns2![
            ("mean_packet", "500 B"),
            ("above_max", "gentle"),
            ("min_th", "auto"),
            ("max_th", "auto"),
            ("w_q", "auto"),
            ("auto_w_q", "rtt"),
        ],
    },
    Preset {
        name: "ns2_2004_06",
        doc: "ns-2 from 23 June 2004: only the floor of Adaptive RED's max_p changed, so this is ns2_2001_12.",
        options: ns2![
            ("mean_packet", "500 B"),
            ("above_max", "gentle"),
            ("min_th", "auto"),
            ("max_th", "auto"),
            ("w_q", "auto"),
            ("auto_w_q", "rtt"),
        ],
    },
    Preset {
        name: "ns2_2004_10",
        doc: "ns-2 from 11 October 2004: the queue is measured in bytes, and sizes enter the probability.",
        options: ns2![
            ("mean_packet", "500 B"),
            ("above_max", "gentle"),
            ("min_th", "auto"),
            ("max_th", "auto"),
            ("w_q", "auto"),
            ("auto_w_q", "rtt"),
            ("unit", "bytes"),
            ("byte_mode", "ns2"),
        ],
    },
    Preset {
        name: "ns2",
        doc: "ns-2.35 (from 22 December 2005): a certain drop counts as an early one; ECN marks only below p_b 0.1.",
        options: ns2![
            ("mean_packet", "500 B"),
            ("above_max", "gentle"),
            ("min_th", "auto"),
            ("max_th", "auto"),
            ("w_q", "auto"),
            ("auto_w_q", "rtt"),
            ("unit", "bytes"),
            ("byte_mode", "ns2"),
            ("forced_as_early", "true"),
            ("mark_limit", "0.1"),
        ],
    },
    Preset {
        name: "ns2_explicit",
        doc: "ns-2 of any year under a script that sets everything: packets, no gentle mode, `mean_packet` that of the setting.",
        options: ns2![],
    },
    Preset {
        name: "ns3",
        doc: "ns-3: as ns-2 with gentle mode, but forced drops leave `count` alone and idle time passes at 1.5 Mbit/s.",
        options: &[
            ("limit", "25 pkts"),
            ("limit_test", "after"),
            ("mean_packet", "500 B"),
            ("idle_decay", "plus_one"),
            ("idle_from", "link_idle"),
            ("idle_rate", "1.5 Mbit/s"),
            ("spacing", "wait"),
            ("counting", "spare_first"),
            ("min_queue", "2"),
            ("above_max", "gentle"),
            ("draws", "always"),
            ("forced_resets_count", "false"),
            ("overflow_resets_count", "false"),
        ],
    },
    Preset {
        name: "linux",
        doc: "Linux sch_red as tc sets it up: bytes, integer arithmetic, one random number a cycle, no gentle mode.",
        options: &[
            ("unit", "bytes"),
            ("mean_packet", "1000 B"),
            ("min_th", "auto"),
            ("max_th", "auto"),
            ("auto_th", "limit"),
            ("w_q", "auto"),
            ("auto_w_q", "burst"),
            ("arithmetic", "integer"),
            ("idle_table", "ticks"),
            ("idle_from", "link_idle"),
            ("idle_rate", "10 Mbit/s"),
            ("spacing", "cycle"),
            ("overflow_resets_count", "false"),
            ("ecn_forced", "mark"),
        ],
    },
    Preset {
        name: "altq",
        doc: "ALTQ of the BSDs: `p_b / (2 - count p_b)` without waiting, a random victim for forced drops.",
        options: &[
            ("limit", "60 pkts"),
            ("max_p", "0.1"),
            ("w_q", "0.001953125"),
            ("idle_decay", "truncated"),
            ("idle_from", "link_idle"),
            ("spacing", "double"),
            ("counting", "spare_first"),
            ("min_queue", "2"),
            ("ecn_forced", "drop"),
            ("victim", "random"),
            ("draws", "always"),
        ],
    },
    Preset {
        name: "dummynet",
        doc: "FreeBSD dummynet: one random number a cycle; with `ecn`, a step at min_th.",
        options: &[
            ("limit", "50 pkts"),
            ("idle_decay", "plus_one"),
            ("spacing", "cycle"),
            ("overflow_resets_count", "false"),
            ("ecn_forced", "mark"),
            ("ecn_step", "true"),
        ],
    },
    Preset {
        name: "dpdk",
        doc: "DPDK rte_red: one cached random number reduced modulo a changing divisor, `count` carried over from below min_th, idle time in steps of 4 MiB.",
        options: &[
            ("max_p", "0.1"),
            ("w_q", "0.001953125"),
            ("idle_decay", "truncated"),
            ("idle_packet", "4194304 B"),
            ("spacing", "modulus"),
            ("counting", "carried"),
            ("min_queue", "1"),
            ("overflow_resets_count", "false"),
        ],
    },
    Preset {
        name: "inet",
        doc: "INET RedDropper: Figure 2 without a guard at `count p_b` = 1, thresholds 5 and 50, an idle clock that every event resets, 150 packets a second.",
        options: &[
            ("limit", "100 pkts"),
            ("max_th", "50 pkts"),
            ("idle_from", "last_event"),
            ("idle_rate", "1.8 Mbit/s"),
            ("idle_packet", "1500 B"),
            ("spacing", "unclamped"),
            ("ecn_forced", "mark"),
            ("draws", "always"),
        ],
    },
    Preset {
        name: "nspy",
        doc: "ns.py REDPort: the arriving packet is part of the sample, no idle time, no count, max_p also above max_th.",
        options: &[
            ("w_q", "0.001953125"),
            ("sample", "with_arrival"),
            ("idle_decay", "ignored"),
            ("spacing", "geometric"),
            ("above_max", "capped"),
            ("draws", "always"),
        ],
    },
    Preset {
        name: "wred",
        doc: "One class of Cisco's WRED: weight 2^-9, thresholds 20 and 40 of precedence 0, one packet in ten at the upper, a draw for each packet; with `ecn` marks between the thresholds only.",
        options: &[
            ("limit", "64 pkts"),
            ("min_th", "20 pkts"),
            ("max_th", "40 pkts"),
            ("max_p", "0.1"),
            ("w_q", "0.001953125"),
            ("spacing", "geometric"),
            ("ecn_forced", "drop"),
        ],
    },
    Preset {
        name: "junos",
        doc: "A drop profile of Junos, interpolated: a draw for each packet against how full the buffer is now, from 0 to 100 %; with `ecn` the profile marks, and only a full buffer drops.",
        options: &[
            ("unit", "bytes"),
            ("min_th", "auto"),
            ("max_th", "auto"),
            ("auto_th", "fill"),
            ("max_p", "1"),
            ("w_q", "0.999999"),
            ("idle_decay", "ignored"),
            ("spacing", "geometric"),
            ("ecn_forced", "mark"),
            ("incapable", "spare"),
        ],
    },
];
