"""Outcome of one link of the page of regrets."""

from __future__ import annotations

from dataclasses import dataclass, field

from .confirm import Confirmation
from .contest import Standing
from .links import DrawnLink


@dataclass
class LinkOutcome:
    """Outcome of a link: standings by name, the runs that `tune` spent by time limit, points of the reference, the
    winner in ns-3 if it was run there; of each optimiser the standing by the number of runs spent (``courses``)."""

    link: DrawnLink
    standings: dict[str, Standing] = field(default_factory=dict)
    spent: dict[str, dict[str, float]] = field(default_factory=dict)
    points: int = 0
    build: str = ""
    courses: dict[str, dict[int, str]] = field(default_factory=dict)
    confirmed: Confirmation | None = None
