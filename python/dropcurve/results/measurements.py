"""The data of a result: its runs, their origin, and the table and differences computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..metrics import statistics
from . import tables
from .tables import Difference, Row
from .variant import Variant


@dataclass(frozen=True)
class Measurements:
    """The data of a result, with the table and the paired differences that follow from it. The first variant is the
    baseline.

    Every variant has one run for each of ``seeds``, in their order. ``precision`` is None unless it decided how many.
    ``warnings`` ask for care in reading; ``problems`` report that a run differs from the one asked for. ``build`` names
    the core that ran; ``reused`` counts runs that were found in the folder.
    """

    name: str
    variants: list[Variant]
    seeds: list[int]
    version: str
    command: str = ""
    title: str = ""
    confidence: float = 0.95
    precision: float | None = None
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    build: str = ""
    reused: int = field(default=0, compare=False)

    @property
    def level(self) -> float:
        """The level intervals are computed at: ``confidence``, or more if it decided when to stop."""
        return self.confidence if self.precision is None else statistics.level_when_stopping(self.confidence)

    @property
    def baseline(self) -> Variant:
        """The variant the others are compared with."""
        return self.variants[0]

    def table(self, *, per: str = "total", only: Sequence[str] = ()) -> list[Row]:
        """Rows of (metric, unit, a cell per variant with mean, half_width, n).

        ``per`` is "total" (links, all flows, and classes if there are several), "class" or "flow";
        ``only`` names metrics instead of those shown unasked. Raises UsageError for an unknown name.
        """
        return (
            list(self._rows)
            if per == "total" and not only
            else tables.rows(self.variants, self.level, per=per, only=only)
        )

    def differences(self, *, per: str = "total", only: Sequence[str] = ()) -> list[Difference]:
        """Paired differences of each other variant from the baseline, Holm-corrected over the whole list."""
        if per == "total" and not only:
            return list(self._differences)
        return tables.differences(self.variants, self.level, per=per, only=only)

    @cached_property
    def _rows(self) -> list[Row]:
        return tables.rows(self.variants, self.level)

    @cached_property
    def _differences(self) -> list[Difference]:
        return tables.differences(self.variants, self.level)
