"""Trace of every packet of one run: for comparing, debugging and teaching, not for statistics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import dropcurve._core as _core

from ..metrics.summary import RunSummary
from ..results.series import Series
from ..scenario import Scenario
from . import engine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Trace:
    """Rows by time, as columns of equal length.

    ``what`` numbers into ``words``: "send" and "receive" are of data, "acknowledge" leaves the destination and
    "acked" reaches the source, "drop" and "mark" happen on the way. ``seq`` is a segment, or for an
    acknowledgement the next segment expected. ``back`` is 1 for what travels from destination to source.
    """

    words: tuple[str, ...]
    time_ns: Ints
    what: Ints
    flow: Ints
    seq: Ints
    size_bytes: Ints
    back: Ints
    summary: RunSummary
    series: Series

    def __len__(self) -> int:
        return len(self.time_ns)

    def rows(self, *words: str) -> Ints:
        """Positions of the rows with one of these words, in order."""
        import numpy as np

        wanted = [self.words.index(word) for word in words]
        return np.flatnonzero(np.isin(self.what, wanted)).astype(np.int64)


def trace(scenario: Scenario | str | Path, *, seed: int = 1) -> Trace:
    """Runs a scenario once and records everything: a row for every event of every packet, series and summary.

    Args:
        scenario: A scenario, the path of its file, or the name of one that ships with dropcurve.
        seed: Seed of the run.

    Returns:
        The rows as columns of equal length, with the run's series and summary.

    Raises:
        DropcurveError: The scenario is refused.

    Example:
        >>> found = dropcurve.trace("droptail_vs_red")
        >>> found.words[found.what[0]]
        'send'
    """
    import numpy as np

    found = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    (run,) = _core.run_many([(found.core, seed, "series")], 1, trace=True, **engine.options())
    words, (times, *rest) = run.trace()
    what, flow, seq, size, back = (np.frombuffer(column, dtype=np.uint32).astype(np.int64) for column in rest)
    return Trace(
        words=tuple(words),
        time_ns=np.frombuffer(times, dtype=np.uint64).astype(np.int64),
        what=what,
        flow=flow,
        seq=seq,
        size_bytes=size,
        back=back,
        summary=run.summary(),
        series=Series.from_curves(run.series()),
    )
