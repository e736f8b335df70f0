"""The page of regrets: a table of the links, a figure of regret against runs for every optimiser."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from dropcurve.plot import style
from dropcurve.present.wrapping import wrap_markdown

from .contest import CONDITIONS, REPLICATIONS, Standing
from .outcome import LinkOutcome

FIGURE = "tuning-regret.svg"
#: Regret in points that an answer that breaks the bound is drawn at.
BROKEN = 30.0
#: Regret below which points are drawn at the foot of the figure.
LEAST = 0.01


def write(out: Path, outcomes: Sequence[LinkOutcome], limits: Sequence[str]) -> None:
    """Writes the page and its figure."""
    (out.parent / "figures").mkdir(parents=True, exist_ok=True)
    some = [one for one in outcomes if _names(one)]
    if some:
        (out.parent / "figures" / FIGURE).write_bytes(draw(some))
    out.write_text(wrap_markdown("\n".join(_page(outcomes, limits, bool(some))) + "\n"), encoding="utf-8")


def _page(outcomes: Sequence[LinkOutcome], limits: Sequence[str], figure: bool) -> Iterator[str]:
    points = sorted({one.points for one in outcomes})
    yield from f"""\
# How far an answer is from the best known

How much utilisation does `dropcurve tune` leave on the table? Written by `python -m validation.regret`; do not edit.

{len(outcomes)} links are drawn at random, of five kinds, with a bound on the p95 queueing delay and utilisation as the
objective. For each, `tune` answers under time limits; an exhaustive reference tries {points[0]} to {points[-1]} designs
of five disciplines. All answers and the six best of the reference are then held against each other
in {REPLICATIONS} replications of {CONDITIONS} conditions each that none of them was chosen on. *Regret* is the
utilisation of the best known design less that of the answer, in percentage points, paired, with a 95 % interval; the
best known is chosen on one half of the replications, and regret is measured on the other half. An answer *holds* if the
bound is kept in nineteen runs of twenty.
""".splitlines()
    yield ""
    yield "| time | answers that hold | regret, median | regret, worst of those that hold | wall time, median |"
    yield "|---|--:|--:|--:|--:|"
    for limit in limits:
        rows = [one.standings[f"tune {limit}"] for one in outcomes]
        able = [row for row in rows if row.holds]
        regrets = [row.regret.mean or 0.0 for row in able]
        wall = median(one.spent[limit]["wall"] for one in outcomes)
        yield (
            f"| {limit} | {len(able)} of {len(rows)} | {_signed(median(regrets)) if able else '–'} "
            f"| {_shown(max(able, key=lambda row: row.regret.mean or 0.0)) if able else '–'} | {wall:.0f} s |"
        )
    if figure:
        peers = sum(bool(_names(one)) for one in outcomes)
        yield from (
            "",
            f"![Regret of each optimiser against the share of the runs that tune took, {peers} links]"
            f"(figures/{FIGURE})",
            "",
            "Other optimisers search the same disciplines and ranges with as many runs as `tune` took by default "
            "(its validation included). Regret is the median over the links; an incumbent that does not hold the "
            f"bound counts as {BROKEN:g} points.",
        )
    yield from ("", "## The links", "", "| link | bound | time | answer | utilisation (%) | worst p95 / bound | holds |"
                " regret (points) |", "|---|---|---|---|--:|--:|---|--:|")  # fmt: skip
    for one in outcomes:
        for number, limit in enumerate(limits):
            row = one.standings[f"tune {limit}"]
            head = (one.link.title, one.link.goal.split(",")[0]) if number == 0 else ("", "")
            yield (
                f"| {head[0]} | {head[1]} | {limit} | `{row.queue.split(':')[0]}` | {row.objective:.2f} "
                f"| {row.worst:.2f} | {'yes' if row.holds else f'{100 * row.held:.0f} %'} | {_shown(row)} |"
            )


def draw(outcomes: Sequence[LinkOutcome]) -> bytes:
    """Median regret of every optimiser against the share of the runs."""
    with style.styled():
        figure = style.new_figure(style.PAGE_IN, 3.6)
        axes = figure.subplots()
        for number, (name, steps) in enumerate(_curves(outcomes).items()):
            shares = [100.0 * (step + 1) / len(steps) for step in range(len(steps))]
            values = [max(LEAST, value) for value in steps]
            axes.plot(shares, values, marker="o", markersize=4, color=style.PALETTE[number], label=name)
        axes.set_yscale("log")
        axes.set_xlabel("runs spent (% of those of tune)")
        axes.set_ylabel("regret, median over the links (points)")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3)
        style.arrange(figure)
        return style.to_bytes(figure, format="svg")


def _curves(outcomes: Sequence[LinkOutcome]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for name in _names(outcomes[0]):
        steps = [key for key in outcomes[0].standings if key.startswith(f"{name} ")]
        found[name] = [median(_cost(one.standings[step]) for one in outcomes) for step in steps]
    last = [key for key in outcomes[0].standings if key.startswith("tune ")][-1]
    found["dropcurve tune"] = [median(_cost(one.standings[last]) for one in outcomes)]
    return found


def _names(one: LinkOutcome) -> list[str]:
    """The peers in a contest: their standings are called ``NAME step/steps``."""
    keys = [key.rsplit(" ", 1)[0] for key in one.standings if "/" in key.rsplit(" ", 1)[-1]]
    return list(dict.fromkeys(keys))


def _cost(row: Standing) -> float:
    return max(0.0, row.regret.mean or 0.0) if row.holds else BROKEN


def _shown(row: Standing) -> str:
    return f"{_signed(row.regret.mean or 0.0)} ± {row.regret.half_width or math.nan:.2f}"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
