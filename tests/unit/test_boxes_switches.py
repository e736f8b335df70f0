"""Queues read from SONiC and OpenConfig: profiles, the port that gives the rate, numbers as text."""

from __future__ import annotations

import json

import pytest

from dropcurve.boxes import read
from dropcurve.errors import ScenarioError, UsageError
from dropcurve.fixes import place

SONIC = {
    "QUEUE": {"Ethernet0|3": {"wred_profile": "[WRED_PROFILE|AZURE_LOSSLESS]"}},
    "WRED_PROFILE": {
        "OTHER": {"wred_green_enable": "true", "green_min_threshold": "1", "green_max_threshold": "2"},
        "AZURE_LOSSLESS": {
            "wred_green_enable": "true", "wred_yellow_enable": "true", "wred_red_enable": "false", "ecn": "ecn_all",
            "green_min_threshold": "1048576", "green_max_threshold": "2097152", "green_drop_probability": "5",
            "yellow_min_threshold": "524288", "yellow_max_threshold": "2097152", "yellow_drop_probability": "10",
            "red_min_threshold": "262144", "red_max_threshold": "524288", "red_drop_probability": "50",
        },
    },
}  # fmt: skip


def test_an_openconfig_threshold_beyond_the_buffer_keeps_its_slope() -> None:
    text = """{"openconfig-qos:queue-management-profile": [{"name": "P", "wred": {"uniform": {"config":
    {"min-threshold": "50000", "max-threshold": "250000", "max-drop-probability-percent": 10}}}}]}"""
    imported = read(text, buffer_bytes=150_000)
    assert (imported.params["max_th"], imported.params["max_p"]) == ("150000 B", pytest.approx(0.05))


def test_sonic_takes_the_profile_that_a_queue_uses() -> None:
    imported = read(json.dumps(SONIC), buffer_bytes=4_000_000)
    assert (imported.discipline, imported.others) == ("wred", ["OTHER"])
    assert imported.params["min_th"] == ["1048576 B", "524288 B"]
    assert imported.params["denominator"] == [20.0, 10.0]
    assert imported.params["ecn"] is True


@pytest.mark.parametrize(
    ("queue", "speeds", "rate"),
    [
        ("Ethernet0|3", {"Ethernet0": "25000"}, 25e9),
        ("Ethernet0,Ethernet4|3-4", {"Ethernet0": "100000", "Ethernet4": "40000"}, 40e9),
        ("Ethernet8|3", {"Ethernet0": "25000"}, None),
    ],
    ids=["one port", "the slowest of two", "no such port"],
)
def test_sonic_takes_the_rate_of_the_port_where_no_other_is_given(
    queue: str, speeds: dict[str, str], rate: float | None
) -> None:
    profile = {"green_min_threshold": "250000", "green_max_threshold": "1000000"}
    text = json.dumps({
        "WRED_PROFILE": {"P": profile}, "QUEUE": {queue: {"wred_profile": "P"}},
        "PORT": {name: {"speed": speed} for name, speed in speeds.items()},
    })  # fmt: skip
    imported = read(text, box="sonic")
    assert (imported.port_bps, imported.rate_bps) == (rate, None)
    assert any(note.key == "rate" for note in imported.notes) == (len(speeds) > 1)
    if rate is None:
        with pytest.raises(UsageError, match="--rate: not given"):
            place(imported)
    else:
        assert place(imported).rate_bps == rate
        assert place(imported, rate_bps=10e9).rate_bps == 10e9


def test_a_port_of_sonic_with_a_speed_in_words_is_refused() -> None:
    text = json.dumps({
        "WRED_PROFILE": {"P": {"green_min_threshold": "250000", "green_max_threshold": "1000000"}},
        "QUEUE": {"Ethernet0|3": {"wred_profile": "P"}}, "PORT": {"Ethernet0": {"speed": "fast"}},
    })  # fmt: skip
    with pytest.raises(ScenarioError, match=r"PORT\|Ethernet0.speed = fast: must be a whole number"):
        read(text, box="sonic")


def test_openconfig_with_a_prefix_and_text_numbers() -> None:
    text = """{"openconfig-qos:queue-management-profile": [{"name": "ECN", "wred": {"uniform": {"config":
    {"min-threshold": "80000", "max-threshold": "18446744073709551615", "enable-ecn": true, "drop": false,
     "max-drop-probability-percent": 1}}}}]}"""
    imported = read(text, box="openconfig")
    assert (imported.params["min_th"], imported.params["max_p"], imported.params["ecn"]) == (
        "80000 B",
        0.01,
        True,
    )
