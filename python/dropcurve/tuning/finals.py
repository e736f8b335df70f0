"""The finalists of a search, and the Pareto front of several objectives on fresh seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import UsageError
from ..quantities import wording
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .constraint import customary_s, scaled
from .effort import FINALS as FINALS_END
from .effort import Budget
from .evaluations import Evaluations
from .study import front

#: Share of the runs for the finalists.
FINALS = 0.25
#: Seeds of the finalists where there are several objectives.
FRONT_BLOCKS = 2
#: Finalists, of each family and of all.
PER_FAMILY, ALTOGETHER = 2, 8
#: Least number of finalists, and the number of seeds that the runs have to suffice for.
LEAST, EACH = 3, 8


@dataclass(frozen=True)
class Final:
    """The finalists of a search; ``fits`` returns whether a number of runs fits before a share of the time is spent."""

    bench: Bench
    evaluations: Evaluations
    effort: Budget
    fits: Callable[[int, float], bool]

    def recommendable(
        self,
        whole: Sequence[Candidate],
        known: Sequence[Candidate],
        half: Sequence[PairedTrial],
        tried: Callable[[Sequence[Candidate]], bool],
    ) -> list[Candidate]:
        """The designs that were asked for and that the box can be configured with, those that it runs as simulated if
        there are any, best first: of those run in all trials (``whole``), else the best of the initial designs
        (``known``) and of the customary ones of each discipline, which is run. Raises UsageError if there is none."""
        question, target = self.bench.question, self.evaluations.target
        asked = [one for one in whole if question.asks_for(one)]
        able = [one for one in asked if target.loads(one)] or [one for one in asked if target.takes(one)]
        if not able:
            some = [
                one for one in [*known, *self._customary()] if question.asks_for(one) and target.takes(one)
            ]
            self.bench.run((one, trial) for one in some for trial in half)
            ranked = sorted(some, key=lambda one: (not target.loads(one), self.bench.score(one, half)))
            able = ranked[:1]
            tried(able)
        if not able:
            kinds = "" if question.free else f" of {wording.listed(question.candidates)}"
            raise UsageError(
                "for",
                target.box,
                f"none of the settings{kinds} tried can be written for it",
                "more runs or a larger buffer may help",
            )
        return sorted(able, key=lambda one: self.bench.score(one, self.evaluations.first))

    def _customary(self) -> list[Candidate]:
        """A design of each discipline that follows from the bound or the round trip, those that can be run."""
        question = self.bench.question
        delay_s, rules = customary_s(question.goal, question.sizing), []
        for kind, study in self.evaluations.studies.items():
            at = scaled(study, question.sizing, delay_s)
            candidate = study.target.candidate(
                f"{kind}, tuned", kind, study.family.params(at), origin="search"
            )
            if candidate is not None and self.evaluations.usable(candidate):
                study.coordinates.setdefault(candidate.key, at)
                rules.append(candidate)
        return rules

    def pool(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """The finalists: the expected best of every family, and of all."""
        expected = self.evaluations.expected(ranked)
        order = sorted(ranked, key=lambda one: expected[one.key])
        pooled: list[Candidate] = []
        for kind in self.evaluations.studies:
            pooled += [one for one in order if one.kind == kind][:PER_FAMILY]
        share, conditions = FINALS * self.effort.runs, self._conditions
        least = LEAST if share >= LEAST * conditions else PER_FAMILY
        pooled += order[: min(max(round(share / (EACH * conditions)), least), ALTOGETHER)]
        return list({one.key: one for one in pooled}.values())

    def front(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """The finalists where there are several objectives: the Pareto front of the feasible designs."""
        allowed = [one for one in ranked if self.evaluations.excess(one) <= 0] or list(ranked[:1])
        names = front({one.key: self.evaluations.vector(one) for one in allowed})
        return [one for one in allowed if one.key in names]

    def unbeaten(
        self, pool: Sequence[Candidate], blocks: Sequence[Sequence[PairedTrial]]
    ) -> tuple[list[Candidate], list[PairedTrial]]:
        """The Pareto front after the pool was run on one block of trials after the other, while there was time; and
        those trials."""
        some = blocks if self.fits(len(pool) * len(blocks[0]), FINALS_END) else [self.evaluations.first]
        trials: list[PairedTrial] = []
        for one in some:
            if trials and self._spent():
                break
            self.bench.run((candidate, trial) for candidate in pool for trial in one)
            trials.extend(one)
        points = {one.key: self.evaluations.vector(one, trials) for one in pool}
        return [next(one for one in pool if one.key == key) for key in front(points)], trials

    def _spent(self) -> bool:
        """Whether there is no time for one more block, of two designs at the least."""
        return not self.fits(2 * len(self.evaluations.first), FINALS_END)

    @property
    def _conditions(self) -> int:
        return len({trial.index for trial in self.evaluations.first})
