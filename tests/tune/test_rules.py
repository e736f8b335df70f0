"""The rules of an answer on results drawn at random, without a simulation: what goes first, and what never wins."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropcurve.metrics import statistics
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import of_link, validation_lines
from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.decision import (
    HOLDS,
    DecisionRow,
    common_means,
    complexity,
    parameters_to_set,
    recommended,
    standing,
)
from dropcurve.tuning.effort import Budget, Clock
from dropcurve.tuning.families import family
from dropcurve.tuning.outcome import SearchOutcome
from dropcurve.tuning.search_space import Coordinates, Family
from dropcurve.tuning.stages import Stages
from dropcurve.tuning.validation import Validation
from dropcurve.verdict.equivalence import slightly

MARGIN = 0.2
#: Disciplines whose settings do not tie by isolating flows.
KINDS = ("droptail", "codel", "pie", "red", "choke", "ared", "cobalt")


@st.composite
def rows(draw: st.DrawFn) -> list[DecisionRow]:
    """Two to seven designs with losses of three to eight replications, equal or different, noisy or not."""
    count, size = draw(st.integers(2, 7)), draw(st.integers(3, 8))
    seed = draw(st.integers(0, 2**16))
    drawn = []
    for number in range(count):
        level = -100.0 + draw(st.sampled_from([0.0, 0.01, 0.1, 0.19, 0.21, 0.5, 3.0]))
        scatter = draw(st.sampled_from([0.0, 0.01, 0.1, 1.0]))
        noise = np.random.default_rng([seed, number]).normal(size=size)
        kind = draw(st.sampled_from(KINDS))
        origin = draw(st.sampled_from(["search", "rule", "RFC"]))
        drawn.append(
            DecisionRow(
                Candidate(f"{kind} {number}", kind, {"limit": f"{number + 10} pkts"}, origin),
                tuple(level + scatter * float(one) for one in noise),
                draw(st.sampled_from([0.0, 0.02, 0.05, 0.06, 0.5, 1.0])),
                draw(st.sampled_from([0.0, 0.1, 1.0])),
                draw(st.sampled_from([None, 0, 2])),
                refused=draw(st.booleans()) and draw(st.booleans()),
            )
        )
    return drawn


def mean(row: DecisionRow) -> float:
    return statistics.mean(row.losses)


def worth(row: DecisionRow, best: DecisionRow) -> float:
    """The deficit that ties with the best: the margin for each parameter less to set."""
    return MARGIN * (parameters_to_set(best.candidate) - parameters_to_set(row.candidate))


def ties(row: DecisionRow, best: DecisionRow) -> bool:
    """Whether a design is the best, equal to it, or not shown to be worse and behind by what its fewer parameters are
    worth."""
    stands, pair = standing(row, best, MARGIN)
    if row is best or stands == "equal":
        return True
    behind = mean(row) - mean(best)
    shown = stands == "worse" or pair is None or pair.half_width is None or behind > pair.half_width
    return not shown and worth(row, best) > 0 and behind <= min(worth(row, best), slightly(MARGIN))


@given(rows())
@settings(max_examples=300, deadline=None)
def test_a_feasible_design_goes_before_an_infeasible_one(some: list[DecisionRow]) -> None:
    chosen = recommended(some, MARGIN)
    able = [row for row in some if row.broken <= 1.0 - HOLDS + 1e-9 and not row.refused]
    if able:
        assert chosen in able
    else:
        assert chosen.broken == min(row.broken for row in some)


@given(rows())
@settings(max_examples=300, deadline=None)
def test_no_feasible_design_is_better_than_the_recommendation_beyond_the_margin(
    some: list[DecisionRow],
) -> None:
    chosen = recommended(some, MARGIN)
    if not chosen.feasible:
        return
    able = [row for row in some if row.feasible]
    best = min(able, key=mean)
    assert mean(chosen) <= mean(best) + max(MARGIN, worth(chosen, best)) + 1e-9
    assert all(standing(row, chosen, MARGIN)[0] != "better" for row in able)


@st.composite
def cut_rows(draw: st.DrawFn) -> list[DecisionRow]:
    """Rows whose losses vary with the seeds of a replication much more than with the design, some cut early."""
    seed, count = draw(st.integers(0, 2**32 - 1)), draw(st.integers(2, 7))
    luck = np.random.default_rng(seed).normal(scale=20.0, size=40)
    drawn = []
    for number in range(count):
        noise = np.random.default_rng([seed, number]).normal(
            scale=draw(st.sampled_from([0.0, 0.1, 3.0])), size=40
        )
        kind = draw(st.sampled_from(["fq_codel", "fq_pie", "droptail", "pie"]))
        level, size = draw(st.sampled_from([0.0, 0.5, 3.0, 6.0])), draw(st.sampled_from([3, 6, 20, 40]))
        losses = tuple(level + float(one) + float(own) for one, own in zip(luck, noise, strict=True))
        design = Candidate(f"{kind} {number}", kind, {"limit": f"{number + 10} pkts"}, "search")
        drawn.append(DecisionRow(design, losses[:size], 0.0, 0.0))
    return drawn


@given(cut_rows(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_no_design_is_better_than_the_recommendation_however_few_replications_some_have(
    some: list[DecisionRow], weighed: bool
) -> None:
    chosen = recommended(some, MARGIN, weighed=weighed)
    lowest = min(common_means(some).values())
    leader = next(row for row in some if common_means(some)[id(row)] == lowest)
    if chosen is not leader:
        assert all(
            standing(row, chosen, MARGIN)[0] != "better"
            for row in some
            if common_means(some)[id(row)] < common_means(some)[id(chosen)]
        )


def test_a_rival_with_a_few_good_seeds_is_not_the_leader() -> None:
    """Both have the same losses in the replications they share; ``near`` is better by 5 over all of them."""
    luck = [-20.0] * 6 + [10.0, 30.0] * 10
    defaults, near = (Candidate(name, "fq_codel", {"target": name}, "search") for name in ("5 ms", "8 ms"))
    brief = Candidate("early", "fq_codel", {"target": "9 ms"}, "search")
    some = [
        DecisionRow(defaults, tuple(luck), 0.0, 0.0),
        DecisionRow(near, tuple(luck[:6] + [one - 6.5 for one in luck[6:]]), 0.0, 0.0),
        DecisionRow(brief, tuple(luck[:6]), 0.0, 0.0),
    ]
    assert recommended(some, MARGIN, weighed=True).candidate is near
    assert common_means(some)[id(some[2])] == pytest.approx(mean(some[1]))


@given(rows())
@settings(max_examples=300, deadline=None)
def test_a_tie_goes_to_the_simpler_design_then_to_the_one_that_breaks_a_bound_less(
    some: list[DecisionRow],
) -> None:
    chosen = recommended(some, MARGIN)
    able = [row for row in some if row.feasible]
    if not able:
        return
    best = min(able, key=mean)
    tied = [row for row in able if ties(row, best)]
    assert chosen in tied
    open_ = [row for row in tied if not any(standing(one, row, MARGIN)[0] == "better" for one in able)]
    mine = complexity(chosen.candidate), chosen.broken
    assert all(mine <= (complexity(row.candidate), row.broken) for row in open_)


@given(rows(), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_order_of_the_designs_does_not_matter(some: list[DecisionRow], rng: object) -> None:
    mixed = list(some)
    rng.shuffle(mixed)  # type: ignore[attr-defined]
    one, other = recommended(some, MARGIN), recommended(mixed, MARGIN)
    assert one.feasible == other.feasible
    if one.feasible:
        keys = [(complexity(row.candidate), row.broken) for row in (one, other)]
        assert keys[0] == keys[1]


@given(rows(), st.floats(0.5, 3.0))
@settings(max_examples=200, deadline=None)
def test_an_infeasible_design_changes_nothing_however_good_it_is(
    some: list[DecisionRow], gain: float
) -> None:
    before = recommended(some, MARGIN)
    if not before.feasible:
        return
    lure = DecisionRow(
        Candidate("lure", "droptail", {"limit": "9 pkts"}, "search"), tuple(one - gain for one in before.losses), 0.06,
        0.0, 0,
    )  # fmt: skip
    assert recommended([lure, *some], MARGIN) is before
    assert recommended([replace(lure, broken=0.0, refused=True), *some], MARGIN) is before


class Smooth(Bench):
    """A link whose runs follow from the setting: the delay rises with the scale of a family, utilisation rises with
    it towards 100 % and falls with the distance of the other parameters from their ``optimum``."""

    def __init__(self, space: Family, optimum: Coordinates, level: float, slope: float, noise: float) -> None:
        goal = "p95 delay < 20ms, max utilisation"
        super().__init__(  # type: ignore[arg-type]
            of_link(rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="300pkts", goal=goal), None, None
        )
        self.space, self.optimum, self.level, self.slope, self.noise = space, optimum, level, slope, noise
        self.scales = [1.0]

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        self.runs += sum(1 for _ in pairs)
        return True

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return True

    def usable(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return True

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        at = self.space.coordinates_of(candidate.params)
        assert at is not None
        luck = float(np.random.default_rng(trial.seed).normal())
        off = sum(math.log(at[name] / best) ** 2 for name, best in self.optimum.items())
        delay_ms = 20.0 * self.level * at[self.space.scale] * (1.0 + 0.02 * self.noise * luck)
        used = 100.0 - self.slope * math.exp(-delay_ms / 8.0) - 0.5 * off + self.noise * luck
        return {"sojourn_ms_p95": delay_ms, "utilisation": used}


@st.composite
def links(draw: st.DrawFn) -> tuple[Smooth, Candidate, Coordinates]:
    """A link with a family, and a setting that holds the bound somewhere below it."""
    goal = "p95 delay < 20ms, max utilisation"
    sizing = of_link(rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="300pkts", goal=goal).sizing
    space = family(draw(st.sampled_from(["droptail", "codel", "pie", "red"])), sizing)
    others = {name: axis for name, axis in space.axes.items() if name != space.scale}

    def inside(share: float, low: float, high: float) -> float:
        return math.exp(math.log(low) + share * math.log(high / low))

    share = st.floats(0.1, 0.9)
    optimum = {name: inside(draw(share), axis.low, axis.high) for name, axis in others.items()}
    axis = space.axes[space.scale]
    edge = inside(draw(st.floats(0.4, 0.8)), axis.low, axis.high)
    start = {name: axis.rounded(min(max(value * draw(st.sampled_from([0.5, 1.0, 1.5])), others[name].low),
             others[name].high)) for name, value in optimum.items()}  # fmt: skip
    start[space.scale] = max(axis.rounded(edge * draw(st.floats(0.5, 0.95))), axis.low)
    noise = draw(st.sampled_from([0.0, 0.05]))
    bench = Smooth(space, optimum, 1.0 / edge, draw(st.sampled_from([2.0, 20.0])), noise)
    return bench, Candidate("start", space.kind, space.params(start), "search"), start


def stepped(bench: Smooth, start: Candidate, at: Mapping[str, float]) -> tuple[Stages, Validation]:
    """The steps to neighbours from a design that was validated."""
    budget = Budget(1500, replications=4, fresh=4)
    stages = Stages(bench, budget, Clock(), 1, Path(), lambda *_: None, lambda _: None)
    validation = Validation(bench, budget, 1, MARGIN)
    validation.run([start])
    trials = block(bench.question.conditions(), 1)
    fresh = [
        PairedTrial.of(place, one, 700 + place)
        for place, one in enumerate(bench.question.fresh(12, seed=700))
    ]
    kind = bench.space.kind
    outcome = SearchOutcome(
        [start], fresh, [start], [], trials, [], {kind: bench.space}, {start.key: dict(at)}, {}, {}
    )
    stages._step_to_neighbours(validation, outcome)
    return stages, validation


@given(links())
@settings(max_examples=12, deadline=None)
def test_no_neighbour_of_the_sensitivity_table_beats_the_answer_beyond_the_margin(
    link: tuple[Smooth, Candidate, Coordinates],
) -> None:
    bench, start, at = link
    stages, validation = stepped(bench, start, at)
    best = validation.decide()
    assert validation_lines.lines(validation)[0].holds and stages.moved
    for moved in stages.moved:
        centre = next(off for off in moved.off if off.factor == 1.0)
        assert centre.candidate is not None and centre.candidate.key == best.key
        for off in moved.off:
            if off.holds:
                assert off.objectives[0] - centre.objectives[0] <= MARGIN + 1e-6


@given(links())
@settings(max_examples=8, deadline=None)
def test_steps_to_neighbours_never_lead_to_a_worse_design(
    link: tuple[Smooth, Candidate, Coordinates],
) -> None:
    bench, start, at = link
    _, validation = stepped(bench, start, at)
    lines = {line.candidate.key: line for line in validation_lines.lines(validation)}
    best = validation_lines.lines(validation)[0]
    assert (best.objectives[0].mean or 0.0) >= (lines[start.key].objectives[0].mean or 0.0) - MARGIN
    assert all(one.standing != "better" for one in lines.values())
