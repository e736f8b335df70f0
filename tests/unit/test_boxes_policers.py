"""Policers of every box: alone they are the queue, next to one they are named with their rate and effect."""

from __future__ import annotations

import pytest

import dropcurve as dc
from dropcurve.boxes import read, read_all
from dropcurve.fixes import place


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


def test_several_policers_elsewhere_are_named_in_one_clause() -> None:
    text = (
        "tc qdisc add dev eth0 root handle 1: htb default 20\n"
        "tc class add dev eth0 parent 1: classid 1:20 htb rate 40mbit\n"
        "tc qdisc add dev eth0 parent 1:20 fq_codel\n"
        "tc filter add dev eth0 parent 1: u32 match ip dport 22 0xffff police rate 1mbit burst 10k drop flowid 1:20\n"
        "tc filter add dev eth0 ingress u32 match u32 0 0 police rate 45mbit burst 50k drop\n"
    )
    basis = place(read(text)).basis
    assert "ot simulated: policer of line 4 (1 Mbit/s) and ingress policer of line 5 (45 Mbit/s)" in basis
    assert basis.count("ot simulated") == 1
