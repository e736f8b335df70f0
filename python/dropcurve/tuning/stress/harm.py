"""Harm of a run: the loss in a goal or a measure compared with an ideal queue under the same traffic.

The ideal queue keeps the link full, delays nothing, drops nothing, and gives the responsive traffic all that the
datagrams leave. Its values follow from the case alone: the share that the datagrams offer, the propagation delay, the
loss on the wire. A harm that no queue can avoid is recognised by the rivals (`fault`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ... import metrics
from ...advise import planned
from ...errors import UsageError
from ...metrics import Run
from ...quantities import wording
from ...scenario import Scenario
from ...verdict import Exchange
from .. import goal as goals
from ..goal import Goal
from ..measures import Measure
from . import traffic
from .bounds import Bounds, Case
from .traffic import DATAGRAMS, StressLink

#: Points that a bound missed by its whole value costs.
PENALTY = 100.0
#: Largest mean opinion score of the E-model.
BEST_MOS = 4.41


@dataclass(frozen=True)
class Harm:
    """A goal as a harm.

    Attributes:
        goal: With one objective.
        link: The link, for what an ideal queue would reach.
        text: The goal or measure as typed.
    """

    goal: Goal
    link: StressLink
    text: str

    @property
    def unit(self) -> str:
        """Unit of the harm: "points", or that of the only measure."""
        one = self.goal.objectives[0]
        return "points" if one.unit in ("%", "points", "") else one.unit

    @property
    def about(self) -> str:
        """Description of what it counts."""
        one = self.goal.objectives[0]
        exact = f"{one.label}, against an ideal queue under the same traffic"
        if name := goals.named(self.text):
            exact = f"points of the goal {name} lost against an ideal queue under the same traffic; goal = {one.label}"
        if self.goal.constraints:
            exact += f", and {PENALTY:g} points for a bound that is missed by its whole value"
        return exact

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure that the goal names."""
        return self.goal.measures

    def of(self, case: Case, run: Run) -> float:
        """The harm of a run of a case."""
        objective = self.goal.objectives[0]
        classes = set(metrics.classes(run))
        total = 0.0
        for weight, one in objective.terms:
            if _absent(one, classes):
                continue
            value = _value(run, one)
            ideal = self._ideal(one, case)
            # A transfer that delivered nothing has no delay; its share of the link shows the loss.
            if value is not None:
                total += (
                    objective.sign
                    * weight
                    * (value - ideal if not _delayed(one) else max(value - ideal, 0.0))
                )
        for bound in self.goal.constraints:
            if _absent(bound.measure, classes):
                continue
            value = _value(run, bound.measure)
            total += PENALTY * (1.0 if value is None else bound.excess(value))
        return total

    def _ideal(self, measure: Measure, case: Case) -> float:
        """The value of a measure under the ideal queue."""
        name, scope = metrics.split(measure.key)
        if name in ("link_share", "goodput_bps", "throughput_bps"):
            share = _ideal_share(self.link, case, scope)
            return share if name == "link_share" else share / 100.0 * self.link.rate_bps
        if name == "utilisation":
            return 100.0
        if name == "jain":
            return 1.0
        if name == "mos":
            return BEST_MOS
        if name in ("loss", "flow_loss"):
            return float(case["loss"]) if name == "flow_loss" else 0.0
        if name.startswith("delay_ms"):
            far = 1.0 if scope in ("call", DATAGRAMS) else float(case["rtt_ratio"])
            return 1e3 * far * float(case["rtt"]) / 2.0
        return 0.0


def _ideal_share(link: StressLink, case: Case, scope: str) -> float:
    """Goodput of a class in per cent of the link's rate under the ideal queue; of all flows without a scope."""
    # Payload of full packets: 1448 bytes behind the headers and timestamps of TCP.
    payload = 1448.0 / traffic.PACKET_BYTES if case["senders"] != "rfc" else 1460.0 / traffic.PACKET_BYTES
    size = float(case["datagram"])
    sent = min(traffic.offered(case), 100.0)
    parts = {
        DATAGRAMS: sent * (size - 28.0) / size,
        "call": min(100.0 * traffic.CALL_BPS * 160.0 / 200.0 / link.rate_bps, 100.0),
        "short": float(case["short"]) * payload,
    }
    taken = sent + 100.0 * traffic.CALL_BPS / link.rate_bps + float(case["short"])
    parts["long"] = max(100.0 - taken, 0.0) * payload * (1.0 - float(case["loss"]) / 100.0)
    return parts.get(scope, sum(parts.values()))


def parse(text: str, bounds: Bounds, link: StressLink, *, exchange: Exchange | None = None) -> Harm:
    """The harm that a text names.

    Args:
        text: A goal, one of its presets, or a measure such as ``p95 delay`` or ``goodput of long``.
        bounds: Classes of traffic that may be there.
        link: The link.
        exchange: Between delay and utilisation; by default that of the link's usual round trip.

    Raises:
        UsageError: For text that names no goal or measure, for several objectives, for measures that the traffic has no
            value of, and for those whose best value is not known.

    Example:
        ``parse("p95 delay of call", bounds, link)``
    """
    known = planned.classes(reference(bounds, link))
    if DATAGRAMS in known:
        known[DATAGRAMS] = replace(known[DATAGRAMS], role="unresponsive")
    rate = exchange or Exchange.default(link.rtt_s)
    try:
        goal = goals.parse(text, classes=known.values(), exchange=rate, round_trip_s=link.rtt_s)
    except UsageError as error:
        renamed = [replace(one, path=re.sub("^goal", "harm", one.path)) for one in error.problems]
        raise UsageError.of(renamed) from None
    planned.refuse_missing([one.key for one in goal.measures], reference(bounds, link), what="harm")
    if len(goal.objectives) > 1:
        raise UsageError(
            "harm",
            goal,
            "a search has one objective",
            "write a sum such as 'max utilisation - 0.5 * p95 delay'",
        )
    for weight, one in goal.objectives[0].terms:
        better = one.metric.better
        if better == "none" and weight:
            raise UsageError("harm", one.text, "is neither good nor bad by itself", "choose another measure")
        if better == "higher" and not _has_ideal(one):
            raise UsageError(
                "harm",
                one.text,
                "its best value is not known",
                "use goodput, link share, utilisation, fairness or call quality, or a measure of which less is better",
            )
    return Harm(goal, link, text)


def reference(bounds: Bounds, link: StressLink) -> Scenario:
    """A scenario with every class that the bounds allow."""
    case = bounds.mild()
    for name in ("short", "cbr", "pulse_rate"):
        if bounds.ranges[name].high > 0 and name != "pulse_rate":
            case[name] = max(bounds.ranges[name].low, min(bounds.ranges[name].high, 1.0))
    if float(case["cbr"]) == 0:
        # Its class is part of the goal even if no datagrams may be sent.
        case["cbr"] = 1.0
    return traffic.scenario(link, case)


def _has_ideal(measure: Measure) -> bool:
    name, _ = metrics.split(measure.key)
    return name in ("link_share", "goodput_bps", "throughput_bps", "utilisation", "jain", "mos")


def _delayed(measure: Measure) -> bool:
    return metrics.split(measure.key)[0].startswith(("delay_ms", "sojourn_ms"))


def _absent(measure: Measure, classes: set[str]) -> bool:
    """Whether a measure is of a class that a case leaves out."""
    _, scope = metrics.split(measure.key)
    return bool(scope) and scope not in classes and not scope.isdigit() and measure.metric.per != "link"


def _value(run: Run, measure: Measure) -> float | None:
    name, scope = metrics.split(measure.key)
    return metrics.value(run, name, scope=scope)


def shown(value: float | None, half_width: float | None, unit: str) -> str:
    """A harm as text: ``41.2 ± 1.3 points``."""
    return wording.amount(value, half_width, unit)
