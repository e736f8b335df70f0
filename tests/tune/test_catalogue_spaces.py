"""Search spaces from the catalogue: every discipline has one, and every point of it is a valid setting."""

from __future__ import annotations

from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import UsageError
from dropcurve.scenario import library
from dropcurve.tuning import catalogue_spaces, families
from dropcurve.tuning.customary import customary
from dropcurve.tuning.families import Sizing

LINK = """
run.duration = "1 s"
dumbbell = {rate = "1 Mbit/s", delay = "1 ms"}
queue.kind = "droptail"
flows.tcp.count = 1
"""
#: Usual buffers, a fast link with ECN, and the smallest buffer that a question takes.
SIZINGS = (Sizing(417.0, 50.0, 0.1), Sizing(83_000.0, 5000.0, 0.3, ecn=True), Sizing(40.0, 4.0, 0.05))
OTHERS = sorted(set(library.disciplines()) - set(families.FAMILIES))


@pytest.mark.parametrize("kind", OTHERS)
def test_every_point_is_a_valid_setting_and_comes_back(kind: str) -> None:
    base = dc.Scenario.parse(LINK, name="link")
    for sizing in SIZINGS:
        family = families.family(kind, sizing)
        settings: list[dict[str, Any]] = []
        for share in (0.0, 0.3, 0.5, 0.7, 1.0):
            params = family.params({name: axis.at(share) for name, axis in family.axes.items()})
            assert base.queue(kind, **params).get("queue.kind") == kind
            settings.append(params)
            back = family.coordinates_of(params)
            assert back is not None and set(back) == set(family.axes)
            base.queue(kind, **family.params(back))
        assert len({str(one) for one in settings}) >= 3, "the axes move the setting"
        usual = family.params(customary(family, sizing, 0.02))
        assert base.queue(kind, **usual).get("queue.kind") == kind


@pytest.mark.parametrize("kind", OTHERS)
def test_the_defaults_lie_inside_the_ranges(kind: str) -> None:
    family = families.family(kind, SIZINGS[0])
    for name, value in family.usual.items():
        axis = family.axes[name]
        if axis.unit != "pkts":
            assert axis.low <= value * 1.01 and value <= axis.high * 1.01, name


def test_a_chain_keeps_its_order_at_both_ends() -> None:
    family = families.family("red_at", SIZINGS[0])
    names = ["min_low", "min_th", "min_high", "max_low", "max_th", "max_high"]
    for share in (0.0, 1.0):
        params = family.params({name: axis.at(share) for name, axis in family.axes.items()})
        values = [float(str(params[name]).split()[0]) for name in names]
        assert values == sorted(set(values)) and values[-1] < 50


def test_a_target_utilisation_moves_by_its_distance_from_one() -> None:
    axis = families.family("avq", SIZINGS[0]).axes["gamma"]
    assert (axis.low, axis.high, axis.scale) == (0.8, 1.0, "linear")


def test_a_discipline_without_a_row_moves_its_lengths_and_first_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(catalogue_spaces, "MOVED", {})
    assert list(families.family("yellow", SIZINGS[0]).axes) == ["q_ref", "period", "step", "gamma"]
    assert list(families.family("feng", SIZINGS[0]).axes)[:3] == ["min_th", "ratio", "memory_s"]


def test_an_unknown_discipline_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"yelow: no such discipline; did you mean 'yellow'\?"):
        families.family("yelow", SIZINGS[0])
