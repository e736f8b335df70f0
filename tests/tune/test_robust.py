"""Results over conditions as one number, and worst conditions taken into a question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dropcurve.errors import UsageError
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import ask, effort, of_link, stressed
from dropcurve.tuning.aggregation import ROBUST, over, over_last
from dropcurve.tuning.bench import Bench, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.stress.bounds import load

LINK = {"rate": "2Mbit", "rtt": "40ms", "flows": "1-8", "buffer": "40pkts"}


@pytest.mark.parametrize(("robust", "value"), [("mean", 4.5), ("worst", 8.0), ("stress", 8.0), ("cvar", 7.5)])
def test_losses_over_conditions(robust: str, value: float) -> None:
    losses = [3.0, 8.0, 1.0, 7.0, 2.0, 6.0, 4.0, 5.0]
    assert over(losses, robust) == value  # type: ignore[arg-type]
    both = np.array([losses, losses[::-1]])
    assert list(over_last(both, robust)) == [value, value]  # type: ignore[arg-type]


def test_the_worst_quarter_of_few_conditions_is_the_worst_one() -> None:
    assert over([1.0, 5.0], "cvar") == 5.0


@pytest.mark.parametrize("robust", ROBUST)
def test_a_short_validation_has_several_conditions_where_the_worst_count(robust: str) -> None:
    """With one condition for each replication, the worst of them would be their mean."""
    budget = effort.LEVELS[effort.LEAST_LEVEL]
    short = effort.validation(budget, 10, 0.1, 1.0, robust)  # type: ignore[arg-type]
    assert short.fresh == (1 if robust == "mean" else 2)
    alone = effort.validation(replace(budget, fresh=1), 10, 0.1, 1.0, robust)  # type: ignore[arg-type]
    assert alone.fresh == 1


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'cvar'"):
        of_link(**LINK, robust="cvra")
    for name in ROBUST:
        assert of_link(**LINK, robust=name).robust == name


def test_bounds_need_stress_and_stress_needs_something_that_varies(tmp_path: Path) -> None:
    given = {**LINK, "flows": "4", "goal": None, "ranges": {}, "box": None, "candidates": [], "space": None}
    file = tmp_path / "bounds.toml"
    file.write_text('pulse_rate = "0-300 %"\n')
    with pytest.raises(UsageError, match="nothing varies"):
        ask(None, robust="stress", **given)
    with pytest.raises(UsageError, match="give both or neither"):
        ask(None, robust="worst", within=file, **given)
    assert ask(None, robust="stress", within=file, **given).within == load(file)


def test_worst_conditions_are_in_every_list_and_bring_their_datagrams() -> None:
    worst = {
        "rate": 2e6,
        "rtt": 0.04,
        "flows": 1.0,
        "pulse_rate": 200.0,
        "pulse_width": 0.1,
        "pulse_period": 1.0,
    }
    question = replace(of_link(**LINK, robust="stress"), worst=(tuple(worst.items()),))
    assert question.conditions()[-1] == worst
    assert question.conditions(2)[-1] == worst
    assert question.fresh(3, seed=1)[-1] == worst
    assert "pulses of datagrams at 200 % of the link" in question.describe(worst)
    flows = question.scenario(worst).resolved["flows"]
    assert flows["pulses"]["rate"] == "4 Mbit/s"
    assert "pulses" not in question.scenario(question.middle()).resolved["flows"]


@pytest.mark.parametrize(("text", "exists"), [('pulse_rate = "0-300 %"\n', True), ("", False)])
def test_a_worse_condition_is_found_if_there_is_one(tmp_path: Path, text: str, exists: bool) -> None:
    """Pulses harm CoDel more than any number of flows does; without pulses no condition is worse than the single
    one."""
    file = tmp_path / "bounds.toml"
    file.write_text(text or 'cbr = "0 %"\npulse_rate = "0 %"\n')
    question = replace(of_link(**{**LINK, "flows": "4"}, robust="stress"), within=load(file))
    bench = Bench(question, RunTable(tmp_path / "runs", build(), cache="off"), Executor(1))
    bench.open()
    codel = Candidate("codel", "codel", {"limit": "40 pkts"})
    first = block(question.conditions(), 1)
    bench.run((codel, trial) for trial in first)
    bench.scale(codel, first)
    worst = stressed.worse(bench, codel, margin=0.2, seed=1)
    assert (worst is not None) is exists
    assert worst is None or worst["pulse_rate"] > 50
