"""Challengers of the recommendation: designs next to it, and the best of disciplines that were not searched.

Each is run under the fresh conditions under which the finalists were adjusted, in a few trials first. A design that is
better there than the recommendation is validated, and recommended if the validation confirms it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .. import boxes
from ..metrics import statistics
from .adjust import Adjustment
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .constraint import customary_s, direction, scaled
from .decision import doubtful, slack
from .evaluations import Evaluations
from .families import family
from .interval_share import SHARES, alike, beyond, family_at
from .question import Question
from .search_space import Coordinates, Family
from .solving import FamilySolver
from .study import FamilyStudy

#: Factors by which each parameter of the recommendation is multiplied, and further ones under a time limit.
FACTORS = (0.7, 0.85, 1.18, 1.4)
MORE_FACTORS = ((0.6, 1.7), (0.92, 1.09))
#: Further factors of its scale, the parameter with the largest effect.
FINE = (0.92, 0.96, 1.04, 1.09)
#: Factors of another parameter with which the scale is solved again, and those under a time limit.
ALONG, MORE_ALONG = (0.7, 1.4), (0.7, 1.4, 0.5, 2.0, 0.85, 1.18)
#: Trials of the first evaluation, and the number of margins behind the recommendation at which a challenger is dropped
#: after it.
LOOK, BEHIND = 6, 2.0
#: Standard errors of the paired difference by which the best of a further discipline may be behind in the few trials
#: here: with one, of those that are as good one of six is left out.
ERRORS = 1.0
#: Factors on the scale of a setting of a usual share that misses a bound by little.
SAFER = (0.96, 0.91, 0.85)
#: Disciplines that are solved besides the usual ones.
FURTHER = ("cobalt", "ared", "fq_pie", "pi", "choke", "nlred", "dualpi2")
#: Share of the time left in which a further discipline is solved: the rest is for its comparison on fresh conditions.
SOLVED = 0.6
#: Designs of a further discipline, of different parameters, that are compared on fresh conditions.
EDGES = 4
#: The usual discipline of which another one has the parameters: it is also solved from the best setting of that one.
SIBLINGS = {"choke": "red", "nlred": "red", "cobalt": "codel", "fq_pie": "pie", "dualpi2": "pie"}
#: The usual disciplines that a further one behaves like: it is likely to be as good as the best of them. CHOKe over few
#: packets acts on the present queue as tail drop does, and drops from the flows that hold most of it.
AKIN = {
    "choke": ("red", "droptail"), "nlred": ("red",), "ared": ("red",), "cobalt": ("codel",), "pi": ("pie",),
    "dualpi2": ("pie",), "fq_pie": ("fq_codel", "pie"),
}  # fmt: skip


@dataclass(frozen=True)
class Challengers:
    """Designs that may be better than the recommendation, on a bench with the fresh ``trials`` of the finalists and
    the trials of the search (``first``); ``margin`` is the difference in points that matters. Unless ``coarse``, only
    close neighbours of a scale that solves a bound are run."""

    bench: Bench
    trials: Sequence[PairedTrial]
    first: Sequence[PairedTrial]
    seed: int
    margin: float
    until: float | None = None
    coarse: bool = True

    def near(
        self,
        best: Candidate,
        space: Family,
        coordinates: Coordinates,
        factors: Sequence[float] = FACTORS,
        *,
        scale: bool = True,
    ) -> list[Candidate]:
        """The designs next to the recommendation that are better than it, the best of each parameter; with ``scale``
        also of its scale. Where runs are few because each is long, only the scale is moved: the table of sensitivity
        shows the other parameters."""
        alone = not self.coarse and self.until is None
        target = self.bench.question.target
        study = FamilyStudy(space, target, 1, self.seed)
        neighbours = []
        for name, axis in space.axes.items():
            if not scale if name == space.scale else alone:
                continue
            own = (*(factors if self.coarse else ()), *FINE) if name == space.scale else factors
            values = [axis.rounded(coordinates[name] * factor) for factor in dict.fromkeys(own)]
            moved = [
                study.candidate({**coordinates, name: value})
                for value in values
                if axis.low <= value <= axis.high
            ]
            neighbours += self.better(
                best, [one for one in moved if one is not None and one.key != best.key]
            )[:1]
        return neighbours

    def along(
        self,
        best: Candidate,
        space: Family,
        coordinates: Coordinates,
        runs: float,
        factors: Sequence[float] = ALONG,
    ) -> Iterator[Candidate]:
        """Designs that are better than the recommendation, with one other parameter multiplied by each factor and the
        scale solved again; ``runs`` further runs at most."""
        target, most = self.bench.question.target, self.bench.runs + runs
        study = FamilyStudy(space, target, 1, self.seed)
        points = slack(self.bench.question.goal, self.margin)
        adjusting = Adjustment(self.bench, {space.kind: study}, self.trials, points, self.until, most)
        for name, axis in space.axes.items():
            for factor in factors if name != space.scale else ():
                value = axis.rounded(coordinates[name] * factor)
                at = {**coordinates, name: value}
                candidate = study.candidate(at) if axis.low <= value <= axis.high else None
                if candidate is None or candidate.key == best.key or not self._usable(candidate):
                    continue
                study.coordinates.setdefault(candidate.key, at)
                if self.bench.runs < most and self.better(best, [candidate], points):
                    yield from self.better(best, adjusting.go([candidate]))[:1]

    def of_usual_shares(self, best: Candidate, coordinates: Coordinates) -> Iterator[list[Candidate]]:
        """The best setting of the recommendation's discipline for each more usual share of target and interval; under a
        bound with those of a safer scale, to be validated until one holds."""
        question = self.bench.question
        for share in () if question.space.get(best.kind) else SHARES[: beyond(best)]:
            space = family_at(best.kind, question.sizing, share)
            study = FamilyStudy(space, question.target, 1, self.seed)
            start = study.candidate(alike(coordinates, share))
            if start is not None and self._usable(start):
                study.coordinates[start.key] = alike(coordinates, share)
                trials = self.trials or self.first
                adjusting = Adjustment(self.bench, {space.kind: study}, trials, self.margin, self.until)
                for one in adjusting.go([start])[:1]:
                    at = study.coordinates[one.key]
                    factors = SAFER if direction(question.goal) else ()
                    safer = [self.safer(one, space, at, factor) for factor in factors]
                    yield [one, *(moved for moved in safer if moved is not None)]

    def further(
        self,
        best: Candidate,
        kinds: Sequence[str],
        settings: Mapping[str, Coordinates],
        runs: float,
        on_stage: Callable[[str, Candidate | None], None],
    ) -> Iterator[Candidate]:
        """The best of each further discipline that may be better than the recommendation.

        Args:
            best: The recommendation.
            kinds: The disciplines.
            settings: Coordinates of the best setting of each discipline that was searched.
            runs: Runs for each discipline from which on its other parameters are no longer moved.
            on_stage: Called with each stage and the recommendation.
        """
        question = self.bench.question
        for kind in kinds:
            study = FamilyStudy(family(kind, question.sizing), question.target, 1, self.seed)
            evaluations = Evaluations(self.bench, question.target, self.first, len(self.first), {kind: study})
            on_stage(f"a further discipline: {kind}", best)
            solving = FamilySolver(
                self.bench, evaluations, list(self.first), self.bench.runs + runs, self._part(SOLVED),
                margin=self.margin, starts=self._start(study, settings), rival=best,
            )  # fmt: skip
            points = slack(question.goal, self.margin)
            solving.go()
            # The design that leads on the edge of few trials is often not the best of its family on fresh conditions.
            solved = self.better(best, solving.best_edges(kind, EDGES), points)
            adjusting = Adjustment(self.bench, {kind: study}, self.trials, points, self.until)
            yield from self.better(best, adjusting.go(solved), errors=ERRORS)[:1]

    def _part(self, share: float) -> float | None:
        """The moment at which a share of the time left is spent; None without a limit."""
        now = self.bench.source.now()
        return None if self.until is None else now + share * max(0.0, self.until - now)

    def _start(self, study: FamilyStudy, settings: Mapping[str, Coordinates]) -> dict[str, Coordinates]:
        """The coordinates of the best setting of a sibling, where there is one."""
        kind, sizing = study.family.kind, self.bench.question.sizing
        shared = settings.get(SIBLINGS.get(kind, ""))
        if shared is None:
            return {}
        own = scaled(study, sizing, customary_s(self.bench.question.goal, sizing)) | shared
        return {
            kind: {name: min(max(own[name], axis.low), axis.high) for name, axis in study.family.axes.items()}
        }

    def safer(
        self, candidate: Candidate, space: Family, coordinates: Coordinates, factor: float
    ) -> Candidate | None:
        """The same design with its scale moved by a factor below 1 to the side on which the bounds hold; None where
        that is no other setting."""
        study = FamilyStudy(space, self.bench.question.target, 1, self.seed)
        axis, sign = space.axes[space.scale], direction(self.bench.question.goal) or 1
        value = min(max(axis.rounded(coordinates[space.scale] * factor**sign), axis.low), axis.high)
        moved = study.candidate({**coordinates, space.scale: value})
        return moved if moved is not None and moved.key != candidate.key and self._usable(moved) else None

    def better(
        self, best: Candidate, candidates: Sequence[Candidate], points: float = 0.0, *, errors: float = 0.0
    ) -> list[Candidate]:
        """The designs, of those given, that may hold the constraints and beat the recommendation by half the margin,
        less ``errors`` standard errors, best first; ``points`` adds those that are behind by up to as many or miss a
        constraint."""
        question = self.bench.question
        able = [one for one in candidates if question.target.takes(one) and self._usable(one)]
        if (
            not able
            or not self.trials
            or not self.bench.run(((best, trial) for trial in self.trials), until=self.until)
        ):
            return []
        look = self.trials[:LOOK]
        ahead = []
        for one in able:
            if not self.bench.run(((one, trial) for trial in look), until=self.until):
                break
            missed = self.bench.missed(one, look) > 0.5 and not points
            behind = max(BEHIND * self.margin, points, self._unsure(best, one, look, errors))
            if missed or self._loss(one, look) > self._loss(best, look) + behind:
                continue
            if not self.bench.run(((one, trial) for trial in self.trials), until=self.until):
                break
            gain = self._loss(best, self.trials) - self._loss(one, self.trials)
            if points:
                wins = gain > -points
            else:
                least = self.margin / 2 - self._unsure(best, one, self.trials, errors)
                wins = gain > least and self._may_hold(one)
            if wins:
                ahead.append(one)
        return sorted(ahead, key=lambda one: self._loss(one, self.trials))

    def _may_hold(self, candidate: Candidate) -> bool:
        """Whether a design may hold the constraints in nineteen runs of twenty, by all trials."""
        runs = len(self.trials)
        return doubtful(round(self.bench.missed(candidate, self.trials) * runs), runs)

    def _unsure(
        self, best: Candidate, candidate: Candidate, trials: Sequence[PairedTrial], errors: float
    ) -> float:
        """``errors`` standard errors of the paired difference of two designs; 0 for fewer than two trials."""
        if not errors:
            return 0.0
        pairs = zip(self.bench.losses(best, trials), self.bench.losses(candidate, trials), strict=False)
        differences = [one - other for one, other in pairs]
        if len(differences) < 2 or not all(map(math.isfinite, differences)):
            return 0.0
        return errors * statistics.deviation(differences) / math.sqrt(len(differences))

    def _usable(self, candidate: Candidate) -> bool:
        return all(self.bench.usable(candidate, trial) for trial in (*self.first, *self.trials))

    def _loss(self, candidate: Candidate, trials: Sequence[PairedTrial]) -> float:
        return self.bench.together(self.bench.losses(candidate, trials))


def further_kinds(question: Question, losses: Mapping[str, float]) -> list[str]:
    """The disciplines that were not searched and may be recommended; none where some were named. As the time may not
    suffice for all, those come first that are akin to the searched ones of least loss (``losses``, by discipline)."""
    if not question.free:
        return []
    kinds = [kind for kind in FURTHER if kind not in question.candidates]
    if question.target.box:
        loadable = boxes.kinds(question.target.box)
        kinds = [kind for kind in kinds if kind in loadable]
    kinds = [kind for kind in kinds if question.sizing.ecn or kind != "dualpi2"]
    return sorted(kinds, key=lambda kind: min(losses.get(one, math.inf) for one in AKIN[kind]))
