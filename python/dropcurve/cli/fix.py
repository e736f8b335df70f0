"""dropcurve fix: finds better queues for a box's configuration."""

from __future__ import annotations

import re
import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..files.writing import write_text
from ..verdict import Exchange
from . import configurations, fix_answer
from . import options as o
from .queue_settings import QueueSetting, settings

if TYPE_CHECKING:
    from ..boxes.model import Import
    from ..fixes import Place, Thoroughness

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE|DOWN/UP",
        help="The configuration, or - for standard input; or the rates of a line, such as 20/2.",
    ),
]
For = Annotated[str, o.shared("for", "where the line is given by its rates: sqm or linux")]
Name = Annotated[str | None, o.shared("name", "the only one to change; default: all of them")]
Shape = Annotated[bool, o.shared("shape", "where there is none")]
Check = Annotated[
    bool, typer.Option("--check", help="Exit with 1 if a better queue is found; for pipelines.")
]
Write = Annotated[Path | None, o.shared("write", "the new configuration")]
Replications = Annotated[int, o.shared("replications")]
Time = Annotated[
    str | None,
    o.shared(
        "time",
        "of all queues together, spent until every rival is decided; default: 60 runs of a search for each queue, and "
        "runs until it is known what to load; 0s: no search",
    ),
]
Goal = Annotated[str | None, o.shared("goal", "for the search and the verdict; default: balanced")]

#: The rates of a line, where a file is asked for.
_LINE = re.compile(r"[0-9.]+\s*[a-zA-Z]*(?:/s)?\s*/\s*[0-9.]+\s*[a-zA-Z]*(?:/s)?")


def fix(
    file: File,
    box: configurations.Box = None,
    name: Name = None,
    rate: configurations.Rate = None,
    rtt: configurations.Rtt = None,
    flows: configurations.Flows = None,
    link: o.Link = None,
    buffer: configurations.Buffer = None,
    packet: o.Packet = "1500B",
    shape: Shape = False,
    for_: For = "sqm",
    goal: Goal = None,
    time: Time = None,
    replications: Replications = 5,
    duration: o.Duration = None,
    exchange: o.ExchangeRate = None,
    jobs: o.Jobs = None,
    write: Write = None,
    out: o.FormerOut = None,
    check: Check = False,
    json: o.Json = False,
) -> int:
    """Find better queues for a router's configuration and write the changed text.

    Every class of the configuration is simulated in its place, below its priority queues and at its share of the rate,
    and compared with designs as the box would load them: usual settings, formulas and the results of a search. The
    answer names the queues to keep and prints the change of the text for the others; shapers and class names stay.

    Exit codes with --check: 0 if no queue is shown to be better, 1 if one is, 2 if the text cannot be read. Without
    --check: 0 and 2.

    \b
    Examples:
      dropcurve fix 20/2
      dropcurve fix router.cfg --rate 100Mbit --rtt 20-60ms --flows 20
      dropcurve fix sqm.sh --link 20/2:up --shape --write better.sh
      dropcurve fix router.cfg --rate 100Mbit --check
    """
    from ..fixes import Thoroughness
    from ..quantities import units
    from ..runs import command_line
    from ..runs.executor import Executor

    began = clock.monotonic()
    o.refuse_out(out, "the new configuration")
    weighed = None if exchange is None else Exchange.parse(exchange)
    line = _LINE.fullmatch(file) is not None and not Path(file).exists()
    cases = settings(rate=rate, flows=flows, buffer=buffer, link=link)
    if line:
        _refuse_of_router(locals())
    text, places = (
        _line(file, for_, duration) if line
        else _places(file, box, name, cases, rtt=rtt, packet=packet, duration=duration)
    )  # fmt: skip
    seconds = None if time is None or re.fullmatch(r"0+\s*[a-z]*", time) else units.span(time, what="time")
    # What it took to read the text is part of the time.
    left_s = None if seconds is None else (seconds - (clock.monotonic() - began)) / max(1, len(places))
    search = Thoroughness(time is None or seconds is not None, left_s, goal, Executor(jobs))
    _check_goal(goal, places, search, weighed)
    shown = [
        ("from", box), ("name", name), ("rate", rate), ("rtt", rtt), ("flows", flows), ("link", link),
        ("buffer", buffer), ("packet", packet if packet != "1500B" else None), ("shape", shape),
        ("for", for_ if for_ != "sqm" else None), ("goal", goal), ("time", time),
        ("replications", replications if replications != 5 else None), ("duration", duration), ("exchange", exchange),
    ]  # fmt: skip
    return _answer(
        places, text, search, line_box=for_ if line else "", shape=shape or line, replications=replications,
        exchange=weighed, command=command_line.line("fix", [file], shown), write=write, check=check, json=json,
    )  # fmt: skip


def _check_goal(
    goal: str | None, places: Sequence[Place], search: Thoroughness, exchange: Exchange | None
) -> None:
    """Raises UsageError for a goal that has no meaning, or no values in this traffic, before anything runs."""
    from ..fixes.queues import weights_of

    for one in places if goal is not None else ():
        weights_of(one, search, exchange)


def _answer(
    places: list[Place], text: str, search: Thoroughness, *, line_box: str, shape: bool, replications: int,
    exchange: Exchange | None, command: str, write: Path | None, check: bool, json: bool,
) -> int:  # fmt: skip
    """Computes the answer and prints it."""
    from ..fixes import fix as answer
    from ..fixes import home
    from . import console

    with console.progress(quiet=json) as progress, _steps(quiet=json) as on_step:
        done = answer(
            places, text, shape=shape, search=search, replications=replications, exchange=exchange, command=command,
            progress=progress, on_step=on_step,
        )  # fmt: skip
    if line_box:
        done = home.combined(done, box=line_box)
    openings = [fix_answer.opening(one) for one in done.queues]
    wanted = fix_answer.settling(done, search)
    if json:
        console.data(fix_answer.data(done, openings) | {"undecided": wanted})
    else:
        print(fix_answer.text(done, openings, command, wanted, width=console.width()))
    if write is not None:
        write_text(write, done.after)
        console.say(f"configuration  {write}")
    return 1 if check and done.better else 0


#: Options about the place of a router's queue, with their defaults.
_OF_ROUTER = {
    "box": None, "name": None, "rate": None, "link": None, "buffer": None, "rtt": None, "flows": None,
    "packet": "1500B",
}  # fmt: skip


def _refuse_of_router(options: Mapping[str, Any]) -> None:
    """Raises UsageError for options that describe the place of a router's queue, together with the rates of a line."""
    from ..errors import Problem, UsageError

    rule = "belongs to a router's configuration, and the rates of a line were given"
    given = [
        Problem("--from" if name == "box" else f"--{name}", options[name], rule, "leave it out")
        for name, default in _OF_ROUTER.items()
        if options[name] != default
    ]
    if given:
        raise UsageError.of(given)


def _line(rates: str, box: str, duration: str | None) -> tuple[str, list[Place]]:
    """The empty configuration of a line, and its two queues in runs of this duration."""
    from ..fixes import home

    held, places = home.line(rates, box=box)
    if duration is None:
        return held, places
    return held, [replace(one, base=configurations.lasting(one.base, duration)) for one in places]


def _places(
    file: str, box: str | None, name: str | None, cases: list[QueueSetting], *, rtt: str | None, packet: str,
    duration: str | None,
) -> tuple[str, list[Place]]:  # fmt: skip
    """The text of a configuration, and each of its queues in its place under every condition; priority queues are left
    out."""
    from .. import boxes
    from ..errors import DropcurveError
    from ..fixes import place
    from ..quantities import units

    size = units.size(packet, what="packet")
    text = configurations.contents(file)
    places = []
    for one in cases:
        options = configurations.reading(file, rate=one.rate, buffer=one.buffer, packet=size)
        if name is None:
            queues = _of_transfers(boxes.read_all(text, box=box, **options), first=one is cases[0])
        else:
            queues = [boxes.read(text, box=box, name=name, **options)]
        # A shaper of the text holds the rate, whatever the link has.
        places.append([
            place(
                queue, rate_bps=None if queue.rate_bps else one.rate, rtt_s=configurations.round_trip(rtt, queue.box),
                flows=one.flows, packet_bytes=size, link=one.link, name=configurations.title(file),
            )
            for queue in queues
        ])  # fmt: skip
        configurations.say_unneeded(one.rate if one is cases[0] else None, queues)
    if not places[0]:
        raise DropcurveError(
            "file",
            file,
            "holds priority queues alone; there is nothing below them to set",
            "give the class that carries the bulk a queue of its own",
            shown="value",
        )
    return text, [configurations.gathered(list(some), cases, duration) for some in zip(*places, strict=True)]


def _of_transfers(queues: Sequence[Import], *, first: bool) -> list[Import]:
    """The queues that transfers fill: neither priority queues nor those of calls alone, which are named."""
    from . import console

    calls = [one for one in queues if one.calls_alone and not one.urgent]
    if calls and first:
        names = ", ".join(one.title for one in calls)
        console.say(
            f"{names}: calls alone (DSCP EF), which fill no queue below their rate: not judged; priority would serve "
            "them first (--name judges it with transfers all the same)"
        )
    return [one for one in queues if not one.urgent and not one.calls_alone]


@contextmanager
def _steps(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function that prints a step with the time since the start, where nothing else shows progress."""
    from . import console

    began = clock.monotonic()
    shown = not quiet and not console.moves_cursor()
    yield lambda step: console.say(f"{clock.monotonic() - began:5.0f} s  {step}") if shown else None
