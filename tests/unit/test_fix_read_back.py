"""A text with a recommended queue holds that queue: what is read from the whole text is what was simulated."""

from __future__ import annotations

import pytest

from dropcurve import boxes
from dropcurve.boxes import rewrite
from dropcurve.fixes import place
from dropcurve.fixes.designs import designs
from tests.unit.configurations import IOS, ROUTEROS_TREE, SECTION

#: Classes that have a share of a shaped interface, one of them by ``remainder``.
JUNOS = """set class-of-service drop-profiles p interpolate fill-level [ 30 80 ] drop-probability [ 0 50 ]
set class-of-service schedulers be transmit-rate percent 55
set class-of-service schedulers be buffer-size temporal 40000
set class-of-service schedulers be drop-profile-map loss-priority any protocol any drop-profile p
set class-of-service schedulers gold transmit-rate 10m
set class-of-service schedulers gold buffer-size percent 15
set class-of-service schedulers bulk transmit-rate remainder
set class-of-service schedulers bulk buffer-size remainder
set class-of-service scheduler-maps m forwarding-class best-effort scheduler be
set class-of-service scheduler-maps m forwarding-class assured-forwarding scheduler gold
set class-of-service scheduler-maps m forwarding-class network-control scheduler bulk
set class-of-service interfaces ge-0/0/0 scheduler-map m
set class-of-service interfaces ge-0/0/0 shaping-rate 50m
"""
TC = """tc qdisc add dev eth0 root handle 1: htb default 20
tc class add dev eth0 parent 1: classid 1:1 htb rate 18mbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 10mbit ceil 18mbit
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 8mbit ceil 18mbit
tc qdisc add dev eth0 parent 1:10 handle 10: sfq perturb 10
tc qdisc add dev eth0 parent 1:20 handle 20: pfifo limit 100
"""
VYOS = """set qos policy shaper WAN bandwidth '50mbit'
set qos policy shaper WAN class 10 bandwidth '20mbit'
set qos policy shaper WAN class 10 queue-type 'fair-queue'
set qos policy shaper WAN default bandwidth '30mbit'
set qos policy shaper WAN default queue-type 'drop-tail'
set qos policy shaper WAN default queue-limit '200'
set qos interface eth0 egress 'WAN'
"""
ALTQ = """altq on em0 hfsc bandwidth 20Mb queue { qBulk, qDefault }
queue qBulk on em0 bandwidth 5Mb qlimit 50 hfsc ( realtime 5Mb )
queue qDefault on em0 bandwidth 15Mb qlimit 100 hfsc ( default realtime 15Mb )
"""
OPENBSD = """queue up on em0 bandwidth 20M max 20M
queue bulk parent up bandwidth 5M qlimit 50
queue std parent up bandwidth 15M qlimit 100 default
"""
TEXTS = {
    "ios": IOS, "junos": JUNOS, "linux": TC, "vyos": VYOS, "altq": ALTQ, "openbsd": OPENBSD,
    "mikrotik": ROUTEROS_TREE, "sqm": SECTION,
}  # fmt: skip


@pytest.mark.parametrize("box", TEXTS)
def test_each_design_is_read_back_from_the_whole_text_as_it_was_simulated(box: str) -> None:
    text, rate = TEXTS[box], 1e8
    queues = [one for one in boxes.read_all(text, rate_bps=rate) if not one.urgent]
    assert len(queues) > 1
    for queue in queues:
        where = place(queue, rate_bps=None if queue.rate_bps else rate)
        rewrites = 0
        for name, exported in designs(where, shape=False):
            after, in_place = rewrite.rewritten(text, queue, exported)
            if not in_place:
                continue
            rewrites += 1
            back = next(one for one in boxes.read_all(after, rate_bps=rate) if one.title == queue.title)
            loaded = where.put(exported.discipline_as_loaded, exported.params_as_loaded)
            assert where.put(back.discipline, back.params).hash == loaded.hash, (queue.title, name)
            assert back.share_bps == queue.share_bps
        assert rewrites


def test_schedulers_of_junos_with_remainder_share_what_the_others_leave() -> None:
    be, gold, bulk = boxes.read_all(JUNOS)
    assert [one.share_bps for one in (be, gold, bulk)] == pytest.approx([27.5e6, 10e6, 12.5e6])
    # 15 % and what that leaves of 100 ms at 50 Mbit/s.
    assert (gold.params["limit"], bulk.params["limit"]) == ("93750 B", "531250 B")
    both = JUNOS.replace("gold transmit-rate 10m", "gold transmit-rate remainder")
    _, gold, bulk = boxes.read_all(both)
    assert gold.share_bps == bulk.share_bps == pytest.approx(11.25e6)


def test_a_buffer_of_junos_in_time_is_filled_at_the_rate_of_its_interface() -> None:
    be = boxes.read(JUNOS, name="be")
    assert be.params["limit"] == "250000 B"  # 40 ms at 50 Mbit/s, of which the scheduler has 27.5
    exported = boxes.export("droptail", {"limit": "68750 B"}, box="junos", rate_bps=27.5e6, interface_bps=5e7)
    after, _ = rewrite.rewritten(JUNOS, be, exported)
    assert "schedulers be buffer-size temporal 11000\n" in after
    assert boxes.read(after, name="be").params == {"limit": "68750 B"}


def test_a_priority_queue_of_junos_that_is_shaped_to_a_share_is_policed_to_it() -> None:
    first = """set class-of-service schedulers ef priority strict-high
set class-of-service schedulers ef shaping-rate percent 10
set class-of-service scheduler-maps m forwarding-class expedited-forwarding scheduler ef
"""
    (above,) = boxes.read(f"{JUNOS}{first}", name="be").above
    assert (above.title, above.police_bps) == ("ef", 5e6)


def test_the_own_rate_of_a_scheduler_of_junos_shapes_no_other() -> None:
    first = """set class-of-service schedulers ef priority strict-high
set class-of-service schedulers ef shaping-rate 2m
set class-of-service scheduler-maps m forwarding-class expedited-forwarding scheduler ef
"""
    be = boxes.read(f"{first}{JUNOS}", name="be")
    assert (be.rate_bps, be.share_bps) == (5e7, pytest.approx(27.5e6))
    assert be.above[0].police_bps == 2e6
    assert boxes.read(f"{first}{JUNOS}", name="ef").rate_bps == 2e6


def test_a_scheduler_of_junos_has_the_rate_of_the_interface_that_its_map_is_on() -> None:
    other = """set class-of-service traffic-control-profiles slow shaping-rate 8m
set class-of-service traffic-control-profiles slow scheduler-map branch
set class-of-service interfaces ge-0/0/1 unit 0 output-traffic-control-profile slow
set class-of-service interfaces ge-0/0/2 shaping-rate 20m
set class-of-service interfaces ge-0/0/2 unit 0 scheduler-map office
set class-of-service schedulers web buffer-size percent 20
set class-of-service schedulers mail buffer-size percent 20
set class-of-service scheduler-maps branch forwarding-class best-effort scheduler web
set class-of-service scheduler-maps office forwarding-class best-effort scheduler mail
"""
    rates = {one.title: one.rate_bps for one in boxes.read_all(f"{other}{JUNOS}")}
    assert {one: rates[one] for one in ("web", "mail", "be")} == {"web": 8e6, "mail": 2e7, "be": 5e7}
