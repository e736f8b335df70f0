"""Every kind of queue on every box: an exported and imported queue is exported again as the same text, and
contradictory settings are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dropcurve as dc
from dropcurve.boxes import BOXES, export, kinds, read, tc_numbers
from dropcurve.quantities import units

RATE = 100e6
RED = {"limit": "500 pkts", "min_th": "30 pkts", "max_th": "90 pkts", "max_p": 0.1}
#: Settings of the kinds whose defaults some box cannot express, or that are tested with more classes.
SETTINGS: dict[str, dict[str, Any]] = {
    "curve": {"limit": "250000 B", "unit": "bytes", "curve": "points 50000 0, 125000 0.2, 200000 1"},
    "wred": {"limit": "500 pkts", "min_th": ["30 pkts", "40 pkts"], "max_th": ["90 pkts"], "denominator": [10, 20]},
    "gred": {"limit": "500 pkts", "min_th": ["30 pkts", "40 pkts"], "max_th": ["90 pkts"]},
    "prio": {
        "bands": ["plain", {"kind": "red", **RED}], "class_by": "precedence", "band_of": [1, 1, 1, 1, 1, 0],
    },
}  # fmt: skip
EVERY = [(box, kind) for box in BOXES for kind in kinds(box)]


def asked(box: str, kind: str) -> dict[str, Any]:
    """Parameters that the box takes."""
    if kind not in SETTINGS:
        return {}
    params = dict(SETTINGS[kind])
    if box in ("openconfig", "nxos"):
        params = {key: value[:1] if isinstance(value, list) else value for key, value in params.items()}
    return params | ({"dp_limit": ["300 pkts"]} if (box, kind) == ("linux", "gred") else {})


@pytest.mark.parametrize("shape", [False, True])
@pytest.mark.parametrize(("box", "kind"), EVERY)
def test_an_imported_queue_is_exported_as_the_same(box: str, kind: str, shape: bool) -> None:
    exported = export(kind, asked(box, kind), box=box, rate_bps=RATE, shape=shape)
    limit = str(exported.params_as_loaded.get("limit", "500 pkts"))
    room = round(units.packets(limit, packet_bytes=1500) * 1500)
    back, params = read(exported.text, rate_bps=RATE, buffer_bytes=None if kind == "prio" else room).placed
    assert (back, params) == (exported.discipline_as_loaded, exported.params_as_loaded)
    again = export(back, params, box=box, rate_bps=RATE, shape=shape)
    assert (again.discipline_as_loaded, again.params_as_loaded) == (back, params)
    # A probability may get more digits in the second export; from then on the text stays the same.
    third = export(again.discipline_as_loaded, again.params_as_loaded, box=box, rate_bps=RATE, shape=shape)
    assert third.text == again.text


@pytest.mark.parametrize(
    ("box", "kind"), [one for one in EVERY if one[1] in ("red", "wred", "gred", "choke")]
)
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"min_th": "90 pkts", "max_th": "30 pkts"}, "must exceed min_th"),
        ({"limit": "60 pkts"}, "limit"),
        ({"max_p": 1.5}, "must lie in"),
    ],
)
def test_a_contradiction_is_refused_on_every_box(
    box: str, kind: str, wrong: dict[str, Any], words: str
) -> None:
    several = kind in SETTINGS
    one = {**RED, **wrong}
    settings: dict[str, Any] = {
        key: [one[key]] if several and key.endswith("_th") else one[key] for key in ("limit", "min_th", "max_th")
    }  # fmt: skip
    name = {"wred": "denominator", "gred": "probability"}.get(kind, "max_p")
    value = 1.0 / one["max_p"] if kind == "wred" else one["max_p"]
    settings[name] = [value] if several else value
    with pytest.raises(dc.ScenarioError, match=words):
        export(kind, settings, box=box, rate_bps=RATE)


@given(st.integers(2, 10_000_000))
def test_a_time_of_codel_survives_being_written_again(micro: int) -> None:
    loaded = tc_numbers.codel_time(micro / 1e6)
    assert tc_numbers.codel_time(tc_numbers.codel_time_written(loaded)) == loaded
    assert tc_numbers.codel_time_written(loaded) * 1e6 <= micro + 1e-6


@pytest.mark.parametrize(
    ("written", "loaded"), [("0.16", 40), ("0.16015625", 41), ("0.160156", 41), ("3.2", 819)]
)
def test_a_gain_of_dualpi2_is_cut_to_256ths(written: str, loaded: int) -> None:
    text = f"tc qdisc replace dev eth0 root dualpi2 limit 1000 alpha {written}\n"
    assert read(text).params["alpha"] == loaded / 256
    assert (
        read(export("dualpi2", {"alpha": loaded / 256}, box="linux", rate_bps=RATE).text).params["alpha"]
        == loaded / 256
    )


def test_steps_of_a_drop_profile_stay_steps() -> None:
    lines = [f"set class-of-service drop-profiles P fill-level {fill} drop-probability {share}"
             for fill, share in ((25, 10), (50, 40), (75, 100))]  # fmt: skip
    imported = read("\n".join(lines), buffer_bytes=750_000)
    exported = export(imported.discipline, imported.params, box="junos", rate_bps=RATE, name="P")
    assert exported.text.splitlines()[:3] == lines
    assert exported.params_as_loaded == imported.params
    with pytest.raises(dc.ScenarioError, match="Junos has points and steps"):
        export("curve", {}, box="junos", rate_bps=RATE)
