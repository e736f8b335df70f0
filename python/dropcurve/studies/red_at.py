"""Patel and Dalal: RED whose thresholds move (RED-AT), against RED and Adaptive RED, under more and more flows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import dropcurve.studies as st
from dropcurve import metrics
from dropcurve.results.series import Series
from dropcurve.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEXTS = st.texts("red-at")
SCHEMES = ("RED", "ARED", "RED-AT")
#: The paper's parameter: flows in all, three tenths of them web sessions.
COUNTS = (5, 10, 20, 40, 60, 80, 100)
LOW, HIGH = (10, 20, 40), (80, 100)
#: How ns-2 counts and decides; the paper's change was made to its RED. Above max_th every packet is dropped, as section
#: 4.1 of the paper prints.
NS2 = {"limit_test": "before", "idle_decay": "plus_one", "idle_from": "link_idle", "spacing": "wait",
       "counting": "spare_first", "min_queue": 2, "draws": "always", "above_max": "drop"}  # fmt: skip
RED = {"limit": "50 pkts", "min_th": "10 pkts", "max_th": "30 pkts", "max_p": 0.1, "w_q": 0.002,
       "mean_packet": "1000 B"}  # fmt: skip
#: Bounds of the moving thresholds: (least and most of min_th, least and most of max_th); the paper draws, but does not
#: number them.
BOUNDS = {"narrow": (8, 12, 28, 32), "ours": (5, 15, 25, 35), "wide": (2, 20, 22, 48)}
Change = Callable[[Scenario], Scenario]


def queue(base: Scenario, scheme: str, **keys: Any) -> Scenario:
    """One of the three disciplines, reconfigurable thresholds, Feng's Adaptive RED, or BLUE, which the paper prints
    under that name."""
    kinds: dict[str, dict[str, Any]] = {
        "RED": {"kind": "red", **RED, **NS2},
        "ARED": {"kind": "ared", "dialect": "ns2", **RED, "above_max": "drop"},
        "FENG": {"kind": "feng", **RED},
        "BLUE": {"kind": "blue", "limit": RED["limit"], "limit_test": "before"},
        "RED-AT": {"kind": "red_at", **RED, **NS2},
        "RTRED": {"kind": "rtred", **{key: RED[key] for key in ("limit", "max_p", "w_q")}, **NS2},
    }
    packet = {} if scheme == "BLUE" else {"mean_packet": base.get("queue.mean_packet")}
    return base.set("queue", kinds[scheme] | packet | keys)


def bounds(name: str) -> dict[str, str]:
    """The keys of RED-AT's bounds."""
    keys = ("min_low", "min_high", "max_low", "max_high")
    return {key: f"{value} pkts" for key, value in zip(keys, BOUNDS[name], strict=True)}


def network(change: Change, count: int) -> Scenario:
    """Returns a scenario with ``count`` flows in all over 10 Mbit/s."""
    base = change(Scenario.load("patel_red_at"))
    web = int(0.3 * count + 0.5)
    return base.edit([("flows.ftp.count", count - web), ("flows.web.count", web)])


def same(scenario: Scenario) -> Scenario:
    """The scenario unchanged."""
    return scenario


def cells(change: Change = same, *, ared: str = "ARED", above_max: str = "drop",
          keys: Mapping[str, Any] | None = None,
          moving: Mapping[str, Any] | None = None) -> dict[str, Scenario]:  # fmt: skip
    """Every scheme at every number of flows.

    Args:
        change: A change of the network.
        ared: The Adaptive RED to compare with, ``ARED`` (Floyd), ``FENG`` or ``BLUE``.
        above_max: What all three schemes do above max_th; BLUE has none.
        keys: Keys of RED and of RED-AT.
        moving: Keys of RED-AT alone.
    """
    above = {"above_max": above_max}
    kinds = {
        "RED": ("RED", above | dict(keys or {})),
        "ARED": (ared, {} if ared == "BLUE" else above),
        "RED-AT": ("RED-AT", above | dict(keys or {}) | dict(moving or {})),
    }
    return {f"{name} {n}": queue(network(change, n), kind, **more)
            for n in COUNTS for name, (kind, more) in kinds.items()}  # fmt: skip


def present(scenario: Scenario) -> Scenario:
    """CUBIC in 1500-byte packets over 100 Mbit/s; the queue holds as many packets."""
    tcp = {"count": 1, "profile": "rfc", "cc": "cubic", "start": "uniform 0 s to 5 s"}
    web = {"source": "http", "size": "pareto 17520 B shape 1.2", "think": "exponential 500 ms"}
    return scenario.edit({
        "flows.ftp": tcp, "flows.web": tcp | web, "dumbbell.rate": "100 Mbit/s",
        "dumbbell.access_rate": "1 Gbit/s", "run.duration": "30 s", "run.warmup": "10 s", "queue.mean_packet": "1500 B",
    }.items())  # fmt: skip


def edited(**keys: Any) -> Change:
    """A change of the bottleneck."""
    return lambda scenario: scenario.edit([(f"dumbbell.{key}", value) for key, value in keys.items()])


def alone(scenario: Scenario) -> Scenario:
    """The scenario with sources that send without end in place of web sessions."""
    return scenario.set("flows.web.source", "ftp")


#: Steps of the thresholds, alpha of the lower and beta of the upper. The paper wants alpha above beta.
ALPHAS, BETAS = (0.05, 0.2, 0.5, 1.0), (0.025, 0.1, 0.25, 0.5)
STEPS = tuple(zip(ALPHAS, BETAS, strict=True))
LOADS = (20, 80)


def steps() -> dict[str, Scenario]:
    """RED-AT over its steps and bounds, compared with RED, at two loads."""
    scenarios = {}
    for n in LOADS:
        base = network(same, n)
        scenarios[f"RED {n}"] = queue(base, "RED")
        settings = {(alpha, beta, name) for alpha, beta in STEPS for name in BOUNDS}
        settings |= {(alpha, beta, "ours") for alpha in ALPHAS for beta in BETAS if beta < alpha}
        scenarios |= {f"{alpha} {beta} {name} {n}": queue(base, "RED-AT", alpha=alpha, beta=beta, **bounds(name))
                  for alpha, beta, name in sorted(settings)}  # fmt: skip
    return scenarios


#: The readings of equation 4, by the option of `rtred`.
EQUATIONS = {"equation 4 as printed": "as_printed", "equation 4 as a prediction": "predicted_avg"}


def reconfigurable() -> dict[str, Scenario]:
    """Reconfigurable thresholds by both readings of equation 4, compared with RED, at two loads."""
    kinds = {name: ("RTRED", {"equation": value}) for name, value in EQUATIONS.items()} | {"RED": ("RED", {})}
    return {f"{name} {n}": queue(network(same, n), kind, **keys)
            for n in LOADS for name, (kind, keys) in kinds.items()}  # fmt: skip


def measure(run: dict[str, Any]) -> dict[str, float]:
    """The paper's numbers: throughput of the link, drop rate, jitter, how the queue and its average swing, and the
    share of drops that an average above max_th forces, in per cent."""
    names = ("utilisation", "loss", "queue_pkts_mean", "queue_pkts_sd", "avg_pkts_mean", "avg_pkts_sd", "ipdv_ms_mean",
             "sojourn_ms_mean", "goodput_bps", "jain")  # fmt: skip
    link = run["links"]["bottleneck"]
    seconds = run["simulated_s"] - run["warmup_s"]
    numbers = {name: metrics.value(run, name) or 0.0 for name in names}
    drops = [link[f"{kind}_pkts"] for kind in ("forced", "early", "overflow")]
    numbers["forced"] = 100 * drops[0] / max(1, sum(drops))
    return {"throughput_bps": 8 * link["departed_bytes"] / seconds} | numbers


def fewer_forced(x: st.Cells, *, n: int) -> st.Effect:
    """Share of drops that an average above max_th forces, RED-AT less RED, in points."""
    return x[f"RED-AT {n}"]["forced"] - x[f"RED {n}"]["forced"]


def more(label: str, number: str, one: str, other: str, *, above: float | None = None,
         below: float | None = None) -> st.Test:  # fmt: skip
    """A test on a number in one cell over that in another, in per cent."""
    return st.Test(
        f"{label}, {one} over {other}", st.more(number, one, other), above, below, "%", difference=True
    )


CLAIMS = (
    st.TestedClaim("A1", "figures 8 and 9",
                   "at N = 80 the queue and its average swing less with RED-AT than with RED", (
        more("deviation of the queue", "queue_pkts_sd", "RED-AT 80", "RED 80", below=-5),
        more("deviation of the average", "avg_pkts_sd", "RED-AT 80", "RED 80", below=-5))),
    st.TestedClaim("A2", "figures 8 and 9", "RED-AT keeps a slightly larger average queue than RED", (
        more("average queue", "avg_pkts_mean", "RED-AT 80", "RED 80", above=1, below=30),)),
    st.TestedClaim("A3", "figure 10", "RED-AT drops least; RED is like ARED at low and medium load and worse at high", (
        *(more("loss", "loss", f"RED-AT {n}", f"RED {n}", below=-2) for n in (20, 100)),
        *(more("loss", "loss", f"RED-AT {n}", f"ARED {n}", below=-2) for n in (20, 100)),
        *(more("loss", "loss", f"RED {n}", f"ARED {n}", above=-15, below=15) for n in LOW),
        more("loss", "loss", "RED 100", "ARED 100", above=5))),
    st.TestedClaim("A4", "figure 11",
             "RED-AT has the highest throughput; RED's falls sharply at high load, where ARED and RED-AT converge", (
        *(more("throughput", "throughput_bps", f"RED-AT {n}", f"RED {n}", above=0.2) for n in (20, 100)),
        more("throughput", "throughput_bps", "RED-AT 20", "ARED 20", above=0.2),
        more("throughput", "throughput_bps", "RED 100", "RED 20", below=-2),
        more("throughput", "throughput_bps", "RED-AT 100", "ARED 100", above=-1, below=1))),
    st.TestedClaim("A5", "figure 12",
             "RED has the highest jitter; RED-AT equals ARED at low and medium load and has less at high", (
        *(more("jitter", "ipdv_ms_mean", f"RED {n}", f"{other} {n}", above=2)
          for n in (20, 100) for other in ("ARED", "RED-AT")),
        *(more("jitter", "ipdv_ms_mean", f"RED-AT {n}", f"ARED {n}", above=-10, below=10) for n in LOW),
        more("jitter", "ipdv_ms_mean", "RED-AT 100", "ARED 100", below=-5))),
    st.TestedClaim("A6", "section 6.2", "RED-AT keeps its average away from max_th", tuple(
        st.Test(f"drops forced by an average above max_th, RED-AT {n} less RED {n}", partial(fewer_forced, n=n),
                below=-1, unit="points", difference=True) for n in (20, 100))),
)  # fmt: skip
PANELS = (("loss", "drop rate (%)", 1.0), ("throughput_bps", "throughput (Mbit/s)", 1e-6),
          ("ipdv_ms_mean", "jitter (ms)", 1.0), ("queue_pkts_sd", "deviation of the queue (pkts)", 1.0))  # fmt: skip


def over_load(x: st.Cells, width_in: float) -> Figure:
    """Figures 10 to 12, and how the queue swings."""
    panels = [
        st.Panel([st.line(name, [(float(n), x[f"{name} {n}"][number]) for n in COUNTS], look, scale=scale)
                  for look, name in enumerate(SCHEMES)], "number of flows", label, zero=number != "throughput_bps")
        for number, label, scale in PANELS
    ]  # fmt: skip
    return st.panels(panels, width_in, height_in=2.0)


def over_time(x: st.Cells, width_in: float) -> Figure:
    """Figures 8 and 9: the queue and the average at N = 80, thirty seconds of one run."""
    panels = []
    for name in ("RED 80", "RED-AT 80"):
        lines = [
            excerpt(x[name].series, "queue_pkts", "queue", 6),
            excerpt(x[name].series, "avg", "average", 1),
        ]
        panels.append(st.Panel(lines, "time (s)", "packets", name, top=50))
    return st.panels(panels, width_in, height_in=1.9)


def excerpt(series: Series, name: str, label: str, look: int) -> st.Line:
    """Thirty seconds of a series."""
    times, values = series.select(name, "bottleneck")
    keep = (times >= 60) & (times <= 90)
    return st.Line(label, times[keep].tolist(), values[keep].tolist(), look=look, markers=False)


def maps(x: st.Cells, width_in: float, *, number: str) -> Figure:
    """Maps of the change from RED to RED-AT in per cent, over alpha and beta and over both and the bounds."""
    panels = []
    for n in LOADS:

        def change(alpha: float, beta: float, name: str, n: int = n) -> float:
            cell = f"{alpha} {beta} {name} {n}"
            return st.gain(x[cell][number], x[f"RED {n}"][number]).value if cell in x else math.nan

        panels.append(
            st.Map(
                [[change(alpha, beta, "ours") for beta in BETAS] for alpha in ALPHAS],
                [f"{alpha:g}" for alpha in ALPHAS],
                [f"{beta:g}" for beta in BETAS],
                "beta",
                "alpha",
                f"bounds 5-15 and 25-35, N = {n}",
                middle=0.0,
            )
        )
        columns = [f"{name}\n{a}-{b}, {c}-{d}" for name, (a, b, c, d) in BOUNDS.items()]
        panels.append(st.Map([[change(alpha, beta, name) for name in BOUNDS] for alpha, beta in STEPS],
                           [f"{a:g}, {b:g}" for a, b in STEPS], columns, "bounds of min_th, max_th", "alpha, beta",
                           f"bounds, N = {n}", middle=0.0))  # fmt: skip
    return st.panels(panels, width_in, height_in=2.2)


def changed(x: st.Cells, number: str, n: int) -> dict[tuple[str, str, str], float]:
    """The change of a number from RED to RED-AT in per cent, by alpha, beta and bounds."""
    changes = {}
    for cell in x:
        parts = cell.split()
        if parts[-1] == str(n) and len(parts) == 4:
            changes[parts[0], parts[1], parts[2]] = st.gain(x[cell][number], x[f"RED {n}"][number]).value
    return changes


def stepped(x: st.Cells) -> str:
    """Text on the steps and bounds of RED-AT."""
    swing = changed(x, "queue_pkts_sd", 80)
    ours: dict[str, list[float]] = {}
    for (_, beta, name), change in swing.items():
        if name == "ours":
            ours.setdefault(beta, []).append(change)
    few = {number: changed(x, number, 20) for number in ("queue_pkts_sd", "loss")}
    ranges = {}
    for bound in ("narrow", "wide"):
        for number, short in (("queue_pkts_sd", "sd"), ("loss", "loss")):
            some = [change for (_, _, name), change in few[number].items() if name == bound]
            ranges[f"{bound}_{short}"] = f"{signed(min(some))} to {signed(max(some))}"
    ends = [find(swing, key=lambda one: swing[one]) for find in (min, max)]
    best, worst = (
        f"{alpha}, {beta}, {'{}-{} and {}-{}'.format(*BOUNDS[name])}" for alpha, beta, name in ends
    )
    return TEXTS["Steps text"][0].format(
        calmer=sum(change < 0 for change in swing.values()) or "none", all=len(swing), least=signed(swing[ends[0]]),
        best=best, most=signed(swing[ends[1]]), worst=worst,
        alpha=max(max(some) - min(some) for some in ours.values()), **ranges,
    )  # fmt: skip


def signed(percent: float) -> str:
    """A change in whole per cent with its sign."""
    return f"{percent:+.0f}".replace("-", "\u2212") if round(percent) else "0"


def table(x: st.Cells, counts: Sequence[int] = (20, 80, 100), names: Sequence[str] = SCHEMES) -> st.Table:
    """The numbers of some loads."""
    rows = [[f"{name}, N\u00a0=\u00a0{n}",
             *(st.shown(x[f"{name} {n}"][number], scale=scale) for number, _, scale in PANELS),
             st.shown(x[f"{name} {n}"]["avg_pkts_mean"]), st.shown(x[f"{name} {n}"]["avg_pkts_sd"])]
            for n in counts for name in names]  # fmt: skip
    return st.Table(
        ["queue", *(label for _, label, _ in PANELS), "average queue (pkts)", "its deviation (pkts)"], rows
    )


def equation(x: st.Cells) -> list[st.Block]:
    """Text and table on the readings of equation 4."""
    cells = {short: x[f"{name} 80"] for short, name in zip(("printed", "predicted", "red"), (*EQUATIONS, "RED"),
                                                             strict=True)}  # fmt: skip
    numbers = {short: st.shown(cell["avg_pkts_mean"]) for short, cell in cells.items()}
    numbers |= {f"{short}_loss": st.shown(cell["loss"]) for short, cell in cells.items()}
    names = [*EQUATIONS, "RED"]
    return [st.Text(TEXTS["Reconfigurable"][0].format(**numbers)), table(x, LOADS, names)]


def page(outcome: st.Outcome) -> st.Page:
    """Text, tables and figures of the page, besides verdicts and method."""
    x = outcome[outcome.main]
    swing = st.shown(st.more("queue_pkts_sd", "RED-AT 80", "RED 80")(x))
    lost = st.shown(st.more("loss", "RED-AT 80", "RED 80")(x))
    return st.Page(
        short=st.prose(f"""
            At N = 80 RED-AT changes the deviation of the queue by {swing} % and the drop rate by {lost} % against
            RED. How the thresholds move depends on numbers that the paper does not give; the maps below show a range
            of them.
            """),
        choices=TEXTS.choices("Choices"),
        results=[
            st.FigureBlock("load", "RED, ARED and RED-AT by load (figures 10 to 12)", "Bars are 95 % intervals.",
                       partial(over_load, x)),
            table(x),
            *([] if outcome.quick else [st.FigureBlock(
                "time", "The queue under RED and RED-AT, N = 80 (figures 8 and 9)", "Thirty seconds of one run.",
                partial(over_time, x))]),
        ],
        sensitivity=[] if "steps" not in outcome else [
            st.Text(stepped(outcome["steps"])),
            st.FigureBlock("steps-swing", "Deviation of the queue, RED-AT against RED (%)", "Blue: less than RED.",
                       partial(maps, outcome["steps"], number="queue_pkts_sd")),
            st.FigureBlock("steps-loss", "Drop rate, RED-AT against RED (%)", "Blue: less than RED.",
                       partial(maps, outcome["steps"], number="loss")),
        ],
        today=[] if "today" not in outcome else [
            *map(st.Text, TEXTS["Today"]),
            st.FigureBlock("today", "The same with CUBIC at 100 Mbit/s", "Bars are 95 % intervals.",
                       partial(over_load, outcome["today"]))],
        questions=[] if "rtred" not in outcome else equation(outcome["rtred"]),
        surprises=TEXTS["Surprises"],
        paper=TEXTS["Paper"][0], explained=st.explained("red-at"),
    )  # fmt: skip


STUDY = st.Study(
    name="red-at",
    informed=("A6",),
    title="RED with thresholds that move",
    source="Z. M. Patel and U. D. Dalal, *Enhancing Performance of Internetworking with Novel RED-AT "
    "Congestion Control Algorithm*, IJSER 2014",
    question="Do thresholds that follow the average steady the queue of RED, and what does that do for loss and "
    "jitter?",
    measure=measure,
    settings={
        "era": st.Setting("Floyd's ARED, alpha 0.2, beta 0.1", cells, kind="era"),
        "blue": st.Setting("BLUE, its figure 4, for ARED", lambda: cells(ared="BLUE")),
        "feng": st.Setting("Feng's ARED", lambda: cells(ared="FENG")),
        "narrow": st.Setting("narrow bounds", lambda: cells(moving=bounds("narrow"))),
        "wide": st.Setting("wide bounds", lambda: cells(moving=bounds("wide"))),
        "small": st.Setting("alpha 0.05, beta 0.025", lambda: cells(moving={"alpha": 0.05, "beta": 0.025})),
        "large": st.Setting("alpha 0.5, beta 0.25", lambda: cells(moving={"alpha": 0.5, "beta": 0.25})),
        "now": st.Setting("drops as in the 1993 paper, without waiting",
                          lambda: cells(keys={"spacing": "pseudocode"})),
        "gentle": st.Setting("gentle above max_th, all three", lambda: cells(above_max="gentle")),
        "fast": st.Setting("30 Mbit/s", lambda: cells(edited(rate="30 Mbit/s"))),
        "slow": st.Setting("5 Mbit/s", lambda: cells(edited(rate="5 Mbit/s"))),
        "short": st.Setting("bottleneck of 2 ms", lambda: cells(edited(delay="2 ms"))),
        "long": st.Setting("bottleneck of 80 ms", lambda: cells(edited(delay="80 ms"))),
        "access": st.Setting("access links of 1 to 80 ms", lambda: cells(edited(access_delay="even 1 ms to 80 ms"))),
        "ftp": st.Setting("long transfers alone", lambda: cells(alone)),
        "today": st.Setting("CUBIC, 100 Mbit/s", lambda: cells(present), kind="today"),
        "steps": st.Setting("over steps and bounds", steps, kind="choice", judged=False),
        "rtred": st.Setting("reconfigurable thresholds", reconfigurable, kind="question", judged=False),
    },
    claims=CLAIMS,
    page=page,
    tolerance={"loss": 0.02, "throughput_bps": 0.0, "ipdv_ms_mean": 0.0, "queue_pkts_sd": 0.0, "avg_pkts_sd": 0.0},
    floor="0.02 points of loss are two packets in ten thousand.",
    first=8,
    maximum=93,
    maximum_unprinted=12,
    decide=41,
    quick=("era", "today"),
    shorten=0.1,
    keep_series=frozenset({"RED 80", "RED-AT 80"}),
    printed_values=(),
)  # fmt: skip
