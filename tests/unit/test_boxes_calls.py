"""What the classes of a configuration are for, by their code points: calls alone, video, pages, transfers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dropcurve import boxes, metrics, run
from dropcurve.boxes import code_points
from dropcurve.cli import invoke
from dropcurve.fixes import place

JUNOS = """
set class-of-service schedulers be buffer-size temporal 50k
set class-of-service schedulers calls buffer-size temporal 20k
set class-of-service scheduler-maps m forwarding-class best-effort scheduler be
set class-of-service scheduler-maps m forwarding-class expedited-forwarding scheduler calls
"""
CLASSIFIER = (
    "set class-of-service classifiers dscp c forwarding-class expedited-forwarding loss-priority low "
    "code-points "
)
TERM = "set firewall family inet filter f term t"
LINUX = """
tc qdisc add dev eth0 root handle 1: htb default 20
tc class add dev eth0 parent 1: classid 1:10 htb rate 1mbit
tc class add dev eth0 parent 1: classid 1:20 htb rate 9mbit
tc qdisc add dev eth0 parent 1:20 fq_codel
tc qdisc add dev eth0 parent 1:10 pfifo limit 20
"""
U32 = "tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip"
VYOS = """
set qos policy shaper WAN bandwidth 10mbit
set qos policy shaper WAN default bandwidth 90%
set qos policy shaper WAN default queue-type fq-codel
set qos policy shaper WAN class 10 bandwidth 10%
set qos policy shaper WAN class 10 queue-type drop-tail
set qos interface eth0 egress WAN
"""
MATCH = "set qos policy shaper WAN class 10 match"


def sonic(classes: dict[str, str]) -> str:
    profile = {
        "wred_green_enable": "true", "green_min_threshold": "100000", "green_max_threshold": "200000",
        "green_drop_probability": "5",
    }  # fmt: skip
    return json.dumps({
        "WRED_PROFILE": {"BULK": profile, "CALLS": profile},
        "QUEUE": {"Ethernet0|0-1": {"wred_profile": "BULK"}, "Ethernet0|5": {"wred_profile": "CALLS"}},
        "DSCP_TO_TC_MAP": {"AZURE": classes}, "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "1": "1", "5": "5"}},
    })  # fmt: skip


@pytest.mark.parametrize(
    ("text", "voice"),
    [
        (JUNOS, True),
        (JUNOS + CLASSIFIER + "101110", True),
        (JUNOS + CLASSIFIER + "[ ef af41 ]", False),
        (JUNOS + CLASSIFIER.replace(" dscp ", " inet-precedence ") + "101", False),
        (JUNOS.replace("expedited", "assured"), False),
        (f"{JUNOS}{TERM} from dscp ef\n{TERM} then forwarding-class expedited-forwarding", True),
        (f"{JUNOS}{TERM} from port 5060\n{TERM} then forwarding-class expedited-forwarding", False),
        (LINUX, False),
        (f"{LINUX}{U32} dsfield 0xb8 0xfc flowid 1:10", True),
        (f"{LINUX}{U32} dsfield 0xb8 0xfc flowid 1:20", False),
        (f"{LINUX}{U32} dsfield 0xb8 0xe0 flowid 1:10", False),
        (f"{LINUX}{U32} dport 5060 0xffff flowid 1:10", False),
        (f"{LINUX}tc filter add dev eth0 parent 1: protocol ip flower ip_tos b8/fc classid 1:10", True),
        (f"{LINUX}tc filter del dev eth0 parent 1: protocol ip flower ip_tos b8/fc classid 1:10", False),
        (f"{VYOS}{MATCH} VOIP ip dscp EF", True),
        (f"{VYOS}{MATCH} VOIP ip dscp EF\n{MATCH} SIP ip destination port 5060", False),
        (f"{VYOS}{MATCH} VOIP ip dscp AF41", False),
        (sonic({"46": "5", "0": "0"}), True),
        (sonic({"46": "5", "40": "5"}), False),
        (sonic({"0": "0"}), False),
    ],
)
def test_the_queue_of_calls_is_known_by_its_code_points(text: str, voice: bool) -> None:
    calls = [one.title for one in boxes.read_all(text, rate_bps=1e7) if one.calls_alone]
    assert len(calls) == voice and set(calls) <= {"calls", "dev eth0 parent 1:10", "WAN/class 10", "CALLS"}


def test_a_default_class_has_the_rest_whatever_its_filters() -> None:
    text = LINUX.replace("default 20", "default 10") + f"{U32} dsfield 0xb8 0xfc flowid 1:10"
    assert not any(one.calls_alone for one in boxes.read_all(text))


def test_fix_of_another_box_does_not_judge_calls_with_transfers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tc.sh").write_text(f"{LINUX}{U32} dsfield 0xb8 0xfc flowid 1:10\n", encoding="utf-8")
    words = ["fix", str(tmp_path / "tc.sh"), "--time", "0s", "--duration", "3s", "--replications", "2"]
    assert invoke([*words, "--json"]) == 0
    seen = capsys.readouterr()
    assert [one["queue"] for one in json.loads(seen.out)["queues"]] == ["dev eth0 parent 1:20"]
    assert "dev eth0 parent 1:10: calls alone (DSCP EF)" in seen.err


@pytest.mark.parametrize(
    ("word", "point"),
    [
        ("EF", 46),
        ("46", 46),
        ("0x2e", 46),
        ("af41", 34),
        ("voice-admit", 44),
        ("64", None),
        ("0xzz", None),
        ("rtp", None),
    ],
)
def test_a_code_point_has_a_name_or_a_number(word: str, point: int | None) -> None:
    assert code_points.number(word) == point


@pytest.mark.parametrize(
    ("matched", "groups"),
    [
        ("af41 af42", {"video", "call"}),
        ("af31 ef", {"video", "call"}),
        ("af21", {"download", "web"}),
        ("af11 cs1", {"download"}),
        ("le", {"download"}),
        ("af41 cs1", {"download", "video", "call"}),
        ("cs6", {"download", "upload", "web", "video", "call", "game"}),
        ("af41 default", {"download", "upload", "web", "video", "call", "game"}),
    ],
)
def test_a_class_is_judged_with_the_traffic_of_its_code_points(matched: str, groups: set[str]) -> None:
    text = (
        f"class-map match-any OWN\n match dscp {matched}\n!\npolicy-map WAN\n class OWN\n  bandwidth 8000\n"
        "  queue-limit 64 packets\n class class-default\n  queue-limit 64 packets\n"
    )
    own, rest = boxes.read_all(text, rate_bps=2e7)
    assert set(place(own, rate_bps=2e7).base.get("flows")) == groups
    assert set(place(rest, rate_bps=2e7).base.get("flows")) >= {"download", "web", "call", "game"}
    assert "download" in place(own, rate_bps=2e7, flows=3).base.get("flows")


def test_viewers_fill_the_queue_of_a_class_of_video() -> None:
    text = "class-map V\n match dscp af41\n!\npolicy-map WAN\n class V\n  bandwidth 8000\n  queue-limit 64 packets\n"
    base = place(boxes.read(text), rate_bps=2e7).base
    assert base.get("flows.video.count") == 4
    result = run(base.edit([("run.duration", "30 s"), ("run.warmup", "10 s")]))
    for one in result.variants[0].runs:
        assert (metrics.value(one, "utilisation") or 0.0) > 90.0


def test_a_class_of_video_is_compared_although_the_formulas_do_not_know_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "class-map V\n match dscp af41\n!\npolicy-map WAN\n class V\n  bandwidth 4000\n  queue-limit 64 packets\n"
    (tmp_path / "r.cfg").write_text(
        f"{text} class class-default\n  queue-limit 64 packets\n", encoding="utf-8"
    )
    words = ["import", str(tmp_path / "r.cfg"), "--rate", "9Mbit", "--name", "WAN/V", "--compare"]
    assert invoke([*words, "--duration", "4s", "--replications", "2"]) == 0
    shown = capsys.readouterr().out
    assert "your queue of WAN/V" in " ".join(shown.split()) and "advised RED" not in shown
