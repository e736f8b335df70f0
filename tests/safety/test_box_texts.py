"""Texts of boxes with numbers that are none, and with parts changed, doubled or missing: read, or refused by name."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dropcurve import boxes
from dropcurve.boxes import text as words
from dropcurve.errors import DropcurveError, ScenarioError
from dropcurve.fixes import place

#: Strings that look like numbers.
ODD = [
    "NaN", "1e3", "²", "-1", "0", "1e999", "9" * 5000, "", "inf", "1_000", "٣", "½", "0x10", "+5", "1.5", "null",
    "true", "[]", "{}", "\0", "\x1b[31m", "9" * 20, "1/0", "%", "1%", "1e-400",
]  # fmt: skip
ASKED: dict[str, dict[str, Any]] = {
    "red": {"min_th": "30 pkts", "max_th": "90 pkts", "limit": "500 pkts"}, "cake": {"bandwidth": "20 Mbit/s"},
    "codel": {}, "fq_codel": {}, "pie": {}, "fq_pie": {}, "dualpi2": {}, "sfq": {}, "sfb": {}, "gred": {}, "wred": {},
    "droptail": {}, "prio": {
        "bands": ["plain", {"kind": "red", "min_th": "30 pkts", "max_th": "90 pkts", "limit": "500 pkts"}],
        "class_by": "precedence", "band_of": [1, 1, 1, 1, 1, 0],
    },
}  # fmt: skip


def texts() -> Iterator[str]:
    """The exported text for every box, and the text that boxes print for it."""
    for box in boxes.BOXES:
        for kind in boxes.kinds(box):
            for shape in (False, True):
                try:
                    yield boxes.export(kind, ASKED.get(kind, {}), box=box, rate_bps=1e8, shape=shape).text
                except DropcurveError:
                    continue
    yield json.dumps([
        {"kind": "htb", "dev": "eth0", "root": True, "options": {"rate": 12500000}},
        {"kind": "fq_codel", "dev": "eth0", "options": {"limit": 100, "target": 4999, "interval": 99999, "ecn": True}},
    ])  # fmt: skip
    yield json.dumps([
        {"kind": "gred", "dev": "eth0", "options": {"dp_cnt": 1, "dp_default": 0, "vqs": [
            {"vq": 0, "limit": 60000, "min": 15000, "max": 45000, "ewma": 9, "probability": 0.02, "prio": 1},
        ]}},
        {"kind": "cake", "options": {"bandwidth": 2500000, "diffserv": "diffserv4", "overhead": 18}},
    ])  # fmt: skip


def mutated(text: str, rng: random.Random) -> str:
    """The text with one to three words replaced, left out or doubled, and now and then cut."""
    for _ in range(rng.randint(1, 3)):
        tokens = list(re.finditer(r"[\w.%]+|[^\w\s]", text))
        if not tokens:
            return text
        word = rng.choice(tokens)
        new = rng.choice(
            [rng.choice(ODD), rng.choice(ODD), rng.choice(ODD), "", word[0] * 2, rng.choice(tokens)[0]]
        )
        text = text[: word.start()] + new + text[word.end() :]
    return text[: rng.randrange(len(text) + 1)] if rng.random() < 0.1 else text


def attempt(text: str, rng: random.Random) -> bool:
    """Whether a text is read; anything but a refusal of ours fails the test."""
    try:
        queues = boxes.read_all(
            text,
            rate_bps=rng.choice([None, 1e8]),
            buffer_bytes=rng.choice([None, 100_000]),
            packet_bytes=1500,
        )
        for queue in queues[:3]:
            words.import_text(queue, width=80)
            json.dumps(words.import_data(queue), allow_nan=False)
            place(queue, rate_bps=1e8)
    except ScenarioError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.rule
            assert problem.remedy, problem
            assert len(str(problem)) < 1000, "path and value are cut"
        return False
    except DropcurveError as error:
        assert str(error)
        return False
    return True


def test_changed_texts_are_read_or_refused() -> None:
    whole, rng = list(texts()), random.Random(26)
    for text in whole[:-1]:
        boxes.read(text, rate_bps=1e8, buffer_bytes=100_000)
    read = sum(attempt(mutated(rng.choice(whole), rng), rng) for _ in range(500))
    assert 30 < read < 500


@pytest.mark.slow
def test_many_changed_texts_are_read_or_refused() -> None:
    whole, rng = list(texts()), random.Random(27)
    assert 0 < sum(attempt(mutated(rng.choice(whole), rng), rng) for _ in range(60_000)) < 60_000


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize(
    "text",
    [
        "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt {} probability 0.02 burst 55",
        "tc qdisc add dev eth0 root sfq perturb {}",
        "tc qdisc add dev eth0 root cake bandwidth 20mbit overhead {}",
        "tc qdisc add dev eth0 root codel target {}",
        "tc qdisc add dev eth0 root dualpi2 alpha {}",
        "qdisc",
    ],
    ids=range(6),
)
def test_a_number_of_tc_that_is_none_is_refused(text: str, odd: str) -> None:
    try:
        boxes.read(text.format(odd), box="linux")
    except DropcurveError as error:
        assert len(str(error)) < 400


def test_a_number_of_thousands_of_digits_is_refused_with_its_line(
    folder: Path, dropcurve: Callable[..., Any]
) -> None:
    (folder / "long.txt").write_text(
        f"# one\ntc qdisc add dev eth0 root red limit {'9' * 5000}\n", encoding="utf-8"
    )
    answer = dropcurve("import", "long.txt")
    assert (answer.code, len(answer.errors)) == (2, 1)
    assert "line 2 = " + "9" * 40 + "...: must have 40 digits at most" in answer.err


@pytest.mark.parametrize(
    "text",
    [
        '[{"kind": 1}]', '[{"options": {}}]', "[[]]", '[{"kind": "red", "options": []}]',
        '[{"kind": "cake", "options": {"bandwidth": 1.5}}]', '[{"kind": "gred", "options": {"vqs": [1]}}]',
        "[" * 100_000, '{"WRED_PROFILE": {"a": 1}}', '{"WRED_PROFILE": {"a": {}}, "QUEUE": []}', '{"WRED_PROFILE": []}',
        '{"queue-management-profile": [1]}', '{"queue-management-profile": [{"name": [], "red": {}}]}',
        '{"queue-management-profile": [{"name": "a", "red": {"uniform": {"config": {"min-threshold": NaN}}}}]}',
    ],
    ids=range(13),
)  # fmt: skip
def test_json_of_other_types_is_refused(text: str) -> None:
    box = "sonic" if "WRED" in text else "openconfig" if "management" in text else "linux"
    with pytest.raises(ScenarioError):
        boxes.read(text, box=box)


WRITTEN = {
    "a curve of hfsc whose second part lasts": (
        "tc qdisc add dev eth0 root handle 1: hfsc default 1\n"
        "tc class add dev eth0 parent 1: classid 1:1 hfsc sc m1 8mbit d 10ms m2 3mbit ul rate 5mbit\n"
        "tc qdisc add dev eth0 parent 1:1 sfq perturb 10\n",
        (5e6, 3e6),
    ),
    "arithmetic of the shell, and a variable": (
        "UP=2000\ntc qdisc add dev eth0 root handle 1: htb default 1\n"
        "tc class add dev eth0 parent 1: classid 1:1 htb rate $((9*$UP/10))kbit\n"
        "tc qdisc add dev eth0 parent 1:1 fq_codel\ntc -s class ls dev eth0\n",
        (1.8e6, None),
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_configurations_of_other_programs_are_read(name: str) -> None:
    text, rates = WRITTEN[name]
    queue = boxes.read(text)
    assert (queue.rate_bps, queue.share_bps) == rates


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (
            "policy-map P\n class A\n  bandwidth percent 20\n  queue-limit dscp cs2 percent 80\n",
            "queue-limit",
        ),
        (
            "policy-map P\n class A\n  random-detect aggregate minimum-thresh 10 maximum-thresh 20\n",
            "random-detect",
        ),
        ("policy-map P\n class A\n  queue-limit 10\n class B\n  police cir 1000000\n", "police"),
        ("tc qdisc add dev eth0 root netem delay 10ms\ntc qdisc add dev eth1 root pfifo limit 9\n", "netem"),
        ("ipfw pipe 1 config bw 1Mbit/s delay 20ms\n", "delay"),
        (
            "set qos policy limiter L default bandwidth 1mbit\nset qos policy drop-tail D queue-limit 9\n",
            "limiter",
        ),
        (
            "/queue simple\nadd name=a target=b max-limit=1M/2M limit-at=500k/1M queue=default/default\n",
            "limit-at",
        ),
    ],
    ids=range(7),
)
def test_parts_that_are_not_simulated_are_named(text: str, key: str) -> None:
    assert key in {note.key for note in boxes.read(text, rate_bps=1e8).notes if note.kind == "lost"}


def test_a_variable_that_the_text_does_not_set_is_refused_with_its_line() -> None:
    with pytest.raises(ScenarioError, match=r"line 2 = \$\{UP\}kbit: is a shell variable"):
        boxes.read("# up\ntc class add dev eth0 classid 1:1 htb rate ${UP}kbit\n", box="linux")
