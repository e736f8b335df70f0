"""dropcurve advise: closed-form designs for a link, in a second."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o


def advise(
    scenario: Annotated[
        str | None, typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of a shipped one.")
    ] = None,
    link: o.Link = None,
    rate: o.Rate = None,
    rtt: o.Rtt = None,
    flows: o.Flows = None,
    buffer: o.Buffer = None,
    packet: o.Packet = "1500B",
    goal: o.Goal = None,
    ecn: o.Ecn = False,
    json: o.Json = False,
) -> int:
    """Compute starting designs for a link from published formulas.

    Nothing is simulated: each design comes with its formula and source, the queue and drops that the models expect,
    its distance from oscillation, and its known weaknesses. A range of rates or buffers counts with its low end,
    and a goal with its bound on the delay.

    \b
    Examples:
      dropcurve advise --rate 100Mbit --rtt 20-200ms --flows 5-100 --buffer 1000pkts
      dropcurve advise --rate 10Mbit --rtt 40ms --flows 8 --goal "p95 delay < 20ms"
      dropcurve advise --link cable:up --goal "p95 delay < 20ms"
      dropcurve advise droptail_vs_red
    """
    from ..advise import advise as work
    from ..runs import command_line
    from ..tuning import goal as goals
    from . import console

    if goal is not None:
        goals.parse(goal)
    advice = work(
        scenario, link=link, rate=rate, rtt=rtt, flows=flows, buffer=buffer, packet=packet, goal=goal, ecn=ecn
    )
    if json:
        console.data(advice.data())
    else:
        print(advice.text(width=console.width()))
    arguments = [scenario] if scenario else []
    shown = [
        ("link", link), ("rate", rate), ("rtt", rtt), ("flows", flows), ("buffer", buffer),
        ("packet", None if packet == "1500B" else packet), ("goal", goal), ("ecn", ecn),
    ]  # fmt: skip
    console.again(command_line.line("advise", arguments, shown))
    return 0
