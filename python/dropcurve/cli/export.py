"""dropcurve export: the configuration of a box for a discipline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ..boxes import Export
from ..errors import UsageError, nearest
from ..files.writing import write_text
from ..scenario import Scenario
from . import options as o

#: Metrics printed by --show-effect.
EFFECT = ["utilisation", "loss", "sojourn_ms_mean", "sojourn_ms_p95", "queue_pkts_mean"]
Queue = Annotated[
    str,
    typer.Argument(
        metavar="KIND[:KEY=VALUE,...]|SCENARIO", help="A discipline, or a scenario that holds one."
    ),
]
Box = Annotated[str, o.shared("for", o.BOXES)]
At = Annotated[str, o.shared("at", "needed if the scenario has several")]
Rate = Annotated[str | None, o.shared("rate", "default: that of the scenario")]
Dev = Annotated[str | None, typer.Option(metavar="NAME", help="The interface (eth0 on Linux).")]
Name = Annotated[str | None, o.shared("name", "to write")]
Cell = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Cells in which a switch counts its buffer, such as 208B.")
]
Shape = Annotated[bool, o.shared("shape")]
Try = Annotated[
    bool, typer.Option("--try", help="Let the real tc judge it, in a network namespace of its own.")
]
ShowEffect = Annotated[
    bool, typer.Option("--show-effect", help="Simulate the queue asked for and the queue as loaded.")
]
Rtt = Annotated[str, o.shared("rtt", "without queueing; with --show-effect")]
Flows = Annotated[str, o.shared("flows", "with --show-effect")]
Write = Annotated[Path | None, o.shared("write", "the configuration; default: standard output")]


def export(
    queue: Queue,
    box: Box = "linux",
    at: At = "",
    rate: Rate = None,
    packet: o.Packet = "1500B",
    dev: Dev = None,
    name: Name = None,
    shape: Shape = False,
    cell: Cell = None,
    try_: Try = False,
    show_effect: ShowEffect = False,
    rtt: Rtt = "40ms",
    flows: Flows = "20",
    write: Write = None,
    out: o.FormerOut = None,
    json: o.Json = False,
) -> int:
    """Write a discipline as a router's configuration.

    Units are converted as the box does it. A value it cannot express is rounded or left out, and reported with its
    effect on the drop curve. Contradictions are refused.

    The configuration goes to standard output, everything else to standard error.

    \b
    Examples:
      dropcurve export "red:min_th=30 pkts,max_th=90 pkts,max_p=0.1,limit=500 pkts" --rate 100Mbit --for linux
      dropcurve export "red:min_th=30 pkts,max_th=90 pkts,limit=500 pkts" --rate 100Mbit --for ios
      dropcurve export droptail_vs_red --for linux --shape --try
    """
    from .. import boxes
    from ..boxes import tc_try, text
    from ..quantities import units
    from ..runs import command_line
    from . import console

    o.refuse_out(out, "the configuration")
    size = units.size(packet, what="packet")
    count = units.count(flows, what="flows")
    kind, params, own = _asked(queue, at)
    rate_bps = units.rate(rate) if rate else own
    if rate_bps is None:
        raise UsageError(
            "--rate",
            "",
            "not given; a configuration depends on the rate of the link",
            "give it, such as --rate 100Mbit",
        )
    extra: dict[str, Any] = {
        "dev": dev,
        "name": name,
        "shape": shape or None,
        "cell": units.size(cell, what="cell") if cell else None,
    }
    given: dict[str, Any] = {key: value for key, value in extra.items() if value is not None}
    exported = boxes.export(kind, params, box=box, rate_bps=rate_bps, packet_bytes=size, **given)
    trial = tc_try.trial(exported.text) if try_ and exported.box == "linux" else None
    if json:
        console.data(text.export_data(exported, trial))
    else:
        _write(exported, write)
        if try_ and exported.box != "linux":
            console.say("not tried: only Linux exports can be tried here")
        console.say(text.about(exported, width=console.width(), trial=trial))
        if show_effect:
            print(_effect(exported, rate_bps, rtt, count, size))
    shown = [("for", box), ("at", at or None), ("rate", rate), ("dev", dev), ("name", name), ("shape", shape)]
    console.again(command_line.line("export", [queue], [*shown, ("cell", cell)]))
    return 1 if trial is not None and not (trial.passed or trial.skipped) else 0


def _write(exported: Export, out: Path | None) -> None:
    """The configuration, into a file or to standard output."""
    if out is None:
        print(exported.text, end="", flush=True)
    else:
        write_text(out, exported.text)
        print(out)


def _asked(queue: str, at: str) -> tuple[str, dict[str, object], float | None]:
    """Kind, parameters and rate: of a discipline as typed, or of the queue of a scenario's link."""
    from ..quantities import units, values
    from ..scenario import Scenario, library

    kind, params = values.queue(queue)
    kinds = [one["kind"] for one in library.catalogue()["disciplines"]]
    if kind in kinds:
        return kind, params, None
    path = Path(queue)
    if not (queue in library.scenarios() or queue.startswith("link:") or path.suffix or path.exists()):
        hint = nearest(
            kind, [*kinds, *library.scenarios()], otherwise="`dropcurve list disciplines` shows all"
        )
        raise UsageError("queue", queue, "is neither a discipline nor a scenario", hint, shown="value")
    scenario = Scenario.load(queue)
    place = at or _only_queue(scenario)
    table = scenario.get(place)
    if not isinstance(table, dict) or "kind" not in table:
        raise UsageError(
            "--at", place, f"is not a queue of {queue}", "name one such as queue or links.NAME.queue"
        )
    wire = scenario.resolved.get("dumbbell") or scenario.resolved.get("chain") or {}
    if place.startswith("links."):
        wire = scenario.get(place.rpartition(".")[0])
    elif place == "back_queue":
        wire = wire.get("back", wire)
    table = dict(table)
    return str(table.pop("kind")), table, units.rate(wire["rate"]) if "rate" in wire else None


def _only_queue(scenario: Scenario) -> str:
    """Path of the queue of a scenario with one bottleneck. Raises UsageError if it has several."""
    links = scenario.resolved.get("links")
    if links is None:
        return "queue"
    if len(links) == 1:
        return f"links.{next(iter(links))}.queue"
    known = ", ".join(f"links.{name}.queue" for name in list(links)[:5])
    raise UsageError(
        "--at",
        "",
        f"not given, and {scenario.name} has {len(links)} links",
        f"name a queue with --at, such as {known}",
    )


def _effect(exported: Export, rate_bps: float, rtt: str, flows: int, size: int) -> str:
    from ..boxes.link import profile, scenario
    from ..boxes.model import queue_text
    from ..present import terminal
    from ..quantities import units
    from ..runs import comparison
    from . import console

    span = units.between(rtt, lambda text: units.span(text, what="rtt"), what="rtt")
    link = profile(rate_bps, span, flows, ecn=exported.params.get("ecn") is True)
    base = scenario(exported.discipline, exported.params, link=link, packet_bytes=size)
    queues = [
        f"asked={queue_text(exported.discipline, exported.params)}",
        f"loaded={exported.queue_as_loaded}",
    ]
    with console.progress(quiet=False) as progress:
        result = comparison.compare(base, queues=queues, replications=5, progress=progress)
    return terminal.render(replace(result.document(only=EFFECT), headline=None), width=console.width())
