"""Replications of a comparison: their number, or the precision to reach."""

from __future__ import annotations

from dataclasses import dataclass

from .. import metrics
from ..errors import UsageError
from ..metrics import statistics
from . import threads

#: Default number of replications.
REPLICATIONS = 10
#: Metrics that a precision applies to by default.
PRECISE = ("sojourn_ms_mean", "goodput_bps")


@dataclass(frozen=True)
class Effort:
    """Number of replications, or the precision to reach, and number of threads.

    ``precision`` (a share such as 0.05) adds replications until the half-width of every metric in
    ``metrics`` is at most that share of its mean in every variant, or ``maximum`` is reached; see
    ``docs/statistics.md``.
    """

    seed: int = 1
    replications: int | None = None
    precision: float | None = None
    metrics: tuple[str, ...] = PRECISE
    maximum: int = statistics.MAXIMUM
    jobs: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63 - 10_000:
            raise UsageError(
                "seed",
                self.seed,
                "must be a whole number, 0 or more, of at most 18 digits",
                "choose one such as 1",
            )
        if self.replications is not None and self.replications < 1:
            raise UsageError(
                "replications", self.replications, "must be 1 or more", "choose 5 or more for an interval"
            )
        threads.check(self.jobs)
        if self.precision is not None and not 0 < self.precision < 1:
            raise UsageError(
                "precision", self.precision, "must lie between 0 and 1", "write one such as 0.05"
            )
        if self.precision is not None and self.maximum < self.first:
            raise UsageError(
                "maximum",
                self.maximum,
                f"must be at least {self.first}",
                "raise it, or lower the replications",
            )
        for name in self.metrics:
            metrics.find(metrics.split(name)[0])

    @property
    def first(self) -> int:
        """Replications before the first check of the precision."""
        if self.precision is None:
            return self.replications or REPLICATIONS
        return max(statistics.MINIMUM, self.replications or 0)

    def options(self) -> list[tuple[str, object]]:
        """The command-line options that ask for this effort; threads do not change an answer and are
        left out."""
        shown: list[tuple[str, object]] = [("seed", self.seed)]
        if self.precision is None:
            return [*shown, ("replications", self.first)]
        shown += [("replications", self.replications), ("precision", f"{100 * self.precision:g}%")]
        if self.metrics != PRECISE:
            shown += [("on", name) for name in self.metrics]
        return shown if self.maximum == statistics.MAXIMUM else [*shown, ("maximum", self.maximum)]
