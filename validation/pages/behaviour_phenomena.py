"""Rows of what queues do whatever their kind, the reasons for queue management: see `behaviour.py`."""

from __future__ import annotations

from .behaviour_network import CUBIC, ECN, L4S, VOICE, NetworkRow, far, flood, net, parts, ratio, tcp, within


def phenomena() -> list[NetworkRow]:
    """One row for each phenomenon, from the oldest reason for queue management to the newest."""
    return [
        lock_out(), synchronisation(), oscillation(), explicit_notification(), bufferbloat(), unresponsive(),
        isolation(), scalable_next_to_classic(),
    ]  # fmt: skip


def lock_out() -> NetworkRow:
    """Two transfers whose round trips differ by the time of one packet: arrivals fall into phase with departures."""
    near = tcp(1, "near", 'access_delay = "1 ms"')
    longer = tcp(1, "longer", 'access_delay = "1.6 ms"')
    tail = 'kind = "droptail"\nlimit = "15 pkts"'
    early = 'kind = "red"\nlimit = "15 pkts"\nmin_th = "3 pkts"\nmax_th = "9 pkts"\nmax_p = 0.1'
    drawn = 'access_delay = "even 1 ms to 11 ms"\n'
    return NetworkRow(
        "lock-out", "under tail drop one flow can keep another one out of the queue; drops chosen at random do not",
        "FJ92, RFC2309", "2 transfers, round trips 1.2 ms apart (one packet time), buffer of 15 packets",
        {"droptail": net(tail, near, longer).replace(drawn, ""), "red": net(early, near, longer).replace(drawn, "")},
        (
            parts("throughput_bps", "droptail", "longer", "near", 1.6, None),
            parts("throughput_bps", "red", "longer", "near", 0.6, 1.4),
        ),
    )  # fmt: skip


def slow_red(weight: float) -> str:
    """RED that drops firmly, with an average of this weight."""
    return (
        f'kind = "red"\nlimit = "200 pkts"\nmin_th = "20 pkts"\nmax_th = "60 pkts"\nmax_p = 0.5\nw_q = {weight}\n'
        'above_max = "gentle"'
    )


def together(queue: str) -> str:
    """Twenty transfers with one round trip of 174 ms."""
    return far(net(queue, tcp(20))).replace('"even 1 ms to 11 ms"', '"5 ms"')


def synchronisation() -> NetworkRow:
    """Windows that fall in the same round trips: measured by the variance of their sum."""
    return NetworkRow(
        "global synchronisation", "flows that lose in the same round trip halve together, and the link runs empty: "
        "under a RED whose average is late; under tail drop, often blamed for it, the flows take turns here",
        "FJ93, RFC2309", "20 transfers, one round trip of 174 ms",
        {"late": together(slow_red(0.0002)), "quick": together(slow_red(0.02)),
         "droptail": together('kind = "droptail"\nlimit = "40 pkts"')},
        (
            within("sync", "late", 0.1, None), within("sync", "quick", None, 0.1),
            within("sync", "droptail", None, 0.1), within("utilisation", "late", None, 85, "%"),
            within("utilisation", "quick", 92, None, "%"),
        ),
    )  # fmt: skip


def oscillation() -> NetworkRow:
    """The queue of a RED beyond its stability limit."""
    return NetworkRow(
        "oscillation of RED", "an average that is slow against the round trip, and drops that rise steeply with it, "
        "make queue and link swing between full and empty",
        "MGT00, HMTG01a", "20 transfers, round trips of 164 to 184 ms, max_p 0.5; w_q 0.0002 against 0.02",
        {"slow": far(net(slow_red(0.0002), tcp(20))), "quick": far(net(slow_red(0.02), tcp(20)))},
        (
            ratio("queue_pkts_sd", "slow", "quick", 1.8, None),
            within("utilisation", "slow", None, 88, "%"), within("utilisation", "quick", 92, None, "%"),
        ),
    )  # fmt: skip


def bufferbloat() -> NetworkRow:
    """A call together with transfers at a buffer of a second."""
    large, small, codel = (
        net(f'kind = "{kind}"\nlimit = "{limit} pkts"', tcp(4), VOICE)
        for kind, limit in (("droptail", 1000), ("droptail", 50), ("codel", 1000))
    )
    return NetworkRow(
        "bufferbloat", "transfers fill any buffer, and everybody waits for it; the same buffer is harmless under "
        "CoDel",
        "GN11, NJ12", "4 transfers and a call at 10 Mbit/s; buffers of 1000 and 50 packets",
        {"1000": large, "codel": codel, "50": small},
        (
            within("delay_ms_p95@voice", "1000", 600, None, "ms"),
            within("delay_ms_p95@voice", "codel", None, 60, "ms"),
            ratio("delay_ms_p95@voice", "1000", "50", 5, None),
        ),
    )  # fmt: skip


def explicit_notification() -> NetworkRow:
    """The same RED with and without ECN."""
    red = 'kind = "red"\nlimit = "200 pkts"\nmin_th = "20 pkts"\nmax_th = "60 pkts"\nmax_p = 0.1\nabove_max = "gentle"'
    return NetworkRow(
        "ECN", "marks do what drops do, without the loss: the same queue, and hardly a packet has to be sent "
        "again",
        "RFC2884, RFC3168", "20 transfers over RED with thresholds 20 and 60, with ECN and without",
        {
            "mark": net(f"{red}\n{ECN}", tcp(20, keys=ECN)),
            "drop": net(f"{red}\necn = false", tcp(20, keys="ecn = false")),
        },
        (
            ratio("loss", "mark", "drop", None, 0.25), within("loss", "drop", 1, None, "%"),
            ratio("queue_pkts_mean", "mark", "drop", 0.8, 1.25), within("utilisation", "mark", 98, None, "%"),
        ),
    )  # fmt: skip


def unresponsive() -> NetworkRow:
    """A flood that CoDel meets with a rate of drops that grows slowly."""
    return NetworkRow(
        "CoDel and an unresponsive flow", "its drops grow too slowly for a flow that does not respond, and the queue "
        "stays far above the target; the probability of PIE grows with the delay and holds it",
        "HTM18, RFC8033", "4 transfers, a flood of 12 Mbit/s, buffer of 1000 packets",
        {kind: net(f'kind = "{kind}"\nlimit = "1000 pkts"', tcp(4), flood(12)) for kind in ("codel", "pie")},
        (
            within("sojourn_ms_mean", "codel", 50, None, "ms"), within("sojourn_ms_mean", "pie", None, 25, "ms"),
        ),
    )  # fmt: skip


def isolation() -> NetworkRow:
    """A flood with a queue of its own, and in one queue with the others."""
    return NetworkRow(
        "isolation by fair queueing", "with a queue for each flow an unresponsive one harms itself alone: transfers "
        "keep their share, and a call its delay",
        "RFC8290", "8 transfers, a call, a flood of 12 Mbit/s, buffer of 1000 packets",
        {
            kind: net(f'kind = "{kind}"\nlimit = "1000 pkts"', tcp(8), VOICE, flood(12))
            for kind in ("fq_codel", "codel")
        },
        (
            within("throughput_bps@tcp", "fq_codel", 8, None, "Mbit/s"),
            within("throughput_bps@tcp", "codel", None, 2, "Mbit/s"),
            within("delay_ms_p95@voice", "fq_codel", None, 30, "ms"),
            within("flow_loss@voice", "codel", 10, None, "%"),
        ),
    )  # fmt: skip


def scalable_next_to_classic() -> NetworkRow:
    """A scalable and a classic flow, in one queue and in two coupled ones."""
    both = (tcp(1, "prague", L4S), tcp(1, "cubic", f"{CUBIC}\n{ECN}"))
    return NetworkRow(
        "L4S next to classic traffic", "in one queue that marks both, a scalable flow takes the link from a classic "
        "one and has its delay; two coupled queues share the link and keep the delay of the scalable one",
        "RFC9332", "one Prague and one CUBIC transfer at 40 Mbit/s, with ECN; the path alone takes 22 ms",
        {
            "one": net(f'kind = "codel"\n{ECN}', *both, mbit=40), "coupled": net('kind = "dualpi2"', *both, mbit=40),
        },
        (
            parts("throughput_bps", "one", "prague", "cubic", 4, None),
            parts("throughput_bps", "coupled", "prague", "cubic", 0.4, 2.5),
            within("delay_ms_mean@prague", "one", 25, None, "ms"),
            within("delay_ms_mean@prague", "coupled", None, 23.5, "ms"),
        ),
    )  # fmt: skip
