"""What a family is expected to lose anywhere in its ranges, from all runs of it; and where to look next.

Each measure of the goal has a surface of its own (`model`): delays and completion times are smooth in their logarithm,
a bound is kept or broken by how far a measure scatters around its surface, and a sum is as smooth as its parts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..runs.sweeping import design
from .bench import PENALTY, Bench, Trial
from .candidates import Candidate
from .model import Seen, Surface

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Most runs that a picture is made from, those of the best settings; and fewest.
MOST, LEAST = 240, 6
#: Places times conditions that are looked at for a proposal; ways that the surfaces might run.
PLACES, WAYS = 640, 64
#: Steps away from the best, as shares of the ranges.
STEPS = (0.03, 0.1, 0.25)
#: Places of a bell curve and their weights (Gauss and Hermite), for what scatter makes of a bound.
BELL = ((-2.857, 0.01126), (-1.356, 0.2221), (0.0, 0.5333), (1.356, 0.2221), (2.857, 0.01126))


@dataclass
class Landscape:
    """The picture of one family: `note` what was run, `look` at it, then ask what is `expected`, or to `propose`."""

    bench: Bench
    conditions: int
    seed: int
    _runs: dict[tuple[str, Trial], tuple[Array, dict[str, float]]] = field(default_factory=dict)
    _surfaces: dict[str, Surface] = field(default_factory=dict)
    ready: bool = False
    _asked: int = 0

    def note(self, one: Candidate, place: Array, trial: Trial) -> None:
        """A run that was made, of a candidate at a place of the unit cube."""
        if (one.key, trial) in self._runs:
            return
        goal = self.bench.question.goal
        values = {measure.key: self.bench.value(one, trial, measure.key) for measure in goal.measures}
        known = {name: value for name, value in values.items() if value is not None}
        if len(known) == len(values):
            self._runs[one.key, trial] = (place, known)

    def look(self) -> bool:
        """Fits the surfaces to what was noted; False if that is too little."""
        import numpy as np

        runs = self._best()
        self.ready = len(runs) >= LEAST
        if not self.ready:
            return False
        trials = {trial: number for number, trial in enumerate(dict.fromkeys(trial for _, trial in runs))}
        seen = Seen(
            np.array([place for place, _ in runs.values()]),
            np.array([trial.place for _, trial in runs]),
            np.array([trials[trial] for _, trial in runs]),
        )
        self._scales = {
            name: _scale([values[name] for _, values in runs.values()])
            for name in next(iter(runs.values()))[1]
        }
        try:
            for name, scale in self._scales.items():
                values = np.array([scale.there(values[name]) for _, values in runs.values()])
                self._surfaces.setdefault(name, Surface()).fit(seen, values)
        except np.linalg.LinAlgError:
            self.ready = False
        return self.ready

    def expected(self, places: Sequence[Array]) -> list[float]:
        """The expected loss at each place, over the conditions."""
        import numpy as np

        if not len(places):
            return []
        found = {name: one.at(np.array(places), self.conditions) for name, one in self._surfaces.items()}
        ways = {
            name: np.array([mean + np.sqrt(variance) * at for at, _ in BELL])
            for name, (mean, variance) in found.items()
        }
        weights = np.array([weight for _, weight in BELL])
        return [float(one) for one in weights @ self._over(self._losses(ways))]

    def propose(self, tried: Sequence[Array], count: int) -> list[Array]:
        """Places where the loss is likely to fall below that of all that was tried, each with the others in mind."""
        import numpy as np

        self._asked += 1
        dice = np.random.default_rng([self.seed, self._asked])
        ranked = [tried[n] for n in np.argsort(self.expected(tried), kind="stable")]
        knobs = len(tried[0])
        room = max(24, PLACES // self.conditions)
        held = ranked[: max(4, room // 6)]
        spread = design.cube(knobs, room // 3, method="sobol", seed=self.seed + self._asked)
        places = [*held, *(np.array(one, dtype=float) for one in spread)]
        while len(places) < room:
            start = held[min(int(dice.exponential(2.0)), len(held) - 1)]
            step = dice.normal(0.0, STEPS[int(dice.integers(len(STEPS)))], knobs)
            places.append(np.clip(start + step * (dice.random(knobs) < max(0.5, 1.5 / knobs)), 0.0, 1.0))
        losses = self._over(self._losses(self._ways(np.array(places), dice)))
        best = losses[:, : len(held)].min(axis=1)
        chosen: list[Array] = []
        gains = np.maximum(best[:, None] - losses[:, len(held) :], 0.0)
        for _ in range(count):
            one = int(np.argmax(gains.mean(axis=0)))
            chosen.append(places[len(held) + one])
            best = np.minimum(best, losses[:, len(held) + one])
            gains = np.maximum(best[:, None] - losses[:, len(held) :], 0.0)
        return chosen

    def telling(self, place: Array) -> list[int]:
        """The conditions, first the one under which a run at a place says most of what it comes to over all."""
        import numpy as np

        ways = self._ways(np.array([place]), np.random.default_rng([self.seed, 1, self._asked]))
        losses = self._losses(ways)[:, 0, :]
        wide = {name: self._surfaces[name].scatter(self.conditions) for name in ways}
        up = self._losses({name: way + wide[name] for name, way in ways.items()})
        down = self._losses({name: way - wide[name] for name, way in ways.items()})
        noise = (up - down)[:, 0, :].mean(axis=0) / 2.0
        over = self._over(losses)
        off = losses - losses.mean(axis=0)
        told = (off * (over - over.mean())[:, None]).mean(axis=0) ** 2
        gain = told / ((off**2).mean(axis=0) + noise**2 + 1e-12)
        return [int(one) for one in np.argsort(-gain, kind="stable")]

    def better(self, places: Sequence[Array], than: Array) -> list[float]:
        """How likely each place is better than another one."""
        import numpy as np

        dice = np.random.default_rng([self.seed, 0, self._asked])
        losses = self._over(self._losses(self._ways(np.array([than, *places]), dice)))
        return [float(one) for one in (losses[:, 1:] < losses[:, :1]).mean(axis=0)]

    def _ways(self, places: Array, dice: np.random.Generator) -> dict[str, Array]:
        """Values of each measure for many ways that its surface might run, by place and condition."""
        size = (WAYS, len(places) * self.conditions)
        return {
            name: one.ways(places, self.conditions, dice.normal(size=size))
            for name, one in self._surfaces.items()
        }

    def _over(self, losses: Array) -> Array:
        """Over the conditions: in the mean, or at the worst."""
        import numpy as np

        worst = self.bench.question.robust == "worst"
        return np.asarray(losses.max(axis=-1) if worst else losses.mean(axis=-1))

    def _losses(self, ways: dict[str, Array]) -> Array:
        """What runs are expected to lose that scatter around these values, by way, place and condition."""
        import numpy as np

        goal = self.bench.question.goal
        wide = {name: self._surfaces[name].scatter(self.conditions) for name in ways}
        expected = {name: self._scales[name].mean(way, wide[name]) for name, way in ways.items()}
        total = np.zeros_like(next(iter(ways.values())))
        for one, scale in zip(goal.objectives, self.bench.scales, strict=True):
            for weight, term in one.terms:
                total += one.sign * weight * expected[term.key] / scale
        for bound in goal.constraints:
            name = bound.measure.key
            for at, weight in BELL:
                values = self._scales[name].back(ways[name] + at * wide[name])
                total += weight * PENALTY * np.maximum(bound.beyond(values, margin=self.bench.margin), 0.0)
        return total

    def _best(self) -> dict[tuple[str, Trial], tuple[Array, dict[str, float]]]:
        """What was noted, if it is much only of the best settings."""
        if len(self._runs) <= MOST:
            return self._runs
        ranks: dict[str, list[float]] = {}
        by_trial: dict[Trial, list[tuple[float, str]]] = {}
        for (key, trial), (_, values) in self._runs.items():
            by_trial.setdefault(trial, []).append((self.bench.loss_of(values), key))
        for some in by_trial.values():
            for rank, (_, key) in enumerate(sorted(some)):
                ranks.setdefault(key, []).append((rank + 0.5) / len(some))
        order = sorted(ranks, key=lambda key: sum(ranks[key]) / len(ranks[key]))
        kept: dict[tuple[str, Trial], tuple[Array, dict[str, float]]] = {}
        by_key: dict[str, list[tuple[str, Trial]]] = {}
        for name in self._runs:
            by_key.setdefault(name[0], []).append(name)
        for key in order:
            if len(kept) + len(by_key[key]) > MOST:
                break
            kept |= {name: self._runs[name] for name in by_key[key]}
        return kept


@dataclass(frozen=True)
class _Scale:
    """On which scale a measure is smooth: its logarithm, or as it is."""

    log: bool
    low: float
    high: float

    def there(self, value: float) -> float:
        return math.log(value) if self.log else value

    def back(self, values: Array) -> Array:
        import numpy as np

        return np.asarray(np.exp(self._inside(values)) if self.log else self._inside(values))

    def mean(self, values: Array, scatter: Array) -> Array:
        """What runs come to in the mean that scatter around these values."""
        import numpy as np

        inside = self._inside(values)
        return np.asarray(np.exp(inside + scatter**2 / 2.0) if self.log else inside)

    def _inside(self, values: Array) -> Array:
        """No further beyond what was seen than that is wide."""
        import numpy as np

        return np.clip(values, self.low, self.high)


def _scale(values: Sequence[float]) -> _Scale:
    log = min(values) > 0.0
    there = [math.log(value) if log else value for value in values]
    wide = max(there) - min(there)
    return _Scale(log, min(there) - wide, max(there) + wide)
