"""dropcurve run: one scenario, replicated."""

from __future__ import annotations

from typing import Annotated

import typer

from ..metrics.statistics import MAXIMUM
from . import options as o


def run(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of one that ships with dropcurve."),
    ],
    changes: o.Set = None,
    duration: o.Duration = None,
    seed: o.Seed = 1,
    replications: o.Replications = None,
    precision: o.Precision = None,
    on: o.On = None,
    maximum: o.Maximum = MAXIMUM,
    jobs: o.Jobs = None,
    out: o.Out = None,
    force: o.Force = False,
    cache: o.Cache = None,
    per: o.Per = "total",
    metric: o.Metric = None,
    digest: Annotated[
        bool,
        typer.Option(
            "--digest", help="Run once with the seed, print the digest of the run and store nothing."
        ),
    ] = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    no_report: o.NoReport = False,
) -> int:
    """Run one scenario several times and print means with intervals.

    \b
    Examples:
      dropcurve run droptail_vs_red --out demo
      dropcurve run droptail_vs_red --set queue.max_p=0.05 --precision 5%
      dropcurve run droptail_vs_red --duration "20 s" --replications 5 --json
      dropcurve run droptail_vs_red --set queue.max_p=0.05 --seed 7 --digest
    """
    from ..runs import replicate
    from . import answer

    answer.check(per, metric or [])
    effort = o.effort(seed, replications, precision, on, maximum, jobs)
    base = o.load(scenario, changes=changes, duration=duration)
    if digest:
        print(base.digest(seed))
        return 0
    folder = o.folder(out, base.name, seed, [base.hash])
    return answer.print_answer(
        lambda progress: replicate.run(base, **effort, out=folder, force=force, cache=cache, progress=progress),
        folder=folder, per=per, only=metric or [], json=json, quiet=quiet, report=not no_report,
    )  # fmt: skip
