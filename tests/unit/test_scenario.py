"""Scenarios from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import dropcurve as dc


def test_edits_leave_the_original_alone(folder: Path) -> None:
    base = dc.Scenario.load("short.toml")
    other = base.set("queue.max_p", 0.5)
    assert base.get("queue.max_p") != 0.5
    assert other.get("queue.max_p") == 0.5
    assert base.hash != other.hash
    assert other.edits == (("queue.max_p", 0.5),)


def test_toml_and_hash_go_round(folder: Path) -> None:
    base = dc.Scenario.load("short.toml").with_(queue__min_th="30 pkts", queue__max_th="45 pkts")
    assert dc.Scenario.parse(base.to_toml()).hash == base.hash


def test_another_queue_keeps_the_buffer(folder: Path) -> None:
    base = dc.Scenario.load("short.toml")
    tail = base.queue("droptail")
    assert tail.get("queue.kind") == "droptail"
    assert tail.get("queue.limit") == "50 pkts"
    assert base.queue("droptail", limit="20 pkts").get("queue.limit") == "20 pkts"


def test_all_problems_at_once(folder: Path) -> None:
    text = (
        Path("short.toml")
        .read_text(encoding="utf-8")
        .replace('kind = "red"', 'kind = "red"\nmax_p = 2\nmin_th = "9"')
    )
    with pytest.raises(dc.ScenarioError) as caught:
        dc.Scenario.parse(text, origin="bad.toml")
    assert {problem.path for problem in caught.value.problems} == {"queue.max_p", "queue.min_th"}
    at = text.splitlines().index("max_p = 2") + 1
    assert [line.split(" = ")[0] for line in caught.value.lines()] == [
        f"bad.toml:{at}: queue.max_p",
        f"bad.toml:{at + 1}: queue.min_th",
    ]


def test_lines_are_those_of_the_file_with_any_content(folder: Path) -> None:
    text = Path("short.toml").read_text(encoding="utf-8")
    # The section for tuning is taken out before the core reads the rest.
    head = '[tune]\ngoal = "max utilisation"\n\n'
    wrong = head + text.replace('kind = "red"', 'kind = "red"\nmax_p = 2')
    Path("bad.toml").write_text(wrong, encoding="utf-8")
    with pytest.raises(dc.ScenarioError) as caught:
        dc.Scenario.load("bad.toml")
    at = wrong.splitlines().index("max_p = 2") + 1
    assert caught.value.lines() == [
        f"bad.toml:{at}: queue.max_p = 2: must lie in (0, 1]; the default is 0.02"
    ]
    # What was not read from the file has no line in it.
    with pytest.raises(dc.ScenarioError) as caught:
        dc.Scenario.load("short.toml").set("queue.max_p", 2)
    assert caught.value.lines() == ["short.toml: queue.max_p = 2: must lie in (0, 1]; the default is 0.02"]


def test_a_key_that_is_missing_is_reported_at_its_section() -> None:
    with pytest.raises(dc.ScenarioError) as caught:
        dc.Scenario.parse("\n[dumbbell]\n\n[queue]\n[flows.a]\n", origin="bad.toml")
    assert "bad.toml:4: queue.kind: " in "\n".join(caught.value.lines())


@pytest.mark.parametrize("value", [None, float("nan"), object()])
def test_values_that_a_scenario_cannot_hold(folder: Path, value: object) -> None:
    with pytest.raises(dc.ScenarioError, match=r"queue\.max_p = .*: must be a finite number"):
        dc.Scenario.load("short.toml").set("queue.max_p", value)


def test_paths_that_lead_nowhere(folder: Path) -> None:
    base = dc.Scenario.load("short.toml")
    with pytest.raises(dc.ScenarioError, match="did you mean 'max_p'"):
        base.get("queue.max_pp")
    with pytest.raises(dc.ScenarioError, match="did you mean 'max_p'"):
        base.set("queue.max_pp", 1)
    with pytest.raises(dc.DropcurveError, match=r"shrt\.toml: no such file; did you mean 'short\.toml'\?"):
        dc.Scenario.load("shrt.toml")


def test_bytes_that_are_not_text(folder: Path) -> None:
    Path("binary.toml").write_bytes(b"title = \xff\xfe")
    with pytest.raises(dc.DropcurveError, match="is not UTF-8 text"):
        dc.Scenario.load("binary.toml")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replications": 0}, "replications = 0: must be 1 or more"),
        ({"jobs": 0}, "jobs = 0: must lie between 1 and 4096"),
        ({"seed": -1}, "seed = -1: must be a whole number"),
        ({"precision": 1.5}, r"precision = 1\.5: must lie between 0 and 1"),
        ({"precision": 0.1, "maximum": 3}, "maximum = 3: must be at least 5"),
        ({"on": ["speed"]}, "no metric is called 'speed'"),
    ],
)
def test_effort_that_makes_no_sense(folder: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(dc.UsageError, match=message):
        dc.run("short.toml", **options)  # type: ignore[arg-type]


def test_a_comparison_needs_two(folder: Path) -> None:
    with pytest.raises(dc.UsageError, match="needs two variants or more"):
        dc.compare("short.toml")


def test_edits_of_one_table_keep_each_other_in_any_order() -> None:
    scenario = dc.Scenario.load("droptail_vs_red")
    edits = [
        ("flows.tcp.rate", "2 Mbit/s"), ("flows.tcp.source", "onoff"), ("flows.tcp.transport", "udp"),
        ("queue.dialect", "linux"), ("queue.kind", "codel"),
    ]  # fmt: skip
    for ordered in (edits, edits[::-1]):
        edited = scenario.edit(ordered)
        assert [edited.get(path) for path, _ in edits] == ["2 Mbit/s", "onoff", "udp", "linux", "codel"]
