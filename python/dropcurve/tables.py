"""Tables of a result: rows of metrics, columns of variants, intervals, differences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """Mean over replications with the half-width of its interval. ``half_width`` is None for n < 2; ``mean`` is
    None if no run has a value."""

    mean: float | None
    half_width: float | None
    n: int


@dataclass(frozen=True)
class Row:
    """One metric at one place (``scope``: a link, a class, a flow number; "" is the main link or all flows)."""

    metric: str
    scope: str
    unit: str
    better: str
    title: str
    cells: tuple[Cell, ...]

    @property
    def key(self) -> str:
        """Name and scope: ``goodput_bps`` or ``goodput_bps[tcp]``."""
        return f"{self.metric}[{self.scope}]" if self.scope else self.metric


@dataclass(frozen=True)
class Difference:
    """A variant less the baseline, paired by seed. ``p_adjusted`` is Holm's over the list it is part of; ``real``
    says that it falls below 1 - confidence. ``improves`` is None where neither direction is better."""

    metric: str
    scope: str
    unit: str
    variant: str
    baseline: str
    mean: float
    half_width: float | None
    n: int
    p: float
    p_adjusted: float
    real: bool
    improves: bool | None

    @property
    def key(self) -> str:
        """Name and scope, as for a row."""
        return f"{self.metric}[{self.scope}]" if self.scope else self.metric
