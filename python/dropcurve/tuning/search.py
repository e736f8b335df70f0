"""The search: initial designs, the edge of the bound, screening, Bayesian optimisation, a race or an adjustment.

Every step is a function of the question, the seed and the runs made so far, and runs are stored; so an interrupted
search repeats its steps from the store and continues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .adjust import on_fresh_conditions
from .bench import Bench, PairedTrial, block
from .candidates import Candidate
from .constraint import measured_margin
from .decision import margin_of
from .effort import ENDS, LEAST_LEVEL, SEARCH, Budget, Clock, expected_duration
from .effort import FINALS as FINALS_END
from .evaluations import Evaluations
from .families import family
from .finals import FINALS, FRONT_BLOCKS, LEAST, PER_FAMILY, Final
from .initial_designs import designs_known, left_out
from .outcome import SearchOutcome
from .question import Condition
from .race import PAIRS, behind, ruled_out
from .screening import ScreeningEffect, designs, effects
from .search_space import Coordinates, Family
from .solving import SOLVING, FamilySolver
from .study import FamilyStudy, unfinished
from .surrogate import Surrogate

#: Proposals of a family in a round, and the number of them that are neighbours of its best.
BATCH, NEAR = 4, 2
#: Designs of a family whose neighbours are proposed.
FEW = 4
#: Settings of a family that half of the runs must suffice to evaluate once: a constant, and a number for each axis.
SETTINGS, EACH_PARAMETER = 12, 6
#: Share of the runs for the initial designs.
KNOWN = 0.35
#: Rounds of every family before those that are clearly behind get fewer.
GRACE = 3
#: One round in this number goes to families that are clearly behind.
RARELY = 3
#: Share of the runs for screening.
SCREENING = 0.25
#: Settings of a family run at every condition at the end, as a multiple of its finalists.
SETTLED = 4
#: Distance of the seeds under which few conditions are run, so that those of the final race differ.
SEEDS_APART = 100
#: Called with the stage and the incumbent (None before there is one).
OnStage = Callable[[str, Candidate | None], None]


@dataclass
class Search:
    """One search, step by step; `go` takes them all."""

    bench: Bench
    seed: int
    effort: Budget
    folder: Path | None = None
    on_stage: OnStage = lambda *_: None
    clock: Clock = field(default_factory=Clock)
    log: Callable[[str], None] = lambda _: None
    margin: float = 0.0
    studies: dict[str, FamilyStudy] = field(default_factory=dict)
    known: list[Candidate] = field(default_factory=list)
    whole: list[Candidate] = field(default_factory=list)
    effects: list[ScreeningEffect] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    unseen: list[Candidate] = field(default_factory=list)
    complete: bool = False
    _solved: dict[str, list[tuple[Candidate, Coordinates]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.question = self.bench.question
        self.margin = self.margin or margin_of(self.question.goal)
        self.conditions = self.question.conditions(self.effort.conditions)
        self.several = len(self.question.goal.objectives) > 1
        # A design at the edge that holds a bound under one seed may break it under the next: where conditions are few,
        # each has several seeds, unless time is short.
        few = self.question.goal.constraints and not self.effort.brief
        count = math.ceil(PAIRS / len(self.conditions)) if few else 1
        seeds = [self.seed + number * SEEDS_APART for number in range(count)]
        self.first = [trial for seed in seeds for trial in block(self.conditions, seed)]
        most = (len(self.first) + 1) // 2 if count == 1 else len(self.conditions)
        if not self.several:
            wanted = sum(
                SETTINGS + EACH_PARAMETER * len(self._family(kind).axes) for kind in self.question.candidates
            )
            most = min(most, max(1, int(0.5 * self.effort.runs / wanted)))
        self.half = self.first[:most]
        self.evaluations = Evaluations(
            self.bench, self.question.target, self.first, most, self.studies, margin=self.margin,
            validated=self.effort.validated(self.question),
        )  # fmt: skip

    def _family(self, kind: str) -> Family:
        return family(kind, self.question.sizing, space=self.question.space.get(kind))

    def go(self) -> SearchOutcome:
        """All steps. Raises UsageError if the goal asks for what the runs do not have, or no candidate can be run."""
        self._start()
        if self.clock.seconds is None and (long := expected_duration(self.effort, self.question, self.bench)):
            self.log(long)
        solving = self._solve()
        best = solving.best
        if best is not None:
            self.bench.scale(best, self.first)
        if best is not None and (solving.settled or self._cannot_improve(solving, best)):
            self._start_studies()
        else:
            self._screen()
            self._rounds()
        return self._finish()

    def _solve(self) -> FamilySolver:
        """The best scale of every family; nothing where there are several objectives."""
        until = self.clock.until(SEARCH)
        solving = FamilySolver(
            self.bench, self.evaluations, self.first, SOLVING * self.effort.runs, until, self.on_stage, self.margin,
            coarse=self.effort.level == LEAST_LEVEL)  # fmt: skip
        if solving.fits:
            # Finalists are moved to the edge in the end, with a margin that is measured.
            self.bench.margin = 0.0
            solving.first_answer(self.first[:ENDS])
            self._try(solving.go(), until=until)
            self.complete = solving.complete
            self._solved = solving.seen
            self.known = solving.rivals(self.known, self.first[: max(ENDS, len(self.half))])
            self.unseen += [one for one in solving.unseen if one not in self.known]
        return solving

    def _cannot_improve(self, solving: FamilySolver, best: Candidate) -> bool:
        """Whether little improvement is possible and no surrogate expects any."""
        return solving.nearly_settled and not self.evaluations.may_improve(best, self._solved)

    def _start_studies(self) -> None:
        """Starts every study with the initial designs of its family."""
        for study in self.studies.values():
            self._begin(study)

    def _begin(self, study: FamilyStudy) -> None:
        """Starts a study with its initial designs, and adds the designs on the edge to Optuna's study."""
        study.start(self._starts(study))
        for one, coordinates in self._solved.get(study.family.kind, []):
            if self.evaluations.whole(one):
                study.learn(one, coordinates, self.bench.score(one, self.first))
            study.tried.setdefault(one.key, one)

    def _start(self) -> None:
        """Runs the initial designs: common settings, and designs by formula."""
        self.on_stage("initial designs: defaults, rules of thumb and designs by formula", None)
        brief = self.effort.brief if self.several else self.effort.level == LEAST_LEVEL
        known = designs_known(self.question, brief=brief)
        measured = self.first if self.several else self.first[: max(len(self.half), ENDS)]
        self.bench.run((known[0], trial) for trial in measured)
        self.bench.scale(known[0], measured)
        self.unseen = left_out(self.question) if brief else []
        usable = [one for one in known if self.evaluations.usable(one)]
        distinct = {self.bench.same(one, self.first[0]): one for one in reversed(usable)}
        self.known = list(distinct.values())[::-1]
        if self.several:
            self.known = self._seen(self.known, until=self.clock.until(SEARCH))
            self._measure_margin()
        self._open_studies()

    def _measure_margin(self) -> None:
        """The margin inside the bounds, from the deviation between seeds of the initial design closest to one."""
        if self.known and self.question.goal.constraints:
            ends = [
                trial for trial in self.half[:ENDS] if all(self.bench.has(one, trial) for one in self.known)
            ]
            margin = ends and measured_margin(self.bench, self.known, ends, self.clock.until(SEARCH))
            self.bench.margin = margin or self.bench.margin

    def _open_studies(self) -> None:
        """Opens a study for each family, with a surrogate if there is one objective."""
        path = None if self.folder is None else unfinished(self.folder)
        for kind in self.question.candidates:
            objectives = len(self.question.goal.objectives)
            self.studies[kind] = FamilyStudy(
                self._family(kind), self.question.target, objectives, self.seed, path
            )
            if not self.several:
                surrogate = Surrogate(self.bench, len(self.conditions), self.studies[kind].number)
                self.evaluations.surrogates[kind] = surrogate

    def _seen(self, known: Sequence[Candidate], *, until: float | None) -> list[Candidate]:
        """Runs initial designs, one that the box takes at least, as far as there is time: each in a first evaluation,
        those close to the best at all conditions. Returns those that were run."""
        able = sorted(known, key=lambda one: not self.question.target.takes(one))
        self.bench.run((able[0], trial) for trial in self.half)
        self.bench.run(((one, trial) for one in able for trial in self.half), until=until)
        seen = [one for one in known if self._has(one, self.half)]
        self.unseen += [one for one in known if one not in seen]
        self._close(seen, until=until)
        return seen

    def _close(self, candidates: Sequence[Candidate], *, until: float | None) -> None:
        """Runs the best of some designs in all trials, then those that are not significantly worse."""
        if self.evaluations.brief:
            return
        best, *_ = ranked = self._ranked(candidates)
        if self._try([one for one in candidates if one is best or self.evaluations.whole(one)], until=until):
            for one in ranked:
                if self.several or (
                    not self._behind(one, best) and self.bench.runs < KNOWN * self.effort.runs
                ):
                    self._try([one], until=until)

    def _has(self, candidate: Candidate, trials: Sequence[PairedTrial]) -> bool:
        return all(self.bench.has(candidate, trial) for trial in trials)

    def _ranked(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Best first, by the first evaluation of each."""
        return sorted(candidates, key=lambda one: self.bench.score(one, self.half))

    def _behind(self, candidate: Candidate, best: Candidate) -> bool:
        """Whether the first evaluation of a candidate rules it out."""
        return ruled_out(self.bench, candidate, best, self.first, self.half, len(self.conditions))

    def _try(self, candidates: Sequence[Candidate], *, until: float | None = None) -> bool:
        """Runs candidates at every condition; False if the time was up before all were."""
        done = self.evaluations.run(((one, trial) for one in candidates for trial in self.first), until=until)
        seen = {one.key for one in self.whole}
        there = [one for one in candidates if done or self.evaluations.whole(one)]
        self.whole.extend(one for one in there if one.key not in seen)
        return done

    def _screen(self) -> None:
        """Morris screening: which parameters matter; steps around the incumbent seldom move the others."""
        spent = 0
        for study in self.studies.values():
            # If one evaluation covers few of the trials, other points are more useful than screening.
            many = len(study.family.axes) > 2 and not self.evaluations.brief
            many = many and self.evaluations.promises(study.family.kind)
            cost = 4 * (len(study.family.axes) + 1) * len(self.half)
            if many and spent + cost <= SCREENING * self.effort.runs and self._fits(cost, SEARCH / 2):
                spent += cost
                self.on_stage(f"screening: which parameters of {study.family.kind} matter", self.best())
                points = designs(study.family, seed=self.seed)
                tried = [study.candidate(coordinates) for coordinates in points]
                usable = [one if one and self.bench.usable(one, self.first[0]) else None for one in tried]
                pairs = [(one, trial) for one in usable if one for trial in self.half]
                done = self.bench.run(pairs, until=self.clock.until(SEARCH))
                rows = effects(study.family, self.bench, usable, self.half, seed=self.seed) if done else []
                self.effects += rows
                study.quiet = frozenset(one.parameter for one in rows if not one.matters)
                self._begin(study)
                if done and not self.several:
                    seen = {one.key: (one, at) for one, at in zip(usable, points, strict=True) if one}
                    self._learn(study, list(seen.values()))
            else:
                self._begin(study)

    def _learn(self, study: FamilyStudy, seen: Sequence[tuple[Candidate, Coordinates]]) -> None:
        """Adds the screening runs to Optuna's study and runs the best of them at every condition."""
        for one, coordinates in seen:
            study.learn(one, coordinates, self.bench.score(one, self.half))
            for trial in self.half:
                self.evaluations.observe(one, trial)
        ranked = self._ranked(one for one, _ in seen)
        if ranked:
            self._close(ranked[:PER_FAMILY], until=self.clock.until(SEARCH))

    def _starts(self, study: FamilyStudy) -> list[dict[str, float]]:
        """Coordinates of the initial designs of a family, best first."""
        known = [one for one in self.known if one.kind == study.family.kind and self._has(one, self.half)]
        return [
            coordinates
            for one in self._ranked(known)
            if (coordinates := study.family.coordinates_of(one.params))
        ]

    def _rounds(self) -> None:
        """Rounds of proposals until the runs or the time are spent."""
        number = idle = 0
        while self.bench.runs < self.effort.runs - self._kept() and not self.clock.late(SEARCH):
            best = self._leader()
            asked: list[tuple[FamilyStudy, object, Candidate]] = []
            for kind, study in self.studies.items():
                mine = self.best(kind)
                lost = mine is not None and best is not None and behind(self.bench, mine, best, self.first)
                if number < GRACE or number % RARELY == 0 or not lost or self.several:
                    if not self._pointed(kind, best) and mine is not None and number > 0:
                        study.near(self.evaluations.best_few(self.whole, kind, FEW), NEAR)
                    if number < GRACE or self.evaluations.promises(kind):
                        asked += [(study, ticket, one) for ticket, one in study.ask(BATCH)]
            idle = idle + 1 if not asked else 0
            if idle > RARELY:
                break
            if not asked:
                number += 1
                continue
            self.on_stage(f"search: round {number + 1}", best)
            if not (
                self._round(asked)
                if self.several
                else self.evaluations.batch(asked, self._try, self.clock.until(SEARCH))
            ):
                break
            number += 1

    def _pointed(self, kind: str, best: Candidate | None) -> bool:
        """Queues what the surrogate of a family proposes against the incumbent; False if it is not fitted."""
        if self.several or best is None:
            return False
        return self.evaluations.point(kind, BATCH - 1, self.evaluations.expected([best])[best.key])

    def _kept(self) -> float:
        """Runs reserved for the end: a race, or if they do not suffice, the best settings at every condition."""
        race = FINALS * self.effort.runs
        if self.several or race >= LEAST * len(self.first):
            return race
        likely = [one for kind in self.studies for one in self.evaluations.likely(kind, PER_FAMILY)]
        missing = sum(not self.bench.has(one, trial) for one in likely for trial in self.first)
        return min(missing, PER_FAMILY * len(self.first)) + BATCH * len(self.half)

    def _settle(self) -> None:
        """Runs the setting of least expected loss of each family at every condition, until that remains the best given
        those runs: the best family first, while there are runs and time."""
        leaders = {kind: some[0] for kind in self.studies if (some := self.evaluations.likely(kind, 1))}
        expected = self.evaluations.expected(list(leaders.values()))
        for kind in sorted(leaders, key=lambda kind: expected[leaders[kind].key]):
            for _ in range(SETTLED * PER_FAMILY):
                some = [
                    one
                    for one in self.evaluations.likely(kind, PER_FAMILY)
                    if not self.evaluations.whole(one)
                ]
                late = self.bench.runs + len(self.first) > self.effort.runs + 1
                late = late or not self._fits(len(self.first), FINALS_END)
                if not some or (late and self.whole):
                    break
                self._try(some[:1])
                self.evaluations.surrogates[kind].fit()
        if not self.whole:
            seen = [one for one in self.known if self.question.asks_for(one) and self._has(one, self.half)]
            self._try(self._ranked(seen)[:1])

    def _leader(self) -> Candidate | None:
        """The incumbent: of the designs run at every condition, or before there is one by expected loss."""
        if self.whole or self.several:
            return self.best()
        return self.evaluations.leader([one for one in self.known if self._has(one, self.half)])

    def _round(self, asked: list[tuple[FamilyStudy, object, Candidate]]) -> bool:
        """One batch with several objectives, each at every condition; returns whether there was time for it."""
        usable = [one for _, _, one in asked if self.evaluations.usable(one)]
        if not self._try(usable, until=self.clock.until(SEARCH)):
            return False
        for study, ticket, one in asked:
            if one not in usable:
                study.tell(ticket, None)
                continue
            vector, excess = self.evaluations.vector(one), self.evaluations.excess(one)
            study.tell(ticket, vector, excess=excess, key=one.key)
        return True

    def best(self, kind: str = "") -> Candidate | None:
        """The best so far of what was tried at every condition, of one family or of all."""
        some = [one for one in self.whole if not kind or one.kind == kind]
        return min(some, key=lambda one: self.bench.score(one, self.first), default=None)

    def _finish(self) -> SearchOutcome:
        """The final race, on seeds that the search has not seen."""
        if not self.several:
            self._settle()
        final = Final(self.bench, self.evaluations, self.effort, self._fits)
        ranked = final.recommendable(self.whole, self.known, self.half, self._try)
        pool = final.front(ranked) if self.several else final.pool(ranked)
        self.on_stage(f"finalists on fresh conditions: {len(pool)}", self.best())
        if self.several:
            blocks = [block(self.conditions, self.seed + 1 + number) for number in range(FRONT_BLOCKS)]
            left, trials = final.unbeaten(pool, blocks)
        else:
            until = self.clock.until(FINALS_END)
            left, trials = on_fresh_conditions(
                self.bench, self.studies, self.effort, self.seed, pool, self.first, until
            )
            self.bench.scale(left[0], trials or self.first)
        best = {
            kind: next((one for one in left if one.kind == kind), self.best(kind)) for kind in self.studies
        }
        best_of = {kind: one for kind, one in best.items() if one is not None}
        coordinates = {
            key: value for study in self.studies.values() for key, value in study.coordinates.items()
        }
        return SearchOutcome(
            left, trials, self.evaluations.completed(self.whole, self._solved), list(self.known), self.first,
            self.effects, {kind: study.family for kind, study in self.studies.items()}, coordinates, best_of,
            self.evaluations.counts(self.known), tuple(self.unseen), self.complete,
        )  # fmt: skip

    def _fits(self, runs: int, share: float) -> bool:
        """Whether a number of runs fits, at the pace so far, before a share of the time is spent."""
        return (left := self.clock.left(share)) is None or runs * (self.bench.run_s or 0.0) < left
