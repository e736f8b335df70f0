"""The designs that are validated, chosen from the runs of a search."""

from __future__ import annotations

from collections.abc import Iterable

from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import of_link
from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.outcome import SearchOutcome
from dropcurve.tuning.selection import chosen_of

GOAL = "p95 delay < 15ms, max utilisation"


class Tail(Bench):
    """Tail drop at 10 Mbit/s: a full queue, and utilisation that rises with the limit. ``unseen`` were not run."""

    def __init__(self, *unseen: int) -> None:
        super().__init__(  # type: ignore[arg-type]
            of_link(rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="200pkts", goal=GOAL), None, None
        )
        self.scales, self.unseen = [1.0], {f"{limit} B" for limit in unseen}

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        raise AssertionError("the choice makes no run")

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return candidate.params["limit"] not in self.unseen

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        limit = float(candidate.params["limit"].split()[0])
        return {"sojourn_ms_p95": limit * 8.0 / 10e6 * 1e3, "utilisation": 90.0 + limit / 1e4}


def design(limit: int, origin: str = "rule") -> Candidate:
    return Candidate(f"tail drop {limit}", "droptail", {"limit": f"{limit} B"}, origin)


def chosen(bench: Bench, *, few: bool) -> list[int]:
    """The limits of the designs to validate."""
    known = [design(300_000, "no AQM"), design(15_000), design(3000), design(60_000), design(2000)]
    first = block(bench.question.conditions(), 1)
    outcome = SearchOutcome([design(18_700, "search")], first, [], known, first, [], {}, {}, {}, {})
    found, size = chosen_of(outcome, bench, few=few)
    assert size == 1
    return [int(one.params["limit"].split()[0]) for one in found]


def test_all_rivals_are_validated_where_runs_are_short() -> None:
    assert chosen(Tail(), few=False)[0] == 18_700
    assert sorted(chosen(Tail(), few=False)) == [2000, 3000, 15_000, 18_700, 60_000, 300_000]


def test_where_runs_are_few_rivals_that_are_clearly_behind_are_compared_by_the_search() -> None:
    # 3000 B is 1.6 points behind and 60 000 B breaks the bound; 2000 B was never run, so that nothing is known of it.
    assert sorted(chosen(Tail(2000), few=True)) == [2000, 15_000, 18_700, 300_000]
    assert sorted(chosen(Tail(), few=True)) == [15_000, 18_700, 300_000]
