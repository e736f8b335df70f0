"""Every fuzz target runs for some seconds, including its stored corpus; `make fuzz-short` takes a minute for
each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import fuzz


@pytest.mark.parametrize("name", fuzz.TARGETS)
@pytest.mark.parametrize("seconds", [3, pytest.param(600, marks=pytest.mark.slow)])
def test_inputs_of_strangers_are_read_or_refused(name: str, seconds: float) -> None:
    outcome = fuzz.fuzz(fuzz.TARGETS[name], seconds=seconds, seed=26)
    assert not outcome.faults, [
        path.with_suffix(".txt").read_text(encoding="utf-8") for path in outcome.faults[:3]
    ]
    # Some are read, and some are refused.
    assert "" in outcome.met and len(outcome.met) > 1


def test_a_fault_is_found_and_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(data: bytes, _: Path) -> None:
        if b"[" in data:
            raise IndexError("a fault of ours")

    monkeypatch.setattr(fuzz, "FOUND", tmp_path)
    target = fuzz.Target("trace", breaks, fuzz.seeds_of_traces)
    outcome = fuzz.fuzz(target, seconds=1, seed=1)
    assert outcome.faults and "IndexError" in outcome.faults[0].with_suffix(".txt").read_text(
        encoding="utf-8"
    )
    with pytest.raises(IndexError):
        fuzz.attempt(target, outcome.faults[0].read_bytes(), tmp_path)


def test_an_input_that_takes_too_long_is_a_fault() -> None:
    with pytest.raises(fuzz.TooSlow), fuzz.bounded(0.05):
        while True:
            pass
