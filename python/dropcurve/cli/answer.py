"""The answers of `run` and `compare`: runs with progress, then stores, draws and prints the result."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import installed
from ..metrics import find
from ..present import terminal
from ..quantities import wording
from ..results import Result, folders
from ..runs.replications import Progress
from ..scenario import Scenario
from ..verdict import Exchange, Weights
from . import console, options

#: Where figures cannot be drawn.
PLAIN = "dropcurve: no figures and no page, which need matplotlib and pyarrow: pip install 'dropcurve[plot]'"


def check(per: str, only: Sequence[str], exchange: str | None = None) -> None:
    """Raises UsageError for a table or a verdict that cannot be made, before any work is done."""
    from ..results import tables

    if exchange is not None:
        Exchange.parse(exchange)
    tables.check_per(per)
    for name in only:
        find(name)


def print_answer(
    work: Callable[[Progress | None], Result],
    *,
    folder: Path,
    per: str,
    only: Sequence[str],
    json: bool,
    quiet: bool,
    report: bool,
    exchange: str | None = None,
    weights: Weights | None = None,
) -> int:
    """Does the work, writes page and figures, prints the answer. Returns 1 if a run hit a limit."""
    began = time.monotonic()
    with console.progress(quiet=quiet or json) as progress:
        result = work(progress)
    if result.reused and not quiet:
        console.say(_reused(result))
    if json:
        console.data(folders.record(result))
    rate = None if exchange is None else Exchange.parse(exchange)
    if not json and not quiet:
        new_runs = len(result.seeds) - result.reused / len(result.variants)
        seconds = (time.monotonic() - began) / new_runs if new_runs > 0 else None
        document = result.document(per=per, only=only, exchange=rate, seconds=seconds, weights=weights)
        print(terminal.render(document, width=console.width()), flush=True)
    if report:
        draw(result, folder, exchange=rate, weights=weights)
    if not json:
        print(folder if quiet else f"Folder: {folder}")
    return 1 if result.problems else 0


def _reused(result: Result) -> str:
    all_runs = wording.count(len(result.variants) * len(result.seeds), "run")
    return f"dropcurve: {result.reused} of {all_runs} were stored already; only the others were made"


def stated(result: Result) -> tuple[Exchange | None, Weights | None]:
    """The exchange rate and the weights that a stored result was made with, from its command; None where it states
    none."""
    words = shlex.split(result.command)
    by_option = {key: words[i + 1] for i, key in enumerate(words[:-1]) if key in ("--goal", "--exchange")}
    exchange = by_option.get("--exchange")
    weights = options.weights(
        by_option.get("--goal"), Scenario.parse(result.baseline.toml, name=result.name), exchange
    )
    return options.exchange_of(exchange), weights


def draw(
    result: Result, folder: Path, *, exchange: Exchange | None = None, weights: Weights | None = None
) -> None:
    """Writes the figures and the page of a result into its folder; prints a line instead if matplotlib is missing."""
    if not (installed("matplotlib") and installed("pyarrow")):
        console.say(PLAIN)
        return
    from .. import plot, report
    from ..files import checksums

    drawn: plot.Drawn = {}
    figures = plot.save_all(result, folder / "figures", drawn=drawn)
    checksums.update(folder, [*figures, report.write(
        result, path=folder / "report.html", exchange=exchange, weights=weights, drawn=drawn
    )])  # fmt: skip
