"""The verdict on a comparison of queues: takes designs and criteria from its runs, and applies the rules to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..advise.scenario import base_round_trip_s
from ..errors import ScenarioError
from ..metrics import Run
from ..scenario import Scenario
from ..verdict import (
    Criterion,
    Exchange,
    SampledDesign,
    Verdict,
    Weights,
    balanced,
    decide,
    kinds,
    manages,
)
from .measurements import Measurements
from .variant import Variant

#: Keys of a scenario that name its queues.
QUEUES = ("queue", "back_queue")
#: Complexity of a discipline, by the parameters to set: none (0), a target (1), a target and a division into flows (2),
#: thresholds (3).
_COMPLEXITY = {
    "droptail": 0.0, "codel": 1.0, "pie": 1.0, "pi": 2.0, "cobalt": 1.0, "ared": 2.0, "fq_codel": 2.0, "fq_pie": 2.0,
    "fq_cobalt": 2.0, "cake": 2.0, "sfq": 1.5, "dualpi2": 2.0,
}  # fmt: skip
_OTHER_COMPLEXITY = 3.0


def verdict_on(
    result: Measurements,
    *,
    current: str = "",
    exchange: Exchange | None = None,
    margin: float | None = None,
    among: Collection[str] | None = None,
    confidence: float | None = None,
    weights: Weights | None = None,
    unsimulated: str = "",
) -> Verdict | None:
    """Returns the verdict on a comparison of queues.

    Args:
        result: Variants that differ in their queues alone, or the same queues at several conditions. One that was given
            up early has fewer runs than others, of the same first seeds.
        current: The variant that is in use already, "" if none is.
        exchange: Between delay and utilisation; by default that of the scenario's round trip.
        margin: Equivalence margin in points; by default that of the weights.
        among: The variants that can be chosen; by default all.
        confidence: Confidence level of every statement together; by default that of the result.
        weights: Weights of a goal; by default utilisation against delay, as in `balanced`.
        unsimulated: Functions of the current variant's discipline that the runs do not show, in words.

    Returns:
        The verdict over all conditions together; None for fewer than two queues, and for variants that are no
        such comparison.

    Example:
        ``verdict_on(dropcurve.compare("droptail_vs_red")).recommended``
    """
    chosen = [one for one in result.variants if among is None or one.name in among]
    places = conditions(chosen)
    if not places or len(places[0]) < 2 or not all(one.runs for one in chosen):
        return None
    runs = [[run for place in places for run in place[name].runs] for name in places[0]]
    criteria, samples, about = _weighed(
        runs,
        weights,
        exchange or Exchange.default(round_trip_s(result.baseline)),
        reverse_of(result.baseline),
        filtered=any(filters_acks(one) for one in chosen),
    )
    own_kind = next((kind_of(one) for name, one in places[0].items() if current in (name, one.name)), "")
    designs = [
        SampledDesign(
            name,
            {key: _placed(values, finished) for key, values in by_criterion.items()},
            _COMPLEXITY.get(kind_of(variant), _OTHER_COMPLEXITY),
            current in (name, variant.name),
            manages(kind_of(variant)),
            finished,
            unsimulated if kind_of(variant) == own_kind else "",
        )
        for ((name, variant), finished), by_criterion in zip(
            zip(places[0].items(), _runs_made(places), strict=True), samples, strict=True
        )
    ]
    usual = weights.margin if weights else None
    verdict = decide(
        designs,
        criteria,
        margin=usual if margin is None else margin,
        confidence=result.level if confidence is None else confidence,
        exchange=about,
        baseline=next((name for name, one in places[0].items() if one.name == result.baseline.name), ""),
        points=weights.points if weights else "points",
    )
    return replace(verdict, conditions=len(places))


def _runs_made(places: Sequence[Mapping[str, Variant]]) -> list[list[bool]]:
    """By design, whether it has each of the runs that a design has at most, over all conditions."""
    most = [max(len(one.runs) for one in place.values()) for place in places]
    return [
        [
            run < len(place[name].runs)
            for place, count in zip(places, most, strict=True)
            for run in range(count)
        ]
        for name in places[0]
    ]


def _placed(values: Sequence[float | None], has_run: Sequence[bool]) -> list[float | None]:
    """The values at the places of the runs that were made, None elsewhere."""
    rest = iter(values)
    return [next(rest) if ran else None for ran in has_run]


def _weighed(
    runs: Sequence[Sequence[Run]],
    weights: Weights | None,
    exchange: Exchange,
    reverse: Collection[str] = (),
    *,
    filtered: bool = False,
) -> tuple[list[Criterion], list[dict[str, list[float | None]]], str]:
    """The criteria, their values by design, and a phrase on the weights."""
    usual, values = balanced(runs, exchange, reverse=reverse, filtered=filtered)
    if weights is None:
        about = exchange.stated(kinds(usual))
        if not any(one.key.startswith("delay") and one.worth for one in usual):
            about += "; the delay is that of any packet because no thin flow is in this traffic"
        return usual, values, about
    criteria, samples = weights.samples(runs)
    # Measures that the goal does not weigh may still get worse.
    others = [one for one in usual if one.key not in samples[0]]
    criteria += [replace(one, worth=0.0, better="higher" if one.higher else "lower") for one in others]
    for mine, every in zip(samples, values, strict=True):
        mine.update({one.key: every[one.key] for one in others})
    return criteria, samples, weights.about


def conditions(variants: Sequence[Variant]) -> list[dict[str, Variant]]:
    """The variants by condition: scenarios that differ in their queues alone.

    Returns:
        For each condition the variants by the name of their queue, the same names in each; empty where variants are
        no grid of queues and conditions.
    """
    places: dict[str, list[Variant]] = {}
    for one in variants:
        places.setdefault(repr(_without_queues(one.scenario)), []).append(one)
    if len(places) == 1:
        return [{one.name: one for one in variants}]
    untitled = [_untitled(some) for some in places.values()]
    names = {tuple(one) for one in untitled}
    kinds = {tuple(map(kind_of, one.values())) for one in untitled}
    return untitled if len(names) == 1 == len(kinds) and len(untitled[0]) > 1 else []


def _untitled(variants: Sequence[Variant]) -> dict[str, Variant]:
    """Variants of a condition by what their names do not share: the words in front name the condition."""
    words = [one.name.split(" ") for one in variants]
    shared = next(
        (n for n, some in enumerate(zip(*words, strict=False)) if len(set(some)) > 1),
        min(map(len, words)) - 1,
    )
    return {" ".join(some[shared:]): one for some, one in zip(words, variants, strict=True)}


def _without_queues(scenario: dict[str, Any]) -> dict[str, Any]:
    """The scenario without the queues of its links."""
    rest = {key: part for key, part in scenario.items() if key not in QUEUES}
    if isinstance(links := rest.get("links"), dict):
        rest["links"] = {
            name: {key: part for key, part in link.items() if key != "queue"}
            if isinstance(link, dict)
            else link
            for name, link in links.items()
        }
    return rest


def kind_of(variant: Variant) -> str:
    """Returns the kind of the queue under design: of a strict priority that of its last band, below a shaper that
    of the queue inside."""
    queue = _own_queue(variant)
    return str(queue.get("kind", "") if isinstance(queue, dict) else queue)


def filters_acks(variant: Variant) -> bool:
    """Returns whether the queue under design drops redundant acknowledgements."""
    queue = _own_queue(variant)
    return isinstance(queue, dict) and queue.get("ack_filter", "off") != "off"


def _own_queue(variant: Variant) -> Any:
    """The queue under design, without a strict priority or a shaper around it."""
    queue: Any = variant.scenario.get("queue") or {}
    if isinstance(queue, dict) and queue.get("kind") == "tbf" and isinstance(queue.get("child"), dict):
        queue = queue["child"]
    if isinstance(queue, dict) and queue.get("kind") == "prio" and isinstance(queue.get("bands"), list):
        queue = queue["bands"][-1]
    return queue


def reverse_of(variant: Variant) -> set[str]:
    """The classes whose data takes the reverse direction."""
    flows = variant.scenario.get("flows")
    groups = flows.items() if isinstance(flows, dict) else ()
    directions: dict[str, list[bool]] = {}
    for name, group in groups:
        directions.setdefault(str(group.get("counted_as") or name), []).append(bool(group.get("reverse")))
    return {name for name, some in directions.items() if all(some)}


def round_trip_s(variant: Variant) -> float | None:
    """The base round trip in the middle of its range.

    Returns:
        Seconds; None for a scenario without long TCP flows, and for one of a stored result that this version no
        longer accepts: its runs are still read.
    """
    try:
        scenario = Scenario.parse(variant.toml, name=variant.name)
    except ScenarioError:
        return None
    return base_round_trip_s(scenario)
