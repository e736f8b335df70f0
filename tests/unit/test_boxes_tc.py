"""Linux: the rounding of tc and the kernel, exports that are imported as they were loaded, contradictions."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dropcurve as dc
from dropcurve.boxes import export, read, read_all, tc_numbers, tc_try
from dropcurve.boxes.cake_functions import CakeFunctions
from dropcurve.boxes.tc_write import WRITERS
from dropcurve.scenario.links.framing import WORDS, Framing

RATE = 1e8

#: (min packets, burst) to the ewma that ``tc -d qdisc show`` printed after loading (iproute2 6.1, Linux 7.3).
EWMA = {(10, 20): 4, (30, 55): 5, (31, 60): 6, (31, 400): 12, (5, 20): 6}
#: (ewma, avpkt, rate) to the Scell_log it printed.
SCELL = {
    (4, 1500, 1e7): 15, (6, 1000, 1e7): 16, (6, 1500, 1e7): 17, (5, 1000, 1e8): 12, (6, 1500, 1e8): 13,
    (12, 1500, 1e9): 16,
}  # fmt: skip


def params(text: str) -> dict[str, Any]:
    return read(text).params


@pytest.mark.parametrize(("asked", "exponent"), EWMA.items())
def test_a_burst_becomes_the_weight_that_tc_finds(asked: tuple[int, int], exponent: int) -> None:
    assert tc_numbers.ewma(*asked) == exponent
    assert asked[1] in tc_numbers.bursts(asked[0], exponent)


@pytest.mark.parametrize(("asked", "exponent"), SCELL.items())
def test_the_idle_table_has_the_cells_that_tc_finds(asked: tuple[int, int, float], exponent: int) -> None:
    assert tc_numbers.scell_log(*asked) == exponent


def test_bursts_that_tc_refuses() -> None:
    """tc said "burst 5 is too small" for a min of ten packets."""
    assert tc_numbers.ewma(10, 5) is None


def test_parameters_fit_the_bits_of_the_kernel() -> None:
    """max 141000 loaded with ewma 12 and was refused with 14; max 45000 was refused with bursts of 5000 and
    100000.
    """
    assert tc_numbers.most_exponent(141000) == 13
    assert tc_numbers.most_exponent(45000) < min(
        tc_numbers.ewma(10, 5000) or 0, tc_numbers.ewma(10, 100000) or 0
    )


def test_a_slope_is_a_whole_number_of_32_bit_steps() -> None:
    """0.1 over 30000 bytes: floor(2^32/10/30000) = 14316 steps a byte, 0.0999961 at max."""
    assert tc_numbers.max_p_loaded(0.1, 30000) == 14316 * 30000 / 2**32


@given(st.floats(1.0, 1000.0), st.integers(1, 24))
def test_every_burst_of_a_weight_gives_that_weight(low: float, exponent: int) -> None:
    some = tc_numbers.bursts(low, exponent)
    assert all(
        tc_numbers.ewma(low, burst) == exponent
        for burst in {*some[:1], *some[-1:], *some[len(some) // 2 :][:1]}
    )
    for outside in (some.start - 1, some.stop) if some else ():
        assert tc_numbers.ewma(low, outside) != exponent


@pytest.mark.parametrize("discipline", sorted(WRITERS))
@pytest.mark.parametrize("shape", [False, True])
def test_defaults_come_back_as_loaded(discipline: str, shape: bool) -> None:
    exported = export(discipline, {}, box="linux", rate_bps=RATE, shape=shape)
    imported = read(exported.text)
    assert (imported.discipline, imported.params) == (
        exported.discipline_as_loaded,
        exported.params_as_loaded,
    )
    assert imported.rate_bps == (RATE if shape or discipline in ("cake", "cobalt") else None)


def test_cake_is_read_with_its_tins_isolation_and_framing() -> None:
    shown = "qdisc cake 1: dev eth0 root refcnt 2 bandwidth 20Mbit diffserv4 dual-dsthost nat nowash no-ack-filter "
    imported = read(shown + "split-gso rtt 50ms ptm overhead 30 mpu 68")
    assert (imported.discipline, imported.rate_bps) == ("cake", 20e6)
    assert imported.params == {
        "bandwidth": "20 Mbit/s", "tins": "diffserv4", "isolate": "dual_dsthost", "interval": "50 ms",
        "overhead": "30 B", "mpu": "68 B", "framing": "ptm",
    }  # fmt: skip
    assert imported.functions == CakeFunctions(nat=True)
    assert not [note for note in imported.notes if note.kind == "lost"]


@pytest.mark.parametrize(
    ("word", "printed", "value"),
    [
        ("ack-filter", "enabled", "conservative"),
        ("ack-filter-aggressive", "aggressive", "aggressive"),
        ("no-ack-filter", "disabled", None),
    ],
)
def test_the_filter_of_acknowledgements_is_read_and_written(
    word: str, printed: str, value: str | None
) -> None:
    stated = read(f"tc qdisc add dev eth0 root cake bandwidth 2Mbit {word} wash")
    options = {"bandwidth": 250000, "diffserv": "diffserv3", "flowmode": "triple-isolate", "nat": True, "rtt": 100000,
               "wash": True, "ack-filter": printed, "split_gso": True, "raw": True}  # fmt: skip
    shown = read(
        json.dumps([{"kind": "cake", "handle": "1:", "dev": "eth0", "root": True, "options": options}])
    )
    assert [one.params.get("ack_filter") for one in (stated, shown)] == [value, value]
    assert stated.params["wash"] and shown.params["wash"] and shown.functions.nat
    again = export("cake", stated.params, box="linux", rate_bps=2e6).text
    assert read(again).params.get("ack_filter") == value and "wash" in again.split()


def test_of_words_that_exclude_each_other_the_last_counts() -> None:
    words = "diffserv3 nat triple-isolate ack-filter wash diffserv4 hosts nonat no-ack-filter nowash triple-isolate"
    taken = read(f"tc qdisc add dev eth0 root cake bandwidth 2Mbit {words}")
    assert (taken.params["tins"], taken.params["isolate"]) == ("diffserv4", "triple")
    assert not {"ack_filter", "wash"} & set(taken.params) and not taken.functions


def test_a_cake_each_way_states_the_line() -> None:
    text = (
        "tc qdisc add dev ifb0 root cake bandwidth 85mbit dual-dsthost nat ingress\n"
        "tc qdisc add dev eth0 root cake bandwidth 10mbit dual-srchost nat ack-filter\n"
    )
    assert [one.link_text for one in read_all(text)] == ["85/10Mbit:down,back=cake", "85/10Mbit:up,back=cake"]
    assert not read(text.partition("\n")[2]).link_text


def test_one_queue_for_all_flows_with_a_filter_is_still_cake() -> None:
    words = "bandwidth 2Mbit besteffort flowblind"
    assert read(f"tc qdisc add dev eth0 root cake {words}").discipline == "cobalt"
    assert read(f"tc qdisc add dev eth0 root cake {words} ack-filter").discipline == "cake"


def test_cake_counts_the_ethernet_header_unless_an_overhead_is_given() -> None:
    plain = read("tc qdisc add dev eth0 root cake besteffort flows").params
    assert (plain["overhead"], plain["tins"], "bandwidth" in plain) == ("14 B", "besteffort", False)
    assert read("tc qdisc add dev eth0 root cake docsis").params["mpu"] == "64 B"


amounts = st.integers(2, 5000)
weights = st.floats(1e-5, 0.5)


@settings(max_examples=60, deadline=None)
@given(
    low=amounts,
    width=amounts,
    room=amounts,
    max_p=st.floats(0.001, 1.0),
    w_q=weights,
    ecn=st.booleans(),
    kind=st.sampled_from(["red", "ared", "choke"]),
)
def test_red_and_its_relatives_come_back_as_loaded(
    low: int, width: int, room: int, max_p: float, w_q: float, ecn: bool, kind: str
) -> None:
    asked: dict[str, Any] = {
        "limit": f"{low + width + room} pkts", "min_th": f"{low} pkts", "max_th": f"{low + width} pkts", "max_p": max_p,
        "w_q": w_q, "ecn": ecn,
    }  # fmt: skip
    assume(max_p / (1500 * width) > 2.0**-30)  # flatter ones are refused
    exported = export(kind, asked, box="linux", rate_bps=RATE)
    imported = read(exported.text)
    assert (imported.discipline, imported.params) == (
        exported.discipline_as_loaded,
        exported.params_as_loaded,
    )
    # Loaded values are expressible: a second export changes nothing.
    again = export(imported.discipline, imported.params, box="linux", rate_bps=RATE)
    assert again.params_as_loaded == exported.params_as_loaded


@settings(max_examples=40, deadline=None)
@given(
    target=st.integers(2, 500_000),
    interval=st.integers(500_001, 5_000_000),
    limit=st.integers(1, 100_000),
    flows=st.integers(1, 65536),
    quantum=st.integers(256, 9000),
)
def test_codel_and_fq_codel_come_back_as_loaded(
    target: int, interval: int, limit: int, flows: int, quantum: int
) -> None:
    times = {"target": f"{target} us", "interval": f"{interval} us", "limit": f"{limit} pkts"}
    for kind, extra in (("codel", {}), ("fq_codel", {"flows": flows, "quantum": f"{quantum} B"})):
        exported = export(kind, {**times, **extra}, box="linux", rate_bps=RATE)
        assert read(exported.text).params == exported.params_as_loaded


@settings(max_examples=40, deadline=None)
@given(alpha=st.integers(0, 32), beta=st.integers(0, 32), target=st.integers(1, 10**6), ecn=st.booleans())
def test_pie_comes_back_as_asked(alpha: int, beta: int, target: int, ecn: bool) -> None:
    asked = {"alpha": alpha / 16, "beta": beta / 16, "target": f"{target} us", "ecn": ecn}
    back = params(export("pie", asked, box="linux", rate_bps=RATE).text)
    assert (back["alpha"], back["beta"], back["ecn"]) == (alpha / 16, beta / 16, ecn)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"min_th": "20 pkts", "max_th": "10 pkts"}, "max_th = 10 pkts: must exceed min_th"),
        ({"limit": "40 pkts", "min_th": "20 pkts", "max_th": "60 pkts"}, "limit = 60000: must exceed max_th"),
        ({"max_p": 1.5}, "queue.max_p = 1.5: must lie in"),
        ({"min_th": "0.0001 pkts", "max_th": "1 pkts"}, "min_th = 0: must be 1 or more"),
        ({"max_p": 1e-8, "min_th": "5 pkts", "max_th": "60 pkts"}, "too flat for tc"),
    ],
)
def test_contradictions_are_refused_in_one_line(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(dc.ScenarioError, match=words.replace("(", r"\(")) as error:
        export("red", asked, box="linux", rate_bps=RATE)
    assert len(error.value.problems) == 1


def test_several_contradictions_are_reported_at_once() -> None:
    asked = {
        "limit": "90 pkts",
        "dp_limit": ["20 pkts"],
        "min_th": ["10 pkts"],
        "max_th": ["40 pkts", "30 pkts"],
    }
    with pytest.raises(dc.ScenarioError) as error:
        export("gred", asked, box="linux", rate_bps=RATE)
    assert [one.path for one in error.value.problems] == ["DP 0.limit", "DP 1.limit", "DP 2.limit"]


def test_a_probability_of_one_does_not_overflow() -> None:
    exported = export("red", {"max_p": 1.0}, box="linux", rate_bps=RATE)
    assert "probability 0.9999999" in exported.text
    assert any(note.key == "max_p" and "overflows" in note.text for note in exported.notes)


def test_lost_options_are_noted_with_their_effect() -> None:
    exported = export(
        "red",
        {"dialect": "ns2", "limit": "200 pkts", "min_th": "20 pkts", "max_th": "60 pkts", "w_q": 0.002},
        box="linux",
        rate_bps=RATE,
    )
    assert {note.key for note in exported.notes if note.kind == "lost"} >= {
        "spacing",
        "above_max",
        "byte_mode",
    }
    # ns-2 takes 2/3 p_b, Linux 2 p_b: three times as much.
    assert any("halfway" in line and "3.39 %" in line and "9.52 %" in line for line in exported.effect)


def test_disciplines_that_linux_lacks_are_refused() -> None:
    with pytest.raises(dc.ScenarioError, match="kind = pi: Linux has no such queue"):
        export("pi", {}, box="linux", rate_bps=RATE)


SHOWN = """\
qdisc htb 1: dev eth0 root refcnt 9 r2q 10 default 0x1 direct_packets_stat 0 ver 3.17 direct_qlen 1000
qdisc red 10: dev eth0 parent 1:1 limit 150000b min 15000b max 45000b ecn ewma 4 probability 0.1 Scell_log 15
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
"""
SHOWN_JSON = """\
[{"kind":"fq_codel","handle":"8028:","dev":"eth0","root":true,"refcnt":2,"options":{"limit":10240,"flows":1024,"quantum":1514,
"target":4999,"interval":99999,"memory_limit":33554432,"ecn":true,"drop_batch":64}}]
"""
VQS = """\
qdisc gred 8023: root refcnt 2 vqs 2 default 1 grio limit 100Kb
 vq 0 prio 2 limit 60Kb min 15Kb max 25Kb ewma 4 probability 0.02 Scell_log 15
 vq 1 prio 3 limit 60Kb min 15Kb max 25Kb ewma 4 probability 0.02 Scell_log 15
"""


def test_the_output_of_tc_is_read() -> None:
    red = params(SHOWN)
    assert (red["limit"], red["min_th"], red["max_th"], red["w_q"], red["ecn"]) == (
        "150000 B", "15000 B", "45000 B", 1 / 16, True,
    )  # fmt: skip
    codel = params(SHOWN_JSON)
    assert (codel["target"], codel["interval"]) == ("4.999168 ms", "99.999744 ms")
    assert read(VQS).params["dp_limit"] == ["61440 B", "61440 B"]
    assert read(VQS).params["grio"] is True


def test_values_missing_from_the_text_are_assumed_and_noted() -> None:
    imported = read("qdisc red 8001: dev eth0 root refcnt 2 limit 400000b min 30000b max 90000b\n")
    assert {note.key for note in imported.notes if note.kind == "assumed"} == {"max_p", "w_q"}


@pytest.mark.parametrize(("limit", "words"), [(30_000, "RED drops any"), (60_000, "RED drops all")])
def test_a_buffer_that_is_full_too_early_is_reported(limit: int, words: str) -> None:
    imported = read(f"tc qdisc add dev e root red limit {limit} min 30000 max 90000 avpkt 1500 burst 40\n")
    (note,) = (note for note in imported.notes if note.key == "limit")
    assert note.text.endswith(words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "tc qdisc add dev e root red limit 150000 min 45000 max 15000 avpkt 1500 burst 40",
            "must exceed min",
        ),
        (
            "tc qdisc add dev e root red limit 150000 min 15000 max 45000 avpkt 1500 burst 5",
            "too small for min",
        ),
        ("tc qdisc add dev e root red min 15000 max 45000 avpkt 1500 burst 50", "red limit: is missing"),
        (
            "tc qdisc add dev e root red limit 400 min 30 max 90 avpkt 1000 burst 55",
            r"less than a packet \(0.03 of avpkt\): tc counts bytes, .* such as 30kb",
        ),
        ("tc qdisc add dev e root htb default 1", "holds no queue that is known"),
        ("tc qdisc add dev e root codel target fast", "fast: is no"),
    ],
)
def test_texts_that_are_refused(text: str, words: str) -> None:
    with pytest.raises(dc.ScenarioError, match=words) as error:
        read(text)
    assert len(error.value.problems) == 1


@pytest.mark.parametrize("discipline", sorted(WRITERS))
def test_the_real_tc_takes_every_export(discipline: str) -> None:
    trial = tc_try.trial(export(discipline, {}, box="linux", rate_bps=RATE, shape=True).text)
    old = [one.message for one in trial.verdicts if "too old" in one.message]
    if trial.skipped or old:
        pytest.skip(trial.skipped or old[0])
    assert trial.passed, [one for one in trial.verdicts if one.outcome == "refused"]


def test_the_real_tc_refuses_nonsense() -> None:
    trial = tc_try.trial(
        "tc qdisc add dev eth0 root red limit 150000 min 15000 max 45000 avpkt 1500 burst 5\n"
    )
    if trial.skipped:
        pytest.skip(trial.skipped)
    assert [one.outcome for one in trial.verdicts] == ["refused"]


#: A script of three classes that borrow from one another, run with sudo.
BORROWING = """#!/bin/sh
sudo tc qdisc replace dev wan0 root handle 2: htb default 33
sudo tc class add dev wan0 parent 2: classid 2:3 htb rate 90mbit
sudo tc class add dev wan0 parent 2:3 classid 2:31 htb rate 8mbit ceil 25mbit {first}
sudo tc class add dev wan0 parent 2:3 classid 2:33 htb rate 3mbit ceil 12mbit {last}
sudo tc qdisc add dev wan0 parent 2:31 fq_codel
sudo tc qdisc add dev wan0 parent 2:33 fq_codel
"""


@pytest.mark.parametrize(
    ("first", "last", "lost"),
    [("prio 1", "prio 4", ["1", "4"]), ("prio 2", "", ["2"]), ("prio 3", "prio 3", []), ("", "", [])],
)
def test_commands_under_sudo_are_recognised_and_priorities_of_classes_are_named_as_lost(
    first: str, last: str, lost: list[str]
) -> None:
    queues = read_all(BORROWING.format(first=first, last=last))
    assert [one.rate_bps for one in queues] == [25e6, 12e6]
    notes = [note.text.partition(":")[0] for one in queues for note in one.notes if note.key == "prio"]
    assert notes == lost


@pytest.mark.parametrize(
    ("default", "words"),
    [
        ("default 33", None), ("default 0x33", None), ("default 30", "there is no class 2:30"),
        ("", "no default class is stated"), ("default 0", "no default class is stated"),
    ],
)  # fmt: skip
def test_packets_without_a_class_of_htb_are_named_as_unshaped(default: str, words: str | None) -> None:
    text = BORROWING.format(first="", last="").replace("default 33", default)
    for one in read_all(text):
        notes = [note.text for note in one.notes if (note.kind, note.key) == ("lost", "htb default")]
        assert len(notes) == (words is not None)
        assert all(words in note and "unshaped" in note for note in notes if words)


def test_a_default_class_that_tc_shows_is_found() -> None:
    shown = (
        "qdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 0x10 direct_packets_stat 0\n"
        "class htb 1:10 parent 1:1 rate 30Mbit ceil 90Mbit\n"
        "qdisc fq_codel 10: dev eth0 parent 1:10 limit 10240p flows 1024 target 5ms interval 100ms ecn\n"
    )
    assert not [note for note in read_all(shown)[0].notes if note.key == "htb default"]
    assert [note for note in read_all(shown.replace("0x10", "0x30"))[0].notes if note.key == "htb default"]


@pytest.mark.parametrize("default", ["30", "0x30"])
@pytest.mark.parametrize("leaf", ["pfifo limit 300", "prio bands 2"])
def test_of_several_classes_the_default_of_the_shaper_is_read(default: str, leaf: str) -> None:
    inner = (
        "tc qdisc add dev eth0 parent 30:2 handle 32: pfifo limit 300\n" if leaf.startswith("prio") else ""
    )
    text = (
        f"tc qdisc add dev eth0 root handle 1: htb default {default}\n"
        "tc class add dev eth0 parent 1: classid 1:1 htb rate 20mbit\n"
        "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 5mbit\n"
        "tc class add dev eth0 parent 1:1 classid 1:30 htb rate 10mbit\n"
        "tc qdisc add dev eth0 parent 1:10 handle 10: pfifo limit 50\n"
        f"tc qdisc add dev eth0 parent 1:30 handle 30: {leaf}\n{inner}"
    )
    imported = read(text)
    assert (imported.params["limit"], imported.rate_bps) == ("300 pkts", 10e6)
    # Without a default class it is the first.
    first = read(text.replace(f" default {default}", ""))
    assert (first.params["limit"], first.rate_bps) == ("50 pkts", 5e6)


def test_several_variables_of_a_line_are_filled_in() -> None:
    text = (
        'DEV=ppp0; UP="1800kbit"  # rates\nLIM=20; B=2kb;\n'
        "tc qdisc add dev $DEV root tbf rate $UP limit ${LIM}kb burst $B\n"
    )
    imported = read(text)
    assert "ppp0" in imported.title
    assert (imported.rate_bps, imported.params["limit"]) == (1.8e6, "20480 B")


@pytest.mark.parametrize(
    ("word", "layer", "overhead"), [("pppoe-llcsnap", "atm", 26), ("docsis", "ethernet", 4)]
)
def test_a_shaper_counts_packets_as_the_line_frames_them(word: str, layer: str, overhead: int) -> None:
    """A size table adds to the 14 bytes of the Ethernet header, CAKE's overhead to the network layer's."""
    line = Framing(*WORDS[word])
    shaped = export("fq_codel", {}, box="linux", rate_bps=1e6, shape=True, framing=line)
    assert re.search(rf"stab (mpu 64 )?overhead {overhead} linklayer {layer} htb", shaped.text)
    assert read(shaped.text).params == read(
        export("fq_codel", {}, box="linux", rate_bps=1e6, shape=True).text
    ).params  # fmt: skip
    cake = export("cake", {}, box="linux", rate_bps=1e6, framing=line)
    assert f"overhead {line.overhead} " in cake.text
    assert cake.params_as_loaded["overhead"] == f"{line.overhead} B"
    stated = export("cake", {"overhead": "10 B"}, box="linux", rate_bps=1e6, framing=line)
    assert "overhead 10 " in stated.text, "what is asked for stays"
    notes = export("red", {}, box="ios", rate_bps=1e6, framing=line).notes
    assert any(f"the line takes {line.on_wire(1500)} bytes" in one.text for one in notes)
    section = export("fq_codel", {}, box="sqm", rate_bps=1e6, framing=line).text
    assert f"option linklayer '{layer}'" in section and f"option overhead '{line.overhead}'" in section


@pytest.mark.parametrize(
    ("words", "marks"),
    [
        ("fq_codel", True),
        ("fq_codel limit 1000", True),
        ("fq_codel limit 1000 target 5ms ecn", True),
        ("fq_codel limit 1000 noecn", False),
        ("codel limit 1000", False),
    ],
)
def test_fq_codel_marks_unless_the_command_says_otherwise(words: str, marks: bool) -> None:
    """The kernel switches ECN on for `fq_codel`, and off for `codel` (tc-fq_codel(8), tc-codel(8))."""
    assert read(f"tc qdisc add dev eth0 root {words}").params["ecn"] is marks


def test_fq_codel_as_printed_marks_if_it_says_so() -> None:
    shown = (
        "qdisc fq_codel 8001: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms "
        "memory_limit 32Mb {}drop_batch 64"
    )
    assert read(shown.format("ecn ")).params["ecn"] is True
    assert read(shown.format("")).params["ecn"] is False
