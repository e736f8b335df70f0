"""A sentence on long flows that start from nothing and fill the link only after the warm-up of a run.

Flows of a link by a few numbers start near their share then (`steady_start`). A scenario and the usual traffic of a
link have the start that they state, so that the figures include it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..advise.scenario import conditions_of
from ..errors import DropcurveError
from ..quantities import units
from ..scenario import Scenario
from .delay_bounds import bound_s
from .link_mix import MixLink
from .question import Question
from .steady_start import LongFlows

#: Congestion controls by the law by which their window grows after a loss: CUBIC's, or at most a packet a round trip.
CUBIC = ("cubic",)
RENO = ("reno", "newreno", "dctcp", "prague", "westwood", "vegas", "veno", "lp", "ledbat")


def sentence(question: Question) -> str:
    """The sentence, with the condition that would settle last; "" if none is late or the start is chosen."""
    if question.base is None and not isinstance(question.link, MixLink):
        return ""
    late: list[tuple[float, float, dict[str, float]]] = []
    for condition in question.conditions():
        scenario = question.scenario(condition)
        warmup = units.span(str(scenario.get("run.warmup")))
        late += [
            (flows.settled_s, warmup, dict(condition))
            for flows in long_flows(scenario, bound_s(question.goal, question.sizing))
            if flows.late(warmup)
        ]
    if not late:
        return ""
    settled, warmup, worst = max(late, key=lambda one: one[0])
    where = f" ({question.describe(worst)})" if question.varying else ""
    more = (
        ""
        if question.base is None
        else '; a longer run.warmup, or pacing = "start" with initial_ssthresh, leaves it out'
    )
    return (
        f"Long flows start from nothing{where}: behind a queue so short against the round trip they take about "
        f"{units.show_span(round(settled))} to fill the link, and the figures, which begin at "
        f"{units.show_span(round(warmup, 1))}, include part of that{more}"
    )


def long_flows(scenario: Scenario, bound: float | None) -> Iterator[LongFlows]:
    """The long flows of a scenario that start from nothing, by the slowest of their laws; none if that is unknown."""
    groups = [one for one in scenario.resolved.get("flows", {}).values() if _starts_from_nothing(one)]
    laws = {str(one["cc"]) for one in groups}
    if not laws or not laws <= {*CUBIC, *RENO}:
        return
    try:
        link = conditions_of(scenario)
    except DropcurveError:
        return
    tcp = "cubic" if laws <= set(CUBIC) else "reno"
    yield LongFlows(link.rate_bps, link.rtt_s[1], link.flows[1], tcp, bound, link.packet_bytes)


def _starts_from_nothing(group: dict[str, Any]) -> bool:
    return (
        group["transport"] == "tcp"
        and group.get("source") == "ftp"
        and not group.get("reverse")
        and str(group.get("initial_ssthresh")) == "auto"
    )
