"""A drawing of the network: hosts, routers, links with rate and delay, the discipline under test.

Sizes are in the SVG's own units, of which a page shows about one for each pixel. Colours are the page's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ..plot import labels, view
from ..results import Result, Variant
from . import setup

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH = 760
BOX_W, BOX_H, GAP = 132, 40, 12
#: Larger graphs are listed, not drawn.
NODES = 10
#: Groups of flows drawn on each side; the others are counted.
GROUPS = 5


@dataclass(frozen=True)
class Box:
    """A group of flows at one side of the network."""

    title: str
    note: str


def svg(result: Result) -> Markup | None:
    """The drawing of the baseline's network; None if it is too large to draw."""
    from markupsafe import Markup

    if not result.variants or not result.variants[0].runs:
        return None
    variant = result.baseline
    scenario = variant.scenario
    if "dumbbell" in scenario:
        return Markup(_row(result, ["left", "right"], ["bottleneck"]))
    if "chain" in scenario:
        hops = int(scenario["chain"].get("hops", 2))
        if hops > 4:
            return None
        return Markup(
            _row(result, [f"r{i + 1}" for i in range(hops + 1)], [f"hop{i + 1}" for i in range(hops)])
        )
    if isinstance(scenario.get("links"), Mapping):
        drawn = _graph(variant)
        return Markup(drawn) if drawn else None
    return None


def _row(result: Result, routers: Sequence[str], links: Sequence[str]) -> str:
    """Routers in a row, sources and destinations at both ends."""
    variant = result.baseline
    left, right = _sides(variant)
    tall = max(len(left), len(right), 1) * (BOX_H + GAP) - GAP
    height = max(tall, 60) + 76
    middle = height / 2
    first, last = BOX_W + 96, WIDTH - BOX_W - 96
    step = (last - first) / max(1, len(routers) - 1)
    at = [first + i * step for i in range(len(routers))]
    parts = []
    for boxes, x, end in ((left, 0.0, at[0]), (right, float(WIDTH - BOX_W), at[-1])):
        parts += _side(boxes, x, end, middle)
    for i, link in enumerate(links):
        parts += _link(variant, link, at[i], at[i + 1], middle, lines=_queues(result, link))
    parts += [_router(x, middle, name) for x, name in zip(at, routers, strict=True)]
    summary = f"{len(left)} groups of flows share {setup.discipline(variant, links[0])} at {links[0]}"
    return _frame(height, parts, label=f"Topology: {summary}")


def _sides(variant: Variant) -> tuple[list[Box], list[Box]]:
    """Boxes at the left and at the right; groups that send right to left swap their labels."""
    left, right = [], []
    groups = [(k, g) for k, g in variant.scenario.get("flows", {}).items() if isinstance(g, Mapping)]
    for name, group in groups[:GROUPS]:
        count = int(group.get("count", 1))
        title = f"{count} × {labels.shorten(str(name), limit=13)}"
        ends = ["sends", "receives"]
        if group.get("reverse"):
            ends.reverse()
        kind = str(group.get("transport", "tcp")).upper()
        left.append(Box(title, f"{kind}, {ends[0]}"))
        right.append(Box(title, ends[1]))
    if len(groups) > GROUPS:
        more = Box(f"{len(groups) - GROUPS} more groups", "see the table")
        left.append(more)
        right.append(more)
    return left, right


def _side(boxes: Sequence[Box], x: float, end: float, middle: float) -> list[str]:
    top = middle - (len(boxes) * (BOX_H + GAP) - GAP) / 2
    parts = []
    for i, box in enumerate(boxes):
        y = top + i * (BOX_H + GAP)
        start = x + BOX_W if x < end else x
        centre = y + BOX_H / 2
        parts.append(f'<path class="wire" d="M{start:.1f} {centre:.1f}L{end:.1f} {middle:.1f}"/>')
        parts.append(f'<rect class="host" x="{x:.1f}" y="{y:.1f}" width="{BOX_W}" height="{BOX_H}" rx="6"/>')
        parts.append(_text(x + BOX_W / 2, y + 17, box.title, "strong"))
        parts.append(_text(x + BOX_W / 2, y + 32, box.note, "small"))
    return parts


def _link(variant: Variant, link: str, x1: float, x2: float, y: float, *, lines: Sequence[str]) -> list[str]:
    """A thick line with rate and delay above, the queue drawn at its start, disciplines below."""
    summary = variant.runs[0]["links"].get(link)
    wire = view.wire_of(variant, link)
    if summary:
        words = f"{setup.rate(summary.get('rate_bps'))}, {summary.get('delay_ms', 0):g} ms"
    else:
        words = f"{wire.get('rate', '')}, {wire.get('delay', '')}"
    parts = [f'<path class="trunk" d="M{x1:.1f} {y:.1f}L{x2:.1f} {y:.1f}"/>']
    parts += [
        f'<rect class="slot" x="{x1 + 24 + 7 * i:.1f}" y="{y - 9:.1f}" width="5" height="18" rx="1"/>'
        for i in range(5)
    ]
    centre = (x1 + x2) / 2
    parts.append(_text(centre, y - 18, words, "strong"))
    limit = max(12, int((x2 - x1) / 6.0))
    parts += [
        _text(centre, y + 28 + 15 * i, labels.shorten(line, limit=limit), "small")
        for i, line in enumerate(lines)
    ]
    return parts


def _queues(result: Result, link: str) -> list[str]:
    """Returns the queue of a link in one line, or "under test" where the variants differ."""
    names = list(dict.fromkeys(setup.discipline(variant, link) for variant in result.variants))
    if len(names) == 1:
        return names
    return ["queue under test:", *names] if len(names) <= 2 else [f"queue under test: {len(names)} kinds"]


def _graph(variant: Variant) -> str | None:
    """Any graph: nodes in columns by their distance from where the first link starts."""
    edges = [
        (name, str(link["from"]), str(link["to"]))
        for name, link in variant.scenario["links"].items()
        if isinstance(link, Mapping) and "from" in link and "to" in link
    ]
    nodes = list(dict.fromkeys(node for _, a, b in edges for node in (a, b)))
    if not edges or len(nodes) > NODES:
        return None
    column = _columns(nodes, edges)
    rows: dict[int, list[str]] = {}
    for node in nodes:
        rows.setdefault(column[node], []).append(node)
    height = max(len(members) for members in rows.values()) * 96 + 30
    last = max(max(rows), 1)
    place = {
        node: (50 + (WIDTH - 100) * x / last, height * (i + 0.5) / len(members))
        for x, members in rows.items()
        for i, node in enumerate(members)
    }
    parts = []
    for name, a, b in edges:
        (x1, y1), (x2, y2) = place[a], place[b]
        wire = view.wire_of(variant, name)
        parts.append(f'<path class="trunk" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>')
        parts.append(
            _text(
                (x1 + x2) / 2,
                (y1 + y2) / 2 - 8,
                f"{wire.get('rate', '')}, {wire.get('delay', '')}",
                "strong halo",
            )
        )
        parts.append(
            _text(
                (x1 + x2) / 2,
                (y1 + y2) / 2 + 17,
                labels.shorten(setup.discipline(variant, name), limit=24),
                "small halo",
            )
        )
    parts += [_router(x, y, node) for node, (x, y) in place.items()]
    return _frame(height, parts, label=f"Topology: {len(nodes)} nodes, {len(edges)} links")


def _columns(nodes: Sequence[str], edges: Sequence[tuple[str, str, str]]) -> dict[str, int]:
    """Distance of each node from the first, in links of either direction."""
    column_of = {nodes[0]: 0}
    waiting = [nodes[0]]
    while waiting:
        node = waiting.pop(0)
        for _, a, b in edges:
            for here, there in ((a, b), (b, a)):
                if here == node and there not in column_of:
                    column_of[there] = column_of[node] + 1
                    waiting.append(there)
    return {node: column_of.get(node, 0) for node in nodes}


def _router(x: float, y: float, name: str) -> str:
    words = _text(x, y + 4, labels.shorten(name, limit=9), "node")
    return f'<circle class="router" cx="{x:.1f}" cy="{y:.1f}" r="21"/>{words}'


def _text(x: float, y: float, words: Any, style: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(str(words))}</text>'


def _frame(height: float, parts: Sequence[str], *, label: str) -> str:
    body, escaped = "".join(parts), escape(label)
    box = f"0 0 {WIDTH} {height:.0f}"
    return f'<svg class="topology" role="img" aria-label="{escaped}" viewBox="{box}">{body}</svg>'
