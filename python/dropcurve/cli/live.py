"""dropcurve live: the simulator's queues on real packets."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o
from .engine import with_engine
from .verbs import PLAIN, Subcommands, VerbCommand

app = typer.Typer(
    name="live",
    cls=Subcommands,
    help="Run the same queue on real packets: lab, check, run, set, stats, replay, clean.",
    invoke_without_command=True,
    **PLAIN,
)


class LinuxCommand(VerbCommand):
    """A verb that opens devices, namespaces or control sockets, and is refused elsewhere than on Linux."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the verb. Raises UsageError on another system."""
        if sys.platform != "linux":
            from ..errors import UsageError

            raise UsageError(
                "live", sys.platform, f"`live {self.name}` needs Linux",
                "`dropcurve run` simulates the same queue on every system",
            )  # fmt: skip
        return super().invoke(ctx)


@app.callback()
def nothing(context: typer.Context) -> None:
    """Without a subcommand, lists the subcommands."""
    if context.invoked_subcommand is None:
        print(context.get_help())


Socket = Annotated[Path, typer.Argument(metavar="SOCKET", help="The control socket that `live run` prints.")]


@app.command("lab", cls=LinuxCommand)
@with_engine
def lab(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of one that ships with dropcurve."),
    ],
    changes: o.Set = None,
    duration: o.Duration = None,
    virtual: Annotated[
        bool,
        typer.Option("--virtual", help="Run in a separate kernel in virtual time: repeatable byte for byte."),
    ] = False,
    seed: o.Seed = 1,
    replications: Annotated[int, o.shared("replications", "on real packets")] = 1,
    predict: Annotated[int, typer.Option(metavar="N", help="Number of simulated runs to compare with.")] = 10,
    change: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TIME PATH=VALUE",
            help='Change the link during the run, such as "10 s rate=5 Mbit/s". Repeatable.',
        ),
    ] = None,
    at: Annotated[list[str] | None, typer.Option(hidden=True)] = None,
    out: Annotated[
        Path | None, o.shared("out", "the record and the capture of the first run; default: none is written")
    ] = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Send real kernels' TCP through the scenario's queue, and compare with the simulator.

    The hosts are namespaces, which the lab removes at its end. Root is not required but makes the timing more exact.

    \b
    Examples:
      dropcurve live lab droptail_vs_red --set flows.tcp.profile=linux --duration "30 s"
      dropcurve live lab droptail_vs_red --set queue.kind=codel --virtual --out proof
      dropcurve live lab droptail_vs_red --set flows.tcp.profile=linux --change "10 s rate=5 Mbit/s"
    """
    from ..errors import UsageError
    from ..live.lab import lab as work
    from . import console

    if at:
        raise UsageError(
            "--at", at[0], "is the path of a queue in every verb", f'change the link with --change "{at[0]}"'
        )
    base = o.load(scenario, changes=changes, duration=duration)
    log = (lambda _: None) if quiet or json else (lambda text: console.say(f"dropcurve: {text}"))
    try:
        answer = work(
            base, virtual=virtual, replications=replications, seed=seed, predict=predict,
            changes=[_change(text) for text in change or ()], out=out, log=log,
        )  # fmt: skip
    except KeyboardInterrupt:
        raise console.Interrupted("interrupted; everything that the lab made is removed") from None
    if json:
        console.data(answer.record())
    elif not quiet:
        print(answer)
    if out is not None and not json:
        print(f"Folder: {out}")
    return 0 if answer.trustworthy else 1


@app.command("check", cls=LinuxCommand)
@with_engine
def check(
    rate: Annotated[
        list[str] | None,
        o.shared("rate", "repeatable; 10 Mbit/s to 1 Gbit/s"),
    ] = None,
    delay: Annotated[list[str] | None, o.shared("delay", "repeatable; 0 to 50 ms")] = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Measure how exactly this machine shapes and delays packets.

    Exit code 1 means that labs are not reliable at one of these rates.
    """
    from ..live import check as c
    from ..live.plan import bits, nanoseconds
    from . import console

    rates, delays = rate or list(c.RATES), delay or list(c.DELAYS)
    for texts, read, example in ((rates, bits, "100 Mbit/s"), (delays, nanoseconds, "5 ms")):
        for text in texts:
            _readable(text, read, example)
    quality = c.check(
        rates, delays, (lambda _: None) if quiet or json else lambda text: console.say(f"dropcurve: {text}")
    )
    if json:
        console.data(quality.record())
    elif not quiet:
        print(quality)
    return 0 if quality.holds else 1


def _readable(text: str, read: Callable[[str], float], example: str) -> None:
    from ..errors import UsageError

    try:
        read(text)
    except (ValueError, KeyError):
        raise UsageError(
            "value", text, "must be a number with its unit", f"write one such as {example}", shown="value"
        ) from None


def _change(text: str) -> tuple[float, dict[str, Any]]:
    """A change of the link: its time and the new values."""
    from ..errors import UsageError
    from ..live.plan import nanoseconds
    from ..quantities import values

    try:
        number, unit, edit = text.split(None, 2)
        path, value = values.assignment(edit)
        return nanoseconds(f"{number} {unit}") / 1e9, {path: value}
    except (ValueError, KeyError, UsageError):
        raise UsageError(
            "--change", text, "must be TIME PATH=VALUE", 'write one such as "10 s rate=5 Mbit/s"'
        ) from None


@app.command("replay", cls=VerbCommand)
def replay(
    record: Annotated[
        Path, typer.Argument(metavar="RECORD", help="Written by `live lab --out` or `live run --record`.")
    ],
    json: o.Json = False,
) -> int:
    """Feed a record through the simulator's queue and compare the verdicts."""
    from dataclasses import asdict

    from ..live.replay import replay as work
    from . import console

    agreement = work(record)
    if json:
        console.data(asdict(agreement))
    else:
        print(agreement)
    return 0 if agreement.identical else 1


Rate = Annotated[str, o.shared("rate", "from --in-if to --out-if")]
Queue = Annotated[str, o.shared("queue")]
Inside = Annotated[str, typer.Option("--in-if", metavar="IF", help="Interface at which packets arrive.")]
Outside = Annotated[
    str, typer.Option("--out-if", metavar="IF", help="Interface through which packets leave.")
]
Number = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Netfilter queue to read instead of interfaces, on a box that already routes."
    ),
]
Delay = Annotated[str, o.shared("delay", "added in each direction")]
BackRate = Annotated[
    str | None, typer.Option(metavar="RATE", help="Rate from --out-if to --in-if (default: unlimited).")
]
BackQueue = Annotated[
    str, typer.Option(metavar="KIND:KEY=VALUE,...", help="The discipline of the reverse direction.")
]
Overhead = Annotated[
    int, typer.Option(metavar="BYTES", help="Bytes of framing added to the size of every packet.")
]
Metrics = Annotated[
    str | None,
    typer.Option(metavar="[ADDRESS:]PORT", help="Serve Prometheus metrics here (default address: loopback)."),
]
Record = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Record arrivals and verdicts in this file, for `live replay`."),
]
Capture = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a capture with drops and marks to this file, for Wireshark."),
]
Seconds = Annotated[
    float | None, typer.Option(metavar="S", help="Stop after this time (default: at Ctrl-C).")
]


@app.command("run", cls=LinuxCommand)
def run(
    rate: Rate,
    queue: Queue,
    inside: Inside = "",
    outside: Outside = "",
    queue_num: Number = None,
    delay: Delay = "0 ms",
    back_rate: BackRate = None,
    back_queue: BackQueue = "droptail",
    overhead: Overhead = 0,
    metrics: Metrics = None,
    record: Record = None,
    capture: Capture = None,
    seconds: Seconds = None,
    seed: o.Seed = 1,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Run a queue between two existing interfaces; Ctrl-C stops it.

    Needs the right to open them (root, or CAP_NET_RAW and CAP_NET_ADMIN), and drops it once they are open.

    \b
    Examples:
      dropcurve live run --in-if eth0 --out-if eth1 --rate "20 Mbit/s" --queue codel
      dropcurve live run --queue-num 0 --rate "50 Mbit/s" --queue "red:max_p=0.05,ecn=true" --metrics 9100
    """
    from dataclasses import replace

    from ..live import hidden
    from ..live import router as r
    from . import console

    if metrics is not None and ":" not in metrics:
        metrics = f"127.0.0.1:{metrics}"
    wanted = r.Router(
        rate, queue, inside, outside, queue_num, delay, back_rate, back_queue, overhead, seed, metrics, record, capture
    )  # fmt: skip
    wanted = replace(wanted, devices=tuple(wanted.choose()))
    still = quiet or json
    for one in () if still else wanted.devices:
        console.say(f"dropcurve: {one.name}: {one.why}")
    for warning in hidden.queues(wanted.devices, rate):
        console.say(f"dropcurve: warning: {warning}")
    stats = r.work(wanted, (lambda *_: None) if still else _display(metrics), seconds=seconds)
    if json:
        console.data(stats)
    elif not quiet:
        print(r.screen(stats))
    return 0


def _display(metrics: str | None) -> Callable[[dict[str, Any], Path], None]:
    """Shows the counters, and the first time also the address of the forwarder."""
    from ..live.router import screen
    from . import console

    printed: list[Path] = []

    def show(stats: dict[str, Any], control: Path) -> None:
        if not printed:
            printed.append(control)
            console.say(f"dropcurve: change it with: dropcurve live set {control} queue.KEY=VALUE")
            if metrics:
                console.say(f"dropcurve: metrics at http://{metrics}/metrics")
        console.live(screen(stats))

    return show


@app.command("set", cls=LinuxCommand)
def set_(
    socket: Socket,
    changes: Annotated[list[str], typer.Argument(metavar="PATH=VALUE...", help="rate, delay or queue.KEY.")],
    json: o.Json = False,
) -> int:
    """Change the link of a running forwarder; queued packets stay."""
    from ..live.forwarder import control
    from ..live.router import check_rate
    from ..quantities import values
    from . import console

    edits = dict(values.assignment(text) for text in changes)
    if "rate" in edits:
        check_rate(str(edits["rate"]), name="rate")
    with control(socket) as line:
        link = line.ask("set", values=edits)["link"]
    if json:
        console.data(link)
    else:
        print(f"{link['queue']['kind']} at {link['rate']}, {link['delay']}")
    return 0


@app.command("stats", cls=LinuxCommand)
def stats(socket: Socket, json: o.Json = False) -> int:
    """Print the counters of a running forwarder."""
    from ..live.forwarder import control
    from ..live.router import screen
    from . import console

    with control(socket) as line:
        counters = line.ask("stats")
    if json:
        console.data(counters)
    else:
        print(screen(counters))
    return 0


@app.command("clean", cls=LinuxCommand)
def clean(json: o.Json = False) -> int:
    """Remove leftovers of killed runs: their folders, and GRO turned off on an interface.

    The next run does the same. Exit code 1 means that leftovers remain that only another user may remove.
    """
    from ..live.clean import clean as work
    from . import console

    cleaned = work()
    if json:
        console.data(
            {"removed": [str(path) for path in cleaned.removed], "left": [str(path) for path in cleaned.left]}
        )
    else:
        print(cleaned)
    return 1 if cleaned.left else 0
