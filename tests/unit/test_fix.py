"""A configuration with its queue replaced, and when it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dropcurve import boxes
from dropcurve.boxes import rewrite
from dropcurve.cli import fix as fix_verb
from dropcurve.cli import invoke
from dropcurve.cli.configurations import lasting, round_trip
from dropcurve.cli.import_ import _rivals
from dropcurve.errors import DropcurveError
from dropcurve.fixes import (
    QueueFix,
    Thoroughness,
    budget,
    configuration,
    directions,
    elimination,
    fix,
    place,
)
from dropcurve.fixes.designs import designs, loadable, tuned
from dropcurve.fixes.elimination import Elimination, contenders
from dropcurve.fixes.queues import LEVEL, YOURS, _fair_first
from dropcurve.quantities import units
from dropcurve.results import Result, Variant
from dropcurve.results.series import Series
from dropcurve.runs.effort import Effort
from dropcurve.runs.replicate import replicate
from dropcurve.scenario import Scenario
from dropcurve.verdict import Bound, Criterion, SampledDesign, Verdict, decide, headline

SQM = """# uplink
tc qdisc add dev eth1 root handle 1: htb default 10
tc class add dev eth1 parent 1: classid 1:10 htb rate 2mbit ceil 2mbit
tc qdisc add dev eth1 parent 1:10 handle 10: pfifo limit 100
tc filter add dev eth1 parent 1: prio 1 u32 match ip dport 22 0xffff flowid 1:10
"""
IOS = """policy-map WAN
 class VOICE
  priority percent 10
 class BULK
  bandwidth percent 40
  random-detect
  random-detect precedence 0 6 12 10
 class class-default
  queue-limit 64 packets
!
interface GigabitEthernet0/1
 service-policy output WAN
"""


def test_a_queue_of_linux_changes_and_its_shaper_class_and_filter_stay() -> None:
    imported = boxes.read(SQM)
    exported = boxes.export("codel", {"limit": "100 pkts"}, box="linux", rate_bps=2e6)
    text, in_place = rewrite.rewritten(SQM, imported, exported)
    assert in_place
    old, new = SQM.splitlines(), text.splitlines()
    assert [line for line in old if line not in new] == [old[3]]
    (line,) = [line for line in new if line not in old]
    assert line.startswith("tc qdisc replace dev eth1 parent 1:10 handle 10: codel limit 100 target 5ms")
    assert boxes.read(text).discipline == "codel"


def test_a_queue_at_the_root_gets_a_shaper_on_its_own_interface() -> None:
    before = "tc qdisc add dev wan0 root pfifo limit 100\n"
    exported = boxes.export("codel", {"limit": "100 pkts"}, box="linux", rate_bps=2e6, shape=True)
    text, _ = rewrite.rewritten(before, boxes.read(before), exported)
    assert text.count("dev wan0") == 3
    assert "eth0" not in text
    assert boxes.read(text).rate_bps == 2e6


def test_what_a_box_printed_is_not_rewritten_but_answered_with_commands() -> None:
    before = "qdisc pfifo 8001: root refcnt 2 limit 100p\n"
    exported = boxes.export("codel", {"limit": "100 pkts"}, box="linux", rate_bps=2e6)
    text, in_place = rewrite.rewritten(before, boxes.read(before), exported)
    assert (text, in_place) == (exported.text, False)


def test_a_command_over_several_lines_is_replaced_as_a_whole() -> None:
    before = (
        "IF=eth1\ntc qdisc add dev $IF root handle 1: \\\n    htb default 10\n"
        "tc class add dev $IF parent 1: classid 1:10 \\\n    htb rate 18mbit\n"
        "tc qdisc add dev $IF parent 1:10 handle 10: \\\n    pfifo \\\n    limit 1000\n# end\n"
    )
    exported = boxes.export("codel", {"limit": "100 pkts"}, box="linux", rate_bps=18e6)
    text, in_place = rewrite.rewritten(before, boxes.read(before), exported)
    assert in_place
    head = before.partition("tc qdisc add dev $IF parent 1:10")[0]
    assert text.startswith(head) and text.endswith("\n# end\n") and "pfifo" not in text
    assert "tc qdisc replace dev $IF parent 1:10 handle 10: codel limit 100" in text
    assert boxes.read(text).discipline == "codel"


def test_a_profile_of_openconfig_changes_in_its_own_layout() -> None:
    def profile(name: str, low: int) -> str:
        return (
            f'  {{ "name": "{name}", "config": {{ "name": "{name}" }},\n    "wred": {{ "uniform": {{ "config": {{\n'
            f'      "min-threshold": "{low}",\n      "max-threshold": "300000",\n'
            '      "max-drop-probability-percent": 5,\n      "enable-ecn": false\n    } } } }'
        )

    before = (
        '{ "openconfig-qos:queue-management-profiles": { "queue-management-profile": [\n'
        + profile("one", 1000) + ",\n" + profile("two", 2000) + "\n] } }\n"
    )  # fmt: skip
    exported = boxes.export(
        "red", {"min_th": "40 pkts", "max_th": "120 pkts", "max_p": 0.1, "limit": "500 pkts", "ecn": True},
        box="openconfig", rate_bps=1e9,
    )  # fmt: skip
    text, in_place = rewrite.rewritten(before, boxes.read(before, name="two"), exported)
    assert in_place and profile("one", 1000) in text
    imported = boxes.read(text, name="two", buffer_bytes=750_000)
    assert imported.params == exported.params_as_loaded
    assert text.splitlines()[0] == before.splitlines()[0]


def test_of_two_queues_of_the_same_kind_the_one_at_its_place_changes() -> None:
    before = SQM + "tc qdisc add dev eth2 root pfifo limit 100\n"
    exported = boxes.export("codel", {"limit": "100 pkts"}, box="linux", rate_bps=2e6)
    text, in_place = rewrite.rewritten(before, boxes.read(before, name="eth2"), exported)
    assert in_place
    assert text.startswith(SQM)
    assert "tc qdisc replace dev eth2 root codel limit 100" in text


def test_a_class_of_ios_changes_and_all_others_stay() -> None:
    imported = boxes.read(IOS, rate_bps=1e8)
    params = {"min_th": "10 pkts", "max_th": "30 pkts", "max_p": 0.05, "limit": "100 pkts"}
    exported = boxes.export("red", params, box="ios", rate_bps=1e8)
    text, in_place = rewrite.rewritten(IOS, imported, exported)
    assert in_place
    head, _, rest = text.partition(" class class-default\n")
    assert head.startswith(
        "policy-map WAN\n class VOICE\n  priority percent 10\n class BULK\n  bandwidth percent 40\n"
    )
    assert "  queue-limit 100 packets\n  random-detect\n" in head
    assert "  random-detect precedence 0 10 30 20\n" in head
    assert "6 12 10" not in text
    assert rest == IOS.partition(" class class-default\n")[2]


def test_a_named_class_of_ios_is_the_one_that_changes() -> None:
    exported = boxes.export("droptail", {"limit": "20 pkts"}, box="ios", rate_bps=1e8)
    imported = boxes.read(IOS, name="class-default", rate_bps=1e8)
    text, _ = rewrite.rewritten(IOS, imported, exported)
    assert text == IOS.replace("queue-limit 64", "queue-limit 20")


def test_designs_of_a_data_centre_are_sized_by_its_round_trip() -> None:
    """100 Gbit/s and 22 us, the geometric middle: 183 packets of 1500 bytes, a seventh of which is 26."""
    text = (
        '{"WRED_PROFILE": {"P": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1048576", '
        '"green_max_threshold": "2097152", "green_drop_probability": "5"}}}'
    )
    where = place(boxes.read(text), rate_bps=1e11, rtt_s=(1e-5, 5e-5), flows=40)
    exports = dict(designs(where, shape=False))
    assert not [name for name in exports if name.endswith(" ms")]
    assert [name for name in exports if name.endswith("for 10 us")]
    assert (
        json.loads(exports["DCTCP's threshold"].text)["WRED_PROFILE"]["DROPCURVE"]["green_min_threshold"]
        == "39000"
    )


def test_a_profile_of_a_switch_changes_by_its_values_alone() -> None:
    """Tabs, numbers in one line, other tables and the order of keys stay as they are."""
    text = (
        '{\n\t"PORT": {"Ethernet0": {"lanes": "1,2", "speed":"100000"}},\n\n'
        '\t"WRED_PROFILE" : {\n\t\t"OTHER": {},\n\t\t"AZURE": {\n\t\t\t"wred_green_enable" : "true",\n'
        '\t\t\t"green_drop_probability" : "100" ,\n\t\t\t"green_max_threshold" : "2097152",\n'
        '\t\t\t"green_min_threshold" : 1048576\n\t\t}\n\t}\n}\n'
    )
    imported = boxes.read(text, name="AZURE")
    exported = boxes.export(
        "red", {"min_th": "200000 B", "max_th": "600000 B", "max_p": 0.05, "limit": "2000000 B", "unit": "bytes",
                "ecn": True, "mean_packet": "1500 B"}, box="sonic", rate_bps=1e11,
    )  # fmt: skip
    after, whole = rewrite.rewritten(text, imported, exported)
    assert whole
    assert '"green_max_threshold" : "600000"' in after
    assert '"green_min_threshold" : 200000,\n\t\t\t"ecn" : "ecn_all"\n' in after
    assert after.partition('"AZURE"')[0] == text.partition('"AZURE"')[0]
    assert after.endswith("\n\t\t}\n\t}\n}\n")
    assert json.loads(after)["WRED_PROFILE"]["AZURE"]["green_drop_probability"] == "5"
    assert rewrite.rewritten(after, boxes.read(after, name="AZURE"), exported)[0] == after, (
        "what is there already stays"
    )


@pytest.mark.parametrize("box", ["linux", "ios", "junos", "sonic"])
def test_designs_are_those_that_the_box_can_load_and_none_is_the_queue_itself(box: str) -> None:
    start = {"min_th": "10 pkts", "max_th": "30 pkts", "max_p": 0.05, "limit": "100 pkts"}
    text = boxes.export("red", start, box=box, rate_bps=1e8).text
    imported = boxes.read(text, rate_bps=1e8, buffer_bytes=150_000)
    where = place(imported, rate_bps=1e8)
    exports = dict(designs(where, shape=False))
    assert exports
    assert all(one.box == box for one in exports.values())
    hashes = [where.put(one.discipline_as_loaded, one.params_as_loaded).hash for one in exports.values()]
    assert len({where.base.hash, *hashes}) == len(hashes) + 1
    assert ("CAKE" in exports) == (box == "linux")


def test_cake_is_compared_with_a_cake_that_counts_the_same_bytes_of_the_line() -> None:
    for text, line in (
        ("", {"overhead": "14 B"}),
        (" overhead 44 atm", {"overhead": "44 B", "framing": "atm"}),
    ):
        imported = boxes.read(f"tc qdisc replace dev eth0 root cake bandwidth 19mbit besteffort{text}")
        rival = dict(designs(place(imported), shape=False))["CAKE"].params_as_loaded
        assert {name: rival[name] for name in line} == line
        assert rival["tins"] == "diffserv3"


def test_import_compares_cake_with_a_cake_and_all_others_on_a_line_of_its_framing() -> None:
    text = "tc qdisc replace dev eth0 root cake bandwidth 19mbit besteffort overhead 44 mpu 84"
    where = place(boxes.read(text))
    for scenario in (where.base, _rivals(where)["cake"]):
        assert scenario.get("queue.kind") == "cake"
        assert units.rate(scenario.get("queue.bandwidth")) == 19e6
        for part in ("queue", "dumbbell"):
            assert [scenario.get(f"{part}.{key}") for key in ("overhead", "mpu")] == ["44 B", "84 B"]
    plain = _rivals(place(boxes.read("tc qdisc replace dev eth0 root fq_codel"), rate_bps=19e6))["cake"]
    assert [plain.get(f"{part}.overhead") for part in ("queue", "dumbbell")] == ["0 B", "0 B"]


@pytest.mark.parametrize("line", ["", " overhead 44 atm", " overhead 22 mpu 64 ptm"])
def test_a_shaper_that_counts_no_small_packets_of_the_line_gains_nothing_by_it(line: str) -> None:
    """Small packets beyond the rate fill CAKE's shaper and another one alike."""
    imported = boxes.read(f"tc qdisc replace dev eth0 root cake bandwidth 20mbit besteffort flows{line}")
    where = place(imported, link="cable:up")
    rates = {}
    for name, scenario in (("cake", where.base), ("fq_codel", _rivals(where)["fq_codel"])):
        short = scenario.edit(
            [("run.duration", "4 s"), ("run.warmup", "2 s"), ("flows.game.rate", "40 Mbit/s")]
        )
        (run,) = replicate({name: short}, Effort(1, 1), name=name, cache="off").variants
        rates[name] = run.values("utilisation")[0]
    assert rates["cake"] is not None and rates["cake"] > 80.0
    assert rates["fq_codel"] == pytest.approx(rates["cake"], abs=1.0)


def test_the_framing_of_a_line_is_below_every_queue_that_cake_is_compared_with() -> None:
    """By hand: 1500 + 44 bytes fill 33 cells of 53 bytes, 1749."""
    imported = boxes.read("tc qdisc replace dev eth0 root cake bandwidth 19mbit besteffort overhead 44 atm")
    where = place(imported)
    for name, scenario in _rivals(where).items():
        assert (scenario.get("dumbbell.overhead"), scenario.get("dumbbell.framing")) == ("44 B", "atm"), name
    loaded = dict(designs(where, shape=True))["FQ-CoDel"]
    # The kernel counts the 14 bytes of the Ethernet header already (tc-stab(8)).
    assert "root handle 1: stab overhead 30 linklayer atm htb" in loaded.text and "rate 19Mbit" in loaded.text
    assert "full packets get 16.3 Mbit/s" in where.basis
    # Shapers of boxes without a size table count 1514 bytes of the 1749.
    assert where.share_of(counted=14) == pytest.approx(1514 / 1749)
    # Without a shaper nothing states the rate of the line.
    plain = place(boxes.read("tc qdisc replace dev eth0 root cake overhead 44 atm"), rate_bps=19e6)
    assert not plain.framing and _rivals(plain)["fq_codel"].get("queue.kind") == "fq_codel"


def test_a_link_that_is_stated_keeps_its_framing_below_a_cake_that_does_not_count_it() -> None:
    imported = boxes.read("tc qdisc replace dev eth0 root cake bandwidth 950kbit besteffort")
    where = place(imported, link="dsl:up")
    assert where.framing.on_wire(1500) == 1749
    assert where.base.get("queue.overhead") == "14 B", "as it is loaded"
    assert "CAKE counts 1514 bytes for a full packet, of which the line makes 1749" in where.basis
    assert "at more than 822 kbit/s" in where.basis and "add overhead 40 atm" in where.basis
    rival = dict(designs(where, shape=False))["CAKE"].params_as_loaded
    assert (rival["overhead"], rival["framing"]) == ("40 B", "atm")


def test_a_token_bucket_at_the_root_gives_way_to_a_queue_below_a_shaper() -> None:
    text = "tc qdisc replace dev eth0 root handle 1: tbf rate 18mbit burst 32kbit latency 400ms"
    loaded = dict(designs(place(boxes.read(text)), shape=False))
    for name in ("FQ-CoDel", "CoDel"):
        assert "htb rate 18Mbit" in loaded[name].text, "the rate of the text is kept"
    assert "cake bandwidth 18Mbit" in loaded["CAKE"].text


def test_where_there_is_time_for_a_few_designs_those_with_a_queue_for_each_flow_come_first() -> None:
    where = place(boxes.read("tc qdisc add dev eth0 root pfifo limit 500"), rate_bps=4e6, flows=4)
    ordered = list(_fair_first(dict(designs(where, shape=False))))
    assert set(ordered[:2]) == {"FQ-CoDel", "CAKE"}


def test_a_section_of_sqm_states_the_line_below_its_queues() -> None:
    text = (
        "config queue 'wan'\n\toption enabled '1'\n\toption interface 'eth1'\n\toption download '14000'\n"
        "\toption upload '900'\n\toption qdisc 'fq_codel'\n\toption script 'simplest.qos'\n"
        "\toption linklayer 'atm'\n\toption overhead '40'\n"
    )
    queues = boxes.read_all(text)
    assert len(queues) == 2
    for one in queues:
        assert place(one).framing.params == {"overhead": "40 B", "framing": "atm"}, one.title


def test_a_short_tail_drop_does_not_cripple_disciplines_that_hold_the_delay() -> None:
    """Fifty packets of a router's default are a choice of delay for tail drop alone."""
    text = (
        "/queue type\nadd kind=pfifo name=small pfifo-limit=50\n"
        "/queue simple\nadd max-limit=10M/50M name=wan queue=small/small target=192.168.88.0/24\n"
    )
    where = place(boxes.read(text, name="wan download"))
    exports = dict(designs(where, shape=False))
    # A quarter of a second at 50 Mbit/s is more than the default of 1000 packets.
    assert exports["CoDel"].params_as_loaded["limit"] == where.buffer == "1042 pkts"
    assert exports["FQ-CoDel"].params_as_loaded["limit"] == "10240 pkts"
    assert _rivals(where)["pie"].get("queue.limit") == "1042 pkts"
    assert _rivals(where)["droptail"].get("queue.limit") == "50 pkts"


def test_a_class_with_fq_codel_is_compared_with_a_tail_drop_of_the_link_and_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The 10240 packets of FQ-CoDel bound its memory: a tail drop of that length has a delay of seconds, in which no
    page loads, so that the search has no measure to start from, whatever the other disciplines are."""
    monkeypatch.setattr("dropcurve.fixes.designs.USUAL", ("droptail", "fq_codel"))
    text = (
        "set qos policy shaper WAN bandwidth '50mbit'\nset qos policy shaper WAN default bandwidth '100%'\n"
        "set qos policy shaper WAN default queue-type 'fq-codel'\n"
    )
    where = place(boxes.read(text))
    assert dict(designs(where, shape=False))["tail drop"].params_as_loaded["limit"] == where.buffer
    assert units.packets(where.buffer, packet_bytes=1500) < 1000
    exports = dict(tuned(replace(where, base=lasting(where.base, "5s")), shape=False))
    assert any(one.discipline_as_loaded == "fq_codel" for one in exports.values())


def test_designs_in_a_class_are_those_that_the_class_can_have() -> None:
    """VyOS has CAKE on interfaces alone."""
    text = "set qos policy shaper WAN bandwidth '50mbit'\nset qos policy shaper WAN default queue-type 'drop-tail'\n"
    where = place(boxes.read(text))
    assert loadable(where, "fq_codel") and not loadable(where, "cake")


def test_a_starved_uplink_gets_another_queue_and_a_good_one_stays() -> None:
    """A second and a half of buffer at 2 Mbit/s is bad for a call; the queue that is loaded then is kept."""
    before = SQM.replace("limit 100", "limit 250")
    plain = Thoroughness(tune=False)
    imported = boxes.read(before)
    first = fix([place(imported, link="20/2:up")], before, search=plain, replications=6)
    assert first.better
    assert first.in_place
    assert "-tc qdisc add dev eth1 parent 1:10 handle 10: pfifo limit 250" in first.diff
    again = boxes.read(first.after)
    second = fix([place(again, link="20/2:up")], first.after, search=plain, replications=6)
    assert second.queues[0].verdict.current == YOURS
    assert not second.better
    assert (second.after, second.diff) == (first.after, "")


def test_check_exits_with_1_where_another_queue_is_to_be_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "up.sh").write_text(SQM.replace("limit 100", "limit 250"), encoding="utf-8")
    words = [
        str(tmp_path / "up.sh"),
        "--link",
        "20/2:up",
        "--duration",
        "12 s",
        "--replications",
        "3",
        "--time",
        "0s",
        "--json",
    ]
    assert invoke(["fix", *words, "--check", "--write", str(tmp_path / "better.sh")]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["change"] is True
    assert answer["answer"]["sentences"][0].startswith("Load ")
    assert (tmp_path / "better.sh").read_text(encoding="utf-8") == answer["configuration"]


ALL = """policy-map WAN
 class VOICE
  priority percent 10
 class BULK
  bandwidth percent 40
  random-detect
  random-detect precedence 0 6 12 10
  police cir 3000000
 class class-default
  bandwidth percent 50
  fair-queue
  queue-limit 500 packets
!
policy-map OUT
 class class-default
  shape average 20000000
  service-policy WAN
interface GigabitEthernet0/1
 service-policy output OUT
"""


def test_every_class_is_in_its_place_below_the_priority_class_at_its_share() -> None:
    """40 and 50 % of 20 Mbit/s; voice is policed to 2 Mbit/s, half of which are 12 calls of 80 kbit/s."""
    voice, bulk, rest = boxes.read_all(ALL)
    assert (voice.urgent, voice.share_bps) == (True, 2e6)
    assert [one.title for one in bulk.above] == ["WAN/VOICE"]
    assert [(one.discipline, one.share_bps) for one in (bulk, rest)] == [("wred", 8e6), ("drr", 10e6)]
    where = place(bulk)
    # The policer of 3 Mbit/s lets less through than the 8 Mbit/s that the queue is sure of: the traffic is that of
    # 3 Mbit/s, the link has the 8 Mbit/s and the calls.
    assert (where.rate_bps, where.base.get("dumbbell.rate"), where.base.get("flows.call.count")) == (
        3e6,
        "8.96 Mbit/s",
        12,
    )
    assert where.policed and where.yours == "your policer"
    assert "Policed to 3 Mbit/s, below the 8 Mbit/s that it is served with, so that no" in where.basis
    policer = where.base.get("queue.bands")[1]
    assert (policer["kind"], policer["rate"], policer["burst"]) == ("policer", "3 Mbit/s", "93750 B")
    assert policer["child"]["kind"] == "wred"
    other = where.put("codel", {"limit": "50 pkts"}).get("queue")
    assert (other["kind"], other["rate"], other["child"]["kind"]) == ("tbf", "3.96 Mbit/s", "prio")
    assert other["child"]["bands"][1]["kind"] == "codel"
    assert not place(rest).policed
    wider = ALL.replace("police cir 3000000", "police cir 9000000")
    within = boxes.read_all(wider)[1]
    assert (place(within).rate_bps, place(within).policed) == (8e6, False)
    assert any("no less than the 8 Mbit/s" in note.text for note in within.notes)
    marked = boxes.read_all(
        ALL.replace("police cir 3000000", "police cir 3000000 exceed-action set-dscp-transmit 0")
    )[1]
    assert (marked.policed_bps, place(marked).rate_bps) == (None, 8e6)
    assert where.base.get("flows.call.class") == 46
    assert where.base.get("queue.kind") == "prio"
    assert [one["kind"] for one in where.base.get("queue.bands")] == ["droptail", "policer"]
    lost = {note.key for note in [*bulk.notes, *rest.notes] if note.kind == "lost"}
    assert {"police", "fair-queue"} <= lost


POLICED = """policy-map LIMIT
 class class-default
  police cir 2000000 bc 3000
   conform-action transmit
   exceed-action drop
!
interface GigabitEthernet0/1
 service-policy output LIMIT
"""


def test_a_policer_with_a_short_burst_gives_way_to_a_shaper_in_its_class() -> None:
    (imported,) = boxes.read_all(POLICED)
    done = fix([place(imported)], POLICED, search=Thoroughness(tune=False), replications=6, most=12)
    (queue,) = done.queues
    assert queue.better
    use = {one.criterion.key: one for one in queue.verdict.changes}["utilisation"]
    assert use.kind == "gain" and use.recommended > 90.0, "of the policed rate, not of the link behind"
    assert "police" not in done.after and "exceed-action" not in done.after
    assert "  shape average 2000000" in done.after.splitlines()
    again = boxes.read(done.after)
    assert again.rate_bps == 2e6 and again.discipline == queue.load.discipline_as_loaded  # type: ignore[union-attr]
    assert " service-policy output LIMIT" in done.after.splitlines()


def test_a_pipe_of_dummynet_keeps_its_number() -> None:
    text = "ipfw pipe 1 config bw 20Mbit/s queue 50\nipfw pipe 2 config bw 2Mbit/s queue 50\n"
    second = boxes.read(text, name="pipe 2")
    exports = dict(designs(place(second), shape=False))
    assert "ipfw pipe 2 config bw 2000Kbit/s" in exports["FQ-CoDel"].text
    assert "pipe 1" not in exports["FQ-CoDel"].text


def test_a_shaper_of_the_text_keeps_its_rate_and_equal_conditions_are_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "up.sh").write_text(SQM, encoding="utf-8")
    few = ["--time", "0s", "--duration", "6 s", "--replications", "2"]
    assert invoke(["fix", str(tmp_path / "up.sh"), "--rate", "10-50Mbit", *few, "--json"]) == 0
    seen = capsys.readouterr()
    assert json.loads(seen.out)["queues"][0]["rate_bps"] == 2e6
    assert seen.err.count("is shaped to 2 Mbit/s in the text; --rate is for queues without a shaper") == 1
    assert "conditions" not in seen.out


def test_every_queue_of_a_text_is_answered_and_the_others_stay() -> None:
    places = [place(one, flows=6) for one in boxes.read_all(ALL) if not one.urgent]
    done = fix(places, ALL, search=Thoroughness(tune=False), replications=6, most=12)
    assert [one.place.title for one in done.queues] == ["WAN/BULK", "WAN/class-default"]
    assert not done.queues[0].better, (
        "behind a policer with a burst of 250 ms no queue forms, and the rate is used"
    )
    assert done.queues[1].loaded.startswith("fair-queue 1024 of "), "500 packets are 600 ms for a long flow"
    kept = [line for line in ALL.splitlines() if "fair-queue" not in line and "queue-limit" not in line]
    assert [line for line in done.after.splitlines() if line in kept] == kept
    plain = ALL.replace("  police cir 3000000\n", "")
    bulk = next(one for one in boxes.read_all(plain) if one.title == "WAN/BULK")
    alone = fix([place(bulk, flows=6)], plain, search=Thoroughness(tune=False), replications=6, most=12)
    assert alone.better, "WRED from 6 to 12 packets leaves a third of the class unused"


def test_a_tuned_design_stands_among_the_others_and_is_what_the_box_loads() -> None:
    before = SQM.replace("limit 100", "limit 250")
    done = fix([place(boxes.read(before), link="20/2:up")], before, replications=3, most=3)
    (queue,) = done.queues
    exports = [one for name, one in queue.exports.items() if " with " in name]
    assert exports
    assert not queue.untuned
    assert all(boxes.read(one.text).discipline == one.discipline_as_loaded for one in exports)


def test_a_text_without_a_queue_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no.cfg").write_text("hostname r1\n", encoding="utf-8")
    assert invoke(["fix", str(tmp_path / "no.cfg"), "--check"]) == 2
    assert "name it with --from" in capsys.readouterr().err


def test_a_line_by_its_rates_gets_both_directions_of_one_section(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["20/2", "--time", "0s", "--duration", "8 s", "--replications", "3", "--json", "--check"]
    assert invoke(["fix", *words]) == 1
    answer = json.loads(capsys.readouterr().out)
    held = boxes.read_all(answer["configuration"], box="sqm")
    assert [one.title for one in held] == ["wan upload", "wan download"]
    assert len({one.discipline for one in held}) == 1, "one script holds for both directions"
    assert held[0].discipline in ("fq_codel", "cake")
    for one, loaded in zip(answer["queues"], held, strict=True):
        assert one["load"]["discipline"] == loaded.discipline, "the answer names what the text loads"
    limits = [line for line in answer["configuration"].splitlines() if "elimit" in line or "ilimit" in line]
    assert all("'1001'" in line for line in limits), "the modem's own short queue is not that of the router"
    assert invoke(["fix", *words, "--for", "linux"]) == 1
    text = json.loads(capsys.readouterr().out)["configuration"]
    assert (
        "tc class replace dev eth0 parent 1: classid 1:1 htb rate 2Mbit" in text
        or "cake bandwidth 2Mbit" in text
    )
    assert "redirect dev ifb4eth0" in text


def _direction(name: str, scores: dict[str, list[float]]) -> QueueFix:
    """A direction of a section with tail drop in use, and designs of these scores in each run."""
    designs = [SampledDesign(kind, {"u": values}, current=kind == YOURS) for kind, values in scores.items()]
    verdict = decide(designs, [Criterion("u", "utilisation", "%", worth=1.0)])
    imported = boxes.Import("sqm", "droptail", {}, [], title=f"wan {name}", rate_bps=1e7)
    exports = {
        kind: boxes.export(kind, {"limit": "100 pkts"}, box="sqm", rate_bps=1e7)
        for kind in scores
        if kind != YOURS
    }
    return QueueFix(place(imported), exports, None, verdict)  # type: ignore[arg-type]


def test_both_directions_of_a_section_load_the_kind_that_loses_least_in_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # fq_codel loses 1 point upwards, where codel is best, and codel loses 6 downwards.
    up = {YOURS: [60.0, 60.1, 59.9], "fq_codel": [79.0, 79.1, 78.9], "codel": [80.0, 80.1, 79.9]}
    down = {YOURS: [90.0, 90.1, 89.9], "fq_codel": [89.0, 89.1, 88.9], "codel": [84.0, 84.1, 83.9]}
    answers = {"upload": _direction("upload", up), "download": _direction("download", down)}

    sides = {"upload": up, "download": down}

    def of_kind(one: QueueFix, names: list[str], *_: object) -> Verdict:
        scores = sides[one.imported.title.split()[1]]
        return _direction("x", {name: scores[name] for name in [YOURS, *names]}).verdict

    monkeypatch.setattr(directions, "_verdict_of_kind", of_kind)
    first, second = directions.joint([answers["upload"], answers["download"]], Thoroughness())
    assert (first.loaded, second.loaded) == ("fq_codel", "fq_codel")
    assert "codel would be better by 1 point (all runs)" in first.joint
    assert second.chosen == "fq_codel", "kept alone, but the script holds for both"
    assert "your queue would be better by 1 point (all runs)" in second.joint
    # Nothing gains: nothing changes.
    same = {YOURS: up[YOURS], "codel": [50.0, 50.1, 49.9]}
    kept = directions.joint([_direction("upload", same), _direction("download", same)], Thoroughness())
    assert not any(one.loaded for one in kept)


def test_the_kind_that_is_there_stays_where_another_would_lose_more_in_the_other_direction() -> None:
    # CAKE gains 2 points upwards and loses 4 downwards, where FQ-CoDel is best; the section has FQ-CoDel.
    up = {YOURS: [78.0, 78.1, 77.9], "cake": [80.0, 80.1, 79.9]}
    down = {YOURS: [90.0, 90.1, 89.9], "cake": [86.0, 86.1, 85.9]}
    answers = []
    for name, scores in (("upload", up), ("download", down)):
        one = _direction(name, scores)
        answers.append(
            replace(one, place=replace(one.place, imported=replace(one.imported, discipline="fq_codel")))
        )
    assert answers[0].loaded == "cake", "alone"
    first, second = directions.joint(answers, Thoroughness())
    assert (first.loaded, second.loaded) == ("", "")
    assert first.kept
    assert "for this direction alone cake would be better by 2 points (all runs)" in first.joint


def test_a_queue_that_is_as_good_is_not_called_better_where_the_other_direction_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """FQ-CoDel leads upwards by 0.1 points, within the margin of 0.2, so that the queue there would stay."""
    up = {YOURS: [90.0, 90.0, 90.0], "fq_codel": [90.1, 90.1, 90.1]}
    down = {YOURS: [80.0, 80.1, 79.9], "fq_codel": [90.0, 90.1, 89.9]}
    answers = [_direction("upload", up), _direction("download", down)]
    monkeypatch.setattr(directions, "_verdict_of_kind", lambda one, *_: one.verdict)
    first, second = directions.joint(answers, Thoroughness())
    assert (first.loaded, second.loaded) == ("fq_codel", "fq_codel")
    assert first.joint.endswith("for this direction alone your queue is as good.")


SECTION = """config queue 'wan'
	option enabled '1'
	option interface 'pppoe-wan'
	option download '18000'
	option upload '1800'
	option qdisc 'fq_codel'
	option script '{script}'
	option linklayer 'atm'
	option overhead '44'
"""


@pytest.mark.parametrize("script", ["simple.qos", "simplest_tbf.qos"])
def test_a_section_keeps_its_script_and_its_link_layer(script: str) -> None:
    before = SECTION.format(script=script)
    imported = boxes.read(before, name="upload")
    exported = boxes.export("fq_codel", {"target": "14 ms", "limit": "1001 pkts"}, box="sqm", rate_bps=1.8e6)
    text, _ = rewrite.rewritten(before, imported, exported)
    assert f"option script '{script}'" in text
    cake = boxes.export("cake", {}, box="sqm", rate_bps=1.8e6)
    text, _ = rewrite.rewritten(before, imported, cake)
    assert "option script 'layer_cake.qos'" in text
    (options,) = [line for line in text.splitlines() if "eqdisc_opts" in line]
    assert not {"overhead", "noatm", "mpu"} & set(options.split()), "they would override those of the section"
    assert "option linklayer 'atm'" in text


MIKROTIK = """/queue type
add kind=fq-codel name=fq
/queue simple
add max-limit=10M/50M name=wan queue=fq/fq target=ether1
"""


@pytest.mark.parametrize("text", [SECTION.format(script="simple.qos"), MIKROTIK])
def test_a_direction_of_a_line_is_judged_next_to_the_queue_of_the_other_one(text: str) -> None:
    for imported in boxes.read_all(text):
        down, up = (18e6, 1.8e6) if imported.box == "sqm" else (50e6, 10e6)
        base = place(imported).base
        here, there = (up, down) if imported.title.endswith("upload") else (down, up)
        assert units.rate(base.get("dumbbell.rate")) == here
        assert units.rate(base.get("dumbbell.back.rate")) == there
        assert base.get("back_queue.kind") == "fq_codel", "the other direction is not left to a modem"


def test_options_override_the_link_that_a_text_states() -> None:
    up, down = boxes.read_all(SECTION.format(script="simple.qos"))
    base = place(up, rtt_s=(0.2, 0.2), flows=7).base
    assert base.get("flows.upload.count") == 7
    assert "round trip 200 ms" in base.get("description")
    # A link names the traffic; rates and direction are those of the section.
    starlink = place(down, link="starlink:up").base
    assert units.rate(starlink.get("dumbbell.rate")) == 18e6
    assert "queue in the down direction" in starlink.get("description")


def test_designs_that_run_alike_are_one_design() -> None:
    # No sender of this traffic uses ECN: FQ-CoDel that marks, tc's default, runs as the one here, which does not.
    imported = boxes.read("tc qdisc add dev eth0 root fq_codel limit 100 target 5ms interval 100ms noecn")
    where = place(imported, rate_bps=2e6, flows=2)
    where = replace(where, base=where.base.edit([("run.duration", "3 s"), ("run.warmup", "1 s")]))
    done = fix([where], "", search=Thoroughness(tune=False), replications=2, most=2)
    assert done.queues[0].exports["FQ-CoDel"].params_as_loaded["ecn"] is True
    assert "FQ-CoDel" not in done.queues[0].names, "it is the queue that is there"
    assert "CoDel" in done.queues[0].names
    assert YOURS in done.queues[0].names


JUNOS = """class-of-service {
    drop-profiles { low { fill-level 50 drop-probability 10; fill-level 95 drop-probability 100; } }
    schedulers {
        voice { transmit-rate percent 10; priority strict-high; }
        be { transmit-rate remainder; buffer-size percent 80;
            drop-profile-map loss-priority any protocol any drop-profile low; }
    }
    interfaces { ge-0/0/0 { shaping-rate 50m; scheduler-map wan; } }
}
"""


def test_a_scheduler_of_junos_that_is_not_the_first_keeps_its_name() -> None:
    imported = boxes.read(JUNOS, name="be")
    exported = boxes.export("droptail", {"limit": "200000 B"}, box="junos", rate_bps=5e7)
    text, in_place = rewrite.rewritten(JUNOS, imported, exported)
    assert in_place
    # The profile that no other scheduler uses goes with the statement that named it.
    assert "low" not in text and "buffer-size percent" not in text
    assert "transmit-rate remainder;" in text and text.splitlines()[-2:] == JUNOS.splitlines()[-2:]
    voice, best_effort = boxes.read_all(text, rate_bps=5e7)
    assert voice.urgent and best_effort.params == {"limit": "200000 B"}


STANZAS = """system { host-name r1; }
class-of-service {
    /* profiles */
    drop-profiles {
        gold {
            fill-level 60 drop-probability 100;
        }
        bulk {
            interpolate {
                fill-level [ 20 80 ];
                drop-probability [ 0 40 ];
            }
        }
    }
    scheduler-maps { wan { forwarding-class best-effort scheduler be; forwarding-class gold scheduler au; } }
    schedulers {
        be {
            transmit-rate percent 40;
            buffer-size {
                percent 40;
            }
            priority low; ## the lowest
            drop-profile-map loss-priority any protocol any drop-profile bulk;
        }
        au {
            drop-profile-map loss-priority low protocol any drop-profile gold;
            inactive: buffer-size percent 5;
        }
    }
}
"""


def test_stanzas_of_junos_change_in_their_place_and_all_others_stay() -> None:
    red = {"limit": "200000 B", "min_th": "30000 B", "max_th": "90000 B", "max_p": 0.1}
    exported = boxes.export("red", red, box="junos", rate_bps=5e7)
    text, in_place = rewrite.rewritten(STANZAS, boxes.read(STANZAS, name="be", rate_bps=5e7), exported)
    assert in_place
    old, new = STANZAS.splitlines(), text.splitlines()
    gone = [line.strip() for line in old if line not in new]
    assert gone == [
        "bulk {", "fill-level [ 20 80 ];", "drop-probability [ 0 40 ];", "buffer-size {", "percent 40;",
        "drop-profile-map loss-priority any protocol any drop-profile bulk;",
    ]  # fmt: skip
    back = boxes.read(text, name="be", rate_bps=5e7)
    assert back.params == exported.params_as_loaded
    other = boxes.read(text, name="au", rate_bps=5e7)
    assert other.params == boxes.read(STANZAS, name="au", rate_bps=5e7).params


def test_a_profile_of_junos_that_another_scheduler_uses_stays() -> None:
    shared = STANZAS.replace("drop-profile gold", "drop-profile bulk")
    exported = boxes.export("droptail", {"limit": "200000 B"}, box="junos", rate_bps=5e7)
    text, _ = rewrite.rewritten(shared, boxes.read(shared, name="be", rate_bps=5e7), exported)
    assert "fill-level [ 20 80 ];" in text


def test_statements_of_junos_that_are_inactive_are_not_in_effect() -> None:
    base = "set class-of-service schedulers be buffer-size temporal 20000\n"
    off = (
        "set class-of-service schedulers be drop-profile-map loss-priority any protocol any drop-profile p\n"
    )
    profile = "set class-of-service drop-profiles p fill-level 50 drop-probability 10\n"
    text = f"{base}{off}{profile}"
    assert boxes.read(text, name="be", rate_bps=5e7).discipline == "curve"
    idle = f"{text}deactivate class-of-service schedulers be drop-profile-map\n"
    assert boxes.read(idle, name="be", rate_bps=5e7).discipline == "droptail"
    stanza = "class-of-service { schedulers { be { priority low; inactive: buffer-size temporal 20000; } } }"
    (note,) = [one for one in boxes.read(stanza, rate_bps=5e7).notes if one.key == "limit"]
    assert "100 %" in note.text


VYOS_TREE = """interfaces {
    ethernet eth0 {
        address dhcp
    }
}
qos {
    interface eth0 {
        egress WAN
    }
    policy {
        cake LAN {
            bandwidth 18mbit
            flow-isolation {
                triple-isolate
            }
        }
        drop-tail OLD {
            description "the old line"
            queue-limit 60
        }
        shaper WAN {
            bandwidth 50mbit
            class 10 {
                bandwidth 10mbit
                match EF {
                    ip {
                        dscp EF
                    }
                }
                queue-limit 60
                queue-type drop-tail
            }
            default {
                bandwidth 80%
                queue-type fq-codel
            }
        }
    }
}
"""


def _moved(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went and those that came, without their indentation."""
    old, new = before.splitlines(), after.splitlines()
    return [line.strip() for line in old if line not in new], [
        line.strip() for line in new if line not in old
    ]


def test_a_class_of_vyos_in_braces_changes_its_queue_and_keeps_its_matches() -> None:
    imported = boxes.read(VYOS_TREE, name="WAN/class 10")
    exported = boxes.export(
        "fq_codel", {"limit": "100 pkts"}, box="vyos", rate_bps=1e7, inside="WAN/class 10"
    )
    after, in_place = rewrite.rewritten(VYOS_TREE, imported, exported)
    assert in_place
    gone, come = _moved(VYOS_TREE, after)
    assert gone == ["queue-limit 60", "queue-type drop-tail"] and "queue-limit 100" in come
    back = boxes.read(after, name="WAN/class 10")
    assert (back.params["limit"], back.rate_bps) == ("100 pkts", imported.rate_bps)


def test_a_policy_of_vyos_in_braces_keeps_its_name_description_and_rate() -> None:
    exported = boxes.export("fq_codel", {"limit": "900 pkts"}, box="vyos", rate_bps=1e7)
    after, in_place = rewrite.rewritten(VYOS_TREE, boxes.read(VYOS_TREE, name="OLD"), exported)
    assert in_place and "fq-codel OLD {" in after and 'description "the old line"' in after
    assert boxes.read(after, name="OLD").params["limit"] == "900 pkts"
    # A queue without a rate is no substitute for CAKE's shaper; one with it becomes a shaper of that name.
    assert rewrite.rewritten(VYOS_TREE, boxes.read(VYOS_TREE, name="LAN"), exported) == (exported.text, False)
    shaped = boxes.export("fq_codel", {}, box="vyos", rate_bps=18e6, shape=True)
    after, in_place = rewrite.rewritten(VYOS_TREE, boxes.read(VYOS_TREE, name="LAN"), shaped)
    back = boxes.read(after, name="LAN")
    assert in_place and (back.discipline, back.rate_bps) == ("fq_codel", 18e6)
    cake = boxes.export("cake", {"isolate": "dual_dsthost"}, box="vyos", rate_bps=18e6)
    after, _ = rewrite.rewritten(VYOS_TREE, boxes.read(VYOS_TREE, name="LAN"), cake)
    assert _moved(VYOS_TREE, after) == (["triple-isolate"], ["dual-dst-host", "rtt 100"])


def test_fair_queues_that_flows_seldom_share_are_among_the_designs_where_the_box_has_no_better() -> None:
    exported = dict(designs(place(boxes.read(IOS), rate_bps=2e6), shape=False))["fair-queue 1024"]
    assert exported.params_as_loaded["queues"] == 1024
    assert "fair-queue 1024" in exported.text
    # Without an AQM a long flow fills its own queue, which delays no thin flow: no recommendation for a home.
    kinds = {
        one.discipline for one in dict(designs(place(boxes.read(SQM), rate_bps=2e6), shape=False)).values()
    }
    assert {"fq_codel", "cake"} <= kinds and not kinds & {"sfq", "drr"}


@pytest.mark.parametrize(
    "simple", ["/queue simple add name=wan target=ether1", "/queue simple\nadd name=wan target=ether1"]
)
def test_both_directions_of_a_simple_queue_get_a_type_of_their_own(simple: str) -> None:
    before = f"{simple} max-limit=2M/20M queue=default-small/default-small\n"
    changes = [
        (one, boxes.export("cake", {}, box="mikrotik", rate_bps=rate, dev="ether1"))
        for one, rate in zip(boxes.read_all(before), (2e6, 2e7), strict=True)
    ]
    text, in_place = rewrite.all_rewritten(before, changes)
    assert in_place
    assert "queue=wan-upload/wan-download" in text
    after = boxes.read_all(text)
    assert [one.title for one in after] == ["wan upload", "wan download"]
    assert [one.discipline for one in after] == ["cake", "cake"]
    assert [one.params["bandwidth"] for one in after] == ["2 Mbit/s", "20 Mbit/s"]


ROUTEROS_TREE = """/queue type
add kind=pcq name=pcq-up pcq-rate=0 pcq-limit=50KiB pcq-total-limit=2000KiB pcq-classifier=src-address
add kind=sfq name=lan sfq-perturb=10
/queue tree
add name=up parent=ether1 max-limit=20M queue=pcq-up packet-mark=up
add name=lan parent=bridge max-limit=100M \\
    queue=pcq-up packet-mark=lan
/queue interface
set [ find default-name=ether2 ] queue=ethernet-default
"""


def test_queues_of_a_tree_and_of_an_interface_of_routeros_get_a_type_of_their_own() -> None:
    changes = [
        (one, boxes.export("fq_codel", {"limit": "900 pkts"}, box="mikrotik", rate_bps=2e7))
        for one in boxes.read_all(ROUTEROS_TREE)
    ]
    text, in_place = rewrite.all_rewritten(ROUTEROS_TREE, changes)
    assert in_place
    assert "max-limit=20M queue=up packet-mark=up" in text
    # The name of a type of the text is not taken again.
    assert (
        "    queue=lan-new packet-mark=lan" in text
        and "set [ find default-name=ether2 ] queue=ether2" in text
    )
    after = boxes.read_all(text)
    assert [one.title for one in after] == ["up", "lan", "ether2"]
    assert [one.discipline for one in after] == ["fq_codel"] * 3
    assert [one.rate_bps for one in after] == [2e7, 1e8, None]


LINK = """
run.duration = "1 s"
dumbbell = {rate = "20 Mbit/s", delay = "10 ms"}
queue.kind = "droptail"
flows.tcp.count = 1
"""


def test_pcq_of_routeros_is_sized_by_its_kib() -> None:
    imported = boxes.read(ROUTEROS_TREE, name="up")
    assert imported.params["limit"] == "1353 pkts"
    assert imported.params["child"] == {"kind": "droptail", "limit": "34 pkts"}
    assert (
        Scenario.parse(LINK, name="link").queue(imported.discipline, **imported.params).get("queue.kind")
        == "sfq"
    )
    with pytest.raises(DropcurveError, match=r"pcq-limit = many: must be a number"):
        boxes.read(ROUTEROS_TREE.replace("pcq-limit=50KiB", "pcq-limit=many"))


@pytest.mark.parametrize(
    ("left_s", "designs", "replications"),
    [(1e9, 6, 5), (-1.0, 3, 3)],
    ids=["all of them", "the fewest"],
)
def test_a_time_bounds_the_designs_and_runs_of_a_comparison(
    left_s: float, designs: int, replications: int
) -> None:
    names = [YOURS, *"abcde"]
    plan = budget.plan(
        names, conditions=1, replications=5, left_s=left_s, run=lambda some: dict.fromkeys(some, 0.0)
    )
    assert (len(plan.names), plan.replications) == (designs, replications)
    assert plan.names[0] == YOURS
    assert plan.dropped == len(names) - designs


def test_where_time_is_short_the_best_of_one_run_each_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(budget.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(budget.threads, "count", lambda _: 1)
    asked: list[list[str]] = []

    def run(some: Sequence[str]) -> dict[str, float]:
        asked.append(list(some))
        clock[0] += 1.0
        return {"a": 9.0, "b": 0.0, "c": 5.0, "d": 1.0, "e": 7.0}

    plan = budget.plan([YOURS, *"abcde"], conditions=1, replications=5, left_s=18.0, run=run)
    assert asked == [[YOURS], [YOURS, *"abcde"]]
    assert plan.names == (YOURS, "b", "d")
    assert plan.replications == 4


def test_runs_of_a_fast_link_are_shorter_and_of_a_switch_in_its_data_centre() -> None:
    text = json.dumps({"WRED_PROFILE": {"p": {"ecn": "ecn_all", "green_min_threshold": "1000000",
                                              "green_max_threshold": "2000000", "green_drop_probability": "5"}},
                       "QUEUE": {"Ethernet0|3": {"wred_profile": "p"}}})  # fmt: skip
    imported = boxes.read(text)
    wide = budget.shortened(place(imported, rate_bps=1e10), 0.04)
    assert 40 * 0.04 <= units.span(str(wide.base.get("run.duration"))) < 2.5
    assert budget.packets(wide.base) <= 1.6e6
    slow = place(imported, rate_bps=1e8)
    assert budget.shortened(slow, 0.04).base.hash == slow.base.hash
    near = place(imported, rate_bps=1e10, rtt_s=round_trip(None, imported.box))
    assert near.base.resolved["flows"]["response"]["source"] == "http"
    assert "call" not in near.base.resolved["flows"]
    assert round_trip(None, "ios") is None, "that of the link"
    assert round_trip("1-2ms", "sonic") == (0.001, 0.002)


def test_a_class_that_may_borrow_gets_no_shaper_of_its_own() -> None:
    text = (
        "tc qdisc replace dev eth1 root handle 1: htb default 20\n"
        "tc class add dev eth1 parent 1: classid 1:1 htb rate 50mbit ceil 50mbit\n"
        "tc class add dev eth1 parent 1:1 classid 1:10 htb rate 10mbit ceil 50mbit\n"
        "tc class add dev eth1 parent 1:1 classid 1:20 htb rate 40mbit ceil 50mbit\n"
        "tc qdisc add dev eth1 parent 1:10 pfifo limit 1000\ntc qdisc add dev eth1 parent 1:20 pfifo limit 1000\n"
    )
    shared, *_ = boxes.read_all(text)
    assert shared.share_bps == 1e7
    kinds = {one.discipline for one in dict(designs(place(shared), shape=False)).values()}
    assert "fq_codel" in kinds
    assert "cake" not in kinds, "its shaper would hold the class at 10 Mbit/s"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rtt", "20-ms"], "rtt = 20-ms: "),
        (["--link", "dls"], "link = dls: no such preset; did you mean 'dsl'?"),
        (["--duration", "long"], "duration = long: "),
        (["--replications", "0"], "replications = 0: must be 1 or more"),
    ],
)
def test_import_refuses_a_wrong_value_of_an_option_that_it_does_not_use(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "box.rsc"
    file.write_text(ROUTEROS_TREE, encoding="utf-8")
    assert invoke(["import", str(file), *options]) == 2
    shown = capsys.readouterr()
    assert message in shown.err and not shown.out


def test_import_names_the_verb_that_judges_every_queue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "box.rsc"
    file.write_text(ROUTEROS_TREE, encoding="utf-8")
    assert invoke(["import", str(file)]) == 0
    assert (
        "other queues in the text: lan, ether2; --name reads one of them, `dropcurve fix` judges all"
        in capsys.readouterr().out
    )


def test_a_queue_of_vyos_is_replaced_in_its_lines() -> None:
    before = (
        "set qos policy shaper WAN bandwidth '50mbit'\n"
        "set qos policy shaper WAN class 10 bandwidth '10mbit'\n"
        "set qos policy shaper WAN class 10 queue-type 'drop-tail'\n"
        "set qos policy shaper WAN class 10 queue-limit '60'\n"
        "set qos policy shaper WAN default bandwidth '80%'\n"
        "set qos interface eth0 egress 'WAN'\n"
    )
    imported = boxes.read(before, name="WAN/class 10")
    exported = boxes.export(
        "fq_codel", {"limit": "100 pkts"}, box="vyos", rate_bps=1e7, inside="WAN/class 10"
    )
    after, in_place = rewrite.rewritten(before, imported, exported)
    assert in_place
    assert "drop-tail" not in after and "queue-limit '60'" not in after
    assert "class 10 queue-type fq-codel\n" in after and "class 10 bandwidth '10mbit'" in after
    assert boxes.read(after, name="WAN/class 10").params["limit"] == "100 pkts"
    assert boxes.read(after, name="WAN/class 10").rate_bps == imported.rate_bps


def test_a_policy_of_vyos_keeps_its_name_and_its_interface() -> None:
    before = (
        "set traffic-policy drop-tail OUT description 'uplink'\n"
        "set traffic-policy drop-tail OUT queue-limit 300\n"
        "set interfaces ethernet eth0 traffic-policy out OUT\n"
    )
    exported = boxes.export("fq_codel", {"limit": "1000 pkts"}, box="vyos", rate_bps=1e7)
    after, in_place = rewrite.rewritten(before, boxes.read(before), exported)
    assert in_place
    assert "set traffic-policy fq-codel OUT queue-limit 1000\n" in after
    assert "set traffic-policy fq-codel OUT description uplink\n" in after
    assert (
        after.endswith("set interfaces ethernet eth0 traffic-policy out OUT\n") and "drop-tail" not in after
    )


def test_a_queue_of_dummynet_is_replaced_in_its_command() -> None:
    before = (
        "ipfw pipe 1 config bw 20Mbit/s delay 10ms\n"
        "ipfw queue 1 config pipe 1 weight 10 queue 50 red 0.002/10/40/0.1 # bulk\n"
        "ipfw queue 2 config pipe 1 weight 50 queue 100\n"
    )
    imported = boxes.read(before, name="queue 1")
    exported = boxes.export("codel", {"limit": "80 pkts"}, box="dummynet", rate_bps=2e7, name="1")
    after, in_place = rewrite.rewritten(before, imported, exported)
    assert in_place
    assert "ipfw queue 1 config pipe 1 weight 10 queue 80 codel" in after and after.count("# bulk") == 1
    assert after.splitlines()[0] == before.splitlines()[0] and after.splitlines()[2] == before.splitlines()[2]
    assert boxes.read(after, name="queue 1").discipline == "codel"
    fair = boxes.export("fq_codel", {}, box="dummynet", rate_bps=2e7, name="1")
    assert rewrite.rewritten(before, imported, fair) == (fair.text, False)
    where = place(imported)
    assert loadable(where, "codel") and not loadable(where, "fq_codel")


def test_a_pipe_of_dummynet_keeps_its_delay_below_a_new_scheduler() -> None:
    before = "ipfw pipe 1 config bw 20Mbit/s delay 10ms queue 60\nipfw add pipe 1 ip from any to any\n"
    exported = boxes.export("fq_codel", {}, box="dummynet", rate_bps=2e7, name="1")
    after, in_place = rewrite.rewritten(before, boxes.read(before), exported)
    assert in_place
    lines = after.splitlines()
    assert lines[0] == "ipfw pipe 1 config bw 20Mbit/s delay 10ms"
    assert (
        lines[1].startswith("ipfw sched 1 config pipe 1 type fq_codel")
        and lines[2] == "ipfw queue 1 config sched 1"
    )
    assert boxes.read(after).discipline == "fq_codel" and boxes.read(after).rate_bps == 2e7


def test_a_scheduler_of_dummynet_keeps_its_pipe() -> None:
    before = "ipfw pipe 1 config bw 20Mbit/s\nipfw sched 1 config pipe 1 type fq_codel target 20ms\n"
    exported = boxes.export("fq_codel", {"target": "5 ms"}, box="dummynet", rate_bps=2e7, name="1")
    after, in_place = rewrite.rewritten(before, boxes.read(before, name="sched 1"), exported)
    assert in_place and "target 20ms" not in after
    assert after.splitlines()[1].startswith("ipfw sched 1 config pipe 1 type fq_codel target 5000us")


@pytest.mark.parametrize("printed", [True, False])
def test_a_queue_in_place_of_a_cake_keeps_its_shaper(printed: bool) -> None:
    head = "qdisc cake 8005: root refcnt 2" if printed else "tc qdisc add dev eth1 root cake"
    before = f"{head} bandwidth 18Mbit besteffort\n"
    imported = boxes.read(before)
    exported = dict(designs(place(imported), shape=False))["FQ-CoDel"]
    assert (
        "18000000bit" in exported.text.replace("18Mbit", "18000000bit")
        and len(exported.text.splitlines()) > 1
    )
    after, in_place = rewrite.rewritten(before, imported, exported)
    assert in_place is not printed and boxes.read(after).rate_bps == pytest.approx(18e6, rel=0.02)


def test_a_queue_in_place_of_a_cake_of_vyos_keeps_its_shaper() -> None:
    before = "set qos policy cake OUT bandwidth '18mbit'\nset qos interface eth0 egress 'OUT'\n"
    exported = dict(designs(place(boxes.read(before)), shape=False))["FQ-CoDel"]
    assert "bandwidth 18000kbit" in exported.text and boxes.read(exported.text).rate_bps == pytest.approx(
        18e6
    )


def _rounds(
    scores: dict[str, list[float]],
    *,
    until: float | None = None,
    work: Callable[[int], None] = lambda _: None,
) -> tuple[list[tuple[str, int]], Verdict, float | None]:
    """The rounds of designs of these scores, the first in use: the runs that were made, the verdict, and the seconds
    that would settle it. ``work`` is called with the fresh runs of each call."""
    requests: list[tuple[str, int]] = []

    def replicate(names: Sequence[str] | None, count: int) -> Result:
        some = list(scores) if names is None else list(names)
        work(sum(count - max((n for known, n in requests if known == name), default=0) for name in some))
        requests.extend((name, count) for name in some)
        return Result(
            "x", [Variant(name, {}, [{}] * count, Series()) for name in some], list(range(count)), ""
        )

    def judge(result: Result) -> Verdict:
        most = max(len(one.runs) for one in result.variants)
        designs = []
        for one in result.variants:
            own = len(one.runs)
            values: list[float | None] = [*scores[one.name][:own], *[None] * (most - own)]
            there = [number < own for number in range(most)]
            designs.append(SampledDesign(one.name, {"u": values}, current=one.name == YOURS, made=there))
        return decide(designs, [Criterion("u", "utilisation", "%", worth=1.0)], confidence=LEVEL)

    rounds = Elimination(replicate, judge, lambda one: one.name, 5, 30, until=until)
    _, verdict = rounds.run()
    return requests, verdict, rounds.settling_s(verdict)


def _noisy(mean: float, spread: float, period: int = 2) -> list[float]:
    return [mean + (spread if number % period else -spread) for number in range(30)]


def test_further_replications_go_to_designs_in_contention_and_the_verdict_is_that_of_all() -> None:
    scores = {
        YOURS: _noisy(90.0, 1.5), "ahead": _noisy(91.0, 1.0, 3), "far": _noisy(40.0, 0.5),
        "near": _noisy(90.5, 1.0, 5),
    }  # fmt: skip
    requests, verdict, _ = _rounds(scores)
    again = {name for name, count in requests if count > 5}
    assert again == {YOURS, "ahead", "near"}
    whole = decide(
        [
            SampledDesign(name, {"u": values[: verdict.replications]}, current=name == YOURS)
            for name, values in scores.items()
        ],
        [Criterion("u", "utilisation", "%", worth=1.0)],
        confidence=LEVEL,
    )
    assert (verdict.status, verdict.recommended, verdict.leader) == (
        whole.status, whole.recommended, whole.leader,
    )  # fmt: skip
    assert verdict.advantage == whole.advantage
    assert verdict.half_width == whole.half_width, "as simultaneous as over all pairs"
    assert verdict.fewest == 5
    assert "from 5 for designs that were surely worse by then" in " ".join(headline(verdict).details)


def test_a_design_that_a_later_leader_does_not_surely_beat_comes_back_with_all_runs() -> None:
    """Design a surely beats back over five runs; b, which leads later, does not over the same five."""
    rest = 25
    scores = {
        YOURS: [70.0, 92.0, 70.0, 92.0, 70.0, *[80.0, 81.0] * 12, 80.0],
        "a": [90.0] * 5 + [60.0] * rest,
        "back": [89.0] * 5 + [89.5] * rest,
        "b": [70.0, 93.0, 70.0, 93.0, 70.0, *[88.0] * rest],
    }
    requests, verdict, _ = _rounds(scores)
    assert ("back", 5) in requests
    assert any(name == "back" and count > 5 for name, count in requests)
    assert verdict.leader == "back"
    assert verdict.replications == max(count for _, count in requests)


#: A queue that is surely beaten by two designs, of which further runs tell which is the better one.
TWO_AHEAD = {YOURS: _noisy(60.0, 0.5), "ahead": _noisy(91.0, 1.0, 3), "near": _noisy(89.9, 1.0, 5)}


@pytest.mark.parametrize(
    ("until", "replications"), [(None, 5), (1e9, 18), (31.0, 10)], ids=["no time", "long", "short"]
)
def test_a_time_is_spent_until_every_rival_is_decided(
    until: float | None, replications: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a time the comparison ends as soon as it is known to load another queue. Five replications of three
    designs take 15 s here, so that 31 s allow for five more of them."""
    clock = [0.0]
    monkeypatch.setattr(elimination.time, "monotonic", lambda: clock[0])

    def work(runs: int) -> None:
        clock[0] += runs

    requests, verdict, settling_s = _rounds(TWO_AHEAD, until=until, work=work)
    assert verdict.status == "load"
    assert verdict.replications == replications
    assert until is None or clock[0] <= until
    undecided = verdict.related("undecided")
    assert bool(undecided) == (until != 1e9)
    assert (settling_s is None) == (not undecided)
    if settling_s is not None:
        assert settling_s == verdict.settling * len(contenders(verdict, most=30))
    assert max(count for _, count in requests) == replications


def test_queues_share_the_time_that_those_before_them_left() -> None:
    search = Thoroughness(seconds=10.0)
    assert configuration._share(search, 3, 0, 0.0).seconds == 10.0
    assert configuration._share(search, 3, 1, 4.0).seconds == 13.0
    assert configuration._share(search, 3, 2, 31.0).seconds == -1.0
    assert configuration._share(Thoroughness(), 3, 1, 4.0).seconds is None


def test_what_stays_undecided_names_the_time_that_would_settle_it(monkeypatch: pytest.MonkeyPatch) -> None:
    where = place(boxes.read("tc qdisc add dev eth0 root pfifo limit 500"), rate_bps=4e6, flows=4)
    done = fix([where], "", search=Thoroughness(tune=False), replications=2, most=2)
    rival = replace(done.queues[0].verdict.rivals[0], relation="undecided", more=3)
    verdict = replace(done.queues[0].verdict, rivals=(rival,))
    one = replace(done.queues[0], verdict=verdict, settling_s=130.0, compared_s=50.0)
    text = fix_verb._to_settle(replace(done, queues=(one,)), Thoroughness())
    assert text == "Undecided: about 2 min more would settle it; --time 5min runs them."
    partly = replace(one, verdict=replace(verdict, rivals=(rival, replace(rival, more=None))))
    some = fix_verb._to_settle(replace(done, queues=(partly,)), Thoroughness())
    assert "would settle 1 of 2 rivals, and hardly any number of runs the others" in some
    plain = fix_verb._to_settle(replace(done, queues=(one, one)), Thoroughness(tune=False))
    assert plain == "Undecided: about 4 min more would settle it; --time 6min runs them."
    assert fix_verb._to_settle(replace(done, queues=(replace(one, settling_s=None),)), Thoroughness()) == ""


def test_a_bound_that_further_runs_may_still_meet_keeps_a_design_in_contention() -> None:
    """One miss of five may become one of thirty, which is 96.7 % of runs; two stay below 95 %."""
    capped = Criterion("u", "utilisation", "%", worth=1.0, bound=Bound(50.0, upper=False))
    ok = SampledDesign("ok", {"u": [60.0, 61.0, 59.0, 60.0, 61.0]}, current=True)
    once = SampledDesign("once", {"u": [49.0, 70.0, 71.0, 69.0, 70.0]})
    twice = SampledDesign("twice", {"u": [49.0, 49.0, 71.0, 69.0, 70.0]})
    verdict = decide([ok, once, twice], [capped])
    assert [one.relation for one in verdict.rivals] == ["infeasible", "infeasible"]
    assert contenders(verdict, most=30) == ["ok", "once"]
    assert contenders(verdict, most=5) == ["ok"]


def test_progress_is_that_of_all_queues() -> None:
    seen: list[tuple[int, int, float]] = []
    reported = [configuration._of_all(lambda *one: seen.append(one), before, 2) for before in (0, 1)]
    for one in reported:
        assert one is not None
        one(5, 10, 0.5)
    assert seen == [(5, 20, 0.25), (15, 20, 0.75)]
    assert configuration._of_all(None, 0, 2) is None
