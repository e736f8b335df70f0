"""Designs that a queue is compared with: those that its box and its place can load, and their sizes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dropcurve import boxes
from dropcurve.cli.configurations import lasting
from dropcurve.cli.import_ import _rivals
from dropcurve.fixes import Thoroughness, fix, loading, place
from dropcurve.fixes.designs import buffer, designs, loadable, tuned
from dropcurve.fixes.queues import YOURS, _fair_first
from dropcurve.quantities import units
from dropcurve.runs.effort import Effort
from dropcurve.runs.replicate import replicate
from tests.unit.configurations import IOS, SQM


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
        imported = boxes.read(
            f"tc qdisc replace dev eth0 root cake bandwidth 19mbit besteffort rtt 50ms{text}"
        )
        rival = dict(designs(place(imported), shape=False))["CAKE"].params_as_loaded
        assert {name: rival[name] for name in line} == line
        assert rival["tins"] == "besteffort"


def test_the_imported_queue_is_not_its_own_rival() -> None:
    head = "tc qdisc replace dev eth0 root cake bandwidth 19mbit"
    assert "cake" not in _rivals(place(boxes.read(head)))
    assert "cake" in _rivals(place(boxes.read(f"{head} rtt 50ms")))


def test_import_compares_cake_with_a_cake_and_all_others_on_a_line_of_its_framing() -> None:
    text = "tc qdisc replace dev eth0 root cake bandwidth 19mbit besteffort rtt 50ms overhead 44 mpu 84"
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
    assert buffer(where, "droptail") == "50 pkts"


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


def test_fair_queues_that_flows_seldom_share_are_among_the_designs_where_the_box_has_no_better() -> None:
    exported = dict(designs(place(boxes.read(IOS), rate_bps=2e6), shape=False))["fair-queue 1024"]
    assert exported.params_as_loaded["queues"] == 1024
    assert "fair-queue 1024" in exported.text
    # Without an AQM a long flow fills its own queue, which delays no thin flow: no recommendation for a home.
    kinds = {
        one.discipline for one in dict(designs(place(boxes.read(SQM), rate_bps=2e6), shape=False)).values()
    }
    assert {"fq_codel", "cake"} <= kinds and not kinds & {"sfq", "drr"}


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
    ("box", "words"),
    [("sonic", 'cir and pir "25000000"'), ("openconfig", "one-rate-two-color and a cir of 200000000")],
)
def test_switches_name_the_scheduler_that_shapes(box: str, words: str) -> None:
    """Their shapers are tables of their own, so that --shape changes no text of them."""
    params = {"min_th": "30 pkts", "max_th": "90 pkts", "max_p": 0.1, "limit": "500 pkts"}
    text = boxes.export("red", params, box=box, rate_bps=2e8).text
    where = place(boxes.read(text), rate_bps=2e8)
    for shape in (False, True):
        exported = loading.export_at(where, "red", params | {"max_p": 0.2}, shape=shape)
        assert exported is not None
        (note,) = (one.text for one in exported.notes if "must itself be the bottleneck" in one.text)
        assert words in note
