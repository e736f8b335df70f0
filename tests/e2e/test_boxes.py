"""`advise`, `export` and `import` from end to end: standard output, standard error, and refusals."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.boxes import BOXES

Dropcurve = Callable[..., Any]

RED = "red:min_th=30 pkts,max_th=90 pkts,max_p=0.1,limit=500 pkts"


def test_advice_says_what_to_load_and_how_to_repeat_it(dropcurve: Dropcurve) -> None:
    asked = ("advise", "--rate", "100Mbit", "--rtt", "20-200ms", "--flows", "5-100", "--buffer", "1000pkts")
    answer = dropcurve(*asked)
    assert answer.code == 0
    assert answer.out.startswith("Start with CoDel (number 8 below): ")
    assert (
        "\n\n100 Mbit/s, round trip 20 to 200 ms, 5 to 100 TCP flows, packets of 1500 B, buffer 1000"
        in answer.out
    )
    assert (
        answer.err
        == "Repeat: dropcurve advise --rate 100Mbit --rtt 20-200ms --flows 5-100 --buffer 1000pkts\n"
    )
    queues = [line.strip() for line in answer.out.splitlines() if line.strip().startswith("--queue")]
    assert len(queues) == 9
    base = dc.Scenario.load("short.toml")
    for queue in queues:
        kind, _, rest = shlex.split(queue)[1].partition(":")
        params = dict(part.split("=") for part in rest.split(","))
        assert base.queue(kind, **params).get("queue.kind") == kind
    advice = json.loads(dropcurve(*asked, "--json").out)
    assert [one["queue"] for one in advice["designs"]] == [shlex.split(queue)[1] for queue in queues]


@pytest.mark.parametrize("box", ["linux", "ios", "junos", "sonic", "openconfig"])
def test_an_exported_queue_is_imported_again(dropcurve: Dropcurve, box: str) -> None:
    answer = dropcurve("export", RED, "--rate", "100Mbit", "--for", box)
    assert answer.code == 0
    assert answer.err.splitlines()[-1] == f"Repeat: dropcurve export '{RED}' --for {box} --rate 100Mbit"
    Path("router.cfg").write_text(answer.out, encoding="utf-8")
    imported = json.loads(
        dropcurve("import", "router.cfg", "--rate", "100Mbit", "--buffer", "500pkts", "--json").out
    )
    exported = json.loads(dropcurve("export", RED, "--rate", "100Mbit", "--for", box, "--json").out)
    assert exported["text"] == answer.out
    assert (imported["box"], imported["discipline"], imported["params"]) == (
        box,
        exported["discipline_as_loaded"],
        exported["params_as_loaded"],
    )


@pytest.mark.parametrize(
    ("called", "box"),
    [
        ("tc", "linux"),
        ("cisco", "ios"),
        ("iosxe", "ios"),
        ("IOS-XE", "ios"),
        ("Juniper", "junos"),
        ("SONiC", "sonic"),
    ],
)
def test_a_box_goes_by_what_people_call_it(dropcurve: Dropcurve, called: str, box: str) -> None:
    exported = dropcurve("export", RED, "--rate", "100Mbit", "--for", called)
    assert exported.out == dropcurve("export", RED, "--rate", "100Mbit", "--for", box).out
    Path("router.cfg").write_text(exported.out, encoding="utf-8")
    imported = dropcurve("import", "router.cfg", "--rate", "100Mbit", "--buffer", "500pkts", "--from", called)
    assert imported.code == 0 and imported.out.startswith(f"{box}: ")


def test_a_router_becomes_a_scenario_and_an_answer(dropcurve: Dropcurve) -> None:
    text = (
        "tc qdisc add dev eth0 root red limit 60000 min 6000 max 18000 avpkt 1000 burst 10 bandwidth 1mbit\n"
    )
    Path("router.tc").write_text(text, encoding="utf-8")
    answer = dropcurve(
        "import", "router.tc", "--rate", "1Mbit", "--flows", "3", "--duration", "8 s", "--replications", "2",
        "--write", "mine.toml", "--compare",
    )  # fmt: skip
    assert answer.code == 0
    mine = dc.Scenario.load("mine.toml")
    assert (mine.get("queue.kind"), mine.get("queue.min_th"), mine.get("flows.download.count")) == (
        "red",
        "6000 B",
        3,
    )
    # A run shorter than twice the usual warm-up of 5 s is measured for its second half.
    assert (mine.get("run.duration"), mine.get("run.warmup")) == ("8 s", "4 s")
    heads = " ".join(line for line in answer.out.splitlines() if "yours" in line)
    assert all(name in heads for name in ("droptail", "ared", "codel", "pie", "fq_codel", "advised RED"))
    assert "Repeat: dropcurve import router.tc --rate 1Mbit" in answer.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("export", RED), "--rate: not given"),
        (("export", RED, "--rate", "10mbps"), "--rate = 10mbps: is ambiguous"),
        (
            ("export", RED, "--rate", "10Mbit", "--for", "toaster"),
            "--for = toaster: must be one of linux, ios",
        ),
        (("export", RED, "--rate", "10Mbit", "--for", "junper"), "--for = junper: must be one of linux, ios"),
        (("import", "short.toml", "--from", "huawei"), "--from = huawei: must be one of linux, ios"),
        (("export", RED, "--rate", "10Mbit", "--name", "x"), "--name: linux has no such option"),
        (("export", "red:max_th=3 pkts", "--rate", "10Mbit"), "queue.max_th = 3 pkts: must exceed min_th"),
        (("export", "codel", "--rate", "10Mbit", "--for", "ios"), "kind = codel: IOS has no such queue"),
        (("import", "short.toml"), "the kind of the configuration is not recognised"),
        (("import", "missing.cfg"), "missing.cfg: there is no such file"),
        (("advise",), "--rate, --flows: not given"),
        (("advise", "mm1"), "mm1: has no long TCP flows"),
        (
            ("advise", "--rate", "1Gbit", "--rtt", "9-3ms", "--flows", "5"),
            "--rtt = 9-3ms: the smaller value comes first",
        ),
    ],
)
def test_wrong_input_is_reported_in_one_line(
    dropcurve: Dropcurve, words: tuple[str, ...], message: str
) -> None:
    answer = dropcurve(*words)
    assert (answer.code, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert answer.err.startswith(f"dropcurve: {message}")


def test_the_studio_offers_every_box() -> None:
    source = (Path(__file__).parents[2] / "studio" / "tuning.js").read_text(encoding="utf-8")
    offered = re.findall(r'\["(\w+)", "', source.partition("BOXES = [")[2].partition("];")[0])
    assert sorted(offered) == sorted(BOXES)
