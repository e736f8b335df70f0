"""Policy maps of type queuing of NX-OS, both ways."""

from __future__ import annotations

from typing import Any

import pytest

import dropcurve as dc
from dropcurve.boxes import export, kinds, read, read_all
from dropcurve.boxes.rewrite import rewritten
from dropcurve.fixes import place
from dropcurve.fixes.designs import designs

TEXT = """class-map type qos match-all RDMA
  match dscp 26
policy-map type qos CLASSIFY
  class RDMA
    set qos-group 3
policy-map type network-qos JUMBO
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
policy-map type queuing FABRIC
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
    queue-limit 2000 packets
  class type queuing c-out-8q-q1
    queue-limit dynamic 8
interface Ethernet1/49
  speed 100000
  service-policy type queuing output FABRIC
"""


def statement(words: str) -> str:
    return f"policy-map type queuing P\n  class type queuing c-out-q3\n    {words}\n"


def test_every_class_with_a_size_is_read_at_its_share_of_the_port() -> None:
    marking, rest = read_all(TEXT)
    assert (marking.box, marking.title, marking.discipline) == ("nxos", "FABRIC/c-out-8q-q3", "red")
    assert (marking.dev, marking.port_bps, marking.share_bps) == ("Ethernet1/49", 1e11, 6e10)
    assert [marking.params[key] for key in ("min_th", "max_th", "max_p", "ecn")] == [
        "150000 B",
        "3000000 B",
        0.07,
        True,
    ]
    assert [one.title for one in marking.above] == ["FABRIC/c-out-8q-q7"]
    assert (rest.discipline, rest.params, rest.share_bps) == ("droptail", {"limit": "3000000 B"}, 4e10)
    lost = [note.text for note in rest.notes if note.kind == "lost"]
    assert lost == ["FABRIC/c-out-8q-q1: 'queue-limit dynamic 8' states no size, and is not judged"]
    assert read(TEXT, name="c-out-8q-q-default").params == rest.params


@pytest.mark.parametrize(
    ("words", "low", "high"),
    [
        ("minimum-threshold 100 maximum-threshold 200", "150000 B", "300000 B"),
        ("minimum-threshold 20 packets maximum-threshold 60 packets", "30000 B", "90000 B"),
        (
            "minimum-threshold 300 kbytes maximum-threshold 300 kbytes drop-probability 100",
            "300000 B",
            "300001 B",
        ),
        ("minimum-threshold 1 mbytes maximum-threshold 2 mbytes", "1000000 B", "2000000 B"),
        ("minimum-threshold 80 us maximum-threshold 1 ms", "100000 B", "1250000 B"),
    ],
)
def test_thresholds_have_units_of_sizes_or_times(words: str, low: str, high: str) -> None:
    params = read(statement(f"random-detect {words}"), rate_bps=1e10).params
    assert (params["min_th"], params["max_th"], params["ecn"]) == (low, high, False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("random-detect threshold burst-optimized ecn", "holds no random-detect with thresholds"),
        ("queue-limit dynamic 8", "holds no random-detect with thresholds"),
        (
            "random-detect minimum-threshold 3 mbytes maximum-threshold 2 mbytes",
            "must not exceed maximum-threshold",
        ),
        (
            "random-detect minimum-threshold 1 maximum-threshold 9 drop-probability 101",
            "must lie between 0 and 100",
        ),
        ("random-detect minimum-threshold 1 maximum-threshold 9 weight 16", "must lie between 0 and 15"),
        ("random-detect minimum-threshold 1 maximum-threshold 9 weight", "must be a whole number"),
        ("random-detect minimum-threshold 1 us maximum-threshold 9 us", "the port's rate must be known"),
    ],
)
def test_what_states_no_queue_is_refused(words: str, said: str) -> None:
    with pytest.raises(dc.ScenarioError, match=said):
        read(statement(words))


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("red", {"min_th": "100 pkts", "max_th": "300 pkts", "max_p": 0.1, "limit": "600 pkts", "ecn": True}),
        (
            "red",
            {"min_th": "65 pkts", "max_th": "66 pkts", "max_p": 1.0, "w_q": 0.999999, "limit": "132 pkts"},
        ),
        ("droptail", {"limit": "400 pkts"}),
    ],
)
def test_an_export_is_read_as_what_the_switch_does(kind: str, params: dict[str, Any]) -> None:
    exported = export(kind, params, box="nexus", rate_bps=1e10)
    back = read(exported.text, buffer_bytes=900_000 if kind == "red" else None)
    limit = exported.params_as_loaded["limit"]
    assert (back.discipline, back.params | {"limit": limit}) == (kind, exported.params_as_loaded)
    again = export(back.discipline, back.params, box="nxos", rate_bps=1e10)
    assert again.text == exported.text


def test_a_shaped_class_has_the_rate_of_its_shaper() -> None:
    exported = export("droptail", {"limit": "400 pkts"}, box="nxos", rate_bps=2e9, shape=True)
    assert "shape min 0 kbps max 2000000 kbps" in exported.text
    assert read(exported.text).rate_bps == 2e9
    shaped = TEXT.replace("    queue-limit 2000", "    shape min 1 gbps max 25 gbps\n    queue-limit 2000")
    rest = read(shaped, name="c-out-8q-q-default")
    assert (rest.rate_bps, rest.share_bps) == (2.5e10, None)


def test_a_curve_of_two_classes_is_refused() -> None:
    params = {
        "min_th": ["20 pkts", "30 pkts"],
        "max_th": ["90 pkts"],
        "denominator": [10],
        "limit": "200 pkts",
    }
    with pytest.raises(dc.ScenarioError, match="NX-OS has one class"):
        export("wred", params, box="nxos", rate_bps=1e10)
    assert kinds("nx-os") == ("red", "wred", "gred", "droptail")


def test_a_better_queue_takes_the_place_of_the_statement_alone() -> None:
    marking, _ = read_all(TEXT)
    where = place(marking, rtt_s=(50e-6, 200e-6))
    exported = dict(designs(where, shape=False))["DCTCP's threshold"]
    after, in_place = rewritten(TEXT, marking, exported)
    changed = [(a, b) for a, b in zip(TEXT.splitlines(), after.splitlines(), strict=True) if a != b]
    assert in_place and len(changed) == 1 and changed[0][1].startswith("    random-detect minimum-threshold ")
    back = next(one for one in read_all(after) if one.title == marking.title)
    loaded = exported.params_as_loaded
    assert back.params | {"limit": loaded["limit"]} == loaded
