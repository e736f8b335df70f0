"""dropcurve tune: the right queue for a link, the reasons, and the configuration to load."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import UsageError
from ..quantities import units
from . import options as o
from . import verbs
from .trust import Cluster, with_trust

Question = Annotated[
    str | None,
    typer.Argument(metavar="[SCENARIO]", help="A scenario, with ranges in its section [tune] or by --range."),
]
Short = Annotated[
    str | None, typer.Option(metavar="SHARE", help="Short flows, in per cent of the link: 10%, 0-30%.")
]
Udp = Annotated[str | None, typer.Option(metavar="SHARE", help="UDP, in per cent of the link: 5%, 0-20%.")]
Tcp = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Congestion control of TCP: cubic or reno; with --link also any other (default: cubic).",
    ),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="PATH=RANGE",
        help="Range of a value of the scenario, such as flows.tcp.count=5-100. Repeatable.",
    ),
]
Queue = Annotated[
    list[str] | None,
    o.shared(
        "queue",
        "any kind that `dropcurve list disciplines` shows; repeatable; default: red, codel, pie, fq_codel and droptail",
    ),
]
Robust = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Result that counts over the ranges: mean, worst, cvar (the mean of the worst quarter), or stress (the "
        "worst, with conditions added by a search until it finds none worse).",
    ),
]
Within = Annotated[
    Path | None, o.shared("within", "with --robust stress: datagrams and pulses in addition to the traffic")
]
For = Annotated[str | None, o.shared("for", o.BOXES)]
Runs = Annotated[int | None, o.shared("runs", "default: by the size of the link, at most 1500")]
Time = Annotated[str | None, o.shared("time", "of the whole answer; default: as long as --runs takes")]
Margin = Annotated[
    float | None,
    typer.Option(
        metavar="POINTS",
        help="Smallest difference that matters: percentage points (default: 0.2), or per cent of the value where the "
        "objective is not a percentage (default: 1).",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="decided", help="Validate until every rival is better, worse or equal within the margin."
    ),
]
Instant = Annotated[
    bool,
    typer.Option(
        "--instant",
        help="Answer at once from an atlas of settled designs, with intervals; nothing is simulated or written.",
    ),
]


@with_trust
def tune(
    scenario: Question = None,
    link: o.Link = None,
    rate: o.Rate = None,
    rtt: o.Rtt = None,
    flows: o.Flows = None,
    buffer: o.Buffer = None,
    goal: o.Goal = None,
    exchange: o.ExchangeRate = None,
    for_: For = None,
    queue: Queue = None,
    short: Short = None,
    udp: Udp = None,
    tcp: Tcp = None,
    ecn: o.Ecn = False,
    ranges: Ranges = None,
    robust: Robust = "mean",
    within: Within = None,
    runs: Runs = None,
    time: Time = None,
    margin: Margin = None,
    until: Until = None,
    instant: Instant = False,
    seed: o.Seed = 1,
    jobs: o.Jobs = None,
    cluster: Cluster = None,
    out: o.Out = None,
    cache: o.Cache = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
    no_report: o.NoReport = False,
) -> int:
    """Find the right queue for a link: discipline, parameters, reasons, configuration.

    Every option that describes the link may be a range; the answer is the best over all of it. --link, or --rate
    alone, brings the usual traffic; --flows sets long flows instead. The best are validated on fresh seeds.

    \b
    Examples:
      dropcurve tune --link cable:up --goal gaming --for linux
      dropcurve tune --rate 50Mbit --rtt 20-60ms --robust worst --time 2min
      dropcurve tune --link cable:up --goal gaming --instant
      dropcurve tune --rate 100Mbit --rtt 20-200ms --flows 5-100 --buffer 1000pkts \\
          --goal "p95 delay < 15ms, max utilisation" --for linux
      dropcurve tune droptail_vs_red --range flows.tcp.count=2-32 --goal "min p95 delay, max goodput" --queue red
    """
    from . import tune_question

    _check_until(until)
    question, search = tune_question.asked(
        scenario, link=link, rate=rate, rtt=rtt, flows=flows, buffer=buffer, short=short, udp=udp, tcp=tcp, ecn=ecn,
        ranges=ranges or (), goal=goal, exchange=exchange, for_=for_, queue=queue or (), robust=robust, within=within,
    )  # fmt: skip
    effort: list[tuple[str, Any]] = [
        ("runs", runs),
        ("time", time),
        ("margin", margin),
        ("until", until),
        ("cluster", cluster),
    ]
    if instant:
        return verbs.answer("at_once")(
            question, scenario, search, [*effort, ("out", out)], json=json, quiet=quiet
        )
    return verbs.answer("tuned")(
        question, scenario, search, [*effort[:-1], ("seed", seed)], runs=runs,
        seconds=None if time is None else units.span(time, what="time"), margin=margin, until_decided=until is not None,
        seed=seed, jobs=jobs, cluster=cluster, out=out, cache=cache, json=json, quiet=quiet, report=not no_report,
    )  # fmt: skip


def _check_until(text: str | None) -> None:
    """Raises UsageError for an unknown value of ``--until``."""
    if text not in (None, "decided"):
        raise UsageError("--until", text, "must be decided", "for a limit of time write --time")
