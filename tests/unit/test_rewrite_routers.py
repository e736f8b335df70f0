"""Configurations of IOS, Junos, VyOS and RouterOS with a queue replaced: all other statements stay."""

from __future__ import annotations

import pytest

from dropcurve import boxes
from dropcurve.boxes import rewrite
from dropcurve.errors import DropcurveError
from dropcurve.fixes import place
from dropcurve.fixes.designs import designs
from dropcurve.metrics import value
from dropcurve.runs.effort import Effort
from dropcurve.runs.replicate import replicate
from dropcurve.scenario import Scenario
from tests.unit.configurations import IOS, ROUTEROS_TREE


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
    # A queue without a rate is not a substitute for CAKE's shaper; one with it becomes a shaper of that name.
    assert rewrite.rewritten(VYOS_TREE, boxes.read(VYOS_TREE, name="LAN"), exported) == (exported.text, False)
    shaped = boxes.export("fq_codel", {}, box="vyos", rate_bps=18e6, shape=True)
    after, in_place = rewrite.rewritten(VYOS_TREE, boxes.read(VYOS_TREE, name="LAN"), shaped)
    back = boxes.read(after, name="LAN")
    assert in_place and (back.discipline, back.rate_bps) == ("fq_codel", 18e6)
    cake = boxes.export("cake", {"isolate": "dual_dsthost"}, box="vyos", rate_bps=18e6)
    after, _ = rewrite.rewritten(VYOS_TREE, boxes.read(VYOS_TREE, name="LAN"), cake)
    assert _moved(VYOS_TREE, after) == (["triple-isolate"], ["dual-dst-host"])


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


def test_a_queue_in_place_of_a_cake_of_vyos_keeps_its_shaper() -> None:
    before = "set qos policy cake OUT bandwidth '18mbit'\nset qos interface eth0 egress 'OUT'\n"
    exported = dict(designs(place(boxes.read(before)), shape=False))["FQ-CoDel"]
    assert "bandwidth 18000kbit" in exported.text and boxes.read(exported.text).rate_bps == pytest.approx(
        18e6
    )


@pytest.mark.parametrize(
    ("classifier", "key"),
    [
        ("pcq-classifier=dst-address", "destination"),
        ("pcq-classifier=src-address", "source"),
        ("pcq-classifier=src-address,dst-address", "hosts"),
        ("pcq-classifier=src-address,dst-address,src-port,dst-port", "flow"),
        ("", None),
    ],
)
def test_pcq_of_routeros_has_a_queue_for_each_address(classifier: str, key: str | None) -> None:
    text = (
        f"/queue type\nadd kind=pcq name=each pcq-rate=0 {classifier}\n"
        "/queue simple\nadd max-limit=20M/100M name=lan queue=each/each target=192.168.88.0/24\n"
    )
    queue = boxes.read(text, name="lan download")
    assert (queue.discipline, queue.params.get("by")) == ("sfq" if key else "droptail", key)
    assert [note.key for note in queue.notes] == ([] if classifier else ["pcq-classifier"])


def test_pcq_shares_between_devices_and_not_between_their_flows() -> None:
    """Two devices: one with eight downloads, one with the video, the call and the game."""
    text = (
        "/queue simple\nadd max-limit=5M/20M name=lan queue=pcq-upload-default/pcq-download-default "
        "target=192.168.88.0/24\n"
    )
    shares = {}
    where = place(
        boxes.read(text, name="lan download"), link="20/5,downloads=8,web=0,videos=3,uploads=0,rtt=20ms"
    )
    for key in ("destination", "flow"):
        (run,) = replicate(
            {key: where.base.edit([("queue.by", key), ("run.duration", "20 s"), ("run.warmup", "5 s")])},
            Effort(replications=1), name="pcq",
        ).variants[0].runs  # fmt: skip
        shares[key] = value(run, "goodput_bps", scope="download") or 0.0
    assert shares["destination"] < 0.9 * shares["flow"]


def test_the_bound_of_pcq_on_each_address_is_named() -> None:
    text = (
        "/queue type\nadd kind=pcq name=each pcq-rate=5M pcq-classifier=dst-address pcq-dst-address-mask=24\n"
        "/queue tree\nadd max-limit=100M name=down parent=bridge queue=each\n"
    )
    notes = {note.key: note.text for note in boxes.read(text).notes}
    assert notes["pcq-rate"].startswith("5M: the bound on each address is not simulated")
    assert notes["pcq-dst-address-mask"].startswith("24: each address is taken for itself")


def test_a_cake_of_routeros_without_a_bandwidth_of_its_own_loses_nothing() -> None:
    text = (
        "/queue type\nadd kind=cake name=c cake-bandwidth=0bps cake-flowmode=dual-dsthost\n"
        "/queue tree\nadd max-limit=95M name=down parent=bridge queue=c\n"
    )
    queue = boxes.read(text)
    assert queue.params["bandwidth"] == "95 Mbit/s"
    assert "cake-bandwidth" not in [note.key for note in queue.notes]


@pytest.mark.parametrize(
    ("names", "paired"),
    [(("down", "up"), True), (("WAN-Download", "WAN-Upload"), True), (("lan", "guests"), False)],
)
def test_two_leaves_named_as_upload_and_download_are_a_line(names: tuple[str, str], paired: bool) -> None:
    text = (
        "/queue type\nadd kind=fq-codel name=fq\n/queue tree\n"
        f"add max-limit=95M name={names[0]} parent=bridge queue=fq\n"
        f"add max-limit=19M name={names[1]} parent=ether1 queue=fq\n"
    )
    down, up = boxes.read_all(text)
    assert (down.link_text, up.link_text) == (
        ("95/19Mbit:down,back=fq_codel", "95/19Mbit:up,back=fq_codel") if paired else ("", "")
    )
    assert bool(place(up).base.get("flows.download.reverse")) == paired
