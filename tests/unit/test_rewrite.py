"""Configurations of Linux hosts, home routers, dummynet and switches with a queue replaced: all other lines stay."""

from __future__ import annotations

import json
import re

import pytest

from dropcurve import boxes
from dropcurve.boxes import rewrite
from dropcurve.fixes import place
from dropcurve.fixes.designs import designs, loadable
from tests.unit.configurations import SECTION, SQM


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


def test_printed_output_is_answered_with_commands() -> None:
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


def test_a_pipe_of_dummynet_keeps_its_number() -> None:
    text = "ipfw pipe 1 config bw 20Mbit/s queue 50\nipfw pipe 2 config bw 2Mbit/s queue 50\n"
    second = boxes.read(text, name="pipe 2")
    exports = dict(designs(place(second), shape=False))
    assert "ipfw pipe 2 config bw 2000Kbit/s" in exports["FQ-CoDel"].text
    assert "pipe 1" not in exports["FQ-CoDel"].text


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


@pytest.mark.parametrize("program", ["", "dnctl ", "/sbin/ipfw -q "])
def test_new_commands_of_dummynet_have_the_program_of_the_text(program: str) -> None:
    text = f"{program}pipe 7 config bw 20Mbit/s codel target 5ms interval 100ms\n"
    imported = boxes.read(text)
    assert (imported.box, imported.title, imported.params["target"]) == ("dummynet", "pipe 7", "5 ms")
    exported = boxes.export("fq_codel", {}, box="dummynet", rate_bps=2e7, name="7")
    after, in_place = rewrite.rewritten(text, imported, exported)
    assert in_place
    assert all(re.match(rf"{program}(pipe|sched|queue) 7 config ", line) for line in after.splitlines())
    assert [one.discipline for one in boxes.read_all(after)] == ["fq_codel"]


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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pfifo limit 100", "fq_codel limit 10240 ecn"),
        ("fq_codel limit 500", "fq_codel limit 10240 ecn"),
        ("fq_codel target 10ms flows 4096 ecn", "fq_codel limit 10240 ecn target 5ms"),
        (
            "fq_codel interval 30ms memory_limit 4Mb noecn",
            "fq_codel limit 10240 ecn interval 100ms memory_limit 33554432",
        ),
    ],
)
def test_a_new_fq_codel_states_what_differs_from_its_defaults_or_from_the_one_in_place(
    before: str, after: str
) -> None:
    """`tc qdisc replace` keeps options that it does not state, and refuses another number of flows."""
    text = f"tc qdisc replace dev eth0 root {before}\n"
    queue = boxes.read(text)
    exported = boxes.export("fq_codel", {"ecn": True}, box="linux", rate_bps=1e7)
    whole, in_place = rewrite.rewritten(text, queue, exported)
    assert in_place and whole == f"tc qdisc replace dev eth0 root {after}\n"


def test_defaults_that_are_left_out_of_fq_codel_are_those_of_the_simulator() -> None:
    base = place(boxes.read("tc qdisc add dev eth0 root pfifo limit 500"), rate_bps=1e7).base
    stated = {"flows": 1024, "target": "5 ms", "interval": "100 ms", "quantum": "1514 B", "memory_limit": "33554432 B",
              "drop_batch": 64}  # fmt: skip
    loaded = boxes.export("fq_codel", stated, box="linux", rate_bps=1e7).params_as_loaded
    assert set(loaded) == {"dialect", "limit", "ecn"}
    without, written = (base.queue("fq_codel", **loaded, **more).resolved["queue"] for more in ({}, stated))
    assert without == written
