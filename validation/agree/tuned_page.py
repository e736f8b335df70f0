"""Writes the page of `tuned`: margins in both simulators, link by link, and a figure of them.

    python -m validation.agree.tuned_page --out docs/guide/tuning-ns2.md [LINK...]

Each margin has a 95 % interval. All links of `CASES` are tuned unless some are named by number.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from dropcurve.metrics.statistics import Interval
from dropcurve.plot import style
from dropcurve.present.wrapping import wrap_markdown

from .tuned import CASES, CONDITIONS, REPLICATIONS, RUNS, TunedOutcome, solve

FIGURE = "tuning-ns2.svg"


def write(out: Path, outcomes: Sequence[TunedOutcome]) -> None:
    """Writes the page and its figure."""
    (out.parent / "figures").mkdir(parents=True, exist_ok=True)
    (out.parent / "figures" / FIGURE).write_bytes(draw(outcomes))
    out.write_text(wrap_markdown("\n".join(_page(outcomes)) + "\n"), encoding="utf-8")


def _page(outcomes: Sequence[TunedOutcome]) -> Iterator[str]:
    margins = [line for one in outcomes for line in one.lines[1:]]
    real = [line for line in margins if _sure(line.here.margin)]
    both = [line for line in real if _sure(line.there.margin)]
    lost = [line for line in margins if _sure(line.there.margin, below=True)]
    yield from f"""\
# Tuned RED in ns-2

Does what `dropcurve tune` gains also show in ns-2.35? Written by `python -m validation.agree.tuned_page`; do not edit.

For each link RED (dialect `ns2_explicit`, gentle) is tuned with {RUNS} runs for long flows that send as ns-2's `Sack1`
(profile `ns2-2.35`). The goal is one number, so that a margin over any other design is one too: utilisation in per
cent, less 0.6 points for every packet that waits in the mean. Then the recommendation and its rivals are run at fresh
conditions under fresh seeds, here and in ns-2: {REPLICATIONS} replications of {CONDITIONS} conditions each, stratified
over the ranges, the same conditions for all. A margin is the recommendation's goal less the rival's, paired by
condition, with a 95 % interval over replications. Each link names the build of the core that ran it.

**{len(real)} of {len(margins)} margins are real and positive here, and {len(both)} of these {len(real)} are in ns-2
too; in {len(lost)} of {len(margins)} a rival is really better there.**

![Margins of the recommendation over each rival, here and in ns-2](figures/{FIGURE})
""".splitlines()
    for one in outcomes:
        yield from _section(one)


def _section(outcome: TunedOutcome) -> Iterator[str]:
    params = outcome.best.params
    law = ", ".join(f"{name} {params[name]}" for name in ("min_th", "max_th", "max_p", "w_q"))
    yield from (
        "",
        f"## {outcome.case.title}",
        "",
        f"Goal: `{outcome.case.goal}`. Recommended after {outcome.tried} settings: {law}. Build {outcome.build}.",
        "",
        "| | utilisation here (%) | in ns-2 | mean delay here (ms) | in ns-2 | margin here (points) | in ns-2 |",
        "|---|--:|--:|--:|--:|--:|--:|",
    )
    for line in outcome.lines:
        cells = [
            _shown(line.here.utilisation), _shown(line.there.utilisation), _shown(line.here.delay_ms),
            _shown(line.there.delay_ms), _shown(line.here.margin, signed=True), _shown(line.there.margin, signed=True),
        ]  # fmt: skip
        yield f"| {line.name} | " + " | ".join(cells) + " |"


def _sure(interval: Interval | None, *, below: bool = False) -> bool:
    """Whether an interval lies above 0, or below."""
    if interval is None or interval.mean is None or interval.half_width is None:
        return False
    return interval.mean + interval.half_width < 0 if below else interval.mean - interval.half_width > 0


def _shown(interval: Interval | None, *, signed: bool = False) -> str:
    if interval is None or interval.mean is None:
        return ""
    text = f"{interval.mean:+.2f}" if signed else f"{interval.mean:.2f}"
    return f"{text} ± {interval.half_width or 0.0:.2f}".replace("-", "−")


def draw(outcomes: Sequence[TunedOutcome]) -> bytes:
    """Margins with their intervals: a panel for each link, a row for each rival."""
    with style.styled():
        rows = -(-len(outcomes) // 2)
        figure = style.new_figure(style.PAGE_IN, 0.5 + 1.75 * rows)
        axes = figure.subplots(rows, 2, squeeze=False)
        for ax in axes.flat[len(outcomes) :]:
            ax.set_visible(False)
        for ax, one in zip(axes.flat, outcomes, strict=False):
            names = [line.name for line in one.lines[1:]]
            for shift, colour, marker, which in ((0.14, 0, "o", "here"), (-0.14, 1, "s", "there")):
                for place, line in enumerate(reversed(one.lines[1:])):
                    margin = getattr(line, which).margin
                    ax.errorbar(
                        margin.mean, place + shift, xerr=margin.half_width, fmt=marker, markersize=4,
                        color=style.PALETTE[colour], capsize=2,
                        label=("dropcurve" if which == "here" else "ns-2.35") if place == 0 else None,
                    )  # fmt: skip
            ax.axvline(0, color=style.RULE, linewidth=0.8)
            ax.set_xscale("symlog", linthresh=5)
            sides = [side for line in one.lines[1:] for side in (line.here.margin, line.there.margin)]
            means = [side.mean or 0.0 for side in sides if side]
            low = min((side.mean or 0.0) - (side.half_width or 0.0) for side in sides if side)
            ax.set_xlim(min(-2.0, low - 0.5), 1.6 * max(means))
            ax.set_xticks([-2, 0, 2, 5, 10, 20, 50, 100], ["−2", "0", "2", "5", "10", "20", "50", "100"])
            ax.minorticks_off()
            ax.set_yticks(range(len(names)), names[::-1])
            ax.set_ylim(-0.6, len(names) - 0.4)
            ax.set_title(one.case.title.split(", buffer")[0].replace("round trip ", ""), fontsize=8)
            ax.set_xlabel("margin of the recommendation (points)")
        figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
        style.arrange(figure)
        return style.to_bytes(figure, format="svg")


def main() -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.agree.tuned_page", description=__doc__.split("\n")[0]
    )
    parser.add_argument("cases", nargs="*", type=int, help="which links, from 1 (default: all)")
    parser.add_argument(
        "--out", type=Path, required=True, help="page to write; its figure goes into figures/ next to it"
    )
    parser.add_argument("--runs", type=Path, help="folder for the runs, to resume from after an interruption")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory() as scratch:
        for number in options.cases or range(1, len(CASES) + 1):
            case = CASES[number - 1]
            sys.stderr.write(f"{case.title}\n")
            outcomes.append(solve(case, (options.runs or Path(scratch)) / str(number), jobs=options.jobs))
            write(options.out, outcomes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
