"""CoDel's target as a share of its interval."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest

from dropcurve.quantities import units
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import of_link
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.challengers import SAFER, Challengers
from dropcurve.tuning.families import family
from dropcurve.tuning.interval_share import SHARES, alike, beyond, family_at, share_of
from dropcurve.tuning.search_space import Sizing

SIZING = Sizing(capacity=2000.0, buffer_pkts=600.0, rtt_s=0.08)


def design(kind: str, **params: str) -> Candidate:
    return Candidate("", kind, dict(params), "search")


def test_the_share_of_a_design_and_the_usual_shares_that_it_exceeds() -> None:
    assert share_of(design("codel")) == pytest.approx(0.05)
    assert share_of(design("fq_codel", target="20 ms")) == pytest.approx(0.2)
    assert share_of(design("pie", target="20 ms")) is None
    some = [
        ("5 ms", "100 ms"),
        ("10.1 ms", "100 ms"),
        ("15 ms", "100 ms"),
        ("20 ms", "100 ms"),
        ("79.7 ms", "80 ms"),
    ]
    assert [beyond(design("cobalt", target=one, interval=two)) for one, two in some] == [0, 0, 1, 1, 2]
    assert beyond(design("droptail", limit="9 pkts")) == 0


@pytest.mark.parametrize("share", SHARES)
def test_a_family_of_one_share_keeps_it_over_its_whole_range(share: float) -> None:
    space = family_at("fq_codel", SIZING, share)
    for target in (space.axes["target"].low, 0.011, space.axes["target"].high):
        params = space.params({"target": target})
        assert share_of(Candidate("", "fq_codel", params, "search")) == pytest.approx(share, rel=0.02)
    whole = family("fq_codel", SIZING)
    assert set(space.params({"target": 0.01})) == set(whole.params({"target": 0.01, "interval": 0.1}))


def test_a_setting_that_acts_alike_has_the_same_geometric_mean() -> None:
    at = alike({"target": 0.04, "interval": 0.08}, 0.1)["target"]
    assert at * (at / 0.1) == pytest.approx(0.04 * 0.08) and math.isclose(at, 0.0179, rel_tol=0.01)


GOAL = "max utilisation - 0.1 * p95 delay"


class Ridge(Bench):
    """A bench on which the product of target and interval alone decides, best at 64 ms times 40 ms."""

    def __init__(self, space: dict[str, dict[str, str]] | None = None, goal: str = GOAL) -> None:
        question = of_link(rate="24Mbit", rtt="80ms", flows="4", buffer="600pkts", goal=goal, space=space)
        super().__init__(question, None, None)  # type: ignore[arg-type]
        self.scales = [1.0]

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        self.runs += len(list(pairs))
        return True

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return True

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        target, interval = (units.span(str(candidate.params[name])) for name in ("target", "interval"))
        off = math.log(target * interval / (0.064 * 0.04))
        return {"utilisation": 95.0 - 4.0 * off * off, "sojourn_ms_p95": 20.0}


def test_the_best_setting_of_each_usual_share_is_a_challenger() -> None:
    bench = Ridge()
    trials = [PairedTrial.of(0, bench.question.conditions()[0], seed) for seed in range(4)]
    challengers = Challengers(bench, trials, trials, 1, 0.2)
    at = {"target": 0.06, "interval": 0.06}
    best = Candidate("", "fq_codel", family("fq_codel", bench.question.sizing).params(at), "search")
    found = [one for some in challengers.of_usual_shares(best, at) for one in some]
    assert [share_of(one) for one in found] == pytest.approx(list(SHARES), rel=0.02)
    for one in found:
        target, interval = (units.span(str(one.params[name])) for name in ("target", "interval"))
        assert target * interval == pytest.approx(0.064 * 0.04, rel=0.15), (
            "moved to the best scale of its share"
        )
    usual = {"target": 0.005, "interval": 0.1}
    near = Candidate("", "fq_codel", family("fq_codel", bench.question.sizing).params(usual), "search")
    assert list(challengers.of_usual_shares(near, usual)) == []


def test_ranges_that_were_asked_for_are_not_left() -> None:
    bench = Ridge({"fq_codel": {"target": "10..90 log"}})
    trials = [PairedTrial.of(0, bench.question.conditions()[0], 1)]
    best = design("fq_codel", target="60 ms", interval="60 ms")
    assert (
        list(
            Challengers(bench, trials, trials, 1, 0.2).of_usual_shares(
                best, {"target": 0.06, "interval": 0.06}
            )
        )
        == []
    )


def test_under_a_bound_settings_of_a_safer_scale_follow() -> None:
    bench = Ridge(goal="p95 delay < 25ms, max utilisation")
    trials = [PairedTrial.of(0, bench.question.conditions()[0], seed) for seed in range(4)]
    at = {"target": 0.06, "interval": 0.06}
    best = Candidate("", "fq_codel", family("fq_codel", bench.question.sizing).params(at), "search")
    for share, some in zip(
        SHARES, Challengers(bench, trials, trials, 1, 0.2).of_usual_shares(best, at), strict=True
    ):
        assert [share_of(one) for one in some] == pytest.approx([share] * 4, rel=0.02)
        targets = [units.span(str(one.params["target"])) for one in some]
        assert [one / targets[0] for one in targets] == pytest.approx([1.0, *SAFER], rel=0.01)
