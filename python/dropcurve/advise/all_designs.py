"""Every design for a link, in order."""

from __future__ import annotations

from collections.abc import Iterator

from .designs import (
    Design,
    adaptive_red,
    codel,
    fq_codel,
    pi,
    pie,
    red_by_floyd,
    red_by_queue_law,
    red_by_stability,
    tail_drop,
    tail_drop_by_bound,
)
from .link_conditions import Conditions
from .steps import red_as_step, step_marking


def all_designs(given: Conditions) -> Iterator[Design]:
    """Yields every design, the simplest first."""
    yield tail_drop(given)
    if given.target_delay_s is not None:
        yield tail_drop_by_bound(given)
    yield red_by_floyd(given)
    yield adaptive_red(given)
    yield red_by_queue_law(given)
    yield red_by_stability(given)
    if given.cc == "dctcp":
        yield step_marking(given)
        yield red_as_step(given)
    yield pi(given)
    yield pie(given)
    yield codel(given)
    yield fq_codel(given)
