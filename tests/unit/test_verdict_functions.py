"""A design in use with functions that the runs do not show, such as CAKE's isolation of hosts behind NAT."""

from __future__ import annotations

import pytest

from dropcurve.verdict import Bound, Criterion, SampledDesign, decide, headline

USE = Criterion("use", "utilisation", "%", worth=1.0)
NAT = "the isolation of hosts behind NAT"
#: Noise of four paired runs, small against every difference here.
NOISE = (0.0, 0.2, -0.2, 0.1)


def design(name: str, use: float, *, current: bool = False, nat: bool = False) -> SampledDesign:
    samples = {"use": [use + (noise if current else -noise) for noise in NOISE]}
    return SampledDesign(name, samples, 2.0, current, "fair", unsimulated=NAT if nat else "")


@pytest.mark.parametrize(("ahead", "loaded"), [(3.0, False), (4.5, False), (9.0, True)])
def test_it_goes_only_for_one_that_is_surely_better_by_several_margins(ahead: float, loaded: bool) -> None:
    verdict = decide(
        [design("mine", 85.0, current=True, nat=True), design("fq", 85.0 + ahead)], [USE], margin=1.0
    )
    assert (verdict.status, verdict.recommended) == (("load", "fq") if loaded else ("keep", "mine"))
    assert verdict.unsimulated == ("" if loaded else NAT)
    lacks = "with this traffic, but lacks the isolation of hosts behind NAT, which these runs do not show."
    first = headline(verdict).sentences[0]
    assert first.endswith(lacks) != loaded
    assert loaded or first.startswith("Keep mine (utilisation 85 %): fq is ahead by ")


def test_it_goes_at_once_for_a_better_one_with_the_same_functions() -> None:
    verdict = decide(
        [design("mine", 85.0, current=True, nat=True), design("fq", 93.0), design("longer", 92.0, nat=True)],
        [USE],
        margin=1.0,
    )
    assert (verdict.status, verdict.leader, verdict.recommended) == ("load", "fq", "longer")
    last = headline(verdict).sentences[-1]
    assert last.startswith("Fq is ahead by 1 point") and f"but lacks {NAT}" in last


def test_without_such_functions_a_better_one_is_loaded() -> None:
    verdict = decide([design("mine", 85.0, current=True), design("fq", 88.0)], [USE], margin=1.0)
    assert (verdict.status, verdict.recommended, verdict.unsimulated) == ("load", "fq", "")


def test_one_that_misses_a_bound_does_not_stay() -> None:

    bound = Criterion("wait", "p95 delay", "ms", bound=Bound(20.0))
    mine = SampledDesign("mine", {"use": [85.0] * 4, "wait": [30.0] * 4}, 2.0, True, unsimulated=NAT)
    other = SampledDesign("fq", {"use": [86.0] * 4, "wait": [10.0] * 4}, 2.0)
    assert decide([mine, other], [USE, bound], margin=1.0).recommended == "fq"
