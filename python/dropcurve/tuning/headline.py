"""Of many measures those that stand for the rest in a sentence; tables have all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .measures import Measure

#: Largest number of measures that a sentence names.
MOST = 4


def headline(measures: Sequence[Measure], mean: Callable[[Measure], float | None]) -> list[Measure]:
    """All measures where they are few; otherwise the first one, the delay of the class with the least and of the class
    with the greatest delay, and the load time of pages.

    Args:
        measures: In the order of the goal.
        mean: The expected value of a measure, None where there is none.
    """
    if len(measures) <= MOST:
        return list(measures)
    delays = [one for one in measures if one.key.startswith("delay_ms")]
    delays.sort(key=lambda one: mean(one) or 0.0)
    pages = [one for one in measures if one.key.startswith(("page_ms", "page_doublings"))]
    return list(dict.fromkeys([measures[0], *delays[:1], *delays[-1:], *pages[:1]]))
