"""The stages of an answer, in order: search, validation, sensitivity, drift, further replications, configuration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..scenario import library
from . import (
    delay_budget,
    effort,
    hopeless,
    other_direction,
    robustness,
    safer_scale,
    settling,
    unsettled,
    validation_lines,
)
from . import proof as proofs
from .answer import Answer
from .bench import Bench, block
from .candidates import Candidate
from .challengers import ALONG, FACTORS, MORE_ALONG, MORE_FACTORS, Challengers
from .constraint import direction
from .decision import margin_of
from .effort import Budget, Clock
from .interval_share import beyond
from .outcome import SearchOutcome
from .search import SEEDS_APART, OnStage, Search
from .selection import affordable_of, chosen_of, further_of, lost, missing, spots_of
from .study import FamilyStudy
from .validation import APART, Validation
from .validation_front import validation_front

#: Largest number of steps to a better neighbour of the recommendation.
NEIGHBOURS = 10
#: Share of the runs of a search for moving another parameter of the recommendation, and of each further discipline.
ALONG_RUNS, FURTHER_RUNS = 0.4, 0.1
#: Under a time limit: number of further disciplines that are solved before the drift; the others follow after it.
FURTHER = 3
#: Distance from the largest possible objective, in margins, below which the answer of a link with long runs takes no
#: finer steps; and the largest number of its replications, as a multiple of the first ones.
NEARLY_IDEAL, MOST_COSTLY = 5.0, 2
#: Fewest runs of each value in the sensitivity, and those of a brief answer.
MOVED, BRIEFLY_MOVED = 6, 2
#: Largest number of blocks of fresh seeds, the number for which time is reserved, and the share of the time at which
#: they end.
PROOFS, PROVED, ENDED = 6, 1.5, 0.99
#: Number of equal and equally simple designs, the recommendation included, between which the drift decides.
EQUALS = 3


@dataclass
class Stages:
    """All stages on an open bench; with ``short`` those up to the validation."""

    bench: Bench
    spent: Budget
    clock: Clock
    seed: int
    folder: Path
    on_stage: OnStage
    log: Callable[[str], None]
    margin: float | None = None
    most: int = 0
    short: bool = False
    moved: list[robustness.Sensitivity] = field(default_factory=list)
    drift: list[robustness.Drift] = field(default_factory=list)
    proof: proofs.Proof | None = None
    refused: list[proofs.Proof] = field(default_factory=list)
    other: str = ""
    _along_kinds: set[str] = field(default_factory=set)
    _share_kinds: set[str] = field(default_factory=set)

    def go(self, command: str) -> Answer:
        """The answer, stored in the folder."""
        bench, clock = self.bench, self.clock
        margin = margin_of(bench.question.goal, self.margin)
        outcome = Search(
            bench, self.seed, self.spent, self.folder, self.on_stage, clock, self.log, margin
        ).go()
        if (planned := effort.again(self.spent, bench.question, bench, clock)) is not None:
            self.spent = planned
            again = Search(bench, self.seed, self.spent, self.folder, self.on_stage, clock, self.log, margin)
            outcome = again.go()
        searched = bench.runs
        few = clock.seconds is None and self.spent.level >= effort.LEAST_LEVEL
        chosen, size = chosen_of(outcome, bench, few=few)
        self.on_stage("validation on fresh seeds and conditions", chosen[0])
        left_s, rivals = clock.left(effort.VALIDATION), len(chosen) - size
        ends = outcome.first[: effort.ENDS]
        chosen, uncompared = affordable_of(
            bench, chosen, size, effort.affordable(left_s, bench.run_s), ends, clock.until(effort.COMPARED)
        )
        uncompared += [one for one in outcome.unseen if not lost(bench, one, chosen[0], ends)]
        sizes = effort.validation(self.spent, len(chosen), left_s, bench.run_s, bench.question.robust)
        no_hope = hopeless.is_hopeless(bench, outcome)
        sizes = hopeless.shorter(sizes) if no_hope else sizes
        most = self.most or (MOST_COSTLY * sizes.replications if self._costly else 0)
        spare = 0 if self._costly or clock.seconds is not None else effort.spare(bench.question)
        validation = Validation(bench, sizes, self.seed, margin, clock.until(effort.VALIDATION), most, spare)
        validation.run(chosen)
        if no_hope and not self.short:
            self.on_stage("frontier: what is possible instead", validation.best)
            hopeless.extend_frontier(bench, outcome, self.seed, clock.until(effort.DECISION))
        elif not self.short:
            self._around(validation, outcome)
            self.other = other_direction.advice(validation, self.seed + 3 * APART, clock.until(1.0))
        ahead, uncompared = validation_front(validation), [*uncompared, *validation.left_out]
        lines = sorted(validation_lines.lines(validation), key=lambda line: line.candidate not in ahead)
        if bench.held is not None:
            bench.held.writer.flush()
        bench.store.adopt()
        if clock.seconds is None:
            bench.store.compact()
        question, best = bench.question, lines[0]
        # Only a feasible design that was asked for and simulated as the box loads it is offered to be loaded.
        offered = best.holds and question.asks_for(best.candidate)
        export, changed = question.target.written(best.candidate) if offered else (None, ())
        answer = Answer(
            question=question, seed=self.seed, lines=tuple(lines), spots=tuple(spots_of(outcome, bench)),
            effects=tuple(outcome.effects), sensitivity=tuple(self.moved), drift=tuple(self.drift),
            configuration=export.text if export else "", changed=changed, version=library.version(), command=command,
            notes=tuple(map(str, export.notes)) if export else (), runs=searched, fresh=bench.runs - searched,
            stopped=unsettled.cut(
                clock, bench, outcome, best.candidate, self.moved, self.drift,
                rivals=len(lines) - 1, missing=rivals - (len(chosen) - size), hopeless=no_hope and not self.short,
            ),
            shows_queue=clock.shows_queue(bench.run_s), looked=outcome.looked,
            conditions=len({trial.index for trial in outcome.first}),
            replications=validation.replications, fresh_conditions=sizes.fresh if question.varying else 1,
            front=len(ahead), margin=margin, point=bench.scales[0], points=tuple(bench.scales), proof=self.proof,
            uncompared=tuple(one.name for one in missing(uncompared, lines)), refused=tuple(self.refused),
            replication_s=(bench.run_s or 0.0) * sizes.fresh, folder=self.folder, other=self.other, hopeless=no_hope,
        )  # fmt: skip
        if answer.too_few:
            answer = replace(answer, configuration="", notes=())
        answer.save(self.folder)
        return answer

    def _around(self, validation: Validation, outcome: SearchOutcome) -> None:
        """Runs the stages around the recommendation, and replications until rivals are decided."""
        # A challenger that is found late is worth the time of its validation.
        validation.until = self.clock.until(self._deciding)
        if self._costly:
            settling.settle(validation)
        self._step_to_neighbours(validation, outcome)
        more = self.clock.seconds is None
        if self.spent.level < effort.LEAST_LEVEL if more else not self.spent.brief:
            kinds = further_of(outcome, self.bench)
            self._further(validation, outcome, kinds if more else kinds[:FURTHER], effort.DRIFT)
        # The drift may decide for another of several equals, whose own sensitivity is then not known yet.
        best = validation.decide()
        if not self._costly:
            self._drift(validation)
        self._decide(best, validation, outcome)
        if self._costly:
            self._drift(validation)

    @property
    def _costly(self) -> bool:
        """Whether each run is so long that the stages around the recommendation follow once it is decided."""
        return self.spent.level >= effort.LEAST_LEVEL and self.clock.seconds is None

    def _nearly_ideal(self, validation: Validation) -> bool:
        """Whether the recommendation is so close to the largest possible objective that finer steps gain little."""
        return validation.left < NEARLY_IDEAL * validation.margin

    def _step_to_neighbours(self, validation: Validation, outcome: SearchOutcome) -> None:
        """Sensitivity of the recommendation; a neighbour that is better is validated, and recommended if the validation
        confirms it, until none is better."""
        for _ in range(NEIGHBOURS):
            safer_scale.take(validation, outcome, self._safer(validation, outcome))
            best = validation.decide()
            self.on_stage("sensitivity: each parameter off by factors", best)
            self.moved = self._sensitivity(best, outcome)
            moves = [] if validation.several else robustness.better(self.bench, self.moved, validation.margin)
            for one in [*moves, *self._near(best, validation, outcome, FACTORS, effort.SENSITIVITY)]:
                validation.add(one)
            if validation.decide() is best:
                self._along(best, validation, outcome)
            if validation.decide() is best:
                self._at_usual_shares(best, validation, outcome)
            if validation.decide() is best:
                return
        best = validation.decide()
        self.moved = self._sensitivity(best, outcome) or self._of_sibling(best)

    def _challengers(self, there: Validation, outcome: SearchOutcome, until: float | None) -> Challengers:
        coarse = self.spent.level < effort.LEAST_LEVEL or not direction(self.bench.question.goal)
        return Challengers(self.bench, outcome.trials, outcome.first, self.seed, there.margin, until, coarse)

    def _safer(self, validation: Validation, outcome: SearchOutcome) -> Challengers:
        return self._challengers(validation, outcome, validation.until)

    def _near(
        self, best: Candidate, validation: Validation, outcome: SearchOutcome, factors: Sequence[float],
        share: float, *, scale: bool = True,
    ) -> list[Candidate]:  # fmt: skip
        """Designs next to the recommendation that are better than it; none of a front."""
        space, coordinates = outcome.in_space(best, self.bench.question)
        if validation.several or validation.settled or space is None or coordinates is None:
            return []
        if self._costly and self._nearly_ideal(validation):
            return []
        challengers = self._challengers(validation, outcome, self.clock.until(share))
        return challengers.near(best, space, coordinates, factors, scale=scale)

    def _along(
        self, best: Candidate, validation: Validation, outcome: SearchOutcome,
        factors: Sequence[float] = ALONG, share: float = effort.SENSITIVITY,
    ) -> None:  # fmt: skip
        """Validates designs with another parameter of the recommendation moved and the scale solved again."""
        space, coordinates = outcome.in_space(best, self.bench.question)
        if validation.several or validation.settled or space is None or coordinates is None:
            return
        if self._costly and (best.kind in self._along_kinds or self._nearly_ideal(validation)):
            return
        self._along_kinds.add(best.kind)
        challengers = self._challengers(validation, outcome, self.clock.until(share))
        runs = ALONG_RUNS * self.spent.runs if factors is ALONG else math.inf
        for one in challengers.along(best, space, coordinates, runs, factors):
            validation.add(one)

    def _at_usual_shares(self, best: Candidate, validation: Validation, outcome: SearchOutcome) -> None:
        """Validates settings of a more usual share of target and interval, once for each discipline."""
        _, coordinates = outcome.in_space(best, self.bench.question)
        if beyond(best) and coordinates and not validation.several and best.kind not in self._share_kinds:
            self._share_kinds.add(best.kind)
            challengers = self._challengers(validation, outcome, self.clock.until(effort.DRIFT))
            for some in challengers.of_usual_shares(best, coordinates):
                for one in some:
                    if not validation.add(one) or validation.clears(one):
                        break

    def _further(
        self, validation: Validation, outcome: SearchOutcome, kinds: Sequence[str], share: float
    ) -> None:
        """The best of disciplines that were not searched, validated where they are better."""
        if validation.several or validation.settled:
            return
        best = validation.decide()
        challengers = self._challengers(validation, outcome, self.clock.until(share))
        question = self.bench.question
        known = {kind: outcome.in_space(one, question)[1] for kind, one in outcome.best_of.items()}
        settings = {kind: coordinates for kind, coordinates in known.items() if coordinates is not None}
        runs = FURTHER_RUNS * self.spent.runs if self.clock.seconds is None else math.inf
        for one in challengers.further(best, kinds, settings, runs, self.on_stage):
            validation.add(one)
        if validation.decide() is not best:
            self._step_to_neighbours(validation, outcome)

    def _use_time(self, validation: Validation, outcome: SearchOutcome) -> None:
        """Evaluates designs that may still change the answer, while there is time: further disciplines, then
        other factors of each parameter, alone and with the scale solved again, until none wins."""
        kinds = further_of(outcome, self.bench)[0 if self.spent.brief else FURTHER :]
        share = min(effort.CHALLENGE, self._deciding)
        self._further(validation, outcome, kinds, share)
        for _ in range(NEIGHBOURS):
            best = validation.decide()
            self.on_stage("neighbours of the recommendation", best)
            for factors in MORE_FACTORS:
                for one in self._near(best, validation, outcome, factors, share):
                    validation.add(one)
            if validation.decide() is best:
                self._along(best, validation, outcome, MORE_ALONG, share)
            if validation.decide() is best:
                return

    def _drift(self, validation: Validation, share: float = effort.DRIFT) -> None:
        """Runs conditions beyond their range for the recommendation, the equal and equally simple designs, and the
        first rival that was not tuned; of the equals the one that is good over the widest drift is recommended."""
        best = validation.decide()
        self.on_stage("drift: conditions beyond their range", best)
        alike = validation.alike()[: 1 if self.spent.level == effort.LEAST_LEVEL else EQUALS]
        rivals = [one for one in validation.candidates if one not in alike and one.origin != "search"]
        some = [*alike, *rivals[:1]] if not self.spent.brief else alike
        self.drift = robustness.drift(
            self.bench, some, effort=self.spent, seed=self.seed + 2 * APART, until=self.clock.until(share)
        )
        for one in alike if self.drift else ():
            mine = [drift for drift in self.drift if drift.candidate.key == one.key]
            validation.drifted[one.key] = sum(not point.good for drift in mine for point in drift.points)

    def _decide(self, best: Candidate, validation: Validation, outcome: SearchOutcome) -> None:
        """Adds replications until every rival is decided, or under a time limit while there is time; ``best`` is the
        design whose sensitivity is known."""
        self.on_stage("validation: replications until every rival is decided", validation.decide())
        validation.until = self.clock.until(self._deciding)
        # Under a time limit a design that is ahead and just misses a bound would take the time of a safer one.
        limited = self.clock.seconds is not None and safer_scale.take(
            validation, outcome, self._safer(validation, outcome)
        )
        settling.settle(validation)
        if not limited and safer_scale.take(validation, outcome, self._safer(validation, outcome)):
            settling.settle(validation)
        if self.clock.seconds is not None:
            self._use_time(validation, outcome)
        best = self._surroundings(best, validation, outcome, self._deciding)
        self.on_stage("validation: further replications", validation.decide())
        settling.settle(validation)
        delay_budget.spend(validation, outcome, self.seed)
        safer_scale.secure(validation, outcome, self._safer(validation, outcome))
        settling.settle(validation, last=True)
        if self.clock.seconds is not None:
            # Last, as it takes all the time that is left: nothing that may change the answer would have any.
            settling.settle(validation, thorough=True)
        self._prove(validation, outcome)
        self._surroundings(best, validation, outcome, 1.0)

    def _prove(self, validation: Validation, outcome: SearchOutcome) -> None:
        """Tries the recommendation on fresh seeds that took no part in choosing it; if it breaks a bound there, a safer
        one is chosen and tried on others, until one holds."""
        if validation.several or not self.bench.question.goal.constraints:
            return
        limited = self.clock.seconds is not None or self._costly
        # A refusal costs another block: as many runs may as well decide about the design that is nearer the bound.
        spare = 0 if limited else max(effort.spare(self.bench.question), proofs.block_runs(self.spent))
        for number in range(PROOFS):
            best = validation.decide()
            if validation.misses(best, own=True):
                # Where nothing holds for sure, a design that held in nineteen runs of twenty is the best there is.
                self.proof = next((one for one in self.refused if one.candidate is best and one.holds), None)
                self.refused = [one for one in self.refused if one is not self.proof]
                return
            self.on_stage("validation: fresh seeds that took no part in choosing", best)
            runs, until = proofs.block_runs(self.spent), self.clock.until(ENDED)
            proof = proofs.prove(self.bench, best, self.seed, number, runs=runs, spare=spare, until=until)
            spare -= max(0, proof.runs - proofs.full(runs)) if proof is not None else 0
            if proof is None or (proof.holds and (proof.sure or proof.runs < proofs.full(runs))):
                self.proof, validation.proof = proof, proof
                return
            validation.refuse(proof)
            self.refused.append(proof)
            validation.until = self.clock.until(1.0)
            safer_scale.speak(validation)
            safer_scale.step_back(proof, validation, outcome, self._safer(validation, outcome))
            # Its scale was moved to the safe side: only the other parameters may move again.
            best = validation.decide()
            for one in self._near(best, validation, outcome, FACTORS, self._deciding, scale=False):
                validation.add(one)
            if self.clock.seconds is None and not self._costly:
                # Rivals of the refused design were decided against that one, and may be ahead of the next one.
                settling.settle(validation)
                safer_scale.speak(validation)

    @property
    def _deciding(self) -> float:
        """Share of the time at which replications end, so that there is some for fresh seeds."""
        if self.clock.seconds is None or not self.bench.question.goal.constraints:
            return effort.DECISION
        share = PROVED * proofs.block_runs(self.spent) * (self.bench.run_s or 0.0) / self.clock.seconds
        return min(max(ENDED - share, effort.DECISION_AT_LEAST), effort.CHALLENGE)

    def _surroundings(
        self, before: Candidate, validation: Validation, outcome: SearchOutcome, share: float
    ) -> Candidate:
        """Sensitivity and drift of the recommendation if it is another one than ``before``, while there is time;
        returns it. Before a block of fresh seeds its better neighbours are validated, too."""
        best = validation.decide()
        if best is before:
            return best
        if self.clock.seconds is None and self.proof is None:
            self._step_to_neighbours(validation, outcome)
            best = validation.decide()
        else:
            self.moved = self._sensitivity(best, outcome, share) or self._of_sibling(best)
        if not self._costly:
            self._drift(validation, share)
        return best

    def _of_sibling(self, best: Candidate) -> list[robustness.Sensitivity]:
        """The sensitivity of an earlier recommendation where it is of the same discipline as this one, for which there
        was no time: most often a scale that is a few per cent larger."""
        return [one for one in self.moved if one.design is not None and one.design.kind == best.kind]

    def _sensitivity(
        self, best: Candidate, outcome: SearchOutcome, share: float = effort.SENSITIVITY
    ) -> list[robustness.Sensitivity]:
        """The sensitivity of a design, if the parameters of its discipline are known."""
        question = self.bench.question
        one, coordinates = outcome.in_space(best, self.bench.question)
        if one is None or coordinates is None:
            return []
        study = FamilyStudy(one, question.target, 1, self.seed)
        conditions = question.conditions(self.spent.conditions)
        seeds = range(math.ceil((BRIEFLY_MOVED if self.spent.brief else MOVED) / len(conditions)))
        trials = [
            trial for number in seeds for trial in block(conditions, self.seed + 1 + number * SEEDS_APART)
        ]
        return robustness.sensitivity(
            self.bench, best, one, coordinates, study.candidate, trials, effort=self.spent,
            until=self.clock.until(share),
        )  # fmt: skip
