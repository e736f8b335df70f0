"""The number of threads that make runs."""

from __future__ import annotations

import os

from ..errors import UsageError


def check(jobs: int | None) -> None:
    """Raises UsageError for a number of threads below 1; None is as many as there are processors."""
    if jobs is not None and jobs < 1:
        raise UsageError("jobs", jobs, "must be 1 or more", "give the number of runs at once, such as 4")


def count(jobs: int | None) -> int:
    """The number of threads."""
    return jobs or os.cpu_count() or 1
