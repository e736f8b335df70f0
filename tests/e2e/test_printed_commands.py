"""Commands in the output of verbs: every command is parsed by the real parser, every queue is built."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import boxes
from dropcurve.boxes.model import queue_text
from dropcurve.cli import verbs, wizard
from dropcurve.quantities import values

Dropcurve = Callable[..., Any]

SHORT = """
[run]
duration = "4 s"
warmup = "1 s"

[dumbbell]
rate = "5 Mbit/s"
delay = "10 ms"

[queue]
kind = "red"
limit = "50 pkts"

[flows.tcp]
count = 3
transport = "tcp"
"""

#: A configuration of each box, with features that made printed queues fail: lists, nested queues, dialects, curves,
#: "auto".
TEXTS = {
    "linux": "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 10mbit ecn",
    "linux cake": "tc qdisc replace dev eth0 root cake bandwidth 18mbit diffserv4 nat docsis",
    "ios": "policy-map P\n class V\n  priority percent 10\n class class-default\n  random-detect dscp-based\n",
    "ios fair": "policy-map P\n class class-default\n  fair-queue\n  queue-limit 128 packets\n",
    "nxos": (
        "policy-map type queuing P\n  class type queuing c-out-q3\n    random-detect minimum-threshold 150 kbytes "
        "maximum-threshold 1500 kbytes drop-probability 7 weight 0 ecn\n"
    ),
    "junos": (
        "class-of-service { drop-profiles { low { fill-level 50 drop-probability 10; } } "
        "schedulers { voice { priority strict-high; } be { buffer-size percent 80; "
        "drop-profile-map loss-priority any protocol any drop-profile low; } } }"
    ),
    "sonic": (
        '{"WRED_PROFILE": {"P": {"ecn": "ecn_all", "green_min_threshold": "100000", "green_max_threshold": "300000", '
        '"green_drop_probability": "5", "wred_green_enable": "true"}}}'
    ),
    "sqm": "config queue 'wan'\n\toption interface 'eth1'\n\toption download '18000'\n\toption upload '1800'\n",
    "mikrotik": "/queue simple add name=wan target=ether1 max-limit=2M/20M queue=default/default\n",
    "vyos": (
        "set qos policy shaper WAN bandwidth '20mbit'\nset qos policy shaper WAN default queue-type 'fq-codel'\n"
        "set qos interface eth0 egress 'WAN'\n"
    ),
    "dummynet": (
        "ipfw pipe 1 config bw 20Mbit/s queue 100 red 0.002/20/60/0.1\n"
        "ipfw pipe 2 config bw 2Mbit/s\nipfw sched 2 config pipe 2 type fq_codel target 15ms ecn\n"
    ),
    "altq": (
        "altq on em0 hfsc bandwidth 20Mb queue { std, bulk }\nqueue std bandwidth 60% hfsc(default red)\n"
        "queue bulk bandwidth 40% qlimit 200 hfsc\n"
    ),
    "openbsd": "queue std on em0 bandwidth 20M max 20M qlimit 200 default\n",
    "openconfig": (
        '{"openconfig-qos:qos": {"queue-management-profiles": {"queue-management-profile": [{"name": "p", "wred": '
        '{"uniform": {"config": {"min-threshold": "100000", "max-threshold": "200000", '
        '"max-drop-probability-percent": 5, "enable-ecn": true}}}}]}}}'
    ),
}  # fmt: skip


def parsed(words: list[str]) -> tuple[str, dict[str, Any]]:
    """The verb and the values of its options, as the parser of the command line returns them; exits for refused
    input."""
    command: Any = verbs.command(words[0])
    rest, verb = words[1:], words[0]
    if hasattr(command, "commands"):
        command, verb, rest = command.commands[rest[0]], f"{verb} {rest[0]}", rest[1:]
    with command.make_context(verb, list(rest)) as context:
        return verb, dict(context.params)


def pasted(line: str) -> list[str]:
    """The words that a shell makes of a printed line."""
    shown = subprocess.run(
        ["/bin/sh", "-c", f"set -- {line}\nprintf '%s\\0' \"$@\""], capture_output=True, text=True, check=True
    )
    words = shown.stdout.split("\0")[:-1]
    assert words == shlex.split(line)
    return words


def commands(text: str) -> Iterator[list[str]]:
    """The words of every command in a text, without the program's name."""
    for line in re.findall(r"(?:Repeat|Next|Prove):\s+(.*)", text):
        program, *words = pasted(line)
        assert program == "dropcurve"
        yield words


def queues(text: str) -> Iterator[str]:
    """The queues that a text offers for ``--queue``."""
    for line in re.findall(r"--queue (.*)", text):
        yield pasted(line)[0]
    yield from re.findall(r"^as loaded  (.*)$", text, re.MULTILINE)


def built(queue: str) -> None:
    """Runs a queue for a moment; raises for one that cannot be."""
    kind, params = values.queue(queue)
    base = dc.Scenario.parse(SHORT).edit([("run.duration", "200 ms"), ("run.warmup", "0 s")])
    dc.run(base.set("queue", {"kind": kind, **params}), replications=1)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / f"{name.replace(' ', '-')}.cfg").write_text(text, encoding="utf-8")
    (tmp_path / "it's.toml").write_text(SHORT, encoding="utf-8")
    return tmp_path


FEW = ["--replications", "2", "--duration", "2s"]
#: Commands whose answer names the command that repeats it.
REPEATED = {
    "run": ["run", "it's.toml", "--replications", "2", "--set", "queue.max_p=0.2"],
    "compare": ["compare", "it's.toml", "--queue", "droptail", "--queue", "b=drr:child=codel,child.target=2 ms", *FEW],
    "compare link": ["compare", "--link", "20/2:up,uploads=1-4", "--goal", "p95 delay < 50ms, max utilisation",
                     "--queue", "codel", "--queue", "pie", *FEW],
    "sweep": ["sweep", "it's.toml", "--vary", "queue.max_p=0.02,0.1", "--replications", "2"],
    "advise": ["advise", "--rate", "100Mbit", "--rtt", "20-200ms", "--flows", "5-100", "--buffer", "1000pkts"],
    "export": ["export", "red:min_th=30 pkts,max_th=90 pkts,max_p=0.1,limit=500 pkts", "--rate", "100Mbit"],
    "import": ["import", "ios.cfg", "--rate", "20Mbit", "--compare", *FEW],
    "evaluate": ["evaluate", "codel:target=3 ms", "--link", "cable:up", *FEW],
    "tune": ["tune", "--link", "20/2:down,framing=pppoe-llcsnap", "--instant"],
    "fix": ["fix", "linux.cfg", "--rate", "2Mbit", "--rtt", "20-60ms", "--goal", "voip", "--time", "0s", *FEW],
}  # fmt: skip


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("name", REPEATED)
def test_the_command_that_repeats_an_answer_is_the_one_that_was_typed(
    name: str, files: Path, dropcurve: Dropcurve
) -> None:
    words = REPEATED[name]
    answer = dropcurve(*words)
    assert answer.code == 0, answer.err
    text = f"{answer.out}\n{answer.err}"
    printed = list(commands(text))
    assert printed
    verb, typed = parsed(words)
    for again in printed:
        same, options = parsed(again)
        assert same == verb
        for key, value in typed.items():
            # What was left open may be written out, such as the seed; what was typed stays, or is written for every
            # scenario of a comparison: a duration as --set, the conditions of a link as scenarios.
            written = (verb == "compare" and key in ("duration", "link")) or key == "seed"
            # The proof of an instant answer is the same search without it.
            written = written or key == "instant"
            assert options[key] == value or value in (None, ()) or written, key
            assert not written or key in ("seed", "instant") or options["changes"] or options["scenarios"]
    for queue in queues(text):
        built(queue)


@pytest.mark.parametrize("name", TEXTS)
def test_queues_of_an_import_paste(name: str, files: Path, dropcurve: Dropcurve) -> None:
    answer = dropcurve("import", f"{name.replace(' ', '-')}.cfg", "--rate", "20Mbit")
    assert answer.code == 0, answer.err
    printed = list(queues(answer.out))
    assert printed
    for queue in printed:
        built(queue)
    for one in boxes.read_all(TEXTS[name], rate_bps=2e7):
        built(one.queue)
        built(queue_text(*one.placed))


def _loadable() -> Iterator[tuple[str, str]]:
    for box in boxes.BOXES:
        yield from ((box, kind) for kind in boxes.kinds(box) if kind != "prio")


@pytest.mark.parametrize(("box", "kind"), list(_loadable()))
def test_queues_as_loaded_paste(box: str, kind: str) -> None:
    own: dict[str, Any] = {} if kind == "cake" else {"limit": "200 pkts"}
    if kind in ("red", "choke"):
        own |= {"min_th": "20 pkts", "max_th": "60 pkts"}
    if kind in ("wred", "gred"):
        own |= {"min_th": ["20 pkts", "30 pkts"], "max_th": ["60 pkts"]}
    if kind == "curve":
        own |= {"min_th": "20 pkts", "max_th": "60 pkts", "curve": "points 20 0, 60 0.1"}
    try:
        exported = boxes.export(kind, own, box=box, rate_bps=1e7)
    except dc.DropcurveError as error:
        pytest.skip(f"not exported at its defaults: {error}")
    built(exported.queue_as_loaded)


def test_the_wizard_s_commands_are_parsed(files: Path) -> None:
    for answers in (
        ["20/2", "up", "sqm", "", "gaming"], ["cable:up", "linux", "linux.cfg", "balanced"],
        ["lte,rtt=20-60ms", "down", "none", "", "voip"],
    ):  # fmt: skip
        given = iter(answers)
        line, words = wizard.questions(lambda question, default, given=given: next(given))  # type: ignore[misc]
        assert shlex.split(line) == ["dropcurve", *words]
        verb, options = parsed(words)
        assert verb in ("tune", "fix", "compare") and options["link"]
