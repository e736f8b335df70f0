"""CAKE in a home: its functions in the runs, in the text and in the verdict."""

from __future__ import annotations

import pytest

from dropcurve import boxes
from dropcurve.boxes import rewrite
from dropcurve.fixes import line, loading, place
from dropcurve.fixes.designs import designs
from dropcurve.metrics import value
from dropcurve.results.recommendation import verdict_on
from dropcurve.runs.effort import Effort
from dropcurve.runs.replicate import replicate
from dropcurve.scenario import links

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
    assert back.params == own.params | {"interval": "200 ms"}


@pytest.mark.parametrize(
    ("script", "options", "tins"),
    [
        ("layer_cake.qos", "diffserv4", "diffserv4"),
        ("layer_cake.qos", "besteffort", "besteffort"),
        ("layer_cake.qos", "", "diffserv3"),
        ("piece_of_cake.qos", "", "besteffort"),
    ],
)
@pytest.mark.parametrize("name", ["wan upload", "wan download"])
@pytest.mark.parametrize("squash", ["0", "1", ""])
def test_the_script_of_a_cake_and_its_code_points_stay(
    script: str, options: str, tins: str, name: str, squash: str
) -> None:
    stated = f"\toption squash_dscp '{squash}'\n\toption squash_ingress '{squash}'\n" if squash else ""
    text = (
        f"config queue 'wan'\n\toption interface 'wan'\n\toption download '90000'\n\toption upload '9000'\n"
        f"\toption qdisc 'cake'\n\toption script '{script}'\n{stated}\toption iqdisc_opts 'nat {options}'\n"
        f"\toption eqdisc_opts 'nat {options}'\n"
    )
    queue = boxes.read(text, name=name)
    squashed = name.endswith("download") and squash != "0" and script == "layer_cake.qos" and not options
    assert queue.params["tins"] == ("besteffort" if squashed else tins)
    exported = loading.export_at(place(queue), "cake", {"interval": "200 ms"}, shape=False)
    assert exported is not None
    after, in_place = rewrite.rewritten(text, queue, exported)
    assert in_place and f"option script '{script}'" in after and stated in after
    assert ("squash" in after) == bool(squash)
    for one in boxes.read_all(after):
        before = boxes.read(text, name=one.title)
        assert (one.params["tins"], one.functions) == (before.params["tins"], before.functions)


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
    back = boxes.read(after)
    assert back.functions == queue.functions and back.params["ack_filter"] == "conservative"


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
        ("nat ack-filter wash", ""),
        ("ingress nat", "the protection of the queue before it (ingress)"),
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
    assert queue.params["ack_filter"] == "conservative" and queue.functions.nat
    exported = loading.export_at(place(queue), "cake", {"interval": "200 ms"}, shape=False)
    assert exported is not None
    after, in_place = rewrite.rewritten(text, queue, exported)
    (line,) = (one for one in after.splitlines() if "cake-rtt=200ms" in one)
    assert in_place and "cake-nat=yes" in line and "cake-ack-filter=filter" in line


VYOS = """set qos policy cake WAN bandwidth '18mbit'
set qos policy cake WAN flow-isolation 'nat'
set qos policy cake WAN flow-isolation 'dual-src-host'
set qos policy cake WAN rtt '50'
set qos interface eth0 egress 'WAN'
"""
VYOS_TREE = """qos {
    interface eth0 {
        egress WAN
    }
    policy {
        cake WAN {
            bandwidth 18mbit
            flow-isolation {
                dual-src-host
                nat
            }
        }
    }
}
"""


@pytest.mark.parametrize("text", [VYOS, VYOS_TREE])
def test_nat_of_vyos_stands_next_to_the_isolation(text: str) -> None:
    queue = boxes.read(text)
    assert (queue.params["isolate"], queue.functions.nat) == ("dual_srchost", True)
    exported = loading.export_at(place(queue), "cake", {"interval": "200 ms"}, shape=False)
    assert exported is not None
    after, in_place = rewrite.rewritten(text, queue, exported)
    back = boxes.read(after)
    assert in_place and back.functions == queue.functions and back.params["interval"] == "200 ms"
    assert back.params["isolate"] == "dual_srchost"


@pytest.mark.parametrize(
    ("words", "dev", "hidden"),
    [
        ("dual-srchost", "eth1", "source"),
        ("dual-dsthost", "eth1", "destination"),
        ("dual-srchost nat", "eth1", None),
        ("flows", "eth1", None),
        ("triple-isolate", "br-lan", None),
        ("triple-isolate", "lan1", None),
        ("triple-isolate", "wan", "destination"),
    ],
)
def test_without_nat_the_hosts_of_a_home_are_one(words: str, dev: str, hidden: str | None) -> None:
    where = place(boxes.read(f"tc qdisc replace dev {dev} root cake bandwidth 18Mbit {words}\n"))
    assert where.base.get("queue.translated") == (hidden or "neither")
    assert where.lacks_nat == bool(hidden) == ("has no nat" in where.basis)
    tried = {title for title, _ in designs(where, shape=False)}
    assert ("CAKE with nat" in tried) == bool(hidden)


@pytest.mark.parametrize(
    ("words", "dev", "up"),
    [
        ("dual-srchost nat", "eth1", True),
        ("srchost", "eth1", True),
        ("ack-filter", "eth1", True),
        ("dual-dsthost ack-filter", "eth1", False),
        ("dual-srchost ingress", "eth1", False),
        ("dual-srchost", "ifb0", False),
        ("dual-srchost", "br-lan", False),
        ("nat", "eth1", False),
    ],
)
def test_options_of_the_sending_side_make_an_upload(words: str, dev: str, up: bool) -> None:
    """The downloads of a CAKE become uploads; a link's own direction goes first."""
    queue = boxes.read(f"tc qdisc replace dev {dev} root cake bandwidth 18Mbit {words}\n")
    where = place(queue)
    flows = where.base.get("flows")
    assert (flows["upload"]["count"], flows["download"]["count"]) == ((9, 1) if up else (1, 9))
    assert bool(flows["download"].get("reverse")) == up == ("judged as the queue of an upload" in where.basis)
    of_line = place(queue, link="100/18,rtt=30ms")
    back = of_line.base.get("dumbbell.back.rate")
    assert back == ("100 Mbit/s" if up else of_line.base.get("dumbbell.back.rate"))
    assert bool(of_line.base.get("flows.download.reverse")) == up
    stated = place(queue, link="100/18:down,rtt=30ms")
    assert not stated.base.get("flows.download.reverse") and "of an upload" not in stated.basis


def test_a_class_of_a_tree_with_dual_srchost_is_an_upload() -> None:
    text = (
        "tc qdisc replace dev eth0 root handle 1: htb default 10\n"
        "tc class add dev eth0 parent 1: classid 1:10 htb rate 18mbit ceil 18mbit\n"
        "tc qdisc add dev eth0 parent 1:10 handle 10: cake unlimited dual-srchost nat\n"
    )
    where = place(boxes.read(text))
    assert where.base.get("flows.download.reverse") and "has dual-srchost" in where.basis


def test_sources_towards_the_devices_are_servers() -> None:
    queue = boxes.read("tc qdisc replace dev br-lan root cake bandwidth 18Mbit dual-srchost\n")
    assert "dual-srchost tells the servers apart: dual-dsthost shares between devices" in place(queue).basis


def test_a_queue_of_another_kind_gets_a_cake_with_nat() -> None:
    where = place(
        boxes.read("tc qdisc replace dev eth1 root handle 1: tbf rate 18mbit burst 15k latency 50ms\n")
    )
    exported = dict(designs(where, shape=False))["CAKE"]
    assert " nat" in exported.text and exported.functions.nat


@pytest.mark.parametrize(("rates", "tried"), [("100/2", True), ("20/20", False), ("50/10", False)])
def test_filters_are_tried_where_acknowledgements_take_much_of_the_upload(rates: str, tried: bool) -> None:
    _, places = line(rates)
    for where in places:
        names = set(dict(designs(where, shape=False)))
        up = where.imported.title == "wan upload"
        assert ({"CAKE with ack-filter", "CAKE with ack-filter-aggressive"} <= names) == (tried and up)


def test_the_score_counts_data_where_a_design_filters_acknowledgements() -> None:
    base = links.scenario(links.parse("100/2:up,back=fq_codel")[0], direction="up", duration="20 s")
    queues = {
        name: base.set("queue", {"kind": "cake", "bandwidth": "2 Mbit/s", "ack_filter": name})
        for name in ("off", "aggressive")
    }
    result = replicate(queues, Effort(replications=3), name="filter")
    verdict = verdict_on(result, current="off")
    assert verdict is not None and (verdict.status, verdict.recommended) == ("load", "aggressive")
    assert "of the rate of either direction for its transfers" in verdict.exchange
    (gain,) = (one for one in verdict.changes if one.criterion.key == "goodput_bps[upload]")
    assert gain.recommended > 1.5 * gain.other


def test_hosts_that_cake_tells_apart_share_the_link() -> None:
    profile, _ = links.parse("20/5Mbit:down,back=cake,downloads=8")
    base = links.scenario(profile, direction="down", duration="20 s")
    queue = {"kind": "cake", "bandwidth": "20 Mbit/s", "tins": "besteffort", "isolate": "dual_dsthost"}
    seen = {name: base.set("queue", queue | {"translated": name}) for name in ("neither", "destination")}
    result = replicate(seen, Effort(replications=2), name="hosts")
    rates = {
        one.name: [value(run, "goodput_bps", scope="download") or 0.0 for run in one.runs]
        for one in result.variants
    }
    # One device of two busy ones has eight downloads.
    assert sum(rates["neither"]) < 0.8 * sum(rates["destination"])


@pytest.mark.parametrize(("kind", "switched"), [("cake", False), ("sfq", False), ("fq_codel", True)])
def test_a_section_switches_ecn_where_the_scripts_do(kind: str, switched: bool) -> None:
    params = {"bandwidth": "20 Mbit/s"} if kind == "cake" else {}
    text = boxes.export(kind, params, box="sqm", rate_bps=2e7).text
    assert ("option egress_ecn" in text or "option ingress_ecn" in text) is switched


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("rtt 50ms", "rtt 100ms"),
        ("metro memlimit 1mb", "rtt 100ms memlimit 4194304"),
        ("overhead 44 atm", "overhead 44 atm"),
    ],
)
def test_a_new_cake_states_what_differs_from_its_defaults_or_from_the_one_in_place(
    before: str, after: str
) -> None:
    """`tc qdisc replace` keeps options that it does not state, of a queue of the same kind."""
    head = "tc qdisc replace dev eth0 root cake bandwidth 18Mbit diffserv3"
    text = f"{head} dual-srchost {before}".rstrip() + "\n"
    (queue,) = boxes.read_all(text)
    where = place(queue)
    params = {"isolate": "triple", "interval": "100 ms", **where.framing.params}
    exported = loading.export_at(where, "cake", params, shape=False)
    assert exported is not None
    assert not [note for note in exported.notes if note.key == "limit"]
    whole, in_place = rewrite.all_rewritten(text, [(queue, exported)])
    assert in_place and whole == f"{head} triple-isolate {after}".rstrip() + "\n"


def test_a_cake_with_another_round_trip_and_memory_states_both() -> None:
    params = {"bandwidth": "18 Mbit/s", "interval": "50 ms", "limit": "1 MB"}
    exported = boxes.export("cake", params, box="linux", rate_bps=18e6)
    assert exported.text.endswith("triple-isolate rtt 50ms overhead 0 noatm memlimit 1000000\n")
    assert boxes.read(exported.text).params == exported.params_as_loaded
