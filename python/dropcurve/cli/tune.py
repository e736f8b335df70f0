"""dropcurve tune: the right parameters for a link, why, and the configuration to load."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import options as o
from .advise import Ecn, Flows, Rate, Rtt
from .export import BOXES
from .sweep import Cluster

Question = Annotated[
    str | None,
    typer.Argument(metavar="[SCENARIO]", help="A scenario, with ranges in its [tune] section or by --range."),
]
Buffer = Annotated[
    str | None, typer.Option(metavar="SIZE", help="The most the queue may hold: 1000pkts, 1.5MB.")
]
Goal = Annotated[
    str | None, typer.Option(metavar="TEXT", help='What is wanted: "p95 delay < 15ms, max utilisation".')
]
Short = Annotated[
    str | None, typer.Option(metavar="SHARE", help="Short flows, in per cent of the link: 10%, 0-30%.")
]
Udp = Annotated[str | None, typer.Option(metavar="SHARE", help="UDP, in per cent of the link: 5%, 0-20%.")]
Tcp = Annotated[str, typer.Option(help="How TCP sends: cubic or reno.")]
Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--range", metavar="PATH=RANGE", help="What varies in a scenario: flows.tcp.count=5-100. Repeatable."
    ),
]
Queue = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND",
        help="A discipline to choose from. Repeatable (red, codel, pie, fq_codel and droptail; wred, ared, choke, "
        "cobalt, fq_pie, dualpi2, pi and nlred if named).",
    ),
]
Robust = Annotated[str, typer.Option(help="What counts over the range: mean or worst.")]
For = Annotated[
    str | None,
    typer.Option("--for", metavar="BOX", help=f"Write the configuration for it: {BOXES}."),
]
Runs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Runs of the search (by the size of the link, 1500 at most)."),
]
Time = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Time for the whole answer, such as 5min: more or less thorough."),
]
Margin = Annotated[
    float | None,
    typer.Option(
        metavar="POINTS",
        help="The difference that matters: percentage points, or per cent of the value (0.2, or 1 where the "
        "objective is no percentage).",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="decided", help="Validate until every rival is better, worse or equal within the margin."
    ),
]
Seed = Annotated[int, typer.Option(help="Decides every random choice: the same seed, the same answer.")]


def tune(
    scenario: Question = None,
    rate: Rate = None,
    rtt: Rtt = None,
    flows: Flows = None,
    buffer: Buffer = None,
    goal: Goal = None,
    for_: For = None,
    queue: Queue = None,
    short: Short = None,
    udp: Udp = None,
    tcp: Tcp = "cubic",
    ecn: Ecn = False,
    ranges: Ranges = None,
    robust: Robust = "mean",
    runs: Runs = None,
    time: Time = None,
    margin: Margin = None,
    until: Until = None,
    seed: Seed = 1,
    jobs: o.Jobs = None,
    cluster: Cluster = None,
    out: o.Out = None,
    cache: o.Cache = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    no_report: o.NoReport = False,
) -> int:
    """Find the right queue for a link: discipline, parameters, reasons, configuration.

    Every option that says what is on the link may be a range; the answer is the best over all of it. Defaults,
    rules of thumb and formulas are tried first; the best designs are validated on fresh seeds and conditions.

    \b
    Examples:
      dropcurve tune --rate 100Mbit --rtt 20-200ms --flows 5-100 --buffer 1000pkts \\
          --goal "p95 delay < 15ms, max utilisation" --for linux
      dropcurve tune --rate 10Mbit --rtt 40ms --flows 8 --buffer 200pkts --goal "min p95 delay, max goodput" --queue red
      dropcurve tune droptail_vs_red --range flows.tcp.count=2-32 --goal "max goodput - 0.1 * p95 delay"
    """
    from .. import tuning
    from ..errors import UsageError
    from ..quantities import units, values
    from . import tuned

    if until not in (None, "decided"):
        raise UsageError(f"--until = {until}: must be decided; for a limit of time write --time")
    varied = dict(values.assignment(text) for text in ranges or [])
    question = tuning.ask(
        scenario, goal=goal, ranges={path: str(some) for path, some in varied.items()}, robust=robust, box=for_,
        candidates=queue or [], space=None, rate=rate, rtt=rtt, flows=flows, buffer=buffer, short=short, udp=udp,
        tcp=tcp if tcp != "cubic" else None, ecn=ecn or None,
    )  # fmt: skip
    seconds = None if time is None else units.span(time, what="time")
    asked: list[tuple[str, Any]] = [
        ("rate", rate), ("rtt", rtt), ("flows", flows), ("buffer", buffer), ("short", short), ("udp", udp),
        ("tcp", tcp if tcp != "cubic" else None), ("ecn", ecn or None), *(("range", text) for text in ranges or []),
        ("goal", goal), ("for", for_), *(("queue", kind) for kind in queue or []),
        ("robust", robust if robust != "mean" else None),
    ]  # fmt: skip
    effort = [("runs", runs), ("time", time), ("margin", margin), ("until", until), ("seed", seed)]
    return tuned.give(
        question, scenario, asked, effort, runs=runs, seconds=seconds, margin=margin,
        until_decided=until is not None, seed=seed, jobs=jobs, cluster=cluster, out=out, cache=cache,
        json=json, quiet=quiet, report=not no_report,
    )  # fmt: skip
