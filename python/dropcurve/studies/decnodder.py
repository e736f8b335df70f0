"""De Cnodder, Elloumi and Pauwels: how RED should count packets of different sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import dropcurve.studies as st
from dropcurve import metrics
from dropcurve.runs.tracing import Trace
from dropcurve.scenario import Scenario
from dropcurve.studies.red_sizes import DIALECTS, RIG, SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEXTS = st.texts("decnodder")
#: Groups of twenty flows, with their packets in bytes.
SIZES = {"large": 1500, "medium": 750, "small": 375}
VARIANTS = {"RED_1": "off", "RED_2": "red_2", "RED_3": "red_3", "RED_4": "red_4", "RED_5": "red_5"}
DELAYS, STACKS = (15, 80), {"Reno": "reno", "SACK": "sack1"}
#: How a packet's size counts towards the next drop, as a power; RED_2's count is of packets.
WEIGHTS = {"RED_1": 0, "RED_2": 0, "RED_3": 1, "RED_4": 1, "RED_5": 2}
Edits = Mapping[str, Any]
EVEN = "even 1 ms to 20 ms"
#: The small granularity of TCP's timer that section 4 of the paper speaks of; everywhere else it is 200 ms.
FINE = "10 ms"


def cells(edits: Edits | None = None, *, stacks: Sequence[str] = tuple(STACKS)) -> dict[str, Scenario]:
    """Every variant, delay and recovery of the paper."""
    base = Scenario.load("decnodder_packet_sizes").edit((edits or {}).items())
    return {
        f"{variant} {stack} {delay}": base.edit([
            ("queue.byte_mode", mode), ("dumbbell.delay", f"{delay} ms"),
            *((f"flows.{group}.recovery", STACKS[stack]) for group in SIZES),
        ])
        for variant, mode in VARIANTS.items() for stack in stacks for delay in DELAYS
    }  # fmt: skip


def era() -> dict[str, Scenario]:
    """The cells of the paper, and RED_1 and RED_5 once more with a fine timer in every flow."""
    fine = {f"flows.{group}.tick": FINE for group in SIZES}
    scenarios = cells(stacks=["Reno"])
    return cells() | {f"{name} fine": scenarios[name].edit(fine.items())
                      for name in (f"{variant} Reno {delay}" for variant in ("RED_1", "RED_5") for delay in DELAYS)
                      }  # fmt: skip


def today() -> dict[str, Scenario]:
    """CUBIC with SACK over 100 Mbit/s, the sizes those of the paper; thresholds are 6 and 18 ms of the link."""
    edits: dict[str, Any] = {"dumbbell.rate": "100 Mbit/s", "dumbbell.access_rate": "1 Gbit/s",
                             "run.duration": "20 s", "run.warmup": "5 s"}  # fmt: skip
    for group, size in SIZES.items():
        edits[f"flows.{group}"] = {"count": 20, "profile": "rfc", "cc": "cubic", "mss": f"{size - 40} B",
                                   "start": "uniform 0 s to 1 s"}  # fmt: skip
    base = Scenario.load("decnodder_packet_sizes").edit(edits.items())
    return {f"{variant} {stack} {delay}": base.edit({
                "queue.byte_mode": mode, "dumbbell.delay": f"{delay} ms",
                **{f"flows.{group}.recovery": {"Reno": "newreno", "SACK": "sack"}[stack] for group in SIZES}}.items())
            for variant, mode in VARIANTS.items() for stack in STACKS for delay in DELAYS}  # fmt: skip


#: The count that equation (1) of the paper needs: 0 at the first arrival.
EQUATION = {"queue.spacing": "text", "queue.counting": "between"}


def dialects() -> dict[str, Scenario]:
    """The paper's traffic over RED as routers and programs have it."""
    base = Scenario.load("decnodder_packet_sizes")
    return {name: base.set("queue", keys) for name, keys in DIALECTS.items()}


#: Mixes of today: packet sizes of the groups large, medium and small, in bytes a packet; "voice" is calls at a steady
#: rate.
MIXES: dict[str, tuple[int | str, ...]] = {
    "QUIC and voice": (1500, 1280, "voice"), "old tunnels": (1500, 1400, 576), "jumbo": (9000, 1500, 1280),
}  # fmt: skip
VOICE_BYTES = 120


def mix() -> dict[str, Scenario]:
    """Present-day mixes over 100 Mbit/s: transfers of QUIC and over IPv6's least size together with voice, of paths
    with tunnels, and with jumbo frames."""
    base = today()["RED_1 SACK 15"]
    flow = {"count": 20, "profile": "rfc", "cc": "cubic", "start": "uniform 0 s to 1 s"}
    voice: Edits = {"count": 20, "transport": "udp", "source": "cbr", "rate": "96 kbit/s", "packet": f"{VOICE_BYTES} B",
             "jitter": 0.2, "start": "uniform 0 s to 1 s"}  # fmt: skip
    scenarios: dict[str, Scenario] = {}
    for name, sizes in MIXES.items():
        groups = {f"flows.{group}": voice if isinstance(size, str) else flow | {"mss": f"{size - 40} B"}
                  for group, size in zip(SIZES, sizes, strict=True)}  # fmt: skip
        largest = dict.fromkeys(("queue.max_packet", "queue.mean_packet"), f"{sizes[0]} B")
        mixed = base.edit((groups | largest).items())
        scenarios |= {f"{name}: {it}": mixed.set("queue.byte_mode", mode) for it, mode in VARIANTS.items()}
    return scenarios


def rigs(start: str = "words") -> dict[str, st.Probe]:
    """Packets of all sizes in random order, a little more than the link carries, and a long queue that hardly moves: so
    p_b is steady, and the distance between drops follows from the variant alone. ``start`` is where RED_1 to RED_3
    count from.
    """
    sources = "".join(
        SOURCE.format(name=name, rate=18.2 * size / 1500, size=size) for name, size in SIZES.items()
    )
    return {
        f"spacing {variant}": st.Probe(
            Scenario.parse(RIG.format(variant=variant.lower(), start=start) + sources, name=variant),
            partial(spacing, variant),
        )
        for variant in VARIANTS
    }


def spacing(variant: str, trace: Trace) -> dict[str, float]:
    """How far the distances between drops, weighted by size and in units of 1/p_b, are from uniform: the greatest
    distance of the two distribution functions (Kolmogorov and Smirnov)."""
    sent, dropped = trace.rows("send"), trace.rows("drop")
    arrives = trace.time_ns[sent] + 1_000_000
    drops = np.searchsorted(arrives, trace.time_ns[dropped])
    weight = (trace.size_bytes[sent] / 1500.0) ** WEIGHTS[variant]
    so_far = np.cumsum(weight)
    times, p_b = trace.series.select("p_b", "bottleneck")
    when = trace.time_ns[dropped] / 1e9
    # A distance is a step of the sum; it is represented by its middle.
    place = (np.diff(so_far[drops]) - 0.5 * weight[drops[1:]]) * np.interp(when[1:], times, p_b)
    place = np.sort(place[when[1:] > trace.summary["warmup_s"]])
    even = (np.arange(len(place)) + 0.5) / len(place)
    bins, _ = np.histogram(place, bins=10, range=(0.0, 1.0))
    shares = {f"bin {i}": 100 * float(count) / len(place) for i, count in enumerate(bins)}
    return {"apart": 100 * float(np.abs(place - even).max()), "drops": float(len(place))} | shares


def measure(run: dict[str, Any]) -> dict[str, float]:
    """Goodput in Mbit/s, loss in per cent and timeouts of each size."""
    seconds = run["simulated_s"] - run["warmup_s"]
    numbers: dict[str, float] = {}
    for group, size in SIZES.items():
        flows = [flow for flow in run["flows"] if flow["group"] == group]
        numbers[f"good {size}"] = sum(flow["goodput_bytes"] for flow in flows) * 8e-6 / seconds
        sent = max(1, sum(flow["sent_pkts"] for flow in flows))
        numbers[f"loss {size}"] = 100 * sum(flow["dropped_pkts"] for flow in flows) / sent
        numbers[f"timeouts {size}"] = sum(flow.get("timeouts") or 0 for flow in flows)
    goodputs = [numbers[f"good {size}"] for size in SIZES.values()]
    numbers["jain"] = sum(goodputs) ** 2 / (3 * sum(good**2 for good in goodputs))
    numbers["loss"] = metrics.value(run, "loss") or 0.0
    return numbers


WHAT = {"good": "goodput", "loss": "loss"}


def sizes(cell: str, number: str, one: int, *, above: float, below: float | None = None) -> st.Test:
    """A test on a number of one size over that of packets half as large."""

    def effect(x: st.Cells) -> st.Effect:
        return x[cell][f"{number} {one}"] / x[cell][f"{number} {one // 2}"]

    return st.Test(f"{WHAT[number]} {one} over {one // 2}, {cell} ms", effect, above, below)


def test(label: str, number: str, cell: str, other: str, above: float | None = None, below: float | None = None
         ) -> st.Test:  # fmt: skip
    """A test on a number of one cell over that of another, in per cent."""
    return st.Test(label, st.more(number, cell, other), above, below, "%", difference=True)


def farther(variant: str, above: float | None = None, below: float | None = None) -> st.Test:
    """A test on fairness at the large delay less that at the small one."""
    far, near = (st.at(f"{variant} Reno {delay}", "jain") for delay in (80, 15))
    return st.Test(f"fairness over sizes, {variant}, 80 less 15 ms", lambda x: far(x) - near(x), above, below)


def collapse(x: st.Cells) -> st.Effect:
    """Share of the large packets' goodput that RED_2 leaves: large delay less small delay, in points."""
    far, near = (st.more("good 1500", f"RED_2 Reno {ms}", f"RED_1 Reno {ms}")(x) for ms in (80, 15))
    return far - near


def large(variant: str, delay_ms: int) -> st.Test:
    """A test that the largest packets are not starved: their goodput is at least nine tenths of the smallest ones'."""
    cell = f"{variant} Reno {delay_ms}"
    return st.Test(f"goodput 1500 over 375, {cell} ms", st.at(cell, "good 1500/good 375"), above=0.9)


def fairer(delay_ms: int) -> st.Test:
    """A test on fairness of RED_5 less that of RED_1, both with the fine timer."""
    five, one = (st.at(f"{variant} Reno {delay_ms} fine", "jain") for variant in ("RED_5", "RED_1"))
    return st.Test(f"fairness over sizes, RED_5 less RED_1, timer of {FINE}, {delay_ms} ms",
                   lambda x: five(x) - one(x), above=0.05)  # fmt: skip


def power(x: st.Cells, delay_ms: int) -> st.Effect:
    """Exponent of the packet size with which loss grows under RED_5."""
    return st.smooth(lambda ratio: math.log(ratio, 4), x[f"RED_5 Reno {delay_ms}"]["loss 1500/loss 375"])


UNEVEN = (("RED_1", None, 5), ("RED_4", None, 5), ("RED_5", None, 5), ("RED_2", 10, None))
CLAIMS = (
    st.TestedClaim("C1", "figures 2 and 4", "with RED_1 goodput doubles when the packet size doubles", tuple(
        sizes(f"RED_1 Reno {ms}", "good", one, above=1.7, below=2.3) for ms in DELAYS for one in (1500, 750))),
    st.TestedClaim("C2", "figures 2 and 3",
             "with RED_2 the largest packets lose near 14 %, goodput collapses, most at the small delay, with SACK", (
        st.Test("loss of 1500 bytes, RED_2 Reno 15 ms", st.at("RED_2 Reno 15", "loss 1500"),
                above=11, below=17, unit="%"),
        test("goodput of 1500 bytes, RED_2 over RED_1, Reno 15 ms",
             "good 1500", "RED_2 Reno 15", "RED_1 Reno 15", below=-50),
        test("the same, SACK 15 ms", "good 1500", "RED_2 SACK 15", "RED_1 SACK 15", below=-50),
        st.Test("the same, Reno, 80 less 15 ms", collapse, above=5, unit="points"),
        test("the same, RED_2, SACK over Reno, 15 ms", "good 1500", "RED_2 SACK 15", "RED_2 Reno 15", below=-5))),
    st.TestedClaim("C3", "figures 3 and 5", "SACK sees more loss than Reno", tuple(
        test(f"loss, SACK over Reno, {variant}, {ms} ms",
             "loss", f"{variant} SACK {ms}", f"{variant} Reno {ms}", above=2)
        for variant in ("RED_1", "RED_2") for ms in DELAYS)),
    st.TestedClaim("C4", "figures 6, 8, 10 and 12",
             "RED_3 and RED_4 are alike; loss doubles with the size; fair at the small delay, less so at the large", (
        *(test(f"{what} of 1500 bytes, RED_3 over RED_4, {ms} ms", f"{number} 1500", f"RED_3 Reno {ms}",
               f"RED_4 Reno {ms}", above=-10, below=10)
          for number, what in WHAT.items() for ms in DELAYS),
        *(sizes(f"{it} Reno {ms}", "loss", one, above=1.7, below=2.3)
          for it in ("RED_3", "RED_4") for ms in DELAYS for one in (1500, 750)),
        *(st.Test(f"fairness over sizes, {it}, 15 ms", st.at(f"{it} Reno 15", "jain"), above=0.95)
          for it in ("RED_3", "RED_4")), farther("RED_3", below=-0.01), farther("RED_4", below=-0.01))),
    st.TestedClaim("C5", "figures 6, 8, 10 and 12",
             "RED_5's loss grows with the square of the size, and it is fair, most at the large delay", (
        *(sizes(f"RED_5 Reno {ms}", "loss", one, above=3.2, below=4.8) for ms in DELAYS for one in (1500, 750)),
        st.Test("fairness over sizes, RED_5, 80 ms", st.at("RED_5 Reno 80", "jain"), above=0.95),
        farther("RED_5", above=0.01))),
    st.TestedClaim("C6", "equations 1, 2 and 4",
             "distances between drops are uniform for RED_1, and weighted by size for RED_4 and RED_5; not for RED_2",
             tuple(st.Test(f"distance from uniform, {one}", st.at(f"spacing {one}", "apart"), above, below, "points")
                   for one, above, below in UNEVEN)),
    st.TestedClaim("C7", "section 3.1", "RED_2 raises the timeouts of the largest packets considerably", tuple(
        st.Test(f"timeouts of 1500 bytes, RED_2 over RED_1, {stack} 15 ms",
                st.more("timeouts 1500", f"RED_2 {stack} 15", f"RED_1 {stack} 15"), above=50, unit="%")
        for stack in STACKS)),
    st.TestedClaim("C8", "section 5", "RED_1 loses small packets as often as large ones", tuple(
        st.Test(f"loss 375 over 1500, RED_1 Reno {ms} ms", st.at(f"RED_1 Reno {ms}", "loss 375/loss 1500"), 0.85, 1.15)
        for ms in DELAYS)),
    st.TestedClaim("C9", "section 4, figure 10", "with RED_3 and RED_4 goodput rises with the packet size", tuple(
        sizes(f"{it} Reno 80", "good", one, above=1.05) for it in ("RED_3", "RED_4") for one in (1500, 750))),
    st.TestedClaim("C10", "section 4", "with a small granularity of the timer RED_5 is far fairer than RED_1",
                   tuple(fairer(ms) for ms in DELAYS)),
    st.TestedClaim("C11", "sections 1 and 5",
                   "RED_3, RED_4 and RED_5 avoid RED_2's low goodput of large packets", tuple(
        large(it, ms) for it in ("RED_3", "RED_4", "RED_5") for ms in DELAYS)),
)  # fmt: skip


def bars(outcome: st.Outcome, width_in: float, *, setting: str, stack: str) -> Figure:
    """Goodput and loss of each size over the variants, at both delays."""
    cells_of = outcome[setting]
    panels = []
    for number, label in (("good", "goodput of twenty flows (Mbit/s)"), ("loss", "packets lost (%)")):
        for delay in DELAYS:
            lines = [
                st.line(f"{size} bytes", [(float(i), cells_of[f"{variant} {stack} {delay}"][f"{number} {size}"])
                                          for i, variant in enumerate(VARIANTS)], look)
                for look, size in enumerate(SIZES.values())
            ]  # fmt: skip
            panels.append(st.Panel(lines, "", label, f"{stack}, {delay} ms",
                                 ticks={float(i): name for i, name in enumerate(VARIANTS)}))  # fmt: skip
    return st.panels(panels, width_in)


def spaced(cells_of: st.Cells, width_in: float) -> Figure:
    """The distribution of distances between drops."""
    lines = [st.line(variant, [(5.0 + 10 * i, cells_of[f"spacing {variant}"][f"bin {i}"]) for i in range(10)], look)
             for look, variant in enumerate(VARIANTS)]  # fmt: skip
    panel = st.Panel(lines, "distance between drops, as the variant counts it (% of 1/p_b)", "share (%)",
                     levels=[(10.0, "uniform")])  # fmt: skip
    return st.panels([panel], width_in)


def evenness(x: st.Cells) -> str:
    """Text on the mixes of today: how evenly each variant shares, by Jain's index over the groups of transfers."""
    ratios = []
    for name, sizes in MIXES.items():
        kept = [number for number, size in zip(SIZES.values(), sizes, strict=True) if size != "voice"]
        medians = {}
        for variant in VARIANTS:
            goodputs = [x[f"{name}: {variant}"][f"good {number}"].value for number in kept]
            medians[variant] = sum(goodputs) ** 2 / (len(goodputs) * sum(good**2 for good in goodputs))
        first, last = max(medians, key=lambda one: medians[one]), min(medians, key=lambda one: medians[one])
        ratios.append(f"{name}: {first} {medians[first]:.3f}, {last} {medians[last]:.3f}")
    lost = {variant: x[f"QUIC and voice: {variant}"]["loss 375"].value for variant in VARIANTS}
    worst = max((variant for variant in VARIANTS if variant != "RED_1"), key=lambda one: lost[one])
    return TEXTS["Mix"][0].format(even="; ".join(ratios), red_1=lost["RED_1"], worst=worst, most=lost[worst])


def timed_out(x: st.Cells) -> str:
    """Text on the timeouts of the largest packets under RED_1 and RED_2, Reno at 15 ms, and how many come for the
    same goodput."""
    one, two = (x[f"{variant} Reno 15"] for variant in ("RED_1", "RED_2"))
    times = (two["timeouts 1500/good 1500"].value) / (one["timeouts 1500/good 1500"].value)
    return TEXTS["Timeouts"][0].format(one=st.shown(one["timeouts 1500"]), two=st.shown(two["timeouts 1500"]),
                                       times=times)  # fmt: skip


def table(
    cells_of: st.Cells, names: Sequence[str], head: str, sizes: Sequence[int] = tuple(SIZES.values())
) -> st.Table:
    """Goodput and loss by size; ``sizes`` are the headings of the columns."""
    rows = [[name, *(st.shown(cells_of[name][f"good {size}"]) for size in SIZES.values()),
             *(st.shown(cells_of[name][f"loss {size}"]) for size in SIZES.values())]
            for name in names]  # fmt: skip
    columns = [*(f"goodput {size} (Mbit/s)" for size in sizes), *(f"loss {size} (%)" for size in sizes)]
    return st.Table([head, *columns], rows)


def page(outcome: st.Outcome) -> st.Page:
    """Text, tables and figures of the page, in addition to verdicts and method."""
    main = outcome[outcome.main]
    return st.Page(
        short=st.prose(f"""
            How a RED queue counts sizes decides who gets the link. Ignoring them (RED_1) gives goodput in proportion to
            size; the byte mode proposed in 1993 (RED_2) reverses that and starves large packets, whose loss is
            {st.shown(main["RED_2 Reno 15"]["loss 1500"])} %; weighting at the end (RED_3, RED_4) gives each size about
            the same at the small delay, and weighting by the square (RED_5) at the large one.

            Under RED_5 loss grows with the power {st.shown(power(main, 15))} of the size at 15 ms and with the power
            {st.shown(power(main, 80))} at 80 ms, as the paper says. At 15 ms that is too much for large packets: they
            get {st.shown(main["RED_5 Reno 15"]["good 1500/good 375"])} times the goodput of the small ones, at 80 ms
            {st.shown(main["RED_5 Reno 80"]["good 1500/good 375"])} times.
            """),
        choices=TEXTS.choices("Choices"),
        results=[
            figure(outcome, "era-reno", outcome.main, "Reno"), figure(outcome, "era-sack", outcome.main, "SACK"),
            table(main, [f"{v} {s} {ms}" for ms in DELAYS for s in STACKS for v in VARIANTS], "variant, TCP, ms"),
            st.FigureBlock("spacing", "Distances between drops", SPACED, partial(spaced, main)),
        ],
        today=[] if "today" not in outcome else [
            *map(st.Text, TEXTS["Today"]), figure(outcome, "today", "today", "SACK"),
        ],
        questions=[] if "dialects" not in outcome else [
            *map(st.Text, TEXTS["Questions"]),
            table(outcome["dialects"], list(DIALECTS), "queue (Reno, 15 ms)"),
            st.Text(evenness(outcome["mix"])),
            *(table(outcome["mix"], [f"{name}: {variant}" for variant in VARIANTS], "mix and variant",
                    [size if isinstance(size, int) else VOICE_BYTES for size in sizes])
              for name, sizes in MIXES.items()),
        ],
        surprises=[*TEXTS["Surprises"], timed_out(main),
                   TEXTS["Square"][0].format(loss=st.shown(main["RED_5 Reno 15"]["loss 1500"]))],
        paper=TEXTS["Paper"][0], explained=st.explained("decnodder"),
    )  # fmt: skip


def figure(outcome: st.Outcome, name: str, setting: str, stack: str) -> st.FigureBlock:
    """The paper's four figures for one TCP in one."""
    see = "Each line is a packet size; bars are 95 % intervals."
    draw = partial(bars, outcome, setting=setting, stack=stack)
    return st.FigureBlock(name, f"Goodput and loss by packet size, {stack}", see, draw)


SPACED = "All sizes in random order, a queue that hardly moves, p_b steady. Uniform is flat at 10 %."

STUDY = st.Study(
    name="decnodder", title="RED and packets of different sizes",
    informed=("C11",),
    source="S. De Cnodder, O. Elloumi and K. Pauwels, *RED behavior with different packet sizes*, ISCC 2000",
    question="How should RED's drop probability depend on the size of a packet, so that no flow is starved?",
    measure=measure,
    settings={
        "era": st.Setting("50/150 of 400, max_p 0.1", era, kind="era", probes=rigs),
        "half": st.Setting("25/75 of 200 packets", partial(
            cells, {"queue.min_th": "25 pkts", "queue.max_th": "75 pkts", "queue.limit": "200 pkts"})),
        "twice": st.Setting("100/300 of 800 packets", partial(
            cells, {"queue.min_th": "100 pkts", "queue.max_th": "300 pkts", "queue.limit": "800 pkts"})),
        "p002": st.Setting("max_p 0.02", partial(cells, {"queue.max_p": 0.02})),
        "p05": st.Setting("max_p 0.5", partial(cells, {"queue.max_p": 0.5})),
        "w00005": st.Setting("w_q 0.0005", partial(cells, {"queue.w_q": 0.0005})),
        "w001": st.Setting("w_q 0.01", partial(cells, {"queue.w_q": 0.01})),
        "access": st.Setting("access links of 1 to 20 ms", partial(cells, {"dumbbell.access_delay": EVEN})),
        "count": st.Setting("count starts at 0, as equation 1 needs it", partial(cells, EQUATION),
                            probes=partial(rigs, "equation")),
        "wait": st.Setting("drops wait as in ns-2", partial(
            cells, {"queue.spacing": "wait", "queue.counting": "spare_first"})),
        "gentle": st.Setting("gentle above max_th", partial(cells, {"queue.above_max": "gentle"})),
        "today": st.Setting("CUBIC, 100 Mbit/s", today, kind="today", first=8, maximum=200),
        "dialects": st.Setting("RED as programs have it", dialects, kind="question", judged=False, first=8),
        "mix": st.Setting("packets of today", mix, kind="question", judged=False, first=8),
    },
    claims=CLAIMS, page=page,
    tolerance={f"good {size}": 0.1 for size in SIZES.values()} | {f"loss {size}": 0.02 for size in SIZES.values()},
    floor="0.1 Mbit/s for twenty flows are a third of a per cent of the link, 0.02 points of loss one packet in 5000.",
    first=16, maximum=140, maximum_unprinted=16, decide=140, quick=("era", "today"), shorten=0.25,
    printed_values=[st.PrintedValue("loss of the largest packets, RED_2 (%)", "section 3.1", 14.0,
                                    st.at("RED_2 Reno 15", "loss 1500"))],
)  # fmt: skip
