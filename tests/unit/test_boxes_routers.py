"""Cisco, Junos, SONiC and OpenConfig: export, import, refusals."""

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
from dropcurve.errors import ScenarioError, UsageError
from dropcurve.fixes import place

RATE = 1e8
BASE: dict[str, Any] = {
    "limit": "500 pkts", "min_th": "30 pkts", "max_th": "90 pkts", "max_p": 0.1, "w_q": 2.0**-9, "spacing": "geometric",
}  # fmt: skip
ROUTERS = [box for box in BOXES if box != "linux" and "wred" in kinds(box)]

IOS = """\
policy-map UPLINK
 class VOICE
  priority 1000
 class class-default
  shape average 20000000
  queue-limit 128 packets
  random-detect dscp-based
  random-detect exponential-weighting-constant 7
  random-detect dscp 0 24 40 10
  random-detect dscp af11 30 50 20
  random-detect dscp af13 20 45 5
  random-detect ecn
interface GigabitEthernet0/1
 service-policy output UPLINK
"""
SHOW = """\
 GigabitEthernet0/1

  Service-policy output: UPLINK

    Class-map: class-default (match-any)
      1050 packets, 1590000 bytes
      Match: any
      Queueing
      queue limit 64 packets
      (queue depth/total drops/no-buffer drops) 0/12/0
      (pkts output/bytes output) 1038/1571532
      shape (average) cir 10000000, bc 40000, be 40000
      target shape rate 10000000
        Exp-weight-constant: 9 (1/512)
        Mean queue depth: 3 packets
        class       Transmitted         Random drop      Tail drop          Minimum        Maximum     Mark
                    pkts/bytes    pkts/bytes       pkts/bytes          thresh         thresh     prob

        0            1038/1571532          12/18168             0/0                 20            40  1/10
        1               0/0               0/0              0/0                 22            40  1/10
        2               0/0               0/0              0/0                 24            40  1/10
        3               0/0               0/0              0/0                 26            40  1/10
        4               0/0               0/0              0/0                 28            40  1/10
        5               0/0               0/0              0/0                 30            40  1/10
        6               0/0               0/0              0/0                 32            40  1/10
        7               0/0               0/0              0/0                 34            40  1/10
"""
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


def test_an_ios_configuration_is_read() -> None:
    imported = read(IOS)
    assert (imported.box, imported.discipline, imported.rate_bps) == ("ios", "wred", 2e7)
    assert imported.params["min_th"] == ["24 pkts", "30 pkts", "20 pkts"]
    assert (imported.params["denominator"], imported.params["exponent"], imported.params["ecn"]) == (
        [10, 20, 5],
        7,
        True,
    )
    assert any("1 is DSCP 10, 2 is DSCP 14" in note.text for note in imported.notes)


def test_what_ios_shows_is_read() -> None:
    imported = read(SHOW)
    assert imported.params["min_th"] == [f"{low} pkts" for low in (20, 22, 24, 26, 28, 30, 32, 34)]
    assert (imported.params["limit"], imported.params["exponent"], imported.rate_bps) == ("64 pkts", 9, 1e7)


def test_what_ios_does_not_say_is_assumed() -> None:
    imported = read(
        "policy-map P\n class class-default\n  random-detect\n  random-detect precedence 0 10 30 5\n"
    )
    assert imported.params["min_th"][:2] == ["10 pkts", "22 pkts"]
    assert {note.key for note in imported.notes if note.kind == "assumed"} == {"limit", "exponent", "min_th"}


NESTED = """\
class-map match-any BULK
 match ip dscp af31 af32 af33
policy-map WAN
 class VOICE
  priority percent 20
  queue-limit 32 packets
 class BULK
  bandwidth percent 50
  random-detect dscp-based
  random-detect dscp 26 32 40 10
policy-map SHAPED
 class class-default
  shape average 20m
  service-policy WAN
interface GigabitEthernet0/1
 bandwidth 100000
 service-policy output SHAPED
"""
NESTED_SHOW = """\
  Service-policy output: SHAPED
    Class-map: class-default (match-any)
      queue limit 83 packets
      shape (average) cir 20000000, bc 80000, be 80000
      target shape rate 20000000
      Service-policy : WAN
        Class-map: BULK (match-any)
          queue limit 64 packets
          bandwidth 50% (10000 kbps)
            Exp-weight-constant: 9 (1/512)
            dscp     Transmitted         Random drop      Tail drop          Minimum        Maximum     Mark
            af31      300000/300000000    300/300000         0/0                 32            40  1/10
    Class-map: LAST (match-any)
      queue limit 21 packets
"""


@pytest.mark.parametrize("text", [NESTED, NESTED_SHOW])
def test_a_class_of_a_nested_policy_has_the_rate_of_the_class_around_it(text: str) -> None:
    imported = read(text)
    assert (imported.discipline, imported.params["min_th"], imported.rate_bps) == ("wred", ["32 pkts"], 2e7)
    assert any("guaranteed 10 Mbit/s" in note.text for note in imported.notes)


def test_what_is_shown_after_a_nested_policy_belongs_to_the_one_around_it() -> None:
    assert read(NESTED_SHOW).others == ["SHAPED/LAST"], (
        "a class with a policy inside shapes, its classes queue"
    )
    assert read(NESTED_SHOW, name="LAST").rate_bps is None


def test_a_share_of_a_shaped_class_and_the_speed_of_an_interface() -> None:
    share = NESTED.replace("  bandwidth percent 50\n", "  shape average percent 25\n")
    assert read(share).rate_bps == 5e6
    bare = read(NESTED.replace("  shape average 20m\n", ""))
    assert bare.rate_bps is None
    assert any("GigabitEthernet0/1 says it has 100 Mbit/s" in note.text for note in bare.notes)


def test_dscps_that_are_not_given_have_the_defaults_of_ios() -> None:
    imported = read("policy-map P\n class DATA\n  random-detect dscp-based\n")
    assert imported.params["min_th"][:5] == [f"{low} pkts" for low in (20, 22, 32, 28, 24)]
    assert imported.params["min_th"][18] == "36 pkts", "EF"
    assert any(note.key == "min_th" and note.kind == "assumed" for note in imported.notes)


def test_times_need_a_rate() -> None:
    text = "policy-map P\n class class-default\n  queue-limit 50 ms\n  random-detect precedence 0 10 ms 30 ms 5\n"
    with pytest.raises(dc.ScenarioError, match="the link's rate must be known"):
        read(text)
    assert read(text, rate_bps=1e7).params["limit"] == "62500 B"


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


def test_an_openconfig_threshold_beyond_the_buffer_keeps_its_slope() -> None:
    text = """{"openconfig-qos:queue-management-profile": [{"name": "P", "wred": {"uniform": {"config":
    {"min-threshold": "50000", "max-threshold": "250000", "max-drop-probability-percent": 10}}}}]}"""
    imported = read(text, buffer_bytes=150_000)
    assert (imported.params["max_th"], imported.params["max_p"]) == ("150000 B", pytest.approx(0.05))


def test_a_junos_profile_of_steps() -> None:
    imported = read(JUNOS, name="steps", buffer_bytes=100_000)
    assert imported.params["curve"] == "until 80000: 0.1; 0.6"
    assert imported.params["min_th"] == "40000 B"


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


@pytest.mark.parametrize("box", ROUTERS)
def test_where_the_queue_must_form_is_said_unless_there_is_a_shaper(box: str) -> None:
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


def test_what_another_spacing_costs_is_said_with_the_remedy() -> None:
    exported = export("red", {**BASE, "spacing": "pseudocode", "max_p": 0.02}, box="ios", rate_bps=RATE)
    # Twice as much is taken by the paper's spacing as by a draw for each packet: 2 % and 1 % half way.
    assert any(
        "1 % of packets are dropped or marked instead of 2 % (max_p = 0.04" in line
        for line in exported.effect
    )


@pytest.mark.parametrize(
    ("text", "params"),
    [
        (
            "policy-map P\n class class-default\n  police cir 50000000 bc 1562500\n   exceed-action drop\n",
            {"rate": "50 Mbit/s", "burst": "1562500 B"},
        ),
        (
            "policy-map P\n class class-default\n  police 512000 64000 64000\n",
            {"rate": "512 kbit/s", "burst": "64000 B"},
        ),
        # IOS: a thirty-second of the rate in bit/s, as bytes.
        ("policy-map P\n class C\n  police cir 10000000\n", {"rate": "10 Mbit/s", "burst": "312500 B"}),
        ("policy-map P\n class C\n  police rate percent 10\n", {"rate": "2 Mbit/s", "burst": "62500 B"}),
        (
            "tc qdisc add dev eth0 handle ffff: ingress\n"
            "tc filter add dev eth0 parent ffff: protocol ip u32 match u32 0 0 police rate 10mbit burst 100k drop\n",
            {"rate": "10 Mbit/s", "burst": "102400 B"},
        ),
        (
            "set firewall policer P if-exceeding bandwidth-limit 5m\nset firewall policer P if-exceeding "
            "burst-size-limit 625k\nset firewall policer P then discard\n",
            {"rate": "5 Mbit/s", "burst": "625000 B"},
        ),
    ],
    ids=["ios", "old ios", "default burst", "percent", "tc", "junos"],
)
def test_a_text_with_policers_alone_is_that_policer(text: str, params: dict[str, str]) -> None:
    imported = read(text, rate_bps=2e7)
    assert (imported.discipline, imported.params) == ("policer", params)
    assert any("for a queue shape to that rate instead" in note.text for note in imported.notes)
    assert [one.title for one in read_all(text, rate_bps=2e7)] == [imported.title]


def test_a_policer_of_a_share_asks_for_the_rate() -> None:
    text = "policy-map P\n class C\n  police cir percent 10\n"
    for reading in (read, read_all):
        with pytest.raises(
            dc.ScenarioError, match="share of the link's rate, which is not known; give --rate"
        ):
            reading(text)
    assert read(text, rate_bps=2e7).params["rate"] == "2 Mbit/s"


def test_a_policed_priority_class_gets_no_more_than_its_policer_lets_through() -> None:
    body = " class V\n  priority\n  police cir percent 10\n class class-default\n  fair-queue\n"
    notes = {
        name: " ".join(note.text for note in read("policy-map P\n" + body, name=name, rate_bps=2e7).notes)
        for name in ("P/V", "P/class-default")
    }
    assert "gets more while others are idle" not in notes["P/V"]
    assert "gets more while others are idle" in notes["P/class-default"]


def test_a_policer_that_marks_is_no_queue_and_contradictions_are_still_refused() -> None:
    text = "policy-map P\n class C\n  police cir 1000000 conform-action transmit exceed-action set-dscp-transmit 0\n"
    with pytest.raises(dc.ScenarioError, match="no random-detect"):
        read(text)
    with pytest.raises(dc.ScenarioError, match="known here"):
        read(
            "tc qdisc add dev eth0 root noqueue\ntc filter add dev eth0 parent 1: u32 match u32 0 0 flowid 1:1\n"
        )


def test_a_policy_for_arriving_packets_cannot_shape() -> None:
    text = (
        "policy-map P\n class class-default\n  police cir 50000000\ninterface Gi1\n service-policy input P\n"
    )
    assert any("for arriving packets" in note.text for note in read(text).notes)
    assert not any("for arriving" in note.text for note in read(text.replace("input", "output")).notes)


def test_a_class_is_judged_by_the_thresholds_of_its_own_code_points() -> None:
    """IOS's defaults: AF41 and AF42 are dropped from 32 and 28 packets up, best effort from 20."""
    policy = "policy-map P\n class VIDEO\n  bandwidth percent 30\n  random-detect dscp-based\n"
    assert read(policy).params["min_th"][0] == "20 pkts"
    mapped = f"class-map match-any VIDEO\n match ip dscp af41 af42\n{policy}"
    assert read(mapped).params["min_th"] == ["32 pkts", "28 pkts"]
    stated = f"{mapped}  random-detect dscp 34 25 40 20\n  random-detect dscp 0 10 40 5\n"
    assert read(stated).params["min_th"] == ["25 pkts"]
    # A class whose map names no code point keeps every row.
    assert len(read(f"class-map match-any VIDEO\n match access-group 7\n{policy}").params["min_th"]) > 2


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


def test_policers_of_a_switch_are_named_as_lost() -> None:
    profile = '{"p": {"green_min_threshold": "100000", "green_max_threshold": "200000", "green_drop_probability": "5"}}'
    queue = '"QUEUE": {"Ethernet0|3": {"wred_profile": "p"}}'
    policer = (
        ', "POLICER": {"c": {"meter_type": "bytes", "mode": "sr_tcm", "cir": "1000000", "cbs": "100000"}}'
    )
    lost = [
        [note for note in read(f'{{"WRED_PROFILE": {profile}, {queue}{more}}}').notes if note.key == "police"]
        for more in ("", policer)
    ]
    assert [len(some) for some in lost] == [0, 1]
    assert lost[1][0].kind == "lost"
    # A meter of bytes counts them by the second.
    assert "policer c (8 Mbit/s)" in lost[1][0].text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "tc qdisc add dev eth0 root fq_codel\ntc filter add dev eth0 parent ffff: protocol ip u32 match u32 0 0 "
            "police rate 10mbit burst 100k drop flowid :1\n",
            "ingress policer of line 2 (10 Mbit/s)",
        ),
        (
            "/interface ethernet switch port\nset 1 ingress-rate=10M\n/queue simple add name=w max-limit=2M/20M\n",
            "ingress-rate of line 2 (10 Mbit/s)",
        ),
        (
            "/ip firewall filter add chain=forward action=accept limit=100,5:packet\n"
            "/queue simple add name=w max-limit=2M/20M\n",
            "firewall limit of line 1",
        ),
        (
            "ipfw pipe 1 config bw 20Mbit/s\nngctl mkpeer em0: car upper out\n"
            "ngctl msg em0:upper setconf { upstream={ cir=10000000 cbs=125000 car=1 } }\n",
            "ng_car of line 3 (10 Mbit/s)",
        ),
        (
            "set firewall policer P if-exceeding bandwidth-limit 5m\nset firewall policer P then discard\n"
            "set class-of-service schedulers be buffer-size temporal 50k\n"
            "set class-of-service schedulers be transmit-rate 20m\n",
            "policer P (5 Mbit/s)",
        ),
        (
            '{"openconfig-qos:qos": {"queue-management-profiles": {"queue-management-profile": [{"name": "p", "wred": '
            '{"uniform": {"config": {"min-threshold": "100000", "max-threshold": "200000", '
            '"max-drop-probability-percent": 5}}}}]}, "x": {"one-rate-two-color": {"config": {"cir": "10000000"}}}}}',
            "one-rate-two-color (10 Mbit/s)",
        ),
    ],
    ids=["tc", "mikrotik port", "mikrotik rule", "dummynet", "junos", "openconfig"],
)
def test_policers_of_every_box_are_named_with_their_rate_and_their_meaning(text: str, named: str) -> None:
    notes = [note for note in read(text, rate_bps=2e7).notes if note.key == "police"]
    assert notes and notes[0].kind == "lost"
    assert named in " ".join(note.text for note in notes)
    assert "no queue forms" in notes[0].text


def test_vyos_puts_a_queue_into_the_class_that_it_replaces_and_cake_into_none() -> None:
    exported = export("fq_codel", {"limit": "100 pkts"}, box="vyos", rate_bps=1e7, inside="WAN/class 10")
    lines = exported.text.splitlines()
    assert lines[0] == "set qos policy shaper WAN class 10 queue-type fq-codel"
    assert all(line.startswith("set qos policy shaper WAN class 10 ") for line in lines)
    assert (exported.discipline_as_loaded, exported.params_as_loaded["limit"]) == ("fq_codel", "100 pkts")
    with pytest.raises(dc.ScenarioError, match="not in a class of a shaper"):
        export("cake", {}, box="vyos", rate_bps=1e7, inside="WAN/class 10")


def test_the_priority_of_a_class_of_vyos_is_named_as_lost() -> None:
    text = (
        "set qos policy shaper OUT bandwidth 30mbit\nset qos policy shaper OUT class 7 bandwidth 40%\n"
        "set qos policy shaper OUT class 7 priority 2\nset qos policy shaper OUT default bandwidth 60%\n"
    )
    first, rest = read_all(text)
    assert [note.key for note in first.notes if note.kind == "lost"] == ["priority"]
    assert not [note for note in rest.notes if note.key == "priority"]


def test_a_policy_of_ios_in_two_classes_names_the_one_that_was_not_taken() -> None:
    parents = "".join(
        f"policy-map {name}\n class class-default\n  shape average {rate}\n  service-policy INNER\n"
        for name, rate in (("EAST", 40_000_000), ("WEST", 15_000_000))
    )
    text = "policy-map INNER\n class class-default\n  queue-limit 90 packets\n" + parents
    imported = read(text, name="INNER/class-default")
    assert imported.rate_bps == 15e6
    (note,) = [one for one in imported.notes if one.key == "service-policy"]
    assert note.text == "EAST/class-default holds this policy too: the rate is that of WEST/class-default"
    alone = read(text.partition("policy-map WEST")[0], name="INNER/class-default")
    assert alone.rate_bps == 40e6 and not [one for one in alone.notes if one.key == "service-policy"]


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
