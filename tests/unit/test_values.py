"""Values as text."""

from __future__ import annotations

import tomllib

import pytest

from dropcurve.errors import UsageError
from dropcurve.quantities import values, wording
from dropcurve.runs import command_line
from dropcurve.scenario import toml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", 0.1), ("10", 10), ("true", True), ("[1, 2]", [1, 2]), ("10 Mbit/s", "10 Mbit/s"), ("1/50", "1/50"),
        ("ns2", "ns2"), ('"0.1"', "0.1"), ("nan", "nan"), ("2026-01-01", "2026-01-01"), ("", ""), ("1e-3", 0.001),
        ('["1 ms", "2 ms"]', ["1 ms", "2 ms"]), ('{"kind": "red"}', {"kind": "red"}),
    ],
)  # fmt: skip
def test_values_are_read_as_meant(text: str, value: object) -> None:
    assert values.parse(text) == value
    assert values.parse(values.show(value)) == value


def test_queues_in_short() -> None:
    assert values.queue("droptail") == ("droptail", {})
    assert values.queue("red:ns2,max_p=0.1,limit=50 pkts") == (
        "red", {"dialect": "ns2", "max_p": 0.1, "limit": "50 pkts"},
    )  # fmt: skip
    with pytest.raises(UsageError, match="sets max_p twice"):
        values.queue("red:max_p=0.1,max_p=0.2")


def test_a_discipline_inside_another_in_short() -> None:
    assert values.queue("drr:limit=50 pkts,child=codel") == ("drr", {"limit": "50 pkts", "child": "codel"})
    inside = {"kind": "red", "dialect": "ns2", "max_p": 0.1}
    assert values.queue("drr:child=red:ns2,child.max_p=0.1") == ("drr", {"child": inside})
    assert values.queue('prio:bands=["plain", "codel"]') == ("prio", {"bands": ["plain", "codel"]})
    with pytest.raises(UsageError, match=r"sets child\.max_p twice"):
        values.queue("drr:child.max_p=0.1,child.max_p=0.2")


def test_a_table_in_a_list_is_toml() -> None:
    table = {"queue": {"bands": ["plain", {"kind": "codel", "target": "2 ms"}], "child": {"kind": "red"}}}
    assert tomllib.loads(toml.dump(table)) == table


def test_variations_keep_lists_together() -> None:
    assert values.variation("queue.max_p=0.02,0.1") == ("queue.max_p", [0.02, 0.1])
    assert values.variation('a.b=["1 ms", "2 ms"],"x, y"') == ("a.b", [["1 ms", "2 ms"], "x, y"])
    with pytest.raises(UsageError, match="must be PATH=VALUE,VALUE"):
        values.variation("queue.max_p=")


@pytest.mark.parametrize(("text", "share"), [("5%", 0.05), ("0.05", 0.05), ("2.5 %", 0.025)])
def test_precision_is_a_share(text: str, share: float) -> None:
    assert values.share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["5", "0", "-1%", "wide", "nan", "100%"])
def test_other_precisions_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="must lie between 0 and 1"):
        values.share(text)


def test_commands_are_quoted_for_a_shell() -> None:
    line = command_line.line(
        "run", ["my file.toml"], [("set", "run.duration=60 s"), ("seed", 1), ("out", None)]
    )
    assert line == "dropcurve run 'my file.toml' --set 'run.duration=60 s' --seed 1"


def test_numbers_show_what_their_interval_supports() -> None:
    assert wording.amount(41.234, 1.26, "ms") == "41.2 ± 1.3 ms"
    assert wording.amount(9_876_543.0, 12_345.0, "bit/s") == "9.877 ± 0.012 Mbit/s"
    assert wording.amount(-0.00001, 0.5, "") == "0.00 ± 0.50"
    assert wording.amount(-3.0, 0.5, "") == "−3.00 ± 0.50"
    assert wording.amount(None, None, "ms") == "– ms"
    assert wording.amount(117.0, 1000.0, "") == "117 ± 1000"
    assert wording.amount(124.256256, 1e-14, "ms") == "124.3 ms (all runs)"
    assert wording.amount(9_999_992.0, 42.0, "bit/s") == "10.000 ± 0.00004 Mbit/s"
    assert wording.amount(0.0, 0.0, "%") == "0 % (all runs)"
    assert wording.amount(0.00012345, None, "s") == "0.000123 s"
