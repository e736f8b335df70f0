"""Finds devices and offloads that queue or merge packets besides our queue and so hide its effect: before a run, as
sentences with a remedy."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .plan import bits

SYS = Path("/sys/class/net")
#: Disciplines of the kernel without a queue of their own, or without shaping and early drops.
HARMLESS = {"", "noqueue", "pfifo", "pfifo_fast", "bfifo", "mq"}
#: Devices that send through another one, whose discipline is behind our queue.
STACKED = {"vlan", "macvlan", "ipvlan", "macsec"}
#: Offloads that merge received packets before they reach our queue.
MERGING = ("large-receive-offload", "rx-gro-hw")


@dataclass(frozen=True)
class Device:
    """An interface or a netfilter queue, its use, and the reason for it."""

    name: str
    kind: str
    why: str
    number: int = 0

    def port(self) -> dict[str, Any]:
        """The port in the form of the forwarder's settings."""
        return {"kind": self.kind, "name": self.name, "number": self.number}


def queues(devices: Sequence[Device], rate: str) -> list[str]:
    """Places where packets may wait, merge or bypass our queue of this rate, as sentences."""
    hidden: list[str] = []
    for one in devices:
        if one.kind == "tun":
            hidden += _after(one.name, f"{one.name} has a queue of its own before ours")
        elif one.kind == "packet":
            hidden += [*_slow(one.name, rate), *_stacked(one.name), *_shared(one.name), *_merging(one.name)]
    if any(one.kind == "queue" for one in devices):
        for name in names():
            hidden += _after(
                name, f"packets that leave by {name} are queued there if it is slower than {rate}"
            )
    if sum(one.kind == "packet" for one in devices) == 2 and _routes():
        hidden.append(
            "this machine routes as well (net.ipv4.ip_forward): packets may arrive twice, by it and by us"
        )
    return hidden


def names() -> list[str]:
    """Names of all interfaces of this namespace."""
    return sorted(path.name for path in SYS.iterdir()) if SYS.is_dir() else []


def read(name: str, what: str) -> str:
    """Reads an attribute of an interface from sysfs; empty if it has none."""
    try:
        return (SYS / name / what).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _after(name: str, because: str) -> Iterator[str]:
    """A discipline of the kernel at an interface."""
    kind, rate = _discipline(name)
    if kind not in HARMLESS:
        shapes = f", which sends {rate:g} Mbit/s" if rate else ""
        yield f"{because}: {kind}{shapes}; tc qdisc replace dev {name} root pfifo limit 10000"


def _slow(name: str, rate: str) -> Iterator[str]:
    speed = read(name, "speed")
    if not speed.lstrip("-").isdigit() or int(speed) <= 0:
        return
    if int(speed) * 1e6 < _bps(rate):
        yield f"{name} runs at {speed} Mbit/s, below {rate}: the queue will be in its driver, not here"


def _stacked(name: str) -> Iterator[str]:
    lower = sorted(path.name.removeprefix("lower_") for path in (SYS / name).glob("lower_*"))
    for one in lower:
        yield from _after(one, f"{name} sends through {one}, which queues after us")
    kind = _kind(name)
    if kind in STACKED and not lower:
        yield (
            f"{name} ({kind}) sends through a device in another namespace, which cannot be seen from here: look there "
            "with tc qdisc show"
        )


def _shared(name: str) -> Iterator[str]:
    if (SYS / name / "master").exists():
        yield f"{name} is part of a bridge or bond, which forwards its packets as well: take it out"
        return
    for upper in sorted(path.name.removeprefix("upper_") for path in (SYS / name).glob("upper_*")):
        yield f"{name} carries {upper}: its packets go to it and through our queue"


def _merging(name: str) -> Iterator[str]:
    for feature in MERGING:
        if _offload(name, feature):
            yield f"{name} merges packets in hardware ({feature}): ethtool -K {name} {feature} off"


def _routes() -> bool:
    switch = Path("/proc/sys/net/ipv4/ip_forward")
    return switch.exists() and switch.read_text(encoding="ascii").strip() == "1"


def _discipline(name: str) -> tuple[str, float | None]:
    """The kernel's discipline at an interface, and its shaped rate in Mbit/s, if it reports one."""
    rows = _json_of(["tc", "-j", "qdisc", "show", "dev", name])
    root: dict[str, Any] = next((row for row in rows if row.get("root")), {})
    rate = root.get("options", {}).get("rate")
    return str(root.get("kind", "")), rate * 8 / 1e6 if isinstance(rate, (int, float)) else None


def _kind(name: str) -> str:
    """Kind of the device, as `ip` calls it; empty if unknown."""
    rows = _json_of(["ip", "-d", "-j", "link", "show", "dev", name])
    return str(rows[0].get("linkinfo", {}).get("info_kind", "")) if rows else ""


def _json_of(command: list[str]) -> list[dict[str, Any]]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        rows: list[dict[str, Any]] = json.loads(done.stdout or "[]")
    except (OSError, ValueError):
        return []
    return rows


def _offload(name: str, feature: str) -> bool:
    try:
        done = subprocess.run(["ethtool", "-k", name], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    return any(line.strip().startswith(f"{feature}: on") for line in done.splitlines())


def _bps(rate: str) -> float:
    try:
        return bits(rate)
    except (ValueError, KeyError):
        return 0.0
