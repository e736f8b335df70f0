"""The queue between two existing interfaces."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DropcurveError, UsageError, WorkError, quoted
from ..quantities import values, wording
from . import keeper, merging, scratch
from .forwarder import Control, await_control
from .hidden import SYS, Device, names, read
from .measure import too_late

#: Seconds between two readings of the counters.
LOOK_S = 1.0
#: Seconds until a forwarder that no longer answers must have ended.
PATIENCE_S = 15.0
#: Prefix of the names of its folders.
PREFIX = "dropcurve-live-"
#: Directions: name in the forwarder, and name in messages.
DIRECTIONS = (("forward", "in → out"), ("back", "out → in"))
#: Median backlog allowed in a device behind our queue, in milliseconds at our rate. Drivers report
#: transmitted packets a while after the fact.
MOST_BEHIND_MS = 2.0


@dataclass(frozen=True)
class Router:
    """Interfaces to forward between, and how. ``rate`` shapes from ``inside`` to ``outside``, ``back_rate`` the other
    way (unlimited unless given). Rates and delays are text with their unit; ``queue`` is as in `compare --queue`."""

    rate: str
    queue: str
    inside: str = ""
    outside: str = ""
    queue_number: int | None = None
    delay: str = "0 ms"
    back_rate: str | None = None
    back_queue: str = "droptail"
    overhead: int = 0
    seed: int = 1
    metrics: str | None = None
    record: Path | None = None
    capture: Path | None = None
    devices: tuple[Device, ...] = field(default=(), compare=False)

    def settings(self, control: Path) -> dict[str, Any]:
        """Settings of the forwarder. Raises UsageError for values that cannot be used."""
        check_rate(self.rate)
        devices = self.devices or tuple(self.choose())
        links = [_link(self.queue, self.rate, self.delay)]
        if len(devices) == 2:
            links.append(_link(self.back_queue, self.back_rate or "0 bit/s", self.delay))
        return {
            "ports": [device.port() for device in devices], "links": links,
            "names": ["queue/live", "queue/live.back"], "seed": self.seed, "overhead": self.overhead,
            "control": str(control), "metrics": self.metrics, "sample_ms": 1000, "watchful": True,
            "records": both_ways(self.record, len(links)), "captures": both_ways(self.capture, len(links)),
        }  # fmt: skip

    def choose(self) -> Iterator[Device]:
        """The devices, each with the reason for the way it is used."""
        if self.queue_number is not None:
            if self.inside or self.outside:
                raise UsageError(
                    "--queue-num",
                    self.queue_number,
                    "takes the packets that a rule of netfilter sends",
                    "leave out --in-if and --out-if",
                )
            if not 0 <= self.queue_number < 1 << 16:
                raise UsageError(
                    "--queue-num",
                    self.queue_number,
                    "must be a number from 0 to 65535",
                    "give the number of your rule",
                )
            why = "packets that this router's own rules send here; the kernel routes, we delay and drop"
            yield Device(f"netfilter queue {self.queue_number}", "queue", why, self.queue_number)
            return
        if not self.inside or not self.outside or self.inside == self.outside:
            raise UsageError(
                "--in-if, --out-if",
                f"{self.inside or '(nothing)'}, {self.outside or '(nothing)'}",
                "must be two interfaces",
                "name two with --in-if and --out-if, or a netfilter queue with --queue-num",
            )
        for name in (self.inside, self.outside):
            yield device(name)


def check_rate(rate: str, *, name: str = "--rate") -> None:
    """Raises UsageError for a rate of zero, which a simulated link may have, but no queue of real packets."""
    if re.fullmatch(r"\s*(?:0+\.?0*|\.0+)(?:[eE][+-]?[0-9]+)?\s*[A-Za-z/]*\s*", rate):
        raise UsageError(
            name,
            rate,
            "must be above 0; a link without a rate has no queue to manage",
            "give the rate of the link, such as 10Mbit",
        )


def both_ways(path: Path | None, directions: int) -> list[str]:
    """Returns the files of each direction, none without a path; the reverse one has ``.back`` in its name."""
    files = [path, path.with_name(f"{path.stem}.back{path.suffix}")] if path else []
    return [str(file) for file in files[:directions]]


def device(name: str) -> Device:
    """The device of an interface. Raises UsageError if no interface has this name, or it cannot be used."""
    if not (SYS / name).is_dir():
        raise UsageError(
            "interface",
            name,
            f"there is no interface {name}",
            f"there are {', '.join(names()) or 'none'}",
            shown="rule",
        )
    if (SYS / name / "tun_flags").exists():
        if int(read(name, "tun_flags"), 16) & 2:
            raise UsageError("interface", name, "is a TAP device", "name a TUN device, a veth or a card")
        return Device(name, "tun", "a TUN device: whole packets, without offloads")
    if read(name, "type") != "1":
        raise UsageError(
            "interface",
            name,
            "is not an Ethernet interface",
            "use a netfilter queue (--queue-num) for what is routed there",
        )
    return Device(name, "packet", "an Ethernet interface: whole frames by a packet socket, as a bridge would")


def runtime() -> Path:
    """Parent of the routers' folders, which hold their control sockets."""
    named = Path(os.environ.get("XDG_RUNTIME_DIR") or "/run")
    return named if os.access(named, os.W_OK) else Path(tempfile.gettempdir())


@contextmanager
def running(
    router: Router, *, limit_s: float = 300.0
) -> Iterator[tuple[Control, Path, subprocess.Popen[str]]]:
    """A running forwarder: its control connection, the path of its control socket, and its process. Raises

    DropcurveError with its message if it does not start.
    """
    with scratch.fresh(PREFIX, runtime(), merging.restored) as place:
        here = place.path
        settings = here / "settings.json"
        settings.write_text(json.dumps(router.settings(here / "control")), encoding="utf-8")
        words = [sys.executable, "-m", "dropcurve.live.forwarder", str(settings), str(here / "result.json")]
        unmerged = [one.name for one in router.devices or router.choose() if one.kind == "packet"]
        job = keeper.KeeperJob(words, signal.SIGTERM, [str(here)], unmerged)
        # A session of its own: Ctrl-C reaches only this process, which then stops it.
        process = subprocess.Popen(
            job.command(), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            pass_fds=[place.lock],
        )  # fmt: skip
        try:
            try:
                line = await_control(here / "control", lambda: process.poll() is None, seconds=limit_s)
            except DropcurveError as error:
                output = (process.communicate()[1] or "").strip()
                remedy = "correct what it names, and run it again"
                raise DropcurveError.of(
                    [quoted("forwarder", output, remedy)] if output else error.problems
                ) from None
            yield line, here / "control", process
        finally:
            if process.stdin:
                process.stdin.close()
            process.wait()


def work(
    router: Router, show: Callable[[dict[str, Any], Path], None], *, seconds: float | None = None
) -> dict[str, Any]:
    """Forwards until interrupted, or for a number of seconds, showing the counters; returns the last ones."""
    # SIGTERM stops it as Ctrl-C does, also where a shell started it in the background and ignores Ctrl-C.
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, signal.default_int_handler)
    with running(router) as (line, control, process):
        end = None if seconds is None else time.monotonic() + seconds
        try:
            stats = line.ask("stats")
            with contextlib.suppress(KeyboardInterrupt):
                while process.poll() is None and (end is None or time.monotonic() < end):
                    show(stats, control)
                    time.sleep(LOOK_S if end is None else max(0.0, min(LOOK_S, end - time.monotonic())))
                    stats = line.ask("stats")
            stats = line.ask("stats", series=True)
        except WorkError as error:
            output = ended(process)
            raise WorkError.of(
                [quoted("forwarder", output, "run it again")] if output else error.problems
            ) from None
        line.close()
    return {**stats, "warnings": warnings(stats)}


def ended(process: subprocess.Popen[str]) -> str:
    """Reason why a forwarder ended by itself: its own message, else the signal or code; "" while it runs."""
    try:
        output = (process.communicate(timeout=PATIENCE_S)[1] or "").strip()
    except subprocess.TimeoutExpired:
        return ""
    if output:
        return output
    # The keeper returns the forwarder's exit code: a signal is a negative number, of which an exit code keeps 8 bits.
    code = process.returncode if process.returncode <= 127 else process.returncode - 256
    how = f"by {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"with exit code {code}"
    return f"the forwarder ended by itself ({how}); its packets are no longer forwarded: run it again"


def warnings(stats: dict[str, Any]) -> list[str]:
    """Reasons to doubt a router's counters, as sentences."""
    sentences = []
    for name, title in DIRECTIONS:
        count = stats.get(name)
        if count is None:
            continue
        sentences += [f"{title}: {why}" for why in too_late(count, real_time=stats["real_time"])]
        behind = count["behind_ms"]["p50"]
        if behind is not None and behind > MOST_BEHIND_MS:
            sentences.append(
                f"{title}: half of the time {behind:.1f} ms of packets wait behind our queue, in its driver's ring "
                "or in a discipline below: that device is slower than --rate, or nearly so"
            )
        if missed := count["refused"]["missed"]:
            sentences.append(f"{title}: {missed} packets were lost by the device before our queue saw them")
    return sentences


def screen(stats: dict[str, Any]) -> str:
    """The counters as a few lines of text."""
    lines = []
    for name, title in DIRECTIONS:
        counter = stats.get(name)
        if counter is None:
            continue
        seconds = max(counter["seconds"], 1e-9)
        rate = wording.amount(counter["sent"]["bytes"] * 8 / seconds, None, "bit/s")
        drops, late, sojourn = counter["dropped_pkts"], counter["late_ms"], counter["sojourn_ms"]
        lines.append(
            f"{title}  {rate}  sent {counter['sent']['pkts']}  dropped {sum(drops.values())} (early {drops['early']}, "
            f"forced {drops['forced']}, overflow {drops['overflow']})  marked {counter['marked_pkts']}"
        )
        waiting = f"queue {counter['waiting']['pkts']} pkts, {counter['waiting']['bytes']} B"
        delay = f"delay p50 {_ms(sojourn['p50'])} p95 {_ms(sojourn['p95'])} ms"
        lines.append(
            f"          {waiting}  {delay}  lateness p50 {_ms(late['p50'])} p99 {_ms(late['p99'])} ms"
        )
        refused = {why: count for why, count in counter["refused"].items() if count}
        if refused:
            lines.append("          refused " + ", ".join(f"{count} {why}" for why, count in refused.items()))
    lines += [f"Warning: {warning}" for warning in stats.get("warnings", ())]
    return "\n".join(lines)


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _link(queue: str, rate: str, delay: str) -> dict[str, Any]:
    kind, parameters = values.queue(queue)
    return {"queue": {"kind": kind, **parameters}, "rate": rate, "delay": delay, "packet": "1500 B"}
