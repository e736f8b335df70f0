"""One family under Optuna: what to try next, and what came of it."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sweeping import design
from .candidates import Candidate, Target
from .families import Family, Knobs

if TYPE_CHECKING:
    import optuna

#: Points spread over the ranges before anything is inferred.
SPREAD = 4
#: First step away from the best so far, as a share of each range, and what is left of it after each round.
STEP, SHRINK = 0.2, 0.9
#: What Optuna is told of a candidate without a value.
HOPELESS = 1e9
#: Members of a generation where there are several objectives.
POPULATION = 16


@dataclass
class Study:
    """Proposals for one family; ``held`` knobs stay where they are."""

    family: Family
    target: Target
    objectives: int
    seed: int
    path: Path | None = None
    held: Knobs = field(default_factory=dict)
    tried: dict[str, Candidate] = field(default_factory=dict)
    knobs: dict[str, Knobs] = field(default_factory=dict)
    _optuna: Any = None
    _queue: list[Knobs] = field(default_factory=list)

    def start(self, known: Sequence[Mapping[str, float]]) -> None:
        """Begins with given knobs, then with points spread over the ranges."""
        free = [name for name in self.family.knobs if name not in self.held]
        unit: Any = design.cube(len(free), SPREAD, method="sobol", seed=self._seed()) if free else []
        spread = [
            {name: self.family.knobs[name].at(float(share)) for name, share in zip(free, one, strict=True)}
            for one in unit
        ]
        self._queue = [{**one, **self.held} for one in [*map(dict, known), *spread]]
        self._optuna = self._study()

    def near(self, best: Candidate, count: int) -> None:
        """Makes the next proposals neighbours of the best so far; each time the steps are smaller."""
        import numpy as np

        knobs = self.knobs.get(best.key) or self.family.knobs_of(best.params)
        free = [name for name in self.family.knobs if name not in self.held]
        if knobs is None or not free:
            return
        self._rounds += 1
        dice = np.random.default_rng([self._seed(), self._rounds])
        for step in dice.normal(0.0, max(0.02, STEP * SHRINK**self._rounds), (count, len(free))):
            moved = dict(knobs)
            for name, by in zip(free, step, strict=True):
                axis = self.family.knobs[name]
                moved[name] = axis.at(min(1.0, max(0.0, axis.share(knobs[name]) + float(by))))
            self._queue.append({**moved, **self.held})

    def ask(self, count: int) -> list[tuple[Any, Candidate]]:
        """New candidates, at most ``count``: (a ticket for `tell`, the candidate)."""
        found: list[tuple[Any, Candidate]] = []
        for _ in range(4 * count):
            if len(found) == count:
                break
            if self._queue:
                self._optuna.enqueue_trial(self._free(self._queue.pop(0)))
            ticket = self._optuna.ask()
            knobs = self._suggest(ticket) | self.held
            made = self.candidate(knobs)
            if made is None or made.key in self.tried:
                self.tell(ticket, self._told.get(made.key) if made is not None else None)
                continue
            self.tried[made.key], self.knobs[made.key] = made, knobs
            found.append((ticket, made))
        return found

    def candidate(self, knobs: Mapping[str, float]) -> Candidate | None:
        """The candidate at some knobs, as the box runs it; None if the box refuses it."""
        kind = self.family.kind
        return self.target.candidate(f"{kind}, tuned", kind, self.family.params(knobs), origin="search")

    def tell(
        self, ticket: Any, values: Sequence[float] | None, *, excess: float = 0.0, key: str = ""
    ) -> None:
        """What a proposal came to; None if nothing did."""
        numbers = (
            [HOPELESS] * self.objectives if values is None else [min(value, HOPELESS) for value in values]
        )
        if key:
            self._told[key] = tuple(numbers)
        if self.objectives > 1:
            ticket.set_user_attr("excess", excess if values is not None else HOPELESS)
        self._optuna.tell(ticket, numbers if self.objectives > 1 else numbers[0])

    def __post_init__(self) -> None:
        self._told: dict[str, tuple[float, ...]] = {}
        self._rounds = 0

    def _free(self, knobs: Mapping[str, float]) -> Knobs:
        """The knobs that move, inside their ranges."""
        return {
            name: min(max(knobs[name], axis.low), axis.high)
            for name, axis in self.family.knobs.items()
            if name not in self.held and name in knobs
        }

    def _suggest(self, ticket: optuna.trial.Trial) -> Knobs:
        found = {}
        for name, axis in self.family.knobs.items():
            if name not in self.held:
                value = ticket.suggest_float(name, axis.low, axis.high, log=axis.scale == "log")
                found[name] = axis.rounded(value)
        return found

    def _seed(self) -> int:
        """Of this family: the same whatever other families there are."""
        text = f"{self.seed}/{self.family.kind}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1

    def _study(self) -> optuna.Study:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.filterwarnings("ignore", module="optuna")
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler: optuna.samplers.BaseSampler
        if self.objectives > 1:
            sampler = optuna.samplers.NSGAIISampler(
                seed=self._seed(), population_size=POPULATION,
                constraints_func=lambda trial: (float(trial.user_attrs.get("excess", 0.0)),),
            )  # fmt: skip
        else:
            sampler = optuna.samplers.TPESampler(
                seed=self._seed(), multivariate=True, constant_liar=True, n_startup_trials=SPREAD
            )
        return optuna.create_study(
            storage=self._storage(), study_name=self.family.kind, sampler=sampler,
            directions=["minimize"] * self.objectives,
        )  # fmt: skip

    def _storage(self) -> Any:
        """A journal that Optuna's own tools can watch. It is written anew by every search: what was proposed follows
        from the seed, and what came of it lies in the store of runs."""
        if self.path is None:
            return None
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        file = self.path / f"{self.family.kind}.journal"
        file.unlink(missing_ok=True)
        return JournalStorage(JournalFileBackend(str(file)))


def front(points: Mapping[str, Sequence[float]]) -> list[str]:
    """The keys of points that no other point beats in every coordinate (smaller is better), by the first coordinate."""
    kept = [
        name
        for name, one in points.items()
        if not any(math.isinf(value) for value in one)
        and not any(
            all(a <= b for a, b in zip(other, one, strict=True)) and tuple(other) != tuple(one)
            for key, other in points.items()
            if key != name
        )
    ]
    return sorted(kept, key=lambda name: tuple(points[name]))
