"""Starting designs for a link by formula, with notes that hold for every discipline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..errors import UsageError
from ..quantities import units
from ..quantities.arguments import checked
from ..scenario import Scenario, links
from . import equilibrium, rules
from . import text as _text
from .all_designs import all_designs
from .designs import Design
from .link_conditions import Conditions, allowed_delay, conditions
from .of_link import of_link
from .scenario import conditions_of

#: With windows below this a fast retransmit often has too few duplicate acknowledgements to start (RFC 5681).
SMALL_WINDOW = 4.0


@dataclass(frozen=True)
class Advice:
    """Conditions, designs for them, notes that hold for every design, and assumptions about the traffic."""

    conditions: Conditions
    designs: tuple[Design, ...]
    notes: tuple[str, ...]
    assumed: str = ""

    def design(self, name: str) -> Design:
        """The first design of a discipline. Raises KeyError if there is none."""
        for one in self.designs:
            if one.discipline == name or one.name == name:
                return one
        raise KeyError(name)

    def text(self, *, width: int = 100) -> str:
        """Returns the advice as text of at most ``width`` columns."""
        return _text.text(self.conditions, self.designs, self.notes, assumed=self.assumed, width=width)

    def data(self) -> dict[str, Any]:
        """Returns the advice as data for JSON: numbers with their unit in the key."""
        return _text.data(self.conditions, self.designs, self.notes) | {"assumed": self.assumed}

    def __str__(self) -> str:
        return self.text()


@checked
def advise(
    scenario: Scenario | str | None = None,
    *,
    link: str | None = None,
    rate: str | float | None = None,
    rtt: str | float | tuple[float, float] | None = None,
    flows: str | int | tuple[int, int] | None = None,
    buffer: str | float | None = None,
    packet: str | int = 1500,
    goal: str | None = None,
    ecn: bool = False,
) -> Advice:
    """Designs for a link by formula.

    Args:
        scenario: A scenario, or the name of one.
        link: A link with its usual traffic instead, as `links.spec` takes it; the numbers below override its own.
        rate: In bit/s, or text with its unit; of a range the low end.
        rtt: Base round trip in seconds or as text, or its range; by default that of `links.USUAL`.
        flows: Long TCP flows, or their range; without them the traffic is the usual one of a link of the rate.
        buffer: In packets, or as text in packets, bytes, time or bandwidth-delay products; of a range the low end.
        packet: Bytes of a full packet.
        goal: A bound on the delay in it sets the target: ``"p95 delay < 15ms"``.
        ecn: Whether flows negotiate ECN.

    Returns:
        The designs with their expected results.

    Raises:
        UsageError: For invalid values.

    Example:
        ``advise(rate="100Mbit", rtt="20-200ms", flows="5-100", buffer="1000pkts").designs[0].queue``
    """
    if link is not None and scenario is not None:
        raise UsageError("scenario", scenario, "cannot go together with --link", "give one of the two")
    if link is None and scenario is None and rate is not None and flows is None:
        # Traffic that is not stated is the usual one of the link.
        link, rate = units.show_rate(rate) if isinstance(rate, int | float) else rate, None
    numbers = {"rate": rate, "rtt": rtt, "flows": flows, "buffer": buffer, "ecn": ecn or None}
    given = (
        of_link(link, packet=packet, goal=goal, **{k: v for k, v in numbers.items() if v is not None})
        if link is not None
        else _given(
            scenario, rate=rate, rtt=rtt, flows=flows, buffer=buffer, packet=packet, goal=goal, ecn=ecn
        )
    )
    assumed = "" if scenario is not None else _assumed(given, link, rtt)
    return Advice(given, tuple(all_designs(given)), tuple(_notes(given)), assumed)


def _assumed(conditions: Conditions, link: str | None, rtt: object) -> str:
    """Assumptions about the traffic of a link that no scenario describes."""
    if link is not None:
        return f"{links.spec(link).assumptions()}; the formulas count its long transfers alone"
    ecn = "with ECN" if conditions.ecn else "without ECN"
    trips = f"round trip {links.USUAL['rtt']}, " if rtt is None else ""
    return f"{trips}long TCP transfers alone {ecn}, no L4S senders; no calls, games or video"


def _given(
    scenario: Scenario | str | None,
    *,
    rate: str | float | None,
    rtt: str | float | tuple[float, float] | None,
    flows: str | int | tuple[int, int] | None,
    buffer: str | float | None,
    packet: str | int,
    goal: str | None,
    ecn: bool,
) -> Conditions:
    if scenario is not None:
        if rate is not None or rtt is not None or flows is not None:
            raise UsageError(
                "scenario",
                scenario,
                "cannot go together with --rate, --rtt and --flows",
                "give the one or the others",
            )
        given = conditions_of(scenario if isinstance(scenario, Scenario) else Scenario.load(scenario))
        if buffer is not None:
            size = conditions(rate=1.0, rtt=1.0, flows=1, buffer=buffer, packet=given.packet_bytes).buffer
            given = replace(given, buffer=size)
        return replace(given, target_delay_s=allowed_delay(goal), ecn=ecn or given.ecn)
    if rate is None or flows is None:
        missing = [f"--{name}" for name, value in (("rate", rate), ("flows", flows)) if value is None]
        raise UsageError(
            ", ".join(missing),
            "",
            "not given",
            "give a rate for the usual traffic of such a line (--rate 100Mbit), "
            "or with its long flows (--rate 100Mbit --rtt 20-200ms --flows 5-100); or a link (--link cable); "
            "or a scenario",
        )
    rtt = links.USUAL["rtt"] if rtt is None else rtt
    return conditions(rate=rate, rtt=rtt, flows=flows, buffer=buffer, packet=packet, goal=goal, ecn=ecn)


def _notes(conditions: Conditions) -> Iterator[str]:
    """Yields notes on limits that hold for every discipline."""
    queue = conditions.aim_s * conditions.capacity
    crowded = conditions.most_demanding
    window = crowded.window(queue)
    if window < SMALL_WINDOW:
        yield (
            f"With {crowded.label()} a fair share is {window:.1f} packets a round trip: losses end in "
            "timeouts whatever the discipline. A longer queue, ECN or smaller packets help."
        )
    need = equilibrium.needed(queue, crowded, b=conditions.b, rto_s=conditions.rto_s)
    least = equilibrium.needed(queue, conditions.least_demanding, b=conditions.b, rto_s=conditions.rto_s)
    if least > 0.0 and need / least > 100.0:
        yield (
            f"Over this range the loss TCP needs runs from {_percent(least)} to {_percent(need)}: no fixed "
            "max_p fits both ends; take a discipline that adapts (ared, pie, codel), or tune for the part "
            "that matters."
        )
    if conditions.buffer is not None:
        shared = rules.many_flows(conditions.capacity, conditions.rtt_s[1], conditions.flows[0])
        if conditions.buffer < shared:
            yield (
                f"The buffer of {conditions.buffer:.0f} packets is below R C/sqrt(N) = {shared:.0f} for "
                f"{conditions.least_demanding.label()}: the link will not be full, under any discipline (AKM04)."
            )


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"
