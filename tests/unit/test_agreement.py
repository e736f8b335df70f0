"""The recorded rows in the package: their coverage, the line on agreement, and the verb."""

from __future__ import annotations

import json

import pytest

import dropcurve as dc
from dropcurve.results import agreement
from dropcurve.results.agreement import Coverage, RecordedRow

SCENARIO = """
[run]
duration = "2 s"
warmup = "0 s"
[dumbbell]
rate = "10 Mbit/s"
[queue]
kind = "codel"
[flows.a]
profile = "{profile}"
cc = "westwood"
"""


def row(rate_bps: float, ours: float) -> RecordedRow:
    return RecordedRow(
        "R", "linux", "red", "cubic", False, rate_bps, 40.0, 4, (rate_bps, ours * rate_bps), (1000.0, 1100.0)
    )


def test_the_line_has_the_mean_of_the_errors_without_their_signs() -> None:
    line = Coverage("red with linux cubic", (row(1e7, 1.02), row(1e8, 0.96))).line()
    assert line == (
        "Agreement: red with linux cubic at 10 to 100 Mbit/s: 2 recorded rows, mean error 3.0 % of the goodput, "
        "10 % of the queue"
    )


def test_rows_near_a_rate_are_taken_and_all_of_them_where_none_is() -> None:
    near = agreement.covered("codel", "westwood", profile="linux-7.3", rate_bps=1e7)
    far = agreement.covered("codel", "westwood", profile="linux-7.3", rate_bps=1e9)
    assert near.rows and not near.nearest
    assert far.nearest and "none near this rate" in far.line()
    assert agreement.covered("codel", "nobody").line() == "Agreement: no recorded run has codel with nobody"


def test_every_row_is_of_a_known_profile_and_nine_in_ten_are_close_in_goodput() -> None:
    rows = agreement.rows()
    assert {one.profile for one in rows} == set(agreement.PROFILES)
    assert sum(abs(one.goodput_error) < 0.05 for one in rows) >= 0.9 * len(rows)


@pytest.mark.parametrize(("profile", "lines"), [("linux", 1), ("linux-7.3", 1), ("rfc", 0)])
def test_an_answer_has_a_line_for_senders_that_follow_a_kernel(profile: str, lines: int) -> None:
    result = dc.run(dc.Scenario.parse(SCENARIO.format(profile=profile)), replications=1)
    notes = [note for note in result.document().notes if note.startswith("Agreement: codel with")]
    assert len(notes) == lines


def test_the_verb_prints_rows_and_refuses_what_is_not_recorded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from dropcurve.cli import invoke

    assert invoke(["agree", "codel", "westwood", "--profile", "linux", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["line"].startswith("Agreement: codel with linux westwood at 20 to 40 Mbit/s")
    assert len(printed["rows"]) == 2
    assert invoke(["agree", "codel", "quic"]) == 2
    assert "CC = quic: has no recorded rows" in capsys.readouterr().err
