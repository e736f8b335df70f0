"""Queues of pf.conf: ALTQ and OpenBSD, both ways."""

from __future__ import annotations

import pytest

from dropcurve.boxes import export, read, read_all
from dropcurve.boxes.rewrite import rewritten
from dropcurve.errors import ScenarioError

RATE = 20e6
ALTQ = """ext_if = "em0"   # uplink
altq on $ext_if hfsc bandwidth 20Mb queue { voip, \\
    std, bulk }
queue voip bandwidth 10% priority 7 qlimit 30 hfsc(realtime 2Mb)
queue std bandwidth 60% hfsc(default red ecn)   # web
queue bulk bandwidth 30% qlimit 200 hfsc
pass out on $ext_if proto udp queue voip
"""
NESTED = """altq on rl0 cbq bandwidth 2Mb queue { main }
queue main bandwidth 100% cbq(default) { ack, rest }
queue ack bandwidth 20% cbq(borrow)
queue rest bandwidth 80% cbq(borrow red)
"""
OPENBSD = """queue root on em0 bandwidth 100M max 20M
queue voip parent root bandwidth 2M min 2M
queue std parent root bandwidth 18M default qlimit 100   # the rest
match proto udp set queue voip
"""


def test_queues_of_altq_have_their_share_of_the_interface() -> None:
    queues = {one.title: one for one in read_all(ALTQ)}
    assert [(one.discipline, one.rate_bps, one.share_bps) for one in queues.values()] == [
        ("droptail", 20e6, 2e6), ("red", 20e6, 12e6), ("droptail", 20e6, 6e6),
    ]  # fmt: skip
    assert queues["voip"].params == {"limit": "30 pkts"} and queues["voip"].box == "altq"
    # 10 and 30 % of the 50 slots that ALTQ has by default. HFSC gives RED the 1 ms of a packet as 10^6 us.
    red = queues["std"].params
    assert (red["min_th"], red["max_th"], red["max_p"], red["w_q"], red["ecn"]) == (
        "5 pkts", "15 pkts", 0.1, 1 / 64, True,
    )  # fmt: skip


def test_nested_queues_of_altq_are_those_without_queues_below_them() -> None:
    ack, rest = read_all(NESTED)
    assert (ack.title, ack.share_bps, rest.title, rest.share_bps) == ("ack", 0.4e6, "rest", 1.6e6)
    # 133 packets a second: below 2.4 Mbit/s the average is shorter.
    assert rest.params["w_q"] == 1 / 128 and rest.scheduler == "cbq"
    fast = NESTED.replace("2Mb", "100Mb")
    assert read_all(fast)[1].params["w_q"] == 1 / 512
    hfsc = read_all(fast.replace("cbq", "hfsc"))[1].params
    assert (hfsc["w_q"], hfsc["idle_rate"]) == (1 / 64, "80 kbit/s")
    faster = read_all(fast.replace("cbq", "hfsc").replace("100Mb", "1Gb"))[1].params
    assert faster["w_q"] == 1 / 128, "800 Mbit/s are 66667 packets a second, taken for 67"


def test_codel_of_altq_alone_and_within_a_scheduler() -> None:
    alone = read("altq on igb0 codel(target 10 interval 200 ecn) bandwidth 18Mb qlimit 1000\n")
    assert alone.params == {"limit": "1000 pkts", "target": "10 ms", "interval": "200 ms", "ecn": True}
    assert (alone.title, alone.rate_bps) == ("igb0", 18e6)
    pfsense = read(" altq on  igb0 codelq ( qlimit 200 )  bandwidth 18Mb queue \n")
    assert (pfsense.discipline, pfsense.params["limit"], pfsense.rate_bps) == ("codel", "200 pkts", 18e6)
    inside = read("altq on em0 priq bandwidth 1Mb queue q\nqueue q priority 1 priq(default codel)\n")
    assert inside.discipline == "codel" and inside.params == {"limit": "50 pkts", "ecn": False}


def test_queues_of_openbsd_have_the_rate_of_their_root() -> None:
    voip, std = read_all(OPENBSD)
    assert (voip.discipline, voip.params, voip.rate_bps, voip.share_bps) == (
        "droptail", {"limit": "50 pkts"}, 20e6, 2e6,
    )  # fmt: skip
    assert (std.title, std.params["limit"], std.share_bps) == ("std", "100 pkts", 18e6)
    flows = read("queue fq on pppoe0 flows 512 bandwidth 9M max 9M default\n")
    assert flows.params == {"limit": "1024 pkts", "flows": 512, "quantum": "1500 B", "ecn": False}


@pytest.mark.parametrize(
    ("box", "kind"),
    [("altq", one) for one in ("droptail", "red", "codel", "drr")]
    + [("openbsd", "droptail"), ("openbsd", "fq_codel")],
)
def test_an_export_reads_back_as_it_is_loaded(box: str, kind: str) -> None:
    exported = export(kind, {"limit": "120 pkts"}, box=box, rate_bps=RATE)
    imported = read(exported.text)
    assert (imported.box, imported.discipline, imported.params, imported.rate_bps) == (
        box, kind, exported.params_as_loaded, RATE,
    )  # fmt: skip
    again = export(kind, imported.params, box=box, rate_bps=RATE)
    assert again.text == exported.text


@pytest.mark.parametrize(
    ("text", "name", "kind", "inside", "line"),
    [
        (ALTQ, "std", "droptail", "hfsc", "queue std bandwidth 60% qlimit 120 hfsc(default) # web"),
        (ALTQ, "bulk", "codel", "hfsc", "queue bulk bandwidth 30% qlimit 120 hfsc(codel)"),
        (NESTED, "ack", "red", "cbq", "queue ack bandwidth 20% qlimit 120 cbq(borrow red)"),
        (OPENBSD, "std", "fq_codel", None,
         "queue std parent root bandwidth 18M flows 1024 quantum 1514 qlimit 120 default # the rest"),
    ],
)  # fmt: skip
def test_a_queue_is_replaced_in_its_own_statement(
    text: str, name: str, kind: str, inside: str | None, line: str
) -> None:
    imported = read(text, name=name)
    options = {} if inside is None else {"inside": inside}
    exported = export(kind, {"limit": "120 pkts"}, box=imported.box, rate_bps=RATE, **options)
    after, in_place = rewritten(text, imported, exported)
    assert in_place
    changed = [one for one in after.splitlines() if one not in text.splitlines()]
    assert [" ".join(one.split()) for one in changed] == [line]
    assert read(after, name=name).discipline == kind


@pytest.mark.parametrize("kind", ["codel", "drr"])
def test_the_queue_of_an_interface_is_replaced_on_that_interface(kind: str) -> None:
    text = "set skip on lo\naltq on igb0 codel bandwidth 18Mb qlimit 1000\npass all\n"
    exported = export(kind, {"limit": "60 pkts"}, box="altq", rate_bps=18e6)
    after, in_place = rewritten(text, read(text), exported)
    assert in_place and "altq on igb0 " in after and "em0" not in after
    assert after.startswith("set skip on lo\n") and after.endswith("pass all\n")
    assert read(after).params == exported.params_as_loaded


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("altq on em0 hfsc bandwidth 20Mb queue { a }\n", "queue a: is not there"),
        ("altq on em0 codel bandwidth fast\n", "must be a rate such as 20Mb"),
        ("queue q on em0 bandwidth 10M qlimit many\n", "queue q qlimit"),
    ],
)
def test_contradictory_configurations_are_refused(text: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        read(text)


def test_disciplines_a_box_lacks_are_refused_with_those_it_has() -> None:
    with pytest.raises(ScenarioError, match="ALTQ has droptail, red, codel, drr"):
        export("fq_codel", {}, box="altq", rate_bps=RATE)
    with pytest.raises(ScenarioError, match="one queue for all flows"):
        export("drr", {}, box="altq", rate_bps=RATE, inside="hfsc")


@pytest.mark.parametrize(
    ("bandwidth", "bps"),
    [
        ("95Mb", 95e6),
        ("95Mbit/s", 95e6),
        ("95Mbps", 95e6),
        ("10M", 1e7),
        ("2MB", 16e6),
        ("2Mbyte/s", 16e6),
        ("9000Kb", 9e6),
    ],
)
def test_bandwidths_of_dummynet_count_bits_or_bytes(bandwidth: str, bps: float) -> None:
    assert read(f"pipe 1 config bw {bandwidth} queue 100 droptail\n").rate_bps == bps
