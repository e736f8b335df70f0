"""Every refusal of every verb has a path, a value, a rule and a remedy, in its text and under ``--json``."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import Problem, ResultError, ScenarioError, UsageError

CONFIGURATIONS = {
    "plain.txt": "hello there",
    "fast.tc": "tc qdisc add dev e root codel target fast",
    "loose.tc": "tc qdisc add dev e root red limit $LIMIT avpkt 1000",
    "low.tc": "tc qdisc add dev e root red limit 60000 min 50000 max 20000 avpkt 1000 burst 20",
    "zero.tc": "tc qdisc add dev e root red limit 60000 min 5000 max 20000 avpkt 0",
    "gred.tc": "tc qdisc add dev e root gred setup DPs 3 default 1",
    "none.tc": "tc qdisc add dev e root handle 1: mq",
    "digits.tc": f"tc qdisc add dev e root codel limit {'9' * 60}",
    "text.ios": "policy-map p\n class c\n  random-detect\n  random-detect dscp 10 1 2",
    "half.json": '{"WRED_PROFILE": {"a": ',
    "odd.json": '{"WRED_PROFILE": {"a": 3}}',
    "binary.txt": "\udcff",
}
#: Commands that are refused, with FILE for each configuration and NUMBER for each text that is not a usual number.
COMMANDS = """\
run nowhere
run odd.toml
run .
run binary.toml
run
run short.toml --set queue
run short.toml --set queue.max_p=2
run short.toml --set queue.max_pp=1
run short.toml --precision NUMBER
run short.toml --replications NUMBER
run short.toml --replications 0
run short.toml --seed NUMBER
run short.toml --seed -1
run short.toml --jobs 0
run short.toml --metric speed
run short.toml --per link
run short.toml --nonsense
run short.toml --duration NUMBER
run short.toml --maximum 1 --precision 5%
run short.toml --engine NUMBER
run short.toml --plugin nowhere.py
run short.toml --plugin short.toml
run --link NUMBER
run --link cable,NUMBER
run --link cable:sideways
run --link cable,colour=3
run --link cable,web=NUMBER
run --link cable,web=0.99
run --link cable,cc=quic
run --link 20-40Mbit
run short.toml --out short.toml
run short.toml --out kept --duration 3s
conformance NUMBER
conformance nope
conformance red:max_p=2
conformance red:nope=1
conformance cubic:x=1
conformance voice:x=1
conformance sojourn_ms_mean:1
describe .
describe queue.
describe .nope
compare short.toml
compare
compare short.toml --queue red --queue rde
compare short.toml --queue NUMBER --queue red
compare short.toml --queue red:max_p=0.1,max_p=0.2 --queue red
compare short.toml --vary queue.max_p
compare short.toml --vary queue.max_p=NUMBER
compare short.toml --vary queue.max_p=0.1 --vary queue.max_p=0.2
compare short.toml --goal NUMBER --queue red --queue codel
compare short.toml --exchange NUMBER --queue red --queue codel
sweep short.toml
sweep short.toml --vary queue.max_p=
sweep short.toml --vary queue.max_p=NUMBER
sweep short.toml --vary queue.max_p=0.1..0.5 --points 0
sweep short.toml --vary queue.max_p=0.1..0.5 --points 4 --method magic
sweep short.toml --vary queue.max_p=0.1,0.2 --points 4
sweep short.toml --vary queue.max_p=0.1,0.2 --cluster NUMBER
sweep short.toml --vary queue.max_p=0.1,0.2 --cluster tcp://10.1.2.3:8786
sweep short.toml --vary queue.max_p=0.1,0.2 --cluster local:0
sweep short.toml --vary queue.max_p=0.1,0.2 --cluster local:2 --cluster-tls nowhere
sweep short.toml --vary queue.max_p=0.1,0.2 --out short.toml
tune
tune nowhere
tune short.toml --goal NUMBER
tune short.toml --goal "max loss, min utilisation"
tune short.toml --goal "p95 delay < 15ms < 3"
tune short.toml --goal "p95 delay < 1ms, p95 delay > 3ms, max utilisation"
tune short.toml --goal "p95 dely < 3ms"
tune short.toml --goal "p95 delay < 3 apples"
tune short.toml --goal "loss < 400%"
tune short.toml --goal "min fct of x"
tune short.toml --goal voip
tune short.toml --runs 1
tune short.toml --time NUMBER
tune short.toml --margin 0
tune short.toml --candidates rde
tune short.toml --candidates red:max_p=3
tune short.toml --for toaster
tune short.toml --for ios --candidates codel
tune short.toml --robust best
tune short.toml --until later
tune short.toml --rate 10Mbit
tune short.toml --link cable
tune --rate NUMBER --rtt 20ms --flows 5 --buffer 100pkts
tune --rate 10Mbit --rtt NUMBER --flows 5 --buffer 100pkts
tune --rate 10Mbit --rtt 20ms --flows NUMBER --buffer 100pkts
tune --rate 10Mbit --rtt 20ms --flows 5 --buffer NUMBER
tune --rate 10Mbit --rtt 20ms --flows 5 --buffer 100pkts --short NUMBER
tune --rate 10Mbit --rtt 20ms --flows 5 --buffer 100pkts --short 60% --udp 60%
advise
advise nowhere
advise short.toml --rate 10Mbit
advise short.toml --goal NUMBER
advise --rate NUMBER --rtt 20ms --flows 5
advise --rate 10Mbit --rtt 200-20ms --flows 5
advise --rate 10Mbit --rtt 20ms --flows 0
advise --rate 10Mbit --rtt 20ms --flows 5 --packet 3
assert short.toml
assert short.toml NUMBER
assert short.toml "p95 delay"
assert short.toml "p95 delay < 3 apples"
assert short.toml "p95 delay < 3ms" --replications 1
show nowhere
show .
show damaged
show foreign
check nowhere
check .
plot nowhere
plot . queue
plot kept queu
plot kept --write a.svg
report nowhere
query nowhere "select 1"
query swept "drop table runs"
query swept "select"
query swept "select nothing from runs"
describe nothing
describe redd
list nothing
list metric
evaluate nothing
evaluate codel --against nothing
export
export nowhere
export red:max_p=NUMBER --rate 10Mbit
export codel
export codel --rate NUMBER
export codel --rate 10Mbit --for toaster
export codel --rate 10Mbit --for junos
export codel --rate 10Mbit --dev "e0; reboot"
export short.toml --at links.a.queue
export codel --rate 10Mbit --packet NUMBER
export codel --rate 10Mbit --out kept
import nowhere.txt
import 20/2
import FILE
import FILE --from linux
import FILE --from junos
import fast.tc --from toaster
fix nowhere.txt
fix FILE
fix 20/2 --for toaster
fix 20/2 --buffer NUMBER
model
model --loss NUMBER --rtt 20ms
model --loss 2 --rtt 20ms
model --loss 0.01 --rtt NUMBER
model --loss 0.01 --rtt 20ms --law nothing
model --loss 0.01 --rtt 20ms --acks 3
model --red 1,2 --rate 10Mbit --flows 3 --rtt 20ms
model --red 5,15,7,60 --rate 10Mbit --flows 3 --rtt 20ms
model --red 5,15,0.1,60 --rtt 20ms
agree --queue nothing
agree --sender quic
reproduce nothing
reproduce nowhere.py
new discipline Half
new discipline red
new discipline NUMBER
studio --port NUMBER
studio --port 99999999
live run
live run --queue-num 70000 --rate 10Mbit --queue red
live run --queue-num 1 --in-if a --rate 10Mbit --queue red
live run --queue-num 1 --rate 0 --queue red
live run --queue-num 1 --rate NUMBER --queue red
live run --in-if nope0 --out-if nope1 --rate 10Mbit --queue red
live run --queue-num 1 --rate 10Mbit --queue nothing
live replay nowhere
live replay short.toml
live stats nowhere
live set nowhere rate=fast
live set nowhere rate=0
live lab odd.toml
live lab short.toml --replications 0
live lab short.toml --change NUMBER
live lab nowhere
live check --rate NUMBER
live check --delay NUMBER
runn short.toml
schema nothing
""".splitlines()
NUMBERS = ("x", "NaN", "1e999", "-5", "²", "\x1b[2J", "x" * 500)


def commands() -> list[list[str]]:
    """All commands, as words."""
    import shlex

    combinations = []
    for line in COMMANDS:
        words = shlex.split(line)
        choices = NUMBERS if any("NUMBER" in one for one in words) else ("",)
        for file in CONFIGURATIONS if "FILE" in words else ("",):
            combinations += [
                [
                    one.replace("NUMBER", text) if "NUMBER" in one else file if one == "FILE" else one
                    for one in words
                ]
                for text in choices
            ]
    return combinations


@pytest.fixture
def refusing(folder: Path) -> Path:
    """A folder with scenarios, configurations and results that are refused."""
    text = (folder / "short.toml").read_text(encoding="utf-8")
    (folder / "odd.toml").write_text(text.replace("count = 3", "count = 0"), encoding="utf-8")
    (folder / "binary.toml").write_bytes(bytes(range(256)))
    for name, one in CONFIGURATIONS.items():
        (folder / name).write_bytes(one.encode("utf-8", "surrogateescape"))
    dc.run("short.toml", replications=2, out="kept")
    dc.sweep("short.toml", {"queue.max_p": [0.1, 0.2]}, replications=1, out="swept")
    for name in ("damaged", "foreign"):
        shutil.copytree(folder / "kept", folder / name)
    (folder / "damaged" / "runs.json").write_text("{", encoding="utf-8")
    (folder / "foreign" / "result.json").write_text('{"format": 99}', encoding="utf-8")
    return folder


def parts_lacking(answer: dict[str, Any], err: str) -> list[str]:
    """The parts that the problems of a refusal lack."""
    lacking = [] if answer["problems"] else ["problems"]
    for one in answer["problems"]:
        lacking += [part for part in ("path", "value", "rule", "remedy", "message") if not one[part]]
        lacking += [f"{part} is long" for part in ("path", "value") if len(one[part]) > 200]
        lacking += [] if one["message"] in err else ["its line"]
        lacking += [] if one["remedy"] in one["message"] else ["remedy in the message"]
    return lacking


def test_every_refusal_has_four_parts(refusing: Path, dropcurve: Callable[..., Any]) -> None:
    lacking, refused = {}, 0
    for words in commands():
        answer = dropcurve(*words, "--json")
        if answer.code == 0:
            continue
        refused += 1
        assert answer.code == 2, (words, answer)
        missing = parts_lacking(json.loads(answer.out), answer.err)
        if missing:
            lacking[" ".join(words)[:80]] = (missing, answer.err[:200])
    assert not lacking, "\n".join(f"{words}: {what}" for words, what in lacking.items())
    assert refused >= 400


def test_errors_keep_their_parts_on_the_way_from_a_worker() -> None:
    for error in (
        UsageError("rate", "fast", "must be a number", "write 1Mbit"),
        ScenarioError([Problem("a", "1", "is odd", "mend it", line=3)], origin="x.toml"),
        ResultError.of([Problem("a", "", "is gone", "find it"), Problem("b", "", "too", "this also")]),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.problems) == (type(error), str(error), error.problems)


def test_arguments_too_many_are_cut(dropcurve: Callable[..., Any]) -> None:
    for words in (["a/" * 2500], ["ab"] * 2000, ["--" + "x" * 5000], ["--metric", "x" * 5000]):
        answer = dropcurve("list", "disciplines", *words)
        assert (answer.code, len(answer.err) < 600) == (2, True), answer.err[:700]


def test_a_value_is_cut_and_cannot_steer_the_terminal() -> None:
    error = UsageError("rate", "\x1b[2J" + "x" * 500, "must be a number", "write 1Mbit")
    assert str(error).isprintable()
    assert len(str(error)) < 260
    assert os.linesep not in str(UsageError("a\nb", "c\nd", "rule", "remedy"))


def test_a_refused_plug_in_is_not_named_by_later_commands(
    folder: Path, dropcurve: Callable[..., Any]
) -> None:
    assert dropcurve("run", "short.toml", "--plugin", "short.toml").code == 2
    assert "--plugin" not in dropcurve("run", "short.toml", "--replications", "1", "--no-report").out
