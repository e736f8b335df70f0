"""CAKE in a home: its functions that are not simulated stay in the text and in the verdict."""

from __future__ import annotations

import pytest

from dropcurve import boxes
from dropcurve.boxes import rewrite
from dropcurve.fixes import loading, place
from dropcurve.fixes.designs import designs

SECTION = """config queue
	option interface 'wan'
	option enabled '1'
	option download '200000'
	option upload '20000'
	option qdisc 'cake'
	option script 'piece_of_cake.qos'
	option qdisc_advanced '1'
	option qdisc_really_really_advanced '1'
	option iqdisc_opts 'nat dual-dsthost ingress'
	option eqdisc_opts 'nat dual-srchost ack-filter'
"""
COMMAND = (
    "tc qdisc replace dev wan0 root cake bandwidth 18Mbit besteffort dual-srchost nat ack-filter rtt 20ms\n"
)


@pytest.mark.parametrize("name", ["queue0 upload", "queue0 download"])
def test_a_section_without_a_name_is_changed_in_place(name: str) -> None:
    queue = boxes.read(
        f"config queue 'other'\n\toption upload '1000'\n{SECTION}", name=name.replace("0", "1")
    )
    assert queue.title == name.replace("0", "1")
    own = boxes.read(SECTION, name=name)
    exported = loading.export_at(place(own), "cake", {"interval": "200 ms"}, shape=False)
    assert exported is not None
    after, in_place = rewrite.rewritten(SECTION, own, exported)
    assert in_place and after.count("config queue") == 1
    back = boxes.read(after, name=name)
    assert back.params == own.params | {"interval": "200 ms", "limit": back.params["limit"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SECTION, ["dual-srchost", "nat", "ack-filter", "rtt 200ms"]),
        (COMMAND, ["besteffort", "dual-srchost", "nat"]),
    ],
)
def test_options_that_are_not_simulated_stay_with_another_interval(text: str, words: list[str]) -> None:
    queue = boxes.read(text)
    exported = loading.export_at(place(queue), "cake", {"interval": "200 ms"}, shape=False)
    assert exported is not None
    after, in_place = rewrite.rewritten(text, queue, exported)
    (line,) = (one for one in after.splitlines() if "eqdisc_opts" in one or " cake " in one)
    assert in_place and not [word for word in words if word not in line]
    lost = [[note.key for note in boxes.read(one).notes if note.kind == "lost"] for one in (text, after)]
    assert set(lost[0]) <= set(lost[1])


def test_options_of_cake_do_not_go_to_another_queue() -> None:
    queue = boxes.read(COMMAND)
    exported = loading.export_at(place(queue), "fq_codel", {"limit": "1000 pkts"}, shape=False)
    assert exported is not None
    after, _ = rewrite.rewritten(COMMAND, queue, exported)
    assert "fq_codel" in after and "nat" not in after and "ack-filter" not in after


def test_longer_intervals_are_tried_and_keep_the_tins_and_hosts() -> None:
    where = place(boxes.read(COMMAND))
    tried = {title: one.params_as_loaded for title, one in designs(where, shape=False) if "rtt" in title}
    assert list(tried) == ["CAKE with rtt 40 ms", "CAKE with rtt 80 ms"]
    assert {(one["tins"], one["isolate"]) for one in tried.values()} == {("besteffort", "dual_srchost")}


@pytest.mark.parametrize(
    ("words", "functions"),
    [
        ("nat ack-filter", "the isolation of hosts behind NAT and the ACK filter"),
        ("ack-filter-aggressive", "the ACK filter"),
        ("nonat nowash", ""),
    ],
)
def test_functions_that_no_run_shows_are_named(words: str, functions: str) -> None:
    queue = boxes.read(f"tc qdisc replace dev wan0 root cake bandwidth 18Mbit {words}\n")
    assert place(queue).unsimulated == functions


def test_options_of_routeros_stay_in_the_new_type() -> None:
    text = (
        "/queue type add name=up kind=cake cake-nat=yes cake-flowmode=dual-srchost cake-ack-filter=filter\n"
        "/queue simple add name=wan max-limit=20M/90M queue=up/up\n"
    )
    queue = boxes.read(text, name="wan upload")
    exported = loading.export_at(place(queue), "cake", {"interval": "200 ms"}, shape=False)
    assert exported is not None
    after, in_place = rewrite.rewritten(text, queue, exported)
    (line,) = (one for one in after.splitlines() if "cake-rtt=200ms" in one)
    assert in_place and "cake-nat=yes" in line and "cake-ack-filter=filter" in line
