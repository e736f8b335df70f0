"""One family under Optuna: proposes candidates and records their outcome."""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import require
from . import spread
from .candidates import Candidate, Target
from .search_space import Coordinates, Family

if TYPE_CHECKING:
    import optuna

#: Folder of the journals inside that of the answer, and inside it that of a search that is not complete.
FOLDER, UNFINISHED = "studies", "unfinished"
#: Number of points spread over the ranges before the first inference.
SPREAD = 4
#: Steps away from the best so far, as a share of each range: the longest, the shortest; what they are multiplied by
#: after a success and without one.
STEP, LEAST_STEP, GROW, SHRINK = 0.25, 0.03, 1.5, 0.8
#: Probability that a step moves a parameter, and that it moves one with a small effect.
OFTEN, SELDOM = 0.5, 0.15
#: Value reported to Optuna for a candidate without one.
HOPELESS = 1e9
#: Members of a generation where there are several objectives.
POPULATION = 16


def unfinished(out: Path) -> Path:
    """A new folder for the journals of a search, inside the folder of its answer: those of the last answer stay as they
    are until `publish`, so that an interrupted search damages nothing."""
    folder = out / FOLDER / UNFINISHED
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def publish(out: Path) -> list[Path]:
    """Replaces the journals of the last answer by those of a complete search, if there is one; returns the answer's
    own. Raises OSError."""
    folder, complete = out / FOLDER, out / FOLDER / UNFINISHED
    if complete.exists():
        new = [folder / path.name for path in complete.glob("*.journal")]
        for path in new:
            (complete / path.name).replace(path)
        for path in set(folder.glob("*.journal")) - set(new):
            path.unlink()
        shutil.rmtree(complete, ignore_errors=True)
    return sorted(folder.glob("*.journal"))


@dataclass
class FamilyStudy:
    """Proposals for one family; ``quiet`` coordinates matter little, so that steps around the best seldom move them."""

    family: Family
    target: Target
    objectives: int
    seed: int
    path: Path | None = None
    quiet: frozenset[str] = frozenset()
    tried: dict[str, Candidate] = field(default_factory=dict)
    coordinates: dict[str, Coordinates] = field(default_factory=dict)
    _optuna: Any = None
    _rng: Any = None
    _reported: dict[str, tuple[float, ...]] = field(default_factory=dict)
    _best: str = ""
    _last_point: Any = None
    _step: float = STEP
    _rounds: int = 0
    _queue: list[Coordinates] = field(default_factory=list)

    def start(self, known: Sequence[Mapping[str, float]]) -> None:
        """Begins with given coordinates, then with points spread over the ranges."""
        over = spread.even(len(self.family.axes), SPREAD, seed=self.number)
        self._queue = [*map(dict, known), *(self._at(one) for one in over)]
        self._optuna = self._study()

    def near(self, best: Sequence[Candidate], count: int) -> None:
        """Makes the next proposals neighbours of the best so far, one of them (where there are others) a neighbour of
        another good candidate, for there may be several optima. Where the best is new, the first proposal continues in
        the direction that led to it; steps grow after a success and shrink otherwise."""
        import numpy as np

        points = [point for one in best if (point := self.unit_point(one)) is not None]
        if not points:
            return
        moves: list[tuple[Any, Any]] = []
        if best[0].key == self._best:
            self._step = max(LEAST_STEP, self._step * SHRINK)
        else:
            if self._last_point is not None:
                self._step = min(STEP, self._step * GROW)
                moves.append((points[0], points[0] - self._last_point))
            self._best, self._last_point = best[0].key, points[0]
        self._rounds += 1
        rng = np.random.default_rng([self.number, self._rounds])
        often = np.array([SELDOM if name in self.quiet else OFTEN for name in self.family.axes])
        while len(moves) < count:
            some = rng.random(len(often)) < often
            some[rng.integers(len(often))] = True
            last = len(moves) == count - 1 and len(points) > 1
            start = points[rng.integers(1, len(points))] if last else points[0]
            moves.append((start, rng.normal(0.0, self._step, len(often)) * some))
        self._queue += [self._at(np.clip(start + move, 0.0, 1.0)) for start, move in moves]

    def enqueue(self, points: Iterable[Any]) -> None:
        """Queues these points of the unit cube as the next proposals."""
        self._queue += [self._at(one) for one in points]

    def unit_point(self, candidate: Candidate) -> Any:
        """Point of a candidate in the unit cube; None if its coordinates are unknown."""
        import numpy as np

        coordinates = self.coordinates.get(candidate.key) or self.family.coordinates_of(candidate.params)
        if coordinates is None:
            return None
        return np.array([axis.share(coordinates[name]) for name, axis in self.family.axes.items()])

    def learn(self, candidate: Candidate, coordinates: Coordinates, value: float) -> None:
        """Adds to Optuna's study a candidate that it did not propose."""
        if candidate.key in self.tried or math.isinf(value):
            return
        self._optuna.enqueue_trial(self._inside(coordinates))
        ticket = self._optuna.ask()
        self._suggest(ticket)
        self.tried[candidate.key], self.coordinates[candidate.key] = candidate, coordinates
        self.tell(ticket, [value], key=candidate.key)

    def ask(self, count: int) -> list[tuple[Any, Candidate]]:
        """New candidates, at most ``count``: (a ticket for `tell`, the candidate)."""
        asked: list[tuple[Any, Candidate]] = []
        for attempt in range(8 * count):
            if len(asked) == count or (asked and attempt >= 4 * count):
                break
            if not asked and attempt >= 4 * count:
                self._queue.append(self._at(self._rng.random(len(self.family.axes))))
            if self._queue:
                self._optuna.enqueue_trial(self._inside(self._queue.pop(0)))
            ticket = self._optuna.ask()
            coordinates = self._suggest(ticket)
            candidate = self.candidate(coordinates)
            if candidate is None or candidate.key in self.tried:
                self.tell(ticket, self._reported.get(candidate.key) if candidate is not None else None)
                continue
            self.tried[candidate.key], self.coordinates[candidate.key] = candidate, coordinates
            asked.append((ticket, candidate))
        return asked

    def candidate(self, coordinates: Mapping[str, float]) -> Candidate | None:
        """The candidate at some coordinates, as the box runs it; None if the box refuses it."""
        kind = self.family.kind
        return self.target.candidate(f"{kind}, tuned", kind, self.family.params(coordinates), origin="search")

    def tell(
        self, ticket: Any, values: Sequence[float] | None, *, excess: float = 0.0, key: str = ""
    ) -> None:
        """Reports the values of a proposal to Optuna; None if it has none."""
        numbers = (
            [HOPELESS] * self.objectives if values is None else [min(value, HOPELESS) for value in values]
        )
        if key:
            self._reported[key] = tuple(numbers)
        if self.objectives > 1:
            ticket.set_user_attr("excess", excess if values is not None else HOPELESS)
        self._optuna.tell(ticket, numbers if self.objectives > 1 else numbers[0])

    def __post_init__(self) -> None:
        import numpy as np

        self._rng = np.random.default_rng([self.number, 0])

    def _at(self, shares: Iterable[float]) -> Coordinates:
        """The coordinates at a point of the unit cube."""
        axes = self.family.axes.items()
        return {name: axis.at(float(share)) for (name, axis), share in zip(axes, shares, strict=True)}

    def _inside(self, coordinates: Coordinates) -> Coordinates:
        """The coordinates, none outside its range."""
        return {
            name: min(max(coordinates[name], axis.low), axis.high) for name, axis in self.family.axes.items()
        }

    def _suggest(self, ticket: optuna.trial.Trial) -> Coordinates:
        return {
            name: axis.rounded(ticket.suggest_float(name, axis.low, axis.high, log=axis.scale == "log"))
            for name, axis in self.family.axes.items()
        }

    @property
    def number(self) -> int:
        """The seed of this family, which does not depend on the other families."""
        text = f"{self.seed}/{self.family.kind}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1

    def _study(self) -> Any:
        optuna = library()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.filterwarnings("ignore", module=r"(dropcurve\._vendor\.)?optuna")
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler: Any
        if self.objectives > 1:
            sampler = optuna.samplers.NSGAIISampler(
                seed=self.number, population_size=POPULATION,
                constraints_func=lambda trial: (float(trial.user_attrs.get("excess", 0.0)),),
            )  # fmt: skip
        else:
            sampler = optuna.samplers.TPESampler(
                seed=self.number, multivariate=True, constant_liar=True, n_startup_trials=SPREAD
            )
        return optuna.create_study(
            storage=self._storage(), study_name=self.family.kind, sampler=sampler,
            directions=["minimize"] * self.objectives,
        )  # fmt: skip

    def _storage(self) -> Any:
        """A journal that Optuna's own tools can read. Every search writes it from the start: the proposals follow from
        the seed, and their outcome is in the store of runs."""
        if self.path is None:
            return None
        file = self.path / f"{self.family.kind}.journal"
        file.unlink(missing_ok=True)
        return library().storages.JournalStorage(Journal(file))


def library() -> Any:
    """Optuna: the copy in a wheel (tools/third_party.py), or in a tree the one of the environment, of the same version.
    Raises MissingError if there is none."""
    try:
        return importlib.import_module("dropcurve._vendor.optuna")
    except ModuleNotFoundError as missing:
        if not str(missing.name).startswith("dropcurve._vendor"):
            raise
    require("optuna")
    return importlib.import_module("optuna")


@dataclass
class Journal:
    """Optuna's file of log lines as a backend of its `JournalStorage`. This process alone writes it, so that it needs
    no lock; nor does it call fsync for each line, which takes longer than a short run."""

    file: Path
    logs: list[dict[str, Any]] = field(default_factory=list)

    def read_logs(self, log_number_from: int) -> list[dict[str, Any]]:
        """The entries from a number on."""
        return self.logs[log_number_from:]

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Adds entries, and a line of JSON for each to the file."""
        self.logs += logs
        with self.file.open("ab") as out:
            out.writelines(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in logs)


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


def knee(points: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """The point closest to the best of every coordinate (smaller is better), each scaled to its range."""
    columns = list(zip(*points, strict=True))
    low, high = [min(column) for column in columns], [max(column) for column in columns]

    def distance(point: tuple[float, ...]) -> float:
        shares = (
            (value - least) / ((most - least) or 1.0)
            for value, least, most in zip(point, low, high, strict=True)
        )
        return math.fsum(share * share for share in shares)

    return min(points, key=distance)
