"""Queues of Cisco, Junos, SONiC, OpenConfig and other routers: exported, read back as loaded, or refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dropcurve as dc
from dropcurve.boxes import BOXES, export, kinds, read, read_all
from dropcurve.boxes.front import DOWNWARDS
from dropcurve.boxes.link import profile, scenario

RATE = 1e8
BASE: dict[str, Any] = {
    "limit": "500 pkts", "min_th": "30 pkts", "max_th": "90 pkts", "max_p": 0.1, "w_q": 2.0**-9, "spacing": "geometric",
}  # fmt: skip
ROUTERS = [box for box in BOXES if box != "linux" and "wred" in kinds(box)]
JUNOS = """\
class-of-service {
    /* the uplink */
    drop-profiles {
        steep {
            interpolate {
                fill-level [ 25 50 75 ];
                drop-probability [ 0 20 100 ];
            }
        }
        steps {
            fill-level 40 drop-probability 10;
            fill-level 80 drop-probability 60;
        }
    }
    interfaces {
        ge-0/0/0 {
            scheduler-map uplink;
            shaping-rate 50m;
        }
    }
    scheduler-maps {
        uplink {
            forwarding-class best-effort scheduler be;
        }
    }
    schedulers {
        be {
            buffer-size temporal 40k;
            drop-profile-map loss-priority any protocol any drop-profile steep;
            explicit-congestion-notification;
        }
    }
}
"""


@pytest.mark.parametrize("box", ROUTERS)
@pytest.mark.parametrize(
    "asked", [BASE, {**BASE, "ecn": True}, {**BASE, "max_p": 0.013, "w_q": 0.0017, "min_th": "33 pkts"}]
)
def test_red_comes_back_as_loaded(box: str, asked: dict[str, Any]) -> None:
    exported = export("red", asked, box=box, rate_bps=RATE, shape=True)
    imported = read(exported.text, rate_bps=RATE, buffer_bytes=750_000)
    assert imported.box == box
    assert (imported.discipline, imported.params) == (
        exported.discipline_as_loaded,
        exported.params_as_loaded,
    )
    # The queue that describes a box's behaviour is valid in the simulator.
    link = scenario(imported.discipline, imported.params, link=profile(RATE, (0.04, 0.04), 2, ecn=False))
    assert link.get("queue.kind") == imported.discipline


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(1, 500), st.integers(1, 500), st.integers(1, 65535)), min_size=1, max_size=8),
    exponent=st.integers(1, 16), ecn=st.booleans(),
)  # fmt: skip
def test_wred_comes_back_from_ios_unchanged(
    rows: list[tuple[int, int, int]], exponent: int, ecn: bool
) -> None:
    asked = {
        "limit": "1000 pkts", "min_th": [f"{low} pkts" for low, _, _ in rows],
        "max_th": [f"{low + width} pkts" for low, width, _ in rows], "denominator": [one for _, _, one in rows],
        "exponent": exponent, "ecn": ecn,
    }  # fmt: skip
    exported = export("wred", asked, box="ios", rate_bps=RATE)
    assert [note for note in exported.notes if note.kind == "rounded"] == []
    imported = read(exported.text)
    assert (imported.discipline, imported.params) == (
        exported.discipline_as_loaded,
        exported.params_as_loaded,
    )
    assert exported.effect == []


@settings(max_examples=40, deadline=None)
@given(
    low=st.integers(2, 400),
    width=st.integers(10, 400),
    share=st.integers(1, 100),
    box=st.sampled_from(ROUTERS),
)
def test_whole_percents_and_packets_are_not_changed(low: int, width: int, share: int, box: str) -> None:
    """1000 packets of buffer, so that ten packets are a percent of it."""
    asked = {
        **BASE,
        "limit": "1000 pkts",
        "min_th": f"{10 * (low // 10 + 1)} pkts",
        "max_th": f"{10 * (low // 10 + 1 + width // 10)} pkts",
    }
    asked["max_p"] = 1.0 / round(100 / share) if box == "ios" else share / 100.0
    exported = export("red", asked, box=box, rate_bps=RATE)
    assert [str(note) for note in exported.notes if note.kind == "rounded"] == []
    imported = read(exported.text, rate_bps=RATE, buffer_bytes=1_500_000)
    assert (imported.discipline, imported.params) == (
        exported.discipline_as_loaded,
        exported.params_as_loaded,
    )


def test_the_configuration_of_ios() -> None:
    exported = export(
        "red",
        {**BASE, "max_p": 0.0109, "ecn": True},
        box="ios",
        rate_bps=RATE,
        shape=True,
        name="UP",
        dev="Gi1",
    )
    lines = exported.text.splitlines()
    assert lines[:4] == [
        "policy-map UP",
        " class class-default",
        "  shape average 100000000",
        "  queue-limit 500 packets",
    ]
    assert "  random-detect exponential-weighting-constant 9" in lines
    assert "  random-detect precedence 7 30 90 92" in lines
    assert lines[-3:] == ["interface Gi1", " service-policy output UP", "!"]
    assert any(note.key == "max_p" and "1/92" in note.text for note in exported.notes)


def test_the_configuration_of_junos() -> None:
    exported = export("red", {**BASE, "max_p": 0.0109}, box="junos", rate_bps=RATE)
    assert "interpolate fill-level [ 6 18 19 ]" in exported.text
    assert "interpolate drop-probability [ 0 1 100 ]" in exported.text
    assert "buffer-size temporal 60000" in exported.text  # 500 packets of 1500 bytes at 100 Mbit/s
    assert {note.key for note in exported.notes} >= {"max_p", "w_q"}


def test_the_configurations_of_sonic_and_openconfig() -> None:
    sonic = json.loads(export("red", BASE, box="sonic", rate_bps=RATE, shape=True).text)
    profile = sonic["WRED_PROFILE"]["DROPCURVE"]
    assert (
        profile["green_min_threshold"],
        profile["green_max_threshold"],
        profile["green_drop_probability"],
    ) == ("45000", "135000", "10")
    assert sonic["QUEUE"]["Ethernet0|0"]["wred_profile"] == "DROPCURVE"
    shaper = sonic["SCHEDULER"]["DROPCURVE"]
    assert (shaper["cir"], shaper["pir"]) == ("12500000", "12500000"), "a peak rate needs a committed one"
    tree = json.loads(export("red", BASE, box="openconfig", rate_bps=RATE).text)
    config = tree["openconfig-qos:qos"]["queue-management-profiles"]["queue-management-profile"][0]["wred"][
        "uniform"
    ]["config"]
    assert config == {
        "min-threshold": "45000", "max-threshold": "135000", "enable-ecn": False, "drop": True, "weight": 9,
        "max-drop-probability-percent": 10,
    }  # fmt: skip


@pytest.mark.parametrize("box", ["sonic", "openconfig"])
def test_a_switch_counts_in_cells(box: str) -> None:
    """45000 and 135000 bytes are 216.3 and 649.04 cells of 208."""
    exported = export("red", BASE, box=box, rate_bps=RATE, cell=208)
    assert (exported.params_as_loaded["min_th"], exported.params_as_loaded["max_th"]) == (
        f"{216 * 208} B",
        f"{649 * 208} B",
    )
    assert any("216 cells of 208" in note.text for note in exported.notes)
    with pytest.raises(dc.UsageError, match="cell: ios has no such option"):
        export("red", BASE, box="ios", rate_bps=RATE, cell=208)


def test_a_junos_stanza_and_its_set_form_are_the_same() -> None:
    imported = read(JUNOS)
    assert (imported.discipline, imported.rate_bps, imported.params["ecn"]) == ("curve", 5e7, True)
    assert imported.params["limit"] == "250000 B"  # 40 ms at 50 Mbit/s
    assert imported.params["curve"] == "points 62500 0, 125000 0.2, 187500 1"
    from dropcurve.boxes.junos_read import statements

    lines = "\n".join("set " + " ".join(words) for words in statements(JUNOS))
    assert read(lines).params == imported.params


def test_junos_draws_its_lines_from_zero_to_everything() -> None:
    text = (
        "set class-of-service drop-profiles p interpolate fill-level [ 40 70 ] drop-probability [ {} 30 ]\n"
    )
    imported = read(text.format(0), buffer_bytes=100_000)
    assert imported.params["curve"] == "points 40000 0, 70000 0.3, 100000 1"
    imported = read(text.format(10), buffer_bytes=100_000)
    assert imported.params["curve"] == "points 0 0, 40000 0.1, 70000 0.3, 100000 1"


def test_the_junos_profile_that_a_scheduler_uses_is_taken_with_what_the_queue_is_promised() -> None:
    text = """class-of-service {
        drop-profiles { first { fill-level 100 drop-probability 100; }
            used { interpolate { fill-level [ 40 70 ]; drop-probability [ 0 30 ]; } } }
        interfaces { ge-0/0/0 { scheduler-map m; shaping-rate 50m; } }
        schedulers { ef { transmit-rate percent 40; buffer-size temporal 20k; }
            be { transmit-rate percent 60; buffer-size temporal 40k;
                drop-profile-map loss-priority any protocol any drop-profile used; } } }"""
    imported = read(text)
    assert (imported.params["limit"], imported.params["max_th"], imported.others) == (
        "250000 B",
        "250000 B",
        ["ef"],
    )
    assert any("guaranteed 30 Mbit/s" in note.text for note in imported.notes)


def test_a_junos_profile_of_steps() -> None:
    imported = read(JUNOS, name="steps", buffer_bytes=100_000)
    assert imported.params["curve"] == "until 80000: 0.1; 0.6"
    assert imported.params["min_th"] == "40000 B"


@pytest.mark.parametrize("box", ROUTERS)
def test_the_place_of_the_queue_is_noted_unless_there_is_a_shaper(box: str) -> None:
    plain, shaped = (export("red", BASE, box=box, rate_bps=RATE, shape=shape) for shape in (False, True))
    note_text = "must itself be the bottleneck of"
    assert sum(note_text in str(note) for note in plain.notes) == 1
    assert not any(note_text in str(note) for note in shaped.notes)


@pytest.mark.parametrize("box", ROUTERS)
@pytest.mark.parametrize(
    ("kind", "asked", "words"),
    [
        ("codel", {}, "has no such queue"),
        ("red", {**BASE, "max_th": "20 pkts"}, "must exceed min_th"),
        ("red", {**BASE, "limit": "60 pkts"}, "lies above the limit"),
        ("red", {**BASE, "max_p": 0.0}, "max_p"),
    ],
)
def test_contradictions_are_refused(box: str, kind: str, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(dc.ScenarioError, match=words):
        export(kind, asked, box=box, rate_bps=RATE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "policy-map P\n class C\n  random-detect precedence 0 40 20 10\n",
            "minimum threshold must lie below",
        ),
        ("policy-map P\n class C\n  random-detect dscp af99 10 20 10\n", "is no DSCP"),
        (
            "set class-of-service drop-profiles P interpolate fill-level [ 50 20 ] drop-probability [ 0 100 ]",
            "must rise",
        ),
        (
            "set class-of-service drop-profiles P interpolate fill-level [ 50 ] drop-probability [ 0 100 ]",
            "as many prob",
        ),
        (
            "set class-of-service drop-profiles P interpolate fill-level [ 5 9 ] drop-probability [ 0 100 ]",
            "give --buffer",
        ),
        (
            '{"WRED_PROFILE": {"A": {"green_min_threshold": "9", "green_max_threshold": "5"}}}',
            "must not exceed",
        ),
        ('{"WRED_PROFILE": {}}', "is not there"),
        ('{"WRED_PROFILE": ', "is not JSON"),
        ('[{"WRED_PROFILE": {}}]', "is a list, where an object"),
        ('{"queue-management-profile": [{"name": "A"}]}', "neither wred nor red"),
    ],
)
def test_texts_that_are_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(dc.ScenarioError, match=words) as error:
        read(text, origin="router.cfg")
    assert len(error.value.lines()) == 1
    assert error.value.lines()[0].startswith("router.cfg: ")


@pytest.mark.parametrize("box", ["junos", "sonic", "openconfig"])
def test_more_classes_than_a_box_has(box: str) -> None:
    with pytest.raises(dc.ScenarioError, match=r"min_th = 8 classes: .*; merge some"):
        export("wred", {}, box=box, rate_bps=RATE)


def test_a_text_of_no_known_kind() -> None:
    with pytest.raises(dc.UsageError, match="the kind of the configuration is not recognised"):
        read("hello\n")
    with pytest.raises(dc.UsageError, match="box = arista: must be one of"):
        read("hello\n", box="arista")


def test_the_cost_of_another_spacing_is_noted_with_the_remedy() -> None:
    exported = export("red", {**BASE, "spacing": "pseudocode", "max_p": 0.02}, box="ios", rate_bps=RATE)
    # Twice as much is taken by the paper's spacing as by a draw for each packet: 2 % and 1 % half way.
    assert any(
        "1 % of packets are dropped or marked instead of 2 % (max_p = 0.04" in line
        for line in exported.effect
    )


@pytest.mark.parametrize(("direction", "letter", "other"), [("up", "e", "download"), ("down", "i", "upload")])
def test_a_section_of_sqm_has_the_queue_in_its_direction(direction: str, letter: str, other: str) -> None:
    params = {"limit": "1001 pkts", "target": "8 ms"}
    exported = export("fq_codel", params, box="sqm", rate_bps=2e7, direction=direction)
    assert f"option {direction}load '20000'" in exported.text
    assert f"option {other} '0'" in exported.text
    assert f"option {letter}target '8ms'" in exported.text
    assert any(note.key == other and "not shaped" in note.text for note in exported.notes)
    both = export("fq_codel", params, box="sqm", rate_bps=2e7, direction=direction, other_bps=3e6)
    assert f"option {other} '3000'" in both.text
    back = read(both.text, name=f"{direction}load")
    assert back.rate_bps == 2e7
    assert back.params["target"] == "7.999488 ms"
    assert read(both.text, name=other).params["target"] == "4.999168 ms", "the script's own"


def test_the_queue_of_what_users_receive_is_that_of_the_interface_towards_them() -> None:
    exports = [export("codel", {}, box="linux", rate_bps=2e7, direction=one) for one in ("down", "up", "")]
    assert [DOWNWARDS in one.notes for one in exports] == [True, False, False]


def test_vyos_puts_a_queue_into_the_class_that_it_replaces_and_cake_into_none() -> None:
    exported = export("fq_codel", {"limit": "100 pkts"}, box="vyos", rate_bps=1e7, inside="WAN/class 10")
    lines = exported.text.splitlines()
    assert lines[0] == "set qos policy shaper WAN class 10 queue-type fq-codel"
    assert all(line.startswith("set qos policy shaper WAN class 10 ") for line in lines)
    assert (exported.discipline_as_loaded, exported.params_as_loaded["limit"]) == ("fq_codel", "100 pkts")
    with pytest.raises(dc.ScenarioError, match="not in a class of a shaper"):
        export("cake", {}, box="vyos", rate_bps=1e7, inside="WAN/class 10")


def test_classes_of_vyos_in_braces_whose_queues_have_no_options() -> None:
    text = """qos {
        policy {
            shaper WAN {
                bandwidth 45mbit
                class 10 {
                    bandwidth 20%
                    match VOICE { ip { dscp EF } }
                    queue-type fair-queue
                }
                default { bandwidth 40%
                    queue-type random-detect }
            }
        }
    }"""
    voice, rest = read_all(text)
    assert (voice.title, voice.discipline, voice.rate_bps, voice.calls_alone) == (
        "WAN/class 10",
        "sfq",
        9e6,
        True,
    )
    assert (rest.title, rest.discipline, rest.rate_bps) == ("WAN/default", "red", 18e6)


def test_the_priority_of_a_class_of_vyos_is_named_as_lost() -> None:
    text = (
        "set qos policy shaper OUT bandwidth 30mbit\nset qos policy shaper OUT class 7 bandwidth 40%\n"
        "set qos policy shaper OUT class 7 priority 2\nset qos policy shaper OUT default bandwidth 60%\n"
    )
    first, rest = read_all(text)
    assert [note.key for note in first.notes if note.kind == "lost"] == ["priority"]
    assert not [note for note in rest.notes if note.key == "priority"]


def test_a_parent_of_routeros_holds_no_packets_and_shapes_its_leaves() -> None:
    text = (
        "/queue tree\n"
        "add max-limit=40M name=all parent=ether1\n"
        "add name=voip limit-at=2M parent=all priority=1 queue=default-small\n"
        "add name=bulk limit-at=30M max-limit=35M parent=all queue=default\n"
        "add max-limit=10M name=alone parent=ether2\n"
    )
    rates = {one.title: (one.rate_bps, one.share_bps) for one in read_all(text)}
    assert rates == {"voip": (40e6, 2e6), "bulk": (35e6, 30e6), "alone": (10e6, None)}


@pytest.mark.parametrize("box", ["sonic", "openconfig"])
def test_switches_mark_above_the_upper_threshold_where_they_mark(box: str) -> None:
    exported = export("red", {**BASE, "ecn": True}, box=box, rate_bps=RATE)
    assert exported.params_as_loaded["ecn_forced"] == "mark"
    assert read(exported.text, box=box).params["ecn_forced"] == "mark"
    assert "ecn_forced" not in export("red", {**BASE, "ecn": False}, box=box, rate_bps=RATE).params_as_loaded


def test_a_step_over_the_present_queue_loses_nothing_on_a_switch() -> None:
    step = {"limit": "500 pkts", "min_th": "24 pkts", "max_th": "25 pkts", "max_p": 1.0, "w_q": 0.999999,
            "spacing": "geometric", "ecn": True, "ecn_forced": "mark"}  # fmt: skip
    exported = export("red", step, box="sonic", rate_bps=RATE)
    assert {note.key for note in exported.notes if note.kind == "lost"} == {"limit"}
