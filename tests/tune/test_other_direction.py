"""The queue of the other direction: whether a short one there is worth more than what is tuned here."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropcurve.metrics.statistics import PairedDifference
from dropcurve.quantities import wording
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import of_link, of_mix
from dropcurve.tuning.bench import Bench
from dropcurve.tuning.candidates import target_of
from dropcurve.tuning.measures import measure
from dropcurve.tuning.other_direction import OtherDirection, compare, sentence
from dropcurve.tuning.question import Question


def bench(question: Question, folder: Path) -> Bench:
    opened = Bench(question, RunTable(folder, build(), cache="off"), Executor(1), scales=[1.0])
    opened.open()
    return opened


def compared(question: Question, folder: Path) -> OtherDirection | None:
    design = target_of("", 20e6, 0.04).candidate("fq_codel", "fq_codel", {})
    assert design is not None
    return compare(bench(question, folder), design, 1, until=None)


def test_a_full_buffer_of_uploads_is_worth_mending_first(tmp_path: Path) -> None:
    """Uploads fill 250 ms of tail drop, through which the acknowledgements of the downloads pass."""
    other = compared(of_mix("20/20:down,rtt=40ms"), tmp_path)
    assert other is not None and other.direction == "up"
    assert other.link == "20Mbit/20Mbit:up,rtt=40ms"
    before, change = other.measures[measure("mean page load time of web")]
    assert change.mean < -0.4 * before
    text = sentence(other, 0.2)
    by = wording.amount(-change.mean, change.half_width, "ms")
    assert f"mean page load time of web is {by} lower" in text, (
        "with its interval, which covers other runs, too"
    )
    assert "with FQ-CoDel there" in text and "tune it first (dropcurve tune --link 20Mbit/20Mbit:up" in text
    assert sentence(other, other.gain.mean) == "", "a gain within the margin is not worth a sentence"


def test_a_known_queue_and_a_link_of_one_direction_have_no_such_comparison(tmp_path: Path) -> None:
    assert compared(of_mix("20/20:down,back=fq_codel"), tmp_path) is None
    one_way = of_link(
        rate="5Mbit", rtt="20ms", flows="3", buffer="60pkts", goal="p95 delay < 20ms, max utilisation"
    )
    assert compared(one_way, tmp_path) is None


def test_a_long_target_is_reported_worse_once_the_other_direction_is_short(tmp_path: Path) -> None:
    """70 ms bridge the round trip that 250 ms of tail drop make for acknowledgements, and only add delay without it."""
    question = of_mix("20/2:up")
    long, usual = (
        target_of("", 2e6, 0.04).candidate("FQ-CoDel, defaults", "fq_codel", params)
        for params in ({"target": "70 ms", "interval": "100 ms"}, {"target": "5 ms", "interval": "100 ms"})
    )
    assert long is not None and usual is not None
    other = compare(bench(question, tmp_path), long, 1, until=None, usual=usual)
    assert other is not None and other.ahead is not None and other.ahead.mean > 3.0
    text = sentence(other, 1.0)
    assert "and then load FQ-CoDel, defaults here" in text and "points better than this setting there" in text
    assert "and then" not in sentence(other, other.ahead.mean)


@pytest.mark.parametrize(
    "gain",
    [
        PairedDifference(3.0, None, 1, 1.0),
        PairedDifference(3.0, 4.0, 8, 0.2),
        PairedDifference(-3.0, 1.0, 8, 0.0),
    ],
)
def test_an_unsure_gain_and_a_loss_stay_out_of_the_answer(gain: PairedDifference) -> None:
    other = OtherDirection(
        "20/20:up", "up", gain, {measure("utilisation"): (90.0, PairedDifference(9.0, 1.0, 8, 0.0))}
    )
    assert sentence(other, 0.2) == ""


def test_a_change_that_may_be_none_is_not_said() -> None:
    changes = {
        measure("utilisation"): (90.0, PairedDifference(9.0, 1.0, 8, 0.0)),
        measure("p95 delay"): (40.0, PairedDifference(-3.0, 4.0, 8, 0.2)),
    }
    text = sentence(OtherDirection("20/20:up", "up", PairedDifference(9.0, 1.0, 8, 0.0), changes), 0.2)
    assert "utilisation is 9.0 ± 1.0 percentage points higher; tune it first" in text and "delay" not in text
