"""The verdict on a result: designs and outcomes of a comparison of queues, put before the rules of a verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..advise.scenario import conditions_of
from ..errors import DropcurveError
from ..scenario import Scenario
from ..verdict import MARGIN_POINTS, Design, Exchange, Verdict, balanced, decide
from .measured import Measured
from .variant import Variant

#: Keys of a scenario that name its queues.
QUEUES = ("queue", "back_queue")
#: How much there is to set and to understand: nothing, a target, a target and a division of flows, thresholds.
_SIMPLICITY = {
    "droptail": 0.0, "codel": 1.0, "pie": 1.0, "pi": 2.0, "cobalt": 1.0, "ared": 2.0, "fq_codel": 2.0, "fq_pie": 2.0,
    "fq_cobalt": 2.0, "cake": 2.0, "sfq": 1.5, "dualpi2": 2.0,
}  # fmt: skip
_OTHERS = 3.0


def verdict_on(
    result: Measured,
    *,
    current: str = "",
    exchange: Exchange | None = None,
    margin: float = MARGIN_POINTS,
    among: Collection[str] | None = None,
    confidence: float | None = None,
) -> Verdict | None:
    """Returns the verdict on a comparison of queues.

    Args:
        result: Variants that differ in their queues alone.
        current: The variant that is in use already, "" if none is.
        exchange: Between delay and utilisation; by default that of the scenario's round trip.
        margin: Equivalence margin in points of utilisation.
        among: The variants that can be chosen; by default all.
        confidence: Of every statement together; by default that of the result.

    Returns:
        None for fewer than two variants, and for variants that differ in more than their queues, between which there
        is nothing to choose.
    """
    chosen = [one for one in result.variants if among is None or one.name in among]
    if len(chosen) < 2 or not comparable(chosen) or not all(one.runs for one in chosen):
        return None
    rate = exchange or Exchange.default(round_trip_s(result.baseline))
    outcomes, samples = balanced([variant.runs for variant in chosen], rate)
    designs = [
        Design(variant.name, found, _SIMPLICITY.get(kind_of(variant), _OTHERS), variant.name == current)
        for variant, found in zip(chosen, samples, strict=True)
    ]
    weighed = any(one.key.startswith("delay") and one.worth for one in outcomes)
    about = str(rate) if weighed else f"{rate}, of any packet because no thin flow is in this traffic"
    return decide(
        designs,
        outcomes,
        margin=margin,
        confidence=result.level if confidence is None else confidence,
        exchange=about,
        baseline=result.baseline.name,
    )


def comparable(variants: Sequence[Variant]) -> bool:
    """Whether scenarios differ in their queues alone."""
    return len({repr(_without_queues(one.scenario)) for one in variants}) == 1


def _without_queues(scenario: dict[str, Any]) -> dict[str, Any]:
    found = {key: part for key, part in scenario.items() if key not in QUEUES}
    if isinstance(links := found.get("links"), dict):
        found["links"] = {
            name: {key: part for key, part in link.items() if key != "queue"}
            if isinstance(link, dict)
            else link
            for name, link in links.items()
        }
    return found


def kind_of(variant: Variant) -> str:
    """Returns the kind of the queue under design: of a strict priority that of its last band."""
    queue = variant.scenario.get("queue") or {}
    bands = queue.get("bands") if queue.get("kind") == "prio" else None
    last = bands[-1] if isinstance(bands, list) and bands else queue
    return str(last.get("kind", "") if isinstance(last, dict) else last)


def round_trip_s(variant: Variant) -> float | None:
    """The base round trip in the middle of its range; None for a scenario without long TCP flows."""
    try:
        found: float = conditions_of(Scenario.parse(variant.toml, name=variant.name)).middle.rtt_s
    except DropcurveError:
        return None
    return found
