"""The stage of a search that finds the best scale of every family, at few runs; it decides most answers.

A family is a discipline with the axes of its search space (`families`); its scale is the parameter that trades delay
for utilisation. The best scale is its edge, the last value that holds the bound of the goal (`constraint`), or the best
on a line where no edge follows from the goal (`line_search`). Each family is solved with its other parameters at
customary values, then each of those is halved and doubled and the scale solved again, as long as the gain exceeds the
margin. If the objective comes within the margin of its largest possible value, no gain is left: the search ends here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..verdict.equivalence import FAIR
from .atlas.start import starts
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .constraint import RULES, Edge, customary_s, direction, scaled
from .customary import short_memory
from .decision import ideal, margin_of
from .effort import LONG, size
from .evaluations import Evaluations
from .initial_designs import RULE, is_default
from .line_search import LineSearch
from .names import DISPLAY_NAMES, shown
from .search_space import Coordinates
from .study import FamilyStudy

#: Largest share of the runs of a search for the edges.
SOLVING = 0.5
#: Factors by which another parameter is moved along the edge.
FACTORS = (0.5, 2.0)
#: Runs in each trial that a further start of a family may take.
EACH_START = 5
#: Distance from the largest possible objective, in margins, below which a search begins only if a surrogate expects a
#: gain.
NEARLY = 3.0
#: Deficit in points from which a family is moved along its edge only after all others, and not against a rival.
BEHIND = 3.0


@dataclass
class FamilySolver:
    """Solves the families on a bench.

    Attributes:
        bench, evaluations: Where designs are run, and what is known of them.
        trials: Every accepted design is run in all of them.
        runs, until: Limits of the runs and of the clock.
        on_stage: Called with each stage and the best design so far.
        margin: Smallest difference that matters; by default that of the goal.
        starts: Coordinates from which a family is solved first, by discipline.
        rival: A family far behind it is left after its first edge.
        coarse: Whether each end of the ranges has one run on an edge.
        best_by_kind: The best design of each family.
        seen: All designs that were run.
        picked: Designs of the atlas.
        edges: Designs on an edge.
        unseen: Initial designs without runs.
        complete: Whether there was time for every family.
    """

    bench: Bench
    evaluations: Evaluations
    trials: list[PairedTrial]
    runs: float
    until: float | None = None
    on_stage: Callable[[str, Candidate | None], None] = lambda *_: None
    margin: float = 0.0
    starts: Mapping[str, Coordinates] = field(default_factory=dict)
    rival: Candidate | None = None
    coarse: bool = False
    best_by_kind: dict[str, tuple[Candidate, Coordinates]] = field(default_factory=dict)
    seen: dict[str, list[tuple[Candidate, Coordinates]]] = field(default_factory=dict)
    picked: list[Candidate] = field(default_factory=list)
    edges: dict[str, dict[str, Candidate]] = field(default_factory=dict)
    unseen: list[Candidate] = field(default_factory=list)
    complete: bool = False

    def __post_init__(self) -> None:
        self.goal = self.bench.question.goal
        self.delay_s = customary_s(self.goal, self.bench.question.sizing)
        self.margin = self.margin or margin_of(self.goal)
        self.direction = direction(self.goal)
        self.near: dict[str, list[PairedTrial]] = {}

    @property
    def fits(self) -> bool:
        """Whether there is one objective, so that each family has a best scale."""
        return len(self.goal.objectives) == 1

    def go(self) -> list[Candidate]:
        """The best design of each family, where one is known."""
        if not self.fits:
            return []
        order = sorted(self.evaluations.studies.values(), key=lambda study: len(study.family.axes))
        for study in order:
            if self.bench.question.space.get(study.family.kind):
                continue
            what = "largest setting within the bound" if self.direction else "best setting"
            self.on_stage(f"line search, {what}: {study.family.kind}", self.best)
            for start in self._starts(study):
                self._solve(study, start)
        self.complete = self.until is None or self.bench.source.now() < self.until
        for late in (False, True):
            for study in order:
                if (
                    study.family.kind in self.best_by_kind
                    and self._behind(study) == late
                    and not self._far(study)
                ):
                    self._along(study)
        return list(
            {one.key: one for one in [*(one for one, _ in self.best_by_kind.values()), *self.picked]}.values()
        )

    def _starts(self, study: FamilyStudy) -> Iterator[Coordinates]:
        """Coordinates from which a family is solved: the given ones; customary ones and those of a short memory, after
        others only while there are runs and the family is not far behind the rival."""
        sizing, kind = self.bench.question.sizing, study.family.kind
        some = [self.starts.get(kind), scaled(study, sizing, self.delay_s)]
        some.append(short_memory(study.family, sizing, self.delay_s))
        first = True
        for one in some:
            if one is None:
                continue
            late = self.bench.runs + EACH_START * len(self.trials) > self.runs
            if not first and (late or self._far(study)):
                return
            yield one
            first = False

    def rivals(self, known: Sequence[Candidate], ends: Sequence[PairedTrial]) -> list[Candidate]:
        """Initial designs to validate: for each discipline the best rule of thumb or design by formula that holds the
        bounds in the trials at the ``ends`` of the ranges (the first one, if there was no time for trials); then the
        defaults."""
        others = [one for one in [*self.rules(), *known] if not is_default(one)]
        self.bench.run(((one, trial) for one in others for trial in ends), until=self.until)
        seen = [one for one in others if all(self.bench.has(one, trial) for trial in ends)]
        self.unseen = [one for one in others if one not in seen]
        held = [one for one in seen if self.bench.violation(one, ends) == 0]
        held = sorted(held, key=lambda one: self.bench.score(one, ends)) if seen else others
        kinds = dict.fromkeys(one.kind for one in held)
        designs = [next(one for one in held if one.kind == kind) for kind in kinds]
        designs += [one for one in known if is_default(one)]
        return list({one.key: one for one in designs}.values())

    def first_answer(self, ends: Sequence[PairedTrial]) -> None:
        """Runs the pick of the atlas and one rule of thumb for each discipline in the trials at the ``ends`` of the
        ranges, and shows the best of them; where runs are long after each one, those that isolate
        flows first. The rivals of the end are chosen by the runs of the rules, so that they cost nothing."""
        self._pick()
        rules = list({one.kind: one for one in reversed(self.rules())}.values())
        rules.sort(key=lambda one: one.kind_as_loaded not in FAIR)
        seen = [one for one in self.picked if all(self.bench.has(one, trial) for trial in ends)]
        long = size(self.bench.question) >= LONG
        before = self.bench.runs
        for some in ([one] for one in rules) if long else [rules]:
            self.bench.run(((one, trial) for one in some for trial in ends), until=self.until)
            seen += [one for one in some if all(self.bench.has(one, trial) for trial in ends)]
            if seen:
                best = min(seen, key=lambda one: self._score(one, ends))
                self.on_stage("rules of thumb at the ends of the ranges", best)
        self.runs += self.bench.runs - before

    def _pick(self) -> None:
        """Runs the pick of the atlas in all trials, if it has one for the question."""
        for kind, scale in list(starts(self.bench.question).items())[:1]:
            study = self.evaluations.studies[kind]
            at = scaled(study, self.bench.question.sizing, self.delay_s) | {study.family.scale: scale}
            candidate = study.candidate(at)
            if candidate is None or not self.evaluations.usable(candidate):
                return
            if self.bench.run(((candidate, trial) for trial in self.trials), until=self.until):
                study.coordinates.setdefault(candidate.key, at)
                self.seen.setdefault(kind, []).append((candidate, at))
                self.picked.append(candidate)

    def rules(self) -> list[Candidate]:
        """Rules of thumb: settings from the bound or the round trip alone, as the box would load them; where edges are
        ``coarse`` one of each discipline."""
        designs = []
        for study in self.evaluations.studies.values():
            for share in RULES.get(study.family.kind, ())[: 1 if self.coarse else None]:
                coordinates = scaled(study, self.bench.question.sizing, self.delay_s, share)
                candidate = study.target.candidate(
                    "", study.family.kind, study.family.params(coordinates), origin=RULE
                )
                if candidate is not None and self.evaluations.usable(candidate):
                    designs.append(rule_name(candidate))
        return designs

    @property
    def best(self) -> Candidate | None:
        """The best design on an edge so far."""
        some = [one for one, _ in self.best_by_kind.values()]
        return min(some, key=self._score, default=None)

    @property
    def settled(self) -> bool:
        """Whether the best design is within the margin of the largest possible objective."""
        return self._left < self.margin

    @property
    def nearly_settled(self) -> bool:
        """Whether the possible gain is so small that a search begins only if a surrogate expects one."""
        return self._left < NEARLY * self.margin

    @property
    def _left(self) -> float:
        """Points between the best design and the largest possible objective."""
        best, most = self.best, ideal(self.goal)
        if best is None or most is None or self.bench.violation(best, self.trials) > 0:
            return math.inf
        return self._loss(best) - most

    def _loss(self, candidate: Candidate, trials: Sequence[PairedTrial] = ()) -> float:
        return self.bench.together(self.bench.losses(candidate, trials or self.trials))

    def _score(self, candidate: Candidate, trials: Sequence[PairedTrial] = ()) -> tuple[bool, float]:
        return self.bench.violation(candidate, trials or self.trials) > 0, self._loss(candidate, trials)

    def _behind(self, study: FamilyStudy) -> bool:
        best = self.best
        return (
            best is not None
            and self._loss(self.best_by_kind[study.family.kind][0]) - self._loss(best) > BEHIND
        )

    def best_edges(self, kind: str, most: int) -> list[Candidate]:
        """The best designs of a family on an edge, with any other parameters, by the first half of the trials."""
        half = self.trials[: (len(self.trials) + 1) // 2]
        some = [
            one
            for one in self.edges.get(kind, {}).values()
            if all(self.bench.has(one, trial) for trial in half)
        ]
        return sorted(some, key=lambda one: self._score(one, half))[:most]

    def _far(self, study: FamilyStudy) -> bool:
        """Whether a family is so far behind the rival that its other parameters are not moved."""
        if self.rival is None or study.family.kind not in self.best_by_kind:
            return False
        if not self.bench.run(((self.rival, trial) for trial in self.trials), until=self.until):
            return False
        return self._loss(self.best_by_kind[study.family.kind][0]) - self._loss(self.rival) > BEHIND

    def _solve(self, study: FamilyStudy, coordinates: Coordinates) -> bool:
        """Solves a family from some coordinates; returns whether its best design improved by half the margin.

        Once a family was solved, another design is solved in a part of the trials, those closest to the bound among
        them, and run in all if it is better there.
        """
        kind = study.family.kind
        before = self.best_by_kind.get(kind)
        trials = self.trials if before is None else self._part(kind)
        solved, seen = self._solver(study, coordinates, trials)
        self.seen.setdefault(kind, []).extend(seen)
        if solved is not None:
            self.edges.setdefault(kind, {})[solved[0].key] = solved[0]
        better = solved is not None and (
            before is None or self._score(solved[0], trials) < self._score(before[0], trials)
        )
        if solved is not None and better:
            better = self.bench.run(((solved[0], trial) for trial in self.trials), until=self.until)
        for one, at in seen:
            study.coordinates.setdefault(one.key, at)
            for trial in self.trials:
                self.evaluations.observe(one, trial)
        if solved is None or not better:
            return False
        if before is None or self._score(solved[0]) < self._score(before[0]):
            gained = before is None or self._loss(before[0]) - self._loss(solved[0]) > self.margin / 2
            self.best_by_kind[kind] = solved
            return gained
        return False

    def _solver(
        self, study: FamilyStudy, coordinates: Coordinates, trials: list[PairedTrial]
    ) -> tuple[tuple[Candidate, Coordinates] | None, list[tuple[Candidate, Coordinates]]]:
        """The best design over the scale in some trials, and all that were evaluated."""
        kind = study.family.kind
        if self.direction:
            # The delay of tail drop is all but proportional to its limit, so that few steps suffice.
            near, coarse = self.near.get(kind, []), self.coarse and kind != "droptail"
            edge = Edge(self.bench, study, trials, self.until, near=near, coarse=coarse)
            solved = edge.solve(coordinates)
            self.near[kind] = edge.near
            return solved, edge.seen
        again = kind in self.best_by_kind
        share = (self.runs - self.bench.runs) / max(1, len(self.evaluations.studies) - len(self.best_by_kind))
        most = self.runs if again else self.bench.runs + max(share, 2 * len(trials))
        line = LineSearch(self.bench, study, trials, trials[: (len(trials) + 1) // 2], self.until, most)
        solved = line.solve(coordinates, wide=not again)
        if solved is not None and not all(self.bench.has(solved[0], trial) for trial in trials):
            solved = None
        return solved, line.seen

    def _part(self, kind: str) -> list[PairedTrial]:
        """The first half of the trials and those closest to the bound."""
        some = {*self.trials[: (len(self.trials) + 1) // 2], *self.near.get(kind, [])}
        return [trial for trial in self.trials if trial in some]

    def _along(self, study: FamilyStudy) -> None:
        """Moves the other parameters, one after the other, while that improves the loss and runs are left."""
        family = study.family
        for name, axis in family.axes.items():
            if name == family.scale:
                continue
            for factor in FACTORS:
                while not self.settled and self.bench.runs < self.runs:
                    _, coordinates = self.best_by_kind[family.kind]
                    value = axis.rounded(coordinates[name] * factor)
                    if not axis.low <= value <= axis.high:
                        break
                    self.on_stage(f"improving {family.kind}: {name}", self.best)
                    if not self._solve(study, {**coordinates, name: value}):
                        break


def rule_name(candidate: Candidate) -> Candidate:
    """A rule of thumb with a name by its main parameter: ``CoDel, target 14 ms``."""
    params = candidate.params_as_loaded
    main = next(
        (name for name in ("target", "min_th", "limit") if params.get(name) not in (None, "auto")), None
    )
    kind = DISPLAY_NAMES.get(candidate.kind, candidate.kind)
    return replace(candidate, name=kind if main is None else f"{kind}, {main} {shown(params[main])}")
