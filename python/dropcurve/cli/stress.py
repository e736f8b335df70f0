"""dropcurve stress: the traffic within bounds that harms a discipline most, as a minimal scenario."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..files.named import load_text
from . import options as o

if TYPE_CHECKING:
    from ..tuning.stress.answer import StressAnswer
    from ..tuning.stress.trials import StressProgress

#: Link where none is named, and defaults that `--help` names.
LINK, KEEP, RUNS, FRESH = "10/10", 0.8, 240, 10

Design = Annotated[
    str,
    typer.Argument(
        metavar="DESIGN", help="A discipline, such as codel or red:max_p=0.02, as `tune` writes it."
    ),
]
Within = Annotated[Path | None, o.shared("within", "`dropcurve list bounds` shows the keys")]
Harm = Annotated[
    str,
    typer.Option(metavar="TEXT", help="Goal or measure to harm, such as gaming or 'p95 delay of call'."),
]
Regret = Annotated[
    bool,
    typer.Option("--regret", help="Maximise the harm beyond that of the best rival in the same run instead."),
]
Rival = Annotated[
    list[str] | None,
    typer.Option(metavar="KIND[:KEY=VALUE,...]", help="A rival besides the usual ones. Repeatable."),
]
Keep = Annotated[
    float,
    typer.Option(metavar="SHARE", help="Least share of the harm that the minimal scenario still causes."),
]
Runs = Annotated[int, o.shared("runs", "one traffic case each")]
Fresh = Annotated[int, o.shared("replications", "on fresh seeds, from which the harm is estimated")]


def stress(
    design: Design,
    link: o.Link = None,
    within: Within = None,
    harm: Harm = "balanced",
    exchange: o.ExchangeRate = None,
    regret: Regret = False,
    rival: Rival = None,
    keep: Keep = KEEP,
    runs: Runs = RUNS,
    replications: Fresh = FRESH,
    time: Annotated[
        str | None, o.shared("time", "of the whole answer; default: as long as --runs takes")
    ] = None,
    seed: o.Seed = 1,
    jobs: o.Jobs = None,
    out: o.Out = None,
    cache: o.Cache = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    no_report: o.NoReport = False,
) -> int:
    """Find the traffic that harms a discipline most, as a minimal scenario.

    A search looks for the worst traffic within bounds on flows, round trips, starts, unresponsive datagrams, pulses and
    loss, and shrinks it to a minimal scenario. Rivals under the same traffic show whether the harm is a fault of
    this design or of any queue. Harm is measured on fresh seeds, in points lost compared with an ideal queue.
    --link sets the rates, the round trip and the buffer; the traffic comes from the bounds.

    \b
    Examples:
      dropcurve stress codel --link 50/10
      dropcurve stress red --link cable:up --regret --time 1min
      dropcurve stress pie --link 20/5 --within bounds.toml --harm "goodput of long"
    """
    from ..quantities import units
    from ..runs import command_line
    from ..tuning.stress import stress as work
    from . import console

    shown = [
        ("link", link), ("within", within), ("harm", harm if harm != "balanced" else None), ("exchange", exchange),
        ("regret", regret), *(("rival", one) for one in rival or []), ("keep", keep if keep != KEEP else None),
        ("runs", runs if runs != RUNS else None), ("replications", replications if replications != FRESH else None),
        ("time", time), ("seed", seed if seed != 1 else None),
    ]  # fmt: skip
    command = command_line.line("stress", [design], shown)
    folder = out or _folder(design, command, within)
    with _progress(quiet=quiet or json) as progress:
        answer = work(
            design, link=link or LINK, within=within, measure=harm, exchange=o.exchange_of(exchange), regret=regret,
            against=rival or [], keep=keep, runs=runs, fresh=replications,
            seconds=None if time is None else units.span(time, what="time"), seed=seed, jobs=jobs, out=folder,
            cache=cache, command=command, progress=progress,
        )  # fmt: skip
    answer = replace(answer, lab=_lab(answer))
    answer.save()
    if not no_report:
        _page(answer)
    if json:
        console.data(answer.record())
    elif not quiet:
        print(answer)
        print(f"\nRepeat: {command}")
    if not json:
        print(folder if quiet else f"Folder: {folder}")
    return 0


def _folder(design: str, command: str, within: Path | None) -> Path:
    """Folder of the answer: results/stress-KIND-HASH."""
    from .defaults import results

    text = load_text(within) if within is not None else ""
    digest = hashlib.sha256(f"{command}\n{text}".encode()).hexdigest()[:8]
    return results() / f"stress-{design.partition(':')[0]}-{digest}"


def _lab(answer: StressAnswer) -> str:
    """The command that runs the minimal scenario on real kernels; "" if a lab cannot."""
    from ..errors import DropcurveError
    from ..live import plan
    from ..tuning.stress.findings import SCENARIO

    try:
        plan.make(answer.scenario, seed=answer.digest_seed)
    except DropcurveError:
        return ""
    return f"dropcurve live lab {answer.folder / SCENARIO} --virtual --seed {answer.digest_seed}"


def _page(answer: StressAnswer) -> None:
    """Writes page and figures; without the libraries for that prints a line instead."""
    from ..errors import installed
    from . import console
    from .answer import PLAIN

    if not installed("matplotlib"):
        console.say(PLAIN)
        return
    from ..tuning.stress.page import write

    write(answer)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[StressProgress | None]:
    """Yields a function that shows the stage, the runs and the worst harm so far, with the time left."""
    from ..errors import Interruption
    from . import console

    bar = None if quiet else console.Bar()

    def on_progress(stage: str, done: int, planned: int, worst: float | None) -> None:
        if bar is not None:
            text = f"{stage}: {done} of about {planned} runs"
            more = "" if worst is None else f"worst so far: {worst:.3g}"
            bar.update(
                min(done / planned, 0.99), text if bar.terminal or not more else f"{text}; {more}", more
            )

    try:
        yield None if bar is None else on_progress
    except Interruption as interruption:
        raise console.Interrupted(str(interruption)) from None
    finally:
        if bar is not None:
            bar.stop()
