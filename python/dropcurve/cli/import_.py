"""dropcurve import: reads an existing configuration as a discipline and a scenario, and judges it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..boxes import Import
from ..files.writing import write_text
from ..present.document import Headline
from ..results import Result
from ..scenario import Scenario
from ..verdict import Exchange
from . import configurations
from . import options as o
from .queue_settings import settings

if TYPE_CHECKING:
    from ..fixes import Place

#: The name of the imported queue among the variants.
YOURS = "yours"
#: Queues that an imported queue is compared with.
RIVALS = ("droptail", "ared", "codel", "pie", "fq_codel", "cake")
#: Metrics of the comparison.
SHOWN = ["utilisation", "loss", "sojourn_ms_mean", "sojourn_ms_p95", "goodput_bps", "jain"]


File = Annotated[str, typer.Argument(metavar="FILE", help="The configuration, or - for standard input.")]
Name = Annotated[str | None, o.shared("name", "the one to read if the text has several")]
Write = Annotated[Path | None, o.shared("write", "a scenario with this queue; needs a rate")]
Compare = Annotated[
    bool,
    typer.Option(
        "--compare", help=f"Simulate it and {', '.join(RIVALS)} and the advised RED; open with a verdict."
    ),
]
Replications = Annotated[int, o.shared("replications", "with --compare")]


def import_(
    file: File,
    box: configurations.Box = None,
    name: Name = None,
    rate: configurations.Rate = None,
    rtt: configurations.Rtt = None,
    flows: configurations.Flows = None,
    buffer: configurations.Buffer = None,
    packet: o.Packet = "1500B",
    write: Write = None,
    out: o.FormerOut = None,
    compare: Compare = False,
    replications: Replications = 5,
    link: o.Link = None,
    duration: o.Duration = None,
    exchange: o.ExchangeRate = None,
    json: o.Json = False,
) -> int:
    """Read a router's configuration as a discipline, and judge it.

    Takes tc commands and the output of tc qdisc show (also -j), IOS configurations and show policy-map, Junos stanzas
    and set lines, SONiC's CONFIG_DB and OpenConfig JSON, sections of sqm-scripts, exports of RouterOS, policies of VyOS
    and dummynet's pipes. Values that the text leaves out are assumed, and listed in notes.

    \b
    Examples:
      dropcurve import router.cfg --rate 100Mbit --rtt 40ms --flows 20 --compare
      tc -d qdisc show dev eth0 | dropcurve import - --rate 100Mbit
      dropcurve import router.cfg --rate 100Mbit --write mine.toml
    """
    from ..boxes import text
    from ..quantities import units
    from ..runs import command_line
    from . import console

    o.refuse_out(out, "the scenario")
    size = units.size(packet, what="packet")
    configuration = configurations.contents(file)
    cases = settings(rate=rate, flows=flows, buffer=buffer, link=link)
    queue = _parsed(configuration, file, box, name, rate=cases[0].rate, buffer=cases[0].buffer, packet=size)
    rate_of_exchange = None if exchange is None else Exchange.parse(exchange)
    if not compare:
        _check_unused(rtt=rtt, link=link, duration=duration, replications=replications)
    shown = [
        ("from", box), ("name", name), ("rate", rate), ("rtt", rtt), ("flows", flows), ("buffer", buffer),
        ("link", link), ("compare", compare),
        ("replications", replications if compare else None), ("duration", duration), ("exchange", exchange),
    ]  # fmt: skip
    command = command_line.line("import", [file], shown)
    if json and not compare:
        console.data(text.import_data(queue))
    elif not json and not compare:
        print(text.import_text(queue, width=console.width()), flush=True)
    if write is not None or compare:
        configurations.say_unneeded(cases[0].rate, [queue])
        where = configurations.gathered([
            _place(
                _parsed(configuration, file, box, name, rate=one.rate, buffer=one.buffer, packet=size), one.link,
                rate=one.rate, rtt=rtt, flows=one.flows, packet=size, name=configurations.title(file),
            )
            for one in cases
        ], cases, duration)  # fmt: skip
        if write is not None:
            write_text(write, where.base.to_toml())
            console.say(f"scenario  {write}")
        if compare:
            _compare(where, replications, command=command, quiet=json, exchange=rate_of_exchange)
        else:
            console.again(command)
    return 0


def _check_unused(*, rtt: str | None, link: str | None, duration: str | None, replications: int) -> None:
    """Raises UsageError for invalid values of options that a plain import does not use."""
    from ..errors import UsageError
    from ..quantities import units
    from ..scenario import links

    configurations.round_trip(rtt, "")
    if link is not None:
        links.parse(link)
    if duration is not None:
        units.span(duration, what="duration")
    if replications < 1:
        raise UsageError(
            "replications", replications, "must be 1 or more", "choose 5 or more for an interval"
        )


def _parsed(
    text: str,
    file: str,
    box: str | None,
    name: str | None,
    *,
    rate: float | None,
    buffer: str | None,
    packet: int,
) -> Import:
    from .. import boxes

    options = configurations.reading(file, rate=rate, buffer=buffer, packet=packet)
    return boxes.read(text, box=box, name=name, **options)


def _place(
    queue: Import,
    link: str | None,
    *,
    rate: float | None,
    rtt: str | None,
    flows: int | None,
    packet: int,
    name: str,
) -> Place:
    """The imported queue in its scenario: on the link that is named, at the rate that is given or that a shaper
    states; else on a link made of rate, round trip and flows."""
    from ..fixes import place

    span = configurations.round_trip(rtt, queue.box)
    # A shaper of the text holds the rate, whatever the link has.
    given = None if queue.rate_bps else rate
    return place(queue, rate_bps=given, rtt_s=span, flows=flows, packet_bytes=packet, link=link, name=name)


def _compare(
    where: Place, replications: int, *, command: str, quiet: bool, exchange: Exchange | None
) -> None:
    """Simulates the imported queue and its rivals, and prints verdict and table."""
    from ..fixes.queues import of_place
    from ..runs.effort import Effort
    from ..runs.replicate import replicate
    from . import console

    queue, base = where.imported, where.base
    variants = {
        f"{one.condition} {title}".strip(): scenario
        for one in where.conditions
        for title, scenario in {YOURS: one.base, **_rivals(one)}.items()
    }
    with console.progress(quiet=quiet) as progress:
        effort = Effort(replications=replications)
        began = time.monotonic()
        result = replicate(variants, effort, name=base.name, command=command, progress=progress)
    result = of_place(result, where)
    from ..boxes import text
    from ..fixes.designs import loadable

    def able(kind: str) -> bool:
        return loadable(where, kind)

    if quiet:
        from ..results import folders

        opening = opening_of(
            result, box=queue.box, exchange=exchange, yours=_named(where), loads=able,
            unsimulated=where.unsimulated,
        )  # fmt: skip
        answer = None if opening is None else asdict(opening)
        console.data(text.import_data(queue) | {"answer": answer, "comparison": folders.record(result)})
        return
    seconds = (time.monotonic() - began) / replications
    print(
        judged(
            result,
            box=queue.box,
            exchange=exchange,
            seconds=seconds,
            yours=_named(where),
            basis=where.basis,
            loads=able,
            unsimulated=where.unsimulated,
        )
    )
    print(f"\n{where.yours.capitalize()} as it was read:\n\n{text.import_text(queue, width=console.width())}")


def _named(where: Place) -> str:
    """The imported queue in sentences, with its name where the text has others."""
    return (
        f"{where.yours} of {where.imported.title}"
        if where.imported.others and where.imported.title
        else where.yours
    )


def judged(
    result: Result, *, box: str, exchange: Exchange | None = None, seconds: float | None = None,
    yours: str = "your queue", basis: str = "", loads: Callable[[str], bool] | None = None, unsimulated: str = "",
) -> str:  # fmt: skip
    """The comparison of an imported queue as text: whether to keep it, then the table.

    Args:
        result: Its first variant, `YOURS`, is the imported queue.
        box: The box of the queue: only designs that it can load are recommended.
        exchange: Between delay and utilisation; by default that of the round trip.
        seconds: Time that one more replication takes.
        yours: Name of the imported queue in sentences.
        basis: Sentence on its place.
        loads: Whether the box can load a kind of queue in this place; by default whether it has the kind.
        unsimulated: Functions of the imported queue that no run shows, in words.
    """
    from ..present import terminal
    from . import console

    opening = opening_of(
        result, box=box, exchange=exchange, seconds=seconds, yours=yours, loads=loads, unsimulated=unsimulated
    )
    if opening is not None and basis:
        opening = replace(opening, details=(*opening.details, basis))
    document = replace(result.document(only=SHOWN), headline=opening)
    return terminal.render(document, width=console.width())


def opening_of(
    result: Result, *, box: str, exchange: Exchange | None = None, seconds: float | None = None,
    yours: str = "your queue", loads: Callable[[str], bool] | None = None, unsimulated: str = "",
) -> Headline | None:  # fmt: skip
    """The verdict on an imported queue against those of its rivals that the box can load: those for which ``loads`` is
    true, by default those of a kind that the box has."""
    from .. import boxes
    from ..results.recommendation import kind_of, verdict_on
    from ..verdict import headline, ranking

    known = boxes.kinds(box)
    able = loads or (lambda kind: kind in known)
    loadable = [v.name for v in result.variants if f" {v.name}".endswith(f" {YOURS}") or able(kind_of(v))]
    verdict = verdict_on(result, current=YOURS, exchange=exchange, among=loadable, unsimulated=unsimulated)
    if verdict is None:
        return None
    names = {YOURS: yours}
    opening = headline(verdict, seconds=seconds, names=names)
    return replace(opening, ranking=tuple(map(tuple, ranking(verdict, names=names))))


def _rivals(where: Place) -> dict[str, Scenario]:
    """The scenario with each rival, with the buffer of its discipline (`designs.buffer`), the imported queue's use of
    ECN and, for CAKE, its overhead of the line; none that is the imported queue itself."""
    from .. import boxes
    from ..advise import advise
    from ..errors import DropcurveError
    from ..fixes.designs import FAIR, buffer
    from ..quantities import units

    ecn: dict[str, object] = {"ecn": True} if where.imported.params.get("ecn") is True else {}
    queues: dict[str, dict[str, object]] = {name: {"limit": buffer(where, name), **ecn} for name in RIVALS}
    queues["droptail"].pop("ecn", None)
    # CAKE sizes its buffer by rate and round trip.
    queues["cake"].pop("limit")
    queues["cake"] |= where.kept
    if where.framing or not (where.policed or where.imported.above):
        # Without the line's rate CAKE cannot size its targets.
        queues["cake"] |= where.framing.params | {"bandwidth": units.show_rate(where.rate_bps)}
    rivals = {name: where.put(name, params) for name, params in queues.items()}
    rivals = {name: scenario for name, scenario in rivals.items() if scenario.hash != where.base.hash}
    if "drr" in (known := boxes.kinds(where.imported.box)) and "fq_codel" not in known:
        # The fair queue of routers, the only one there that isolates flows.
        rivals["fair-queue"] = where.put(
            "drr", {"limit": buffer(where, "drr"), "queues": FAIR["fair-queue 1024"]}
        )
    try:
        design = advise(where.own).design("RED by the queue law")
    except DropcurveError:
        # The formulas know long TCP flows alone.
        return rivals
    return {**rivals, "advised RED": where.put(design.discipline, dict(design.params))}
