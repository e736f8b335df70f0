"""The number of threads that make runs."""

from __future__ import annotations

import os

from ..errors import UsageError

#: Most threads, beyond what any machine has: a larger number is a slip.
MOST = 4096


def check(jobs: int | None) -> None:
    """Raises UsageError for a number of threads outside 1 to `MOST`; None is as many as there are processors."""
    if jobs is not None and not 1 <= jobs <= MOST:
        raise UsageError(
            "jobs", jobs, f"must lie between 1 and {MOST}", "give the number of runs at once, such as 4"
        )


def count(jobs: int | None) -> int:
    """The number of threads."""
    return jobs or os.cpu_count() or 1
