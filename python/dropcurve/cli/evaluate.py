"""dropcurve evaluate: the RFC 7928 guidelines as a report card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..evaluation import Card
from . import options as o

Queue = Annotated[
    str,
    typer.Argument(
        metavar="KIND[:KEY=VALUE,...]|all", help="The discipline to judge; all: every one, on one page."
    ),
]
Write = Annotated[Path | None, o.shared("write", "the page of `all`; default: standard output")]
Against = Annotated[
    str, typer.Option(metavar="KIND[:KEY=VALUE,...]", help="The baseline, with the same buffer.")
]
Replications = Annotated[int, o.shared("replications", "of each test")]


#: Rate and round trip of the tests where none is named.
RATE, RTT = "10Mbit", "100ms"


def evaluate(
    queue: Queue,
    against: Against = "droptail",
    link: o.Link = None,
    rate: o.Rate = None,
    rtt: o.Rtt = None,
    buffer: o.Buffer = None,
    duration: o.Duration = "60 s",
    replications: Replications = 5,
    seed: o.Seed = 1,
    jobs: o.Jobs = None,
    write: Write = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Grade a discipline by the tests of RFC 7928.

    Twenty tests and the cost: kinds of senders, different round trips, bursts, levels of congestion, a changing rate,
    mixed and two-way traffic, two queues in a row. In each test the discipline and tail drop run under common random
    numbers; a difference counts if it is significant after adjustment for all tests. The card opens with a verdict.

    The tests have their own traffic, so --link sets only the rate, the round trip and the buffer (default: 10Mbit,
    100ms and one bandwidth-delay product). A range gets a card for each end.

    \b
    Examples:
      dropcurve evaluate pie
      dropcurve evaluate fq_codel --link cable:up
      dropcurve evaluate all --duration "30 s" --write cards.md
      dropcurve evaluate red:ns2 --against codel --rate 100Mbit --rtt 20-80ms
      dropcurve evaluate "red:min_th=10 pkts,max_th=30 pkts,max_p=0.05" --json
    """
    from ..quantities import units
    from ..runs import command_line
    from . import console

    if queue == "all":
        return _all(
            settings(link, rate=rate, rtt=rtt, buffer=buffer)[0], against=against, duration=duration,
            replications=replications, seed=seed, jobs=jobs, write=write, json=json, quiet=quiet,
            shown=[("link", link), ("rate", rate), ("rtt", rtt), ("buffer", buffer)],
        )  # fmt: skip
    tested = settings(link, rate=rate, rtt=rtt, buffer=buffer)
    cards = _cards(
        tested, quiet=quiet or json, queue=queue, against=against, replications=replications, seed=seed, jobs=jobs,
        seconds=units.span(duration or "60 s", what="duration"),
    )  # fmt: skip
    if json:
        console.data(cards[0].data() if len(cards) == 1 else [one.data() for one in cards])
    elif not quiet:
        print("\n\n".join(map(str, cards)))
    problems = [problem for card in cards for problem in card.problems]
    for problem in problems:
        console.say(f"dropcurve: {problem}")
    shown = [
        ("against", None if against == "droptail" else against), ("link", link), ("rate", rate), ("rtt", rtt),
        ("buffer", buffer), ("duration", None if duration == "60 s" else duration),
        ("replications", replications if replications != 5 else None), ("seed", seed if seed != 1 else None),
    ]  # fmt: skip
    console.again(command_line.line("evaluate", [queue], shown), quiet=quiet)
    return 1 if problems else 0


def _cards(
    tested: list[tuple[float, float, float | None]], *, quiet: bool, queue: str, **options: Any
) -> list[Card]:
    """A card for each link."""
    from ..evaluation import evaluate as work
    from . import console

    cards = []
    for done, (rate_bps, rtt_s, size) in enumerate(tested):
        with console.progress(quiet=quiet, noun="test") as report:

            def on_test(title: str, number: int, tests: int, done: int = done, report: Any = report) -> None:
                if report is not None:
                    whole = tests * len(tested)
                    report(done * tests + number - 1, whole, (done * tests + number - 1) / whole)

            cards.append(
                work(queue, rate_bps=rate_bps, rtt_s=rtt_s, buffer=size, progress=on_test, **options)
            )
    return cards


def _all(
    setting: tuple[float, float, float | None], *, against: str, duration: str | None, replications: int, seed: int,
    jobs: int | None, write: Path | None, json: bool, quiet: bool, shown: list[tuple[str, Any]],
) -> int:  # fmt: skip
    """Writes the cards of every discipline on one page."""
    from ..evaluation.overview import overview
    from ..files.writing import write_text
    from ..quantities import units
    from ..runs import command_line
    from . import console

    command = command_line.line("evaluate", ["all"], [
        ("against", None if against == "droptail" else against), *shown,
        ("duration", None if duration == "60 s" else duration),
        ("replications", replications if replications != 5 else None), ("seed", seed if seed != 1 else None),
        ("write", None if write is None else str(write)),
    ])  # fmt: skip
    with console.progress(quiet=quiet or json, noun="discipline") as report:

        def on_test(kind: str, number: int, whole: int) -> None:
            if report is not None:
                report(number - 1, whole, (number - 1) / whole)

        cards = overview(
            command=command, progress=on_test, against=against, rate_bps=setting[0], rtt_s=setting[1],
            buffer=setting[2],
            seconds=units.span(duration or "60 s", what="duration"), replications=replications, seed=seed, jobs=jobs,
        )  # fmt: skip
    if json:
        console.data(cards.data())
    elif write is None:
        print(cards.markdown(), end="")
    if write is not None:
        write_text(write, cards.markdown())
        console.say(f"page  {write}")
    return 0


def settings(
    link: str | None, *, rate: str | None, rtt: str | None, buffer: str | None
) -> list[tuple[float, float, float | None]]:
    """The links to test on: rate in bit/s, round trip in seconds, buffer in packets (None: one bandwidth-delay
    product).

    Args:
        link: As `links.spec` takes it; its round trip is the middle of its range.
        rate: Overrides that of the link; a range has both ends.
        rtt: Likewise.
        buffer: Likewise.

    Raises:
        UsageError: For invalid values.
    """
    from ..quantities import units
    from ..scenario import links

    if link is not None:
        given = {"rate": rate, "rtt": rtt, "buffer": buffer}
        profile = links.spec(
            link, **links.overrides(link, **{k: v for k, v in given.items() if v is not None})
        )
        ends = (0.0, 1.0) if profile.varying else (0.0,)
        profiles = [profile.at({key: axis.at(end) for key, axis in profile.varying.items()}) for end in ends]
        return [
            (one.rate_bps(profile.direction), (one.rtt_s[0] * one.rtt_s[1]) ** 0.5, one.buffer_pkts(profile.direction))
            for one in profiles
        ]  # fmt: skip
    rates = units.between(rate or RATE, units.rate, what="rate")
    trips = units.between(rtt or RTT, lambda text: units.span(text, what="rtt"), what="rtt")
    cases = []
    for number in (0, 1):

        def packets(text: str, number: int = number) -> float:
            return units.buffer(text, rate_bps=rates[number], rtt_s=trips[number], packet_bytes=1500)

        size = None if buffer is None else units.between(buffer, packets, what="buffer")[number]
        cases.append((rates[number], trips[number], size))
    return list(dict.fromkeys(cases))
