"""Rows of virtual queues, rate-based controllers, estimators and standards: see `behaviour.py`."""

from __future__ import annotations

from .behaviour_network import (
    DEEP,
    ECN,
    L4S,
    MIDDLE,
    NetworkRow,
    flood,
    net,
    ratio,
    tcp,
    within,
)

#: Transfers that answer to the share of marks.
DCTCP = 'cc = "dctcp"\necn = true'


def steps_and_virtual_queues() -> list[NetworkRow]:
    """Rows of disciplines that mark by a threshold, on the queue itself or on a counted one."""
    return [
        NetworkRow(
            "step_marking",
            "transfers that answer to the share of marks hold the queue near the threshold with the link full",
            "DCTCP10",
            "4 DCTCP transfers at 40 Mbit/s, threshold 40",
            {"step": net('kind = "step_marking"\nthreshold = "40 pkts"', tcp(4, keys=DCTCP), mbit=40)},
            (
                within("queue_pkts_mean", "step", 15, 60, "pkts"),
                within("sojourn_ms_mean", "step", 4, 18, "ms"),
            ),
        ),
        NetworkRow(
            "phantom",
            "gives up a little of the link, and the queue is next to empty",
            "AKEPVY12",
            "4 DCTCP transfers at 40 Mbit/s, counter drained at 95 %, threshold of 60 kB as for 50 ms",
            {"phantom": net('kind = "phantom"\nthreshold = "60 kB"', tcp(4, keys=DCTCP), mbit=40)},
            (
                within("utilisation", "phantom", 85, 96, "%"),
                within("queue_pkts_mean", "phantom", 0, 8, "pkts"),
            ),
        ),
        NetworkRow(
            "gkvq",
            "marks before there is a queue, at the cost of the share of the link that the virtual rate leaves",
            "GK99, KS01",
            "20 ECN transfers at 40 Mbit/s, virtual rate of 90 %",
            {"gkvq": net('kind = "gkvq"\necn = true', tcp(20, keys=ECN), mbit=40)},
            (within("utilisation", "gkvq", 60, 91, "%"), within("queue_pkts_mean", "gkvq", 0, 15, "pkts")),
        ),
    ]


#: Two leaves below a class of 10 Mbit/s: 2 Mbit/s for the first, which comes first, and 8 for the second.
TREE = """\
kind = "htb"
classes = [
    { rate = "10 Mbit/s" },
    { parent = 0, rate = "2 Mbit/s", ceil = "10 Mbit/s" },
    { parent = 0, rate = "8 Mbit/s", ceil = "10 Mbit/s", child = "codel" },
]
leaf_of = [2, 1]
"""


def shapers() -> list[NetworkRow]:
    """Rows of disciplines that hold packets to a rate: by a delay, or by drops."""
    calls = flood(1, "calls", 'class = 1\npacket = "200 B"')
    return [
        NetworkRow(
            "tbf",
            "moves the queue from the device to the discipline inside, for a little of the rate",
            "RFC2697",
            "8 transfers at 10 Mbit/s, shaped to 9 with CoDel inside",
            {
                "tbf": net('kind = "tbf"\nrate = "9 Mbit/s"\nchild = "codel"', tcp(8)),
                "droptail": net('kind = "droptail"\nlimit = "100 pkts"', tcp(8)),
            },
            (
                within("utilisation", "tbf", 85, 90.5, "%"),
                ratio("sojourn_ms_mean", "tbf", "droptail", None, 0.4),
            ),
        ),
        NetworkRow(
            "policer",
            "holds the rate without a queue, by several times the drops of a shaper",
            "RFC2697",
            "8 transfers at 10 Mbit/s, policed to 9 with a burst of 50 ms, or shaped to it",
            {
                "policer": net('kind = "policer"\nrate = "9 Mbit/s"\nburst = "56250 B"', tcp(8)),
                "tbf": net('kind = "tbf"\nrate = "9 Mbit/s"\nlimit = "100 pkts"', tcp(8)),
            },
            (
                within("utilisation", "policer", 75, 90.5, "%"),
                ratio("sojourn_ms_mean", "policer", "tbf", None, 0.1),
                ratio("loss", "policer", "tbf", 2, None),
            ),
        ),
        NetworkRow(
            "htb",
            "a class keeps the rate that is its own, and what it leaves is lent to the other",
            "RFC2697",
            "8 transfers in a class of 8 of 10 Mbit/s, with and without 1 Mbit/s of calls in one of 2",
            {"with": net(TREE, tcp(8), calls), "without": net(TREE, tcp(8))},
            (
                within("throughput_bps@calls", "with", 0.9, 1.1, "Mbit/s"),
                within("delay_ms_mean@calls", "with", 20, 30, "ms"),
                within("throughput_bps@tcp", "with", 8, 9.2, "Mbit/s"),
                within("throughput_bps@tcp", "without", 9.2, 10, "Mbit/s"),
            ),
        ),
    ]


def rates() -> list[NetworkRow]:
    """Rows of disciplines that look at rates or flows."""
    return [
        NetworkRow(
            "green",
            "holds the arrival rate at its target, so that the queue is short",
            "WZ02",
            "20 and 60 ECN transfers at 40 Mbit/s, target 97 %",
            {f"{n}": net('kind = "green"\necn = true', tcp(n, keys=ECN), mbit=40) for n in (20, 60)},
            (
                within("utilisation", "20", 85, 99.5, "%"),
                within("utilisation", "60", 85, 99.5, "%"),
                within("queue_pkts_mean", "20", 0, 40, "pkts"),
            ),
        ),
        NetworkRow(
            "green_tcp",
            "three times the flows are dropped nine times as often, whatever the queue",
            "FKT02",
            "15 and 45 transfers at 40 Mbit/s, a configured round-trip time of 50 ms",
            {f"{n}": net('kind = "green_tcp"\nrtt = "50 ms"', tcp(n), mbit=40) for n in (15, 45)},
            (
                ratio("loss", "45", "15", 7, 10),
                within("queue_pkts_mean", "45", 0, 30, "pkts"),
            ),
        ),
        NetworkRow(
            "yellow",
            "the load stays at the capacity, and the queue near its reference",
            "LZGY05",
            "20 and 60 ECN transfers at 40 Mbit/s, reference 20",
            {f"{n}": net('kind = "yellow"\necn = true', tcp(n, keys=ECN), mbit=40) for n in (20, 60)},
            (
                within("utilisation", "20", 90, None, "%"),
                within("queue_pkts_mean", "20", 3, 50, "pkts"),
                within("queue_pkts_mean", "60", 3, 50, "pkts"),
            ),
        ),
    ]


def estimators() -> list[NetworkRow]:
    """Rows of disciplines that estimate flows or losses, and RED's relatives."""
    small = 'limit = "100 pkts"\nmin_th = "10 pkts"\nmax_th = "30 pkts"\nmax_p = 0.1'
    flooded = (tcp(8), flood(30))
    return [
        NetworkRow(
            "sred",
            "the queue settles near a third of the buffer and hardly depends on the number of flows",
            "OLW99",
            "300 and 600 transfers at 100 Mbit/s, buffer of 200 packets",
            {f"{n}": net(f'kind = "sred"\n{DEEP}', tcp(n), mbit=100) for n in (300, 600)},
            (
                within("queue_pkts_mean", "300", 40, 100, "pkts"),
                ratio("queue_pkts_mean", "600", "300", 0.7, 1.4),
            ),
        ),
        NetworkRow(
            "dred",
            "the queue stands at its target, whatever the load",
            "AOM01",
            "20 and 60 transfers, target 50",
            {
                f"{n}": net('kind = "dred"\nlimit = "100 pkts"\nalpha = 0.0005\nbeta = 0.02', tcp(n))
                for n in (20, 60)
            },
            (
                within("queue_pkts_mean", "20", 38, 62, "pkts"),
                within("queue_pkts_mean", "60", 38, 62, "pkts"),
            ),
        ),
        NetworkRow(
            "lred",
            "the queue stays near its reference under light and heavy load",
            "WLLSH07",
            "20 and 60 transfers, reference 50, ten times the published weight of the queue",
            {f"{n}": net('kind = "lred"\nlimit = "100 pkts"\nbeta = 0.01', tcp(n)) for n in (20, 60)},
            (
                within("queue_pkts_mean", "20", 25, 75, "pkts"),
                within("queue_pkts_mean", "60", 25, 75, "pkts"),
            ),
        ),
        NetworkRow(
            "gchoke",
            "a flood gets less than under CHOKe, because each match earns one more trial",
            "EJ12",
            "8 transfers, a flood of 30 Mbit/s",
            {kind: net(f'kind = "{kind}"\n{small}', *flooded) for kind in ("gchoke", "choke")},
            (ratio("throughput_bps@flood", "gchoke", "choke", None, 0.99),),
        ),
        NetworkRow(
            "rared",
            "the average stays in the middle of the thresholds over a range of loads",
            "KL06",
            "15 and 60 transfers, thresholds 20 and 80",
            {f"{n}": net(f'kind = "rared"\n{MIDDLE}', tcp(n)) for n in (15, 60)},
            (
                within("avg_pkts_mean", "15", 42, 58, "pkts"),
                within("avg_pkts_mean", "60", 42, 58, "pkts"),
            ),
        ),
    ]


def standards() -> list[NetworkRow]:
    """Rows of disciplines of RFCs, and PI2."""
    loads = (5, 50)
    prague = tcp(1, "prague", L4S)
    greedy = tcp(1, "greedy", f'{L4S}\ncc = "bbr"')
    return [
        NetworkRow(
            "pi2",
            "holds 20 ms over a tenfold load, with one pair of weights",
            "SBTB16",
            "5 and 50 transfers",
            {f"{n}": net(f'kind = "pi2"\n{DEEP}', tcp(n)) for n in loads},
            tuple(within("sojourn_ms_mean", f"{n}", 13, 27, "ms") for n in loads),
        ),
        NetworkRow(
            "docsis_pie",
            "keeps the delay far below that of the buffer, whatever the load",
            "RFC8034",
            "5 and 50 transfers",
            {f"{n}": net(f'kind = "docsis_pie"\n{DEEP}', tcp(n)) for n in loads},
            tuple(within("sojourn_ms_mean", f"{n}", 6, 30, "ms") for n in loads),
        ),
        NetworkRow(
            "curvy_red",
            "lets the delay grow with the load and drops less in return",
            "RFC9332",
            "5 and 50 transfers",
            {
                "5": net(f'kind = "curvy_red"\n{DEEP}', tcp(5)),
                "50": net(f'kind = "curvy_red"\n{DEEP}', tcp(50)),
                "pie": net(f'kind = "pie"\n{DEEP}', tcp(50)),
            },
            (
                ratio("sojourn_ms_mean", "50", "5", 1.3, None),
                ratio("loss", "50", "pie", None, 0.9),
            ),
        ),
        NetworkRow(
            "qprot",
            "a scalable flow that builds a queue is sent to the classic one, and the others keep their delay",
            "RFC9957",
            "a Prague transfer at 40 Mbit/s, and a BBR of version 1 that has ECT(1) and ignores marks",
            {kind: net(kind, prague, greedy, mbit=40) for kind in ("qprot", "dualpi2")},
            (ratio("delay_ms_p95@prague", "qprot", "dualpi2", None, 0.7),),
        ),
    ]
