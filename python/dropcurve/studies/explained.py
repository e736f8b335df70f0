"""The explanatory figures of the papers as drawings of our own, and the place of every figure and table on the page."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..plot.panels import Line, Panel, network, panels
from .blocks import Block, FigureBlock
from .texts import texts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawing = Callable[[float], "Figure"]
Place = tuple[float, float]


def explained(name: str) -> list[Block]:
    """Returns the blocks of ``texts/NAME-explained.md``, with the drawings of this module that it names.

    Args:
        name: Name of the study.

    Returns:
        Paragraphs, tables and drawings in their order.

    Raises:
        UsageError: If there is no such file.
        KeyError: For a drawing that does not exist.

    Example:
        >>> blocks = explained("red-at")
    """
    drawings = {
        key: FigureBlock(f"explained-{key}", title, see, draw)
        for key, (title, see, draw) in DRAWINGS[name].items()
    }
    return texts(f"{name}-explained").blocks("Explained", drawings)


def _one(panel: Panel, width_in: float) -> Figure:
    return panels([panel], width_in, height_in=2.4)


def _steps(edges: Sequence[float], values: Sequence[float]) -> tuple[list[float], list[float]]:
    """A staircase: ``values`` between ``edges``."""
    x = [edge for pair in itertools.pairwise(edges) for edge in pair]
    return x, [value for value in values for _ in (0, 1)]


def dumbbell(left: Sequence[str], right: Sequence[str], bottleneck: str, side: str) -> Drawing:
    """Sources, two routers and sinks."""
    nodes: dict[str, Place] = {"R1": (1.0, 0.0), "R2": (2.2, 0.0)}
    links = [("R1", "R2", bottleneck)]
    for x, names, router in ((0.0, left, "R1"), (3.2, right, "R2")):
        for i, one in enumerate(names):
            nodes[one] = (x, (len(names) - 1) / 2 - i)
            links.append((one, router, side if i == 0 else ""))
    return partial(network, nodes, links)


def star(sources: Sequence[str]) -> Drawing:
    """Sources at a gateway with one link to the sink."""
    nodes: dict[str, Place] = {"gateway": (1.2, 0.0), "sink": (2.6, 0.0)}
    nodes |= {one: (0.0, (len(sources) - 1) / 2 - i) for i, one in enumerate(sources)}
    links = [("gateway", "sink", "10 Mbit/s, 5 ms")]
    links += [(one, "gateway", "10 Mbit/s, 1 to 5 ms" if i == 0 else "") for i, one in enumerate(sources)]
    return partial(network, nodes, links)


def dsilva_topology() -> Drawing:
    """The chain n0 to n4 with its sources."""
    nodes = {f"n{i}": (float(i), 0.0) for i in range(5)}
    nodes |= {"n5": (0.6, 1.0), "n8": (1.7, -1.0), "n6": (2.3, 1.0)}
    links = [("n0", "n1", "RTT"), ("n1", "n2", "bottleneck"), ("n2", "n3", "bottleneck"), ("n3", "n4", "RTT"),
             ("n5", "n1", "UDP"), ("n8", "n2", "TCP"), ("n6", "n2", "UDP")]  # fmt: skip
    return partial(network, nodes, links)


def classes(width_in: float) -> Figure:
    """TCP's share of two flows over F_r, with the bounds of the nine classes."""
    ratios = [0.1 * 1.06**i for i in range(70)]
    line = Line("", ratios, [100 / (1 + ratio) for ratio in ratios], markers=False)
    bounds = [(80.0, "very poor above"), (70.0, "poor above"), (60.0, "unsatisfactory above"),
              (51.0, "satisfactory above"), (49.0, ""), (40.0, "satisfactory above, unsatisfactory below"),
              (30.0, "poor below"), (20.0, "very poor below")]  # fmt: skip
    return _one(Panel([line], "F_r", "TCP's share of two flows (%)", log_x=True, levels=bounds), width_in)


def fred(width_in: float) -> Figure:
    """Factors of max_p and w_q over the six parts."""
    sixths = [i / 6 for i in range(7)]
    lines = [Line("max_p", *_steps(sixths, (1, 2, 4, 6, 8, 10)), look=0, markers=False),
             Line("w_q", *_steps(sixths, (1, 4, 8, 12, 16, 20)), look=1, markers=False)]  # fmt: skip
    return _one(Panel(lines, "place in the range of the six parts", "factor"), width_in)


def wtred(width_in: float) -> Figure:
    """WTRED's weight over the average, and its drops."""
    weight = Line("w_q", *_steps([0, 40, 70, 100], (0.003, 0.002, 0.001)), markers=False)
    drops = Line("p_b, max_p 0.1", [0, 40, 70, 70, 100], [0, 0, 0.1, 1, 1], look=1, markers=False)
    x = "average (% of the buffer)"
    return panels(
        [Panel([weight], x, "weight"), Panel([drops], x, "probability of a drop")], width_in, height_in=2.1
    )


def _sawtooth(after: Callable[[float], float]) -> tuple[list[float], list[float]]:
    """Windows by round trip: slow start to ssthresh, then one segment more each, a loss at 24."""
    window, ssthresh, windows_by_round = 1.0, 16.0, []
    for _ in range(70):
        windows_by_round.append(window)
        if window >= 24:
            ssthresh = window / 2
            window = after(window)
        else:
            window = min(2 * window, ssthresh) if window < ssthresh else window + 1
    return [float(i) for i in range(len(windows_by_round))], windows_by_round


def windows(width_in: float) -> Figure:
    """Tahoe begins again at one segment, Reno at half of the window."""
    lines = [Line("Tahoe", *_sawtooth(lambda _: 1.0), look=0, markers=False),
             Line("Reno", *_sawtooth(lambda window: window / 2), look=1, markers=False)]  # fmt: skip
    return _one(Panel(lines, "round trips", "cwnd (segments)"), width_in)


def vegas(width_in: float) -> Figure:
    """Figure of the change of Vegas's window over its packets in the queue, with alpha 1 and beta 3."""
    line = Line("", *_steps([0, 1, 3, 6], (1, 0, -1)), markers=False)
    return _one(
        Panel([line], "Diff (packets in the queue)", "change of cwnd a round trip", zero=False), width_in
    )


def filtered(samples: int) -> tuple[list[float], list[float]]:
    """A steady bandwidth of 1 through the filter of equation 3 with a = 0.9: as printed, and with the sum."""
    printed, right = [0.0], [0.0]
    for k in range(1, samples):
        before = 1.0 if k > 1 else 0.0
        printed.append(0.9 * printed[-1] + 0.05 * (1.0 - before))
        right.append(0.9 * right[-1] + 0.05 * (1.0 + before))
    return printed, right


def westwood(width_in: float) -> Figure:
    """The filter of equation 3 as printed, and as it is in MCGSW01."""
    printed, right = filtered(60)
    x = [float(i) for i in range(60)]
    lines = [Line("equation 3 as printed", x, printed, look=1, markers=False),
             Line("with the sum", x, right, look=0, markers=False)]  # fmt: skip
    panel = Panel(lines, "samples", "estimate of a bandwidth of 1", levels=[(1.0, "bandwidth")])
    return _one(panel, width_in)


def bounds(width_in: float) -> Figure:
    """RED's curve at the start and at the ends of the range over which RED-AT moves the thresholds."""
    lines = [Line(name, [0, low, high, high, 50], [0, 0, 0.1, 1, 1], look=look, markers=False)
             for look, (name, low, high) in enumerate((("both at their start", 10, 30), ("both up", 15, 35),
                                                       ("both down", 5, 25)))]  # fmt: skip
    return _one(Panel(lines, "average (pkts)", "probability of a drop", top=0.2), width_in)


def p_a(width_in: float) -> Figure:
    """p_a over arrivals since the last drop at p_b = 0.05, for packets of half the largest size alone.

    Each variant by its factors of p_b and p_a, its first count and the increment of the count at an arrival.
    """
    lines = []
    for look, (name, before, after, first, step) in enumerate(
        (
            ("RED_1", 1, 1, 1, 1),
            ("RED_2", 0.5, 1, 1, 1),
            ("RED_3", 1, 0.5, 1, 1),
            ("RED_4", 1, 0.5, 0, 0.5),
            ("RED_5", 1, 0.25, 0, 0.25),
        )
    ):
        p_b, x, y = 0.05 * before, [], []
        for i in range(21):
            left = 1 - (first + step * i) * p_b
            x.append(float(i))
            y.append(min(1.0, after * p_b / left) if left > 1e-9 else 1.0)
        lines.append(Line(name, x, y, look=look, markers=False))
    return _one(Panel(lines, "packets of M/2 since the last drop", "p_a at p_b = 0.05"), width_in)


_PAIRS = ["TFRC 1", "TFRC n", "TCP 1", "TCP n"]
#: For each study: title, caption, and drawing, by the name that its text uses.
DRAWINGS: Mapping[str, Mapping[str, tuple[str, str, Drawing]]] = {
    "hassan": {
        "topology": ("Topology (its figure 1)", "n flows of each kind; RED in both routers.",
                     dumbbell(_PAIRS, [f"{one} sink" for one in _PAIRS], "1.5 Mbit/s, 20 ms", "10 Mbit/s, 6 ms")),
        "classes": ("The classes over F_r",
                    "Above 1 TFRC has more; the classes are the same on either side. Excellent: from 49 to 51 %.",
                    classes),
    },
    "wtred": {
        "topology": ("Topology (its figure 12)", "Five FTP sources, one gateway, one sink.",
                     star([f"FTP {i}" for i in range(1, 6)])),
        "fred": ("FRED's steps", "max_p over the average, w_q over the queue above the warn threshold.", fred),
        "wtred": ("WTRED (its figure 13)", "Thresholds at 40 % and 70 % of the buffer.", wtred),
    },
    "red-at": {
        "windows": ("Windows of Tahoe and Reno (its figure 1)", "A loss whenever the window reaches 24.", windows),
        "vegas": ("Vegas (its figure 2), alpha 1 and beta 3", "Between the two the window is constant.", vegas),
        "westwood": ("The filter of equation 3", "As printed a steady bandwidth is filtered to zero.", westwood),
        "bounds": ("Bounds of the thresholds (its figure 5)", "Bounds of this study: 5 to 15 and 25 to 35.", bounds),
        "topology": ("Topology (its figure 7)", "70 FTP and 30 HTTP sources; the queue of R1 holds 50 packets.",
                     dumbbell(["S1", "S2", "Sn"], ["sink"], "R1-R2", "")),
    },
    "decnodder": {
        "topology": ("Topology (its figure 1)", "Twenty sources in each group.",
                     dumbbell(["1500 B", "750 B", "375 B"], [f"sink {i}" for i in (1, 2, 3)], "30 Mbit/s, 15 or 80 ms",
                              "")),
        "p_a": ("p_a of the five variants",
                "Packets of half the largest size alone, p_b steady. RED_2 lies under RED_4, from which it differs by "
                "a packet.", p_a),
    },
    "dsilva": {
        "topology": ("Topology", "n4 is the sink of all; n0, n1 and n8 send TCP, n5 and n6 UDP.", dsilva_topology()),
    },
}  # fmt: skip
