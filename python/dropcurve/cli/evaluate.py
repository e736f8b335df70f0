"""dropcurve evaluate: the RFC 7928 guidelines as a report card."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o

Queue = Annotated[str, typer.Argument(metavar="KIND[:KEY=VALUE,...]", help="The discipline to judge.")]
Against = Annotated[
    str, typer.Option(metavar="KIND[:KEY=VALUE,...]", help="The baseline, with the same buffer.")
]
Rate = Annotated[str, typer.Option(metavar="RATE", help="Of the bottleneck.")]
Rtt = Annotated[str, typer.Option(metavar="TIME", help="Round trip without queueing.")]
Buffer = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Of the queue (one bandwidth-delay product).")
]
Replications = Annotated[int, typer.Option(metavar="N", help="Runs of each test, for each of the two.")]


def evaluate(
    queue: Queue,
    against: Against = "droptail",
    rate: Rate = "10Mbit",
    rtt: Rtt = "100ms",
    buffer: Buffer = None,
    duration: o.Duration = "60 s",
    replications: Replications = 5,
    seed: o.Seed = 1,
    jobs: o.Jobs = None,
    json: o.Json = False,
) -> int:
    """A report card after RFC 7928.

    Thirteen tests: kinds of senders, unlike round trips, bursts, levels of congestion, a changing rate, mixed and
    two-way traffic, two queues in a row. In each the discipline and tail drop run under the same random numbers;
    differences count if they are real when all questions are asked at once. The card opens with a verdict.

    \b
    Examples:
      dropcurve evaluate pie
      dropcurve evaluate red:ns2 --against codel --rate 100Mbit --rtt 40ms
      dropcurve evaluate "red:min_th=10 pkts,max_th=30 pkts,max_p=0.05" --json
    """
    from ..evaluation import evaluate as work
    from ..quantities import units
    from ..runs import command_line
    from . import console

    size = None if buffer is None else units.packets(buffer, packet_bytes=1500)
    with console.progress(quiet=json) as told:

        def tell(title: str, number: int, tests: int) -> None:
            if told is not None:
                told(number - 1, tests, (number - 1) / tests)

        card = work(
            queue, against=against, rate_bps=units.rate(rate), rtt_s=units.span(rtt, what="rtt"),
            buffer=size, seconds=units.span(duration or "60 s", what="duration"), replications=replications,
            seed=seed, jobs=jobs,
            progress=tell,
        )  # fmt: skip
    if json:
        console.data(card.data())
    else:
        print(card)
    for problem in card.problems:
        console.say(f"dropcurve: {problem}")
    shown = [
        ("against", None if against == "droptail" else against), ("rate", rate), ("rtt", rtt), ("buffer", buffer),
        ("duration", None if duration == "60 s" else duration), ("replications", replications), ("seed", seed),
    ]  # fmt: skip
    console.again(command_line.line("evaluate", [queue], shown))
    return 1 if card.problems else 0
