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


def all_designs(conditions: Conditions) -> Iterator[Design]:
    """Yields every design, the simplest first."""
    yield tail_drop(conditions)
    if conditions.target_delay_s is not None:
        yield tail_drop_by_bound(conditions)
    yield red_by_floyd(conditions)
    yield adaptive_red(conditions)
    yield red_by_queue_law(conditions)
    yield red_by_stability(conditions)
    if conditions.cc == "dctcp":
        yield step_marking(conditions)
        yield red_as_step(conditions)
    yield pi(conditions)
    yield pie(conditions)
    yield codel(conditions)
    yield fq_codel(conditions)
