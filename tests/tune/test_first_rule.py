"""The first design on the screen where runs are long."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from dropcurve.cli.tuned import Watch
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import of_link
from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.evaluations import Evaluations
from dropcurve.tuning.families import family
from dropcurve.tuning.first_rule import first_rule
from dropcurve.tuning.solving import FamilySolver
from dropcurve.tuning.study import FamilyStudy

GOAL = "p95 delay < 2ms, max utilisation"


class Always(Bench):
    """A bench on which every run has the same delay; ``late`` where there is no time for one."""

    def __init__(
        self, delay_ms: float, rate: str = "10Gbit", *, goal: str = GOAL, late: bool = False, queue: str = ""
    ) -> None:
        question = of_link(
            rate=rate, rtt="5-40ms", flows="20-100", buffer="10000pkts", goal=goal,
            candidates=[queue] if queue else [],
        )  # fmt: skip
        super().__init__(question, None, None)  # type: ignore[arg-type]
        self.delay_ms, self.late, self.asked = delay_ms, late, list[tuple[str, PairedTrial]]()

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        self.asked += [(one.queue, trial) for one, trial in pairs]
        return not self.late

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return (candidate.queue, trial) in self.asked

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        return {"sojourn_ms_p95": self.delay_ms, "utilisation": 90.0}


def test_tail_drop_below_the_bound_is_the_first_design_of_a_fast_link() -> None:
    bench = Always(1.9)
    design = first_rule(bench, 1, None)
    # 10 Gbit/s for 0.95 * 2 ms are 2.375 MB, in three digits 2.38 MB.
    assert design is not None and design.queue == "droptail:limit=2380000 B"
    assert [queue for queue, _ in bench.asked] == ["droptail:limit=2380000 B"] * 2
    # The runs are those of the search: the ends of the ranges under the seed of the answer.
    ends = [dict(trial.condition) for _, trial in bench.asked]
    assert {(one["rtt"], one["flows"]) for one in ends} == {(0.04, 20.0), (0.005, 100.0)}


def test_there_is_none_where_it_would_not_be_sound_or_not_be_sooner() -> None:
    assert first_rule(Always(2.1), 1, None) is None
    assert first_rule(Always(1.9, late=True), 1, None) is None
    for bench in (Always(1.9, "10Mbit"), Always(1.9, goal="max utilisation"), Always(1.9, queue="codel")):
        assert first_rule(bench, 1, None) is None and not bench.asked


@pytest.mark.parametrize(("rate", "goal"), [("10Gbit", "balanced"), ("10Mbit", "balanced"), ("10Gbit", GOAL)])
def test_where_runs_are_long_each_rule_of_thumb_is_shown_as_soon_as_it_was_run(rate: str, goal: str) -> None:
    bench = Always(1.9, rate, goal=goal)
    bench.scales = [1.0]
    question = bench.question
    studies = {
        kind: FamilyStudy(family(kind, question.sizing), question.target, 1, 1)
        for kind in question.candidates
    }
    trials = block(question.conditions(2), 1)
    evaluations = Evaluations(bench, question.target, trials, len(trials), studies)
    shown = list[tuple[str, int]]()

    def on_stage(stage: str, best: Candidate | None) -> None:
        assert best is not None and stage == "rules of thumb at the ends of the ranges"
        shown.append((best.kind, len(bench.asked)))

    solving = FamilySolver(bench, evaluations, trials, 1000.0, on_stage=on_stage)
    solving.first_answer(trials)
    kinds = len(question.candidates)
    if rate == "10Mbit":
        runs = (kinds + len(solving.picked)) * len(trials)
        assert [made for _, made in shown] == [runs], "one batch keeps every core busy"
    else:
        assert [runs for _, runs in shown] == [len(trials) * (n + 1) for n in range(kinds)]
        assert shown[0][0] == "fq_codel"


def test_the_best_design_stays_on_the_screen_until_there_is_a_better_one() -> None:
    watch = Watch(quiet=True, seconds=None)
    watch.on_stage("first", Candidate("one", "droptail", {"limit": "9 pkts"}), "utilisation 90 %")
    watch.on_stage("second", None)
    assert watch.step == "second" and "limit 9 pkts" in watch.best and "90 %" in watch.best
