"""Classes of a scenario's flows before a run: their roles and the measures that they have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..errors import DropcurveError, Problem, UsageError
from ..metrics import find, split
from ..quantities import units, wording
from ..scenario import Scenario
from ..verdict.traffic import MESSAGE_BYTES, Role, datagrams
from .scenario import rate_of

#: Largest packet of a flow that counts as speech in the E-model, in bytes (`metrics.voice`).
SPEECH_BYTES = 300


@dataclass(frozen=True)
class PlannedClass:
    """A class of flows as a scenario describes it.

    Attributes:
        name: Name of the class.
        role: As `dropcurve.verdict.traffic.roles` finds it in a run.
        sources: Sources of its groups: "ftp", "http", "voice", ...
        flows: Their number.
        reverse: Whether its data takes the reverse direction, so that the queue under design holds its ACKs alone.
        parts: The parts of `metrics.Flows` that it has: "transfers", "finite", "viewers", "object_senders", "pages",
            "cameras", "speech".
        pages: Web pages that are requested in the measurement window, on average; 0 if that is unknown.
    """

    name: str
    role: Role
    sources: frozenset[str]
    flows: int
    reverse: bool
    parts: frozenset[str]
    pages: float = 0.0


def classes(scenario: Scenario) -> dict[str, PlannedClass]:
    """The classes of a scenario by name, in its order.

    Example:
        ``[one.name for one in classes(scenario).values() if one.role == "thin"]``
    """
    sections = scenario.resolved.get("flows", {})
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, group in sections.items() if isinstance(sections, dict) else ():
        groups.setdefault(str(group.get("counted_as") or name), []).append(group)
    rate = _rate(scenario)
    flows = sum(int(group["count"]) for some in groups.values() for group in some)
    seconds = _measured_s(scenario)
    return {name: _planned(name, some, rate, rate / max(1, flows), seconds) for name, some in groups.items()}


def refuse_missing(keys: Iterable[str], scenario: Scenario, *, what: str = "goal") -> None:
    """Refuses measures that no run of a scenario can have a value of.

    Args:
        keys: Metrics with their scopes, such as ``fct_ms_p95[web]``.
        scenario: Scenario to run.
        what: Name of the caller, for the message.

    Raises:
        UsageError: With a line for each of them, its reason and the classes that have a value.
    """
    known = classes(scenario)
    reasons = ((key, _missing(key, known)) for key in dict.fromkeys(keys))
    wrong = [Problem(what, key, *reason) for key, reason in reasons if reason]
    if wrong:
        raise UsageError.of(wrong)


def _missing(key: str, known: dict[str, PlannedClass]) -> tuple[str, str] | None:
    """The reason for which a measure has no value, and the remedy; None if it has one."""
    name, scope = split(key)
    metric = find(name)
    if metric.per == "link" or not known:
        return None
    if scope and not scope.isdigit() and scope not in known:
        return f"this traffic has no class '{scope}'", f"it has {wording.listed(list(known))}"
    if metric.per == "class":
        one = ("compares classes, and this traffic has one", "choose a measure of flows or links")
        return None if len(known) > 1 else one
    chosen = [known[scope]] if scope in known else list(known.values())
    if name == "link_share" and scope in known and known[scope].reverse:
        return "its data takes the reverse direction", "write reverse_utilisation, the use of that direction"
    part = "speech" if name == "mos" else metric.of
    having = [one.name for one in known.values() if not part or part in one.parts]
    if part and not any(part in one.parts for one in chosen):
        those = f"write {name}[{having[0]}]" if having else _REMEDIES.get(part, "choose another measure")
        return _NEEDS.get(part, part), those
    if name == "jain" and sum(one.flows for one in chosen) < 2:
        return "fairness needs two flows or more", "raise their count, or choose another measure"
    return None


_NEEDS = {
    "transfers": "only finite transfers and web objects have completion times",
    "finite": "only finite transfers end",
    "pages": "only web pages of several objects have a load time",
    "viewers": "only video over TCP has a bit rate and stalls",
    "object_senders": "only applications that hand over objects have them",
    "cameras": "only shaped video has it",
    "speech": "only UDP flows with small packets have call quality",
}
_REMEDIES = {
    "transfers": "add web pages, such as --link cable or --short 10%",
    "pages": "add web pages, such as --link cable; objects alone have a completion time",
    "viewers": "add a video, such as --link cable",
    "speech": "add a call, such as --link cable",
}


def _planned(
    name: str, groups: list[dict[str, Any]], rate_bps: float, fair_bps: float, seconds: float
) -> PlannedClass:
    sources = frozenset(str(group.get("source", "")) for group in groups)
    datagram = all(group["transport"] == "udp" for group in groups)
    finite = any(str(group.get("bytes", "auto")) not in ("auto", "0 B") for group in groups)
    parts = set()
    if finite or sources & {"http", "video", "telnet"}:
        parts.add("transfers")
    parts |= {"finite"} if finite else set()
    parts |= {"object_senders"} if sources & {"http", "video", "telnet"} else set()
    parts |= {"pages"} if any(map(_embedding, groups)) else set()
    parts |= {"viewers"} if "video" in sources else set()
    parts |= {"cameras"} if "shaped" in sources else set()
    role: Role = "short" if "transfers" in parts else "bulk"
    if all(map(_messages, groups)):
        role = "thin"
    if datagram:
        each = [rate_of({**group, "count": 1}) for group in groups]
        together = sum(one * int(group["count"]) for one, group in zip(each, groups, strict=True))
        role = datagrams(together, max(each), rate_bps, fair_bps)
        parts |= {"speech"} if any(map(_small, groups)) else set()
    return PlannedClass(
        name, role, sources, sum(int(group["count"]) for group in groups),
        all(bool(group.get("reverse")) for group in groups), frozenset(parts),
        sum(_pages(group, seconds) for group in groups),
    )  # fmt: skip


def _pages(group: dict[str, Any], seconds: float) -> float:
    """Web pages that a group requests in a time; 0 if their gaps are not exponential."""
    match = re.fullmatch(r"exponential (.+)", str(group.get("arrival", "")))
    if not _embedding(group) or match is None:
        return 0.0
    return int(group["count"]) * seconds / units.span(match[1])


def _measured_s(scenario: Scenario) -> float:
    """Length of the measurement window in seconds; 0 where it is not known."""
    run = scenario.resolved.get("run", {})
    try:
        return units.span(str(run["duration"])) - units.span(str(run["warmup"]))
    except (DropcurveError, KeyError):
        return 0.0


def _embedding(group: dict[str, Any]) -> bool:
    """Whether pages have more than one object."""
    return group.get("source") == "http" and str(group.get("embedded", "0")) not in ("0", "0.0")


def _messages(group: dict[str, Any]) -> bool:
    """Whether objects over TCP are small messages and no parts of pages."""
    if group["transport"] == "udp" or group.get("source") not in ("http", "telnet") or _embedding(group):
        return False
    # A law such as "lognormal 20 kB sd 40 kB" has the mean first.
    match = re.search(r"[0-9.]+ ?[kM]?B", str(group.get("size", "1 B")))
    return match is not None and units.size(match[0]) <= MESSAGE_BYTES


def _small(group: dict[str, Any]) -> bool:
    """Whether packets are as small as those of speech."""
    if group.get("source") in ("voice", "replay"):
        return True
    try:
        return units.size(str(group.get("packet", "1500 B"))) <= SPEECH_BYTES
    except DropcurveError:
        return False


def _rate(scenario: Scenario) -> float:
    """The rate of the bottleneck in bit/s; infinite where a graph has none by that name."""
    link = scenario.resolved.get("dumbbell") or scenario.resolved.get("chain")
    try:
        return units.rate(str(link["rate"])) if link else float("inf")
    except DropcurveError:
        return float("inf")
