"""The matrix of queues and senders that a Linux kernel records, and a sample of its rows against our runs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import dropcurve as dc
from validation.agree import coverage, linux_matrix, other_stacks

QUEUE_TXT = """\
qdisc htb 1: root refcnt 2
 backlog 9000b 6p requeues 0
qdisc pie 10: parent 1:1 limit 50p
 Sent 1 bytes 1 pkt (dropped {drops}, overlimits 0 requeues 0)
 backlog {backlog}b 1p requeues 0
"""


def test_every_pair_is_drawn_once_and_dctcp_only_where_there_are_marks() -> None:
    every = linux_matrix.pairs()
    assert len(set(every)) == len(every) == 13 * 15 - 2
    rows = [linux_matrix.drawn(number) for number in range(len(every))]
    assert [(row["Q"], row["CC"]) for row in rows] == every
    assert all(row["ECN"] == "1" for row in rows if row["CC"] == "dctcp")
    assert linux_matrix.drawn(3) == linux_matrix.drawn(3) != linux_matrix.drawn(3 + len(every))


def test_a_plan_has_each_near_delay_and_ecn_where_tc_wants_it() -> None:
    row = {**linux_matrix.drawn(0), "Q": "pie", "ECN": "1", "DELAY": "160ms", "PKTS": "50", "name": "a"}
    lines = linux_matrix.plan([row])
    assert [(line[0], line[1], line[5]) for line in lines] == [
        ("a-0", "pie limit 50 ecn", "160ms"),
        ("a-1", "pie limit 50 ecn", "161ms"),
    ]
    assert linux_matrix.plan([{**row, "Q": "gred"}])[0][1].endswith(f"bandwidth {row['RATE']} ecn")
    assert linux_matrix.plan([{**row, "Q": "cake"}])[0][1] == "cake besteffort"


def test_a_summary_takes_the_discipline_below_the_shaper(tmp_path: Path) -> None:
    end = {"end": {"sum_received": {"bits_per_second": 3e6}}}
    (tmp_path / "iperf.json").write_text(json.dumps(end))
    waiting = ("7000", "1K", "2K", "3K")
    (tmp_path / "queue.txt").write_text("".join(QUEUE_TXT.format(drops=0, backlog=one) for one in waiting))
    (tmp_path / "qdisc.txt").write_text(QUEUE_TXT.format(drops=17, backlog=0))
    assert linux_matrix.summary(tmp_path, marked=4) == {
        "goodput_mbps": 3.0,
        "backlog_mean": 2048.0,
        "drops": 17,
        "marks": 4,
    }


@pytest.mark.parametrize(("queue", "clocked"), [("pie", True), ("fq_pie", True), ("codel", False)])
def test_a_clock_of_pie_runs_before_the_first_packet(queue: str, clocked: bool) -> None:
    """The queue exists since the boot, so its timer is about to end when the run begins."""
    row = {**linux_matrix.drawn(0), "Q": queue, "ECN": "0"}
    assert ('first_update = "16 ms"' in other_stacks.linux(row)) == clocked


@pytest.mark.parametrize("queue", linux_matrix.QUEUES)
def test_every_queue_is_a_scenario_with_and_without_ecn(queue: str) -> None:
    for ecn in "0" if queue in ("pfifo", "sfq") else "01":
        row = {**linux_matrix.drawn(0), "Q": queue, "ECN": ecn}
        assert dc.Scenario.parse(other_stacks.linux(row))


def test_recorded_rows_are_those_drawn_and_two_of_them_agree() -> None:
    with linux_matrix.ROWS.open(encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    for name, row in rows.items():
        drawn = linux_matrix.drawn(int(name.removeprefix("matrix")))
        assert {key: row[key] for key in drawn if key != "DELAY"} == {
            key: value for key, value in drawn.items() if key != "DELAY"
        }
    chosen = [rows["matrix101"], rows["matrix103"]]
    assert all(one.is_within for one in coverage.compare(chosen, other_stacks.linux))


def test_a_wide_interval_is_no_agreement() -> None:
    assert coverage.bound(3.0, 100.0, "goodput_mbps") == 5.0
    assert coverage.bound(9.0, 100.0, "goodput_mbps") == 9.0
    assert coverage.bound(900.0, 100.0, "goodput_mbps") == 25.0
    assert coverage.bound(0.0, 10.0, "signals") == 5.0
