"""dropcurve fix: a box's configuration in, a better one out."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..boxes.fix import Fix
from ..present import Headline
from . import import_ as i
from . import options as o

Shape = Annotated[
    bool,
    typer.Option("--shape", help="Put a shaper of the link's rate above the new queue, where there is none."),
]
Check = Annotated[
    bool, typer.Option("--check", help="Exit with 1 if another queue is to be loaded; for pipelines.")
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the new configuration here.")]
Replications = Annotated[int, typer.Option(metavar="N", help="Runs of each design.")]


def fix(
    file: i.File,
    box: i.Box = None,
    name: i.Name = None,
    rate: i.Rate = None,
    rtt: i.Rtt = "40ms",
    flows: i.Flows = 20,
    link: o.Link = None,
    buffer: i.Buffer = None,
    packet: i.Packet = "1500B",
    shape: Shape = False,
    replications: Replications = 5,
    duration: o.Duration = None,
    exchange: o.ExchangeRate = None,
    out: Out = None,
    check: Check = False,
    json: o.Json = False,
) -> int:
    """Find a better queue for a configuration, and write it as a change of the same text.

    The queue in the text is simulated next to designs that the box can load, each as the box would load it. The answer
    says whether to keep it; if not, the difference to load, with shapers and class names kept.

    \b
    Examples:
      dropcurve fix router.cfg --rate 100Mbit --rtt 20-60ms --flows 20
      dropcurve fix sqm.sh --link 20/2:up --shape --out better.sh
      dropcurve fix router.cfg --rate 100Mbit --check
    """
    from ..boxes import fix as boxes_fix
    from ..runs import command_line
    from ..verdict import Exchange
    from . import console

    weighed = None if exchange is None else Exchange.parse(exchange)
    held, found, base = i.imported(
        file,
        box,
        name,
        rate=rate,
        rtt=rtt,
        flows=flows,
        link=link,
        buffer=buffer,
        packet=packet,
        duration=duration,
    )
    shown = [
        ("from", box), ("name", name), ("rate", rate), ("rtt", rtt if rtt != "40ms" else None),
        ("flows", flows if flows != 20 else None), ("link", link), ("buffer", buffer),
        ("packet", packet if packet != "1500B" else None), ("shape", shape),
        ("replications", replications if replications != 5 else None), ("duration", duration), ("exchange", exchange),
    ]  # fmt: skip
    command = command_line.line("fix", [file], shown)
    began = time.monotonic()
    with console.progress(quiet=json) as progress:
        done = boxes_fix.fix(
            found, held, base, shape=shape, name=name, replications=replications, exchange=weighed, command=command,
            progress=progress,
        )  # fmt: skip
    opening = _opening(done, (time.monotonic() - began) / replications)
    if json:
        console.data(_data(done, opening))
    else:
        print(_text(done, opening, width=console.width()))
    if out is not None:
        out.write_text(done.after, encoding="utf-8")
        console.say(f"configuration  {out}")
    return 1 if check and done.better else 0


def _opening(done: Fix, seconds: float) -> Headline:
    from ..boxes.fix import YOURS
    from ..verdict import headline

    return headline(done.verdict, seconds=seconds, names={YOURS: "your queue"})


def _data(done: Fix, opening: Headline) -> dict[str, object]:
    from ..boxes import text

    return {
        "answer": asdict(opening), "change": done.better, "in_place": done.in_place, "diff": done.diff,
        "configuration": done.after, "import": text.import_data(done.found),
        "load": text.export_data(done.exports[done.verdict.recommended]) if done.better else None,
    }  # fmt: skip


def _text(done: Fix, opening: Headline, *, width: int) -> str:
    """Verdict, difference, what to know of it, and the table of all designs."""
    from ..boxes import text
    from ..boxes.fix import YOURS
    from ..present import terminal
    from ..results.document import assumptions
    from ..verdict import ranking

    parts = [terminal.opening(opening, width=width)]
    if done.better:
        made = done.exports[done.verdict.recommended]
        parts.append(done.diff if done.in_place else f"Load on {done.found.box}:\n\n{done.after.rstrip()}")
        parts += ["\n".join(text.notes(made.notes, width=width))] if made.notes else []
    if done.found.others:
        parts.append(f"Other queues in this text, each with --name: {', '.join(done.found.others)}")
    parts.append(terminal.columns(ranking(done.verdict, names={YOURS: "your queue"})))
    parts += [*assumptions(done.result), f"Again:  {done.result.command}"]
    return "\n\n".join(parts)
