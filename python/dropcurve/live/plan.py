"""A scenario as a lab: the settings of the forwarder, and the programs that send.

A lab has the two hosts of a dumbbell as network namespaces, with an address for each flow, and between them the
forwarder, which is the routers, the bottleneck and every flow's private links. Traffic is the kernel's TCP, by iperf3,
and its UDP, at the times at which the simulator's sources send.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..errors import Problem, ScenarioError
from ..quantities import units
from ..runs.replicate import run
from ..runs.tracing import trace
from ..scenario import Scenario
from ..scenario.links import framing

#: The kernel's name for each congestion control of a scenario.
KERNEL_CC = {
    "reno": "reno",
    "cubic": "cubic",
    "bbr": "bbr",
    "dctcp": "dctcp",
    "vegas": "vegas",
    "westwood": "westwood",
    "highspeed": "highspeed",
    "scalable": "scalable",
    "htcp": "htcp",
    "bic": "bic",
    "hybla": "hybla",
    "illinois": "illinois",
    "veno": "veno",
    "yeah": "yeah",
    "cdg": "cdg",
}
#: Header bytes of TCP with and without timestamps, and of UDP; bytes of Ethernet that a scenario may count as well.
PLAIN_HEADERS, STAMPED_HEADERS, UDP_HEADERS, ETHERNET = 40, 52, 28, 14
HEADERS = {tcp + extra for tcp in (PLAIN_HEADERS, STAMPED_HEADERS) for extra in (0, ETHERNET)}
#: Most flows of a lab: each has two processes.
MOST_FLOWS = 64
_NS = {unit: int(10**9 * span) for unit, span in {**units.SPANS, "µs": units.SPANS["us"]}.items()}


@dataclass(frozen=True)
class Flow:
    """One flow of a lab. Times count from the start of the run. Of UDP, each datagram has its time and its payload."""

    number: int
    group: str
    transport: str
    start_s: float
    stop_s: float
    reverse: bool = False
    cc: str = ""
    total_bytes: int | None = None
    window_bytes: int | None = None
    ecn: bool = False
    due_ns: tuple[int, ...] = ()
    payload_bytes: tuple[int, ...] = ()
    tos: int = 0


#: Seconds after the start of the run, and values of the link from then on, by path: rate, delay or queue.KEY.
Change = tuple[float, dict[str, Any]]


@dataclass(frozen=True)
class LabPlan:
    """A lab, ready to be built. ``settings`` are those of the forwarder, devices and files not yet named."""

    name: str
    seed: int
    duration_s: float
    warmup_s: float
    mtu: int
    timestamps: bool
    flows: tuple[Flow, ...]
    settings: dict[str, Any]
    changes: tuple[Change, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON, for the process that builds it."""
        return asdict(self)


def make(scenario: Scenario, *, seed: int = 1, changes: Sequence[Change] = ()) -> LabPlan:
    """The lab of a scenario. Random draws (starts, and each datagram of UDP) are as in the simulation
    with this seed. ``changes`` are made to the link while it runs.

    Raises ScenarioError with every part of it that a lab cannot have.
    """
    resolved = scenario.resolved
    problems = list(_unsuitable(resolved))
    if problems:
        raise ScenarioError(problems, origin=scenario.origin)
    wire = resolved["dumbbell"]
    flows: list[Flow] = []
    paths: list[dict[str, str]] = []
    starts = _starts(scenario, seed)
    loads = _loads(scenario, seed)
    tcp = [group for group in resolved["flows"].values() if group["transport"] == "tcp"]
    counted = count(tcp[0]["headers"]) if tcp else STAMPED_HEADERS
    overhead = ETHERNET if counted - ETHERNET in (PLAIN_HEADERS, STAMPED_HEADERS) else 0
    headers = counted - overhead
    duration = nanoseconds(resolved["run"]["duration"]) / 1e9
    warmup = resolved["run"]["warmup"]
    for name, group in resolved["flows"].items():
        sides = {
            key: group.get(key, wire[key])
            for key in ("access_rate", "access_delay", "exit_rate", "exit_delay")
        }
        for i in range(group["count"]):
            paths.append(_path(sides, i, group["count"], reverse=group["reverse"]))
            number = len(flows)
            flow = _flow(number, name, group, starts[number], duration)
            if flow.transport == "udp":
                sizes = tuple(size - UDP_HEADERS - overhead for _, size in loads[number])
                flow = replace(flow, due_ns=tuple(due for due, _ in loads[number]), payload_bytes=sizes)
            flows.append(flow)
    back = wire["back"]
    return LabPlan(
        name=scenario.name, seed=seed, duration_s=duration,
        warmup_s=duration / 5 if warmup == "auto" else nanoseconds(warmup) / 1e9,
        mtu=count(tcp[0]["mss"]) + headers if tcp else 1500, timestamps=headers == STAMPED_HEADERS,
        flows=tuple(flows), changes=tuple(changes),
        settings={
            "links": [_link(wire, resolved["queue"]), _link(back, resolved["back_queue"])],
            "names": ["queue/bottleneck", "queue/bottleneck.back"], "paths": paths, "seed": seed,
            "overhead": overhead,
        },
    )  # fmt: skip


def _framed(wire: dict[str, Any]) -> Iterator[Problem]:
    """Problems of a line that adds bytes to its packets, in either direction: a lab has Ethernet alone."""
    for path, line in (("dumbbell", wire), ("dumbbell.back", wire["back"])):
        own = framing.of_params(line)
        if own and (path == "dumbbell" or own != framing.of_params(wire)):
            share = units.show_rate(float(f"{units.rate(line['rate']) * own.share:.4g}"))
            yield Problem(
                f"{path}.overhead", own.words(), "the wire of a lab adds no bytes to a packet",
                f"leave out overhead, mpu and framing, and lower its rate to {share}, which full packets get",
            )  # fmt: skip


def _link(wire: dict[str, Any], queue: dict[str, Any]) -> dict[str, Any]:
    return {"queue": queue, **{key: wire[key] for key in ("rate", "delay", "packet", "counts_wire")}}


def _path(sides: dict[str, Any], i: int, members: int, *, reverse: bool) -> dict[str, str]:
    near = {"rate": sides["access_rate"], "delay": f"{spread(sides['access_delay'], i, members)} ns"}
    far = {"rate": sides["exit_rate"], "delay": f"{spread(sides['exit_delay'], i, members)} ns"}
    if reverse:
        near, far = far, near
    return {
        "access_rate": near["rate"], "access_delay": near["delay"],
        "exit_rate": far["rate"], "exit_delay": far["delay"],
    }  # fmt: skip


def _flow(number: int, name: str, group: dict[str, Any], start_s: float, duration_s: float) -> Flow:
    stop = duration_s if group["stop"] == "auto" else nanoseconds(group["stop"]) / 1e9
    common = {
        "number": number, "group": name, "transport": group["transport"], "start_s": start_s, "stop_s": stop,
        "reverse": group["reverse"], "tos": (group["class"] if isinstance(group["class"], int) else 0) << 5,
    }  # fmt: skip
    if group["transport"] == "udp":
        return Flow(**common)
    total, window = group["bytes"], group["window"]
    return Flow(
        **common, cc=KERNEL_CC[group["cc"]], ecn=group["ecn"],
        total_bytes=None if total == "auto" else count(total),
        window_bytes=None if window == "auto" else window * count(group["mss"]),
    )  # fmt: skip


def _starts(scenario: Scenario, seed: int) -> list[float]:
    """Start time of each flow, as the simulation with this seed draws it."""
    (summary,) = run(scenario, seed=seed, replications=1, jobs=1).baseline.runs
    return [float(flow["start_s"]) for flow in summary["flows"]]


def _loads(scenario: Scenario, seed: int) -> dict[int, list[tuple[int, int]]]:
    """Every datagram of each UDP flow, as the simulation with this seed sends it: nanoseconds and bytes."""
    loads: dict[int, list[tuple[int, int]]] = {}
    if all(group["transport"] != "udp" for group in scenario.resolved["flows"].values()):
        return loads
    traced = trace(scenario, seed=seed)
    for row in traced.rows("send"):
        due, size = int(traced.time_ns[row]), int(traced.size_bytes[row])
        loads.setdefault(int(traced.flow[row]), []).append((due, size))
    return loads


def _unsuitable(resolved: dict[str, Any]) -> list[Problem]:
    """Problems of a scenario that a lab cannot run."""
    if "dumbbell" not in resolved:
        return [Problem("", "", "a lab has one bottleneck", "describe the network as [dumbbell]")]
    problems = []
    if resolved["dumbbell"]["loss"] or resolved["dumbbell"]["drop"]:
        problems.append(
            Problem("dumbbell.loss", "", "a lab loses nothing on the wire", "leave out loss and drop")
        )
    problems += _framed(resolved["dumbbell"])
    if sum(group["count"] for group in resolved["flows"].values()) > MOST_FLOWS:
        problems.append(Problem("flows", "", f"a lab has at most {MOST_FLOWS} flows", "lower the counts"))
    sizes = set()
    for name, group in resolved["flows"].items():
        where = f"flows.{name}"
        if group["transport"] not in ("tcp", "udp"):
            problems.append(
                Problem(
                    f"{where}.transport", group["transport"], "a lab sends tcp and udp", "choose one of these"
                )
            )
        elif group["transport"] == "udp":
            continue
        elif group["source"] != "ftp":
            problems.append(
                Problem(
                    f"{where}.source",
                    group["source"],
                    "TCP of a lab sends ftp",
                    "choose ftp, or udp as the transport",
                )
            )
        elif group["cc"] not in KERNEL_CC:
            rule = f"the kernel has {', '.join(KERNEL_CC)}"
            problems.append(Problem(f"{where}.cc", group["cc"], rule, "choose one of these"))
        else:
            sizes.add((group["mss"], group["headers"]))
            if count(group["headers"]) not in HEADERS:
                rule = (
                    f"the kernel's are {PLAIN_HEADERS} B, or {STAMPED_HEADERS} B with timestamps, "
                    f"and {ETHERNET} B of Ethernet"
                )
                problems.append(
                    Problem(
                        f"{where}.headers", group["headers"], rule, 'write one of these, or profile = "linux"'
                    )
                )
    if len(sizes) > 1:
        rule = "all TCP flows of a lab have the same mss and headers"
        problems.append(Problem("flows", "", rule, "write the same in every group"))
    return problems


def nanoseconds(text: str) -> int:
    """A span such as ``5 ms``, in nanoseconds. Raises ValueError or KeyError for text of another form."""
    number, unit = _split(text)
    return round(number * _NS[unit])


def bits(text: str) -> float:
    """A rate such as ``20 Mbit/s``, in bits per second. Raises ValueError or KeyError for text of another form."""
    number, unit = _split(text)
    return number * units.RATES[unit if unit.endswith("/s") else f"{unit}/s"]


def _split(text: str) -> tuple[float, str]:
    """Number and unit, with or without a space between them."""
    unit = text.strip().lstrip("0123456789.eE+-")
    return float(text.strip().removesuffix(unit)), unit.strip()


def count(text: str) -> int:
    """Bytes as a scenario shows them."""
    return round(float(text.split()[0]))


def spread(value: Any, i: int, members: int) -> int:
    """Member ``i``'s part of a spread, in nanoseconds. Values that a simulation would draw are put in the middle of
    equal parts."""
    if isinstance(value, list):
        return nanoseconds(value[i % len(value)])
    if match := re.fullmatch(r"(even|uniform) (.+) to (.+)", value):
        low, high = nanoseconds(match[2]), nanoseconds(match[3])
        if match[1] == "even":
            return round(low + (high - low) * (i / (members - 1) if members > 1 else 0.0))
        return round(low + (high - low) * (i + 0.5) / members)
    return nanoseconds(value)
