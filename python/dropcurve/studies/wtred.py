"""Hamadneh and others: RED with a weight that follows the average (WTRED), against RED and refined RED (FRED)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import dropcurve.studies as st
from dropcurve import metrics
from dropcurve.results.series import Series
from dropcurve.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEXTS = st.texts("wtred")
#: The weights of figures 8 to 11, and the eleven pairs of buffer and weight as we read table 4.
WEIGHTS = (0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1)
PAIRS = tuple((40 + 10 * i, round(0.001 + 0.0005 * i, 4)) for i in range(11))
#: The weights that the paper finds best.
RECOMMENDED = (0.001, 0.002, 0.003)
QUEUES = ("RED", "FRED", "WTRED")
#: How ns-2 counts and decides; the paper's changes were made to its RED.
NS2 = {"limit_test": "before", "idle_decay": "plus_one", "idle_from": "link_idle", "spacing": "wait",
       "counting": "spare_first", "min_queue": 2, "draws": "always"}  # fmt: skip
Change = Callable[[Scenario], Scenario]


def network(change: Change) -> Scenario:
    """Five Reno transfers over 10 Mbit/s."""
    return change(Scenario.load("hamadneh_red"))


def queue(base: Scenario, kind: str, size: int, weight: float, *, shares: bool, **keys: Any) -> Scenario:
    """Returns a scenario with one of the three disciplines in a buffer of ``size`` packets.

    ``shares`` puts the thresholds of RED and FRED at 40 % and 70 % of the buffer, where WTRED has its own.
    """
    low, high = (0.4 * size, 0.7 * size) if shares else (5.0, 15.0)
    common = {
        "limit": f"{size} pkts",
        "max_p": 0.1,
        "mean_packet": base.get("queue.mean_packet"),
        **NS2,
        **keys,
    }
    if kind == "WTRED":
        return base.set("queue", {"kind": "wtred", **common})
    name = {"RED": "red", "FRED": "fred_refined"}[kind]
    return base.set(
        "queue",
        {"kind": name, "min_th": f"{low:g} pkts", "max_th": f"{high:g} pkts", "w_q": weight, **common},
    )


def early_random(base: Scenario, size: int) -> Scenario:
    """Early random drop as table 1 has it: a packet of the queue, drawn at random, from half of the buffer on."""
    return base.set(
        "queue", {"kind": "erd", "limit": f"{size} pkts", "limit_test": "before", "victim": "random"}
    )


def cells(
    change: Change = lambda scenario: scenario,
    *,
    shares: bool = False,
    weight: float | None = None,
    **keys: Any,
) -> dict[str, Scenario]:
    """Every point of every figure; ``weight`` in place of those of table 4."""
    base = network(change)
    scenarios = {f"{kind} {size}": queue(base, kind, size, weight or read, shares=shares, **keys)
             for size, read in PAIRS for kind in QUEUES}  # fmt: skip
    scenarios |= {f"ERD {size}": early_random(base, size) for size, _ in (*PAIRS, (64, 0))}
    scenarios |= {
        f"w_q {weight}": queue(base, "RED", 64, weight, shares=shares, **keys) for weight in WEIGHTS
    }
    scenarios["tail drop 64"] = base.set("queue", {"kind": "droptail", "limit": "64 pkts", "dialect": "ns2"})
    scenarios["RED 64"] = queue(base, "RED", 64, 0.002, shares=shares, **keys)
    return scenarios


def edited(**keys: Any) -> Change:
    """A change of TCP's options."""
    return lambda scenario: scenario.edit([(f"flows.tcp.{key}", value) for key, value in keys.items()])


def present(scenario: Scenario) -> Scenario:
    """Five CUBIC transfers in 1500-byte packets over 100 Mbit/s."""
    tcp = {"count": 5, "profile": "rfc", "cc": "cubic", "start": "uniform 0 s to 1 s"}
    return scenario.edit({
        "flows.tcp": tcp, "dumbbell.rate": "100 Mbit/s", "dumbbell.access_rate": "1 Gbit/s", "run.duration": "30 s",
        "run.warmup": "10 s", "queue.mean_packet": "1500 B",
    }.items())  # fmt: skip


#: WTRED among others, thresholds the same shares of the buffer for all that have any.
OTHERS = ("WTRED", "RED", "ERD", "Adaptive RED", "CoDel, a share", "CoDel, 5 ms", "tail drop")
SIZES = (40, 60, 80, 100, 140)


def drain_ms(base: Scenario, size: int) -> float:
    """Returns how long the link needs for a number of packets."""
    packet, rate = (float(str(base.get(key)).split()[0]) for key in ("queue.mean_packet", "dumbbell.rate"))
    return size * packet * 8 / (rate * 1e3)


def others(change: Change = lambda scenario: scenario) -> dict[str, Scenario]:
    """Each at each buffer."""
    base = network(change)
    scenarios: dict[str, Scenario] = {}
    for size in SIZES:
        low, high = f"{0.4 * size:g} pkts", f"{0.7 * size:g} pkts"
        limit = {"limit": f"{size} pkts"}
        packet = {"mean_packet": base.get("queue.mean_packet")}
        scenarios |= {
            f"WTRED {size}": queue(base, "WTRED", size, 0.002, shares=True),
            f"RED {size}": queue(base, "RED", size, 0.002, shares=True),
            f"Adaptive RED {size}": base.set(
                "queue", {"kind": "ared", "dialect": "ns2", **limit, **packet, "min_th": low, "max_th": high}),
            f"CoDel, 5 ms {size}": base.set("queue", {"kind": "codel", "dialect": "rfc", **limit}),
            f"CoDel, a share {size}": base.set(
                "queue", {"kind": "codel", "dialect": "rfc", **limit, "target": f"{0.4 * drain_ms(base, size):.4g} ms"}
            ),
            f"ERD {size}": early_random(base, size),
            f"tail drop {size}": base.set("queue", {"kind": "droptail", **limit}),
        }  # fmt: skip
    return scenarios


def measure(run: dict[str, Any]) -> dict[str, float]:
    """The paper's four numbers, and the quantities of its first figures."""
    names = ("goodput_bps", "utilisation", "loss", "delay_ms_mean", "queue_pkts_mean", "queue_pkts_sd", "jain", "sync",
             "sojourn_ms_mean", "timeouts")  # fmt: skip
    measured = {name: metrics.value(run, name) for name in names}
    numbers = {name: float("nan") if value is None else value for name, value in measured.items()}
    if run["links"]["bottleneck"]["kind"] == "droptail":
        # One flow has the link and waits at its own access link, which is no faster: that shows nothing about the
        # queue.
        del numbers["delay_ms_mean"]
    return numbers | {"avg_pkts_sd": metrics.value(run, "avg_pkts_sd") or 0.0}


def overall(x: st.Cells, kind: str, number: str) -> st.Effect:
    """The mean of a number over the eleven pairs."""
    return st.average([x[f"{kind} {size}"][number] for size, _ in PAIRS])


def versus(
    number: str, kind: str, other: str, *, above: float | None = None, below: float | None = None
) -> st.Test:
    """A test on the mean over the pairs of one discipline over that of another."""
    return st.Test(f"{LABELS[number]}, {kind} over {other}, mean of the eleven",
                   lambda x: st.gain(overall(x, kind, number), overall(x, other, number)),
                   above, below, "%", difference=True)  # fmt: skip


def weights(number: str, one: float, other: float, *, above: float) -> st.Test:
    """A test on RED with one weight over another."""
    return st.Test(f"{LABELS[number]}, w_q {one} over {other}", st.more(number, f"w_q {one}", f"w_q {other}"),
                   above=above, unit="%", difference=True)  # fmt: skip


LABELS = {"goodput_bps": "throughput", "utilisation": "utilisation", "loss": "loss", "delay_ms_mean": "delay"}
CLAIMS = (
    st.TestedClaim("W1", "figures 8 to 11",
             "RED's throughput and utilisation are best for w_q from 0.001 to 0.003, at the price of delay", (
        *(weights(number, one, other, above=0.2) for number in ("goodput_bps", "utilisation")
          for one in RECOMMENDED for other in (0.005, 0.1)),
        *(weights("delay_ms_mean", one, 0.1, above=1) for one in RECOMMENDED))),
    st.TestedClaim("W2", "figures 14 and 17",
             "WTRED has the highest throughput and utilisation of RED, FRED and WTRED", tuple(
        versus(number, "WTRED", other, above=0.2)
        for number in ("goodput_bps", "utilisation") for other in ("RED", "FRED"))),
    st.TestedClaim("W3", "figures 14 to 17", "FRED has the lowest delay and the highest loss, and poor throughput", (
        versus("delay_ms_mean", "FRED", "RED", below=-1), versus("delay_ms_mean", "FRED", "WTRED", below=-1),
        versus("loss", "FRED", "RED", above=5), versus("loss", "FRED", "WTRED", above=5),
        versus("goodput_bps", "FRED", "RED", below=-0.2))),
    st.TestedClaim("W4", "figures 1 to 4",
             "tail drop with 64 packets: a full queue most of the time, lock-out, global synchronisation", (
        st.Test("mean queue, of 63 packets", lambda x: x["tail drop 64"]["queue_pkts_mean"] * (100 / 63),
                above=75, unit="%"),
        st.Test("fairness over flows", st.at("tail drop 64", "jain"), below=0.9),
        st.Test("synchronisation of the windows", st.at("tail drop 64", "sync"), above=0.25))),
    st.TestedClaim("W5", "figures 5 to 7",
             "RED keeps the average queue steadier than the actual one and avoids global synchronisation", (
        st.Test("deviation, average over actual queue", lambda x: st.gain(x["RED 64"]["avg_pkts_sd"],
                x["RED 64"]["queue_pkts_sd"]), below=-25, unit="%"),
        st.Test("synchronisation, RED less tail drop", lambda x: x["RED 64"]["sync"] - x["tail drop 64"]["sync"],
                below=-0.1))),
    st.TestedClaim("W6", "section 2, table 1",
             "early random drop solves the problems of tail drop: full queue, lock-out, global synchronisation", (
        st.Test("mean queue, of 63 packets", lambda x: x["ERD 64"]["queue_pkts_mean"] * (100 / 63), below=75, unit="%"),
        st.Test("fairness over flows", st.at("ERD 64", "jain"), above=0.9),
        st.Test("synchronisation of the windows", st.at("ERD 64", "sync"), below=0.25))),
)  # fmt: skip
WAIT = ("sojourn_ms_mean", "queueing delay (ms)", 1.0)
PANELS = (("goodput_bps", "throughput (Mbit/s)", 1e-6), ("loss", "packets lost (%)", 1.0),
          ("delay_ms_mean", "one-way delay (ms)", 1.0), ("utilisation", "link utilisation (%)", 1.0))  # fmt: skip


def over_weights(x: st.Cells, width_in: float) -> Figure:
    """Figures 8 to 11."""
    ticks = {0.001: "0.001", 0.003: "0.003", 0.01: "0.01", 0.03: "0.03", 0.1: "0.1"}
    panels = [st.Panel([st.line("RED", [(weight, x[f"w_q {weight}"][number]) for weight in WEIGHTS], scale=scale)],
                     "weight w_q", label, log_x=True, zero=False, ticks=ticks)
            for number, label, scale in PANELS]  # fmt: skip
    return st.panels(panels, width_in, height_in=1.9)


def over_sizes(x: st.Cells, kinds: Sequence[str], sizes: Sequence[int], width_in: float, *,
               wait: bool = False) -> Figure:  # fmt: skip
    """Figures 14 to 17: the four numbers over the buffer, ``wait`` in place of the whole delay."""
    panels = [
        st.Panel([st.line(kind, [(float(size), x[f"{kind} {size}"][number]) for size in sizes], look, scale=scale)
                  for look, kind in enumerate(kinds)], "buffer (pkts)", label, zero=False)
        for number, label, scale in (WAIT if wait and one[0] == "delay_ms_mean" else one for one in PANELS)
    ]  # fmt: skip
    return st.panels(panels, width_in, height_in=2.0)


def over_time(x: st.Cells, width_in: float) -> Figure:
    """Figures 1 to 7: the queue, the average and the windows of two flows over ten seconds."""
    panels = []
    for cell in ("tail drop 64", "RED 64"):
        series = x[cell].series
        queue_line = excerpt(series, "queue_pkts", "bottleneck", "queue", 6)
        average = (
            [excerpt(series, "avg", "bottleneck", "average", 1)] if series.has("avg", "bottleneck") else []
        )
        panels.append(st.Panel([queue_line, *average], "time (s)", "packets waiting", cell))
        windows = [
            excerpt(series, "cwnd", str(flow), f"window of flow {flow + 1}", flow) for flow in (0, 2, 4)
        ]
        panels.append(st.Panel(windows, "time (s)", "congestion window (segments)", cell))
    return st.panels(panels, width_in, height_in=1.9)


def excerpt(series: Series, name: str, component: str, label: str, look: int) -> st.Line:
    """Ten seconds of a series."""
    times, values = series.select(name, component)
    keep = (times >= 20) & (times <= 30)
    return st.Line(label, times[keep].tolist(), values[keep].tolist(), look=look, markers=False)


def gained(x: st.Cells) -> st.Effect:
    """WTRED's throughput over RED's, mean of the eleven pairs, in per cent."""
    return st.gain(overall(x, "WTRED", "goodput_bps"), overall(x, "RED", "goodput_bps"))


def page(outcome: st.Outcome) -> st.Page:
    """Text, tables and figures of the page, besides verdicts and method."""
    x = outcome[outcome.main]
    won = gained(x)
    waits = [st.shown(overall(x, kind, "sojourn_ms_mean")) for kind in ("WTRED", "RED")]
    rest = (
        f": if RED has the same, {st.shown(gained(outcome['shares']))} % is left"
        if "shares" in outcome
        else ""
    )
    return st.Page(
        short=st.prose(f"""
            WTRED gets {st.shown(won)} % more throughput than RED with thresholds of 5 and 15, and packets wait
            {waits[0]} ms instead of {waits[1]}. The gain comes from its thresholds, at 40 % and 70 % of
            the buffer{rest}.
            """),
        choices=TEXTS.choices("Choices"),
        results=[
            st.FigureBlock("weights", "RED by its weight (figures 8 to 11)", "Buffer 64, thresholds 5 and 15.",
                       partial(over_weights, x)),
            st.FigureBlock("sizes", "RED, FRED, WTRED (figures 14 to 17) and ERD",
                           "Each point is one of the eleven pairs.",
                       partial(over_sizes, x, (*QUEUES, "ERD"), [size for size, _ in PAIRS])),
            table(x),
            *([] if outcome.quick else [st.FigureBlock(
                "time", "Tail drop and RED over time (figures 1 to 7)", "Ten seconds of one run.",
                partial(over_time, x))]),
        ],
        today=[] if "today" not in outcome else [
            *map(st.Text, TEXTS["Today"]),
            st.FigureBlock("today", "RED, FRED and WTRED at 100 Mbit/s", "CUBIC.",
                       partial(over_sizes, outcome["today"], QUEUES, [size for size, _ in PAIRS]))],
        questions=[] if "others" not in outcome else [
            st.Text(among_others(outcome["others"])),
            st.FigureBlock("others", "WTRED among others", "Era of the paper.",
                       partial(over_sizes, outcome["others"], OTHERS, SIZES, wait=True)),
            st.FigureBlock("others-today", "The same with CUBIC at 100 Mbit/s", "Today.",
                       partial(over_sizes, outcome["others today"], OTHERS, SIZES, wait=True))],
        surprises=surprises(outcome),
        paper=TEXTS["Paper"][0], explained=st.explained("wtred"),
    )  # fmt: skip


def among_others(x: st.Cells) -> str:
    """Text on WTRED among others, with its distance from RED over the buffers of the era."""
    ends: dict[str, str] = {}
    for number, name in (("goodput_bps", ""), ("sojourn_ms_mean", "wait_")):
        gains = [st.gain(x[f"WTRED {size}"][number], x[f"RED {size}"][number]).value for size in SIZES]
        signed = [f"{gain:.1f}".replace("-", "\u2212") for gain in (min(gains), max(gains))]
        ends |= {f"{name}least": signed[0], f"{name}most": signed[1]}
    return TEXTS["Question"][0].format(**ends)


def surprises(outcome: st.Outcome) -> list[str]:
    """Texts on surprising results, with their numbers; none in the quick form, which lacks the settings compared."""
    if "shares" not in outcome or "jitter" not in outcome:
        return []
    x, alike, spread = (outcome[name] for name in (outcome.main, "shares", "jitter"))
    full, less = (one["tail drop 64"]["queue_pkts_mean"] * (100 / 63) for one in (x, spread))
    together = sum(outcome.verdict("W4", name) == st.HOLDS for name in outcome.findings)
    cost = st.gain(overall(x, "FRED", "goodput_bps"), overall(x, "RED", "goodput_bps")) * -1.0
    return [text.format(
        own=st.shown(gained(x)), same=st.shown(gained(alike)), alone=st.shown(x["tail drop 64"]["jain"]),
        jain=st.shown(spread["tail drop 64"]["jain"]), full=st.shown(full), less=st.shown(less),
        together=together or "none", cost=st.shown(cost),
    ) for text in TEXTS["Surprises"]]  # fmt: skip


def table(x: st.Cells) -> st.Table:
    """Means over the eleven pairs."""
    rows = [[kind, *(st.shown(overall(x, kind, number), scale=scale) for number, _, scale in PANELS),
             st.shown(overall(x, kind, "sojourn_ms_mean"))] for kind in (*QUEUES, "ERD")]  # fmt: skip
    return st.Table(["queue", *(label for _, label, _ in PANELS), "queueing delay (ms)"], rows,
                    caption="Means over the eleven pairs of buffer and weight")  # fmt: skip


def tolerance(loss_points: float) -> dict[str, float]:
    """Numbers of the figures that decide how often a cell runs."""
    return {"goodput_bps": 0.0, "loss": loss_points, "utilisation": 0.0, "sojourn_ms_mean": 0.0}


#: Numbers of the claims on windows.
WINDOWS = {"delay_ms_mean": 0.0, "sync": 0.02, "jain": 0.0}
STUDY = st.Study(
    name="wtred",
    title="RED with a weight that follows the average",
    source="N. Hamadneh, D. Murray, M. Dixon and P. Cole, *Dynamic Weight Parameter for the "
    "Random Early Detection (RED) in TCP Networks* (Murdoch University)",
    question="Does a weight that depends on the average, with thresholds at shares of the buffer, make RED better?",
    measure=measure,
    settings={
        "era": st.Setting("thresholds of RED and FRED 5/15, ns-2 of 2000", cells, kind="era"),
        "shares": st.Setting("thresholds at 40 % and 70 % for all", lambda: cells(shares=True)),
        "p002": st.Setting("max_p 0.02", lambda: cells(max_p=0.02)),
        "p05": st.Setting("max_p 0.5", lambda: cells(max_p=0.5)),
        "weight": st.Setting("w_q 0.002 in every pair of table 4", lambda: cells(weight=0.002)),
        "window": st.Setting("window 20", lambda: cells(edited(window=20))),
        "jitter": st.Setting("random delay of a packet time at the senders",
                             lambda: cells(edited(overhead="0.44 ms"))),
        "paper": st.Setting("drops as in the 1993 paper, without waiting",
                            lambda: cells(spacing="pseudocode")),
        "today": st.Setting("CUBIC, 100 Mbit/s", lambda: cells(present), kind="today",
                            tolerance=tolerance(0.005) | WINDOWS),
        "others": st.Setting("against Adaptive RED and CoDel", others, "question", judged=False,
                            tolerance=tolerance(0.05)),
        "others today": st.Setting("the same today", lambda: others(present), "question", judged=False,
                                   tolerance=tolerance(0.005)),
    },
    claims=CLAIMS,
    page=page,
    tolerance=tolerance(0.05) | WINDOWS,
    floor="That is a twentieth of what RED loses in either, and synchronisation runs from 0 to 1.",
    first=10,
    maximum=93,
    maximum_unprinted=10,
    decide=93,
    quick=("era", "today"),
    shorten=0.1,
    keep_series=frozenset({"tail drop 64", "RED 64"}),
    printed_values=(),
)  # fmt: skip
