"""Racing: finding candidates that are significantly worse than another one in the trials that both were run in.

F-Race (Birattari 2002) with paired t tests instead of ranks: under common random numbers the difference of two
candidates in a trial is far less noisy than either, so the budget goes to candidates that are close.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..metrics import statistics
from .bench import Bench, PairedTrial
from .candidates import Candidate

#: Error probability of one elimination.
ALPHA = 0.02
#: Differences beyond this many points count as this many: one constraint that fails at one condition is enough to be
#: worse.
CLEAR = 20.0
#: Fewest pairs a test may use.
PAIRS = 4


def behind(
    bench: Bench,
    candidate: Candidate,
    best: Candidate,
    trials: Sequence[PairedTrial],
    *,
    alpha: float = ALPHA,
) -> bool:
    """Whether a candidate is significantly worse than another one in the trials that both were run in."""
    pairs = [
        min(max(pair, -CLEAR), CLEAR)
        for pair in _pairs(bench, candidate, best, trials)
        if not math.isnan(pair)
    ]
    if len(pairs) < PAIRS:
        return False
    if min(pairs) >= CLEAR:
        # Clipped to the same value the differences have no variance for a test: each decides by itself.
        return True
    difference = statistics.paired(pairs, [0.0] * len(pairs))
    return difference is not None and difference.mean > 0 and difference.p / 2.0 < alpha


def ruled_out(
    bench: Bench,
    candidate: Candidate,
    best: Candidate,
    first: Sequence[PairedTrial],
    half: Sequence[PairedTrial],
    size: int,
) -> bool:
    """Whether the first evaluation of a candidate (in the trials ``half`` of ``first``) rules it out.

    A paired test over the conditions (``size`` of them); where each has several seeds, one block of seeds, if the
    difference exceeds the deviation of the best between seeds.
    """
    if len(first) == size:
        return behind(bench, candidate, best, half)
    blocks = [first[start : start + size] for start in range(0, len(first), size)]
    scores = [bench.score(best, some) for some in blocks if all(bench.has(best, trial) for trial in some)]
    worse = bench.score(candidate, half) - bench.score(best, half)
    return worse > min(statistics.deviation(scores), CLEAR)


def _pairs(bench: Bench, candidate: Candidate, best: Candidate, trials: Sequence[PairedTrial]) -> list[float]:
    """Differences of losses: trial by trial, or if the worst condition counts, seed by seed."""
    if bench.question.robust == "mean":
        return [bench.loss(candidate, trial) - bench.loss(best, trial) for trial in trials]
    seeds = dict.fromkeys(trial.seed for trial in trials)
    whole = [[trial for trial in trials if trial.seed == seed] for seed in seeds]
    return [bench.score(candidate, some) - bench.score(best, some) for some in whole]
