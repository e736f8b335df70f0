"""Queues read from IOS: policies and what the router shows of them, nested policies, defaults by code point."""

from __future__ import annotations

import pytest

import dropcurve as dc
from dropcurve.boxes import read

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


def test_the_output_of_ios_is_read() -> None:
    imported = read(SHOW)
    assert imported.params["min_th"] == [f"{low} pkts" for low in (20, 22, 24, 26, 28, 30, 32, 34)]
    assert (imported.params["limit"], imported.params["exponent"], imported.rate_bps) == ("64 pkts", 9, 1e7)


def test_values_that_ios_leaves_out_are_assumed() -> None:
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


def test_output_after_a_nested_policy_belongs_to_the_outer_one() -> None:
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


def test_a_policy_with_a_type_has_its_own_name_and_that_of_nx_os_is_none_of_ios() -> None:
    text = """policy-map type lan-queueing UP
 class type lan-queueing BULK
  bandwidth remaining percent 60
  queue-limit 90 packets
interface Gi1/1
 service-policy type lan-queueing output UP
"""
    imported = read(text, rate_bps=1e8)
    assert (imported.title, imported.params) == ("UP/BULK", {"limit": "90 pkts"})
    with pytest.raises(dc.ScenarioError, match="policy-map type queuing: is of NX-OS"):
        read(text.replace("lan-queueing", "queuing"), box="ios", rate_bps=1e8)
