"""Options that several verbs share, and their parsing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import UsageError
from ..metrics.statistics import MAXIMUM
from ..quantities import values
from ..runs.effort import PRECISE, Effort
from ..scenario import Scenario, links
from ..verdict import Exchange, Weights
from . import defaults

#: Options that several verbs have: the placeholder of the value and the meaning, which is the same in all verbs. A verb
#: adds its default, or further forms of the value, in parentheses.
SHARED = {
    "at": ("PATH", "Path of the queue in the scenario, such as links.NAME.queue"),
    "buffer": ("SIZE", "Size of the queue, such as 1000pkts or 1.5MB"),
    "delay": ("TIME", "Propagation delay, such as 5ms"),
    "flows": ("N", "Number of long TCP flows at the same time, such as 20"),
    "for": ("BOX", "Box to write the configuration for"),
    "goal": (
        "TEXT",
        'Goal, such as "p95 delay < 15ms, max utilisation", or balanced, voip, gaming, web or bulk',
    ),
    "maximum": ("N", "Largest number of runs of each variant"),
    "name": ("NAME", "Name of a policy, profile, class or queue in the configuration"),
    "out": ("FOLDER", "Folder to write the result to"),
    "packet": ("SIZE", "Size of a full packet, headers included"),
    "precision": ("SHARE", "Half-width that the intervals have to reach, as a share of the mean, such as 5%"),
    "queue": ("KIND[:KEY=VALUE,...]", "Discipline of the bottleneck, such as codel or red:max_p=0.1"),
    "rate": ("RATE", "Rate of the link, such as 100Mbit"),
    "replications": ("N", "Runs of each variant"),
    "rtt": ("TIME", "Round-trip time, such as 40ms"),
    "runs": ("N", "Runs of the search"),
    "seed": ("N", "Seed of the random numbers: the same seed gives the same answer"),
    "shape": (None, "Put a shaper of the link's rate above the queue"),
    "store": ("FOLDER", "Folder of runs that several sweeps share"),
    "time": ("TIME", "Time limit, such as 2min"),
    "vary": ("PATH=VALUES", "Values of a parameter, such as queue.max_p=0.02,0.1"),
    "within": ("FILE", "TOML file with the bounds of the traffic"),
    "write": ("FILE", "File to write"),
}


#: The boxes, with their other names.
BOXES = (
    "linux (or tc), ios (cisco, iosxe), junos (juniper), sonic, openconfig, sqm, mikrotik, vyos, dummynet, altq or "
    "openbsd"
)


def shared(name: str, note: str = "", **more: Any) -> Any:
    """The option ``--name`` of `SHARED`, with a note of the verb in parentheses."""
    metavar, text = SHARED[name]
    return typer.Option(
        f"--{name}", metavar=metavar, help=f"{text} ({note})." if note else f"{text}.", **more
    )


Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change a value, such as queue.max_p=0.1. Repeatable."),
]
Duration = Annotated[
    str | None, typer.Option(metavar="TIME", help='Simulated time of a run, such as "60 s".')
]
Seed = Annotated[int, shared("seed", "replications use the following seeds")]
Replications = Annotated[int | None, shared("replications", "default: 10, or with --precision at least 5")]
Precision = Annotated[str | None, shared("precision", "default: no precision, --replications alone counts")]
On = Annotated[
    list[str] | None,
    typer.Option(
        metavar="METRIC",
        help=f"Metric that --precision applies to (default: {', '.join(PRECISE)}). Repeatable.",
    ),
]
Maximum = Annotated[int, shared("maximum", "with --precision")]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        envvar=defaults.JOBS,
        help="Threads (default: all processors); results do not depend on it.",
    ),
]
Out = Annotated[Path | None, shared("out", "default: results/NAME-HASH")]
#: `--out` of a verb that writes one file: refused by `refuse_out`, since `--out` is a folder everywhere.
FormerOut = Annotated[Path | None, typer.Option("--out", hidden=True)]
Cache = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER", help="Store of finished runs, or off for none (default: the user's cache folder)."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a result or a file that exists already.")]
Per = Annotated[
    str, typer.Option(metavar="LEVEL", help="Rows of the table: total, or one for each class or flow.")
]
Metric = Annotated[
    list[str] | None, typer.Option(metavar="METRIC", help="Show this metric only. Repeatable.")
]
Link = Annotated[
    str | None,
    typer.Option(
        metavar="LINK[:up][,KEY=VALUE...]",
        help=f"Link with its usual traffic: {', '.join(links.PRESETS)}, or rates such as 20/2Mbit; the queue is "
        "the one downstream, with :up the one upstream; keys rate, down, up, rtt, buffer, downloads, uploads, web, "
        "videos, calls, games, l4s, ecn, cc, back (the queue of the other direction); values may be ranges.",
    ),
]
Rate = Annotated[str | None, shared("rate", "or a range, 20-100Mbit; down and up: 20/2Mbit")]
Rtt = Annotated[str | None, shared("rtt", "without queueing; or a range, 20-200ms")]
Flows = Annotated[str | None, shared("flows", "or a range, 5-100")]
Buffer = Annotated[str | None, shared("buffer", "or a range; also 50-300ms of the link, 1bdp")]
Packet = Annotated[str, shared("packet")]
Goal = Annotated[str | None, shared("goal", "default: balanced")]
At = Annotated[str, shared("at", "default: that of the bottleneck")]
Ecn = Annotated[
    bool, typer.Option("--ecn", help="TCP flows negotiate ECN, and the queue marks instead of dropping.")
]
ExchangeRate = Annotated[
    str | None,
    typer.Option(
        "--exchange",
        metavar="TIME=POINTS",
        help="Points of utilisation that the verdict trades for a delay, such as 1ms=0.5 (default: 20 points for one "
        "round-trip time, taken as at least 1 ms and at most 100 ms). Points for pages, video and loss may follow: "
        "1ms=0.5,page:2x=10,video:1Mbit=5,loss:1%=5.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors and the result folder.")]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write the numbers only: no figures, no page.")]


def refuse_out(out: Path | None, what: str) -> None:
    """Raises UsageError for ``--out`` of a verb that writes ``what`` to one file."""
    if out is not None:
        raise UsageError(
            "--out", out, "is a folder in every verb", f"write {what} to a file with --write {out}"
        )


def effort(
    seed: int,
    replications: int | None,
    precision: str | None,
    on: list[str] | None,
    maximum: int = MAXIMUM,
    jobs: int | None = None,
) -> dict[str, Any]:
    """The options of `run` and `compare` about replications, validated before anything is loaded."""
    share = None if precision is None else values.share(precision)
    chosen = Effort(seed, replications, share, tuple(on or PRECISE), maximum, jobs)
    return {
        "seed": chosen.seed, "replications": chosen.replications, "precision": chosen.precision,
        "on": chosen.metrics, "maximum": chosen.maximum, "jobs": chosen.jobs,
    }  # fmt: skip


def load(path: str, *, changes: list[str] | None, duration: str | None) -> Scenario:
    """The scenario of a file, a name or a link without ranges (``link:cable``), with ``--set`` and ``--duration``
    applied.

    Raises:
        DropcurveError: If it cannot be loaded, or the link has ranges.
    """
    loaded = load_all(path, changes=changes, duration=duration)
    if len(loaded) > 1:
        raise UsageError(
            "link",
            path,
            "has ranges, and every key needs one value here",
            "write single values; compare and tune take ranges",
            shown="value",
        )
    return loaded[0]


def load_all(
    path: str, *, changes: list[str] | None, duration: str | None, l4s: bool = False
) -> list[Scenario]:
    """The scenarios of a file, a name or a link: several for a link with ranges.

    Args:
        path: The file, the name, or ``link:`` and a link.
        changes: Values of ``--set``.
        duration: Simulated time of a run.
        l4s: Adds an L4S sender to a link that does not state their number.

    Raises:
        DropcurveError: If it cannot be loaded.
    """
    edits = [values.assignment(text) for text in changes or []]
    if duration is not None:
        edits.append(("run.duration", duration))
    loaded = (
        links.scenarios(path, duration=duration, l4s=l4s)
        if path.startswith(links.PREFIX)
        else [Scenario.load(path)]
    )
    return [one.edit(edits) if edits else one for one in loaded]


def paths(scenarios: list[str] | None, link: str | None) -> list[str]:
    """The scenarios of a command, with that of ``--link``. Raises UsageError if there is none."""
    places = [*(scenarios or []), *([] if link is None else [f"{links.PREFIX}{link}"])]
    if not places:
        raise UsageError(
            "scenario",
            "",
            "not given, so there is nothing to simulate",
            "name a scenario, or a link such as --link cable",
        )
    return places


def weights(goal: str | None, scenario: Scenario, exchange: str | None) -> Weights | None:
    """The weights of ``--goal`` for a scenario; None for the balanced goal, which is the verdict's default.

    Raises:
        UsageError: For a goal that cannot be parsed or weighed, and for measures that no run has a value of.
    """
    if goal is None:
        return None
    from ..tuning import goal as goals
    from ..tuning.goal_weights import weights as weigh

    weights_of_goal = goals.of_scenario(goal, scenario, exchange=exchange_of(exchange))
    return None if goals.named(goal) == goals.DEFAULT else weigh(weights_of_goal)


def exchange_of(text: str | None) -> Exchange | None:
    """The rate of ``--exchange``; None if it is not given. Raises UsageError for text of another form."""
    return None if text is None else Exchange.parse(text)


def folder(out: Path | None, name: str, seed: int, scenarios: Iterable[str]) -> Path:
    """Folder of a result: the one given, or results/NAME-HASH, with a hash of scenarios and seed.

    ``DROPCURVE_OUT`` or the file of defaults may name another folder than results.

    The number of replications is not part of it, so that a result can be made more precise in the same folder.
    """
    if out is not None:
        return out
    digest = hashlib.sha256("\n".join([*scenarios, f"seed={seed}"]).encode()).hexdigest()
    return defaults.results() / f"{name}-{digest[:8]}"
