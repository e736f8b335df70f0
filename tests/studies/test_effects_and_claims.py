"""Effects and verdicts, worked by hand."""

from __future__ import annotations

import math

import pytest

from dropcurve import studies as st
from dropcurve.metrics import statistics
from dropcurve.studies.claims import Judgement


def cells(**numbers: list[float]) -> st.Cells:
    """Cells with one number, ``x``."""
    return st.Cells({name: st.StudyCell(None, {"x": tuple(values)}) for name, values in numbers.items()})  # type: ignore[arg-type]


def test_a_mean_has_students_interval() -> None:
    one = st.mean([1.0, 2.0, 3.0])
    assert one.value == 2.0
    # Deviation 1, t(0.95, 2) = 4.3027.
    assert one.half_width(0.95) == pytest.approx(4.3027 / math.sqrt(3), rel=1e-4)
    assert st.mean([1.0]).half_width(0.95) == math.inf


def test_a_difference_of_what_moves_together_is_sharp() -> None:
    one, other = st.mean([1.0, 5.0, 9.0]), st.mean([2.0, 6.0, 10.0])
    assert (other - one).value == pytest.approx(1.0)
    assert (other - one).half_width(0.95) == pytest.approx(0.0, abs=1e-6)


def test_a_ratio_follows_the_delta_method() -> None:
    a, b = [2.0, 4.0, 6.0], [1.0, 2.0, 5.0]
    ratio = st.mean(a) / st.mean(b)
    assert ratio.value == pytest.approx(12 / 8)
    # r + (a - r b) / mean b.
    wanted = [1.5 + (x - 1.5 * y) / (8 / 3) for x, y in zip(a, b, strict=True)]
    assert ratio.parts == pytest.approx(wanted, rel=1e-6)
    assert st.gain(st.mean(a), st.mean(b)).value == pytest.approx(50.0)


def test_a_ratio_covers_the_truth_as_often_as_it_says() -> None:
    import numpy as np

    random = np.random.default_rng(7)
    hits, trials = 0, 2000
    for _ in range(trials):
        b = random.normal(10, 2, 12)
        effect = st.mean((3 * b + random.normal(0, 3, 12)).tolist()) / st.mean(b.tolist())
        hits += abs(effect.value - 3) <= effect.half_width(0.95)
    assert 0.93 <= hits / trials <= 0.97


def test_effects_of_unequal_length_share_their_first_replications() -> None:
    one = st.mean([1.0, 2.0]) - st.mean([1.0, 1.0, 99.0])
    assert (one.value, one.n) == (pytest.approx(0.5), 2)


def test_a_division_by_zero_decides_nothing() -> None:
    claim = st.TestedClaim("Z", "", "", (st.Test("", lambda c: st.gain(c["a"]["x"], c["b"]["x"]), above=0),))
    finding = judge(claim, cells(a=[1.0, 1.0], b=[0.0, 0.0]))
    assert finding.verdict == st.OPEN
    assert finding.parts[0].estimate == "no value"


@pytest.mark.parametrize(
    ("values", "above", "below", "verdict"),
    [
        ([9.9, 10.0, 10.1], 9.0, None, st.HOLDS),
        ([9.9, 10.0, 10.1], 11.0, None, st.FAILS),
        ([9.0, 10.0, 11.0], 9.5, None, st.OPEN),
        ([9.9, 10.0, 10.1], None, 11.0, st.HOLDS),
        ([9.9, 10.0, 10.1], 9.0, 11.0, st.HOLDS),
        ([9.9, 10.0, 10.1], 10.5, 12.0, st.FAILS),
        ([7.0, 10.0, 13.0], 9.0, 11.0, st.OPEN),
        ([10.0], 9.0, None, st.OPEN),
    ],
)
def test_a_verdict_follows_the_interval(
    values: list[float], above: float, below: float, verdict: str
) -> None:
    claim = st.TestedClaim("A", "", "", (st.Test("", lambda c: c["a"]["x"], above=above, below=below),))
    assert judge(claim, cells(a=values)).verdict == verdict


def test_a_claim_needs_all_its_tests() -> None:
    def claim(*bounds: float) -> st.TestedClaim:
        return st.TestedClaim(
            "A", "", "", tuple(st.Test("", lambda c: c["a"]["x"], above=bound) for bound in bounds)
        )

    measured = cells(a=[9.9, 10.0, 10.1, 10.0])
    assert judge(claim(9, 8), measured).verdict == st.HOLDS
    assert judge(claim(9, 11), measured).verdict == st.FAILS
    assert judge(claim(9, 10), measured).verdict == st.OPEN


def test_more_tests_widen_the_intervals() -> None:
    test = st.Test("", lambda c: c["a"]["x"], above=0)
    measured = cells(a=[9.0, 10.0, 11.0])
    one, five = (
        judge(st.TestedClaim("A", "", "", (test,) * k), measured).parts[0].half_width for k in (1, 5)
    )
    ratio = statistics.t_quantile(0.99, 2) / statistics.t_quantile(0.95, 2)
    assert five / one == pytest.approx(ratio)


def test_a_claim_about_a_cell_that_is_not_there_is_not_asked() -> None:
    claim = st.TestedClaim("A", "", "", (st.Test("", lambda c: c["none"]["x"], above=0),))
    assert judge(claim, cells(a=[1.0])).verdict == "not asked"


def test_looks_at_an_open_claim_leave_few_wrong_verdicts() -> None:
    """Cells that grow until the claim is decided, the truth at the very margin: either verdict is wrong."""
    import numpy as np

    random = np.random.default_rng(11)
    claim = st.TestedClaim("A", "", "", (st.Test("", st.at("a", "x"), above=1.0),))
    decided, trials = 0, 400
    for _ in range(trials):
        values = random.normal(1.0, 0.5, 240).tolist()
        judgement, n = Judgement([claim], most=240), 10
        while wanted := judgement.ask(cells(a=values[:n])):
            assert n < wanted["a"] <= 240
            n = wanted["a"]
        assert n == 240 or judgement.findings["A"].verdict != st.OPEN
        decided += judgement.findings["A"].verdict != st.OPEN
    # 5 % and three standard errors of 400 trials.
    assert decided / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
    values = random.normal(1.2, 0.5, 240).tolist()
    judgement = Judgement([claim], most=240)
    while judgement.ask(
        cells(a=values[: judgement.findings["A"].parts[0].n * 2 if judgement.findings else 10])
    ):
        pass
    assert judgement.findings["A"].verdict == st.HOLDS


def test_an_open_claim_wants_the_cells_it_hangs_on() -> None:
    measured = cells(a=[1.0, 3.0, 2.0, 2.0, 2.5], b=[1.0, 3.0] * 10, c=[1.0, 2.0, 3.0], d=[9.0, 9.5, 9.2])
    tests = (
        st.Test("", lambda x: x["a"]["x"] - x["b"]["x"], above=0.0),
        st.Test("", st.at("d", "x"), above=5.0),
    )
    judgement = Judgement([st.TestedClaim("A", "", "", tests)], most=100)
    assert judgement.ask(measured) == {"a": 8}, "b has more already; c is not read; of d all is known"


def test_a_rule_in_words() -> None:
    rules = [
        st.Test("", lambda c: c["a"]["x"], above=a, below=b, unit="%").rule
        for a, b in ((1, None), (None, -1), (-1, 1))
    ]
    assert rules == ["> 1 %", "< −1 %", "between −1 and 1 %"]


def judge(claim: st.TestedClaim, measured: st.Cells) -> st.Finding:
    """With a number of replications that did not depend on the data."""
    from dropcurve.studies.claims import judge

    return judge(claim, measured, sequential=False)
