"""Rows of disciplines that measure flows, classes, rates and delays: see `behaviour.py`."""

from __future__ import annotations

from .behaviour_network import (
    CUBIC,
    DEEP,
    ECN,
    L4S,
    TAIL,
    VOICE,
    NetworkRow,
    flood,
    net,
    parts,
    ratio,
    tcp,
    within,
)


def with_flows() -> list[NetworkRow]:
    """Rows of disciplines that look at flows."""
    small = 'limit = "100 pkts"\nmin_th = "10 pkts"\nmax_th = "30 pkts"\nmax_p = 0.1'
    flooded = (tcp(8), flood(12))
    return [
        NetworkRow(
            "fred_flow",
            "a flood is held to the share of a flow, and fragile flows are spared",
            "LM97",
            "8 transfers, a flood of 12 Mbit/s, a call of 80 kbit/s",
            {
                kind: net(
                    f'kind = "{kind}"\nlimit = "100 pkts"\nmin_th = "10 pkts"\nmax_th = "30 pkts"',
                    *flooded,
                    VOICE,
                )
                for kind in ("fred_flow", "red")
            },
            (
                ratio("throughput_bps@flood", "fred_flow", "red", None, 0.5),
                ratio("flow_loss@voice", "fred_flow", "red", None, 0.2),
            ),
        ),
        NetworkRow(
            "choke",
            "an unresponsive flow is dropped more, the more of the queue is its own",
            "PPP00",
            "8 transfers, a flood of 12 Mbit/s",
            {kind: net(f'kind = "{kind}"\n{small}', *flooded) for kind in ("choke", "red")},
            (
                ratio("throughput_bps@flood", "choke", "red", None, 0.8),
                ratio("throughput_bps@tcp", "choke", "red", 2, None),
            ),
        ),
        NetworkRow(
            "sfb",
            "a flood is known by its bins and held to the rate of the penalty box",
            "FSKS02",
            "8 transfers, a flood of 12 Mbit/s",
            {"sfb": net("sfb", *flooded), "red": net(f'kind = "red"\n{small}', *flooded)},
            (
                ratio("throughput_bps@flood", "sfb", "red", None, 0.3),
                ratio("throughput_bps@tcp", "sfb", "red", 3, None),
            ),
        ),
    ]


def controllers() -> list[NetworkRow]:
    """Rows of disciplines that hold a queue or a rate to a reference."""
    return [
        NetworkRow(
            "pi",
            "the queue stands at its reference, whatever the load",
            "HMTG01",
            "20 and 60 transfers, reference 50",
            {
                f"{n}": net(
                    'kind = "pi"\nlimit = "200 pkts"\nq_ref = "50 pkts"\na = 0.000182\nb = 0.000181', tcp(n)
                )
                for n in (20, 60)
            },
            (
                within("queue_pkts_mean", "20", 35, 65, "pkts"),
                within("queue_pkts_mean", "60", 35, 65, "pkts"),
            ),
        ),
        NetworkRow(
            "rem",
            "the queue is cleared to its target whatever the number of flows",
            "ALLY01",
            "10 and 30 ECN transfers at 40 Mbit/s, target 20",
            {
                f"{n}": net(
                    'kind = "rem"\nlimit = "200 pkts"\necn = true', tcp(n, keys="ecn = true"), mbit=40
                )
                for n in (10, 30)
            },
            (
                within("queue_pkts_mean", "10", 10, 35, "pkts"),
                within("queue_pkts_mean", "30", 10, 35, "pkts"),
            ),
        ),
        NetworkRow(
            "avq",
            "holds the utilisation it is set to, with a short queue",
            "KS01",
            "20 ECN transfers at 40 Mbit/s, 98 and 90 % asked for",
            {
                share: net(
                    f'kind = "avq"\nlimit = "100 pkts"\necn = true\ngamma = 0.{share}',
                    tcp(20, keys=ECN),
                    mbit=40,
                )
                for share in ("98", "90")
            },
            (
                within("utilisation", "98", 93, 99, "%"),
                within("utilisation", "90", 84, 91, "%"),
                within("queue_pkts_mean", "98", 0, 50, "pkts"),
            ),
        ),
    ]


def delays() -> list[NetworkRow]:
    """Rows of disciplines that hold the delay of one queue."""
    loads = (5, 50)
    return [
        NetworkRow(
            "pie",
            "holds 15 ms over a tenfold load",
            "RFC8033",
            "5 and 50 transfers",
            {f"{n}": net(f'kind = "pie"\n{DEEP}', tcp(n)) for n in loads},
            tuple(within("sojourn_ms_mean", f"{n}", 10, 21, "ms") for n in loads),
        ),
        NetworkRow(
            "codel",
            "keeps the queue within a few times 5 ms at any rate, and the link full",
            "RFC8289",
            "5 transfers at 10 and at 40 Mbit/s",
            {
                "10": net(f'kind = "codel"\n{DEEP}', tcp(5)),
                "40": net('kind = "codel"\nlimit = "800 pkts"', tcp(5), mbit=40),
            },
            (
                within("sojourn_ms_mean", "10", 2, 15, "ms"),
                within("sojourn_ms_mean", "40", 2, 15, "ms"),
                within("utilisation", "10", 93, None, "%"),
            ),
        ),
        NetworkRow(
            "cobalt",
            "against a flood its BLUE brings the delay down where CoDel alone is slow",
            "HTM18",
            "8 transfers, a flood of 15 Mbit/s",
            {kind: net(f'kind = "{kind}"\n{DEEP}', tcp(8), flood(15)) for kind in ("cobalt", "codel")},
            (ratio("sojourn_ms_mean", "cobalt", "codel", None, 0.7),),
        ),
    ]


def fair_delays() -> list[NetworkRow]:
    """Rows of disciplines that keep a delay for each flow or class."""
    return [
        NetworkRow(
            "fq_codel",
            "a thin flow has almost no queueing delay next to transfers",
            "RFC8290",
            "8 transfers, a call",
            {kind: net(f'kind = "{kind}"\n{DEEP}', tcp(8), VOICE) for kind in ("fq_codel", "droptail")},
            (
                within("delay_ms_p95@voice", "fq_codel", 20, 30, "ms"),
                within("delay_ms_p95@voice", "droptail", 100, None, "ms"),
            ),
        ),
        NetworkRow(
            "fq_cobalt",
            "an unresponsive flow fills its own queue alone, and its BLUE brings even that one's delay down",
            "RFC8290, HTM18",
            "8 transfers, a call, a flood of 15 Mbit/s, buffer cut packet by packet",
            {
                kind: net(f'kind = "{kind}"\ndrop_batch = 1\n{DEEP}', tcp(8), VOICE, flood(15))
                for kind in ("fq_cobalt", "fq_codel")
            },
            (
                within("delay_ms_p95@voice", "fq_cobalt", 20, 30, "ms"),
                ratio("delay_ms_p95@flood", "fq_cobalt", "fq_codel", None, 0.8),
            ),
        ),
        NetworkRow(
            "fq_pie",
            "the same as FQ-CoDel, under PIE",
            "RFC8290, RFC8033",
            "8 transfers, a call",
            {"fq_pie": net(f'kind = "fq_pie"\n{DEEP}', tcp(8), VOICE)},
            (
                within("delay_ms_p95@voice", "fq_pie", 20, 26, "ms"),
                within("utilisation", "fq_pie", 95, None, "%"),
            ),
        ),
        NetworkRow(
            "cake",
            "moves the queue into its own shaper, where a thin flow meets none of it",
            "HTM18",
            "shaped to 9.5 of 10 Mbit/s, 8 transfers, a call",
            {"cake": net('kind = "cake"\nbandwidth = "9.5 Mbit/s"', tcp(8), VOICE)},
            (
                within("delay_ms_p95@voice", "cake", 20, 26, "ms"),
                within("utilisation", "cake", 92, 95.5, "%"),
            ),
        ),
        NetworkRow(
            "dualpi2",
            "scalable flows have a queueing delay below a millisecond next to classic ones, at a similar rate each",
            "RFC9332",
            "one Prague and one CUBIC transfer",
            {"dualpi2": net("dualpi2", tcp(1, "prague", L4S), tcp(1, "cubic", CUBIC), mbit=40)},
            (
                within("delay_ms_mean@prague", "dualpi2", 21, 23.5, "ms"),
                within("delay_ms_mean@cubic", "dualpi2", 27, 45, "ms"),
                parts("throughput_bps", "dualpi2", "prague", "cubic", 0.4, 2.5),
            ),
        ),
    ]


def schedulers() -> list[NetworkRow]:
    """Rows of disciplines that serve queues in turn."""
    sizes = (flood(8, "large"), flood(16, "small", 'packet = "300 B"'))
    return [
        NetworkRow(
            "drr",
            "flows get the same bytes whatever they send and in packets of whatever size",
            "SV95",
            "8 Mbit/s in packets of 1500 bytes, 16 Mbit/s in packets of 300",
            {"drr": net('kind = "drr"\nlimit = "100 pkts"', *sizes), "droptail": net(TAIL, *sizes)},
            (
                parts("throughput_bps", "drr", "large", "small", 0.97, 1.03),
                parts("throughput_bps", "droptail", "large", "small", None, 0.8),
            ),
        ),
        NetworkRow(
            "sfq",
            "a flood gets the share of one flow",
            "McKenney90",
            "4 transfers, a flood of 12 Mbit/s",
            {"sfq": net("sfq", tcp(4), flood(12)), "droptail": net(TAIL, tcp(4), flood(12))},
            (
                within("throughput_bps@flood", "sfq", 1, 4.5, "Mbit/s"),
                within("throughput_bps@flood", "droptail", 9, None, "Mbit/s"),
            ),
        ),
        NetworkRow(
            "prio",
            "the most urgent band loses nothing and hardly waits while the last starves",
            "RFC3246",
            "4 Mbit/s in the most urgent class, 12 Mbit/s in the least",
            {"prio": net("prio", flood(4, "urgent", "class = 2"), flood(12, "last", "class = 0"))},
            (
                within("flow_loss@urgent", "prio", -0.001, 0.01, "%"),
                within("delay_ms_mean@urgent", "prio", 22, 25, "ms"),
                within("flow_loss@last", "prio", 40, None, "%"),
            ),
        ),
    ]


def classes() -> list[NetworkRow]:
    """Rows of disciplines that know classes."""
    two = (flood(6, "low", "class = 0"), flood(6, "high", "class = 1"))
    return [
        NetworkRow(
            "wred",
            "low precedence is dropped first",
            "CiscoWRED",
            "6 Mbit/s of precedence 0, 5 of precedence 7",
            {"wred": net("wred", flood(6, "low", "class = 0"), flood(5, "high", "class = 7"))},
            (parts("flow_loss", "wred", "high", "low", None, 0.8),),
        ),
        NetworkRow(
            "rio",
            "packets within their profile are spared at the cost of the others",
            "CF98",
            "4 Mbit/s In, 7 Mbit/s Out",
            {"rio": net("rio", flood(4, "in", "class = 1"), flood(7, "out", "class = 0"))},
            (within("flow_loss@in", "rio", -0.001, 0.1, "%"), within("flow_loss@out", "rio", 8, None, "%")),
        ),
        NetworkRow(
            "gred",
            "each drop precedence has a RED of its own, so the firmer one drops more",
            "LinuxGRED",
            "6 Mbit/s in each of two precedences",
            {
                "gred": net(
                    'kind = "gred"\nlimit = "200 pkts"\nmin_th = ["5 pkts", "15 pkts"]\n'
                    'max_th = ["15 pkts", "45 pkts"]\n'
                    'dp_limit = ["60 pkts", "120 pkts"]\nprobability = [0.1, 0.02]',
                    *two,
                )
            },
            (parts("flow_loss", "gred", "high", "low", None, 0.9),),
        ),
    ]
