"""dropcurve compare: several variants under the same random numbers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..metrics.statistics import MAXIMUM
from . import options as o

Scenarios = Annotated[
    list[str] | None, typer.Argument(metavar="SCENARIO...", help="TOML files, or names of shipped ones.")
]
Queue = Annotated[
    list[str] | None,
    o.shared("queue", "repeatable, the first is the baseline; NAME=KIND gives it a name of its own"),
]
Vary = Annotated[list[str] | None, o.shared("vary", "repeatable")]


def compare(
    scenarios: Scenarios = None,
    link: o.Link = None,
    queue: Queue = None,
    vary: Vary = None,
    at: o.At = "queue",
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
    goal: o.Goal = None,
    exchange: o.ExchangeRate = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    no_report: o.NoReport = False,
) -> int:
    """Compare disciplines, settings or scenarios.

    Variants run under common random numbers, which makes small differences visible; the table marks the significant
    ones. The verdict weighs utilisation against delay, or the terms of --goal, over all scenarios or conditions.

    A lone word after a discipline's colon is its dialect. Keys shared with the scenario's discipline, such as
    limit, keep their values unless given. Many shipped scenarios bring their own variants. A link with ranges is
    simulated under a few conditions, and with DualPI2 among the queues it has an L4S sender.

    \b
    Examples:
      dropcurve compare droptail_vs_red
      dropcurve compare droptail_vs_red --queue droptail --queue red:ns2,max_p=0.1
      dropcurve compare droptail_vs_red --queue droptail --queue "classic=red:floyd93,min_th=5 pkts"
      dropcurve compare droptail_vs_red --vary queue.max_p=0.02,0.1,0.5
      dropcurve compare --link dsl:up --queue droptail --queue fq_codel --queue cake
      dropcurve compare --link 20/2:up,uploads=1-4 --goal voip --queue codel --queue fq_codel
    """
    from ..advise.planned import refuse_missing
    from ..quantities import values
    from ..runs import comparison, variants
    from . import answer

    answer.check(per, metric or [], exchange)
    effort = o.effort(seed, replications, precision, on, maximum, jobs)
    l4s = any(values.queue(values.named(one)[1])[0] == "dualpi2" for one in queue or [])
    bases = [
        one
        for path in o.paths(scenarios, link)
        for one in o.load_all(path, changes=changes, duration=duration, l4s=l4s)
    ]
    refuse_missing([*(metric or []), *effort["on"]], bases[0], what="metric")
    weights = o.weights(goal, bases[0], exchange)
    asked: dict[str, Any] = {"queues": queue or [], "vary": values.variations(vary or []), "at": at}
    compared = variants.variants(bases, **asked)
    name = "-vs-".join(dict.fromkeys(one.name for one in bases))
    folder = o.folder(out, name, seed, [f"{title}={one.hash}" for title, one in compared.items()])
    given = {"goal": goal, "exchange": exchange}
    options = {**asked, **effort, "asked": {key: text for key, text in given.items() if text is not None}}
    return answer.print_answer(
        lambda bar: comparison.compare(bases, **options, out=folder, force=force, cache=cache, progress=bar),
        folder=folder, per=per, only=metric or [], json=json, quiet=quiet, report=not no_report, exchange=exchange,
        weights=weights,
    )  # fmt: skip
