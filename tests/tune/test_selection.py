"""The designs that are validated, chosen from the runs of a search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import goal as goals
from dropcurve.tuning import of_link
from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.outcome import SearchOutcome
from dropcurve.tuning.selection import affordable_of, chosen_of

GOAL = "p95 delay < 15ms, max utilisation"


class Tail(Bench):
    """A queue at 10 Mbit/s that is always full, and utilisation that rises with the limit. ``unseen`` were not run yet;
    ``newly_run`` are those of them that were run."""

    def __init__(self, *unseen: int) -> None:
        super().__init__(  # type: ignore[arg-type]
            of_link(rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="200pkts", goal=GOAL), None, None
        )
        self.scales, self.unseen, self.newly_run = [1.0], {f"{limit} B" for limit in unseen}, set[str]()
        self.margin = 0.0

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        ran = {one.params["limit"] for one, _ in pairs}
        self.newly_run |= ran & self.unseen
        self.unseen -= ran
        return True

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return candidate.params["limit"] not in self.unseen

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        limit = float(candidate.params["limit"].split()[0])
        return {"sojourn_ms_p95": limit * 8.0 / 10e6 * 1e3, "utilisation": 90.0 + limit / 1e4}


def design(limit: int, origin: str = "rule", *, kind: str = "codel") -> Candidate:
    return Candidate(f"{kind} {limit}", kind, {"limit": f"{limit} B"}, origin)


def chosen(bench: Bench, *more: Candidate, few: bool) -> list[int]:
    """The limits of the designs to validate."""
    known = [design(300_000, "no AQM"), design(15_000), design(3000), design(60_000), design(2000), *more]
    first = block(bench.question.conditions(), 1)
    outcome = SearchOutcome(
        [design(18_700, "search", kind="droptail")], first, [], known, first, [], {}, {}, {}, {}
    )
    selected, size = chosen_of(outcome, bench, few=few)
    assert size == 1
    return [int(one.params["limit"].split()[0]) for one in selected]


def test_all_rivals_are_validated_where_runs_are_short() -> None:
    bench = Tail(2000)
    assert chosen(bench, few=False)[0] == 18_700
    assert sorted(chosen(bench, few=False)) == [2000, 3000, 15_000, 18_700, 60_000, 300_000]
    assert not bench.newly_run


def test_where_runs_are_few_rivals_that_are_clearly_behind_are_compared_at_the_ends() -> None:
    # 3000 B is 1.6 points behind and 60 000 B breaks the bound; 2000 B is run at the ends, which show the same.
    bench = Tail(2000)
    assert sorted(chosen(bench, few=True)) == [15_000, 18_700, 300_000]
    assert bench.newly_run == {"2000 B"}
    # The buffer is validated in any case, so that the ends need no run of it.
    bench = Tail(300_000)
    assert 300_000 in chosen(bench, few=True) and not bench.newly_run


def test_where_runs_are_few_a_rule_is_validated_if_it_is_ahead_of_its_own_discipline() -> None:
    behind, ahead = design(18_600, kind="droptail"), design(18_740, kind="droptail")
    assert sorted(chosen(Tail(), behind, ahead, few=True)) == [15_000, 18_700, 18_740, 300_000]


def test_where_time_is_short_the_defaults_of_fair_queues_are_compared_in_a_score() -> None:
    """Whatever is best so far and however few are compared; a goal of one measure has other essential rivals."""
    best = design(18_700, "search", kind="droptail")
    fair = Candidate("FQ-CoDel, defaults", "fq_codel", {"limit": "18600 B"}, "RFC8290")
    rivals = [design(limit, "search") for limit in range(18_601, 18_621)]
    for goal, there in (("max utilisation - 0.1 * p95 delay", True), (GOAL, False)):
        bench = Tail()
        bench.question = replace(bench.question, goal=goals.parse(goal))
        first = block(bench.question.conditions(), 1)
        kept, _ = affordable_of(bench, [best, *rivals, fair], 1, 4, first, None)
        assert (fair in kept) is there and len(kept) == 4


def test_where_time_is_short_the_defaults_of_the_best_ones_discipline_are_compared_first() -> None:
    bench = Tail()
    best = design(18_700, "search", kind="droptail")
    rivals = [
        design(18_690, "default"),
        design(18_695, kind="droptail"),
        design(18_680, "default", kind="droptail"),
    ]
    ends = block(bench.question.conditions(), 1)
    kept, left = affordable_of(bench, [best, *rivals], 1, 2, ends, None)
    assert kept == [best, rivals[2]] and left == [rivals[0], rivals[1]]
    assert affordable_of(bench, [best, *rivals], 1, 4, ends, None) == ([best, *rivals], [])
