"""dropcurve advise: closed-form designs for a link, in a second."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o

Rate = Annotated[str | None, typer.Option(metavar="RATE", help="Rate of the link: 100Mbit, 1Gbit.")]
Rtt = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Round trip without queueing, or its range: 40ms, 20-200ms."),
]
Flows = Annotated[
    str | None, typer.Option(metavar="N", help="Long TCP flows at the same time, or their range: 5-100.")
]
Buffer = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Size of the queue: 1000pkts, 1.5MB (advised if left out)."),
]
Packet = Annotated[str, typer.Option(metavar="SIZE", help="Size of a full packet, headers included.")]
Goal = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help='Goal; a delay in it sets the target: "p95 delay < 15ms".'),
]
Ecn = Annotated[bool, typer.Option("--ecn", help="Flows and box use ECN: mark instead of drop.")]


def advise(
    scenario: Annotated[
        str | None, typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of a shipped one.")
    ] = None,
    rate: Rate = None,
    rtt: Rtt = None,
    flows: Flows = None,
    buffer: Buffer = None,
    packet: Packet = "1500B",
    goal: Goal = None,
    ecn: Ecn = False,
    json: o.Json = False,
) -> int:
    """Starting designs for a link, from formulas.

    Nothing is simulated: each design comes with its formula and source, the queue and drops the models expect, how
    far it is from oscillating, and where it is known to fail.

    \b
    Examples:
      dropcurve advise --rate 100Mbit --rtt 20-200ms --flows 5-100 --buffer 1000pkts
      dropcurve advise --rate 10Mbit --rtt 40ms --flows 8 --goal "p95 delay < 20ms"
      dropcurve advise droptail_vs_red
    """
    from ..advise import advise as work
    from ..runs import command_line
    from . import console

    found = work(scenario, rate=rate, rtt=rtt, flows=flows, buffer=buffer, packet=packet, goal=goal, ecn=ecn)
    if json:
        console.data(found.data())
    else:
        print(found.text(width=console.width()))
    arguments = [scenario] if scenario else []
    shown = [
        ("rate", rate), ("rtt", rtt), ("flows", flows), ("buffer", buffer),
        ("packet", None if packet == "1500B" else packet), ("goal", goal), ("ecn", ecn),
    ]  # fmt: skip
    console.again(command_line.line("advise", arguments, shown))
    return 0
