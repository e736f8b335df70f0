"""Looks at settings: which of the trials each is run in, what is expected of it from then on, and which earn more.

A run goes where it tells most: a new setting is looked at under few of the trials, those on which its sum depends; what
is likely to be the best of its family is looked at again, until it was tried in all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from .bench import Bench, Trial
from .candidates import Candidate, Target
from .landscape import Landscape
from .study import Study

#: Settings that are looked at again after a round, and how likely one is to be the best at least.
AGAIN, LIKELY = 2, 0.2
#: Looks that all trials make where one is a small part of them.
SMALL = 4


@dataclass
class Looks:
    """The looks of one search at its ``first`` trials, ``size`` of them at a time. Families without a picture (where
    there are several objectives) are only run."""

    bench: Bench
    target: Target
    first: Sequence[Trial]
    size: int
    studies: dict[str, Study] = field(default_factory=dict)
    pictures: dict[str, Landscape] = field(default_factory=dict)

    def run(self, pairs: Iterable[tuple[Candidate, Trial]], *, until: float | None = None) -> bool:
        """Makes runs, as `Bench.run` does, and notes them in the picture of their family."""
        asked = list(pairs)
        done = self.bench.run(asked, until=until)
        for one, trial in asked:
            self.note(one, trial)
        return done

    def note(self, one: Candidate, trial: Trial) -> None:
        """Notes a run, if it was made and its setting belongs to a family."""
        for kind, picture in self.pictures.items():
            study = self.studies[kind]
            if one.key in study.knobs and self.bench.has(one, trial):
                picture.note(one, study.place_of(one), trial)

    def batch(
        self,
        asked: Sequence[tuple[Study, object, Candidate]],
        tried: Callable[[Sequence[Candidate]], bool],
        until: float | None,
    ) -> bool:
        """One batch of proposals: a look at each, then another at what may be the best of its family; what was looked
        at in all trials goes to ``tried``. Returns whether there was time for it."""
        usable = {one.key for _, _, one in asked if self.usable(one)}
        there = [(study, one) for study, _, one in asked if one.key in usable]
        if not self.run(
            [(one, trial) for study, one in there for trial in self.trials(study, one)], until=until
        ):
            return False
        for kind, study in self.studies.items():
            mine = [(ticket, one) for other, ticket, one in asked if other is study]
            if not mine:
                continue
            self.pictures[kind].look()
            expected = self.expected([one for _, one in mine if one.key in usable])
            for ticket, one in mine:
                study.tell(ticket, [expected[one.key]] if one.key in usable else None, key=one.key)
            for one in self.promising(kind):
                if not self.run([(one, trial) for trial in self.trials(study, one, 2)], until=until):
                    return False
                if self.whole(one):
                    tried([one])
            self.pictures[kind].look()
        return True

    def trials(self, study: Study, one: Candidate, times: int = 1) -> list[Trial]:
        """Where to look at a setting: of the trials that it was not run in those that tell most, as far as the picture
        of its family knows; before there is one, in turn."""
        size = times * self.size
        left = [trial for trial in self.first if not self.bench.has(one, trial)]
        if len(left) <= size:
            return left
        picture = self.pictures[study.family.kind]
        if picture.ready:
            order = picture.telling(study.place_of(one))
            return sorted(left, key=lambda trial: order.index(trial.place))[:size]
        turn = list(study.tried).index(one.key) * size
        return [left[(turn + number) % len(left)] for number in range(size)]

    def expected(self, some: Sequence[Candidate]) -> dict[str, float]:
        """What settings are expected to lose, by key: as the picture of their family has it, else what they lost."""
        found: dict[str, float] = {}
        for kind, picture in self.pictures.items():
            study = self.studies[kind]
            mine = [one for one in some if one.key in study.knobs and picture.ready]
            losses = picture.expected([study.place_of(one) for one in mine])
            found |= zip((one.key for one in mine), losses, strict=True)
        for one in some:
            if one.key not in found:
                seen = [trial for trial in self.first if self.bench.has(one, trial)]
                found[one.key] = self.bench.score(one, seen)
        return found

    def likely(self, kind: str, count: int) -> list[Candidate]:
        """The settings of a family that are expected to be its best, and that the box can be told of."""
        return [one for one in self._ranked(kind) if self.target.takes(one)][:count]

    def promising(self, kind: str) -> list[Candidate]:
        """Settings of a family that were not yet run in all trials and may well be its best."""
        picture, study = self.pictures[kind], self.studies[kind]
        ranked = self._ranked(kind)
        some = [one for one in ranked if not self.whole(one)][: 2 * AGAIN]
        best = next((one for one in ranked if self.whole(one)), None)
        if best is None or not some:
            return some[:1]
        chances = picture.better([study.place_of(one) for one in some], study.place_of(best))
        return [one for one, chance in zip(some, chances, strict=True) if chance > LIKELY][:AGAIN]

    def usable(self, one: Candidate) -> bool:
        """Whether a setting can be run in all trials."""
        return all(self.bench.usable(one, trial) for trial in self.first)

    def whole(self, one: Candidate) -> bool:
        """Whether a setting was run in all trials."""
        return all(self.bench.has(one, trial) for trial in self.first)

    def vector(self, one: Candidate, trials: Sequence[Trial] | None = None) -> list[float]:
        """The objectives of a setting in points, over the conditions."""
        rows = [self.bench.points(one, trial) for trial in (self.first if trials is None else trials)]
        return [self.bench.together([row[number] for row in rows]) for number in range(len(rows[0]))]

    def excess(self, one: Candidate) -> float:
        """By what share of their bounds a setting breaks the constraints, in the mean over the trials."""
        return sum(self.bench.excess(one, trial) for trial in self.first) / len(self.first)

    def leader(self, known: Sequence[Candidate]) -> Candidate | None:
        """The best as far as one can tell: of what is known, and of every family."""
        some = [*known, *(one for kind in self.studies for one in self.likely(kind, 1))]
        expected = self.expected(some)
        return min(some, key=lambda one: expected[one.key], default=None)

    def counts(self, known: Sequence[Candidate]) -> dict[str, int]:
        """How many settings of each discipline were run in any trial, of what is known and of the families."""
        found: dict[str, set[str]] = {}
        for one in [*known, *(one for study in self.studies.values() for one in study.tried.values())]:
            if any(self.bench.has(one, trial) for trial in self.first):
                found.setdefault(one.kind, set()).add(self.bench.same(one, self.first[0]))
        return {kind: len(names) for kind, names in found.items()}

    @property
    def brief(self) -> bool:
        """Whether a look is too small a part of all trials to judge a setting by, or to try others for its sake."""
        return SMALL * self.size <= len(self.first)

    def point(self, kind: str, count: int) -> bool:
        """Makes the next proposals of a family those that its picture promises most of; False before there is one."""
        picture, study = self.pictures.get(kind), self.studies[kind]
        if picture is None or not picture.ready:
            return False
        study.go(picture.propose([study.place_of(one) for one in study.tried.values()], count))
        return True

    def _ranked(self, kind: str) -> list[Candidate]:
        """The settings of a family by what is expected of them; none before there is a picture."""
        if not self.pictures[kind].ready:
            return []
        tried = [one for one in self.studies[kind].tried.values() if self.usable(one)]
        expected = self.expected(tried)
        return sorted(tried, key=lambda one: expected[one.key])
