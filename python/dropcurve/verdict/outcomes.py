"""Designs and outcomes of a comparison: delay where it is felt, and use of the link.

The delay of thin flows counts if there are any, for bulk transfers feel none; a flood's own packets never do. Where
flows attack, what the others get of the link counts instead of its utilisation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DropcurveError
from ..metrics import main_links, measured_s, value
from ..quantities import wording
from .data import Design, Outcome, Verdict
from .exchange import Exchange
from .rules import MARGIN_POINTS, decide
from .traffic import roles

if TYPE_CHECKING:
    from ..metrics import Run
    from ..results import Variant
    from ..results.measured import Measured

#: Keys of a scenario that say which queues there are.
QUEUES = ("queue", "back_queue")
#: How much there is to set and to understand: nothing, a target, a target and a division of flows, thresholds.
_SIMPLICITY = {
    "droptail": 0.0, "codel": 1.0, "pie": 1.0, "pi": 2.0, "cobalt": 1.0, "ared": 2.0, "fq_codel": 2.0, "fq_pie": 2.0,
    "fq_cobalt": 2.0, "cake": 2.0, "sfq": 1.5, "dualpi2": 2.0,
}  # fmt: skip
_OTHERS = 3.0


def of_result(
    result: Measured,
    *,
    current: str = "",
    exchange: Exchange | None = None,
    margin: float = MARGIN_POINTS,
    among: Collection[str] | None = None,
    confidence: float | None = None,
) -> Verdict | None:
    """The verdict on a comparison of queues.

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
        Design(variant.name, found, _SIMPLICITY.get(_kind(variant), _OTHERS), variant.name == current)
        for variant, found in zip(chosen, samples, strict=True)
    ]
    weighed = any(one.key.startswith("delay") and one.worth for one in outcomes)
    about = str(rate) if weighed else f"{rate}, of any packet because no thin flow is in this traffic"
    return decide(
        designs,
        outcomes,
        margin=margin,
        confidence=result.level,
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


def _kind(variant: Variant) -> str:
    return str((variant.scenario.get("queue") or {}).get("kind", ""))


def round_trip_s(variant: Variant) -> float | None:
    """The base round trip in the middle of its range; None where the scenario has no long TCP flows to tell it."""
    from ..advise.scenario import conditions_of
    from ..scenario import Scenario

    try:
        found: float = conditions_of(Scenario.parse(variant.toml, name=variant.name)).middle.rtt_s
    except DropcurveError:
        return None
    return found


def balanced(
    runs: Sequence[Sequence[Run]], exchange: Exchange
) -> tuple[list[Outcome], list[dict[str, list[float | None]]]]:
    """Outcomes of the balanced goal, and by design the values of each.

    Args:
        runs: For each design its runs, of the same seeds.
        exchange: Between delay and utilisation.
    """
    found = roles(runs[0][0])
    attacked = "unresponsive" in found.values()
    thin = [name for name, role in found.items() if role == "thin"]
    victims = [name for name, role in found.items() if role != "unresponsive"]
    outcomes: list[Outcome] = []
    makers: list[Callable[[Run], float | None]] = []

    def add(outcome: Outcome, make: Callable[[Run], float | None]) -> None:
        outcomes.append(outcome)
        makers.append(make)

    if attacked and victims:
        add(
            Outcome("share", f"share of the link for {wording.listed(victims)}", "%", worth=1.0),
            _share(victims),
        )
    else:
        add(Outcome("utilisation", "utilisation", "%", worth=1.0), _metric("utilisation", ""))
    felt = thin or (victims if attacked else [])
    for name in felt:
        worth = -exchange.points_per_ms / len(felt)
        title = f"p95 one-way delay of {name}"
        add(Outcome(f"delay_ms_p95[{name}]", title, "ms", worth=worth), _metric("delay_ms_p95", name))
    for name in thin:
        add(
            Outcome(f"flow_loss[{name}]", f"loss of {name}", "%", worth=-1.0 / len(thin)),
            _metric("flow_loss", name),
        )
    if not felt:
        worth = -exchange.points_per_ms
        add(Outcome("sojourn_ms_p95", "p95 queueing delay", "ms", worth=worth), _metric("sojourn_ms_p95", ""))
    for name, role in found.items():
        if role == "short":
            title = f"p95 completion time of {name}"
            add(Outcome(f"fct_ms_p95[{name}]", title, "ms"), _metric("fct_ms_p95", name))
    bulk = [name for name, role in found.items() if role == "bulk"]
    for name in bulk if len(bulk) > 1 else []:
        outcome = Outcome(f"goodput_bps[{name}]", f"goodput of {name}", "bit/s", better="higher")
        add(outcome, _metric("goodput_bps", name))
    samples = [
        {one.key: [make(run) for run in some] for one, make in zip(outcomes, makers, strict=True)}
        for some in runs
    ]
    return outcomes, samples


def _metric(name: str, scope: str) -> Callable[[Run], float | None]:
    return lambda run: value(run, name, scope=scope)


def _share(names: Sequence[str]) -> Callable[[Run], float | None]:
    """Goodput of classes together, in per cent of the link's rate."""

    def of(run: Run) -> float | None:
        links = main_links(run)
        rate = float(run["links"][links[0]]["rate_bps"]) if links else 0.0
        rates = [
            8.0 * flow["goodput_bytes"] / measured_s(run) for flow in run["flows"] if flow["class"] in names
        ]
        return 100.0 * float(sum(rates)) / rate if rate else None

    return of
