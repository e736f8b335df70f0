"""dropcurve model: throughput and queue by published models of TCP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

import typer

from ..advise.equilibrium import Curve
from ..advise.models import Path as Connection
from ..advise.models import QueueLaw
from . import options as o

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Header bytes of a segment on the link: IP and TCP without options.
HEADERS_BYTES = 40


Rtt = Annotated[str, o.shared("rtt", "with queueing; without it where --red is given")]
Loss = Annotated[str | None, typer.Option(metavar="SHARE", help="Rate of loss events: 1%, 0.001.")]
Throughput = Annotated[
    str | None,
    typer.Option(
        metavar="RATE", help="Throughput to compute the loss rate for, instead of --loss, such as 5Mbit."
    ),
]
Laws = Annotated[
    list[str] | None,
    typer.Option(metavar="LAW", help="Only this law, such as pftk, or bbr with --rate. Repeatable."),
]
Mss = Annotated[str, typer.Option(metavar="SIZE", help="Size of a segment, without headers.")]
Rto = Annotated[str, typer.Option(metavar="TIME", help="First retransmission timeout.")]
Acks = Annotated[int, typer.Option(metavar="B", help="Segments that share an acknowledgement: 1 or 2.")]
Window = Annotated[str | None, typer.Option(metavar="SIZE", help="Receiver's window: 64kB, 44pkts.")]
BurstLoss = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Share of the rest of a window that is lost with its first packet (NewReno; as --loss).",
    ),
]
Rate = Annotated[str | None, o.shared("rate", "adds BBR")]
Flows = Annotated[str | None, o.shared("flows", "with --red")]
Red = Annotated[
    str | None,
    typer.Option(
        metavar="MIN,MAX,P,LIMIT", help="RED queue whose operating point is computed, such as 5,15,0.1,60."
    ),
]
Gentle = Annotated[bool, typer.Option("--gentle", help="With --red: gentle above max_th.")]
Plot = Annotated[
    FilePath | None, typer.Option(metavar="FILE", help="Draw the curves to this file: .svg, .png or .pdf.")
]


def model(
    rtt: Rtt, loss: Loss = None, throughput: Throughput = None, law: Laws = None, mss: Mss = "1460B", rto: Rto = "1s",
    acks: Acks = 2, window: Window = None, burst_loss: BurstLoss = None, rate: Rate = None, flows: Flows = None,
    red: Red = None, gentle: Gentle = False, plot: Plot = None, json: o.Json = False,
) -> int:  # fmt: skip
    """Compute throughput from loss and round-trip time, or the reverse, by published models.

    With --red: the operating point of a RED queue by the model of Firoiu and Borden, where the loss that TCP needs
    equals the loss that RED causes. Nothing is simulated.

    \b
    Examples:
      dropcurve model --rtt 100ms --loss 1%
      dropcurve model --rtt 100ms --throughput 5Mbit --plot laws.svg
      dropcurve model --rtt 100ms --rate 10Mbit --flows 40 --red 5,30,0.1,60 --plot queue.svg
    """
    from dataclasses import asdict

    from ..advise.models import Path, answer
    from ..errors import UsageError
    from ..plot import style, tcp_models
    from ..quantities import units, values
    from . import console

    mss_bytes = units.size(mss, what="mss")
    path = Path(
        units.span(rtt, what="rtt"), mss_bytes, units.span(rto, what="rto"), acks,
        float("inf") if window is None else units.packets(window, packet_bytes=mss_bytes, what="window"),
        None if burst_loss is None else values.share(burst_loss, "--burst-loss"),
    )  # fmt: skip
    bottleneck = None if rate is None else units.rate(rate)
    width = style.COLUMN_IN * 1.4
    _check_effects(red, {"--loss": loss, "--throughput": throughput, "--law": law, "--window": window,
                         "--burst-loss": burst_loss}, {"--flows": flows, "--gentle": gentle})  # fmt: skip
    if red is not None:
        queue, curve = _queue(path, bottleneck, flows, red, gentle=gentle)
        _save(plot, lambda: tcp_models.crossing(queue, curve, width))
        if json:
            console.data(asdict(queue))
        else:
            print(answer.sentence(queue))
        return 0
    if (loss is None) == (throughput is None):
        raise UsageError(
            "--loss, --throughput",
            "",
            "exactly one of them is needed",
            "give either --loss or --throughput (or --red with --rate and --flows)",
        )
    rows = answer.rows(
        path, names=law or (), rate_bps=bottleneck,
        loss_rate=None if loss is None else values.share(loss, "--loss"),
        throughput_bps=None if throughput is None else units.rate(throughput, what="throughput"),
    )  # fmt: skip
    given = None if throughput is None else units.rate(throughput, what="throughput")
    _save(
        plot, lambda: tcp_models.over_loss(path, law or (), width, rate_bps=bottleneck, throughput_bps=given)
    )
    if json:
        console.data([asdict(row) for row in rows])
    else:
        print(answer.table(rows))
    return 0


def _check_effects(red: str | None, laws: dict[str, object], queue: dict[str, object]) -> None:
    """Raises UsageError for options that have no effect: those of the laws with --red, those of the queue without."""
    from ..errors import UsageError

    useless = [name for name, value in (queue if red is None else laws).items() if value]
    if useless:
        rule, remedy = ("without", "give --red") if red is None else ("with", "leave out --red")
        raise UsageError(
            ", ".join(useless),
            "",
            f"no effect {rule} --red",
            f"leave {'it' if len(useless) == 1 else 'them'} out, or {remedy}",
        )


def _queue(
    path: Connection, rate_bps: float | None, flows: str | None, red: str, *, gentle: bool
) -> tuple[QueueLaw, Curve]:
    """The crossing for a RED queue given as ``MIN,MAX,P,LIMIT``. Raises UsageError."""
    from ..advise.equilibrium import Curve
    from ..advise.models import queue_law
    from ..errors import UsageError
    from ..quantities import units

    if rate_bps is None or flows is None:
        raise UsageError(
            "--red", red, "needs --rate and --flows: where a queue settles depends on both", "give both"
        )
    try:
        low, high, max_p, limit = (float(part) for part in red.split(","))
    except ValueError:
        raise UsageError(
            "--red", red, "must be MIN,MAX,P,LIMIT in packets", "write four numbers, such as 5,15,0.1,60"
        ) from None
    if not 0 < max_p <= 1:
        raise UsageError(
            "max_p", f"{max_p:g}", "must lie above 0 and at most at 1", "write a probability such as 0.1"
        )
    curve = Curve(low, high, max_p, above="gentle" if gentle else "drop", limit=limit)
    rate_pps = rate_bps / (8.0 * (path.mss_bytes + HEADERS_BYTES))
    count = units.count(flows, what="flows")
    return queue_law(
        rate_pps=rate_pps, rtt_s=path.rtt_s, flows=count, curve=curve, b=path.b, rto_s=path.rto_s
    ), curve


def _save(file: FilePath | None, draw: Callable[[], Figure]) -> None:
    """Writes a figure in the format of the file's suffix. Raises UsageError for another suffix."""
    from ..files.writing import write_bytes
    from ..plot import style

    if file is not None:
        with style.styled():
            content = style.to_bytes(draw(), format=file.suffix.lstrip("."))
        write_bytes(file, content)
