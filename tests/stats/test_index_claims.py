"""Every claim of ``scenarios/INDEX.toml``, run and judged by its checks."""

from __future__ import annotations

from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve import studies as st
from dropcurve.studies.index_claims import IndexClaims, Quantity

NAMES = sorted(dc.scenarios())


@pytest.mark.parametrize("name", NAMES)
def test_the_claim_holds(name: str, tmp_path: Path) -> None:
    index = IndexClaims.load(name)
    assert index.checks, f"{name}: a claim without a check"
    assert {one.variant for one in index.quantities()} <= set(index.scenarios()), (
        "a check names an unknown variant"
    )
    outcome = st.reproduce(
        index.study(), folder=tmp_path, quick=True, replications=index.replications, jobs=1
    )
    parts = [part for finding in outcome.findings["index"] for part in finding.parts]
    failed = [
        f"{part.label}: {part.estimate}, wanted {part.rule}" for part in parts if part.verdict != st.HOLDS
    ]
    assert not failed, f"{name}: {index.claim}: " + "; ".join(failed)
    for quantity, wanted in index.exact():
        values = outcome["index"][quantity.variant].numbers[quantity.number]
        assert set(values) == {wanted}, f"{name}: {quantity}"


def test_a_claim_that_is_wrong_is_found(tmp_path: Path) -> None:
    index = IndexClaims("mm1", "wrong", ({"value": "utilisation", "above": 90},), {})
    short = index.scenarios()["scenario"].edit([("run.duration", "100 s"), ("run.warmup", "10 s")])
    study = index.study()
    settings = {"index": st.Setting("short", lambda: {"scenario": short})}
    outcome = st.reproduce(
        st.Study(**{**vars(study), "settings": settings}), folder=tmp_path, quick=True, replications=4, jobs=1
    )
    assert outcome.verdict("mm1") == st.FAILS


def test_a_quantity_is_parsed() -> None:
    assert Quantity.parse("red: goodput_bps[tcp]") == Quantity("red", "goodput_bps", "tcp")
    assert Quantity.parse("loss") == Quantity("scenario", "loss", "")
    with pytest.raises(dc.UsageError, match="is not a quantity"):
        Quantity.parse("red: nonsense")
