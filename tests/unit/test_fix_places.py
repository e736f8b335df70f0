"""Names of the text in the answer for a queue, its interface, and changes of scripts of tc commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dropcurve import boxes
from dropcurve.boxes import rewrite
from dropcurve.boxes.model import NEEDS_SHAPER, Export
from dropcurve.cli import invoke
from dropcurve.fixes import loading, place

IOS = """policy-map WAN
 class BULK
  random-detect
  random-detect precedence 0 6 12 10
 class class-default
  queue-limit 64 packets
!
interface GigabitEthernet0/1
 service-policy output WAN
"""
SHOWN = """ GigabitEthernet0/3

  Service-policy output: OUT

    Class-map: class-default (match-any)
      queue limit 64 packets
      Exp-weight-constant: 9 (1/512)
"""
JUNOS = """set class-of-service drop-profiles p interpolate fill-level [ 30 80 ] drop-probability [ 0 50 ]
set class-of-service schedulers be buffer-size temporal 50k
set class-of-service schedulers be drop-profile-map loss-priority low protocol any drop-profile p
set class-of-service scheduler-maps m forwarding-class best-effort scheduler be
set class-of-service interfaces ge-0/0/7 unit 0 scheduler-map m
"""
STANZAS = """class-of-service {
    interfaces {
        ge-0/1/0 {
            scheduler-map m;
        }
    }
    scheduler-maps {
        m {
            forwarding-class best-effort scheduler be;
        }
    }
    schedulers {
        be {
            buffer-size temporal 50k;
        }
    }
}
"""
PROFILE = (
    '"A": {"ecn": "ecn_all", "green_min_threshold": "100000", "green_max_threshold": "200000", '
    '"green_drop_probability": "5", "wred_green_enable": "true"}'
)
SONIC = (
    f'{{"WRED_PROFILE": {{{PROFILE}}}, "QUEUE": {{"Ethernet4|3": {{"wred_profile": "[WRED_PROFILE|A]"}}}}}}'
)
PORTS = f'{{"WRED_PROFILE": {{{PROFILE}}}, "QUEUE": {{"Ethernet4,Ethernet8|3": {{"wred_profile": "A"}}}}}}'
OPENCONFIG = """{"openconfig-qos:qos": {"queue-management-profiles": {"queue-management-profile": [{"name": "P",
"config": {"name": "P"}, "wred": {"uniform": {"config": {"min-threshold": "10000", "max-threshold": "50000",
"max-drop-probability-percent": 5, "enable-ecn": false}}}}]},
"interfaces": {"interface": [{"interface-id": "Ethernet7", "output": {"queues": {"queue": [{"name": "BE",
"config": {"name": "BE", "queue-management-profile": "P"}}]}}}]}}}
"""
ROUTEROS = "/queue type\nadd name=x kind=pfifo pfifo-limit=100\n/queue interface\nset ether5 queue=x\n"
TREE = (
    "/queue type\nadd name=x kind=pfifo pfifo-limit=100\n/queue tree\nadd name=all parent=ether3 max-limit=20M\n"
    "add name=rest parent=all queue=x\n"
)
VYOS = "set qos policy fair-queue WAN queue-limit 100\nset qos interface eth3 egress WAN\n"
BRACES = (
    "interfaces {\n    ethernet eth2 {\n        traffic-policy {\n            out WAN\n        }\n    }\n}\n"
    "traffic-policy {\n    fair-queue WAN {\n        queue-limit 100\n    }\n}\n"
)
ALTQ = "altq on igb1 hfsc bandwidth 20Mb queue { q_def, q_voip }\nqueue q_def hfsc(default red)\nqueue q_voip hfsc\n"
#: A queue without a name, in whose place a scheduler needs a name of ours.
ALONE = "altq on em9 codel bandwidth 20Mb\n"
OPENBSD = "queue root on em3 bandwidth 20M max 20M\nqueue std parent root bandwidth 20M default\n"
SQM = (
    "config queue 'wan'\n\toption interface 'pppoe-wan'\n\toption download '20000'\n\toption upload '2000'\n"
    "\toption qdisc 'fq_codel'\n"
)
#: Texts with the interface that they name; "" where they name several for a queue, or none.
TEXTS = {
    "linux": ("tc qdisc add dev wan0 root fq_codel\n", "wan0"),
    "linux printed": ("qdisc fq_codel 0: root refcnt 2 limit 10240p flows 1024 target 5ms\n", ""),
    "ios": (IOS, "GigabitEthernet0/1"),
    "ios printed": (SHOWN, "GigabitEthernet0/3"),
    "junos": (JUNOS, "ge-0/0/7"),
    "junos stanzas": (STANZAS, "ge-0/1/0"),
    "sonic": (SONIC, "Ethernet4"),
    "sonic ports": (PORTS, ""),
    "openconfig": (OPENCONFIG, "Ethernet7"),
    "mikrotik": (ROUTEROS, "ether5"),
    "mikrotik tree": (TREE, "ether3"),
    "mikrotik simple": ("/queue simple\nadd name=home target=192.168.1.0/24 max-limit=2M/20M\n", ""),
    "vyos": (VYOS, "eth3"),
    "vyos braces": (BRACES, "eth2"),
    "altq": (ALTQ, "igb1"),
    "altq alone": (ALONE, "em9"),
    "openbsd": (OPENBSD, "em3"),
    "sqm": (SQM, "pppoe-wan"),
    "dummynet": ("ipfw pipe 1 config bw 20Mbit/s queue 50\n", ""),
}
#: A design of each kind.
RED = {"limit": "500 pkts", "min_th": "40 pkts", "max_th": "120 pkts", "max_p": 0.1}
KINDS: dict[str, dict[str, object]] = {
    "droptail": {"limit": "77 pkts"}, "fq_codel": {"limit": "777 pkts"}, "cake": {}, "red": RED,
}  # fmt: skip
#: Names that an export has where no text gives it others.
OWN = ("dropcurve", "DROPCURVE", "eth0", "GigabitEthernet0/0", "ge-0/0/0", "Ethernet0", "ether1", "em0")


def queues_and_exports(
    text: str, *, shape: bool = False, rate_bps: float = 1e8
) -> list[tuple[boxes.Import, Export]]:
    """Every queue of a text with a design of each kind that its box can load there."""
    pairs = []
    for one in boxes.read_all(text, rate_bps=rate_bps):
        where = place(one, rate_bps=None if one.rate_bps else rate_bps)
        exports = [
            loading.export_at(where, kind, dict(params), shape=shape) for kind, params in KINDS.items()
        ]
        pairs += [(one, export) for export in exports if export is not None]
    return pairs


@pytest.mark.parametrize(("text", "dev"), TEXTS.values(), ids=TEXTS)
def test_every_queue_is_on_the_interface_of_its_text(text: str, dev: str) -> None:
    assert {one.dev for one in boxes.read_all(text, rate_bps=1e8)} == {dev}


@pytest.mark.parametrize("shape", [False, True])
@pytest.mark.parametrize(("text", "dev"), TEXTS.values(), ids=TEXTS)
def test_texts_and_notes_of_designs_have_the_names_of_the_text_alone(
    text: str, dev: str, shape: bool
) -> None:
    for queue, export in queues_and_exports(text, shape=shape):
        after, in_place = rewrite.rewritten(text, queue, export)
        added = [line for line in after.splitlines() if line not in text.splitlines()]
        if (in_place or dev) and text != ALONE:
            for name in OWN:
                assert not any(name in line.replace("'", " ").replace("=", " ").split() for line in added), (
                    added
                )
        for note in export.notes:
            if NEEDS_SHAPER in note.text:
                assert note.text.startswith(dev or "the interface of this queue"), note
        if in_place:
            names = {one.title for one in boxes.read_all(text, rate_bps=1e8)}
            again = boxes.read_all(after, rate_bps=1e8)
            # A scheduler of dummynet, and ALTQ's in place of a queue without a name, have names of their own.
            assert {one.title for one in again} == names or shape or queue.box in ("dummynet", "altq")
            assert {one.dev for one in again} == {dev}


def test_the_bottleneck_of_a_class_is_that_of_its_whole_link() -> None:
    text = IOS.replace(" class BULK\n", " class BULK\n  bandwidth percent 40\n")
    notes = {
        note.text
        for _, export in queues_and_exports(text)
        for note in export.notes
        if NEEDS_SHAPER in note.text
    }
    assert notes == {"GigabitEthernet0/1 must itself be the bottleneck of 100Mbit"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (IOS, "  service-policy WAN"),
        (
            IOS.partition(" class class-default")[0] + IOS.partition("packets\n")[2],
            "  shape average 100000000",
        ),
        (JUNOS, "set class-of-service interfaces ge-0/0/7 unit 0 shaping-rate 100000000"),
        (STANZAS, "            shaping-rate 100000000;"),
        (ROUTEROS, "/queue tree add name=ether5-shaper parent=ether5 queue=ether5 max-limit=100000000"),
        (VYOS, "set qos policy shaper WAN bandwidth 100000kbit"),
        ("tc qdisc add dev wan0 root fq_codel\n", "tc qdisc replace dev wan0 root handle 1: htb default 1"),
    ],
)
def test_a_shaper_that_is_asked_for_is_in_the_text(text: str, line: str) -> None:
    queue, export = queues_and_exports(text, shape=True)[0]
    after, in_place = rewrite.rewritten(text, queue, export)
    assert in_place and line in after.splitlines()
    assert not any(NEEDS_SHAPER in note.text for note in export.notes)
    new = [one for one in boxes.read_all(after, rate_bps=1e8) if one.dev == queue.dev]
    assert any(one.rate_bps for one in new)


def test_commands_for_what_a_box_printed_have_its_policy_class_and_parent() -> None:
    queue, export = queues_and_exports(SHOWN)[0]
    after, in_place = rewrite.rewritten(SHOWN, queue, export)
    assert not in_place
    assert after.splitlines()[:3] == ["policy-map OUT", " class class-default", "  no random-detect"]
    text = "qdisc pfifo 10: dev eth7 parent 1:10 limit 100p\n"
    export = boxes.export("codel", {"limit": "100 pkts"}, box="linux", rate_bps=2e6, dev="eth7")
    after, in_place = rewrite.rewritten(text, boxes.read(text), export)
    assert (in_place, after.split()[:7]) == (
        False,
        ["tc", "qdisc", "replace", "dev", "eth7", "parent", "1:10"],
    )


HTB = (
    "tc qdisc add dev eth0 root handle 1: htb default 10\n"
    "tc class add dev eth0 parent 1: classid 1:10 htb rate 20mbit\n"
)
#: Scripts of tc commands with one queue each, and the lines of its commands.
SCRIPTS = {
    "plain": ("tc qdisc add dev wan0 root pfifo limit 100\n", [0]),
    "no option": ("tc qdisc add dev wan0 root fq_codel\n", [0]),
    "handle": ("# up\ntc qdisc replace dev wan0 root handle 8: sfq perturb 10\n", [1]),
    "sudo": ("sudo /sbin/tc qdisc replace dev wan0 root red limit 400kb min 30kb max 90kb avpkt 1000 burst 40\n", [0]),
    "variables": ("IF=eth3\nTC=tc\n$TC qdisc del dev $IF root\n$TC qdisc add dev $IF root sfq\n", [3]),
    "token bucket": ("tc qdisc add dev eth0 root tbf rate 20mbit burst 32k latency 400ms\n", [0]),
    "two virtual queues": (
        "tc qdisc add dev eth0 root gred setup DPs 2 default 0\n"
        + "".join(
            f"tc qdisc change dev eth0 root gred limit 60KB min {low}KB max 25KB avpkt 1000 burst 20 DP {number} "
            "probability 0.02\n"
            for number, low in enumerate((5, 8))
        ),
        [0, 1, 2],
    ),
    "changed later": ("tc qdisc add dev eth0 root pfifo\ntc qdisc change dev eth0 root pfifo limit 30\n", [0, 1]),
    "one line": ("tc qdisc del dev eth0 root 2>/dev/null; tc qdisc add dev eth0 root pfifo limit 30\n", [0]),
    "alternative": ("tc qdisc add dev eth0 root pfifo limit 30 || exit 1\n", [0]),
    "default queue": ("tc qdisc add dev eth0 root pfifo_fast\n", [0]),
    "batch": ("qdisc add dev eth0 root fq_codel limit 300\n", [0]),
    "class": (f"{HTB}tc qdisc add dev eth0 parent 1:10 sfq\n", [2]),
    "default queue of a class": (HTB, []),
    "default queue of a band": ("tc qdisc add dev eth0 root handle 1: prio\n", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "own"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_keeps_its_lines_and_gets_the_queue_in_its_place(text: str, own: list[int]) -> None:
    for before, export in queues_and_exports(text, rate_bps=2e7):
        after, in_place = rewrite.rewritten(text, before, export)
        assert in_place
        kept = [line for number, line in enumerate(text.splitlines()) if number not in own]
        assert [line for line in after.splitlines() if line in kept] == kept
        (rewritten,) = boxes.read_all(after)
        assert rewritten.discipline == export.discipline_as_loaded
        assert (
            rewritten.rate_bps == pytest.approx(before.rate_bps or rewritten.rate_bps or 0.0, rel=0.02)
            or not before.rate_bps
        )
        assert rewritten.dev == before.dev


@pytest.mark.parametrize(
    "text",
    [
        f"{HTB}tc qdisc add dev eth0 parent 1:10 cake bandwidth 20mbit\n",
        "tc qdisc add dev eth0 root handle 1: prio\ntc qdisc add dev eth0 parent 1:3 handle 30: sfq\n",
        "tc qdisc add dev eth0 root handle 1: mq\ntc qdisc add dev eth0 parent 1:1 fq_codel\n",
    ],
)
def test_no_shaper_replaces_the_queues_around_a_queue(text: str) -> None:
    """A shaper at the root would remove the classes and bands of the other queues."""
    some = queues_and_exports(text, shape=True, rate_bps=2e7)
    assert some
    for queue, export in some:
        after, in_place = rewrite.rewritten(text, queue, export)
        assert in_place
        assert after.splitlines()[:-1] == text.splitlines()[:-1]


def test_several_commands_of_a_line_are_read() -> None:
    text = "for i in 1; do tc qdisc add dev eth0 root pfifo limit 30 >/dev/null 2>&1 && echo done; done\n"
    (queue,) = boxes.read_all(text)
    assert (queue.title, queue.params["limit"]) == ("dev eth0 root", "30 pkts")


def test_the_policer_of_arriving_packets_gives_way_in_its_script(tmp_path: Path) -> None:
    text = (
        "tc qdisc add dev wan0 handle ffff: ingress\n"
        "tc filter add dev wan0 parent ffff: protocol ip u32 match u32 0 0 police rate 10mbit burst 10k drop\n# end\n"
    )
    export = boxes.export("fq_codel", {"limit": "1000 pkts"}, box="linux", rate_bps=1e7, shape=True)
    after, in_place = rewrite.rewritten(text, boxes.read(text), export)
    assert in_place
    lines = after.splitlines()
    assert (lines[0], lines[-1]) == (text.splitlines()[0], "# end")
    assert after.count("ingress") == 1 and "police" not in after and "dev eth0" not in after
    assert boxes.read(after).discipline == "fq_codel"


def test_fairq_of_altq_keeps_fair_queues_and_their_number() -> None:
    text = "altq on em0 fairq bandwidth 20Mb queue { q }\nqueue q bandwidth 20Mb fairq(default buckets 64)\n"
    queue = boxes.read(text)
    where = place(queue)
    assert loading.export_at(where, "droptail", {"limit": "100 pkts"}, shape=False) is None, (
        "it would be fair queues"
    )
    export = loading.export_at(where, "drr", {"limit": "100 pkts", "queues": 1024}, shape=False)
    assert export is not None
    after, in_place = rewrite.rewritten(text, queue, export)
    assert in_place and "qlimit 100 fairq(default buckets 1024)" in after
    assert boxes.read(after).params == export.params_as_loaded
    (plain,) = boxes.read_all("altq on em0 hfsc bandwidth 20Mb queue { q }\nqueue q hfsc(default red)\n")
    assert loading.export_at(place(plain), "drr", {"limit": "100 pkts", "queues": 1024}, shape=False) is None


@pytest.mark.parametrize(
    ("matched", "voice"), [("ef", True), ("46", True), ("ef 44", True), ("ef af41", False), ("af31", False)]
)
def test_a_class_of_calls_alone_is_not_judged_with_transfers(
    matched: str, voice: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        f"class-map match-any CALLS\n match ip dscp {matched}\n!\npolicy-map WAN\n class CALLS\n"
        "  bandwidth percent 20\n  queue-limit 64 packets\n class class-default\n  queue-limit 64 packets\n"
    )
    assert [one.calls_alone for one in boxes.read_all(text, rate_bps=1e7)] == [voice, False]
    (tmp_path / "r.cfg").write_text(text, encoding="utf-8")
    words = ["fix", str(tmp_path / "r.cfg"), "--rate", "4Mbit", "--time", "0s", "--duration", "3s"]
    assert invoke([*words, "--replications", "2", "--json"]) == 0
    seen = capsys.readouterr()
    titles = [one["queue"] for one in json.loads(seen.out)["queues"]]
    assert titles == (["WAN/class-default"] if voice else ["WAN/CALLS", "WAN/class-default"])
    assert ("WAN/CALLS: calls alone (DSCP EF)" in seen.err) == voice


def test_the_hint_at_a_shaper_names_the_verb_that_has_the_option() -> None:
    (_, export), *_ = queues_and_exports(TEXTS["linux"][0])
    assert any(note.text.endswith("otherwise add a shaper (fix --shape)") for note in export.notes)
    alone = boxes.export("codel", {"limit": "100 pkts"}, box="linux", rate_bps=2e6)
    assert any(note.text.endswith("otherwise add a shaper (export --shape)") for note in alone.notes)


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("traffic-policy {\n    fair-queue WAN {\n      {\n  queue-limit 100\n    }\n}\n", "vyos"),
        (
            STANZAS.replace(
                "            buffer-size temporal 50k;", "            { buffer-size temporal 50k; }"
            ),
            "junos",
        ),
        (
            "set ether5 queue=x\n /queue type\nadd name=x kind=pfifo\n /queue interface\nset ether5 queue=x\n",
            "mikrotik",
        ),
        (
            OPENCONFIG.replace('"queue-management-profile": "P"', '"queue-management-profile": {"a": 1}'),
            "openconfig",
        ),
        ("altq on igb1 hfsc bandwidth 20Mb queue { q }\nqueue q hfsc(default\n", "altq"),
    ],
)
def test_damaged_texts_are_read_and_rewritten_or_refused(text: str, box: str) -> None:
    params = RED if box == "openconfig" else {"limit": "77 pkts"}
    export = boxes.export("red" if box == "openconfig" else "droptail", params, box=box, rate_bps=1e8)
    for queue in boxes.read_all(text, box=box, rate_bps=1e8):
        after, _ = rewrite.rewritten(text, queue, export)
        assert after
