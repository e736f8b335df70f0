"""Lists of many flows are stored by column: they read like lists of dicts, lose nothing, and take little memory."""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dropcurve as dc
import dropcurve._core as core
from dropcurve.files.shape import faults
from dropcurve.metrics.run_parts import Flows
from dropcurve.results import rows

VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
)
CELLS = VALUES | st.text() | st.lists(VALUES, max_size=3)
NAMES = st.sampled_from(["id", "delay_ms", "group", "é\u2028"])
OBJECTS = st.dictionaries(NAMES, CELLS | st.dictionaries(NAMES, CELLS, min_size=1), min_size=1)

MANY = """
title = "Many flows"
[run]
duration = "1 s"
warmup = "0.5 s"
[dumbbell]
rate = "1 Gbit/s"
delay = "10 ms"
[queue]
kind = "red"
limit = "1000 pkts"
[flows.bulk]
count = 1200
start = "uniform 0 s to 1 s"
[flows.voice]
count = 10
source = "voice"
transport = "udp"
"""


def repeated(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects again and again, more of them than a list of dicts may have."""
    return objects * (1001 // len(objects) + 1)


@settings(max_examples=25, deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=12))
def test_rows_are_what_was_stored(objects: list[dict[str, Any]]) -> None:
    whole = repeated(objects)
    text = json.dumps({"a": 1, "flows": whole, "b": [whole]}).encode()
    parsed = core.read_json(text)
    assert isinstance(parsed["flows"], core.Rows) and isinstance(parsed["flows"], Sequence)
    assert parsed["flows"] == whole and parsed["b"][0] == parsed["flows"]
    # To the last bit, which `==` does not see of 0.0, -0.0, 0 and False, and in the order of the keys.
    assert repr(list(parsed["flows"])) == repr(whole)
    assert json.loads(parsed["flows"].json()) == whole
    assert pickle.loads(pickle.dumps(parsed["flows"])) == whole
    assert rows.dump(parsed) == rows.dump(core.read_json(rows.dump(parsed)))


@settings(max_examples=25, deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=6))
def test_a_row_is_a_mapping(objects: list[dict[str, Any]]) -> None:
    whole = repeated(objects)
    parsed = core.rows_of_json(json.dumps(whole).encode())
    assert isinstance(parsed[0], Mapping)
    for number in (0, -1, len(whole) // 2):
        row, kept = parsed[number], whole[number]
        assert row == kept and dict(row) == kept and len(row) == len(kept) and repr(row) == repr(kept)
        assert list(row) == list(row.keys()) == list(kept) and list(row.items()) == list(kept.items())
        assert all(row[key] == kept[key] and key in row and row.get(key) == kept[key] for key in kept)
        assert row.get("none") is None and row.get("none", 3) == 3 and "none" not in row
        assert pickle.loads(pickle.dumps(row)) == kept
    assert parsed[1:9:2] == whole[1:9:2]
    assert parsed.column("id") == [one.get("id") for one in whole]


def test_invalid_rows_are_refused() -> None:
    parsed = core.rows_of_json(b'[{"a": 1}]')
    with pytest.raises(IndexError):
        parsed[1]
    with pytest.raises(KeyError):
        parsed[0]["b"]
    for text in (b"[1]", b"[{}]", b"{", b'[{"a": 1}, 2]'):
        with pytest.raises(ValueError):
            core.rows_of_json(text)


@pytest.mark.parametrize("odd", [1, None, {}, [], "x", {"a": {}}])
def test_a_list_with_something_else_in_it_stays_a_list(odd: object) -> None:
    for place in (0, 500, 1500):
        whole: list[object] = [{"a": number} for number in range(2000)]
        whole.insert(place, odd)
        assert core.read_json(json.dumps(whole).encode()) == whole


def test_objects_without_forms_in_common_stay_a_list() -> None:
    whole = [{f"key{number}": number} for number in range(3000)]
    parsed = core.read_json(json.dumps(whole).encode())
    assert isinstance(parsed, list) and parsed == whole


def test_every_type_of_a_column_is_checked() -> None:
    whole: list[dict[str, Any]] = [{"id": number, "delay": {"mean": 1.0}} for number in range(3000)]
    shape = [{"id": int, "delay": {"mean": (float, None)}}]
    assert not list(faults(core.rows_of_json(json.dumps(whole).encode()), shape))
    for key, wrong in (
        ("id", 1.5),
        ("id", None),
        ("id", "x"),
        ("id", True),
        ("id", [1]),
        ("delay", {"mean": "1"}),
    ):
        place = 2222
        changed = [*whole[:place], {**whole[place], key: wrong}, *whole[place + 1 :]]
        problems = list(faults(core.rows_of_json(json.dumps(changed).encode()), shape))
        assert problems == list(faults(changed, shape)) and f"[{place}]" in problems[0]


def test_a_run_of_many_flows_reads_like_one_of_few(tmp_path: Path) -> None:
    result = dc.run(dc.Scenario.parse(MANY), replications=2, cache=tmp_path / "cache", out=tmp_path / "out")
    run = result.variants[0].runs[0]
    assert isinstance(run["flows"], core.Rows) and isinstance(run["conservation"], core.Rows)
    assert len(run["flows"]) == 1210 and run["flows"][1209]["group"] == "voice"
    # Metrics computed by column equal those computed from dicts.
    plain: Any = {**run, "flows": [dict(flow) for flow in run["flows"]]}
    for name, metric in dc.metrics.METRICS.items():
        for scope in ("", "bulk", "voice", "7"):
            if metric.per == "flow" or not scope:
                assert dc.metrics.value(run, name, scope=scope) == dc.metrics.value(
                    plain, name, scope=scope
                ), name
    assert Flows(run, run["flows"]).rates == Flows(plain, plain["flows"]).rates
    # The folder and the store return the same.
    assert dc.Result.load(tmp_path / "out").variants[0].runs == result.variants[0].runs
    again = dc.run(dc.Scenario.parse(MANY), replications=2, cache=tmp_path / "cache")
    assert again.reused == 2 and again.variants[0].runs == result.variants[0].runs


PROBE = """
import sys
import dropcurve as dc
text = sys.stdin.read()
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
dc.run(dc.Scenario.parse(text.replace("1200", "1")), replications=1, cache="off")
before = peak()
str(dc.run(dc.Scenario.parse(text.replace("1200", sys.argv[1])), replications=1, cache="off"))
print(1024 * (peak() - before) / int(sys.argv[1]))
"""


def memory_of_a_flow(flows: int, sender: str) -> float:
    """Growth of the peak of a process by each of many flows, in bytes; ``sender``: keys of their table."""
    command, text = (
        [sys.executable, "-c", PROBE, str(flows)],
        MANY.replace("[flows.voice]", f"{sender}[flows.voice]"),
    )
    return float(subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
@pytest.mark.parametrize("flows", [20_000, pytest.param(300_000, marks=pytest.mark.slow)])
def test_a_flow_takes_less_than_its_estimate_all_in(flows: int) -> None:
    assert memory_of_a_flow(flows, "") < 3000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
@pytest.mark.parametrize(
    ("sender", "most"),
    [
        ('profile = "linux"\n', 3000),
        ('profile = "linux"\ncc = "bbr"\n', 3000),
        ('profile = "linux"\ncc = "bbr3"\n', 3000),
        ('transport = "quic"\n', 3000),
        ('transport = "tfrc"\n', 3000),
        ('source = "http"\n', 3000),
        ('source = "telnet"\n', 3000),
    ],
)
def test_a_flow_of_each_kind_takes_less_than_its_estimate(sender: str, most: float) -> None:
    assert memory_of_a_flow(100_000, sender) < most


@pytest.mark.slow
def test_300_000_flows_run_under_4_gib() -> None:
    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))

    command = [sys.executable, "-c", PROBE, "300000"]
    process = subprocess.run(
        command, input=MANY, capture_output=True, text=True, check=False, preexec_fn=bounded
    )
    assert process.returncode == 0, process.stderr
