"""Runs of a search that are made, counted over its batches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class RunCount:
    """Runs made so far.

    Attributes:
        total: Runs of the whole search, about; 0 before that is known.
        before: Runs of the finished batches.
        batch: Runs of the present batch.
    """

    total: int = 0
    before: int = 0
    batch: int = 0

    def plan(self, runs: int) -> None:
        """Takes the approximate number of runs that follow: of the search, or of a further round of it."""
        self.total = self.runs + runs

    def take(self, done: int) -> None:
        """Takes the number of finished runs of a batch; one that is not larger begins another batch."""
        if done <= self.batch:
            self.before += self.batch
        self.batch = done

    @property
    def runs(self) -> int:
        """Runs of all batches."""
        return self.before + self.batch

    @property
    def exceeded(self) -> bool:
        """Whether more runs are made than were planned, so that the number that is left is unknown."""
        return 0 < self.total < self.runs

    @property
    def share(self) -> float | None:
        """Share of the runs that are made, None before their number is known. Work that remains at the end counts
        little."""
        return min(self.runs / self.total, 0.99) if self.total else None
