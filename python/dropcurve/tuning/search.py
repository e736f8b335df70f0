"""The search: start from what is known, screen, let Optuna propose, race what is close.

Every step is a function of the question, the seed and the runs made so far, and runs are kept; so a search that was
interrupted repeats its steps in a moment, from the store, and goes on as if nothing had happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UsageError
from .adjust import on_fresh_conditions
from .bench import Bench, Trial, block
from .candidates import Candidate
from .effort import ENDS, SEARCH, Clock, Effort, foretold
from .effort import FINALS as FINALS_END
from .families import Family, Knobs, family
from .finals import BLOCKS, FINALS, FRONT_BLOCKS, LEAST, PER_FAMILY, Final
from .known import designs_known
from .landscape import Landscape
from .looks import Looks
from .outcome import Outcome
from .question import Condition
from .race import PAIRS, behind, behind_at_a_look
from .screen import Effect, designs, effects
from .solving import SOLVING, Solving
from .study import Study, front

#: Proposals of a family in a round, and how many of them are neighbours of its best.
BATCH, NEAR = 4, 2
#: Designs of a family whose neighbours are proposed.
FEW = 4
#: Settings of a family that half of the runs shall suffice for, a first look at each: so many, and for each knob.
SETTINGS, EACH_KNOB = 12, 6
#: Share of the runs from which on what is known of other disciplines is left to confirmation.
FOREIGN = 0.1
#: Share of the runs that what is known beforehand may take.
KNOWN = 0.35
#: Rounds that every family gets before those clearly behind are asked less often.
GRACE = 3
#: How much less often.
RARELY = 3
#: Share of the runs that screening may take.
SCREENING = 0.25
#: Times as many settings of a family that are tried for it at every condition.
SETTLED = 4
#: Distance of the seeds under which few conditions are tried, so that those of the final race are others.
SEEDS_APART = 100
#: Told what is going on, and the best so far ("" before there is one).
Say = Callable[[str, Candidate | None], None]


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
    bounded: bool = False
    _solved: dict[str, list[tuple[Candidate, Knobs]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.question = self.bench.question
        self.conditions = self.question.conditions(self.effort.conditions)
        self.several = len(self.question.goal.objectives) > 1
        # A design at the edge of a bound that holds under one seed breaks it under the next: where conditions are few,
        # each has several seeds, unless time is short.
        few = self.question.goal.constraints and not self.effort.brief
        count = math.ceil(PAIRS / len(self.conditions)) if few else 1
        seeds = [self.seed + number * SEEDS_APART for number in range(count)]
        self.first = [trial for seed in seeds for trial in block(self.conditions, seed)]
        most = (len(self.first) + 1) // 2 if count == 1 else len(self.conditions)
        if not self.several:
            wanted = sum(
                SETTINGS + EACH_KNOB * len(self._family(kind).knobs) for kind in self.question.candidates
            )
            most = min(most, max(1, int(self._share(0.5) / wanted)))
        self.half = self.first[:most]
        self.looks = Looks(self.bench, self.question.target, self.first, most, self.studies)

    def _family(self, kind: str) -> Family:
        return family(kind, self.question.room, space=self.question.space.get(kind))

    def go(self) -> Outcome:
        """All steps. Raises UsageError if the goal asks for what the runs do not have, or no candidate can be run."""
        self._start()
        if self.clock.seconds is None and (long := foretold(self.effort, self.question, self.bench)):
            self.note(long)
        solving = self._solve()
        if solving.settled:
            self._start_studies()
        else:
            self._screen()
            self._rounds()
        return self._finish()

    def _solve(self) -> Solving:
        """The edge of a bound on the delay in every family; nothing where the goal has no such bound."""
        until = self.clock.until(SEARCH)
        solving = Solving(self.bench, self.looks, self.first, self._share(SOLVING), until, self.say)
        self.bounded = solving.fits
        if self.bounded:
            # Finalists are moved to the edge in the end, with a margin that is measured.
            self.bench.margin = 0.0
            self._try(solving.go(), until=until)
            self._solved = solving.seen
            ends = self.first[: max(ENDS, len(self.half))]
            self.known = solving.rivals(self.known, ends)
        return solving

    def _start_studies(self) -> None:
        """Every study with what is known of its family."""
        for study in self.studies.values():
            self._begin(study)

    def _begin(self, study: Study) -> None:
        """Starts a study with the settings that are known, and tells Optuna what the edges came to."""
        study.start(self._starts(study))
        for one, knobs in self._solved.get(study.family.kind, []):
            if self.looks.whole(one):
                study.learn(one, knobs, self.bench.score(one, self.first))
            study.tried.setdefault(one.key, one)

    def _start(self) -> None:
        """Initial designs: what people run, and designs by formula."""
        self.say("initial designs: defaults, rules of thumb and designs by formula", None)
        found = designs_known(self.question, brief=self.effort.brief)
        measured = self.first if self.several else self.first[: max(len(self.half), ENDS)]
        self.bench.run((found[0], trial) for trial in measured)
        self.bench.scale(found[0], measured)
        usable = [one for one in found if self.looks.usable(one)]
        # The first of several names for the same simulation stays.
        distinct = {self.bench.same(one, self.first[0]): one for one in reversed(usable)}
        self.known = list(distinct.values())[::-1]
        if Solving(self.bench, self.looks, self.first, 0.0).fits:
            self._open_studies()
            return
        mine = [one for one in self.known if one.kind in self.question.candidates]
        little = not self.several and len(self.known) * len(self.half) > FOREIGN * self.effort.runs
        if little and mine:
            self._seen(mine, until=self.clock.until(SEARCH))
        else:
            self.known = self._seen(self.known, until=self.clock.until(SEARCH))
        self._open_studies()

    def _open_studies(self) -> None:
        """A study for each family, and where there is one objective its surrogate."""
        for kind in self.question.candidates:
            path = None if self.folder is None else self.folder / "studies"
            if path is not None:
                path.mkdir(parents=True, exist_ok=True)
            objectives = len(self.question.goal.objectives)
            self.studies[kind] = Study(self._family(kind), self.question.target, objectives, self.seed, path)
            if not self.several:
                picture = Landscape(self.bench, len(self.conditions), self.studies[kind].number)
                self.looks.pictures[kind] = picture

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
        if self.looks.brief:
            return
        ranked = self._ranked(seen)
        best = ranked[0]
        if self._try([one for one in seen if one is best or self.looks.whole(one)], until=until):
            for one in ranked:
                if self.several or (not self._behind(one, best) and self.bench.runs < self._share(KNOWN)):
                    self._try([one], until=until)

    def _has(self, one: Candidate, trials: Sequence[Trial]) -> bool:
        return all(self.bench.has(one, trial) for trial in trials)

    def _ranked(self, some: Iterable[Candidate]) -> list[Candidate]:
        """Best first, by what a first look at each came to."""
        return sorted(some, key=lambda one: self.bench.score(one, self.half))

    def _behind(self, one: Candidate, best: Candidate) -> bool:
        """Whether the first look at a candidate is enough to spare it the rest."""
        return behind_at_a_look(self.bench, one, best, self.first, self.half, len(self.conditions))

    def _try(self, candidates: Sequence[Candidate], *, until: float | None = None) -> bool:
        """Candidates at every condition; False, and those that there was time for, if it was spent before."""
        done = self.looks.run(((one, trial) for one in candidates for trial in self.first), until=until)
        seen = {one.key for one in self.whole}
        there = [one for one in candidates if done or self.looks.whole(one)]
        self.whole.extend(one for one in there if one.key not in seen)
        return done

    def _screen(self) -> None:
        """Which knobs matter; the others are held where the best known design of the family has them."""
        spent = 0
        for study in self.studies.values():
            # One look at each place is better spent at many places where looks are a small part of the trials.
            many = len(study.family.knobs) > 2 and not self.looks.brief
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
                self._begin(study)
                if done and not self.several:
                    seen = {one.key: (one, at) for one, at in zip(usable, places, strict=True) if one}
                    self._learn(study, list(seen.values()))
            else:
                self._begin(study)

    def _learn(self, study: Study, seen: Sequence[tuple[Candidate, Knobs]]) -> None:
        """What screening came to is not lost: Optuna is told, and the best of it tried at every condition."""
        for one, knobs in seen:
            study.learn(one, knobs, self.bench.score(one, self.half))
            for trial in self.half:
                self.looks.note(one, trial)
        ranked = self._ranked(one for one, _ in seen)
        if ranked:
            self._close(ranked[:PER_FAMILY], until=self.clock.until(SEARCH))

    def _starts(self, study: Study) -> list[dict[str, float]]:
        """Knobs of what is known of a family, best first."""
        known = [one for one in self.known if one.kind == study.family.kind and self._has(one, self.half)]
        return [knobs for one in self._ranked(known) if (knobs := study.family.knobs_of(one.params))]

    def _rounds(self) -> None:
        """Round after round of proposals, until the runs or the time are spent."""
        number = 0
        while self.bench.runs < self.effort.runs - self._kept() and not self.clock.late(SEARCH):
            best = self._leader()
            asked: list[tuple[Study, object, Candidate]] = []
            for kind, study in self.studies.items():
                mine = self.best(kind)
                lost = mine is not None and best is not None and behind(self.bench, mine, best, self.first)
                if number < GRACE or number % RARELY == 0 or not lost or self.several:
                    if not self.looks.point(kind, BATCH - 1) and mine is not None and number > 0:
                        study.near(self._best_few(kind), NEAR)
                    asked += [(study, ticket, one) for ticket, one in study.ask(BATCH)]
            if not asked:
                if number >= GRACE and number % RARELY == 0:
                    break
                number += 1
                continue
            self.say(f"search: round {number + 1}", best)
            if not (
                self._round(asked)
                if self.several
                else self.looks.batch(asked, self._try, self.clock.until(SEARCH))
            ):
                break
            number += 1

    def _kept(self) -> float:
        """Runs that are kept for the end: for a race, or where those do not suffice for one to try the best
        settings at every condition."""
        race = self._share(FINALS)
        if self.several or race >= LEAST * len(self.first):
            return race
        likely = [one for kind in self.studies for one in self.looks.likely(kind, PER_FAMILY)]
        missing = sum(not self.bench.has(one, trial) for one in likely for trial in self.first)
        return min(missing, PER_FAMILY * len(self.first)) + BATCH * len(self.half)

    def _settle(self) -> None:
        """Tries what is expected to be the best of each family at every condition, until it is so with that in mind:
        the best family first, and while there are runs and time."""
        leaders = {kind: some[0] for kind in self.studies if (some := self.looks.likely(kind, 1))}
        expected = self.looks.expected(list(leaders.values()))
        for kind in sorted(leaders, key=lambda kind: expected[leaders[kind].key]):
            for _ in range(SETTLED * PER_FAMILY):
                some = [one for one in self.looks.likely(kind, PER_FAMILY) if not self.looks.whole(one)]
                late = self.bench.runs + len(self.first) > self.effort.runs + 1
                late = late or not self._fits(len(self.first), FINALS_END)
                if not some or (late and self.whole):
                    break
                self._try(some[:1])
                self.looks.pictures[kind].look()
        if not self.whole:
            seen = [one for one in self.known if self._has(one, self.half)]
            self._try(self._ranked(seen)[:1])

    def _leader(self) -> Candidate | None:
        """The best so far: of what was tried at every condition, before there is any of all that was looked at."""
        if self.whole or self.several:
            return self.best()
        return self.looks.leader([one for one in self.known if self._has(one, self.half)])

    def _round(self, asked: list[tuple[Study, object, Candidate]]) -> bool:
        """One batch where there are several objectives, each at every condition. Returns whether there was time for
        it."""
        usable = [one for _, _, one in asked if self.looks.usable(one)]
        if not self._try(usable, until=self.clock.until(SEARCH)):
            return False
        for study, ticket, one in asked:
            if one in usable:
                study.tell(ticket, self.looks.vector(one), excess=self.looks.excess(one), key=one.key)
            else:
                study.tell(ticket, None)
        return True

    def best(self, kind: str = "") -> Candidate | None:
        """The best so far of what was tried at every condition, of one family or of all."""
        some = [one for one in self.whole if not kind or one.kind == kind]
        return min(some, key=lambda one: self.bench.score(one, self.first), default=None)

    def _best_few(self, kind: str) -> list[Candidate]:
        """The best of a family, best first; where there are several objectives, the best and its front."""
        some = [one for one in self.whole if one.kind == kind]
        some.sort(key=lambda one: self.bench.score(one, self.first))
        if not self.several:
            return some[:FEW]
        names = front({one.key: self.looks.vector(one) for one in some if self.looks.excess(one) <= 0})
        return some[:1] + [one for one in some[1:] if one.key in names]

    def _finish(self) -> Outcome:
        """The final race, on seeds that the search has not seen."""
        if not self.several:
            self._settle()
        ranked = self._recommendable()
        final = Final(self.bench, self.looks, self.effort, self._fits)
        pool = final.front(ranked) if self.several else final.pool(ranked)
        self.say(f"final race of {len(pool)}", self.best())
        seeds = FRONT_BLOCKS if self.several else BLOCKS * len(self.first) // len(self.conditions)
        blocks = [block(self.conditions, self.seed + 1 + number) for number in range(seeds)]
        if self.several:
            left, trials = final.unbeaten(pool, blocks)
        elif self.bounded:
            left, trials = on_fresh_conditions(
                self.bench,
                self.studies,
                self.effort,
                self.seed,
                pool,
                self.first,
                self.clock.until(FINALS_END),
            )
        else:
            left, trials = final.race(pool, blocks)
        best = {
            kind: next((one for one in left if one.kind == kind), self.best(kind)) for kind in self.studies
        }
        best_of = {kind: one for kind, one in best.items() if one is not None}
        knobs = {key: value for study in self.studies.values() for key, value in study.knobs.items()}
        families = {kind: study.family for kind, study in self.studies.items()}
        late = "the time was spent" if self.clock.late(SEARCH) else ""
        return Outcome(
            left, trials, list(self.whole), list(self.known), self.first, self.effects, families, knobs, best_of,
            self.looks.counts(self.known), late,
        )  # fmt: skip

    def _recommendable(self) -> list[Candidate]:
        """What the box can be told of, best first. Raises UsageError if that is nothing."""
        target = self.question.target
        able = [one for one in self.whole if target.takes(one)]
        if not able:
            self.bench.run((one, trial) for one in self.known for trial in self.half)
            able = [one for one in self._ranked(self.known) if target.takes(one)][:1]
            self._try(able)
        if not able:
            told = f"for = {target.box}: none of the settings tried can be written for it"
            raise UsageError(f"{told}; more runs or a larger buffer may help")
        return sorted(able, key=lambda one: self.bench.score(one, self.first))

    def _share(self, share: float) -> float:
        return share * self.effort.runs

    def _fits(self, runs: int, share: float) -> bool:
        """Whether there is time for so many runs, at the pace so far, before a share of it is spent."""
        left = self.clock.left(share)
        return left is None or runs * (self.bench.run_s or 0.0) < left
