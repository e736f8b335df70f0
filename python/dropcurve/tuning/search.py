"""The search: start from what is known, screen, let Optuna propose, race what is close.

Every step is a function of the question, the seed and the runs made so far, and runs are kept; so a search that was
interrupted repeats its steps in a moment, from the store, and goes on as if nothing had happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import statistics
from ..errors import UsageError
from .bench import Bench, Trial, block
from .candidates import Candidate, of_design, references
from .effort import FINALS as FINALS_END
from .effort import SEARCH, Clock, Effort, searched
from .families import Family, Knobs, family
from .question import Condition
from .race import CLEAR, PAIRS, behind, race
from .screen import Effect, designs, effects
from .study import Study, front

#: Proposals of a family in a round, and how many of them are neighbours of its best.
BATCH, NEAR = 4, 2
#: Designs of a family whose neighbours are proposed.
FEW = 4
#: Rounds that every family gets before those clearly behind are asked less often.
GRACE = 3
#: How much less often.
RARELY = 3
#: Share of the runs that screening may take, and that the final race is given.
SCREENING, FINALS = 0.25, 0.25
#: Seeds of the final race.
BLOCKS = 8
#: Candidates that reach it, of each family and of all.
PER_FAMILY, ALTOGETHER = 2, 8
#: Fewest of all, and on how many seeds each shall be tried before the runs are spent.
LEAST, EACH = 3, 8

#: Distance of the seeds under which few conditions are tried, so that those of the final race are others.
SEEDS_APART = 100

#: Seconds from which on it is told how long the answer will take.
LONG_S = 90.0

#: Told what is going on, and the best so far ("" before there is one).
Say = Callable[[str, Candidate | None], None]


@dataclass
class Outcome:
    """What a search found. ``finalists`` are best first, tried on ``trials``; ``tried`` has everything that was seen
    on all conditions, ``known`` what was there before the search."""

    finalists: list[Candidate]
    trials: list[Trial]
    tried: list[Candidate]
    known: list[Candidate]
    first: list[Trial]
    effects: list[Effect]
    families: dict[str, Family]
    knobs: dict[str, dict[str, float]]
    best_of: dict[str, Candidate]
    stopped: str = ""


@dataclass
class Search:
    """One search, step by step; `go` takes them all."""

    bench: Bench
    seed: int
    effort: Effort
    folder: Path | None = None
    say: Say = lambda *_: None
    clock: Clock = field(default_factory=Clock)
    note: Callable[[str], None] = lambda _: None
    studies: dict[str, Study] = field(default_factory=dict)
    known: list[Candidate] = field(default_factory=list)
    whole: list[Candidate] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    everywhere: list[Condition] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.question = self.bench.question
        self.everywhere = self.question.conditions(self.effort.conditions)
        self.conditions = searched(self.question, self.effort.runs, self.everywhere)
        # A design at the edge of a bound that holds under one seed breaks it under the next: where conditions are few,
        # each has several seeds, unless time is short.
        few = self.question.goal.constraints and not self.effort.brief
        count = math.ceil(PAIRS / len(self.conditions)) if few else 1
        seeds = [self.seed + number * SEEDS_APART for number in range(count)]
        self.first = [trial for seed in seeds for trial in block(self.conditions, seed)]
        self.half = self.first[: (len(self.first) + 1) // 2 if count == 1 else len(self.conditions)]

    def go(self) -> Outcome:
        """All steps. Raises UsageError if the goal asks for what the runs do not have, or no candidate can be run."""
        self._start()
        self._foretell()
        self._screen()
        self._rounds()
        return self._finish()

    def _start(self) -> None:
        """What people run, and designs by formula."""
        self.say("what is known: defaults, rules and designs by formula", None)
        room, target = self.question.room, self.question.target
        found = [
            Candidate(name, kind, params, origin)
            for name, kind, params, origin in references(room, box=target.box)
        ]
        self.bench.run((found[0], trial) for trial in self.first)
        self.bench.scale(found[0], self.first)
        advice = self.question.advice()
        for one in advice.designs if advice else ():
            name, kind, params, origin = of_design(one)
            if self.effort.brief and "rule" not in name:
                continue
            made = target.candidate(
                f"{name}, by formula" if "rule" not in name else name, kind, params, origin=origin
            )
            if made is not None and kind in (*self.question.candidates, "red", "ared"):
                found.append(made)
        usable = [one for one in found if all(self.bench.usable(one, trial) for trial in self.first)]
        # The first of several names for the same simulation stays.
        self.known = list({self.bench.same(one, self.first[0]): one for one in reversed(usable)}.values())[
            ::-1
        ]
        self.known = self._seen(self.known, until=self.clock.until(SEARCH))
        for kind in self.question.candidates:
            made_of = family(kind, room, space=self.question.space.get(kind))
            path = None if self.folder is None else self.folder / "studies"
            if path is not None:
                path.mkdir(parents=True, exist_ok=True)
            objectives = len(self.question.goal.objectives)
            self.studies[kind] = Study(made_of, target, objectives, self.seed, path)

    def _seen(self, known: Sequence[Candidate], *, until: float | None) -> list[Candidate]:
        """Those of what is known that there was time for, but one that the box takes: a first look at each, all
        conditions for what is close."""
        able = sorted(known, key=lambda one: not self.question.target.takes(one))
        self.bench.run((able[0], trial) for trial in self.half)
        self.bench.run(((one, trial) for one in able for trial in self.half), until=until)
        seen = [one for one in known if self._has(one, self.half)]
        self._close(seen, until=until)
        return seen

    def _close(self, seen: Sequence[Candidate], *, until: float | None) -> None:
        """The best of some that were looked at goes through all trials, then those that are not behind it."""
        several = len(self.question.goal.objectives) > 1
        best = min(seen, key=lambda one: self.bench.score(one, self.half))
        if self._try([one for one in seen if one is best or self._has(one, self.first)], until=until):
            self._try([one for one in seen if several or not self._behind(one, best)], until=until)

    def _has(self, one: Candidate, trials: Sequence[Trial]) -> bool:
        return all(self.bench.has(one, trial) for trial in trials)

    def _behind(self, one: Candidate, best: Candidate) -> bool:
        """Whether the first look at a candidate is enough to spare it the rest: a test over the conditions, or where
        each has several seeds what one of them says, if it is beyond what the best varies by from seed to seed."""
        if len(self.first) == len(self.conditions):
            return behind(self.bench, one, best, self.half)
        size = len(self.conditions)
        blocks = [self.first[start : start + size] for start in range(0, len(self.first), size)]
        varies = statistics.deviation(
            [self.bench.score(best, some) for some in blocks if self._has(best, some)]
        )
        worse = self.bench.score(one, self.half) - self.bench.score(best, self.half)
        return worse > min(varies, CLEAR)

    def _foretell(self) -> None:
        """Tells how long it will take, if that is long."""
        runs = self.effort.runs - self.bench.runs + self.effort.outside(self.question)
        seconds = runs * (self.bench.run_s or 0.0)
        if self.clock.seconds is None and seconds >= LONG_S:
            bound = max(1, round(seconds / 120))
            self.note(f"about {round(seconds / 60)} min more at this pace; --time {bound}min would bound it")

    def _try(self, candidates: Sequence[Candidate], *, until: float | None = None) -> bool:
        """Candidates at every condition; False, and those that there was time for, if it was spent before."""
        done = self.bench.run(((one, trial) for one in candidates for trial in self.first), until=until)
        seen = {one.key for one in self.whole}
        there = [one for one in candidates if done or self._has(one, self.first)]
        self.whole.extend(one for one in there if one.key not in seen)
        return done

    def _screen(self) -> None:
        """Which knobs matter; the others are held where the best known design of the family has them."""
        spent = 0
        for study in self.studies.values():
            many = len(study.family.knobs) > 2
            cost = 4 * (len(study.family.knobs) + 1) * len(self.half)
            if many and spent + cost <= self._share(SCREENING) and self._fits(cost, SEARCH / 2):
                spent += cost
                self.say(f"screening: which parameters of {study.family.kind} matter", self.best())
                places = designs(study.family, seed=self.seed)
                tried = [study.candidate(knobs) for knobs in places]
                usable = [one if one and self.bench.usable(one, self.first[0]) else None for one in tried]
                pairs = [(one, trial) for one in usable if one for trial in self.half]
                done = self.bench.run(pairs, until=self.clock.until(SEARCH))
                found = effects(study.family, self.bench, usable, self.half, seed=self.seed) if done else []
                self.effects += found
                study.quiet = frozenset(one.knob for one in found if not one.matters)
                study.start(self._starts(study))
                if done and len(self.question.goal.objectives) == 1:
                    seen = {one.key: (one, at) for one, at in zip(usable, places, strict=True) if one}
                    self._learn(study, list(seen.values()))
            else:
                study.start(self._starts(study))

    def _learn(self, study: Study, seen: Sequence[tuple[Candidate, Knobs]]) -> None:
        """What screening came to is not lost: Optuna is told, and the best of it tried at every condition."""
        for one, knobs in seen:
            study.learn(one, knobs, self.bench.score(one, self.half))
        ranked = sorted((one for one, _ in seen), key=lambda one: self.bench.score(one, self.half))
        if ranked:
            self._close(ranked[:PER_FAMILY], until=self.clock.until(SEARCH))

    def _starts(self, study: Study) -> list[dict[str, float]]:
        """Knobs of what is known of a family, best first."""
        ranked = sorted(self.known, key=lambda one: self.bench.score(one, self.half))
        mine = (one.params for one in ranked if one.kind == study.family.kind)
        return [knobs for params in mine if (knobs := study.family.knobs_of(params))]

    def _rounds(self) -> None:
        """Round after round of proposals, until the runs or the time are spent."""
        number = 0
        while self.bench.runs < self._share(1.0 - FINALS) and not self._late():
            best = self.best()
            asked: list[tuple[Study, object, Candidate]] = []
            for kind, study in self.studies.items():
                mine = self.best(kind)
                lost = mine is not None and best is not None and behind(self.bench, mine, best, self.first)
                if (
                    number < GRACE
                    or number % RARELY == 0
                    or not lost
                    or len(self.question.goal.objectives) > 1
                ):
                    if mine is not None and number > 0:
                        study.near(self._best_few(kind), NEAR)
                    asked += [(study, ticket, one) for ticket, one in study.ask(BATCH)]
            if not asked:
                if number >= GRACE and number % RARELY == 0:
                    break
                number += 1
                continue
            self.say(f"search: round {number + 1}", best)
            if not self._round(asked):
                break
            number += 1

    def _round(self, asked: list[tuple[Study, object, Candidate]]) -> bool:
        """One batch: half of the conditions first, the other half for those that are not clearly behind. Returns
        whether there was time for it."""
        usable = [one for _, _, one in asked if all(self.bench.usable(one, trial) for trial in self.first)]
        until = self.clock.until(SEARCH)
        if not self.bench.run(((one, trial) for one in usable for trial in self.half), until=until):
            return False
        leaders = {kind: self.best(kind) for kind in self.studies}
        keys = {one.key for one in usable}
        several = len(self.question.goal.objectives) > 1
        on: list[Candidate] = []
        for study, ticket, one in asked:
            leader = leaders[study.family.kind]
            if one.key not in keys:
                study.tell(ticket, None)
            elif not several and leader is not None and self._behind(one, leader):
                worse = self.bench.score(one, self.half) - self.bench.score(leader, self.half)
                study.tell(ticket, [self.bench.score(leader, self.first) + worse], key=one.key)
                keys.discard(one.key)
            else:
                on.append(one)
        if not self._try(on, until=until):
            return False
        for study, ticket, one in asked:
            if one.key in keys:
                values = self.vector(one) if several else [self.bench.score(one, self.first)]
                study.tell(ticket, values, excess=self._excess(one), key=one.key)
        return True

    def vector(self, one: Candidate, trials: Sequence[Trial] | None = None) -> list[float]:
        """The objectives of a candidate in points, over the conditions."""
        some = self.first if trials is None else trials
        rows = [self.bench.points(one, trial) for trial in some]
        return [
            self.bench.together([row[i] for row in rows]) for i in range(len(self.question.goal.objectives))
        ]

    def _excess(self, one: Candidate) -> float:
        return sum(self.bench.excess(one, trial) for trial in self.first) / len(self.first)

    def best(self, kind: str = "") -> Candidate | None:
        """The best so far of what was tried at every condition, of one family or of all."""
        some = [one for one in self.whole if not kind or one.kind == kind]
        return min(some, key=lambda one: self.bench.score(one, self.first), default=None)

    def _best_few(self, kind: str) -> list[Candidate]:
        """The best of a family, best first; where there are several objectives, the best and its front."""
        some = sorted(
            (one for one in self.whole if one.kind == kind), key=lambda one: self.bench.score(one, self.first)
        )
        if len(self.question.goal.objectives) == 1:
            return some[:FEW]
        names = front({one.key: self.vector(one) for one in some if self._excess(one) <= 0})
        return some[:1] + [one for one in some[1:] if one.key in names]

    def _finish(self) -> Outcome:
        """The final race, on seeds that the search has not seen."""
        several = len(self.question.goal.objectives) > 1
        ranked = self._recommendable()
        pool: list[Candidate] = []
        if several:
            allowed = [one for one in ranked if self._excess(one) <= 0] or ranked[:1]
            names = front({one.key: self.vector(one) for one in allowed})
            pool = [one for one in allowed if one.key in names]
        else:
            for kind in self.studies:
                pool += [one for one in ranked if one.kind == kind][:PER_FAMILY]
            many = round(self._share(FINALS) / (EACH * len(self.everywhere)))
            pool += ranked[: min(max(many, LEAST), ALTOGETHER)]
        self.say(f"final race of {len({one.key for one in pool})}", self.best())
        seeds = 2 if several else BLOCKS * len(self.first) // len(self.conditions)
        blocks = [block(self.everywhere, self.seed + 1 + number) for number in range(seeds)]
        if not self._fits(len(pool) * len(blocks[0]), FINALS_END):
            blocks = [self.first]
        if several:
            trials = self._raced(pool, blocks)
            points = {one.key: self.vector(one, trials) for one in pool}
            left = [next(one for one in pool if one.key == key) for key in front(points)]
        else:
            most = max(self.effort.runs - self.bench.runs, len(self.first) * 4)
            left = race(self.bench, pool, blocks, most=most, late=self._spent)
            trials = self._common(left, blocks)
            left.sort(key=lambda one: (self.bench.violation(one, trials), self.bench.score(one, trials)))
        best_of = {kind: one for kind in self.studies if (one := self._best_of(kind, left)) is not None}
        knobs = {key: value for study in self.studies.values() for key, value in study.knobs.items()}
        families = {kind: study.family for kind, study in self.studies.items()}
        late = "the time was spent" if self._late() else ""
        return Outcome(
            left, trials, list(self.whole), list(self.known), self.first, self.effects, families, knobs, best_of, late
        )  # fmt: skip

    def _raced(self, pool: Sequence[Candidate], blocks: Sequence[Sequence[Trial]]) -> list[Trial]:
        """All of the pool on block after block, while there is time; the trials."""
        made: list[Trial] = []
        for one in blocks:
            if made and self._spent():
                break
            self.bench.run((candidate, trial) for candidate in pool for trial in one)
            made.extend(one)
        return made

    def _recommendable(self) -> list[Candidate]:
        """What the box can be told of, best first. Raises UsageError if that is nothing."""
        target = self.question.target
        able = [one for one in self.whole if target.takes(one)]
        if not able:
            known = sorted(self.known, key=lambda one: self.bench.score(one, self.half))
            able = [one for one in known if target.takes(one)][:1]
            self._try(able)
        if not able:
            told = f"for = {target.box}: none of the settings tried can be written for it"
            raise UsageError(f"{told}; more runs or a larger buffer may help")
        return sorted(able, key=lambda one: self.bench.score(one, self.first))

    def _common(self, left: Sequence[Candidate], blocks: Sequence[Sequence[Trial]]) -> list[Trial]:
        """The trials on which all that are left were run."""
        return [
            trial
            for one in blocks
            for trial in one
            if all(self.bench.has(candidate, trial) for candidate in left)
        ]

    def _best_of(self, kind: str, left: Sequence[Candidate]) -> Candidate | None:
        return next((one for one in left if one.kind == kind), self.best(kind))

    def _share(self, share: float) -> float:
        return share * self.effort.runs

    def _late(self) -> bool:
        return self.clock.late(SEARCH)

    def _fits(self, runs: int, share: float) -> bool:
        """Whether there is time for so many runs, at the pace so far, before a share of it is spent."""
        left = self.clock.left(share)
        return left is None or runs * (self.bench.run_s or 0.0) < left

    def _spent(self) -> bool:
        """Whether the final race has no time for another block of two."""
        return not self._fits(2 * len(self.first), FINALS_END)
