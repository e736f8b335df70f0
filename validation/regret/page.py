"""The page of regrets: a table of the links, a figure of regret against runs for every optimiser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from statistics import median

from dropcurve.metrics.statistics import PairedDifference
from dropcurve.plot import style
from dropcurve.present.wrapping import wrap_markdown
from dropcurve.quantities import wording
from dropcurve.scenario import library
from dropcurve.verdict import MARGIN_POINTS

from .confirm import CONDITIONS as CONFIRMED
from .confirm import FASTEST
from .contest import CONDITIONS, REPLICATIONS, Standing
from .outcome import LinkOutcome

FIGURE = "tuning-regret.svg"
#: Regret in points that an answer that breaks the bound is drawn at.
BROKEN = 30.0
#: Regret below which points are drawn at the foot of the figure.
LEAST = 0.01


def write(
    out: Path, outcomes: Sequence[LinkOutcome], limits: Sequence[str], others: Sequence[LinkOutcome] = ()
) -> None:
    """Writes the page and its figure; ``others`` are links with other objectives."""
    (out.parent / "figures").mkdir(parents=True, exist_ok=True)
    compared = [one for one in outcomes if one.courses]
    if compared:
        (out.parent / "figures" / FIGURE).write_bytes(draw(compared, limits[0]))
    out.write_text(
        wrap_markdown("\n".join([*_page(outcomes, limits, bool(compared)), *_others(others, limits)]) + "\n"),
        encoding="utf-8",
    )


def add_again(
    out: Path,
    outcomes: Sequence[LinkOutcome],
    limits: Sequence[str],
    heading: str,
    numbers: Sequence[int] = (),
) -> None:
    """Adds a section with a heading to a page, or replaces it: some of its links, its first ones unless they have
    ``numbers`` (from 1), answered again by a later version."""
    title = f"## {heading}"
    before, _, after = out.read_text(encoding="utf-8").partition(f"{title}\n")
    if after:
        after = "## " + after.partition("\n## ")[2]
    else:
        first, _, rest = before.partition("\n## ")
        before, after = f"{first}\n", f"## {rest}"
    section = wrap_markdown("\n".join([title, *_again(outcomes, limits, numbers), ""]))
    out.write_text(f"{before}{section}\n{after}", encoding="utf-8")


def _again(outcomes: Sequence[LinkOutcome], limits: Sequence[str], numbers: Sequence[int]) -> Iterator[str]:
    which = f"The first {wording.count(len(outcomes), 'link')}"
    if numbers:
        which = f"The link{'s' if len(numbers) > 1 else ''} {wording.listed([str(one) for one in sorted(numbers)])}"
    yield ""
    yield (
        f"{which} of the list below, answered again on "
        f"{date.today().isoformat()} by version {library.version()}, compared with a reference and conditions of that "
        "version. Sections without a date of their own are of the date above."
    )
    yield from _summary(outcomes, limits)
    yield from _links(outcomes, limits)


def _page(outcomes: Sequence[LinkOutcome], limits: Sequence[str], figure: bool) -> Iterator[str]:
    points = sorted({one.points for one in outcomes})
    kinds = wording.count(len({one.link.kind for one in outcomes}), "kind")
    yield from f"""\
# How far an answer is from the best known

How much utilisation does an answer of `dropcurve tune` lose? Written by `make regret`, that is
`python -m validation.regret --out docs/guide/tuning-regret.md --runs out/regret`; do not edit.

{wording.count(len(outcomes), "link")}, drawn at random, of {kinds}, have a bound on the p95 queueing delay, and
utilisation is the objective. For each, `tune` answers under time limits; an exhaustive reference covers a grid of at
least {points[0]} designs of five disciplines, each of its lines along the scale solved by bisection. All answers and
the six best of the reference are then compared in {REPLICATIONS} replications of {CONDITIONS} conditions
each that none of them was chosen on. *Regret* is the utilisation of the best known design less that of the answer, in
percentage points, paired, with a 95 % interval; the best known is chosen on one half of the replications, and regret is
measured on the other half. An answer *holds* if the bound is kept in nineteen runs of twenty.
""".splitlines()
    yield from _machine(outcomes)
    yield from _summary(outcomes, limits)
    if figure:
        compared = [one for one in outcomes if one.courses]
        shown = wording.count(len(compared), "link")
        most = max(runs for one in compared for course in one.courses.values() for runs in course)
        yield from (
            "",
            f"![Regret of each optimiser against its runs, {shown}](figures/{FIGURE})",
            "",
            f"On {shown} other optimisers search the same disciplines and ranges with up to {most} runs. Regret is the "
            "median over these links, of the incumbent after as many runs, over all searches; an incumbent that does "
            f"not hold the bound counts as {BROKEN:g} points. The last point of `tune` is its answer under "
            f"`--time {limits[0]}`, validation included.",
        )
    yield from _confirmed(outcomes)
    yield from ("", "## The links")
    yield from _links(outcomes, limits)


def _summary(outcomes: Sequence[LinkOutcome], limits: Sequence[str]) -> Iterator[str]:
    """The table of regrets by time limit."""
    yield ""
    yield (
        "| time | answers that hold | regret, median | regret, worst of those that hold | time taken, median "
        "| longest |"
    )
    yield "|---|--:|--:|--:|--:|--:|"
    for limit in limits:
        rows = [one.standings[f"tune {limit}"] for one in outcomes]
        able = [row for row in rows if row.holds]
        regrets = [row.regret.mean or 0.0 for row in able]
        taken = [one.spent[limit]["idle"] for one in outcomes]
        yield (
            f"| {limit} | {len(able)} of {len(rows)} | {_signed(median(regrets)) if able else '–'} "
            f"| {_shown(max(able, key=lambda row: row.regret.mean or 0.0)) if able else '–'} "
            f"| {median(taken):.0f} s | {max(taken):.0f} s |"
        )


def _links(outcomes: Sequence[LinkOutcome], limits: Sequence[str]) -> Iterator[str]:
    """The table of the answers, link by link."""
    yield from ("", "| link | bound | time | answer | utilisation (%) | worst p95 / bound | holds |"
                " regret (points) |", "|---|---|---|---|--:|--:|---|--:|")  # fmt: skip
    for one in outcomes:
        for number, limit in enumerate(limits):
            row = one.standings[f"tune {limit}"]
            head = (one.link.title, one.link.goal.split(",")[0]) if number == 0 else ("", "")
            yield (
                f"| {head[0]} | {head[1]} | {limit} | `{_design(row)}` | {row.objective:.2f} "
                f"| {row.worst:.2f} | {'yes' if row.holds else f'{100 * row.held:.0f} %'} | {_shown(row)} |"
            )


def _others(outcomes: Sequence[LinkOutcome], limits: Sequence[str]) -> Iterator[str]:
    """Links with other objectives."""
    if not outcomes:
        return
    yield from f"""
## Other objectives

{wording.count(len(outcomes), "link")} with goals of other kinds. Regret is in percentage points of an objective that is
a share, else in per cent of its value.

| link | goal | time | answer | objective | worst / bound | holds | regret |
|---|---|---|---|--:|--:|---|--:|""".splitlines()
    for one in outcomes:
        for number, limit in enumerate(limits):
            row = one.standings[f"tune {limit}"]
            head = (one.link.title, one.link.goal) if number == 0 else ("", "")
            yield (
                f"| {head[0]} | {head[1]} | {limit} | `{_design(row)}` | {row.objective:.4g} "
                f"| {f'{row.worst:.2f}' if row.worst else '–'} "
                f"| {'yes' if row.holds else f'{100 * row.held:.0f} %'} | {_shown(row)} |"
            )


def _machine(outcomes: Sequence[LinkOutcome]) -> Iterator[str]:
    """The time that a limit stands for."""
    spent = [one for outcome in outcomes for one in outcome.spent.values()]
    threads = sorted({round(one["threads"]) for one in spent})
    yield ""
    yield (
        f"`tune` had {' or '.join(map(str, threads))} thread{'' if threads == [1] else 's'}, and time is in processor "
        "seconds: what the answer takes on an idle machine with as many processors, whatever else this one did. "
        f"The answers are those of {date.today().isoformat()}."
    )


def _confirmed(outcomes: Sequence[LinkOutcome]) -> Iterator[str]:
    """Winners in ns-3."""
    confirmed = [(one.link, one.confirmed) for one in outcomes if one.confirmed is not None]
    if not confirmed:
        return
    held = sum(not one.beaten for _, one in confirmed)
    yield from f"""
## Winners in ns-3

The last answer of {len(confirmed)} of the {len(outcomes)} links, and rules that follow from the bound alone, run
with NewReno flows in ns-3 at {CONFIRMED} held-out conditions. These are the links that were drawn with Reno and have
at most {FASTEST / 1e6:g} Mbit/s: CUBIC of ns-3.37 is no reference, as six flows of it keep a delay of 100 ms over CoDel
with a target of 10 ms. An answer is *confirmed* if no rule that keeps the bound there, or whose delay is no longer
than that of the answer, is better there by more than {MARGIN_POINTS:g} points and the interval. ns-3 has another
implementation of TCP, and a packet more in its device: the worst delay may lie to either side of the bound.

**{held} of {len(confirmed)} winners are confirmed.**

| link | design | utilisation (%) | in ns-3 | worst p95 / bound | in ns-3 | ahead of the answer in ns-3 (points) |
|---|---|--:|--:|--:|--:|--:|""".splitlines()
    for link, one in confirmed:
        for number, row in enumerate(one.designs):
            yield (
                f"| {link.title if number == 0 else ''} | {row.name}{'' if number or not one.beaten else ' (beaten)'} "
                f"| {row.here:.2f} | {row.there:.2f} | {row.worst_here:.2f} | {row.worst_there:.2f} "
                f"| {'' if row.ahead is None else _difference(row.ahead)} |"
            )


def _difference(pair: PairedDifference) -> str:
    return _signed(pair.mean) + (f" ± {pair.half_width:.2f}" if pair.half_width is not None else "")


def draw(outcomes: Sequence[LinkOutcome], limit: str) -> bytes:
    """Median regret of every optimiser against its runs; of `tune` also that of its answer under a time limit."""
    with style.styled():
        figure = style.new_figure(style.PAGE_IN, 3.6)
        axes = figure.subplots()
        lines = curves(outcomes, limit)
        for number, (name, points) in enumerate(lines.items()):
            values = [max(LEAST, value) for value in points.values()]
            axes.plot(
                list(points), values, marker="o", markersize=4, color=style.PALETTE[number], label=name,
                linewidth=2.2 if number == 0 else 1.2, zorder=3 if number == 0 else 2,
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        places = sorted({runs for points in lines.values() for runs in points})
        axes.set_xticks(places, labels=[f"{runs}" for runs in places])
        axes.minorticks_off()
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("runs")
        axes.set_ylabel("regret, median over the links (points)")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3)
        style.arrange(figure)
        return style.to_bytes(figure, format="svg")


def curves(outcomes: Sequence[LinkOutcome], limit: str) -> dict[str, dict[int, float]]:
    """Median regret by optimiser and number of runs, over the links that had as many; that of the answer of `tune`
    under the time limit is at the median of its runs."""
    compared = [one for one in outcomes if one.courses]
    by_name: dict[str, dict[int, float]] = {}
    for name in compared[0].courses if compared else ():
        by_name[name] = {}
        for runs in sorted({runs for one in compared for runs in one.courses.get(name, {})}):
            rows = [one.standings[key] for one in compared if (key := one.courses.get(name, {}).get(runs))]
            if 2 * len(rows) > len(compared):
                by_name[name][runs] = median(map(_cost, rows))
    for points in list(by_name.values())[:1]:
        runs = round(median(one.spent[limit]["runs"] for one in compared))
        points[runs] = median(_cost(one.standings[f"tune {limit}"]) for one in compared)
    return by_name


def _cost(row: Standing) -> float:
    return max(0.0, row.regret.mean or 0.0) if row.holds else BROKEN


def _design(row: Standing) -> str:
    """The queue of an answer without its buffer and switches."""
    kind, _, settings = row.queue.partition(":")
    usual = ("ecn=", "above_max=", *(() if kind == "droptail" else ("limit=",)))
    moved = ", ".join(one for one in settings.split(",") if not one.startswith(usual))
    return f"{kind}: {moved or 'defaults'}"


def _shown(row: Standing) -> str:
    half = row.regret.half_width
    return _signed(row.regret.mean or 0.0) + (f" ± {half:.2f}" if half is not None else "")


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
