"""Input that once ended in a traceback: now an answer, or one line that names the fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import advise
from dropcurve.scenario import toml
from dropcurve.tuning import scenario_question

GRAPH = """
run.duration = "4 s"
[links.a]
from = "s"
to = "d"
rate = "5 Mbit/s"
delay = "10 ms"
[links.a.queue]
kind = "red"
limit = "50 pkts"
[flows.x]
from = "s"
to = "d"
"""
SECOND = """
[links.b]
from = "d"
to = "e"
rate = "1 Mbit/s"
delay = "1 ms"
"""


def traffic(folder: Path, **changes: Any) -> dc.Scenario:
    """The short scenario with other UDP traffic."""
    return dc.Scenario.load("short.toml").edit(
        [("flows.voice", {"transport": "udp", **changes}), ("flows.tcp.count", 3)]
    )


@pytest.mark.parametrize(
    ("changes", "bps"),
    [
        # RFC 3551: 160 bytes in 20 ms and 40 of headers, in talk spurts of 1.004 s and pauses of 1.587 s (ITU-T P.59).
        ({"source": "voice"}, 80_000 * 1.004 / 2.591),
        ({"source": "voice", "codec": "g729", "frame": "10 ms", "suppression": False, "count": 2}, 80_000),
        ({"source": "replay", "packets": ["0 ms 100 B", "10 ms 1500 B", "20 ms 500 B"]}, 800_000),
        ({"source": "replay", "packets": ["0 ms 100 B", "10 ms 1000 B"], "scale": 2.0}, 400_000),
        ({"source": "replay", "packets": ["0 ms 100 B"]}, 0.0),
    ],
)
def test_advice_and_questions_know_what_every_udp_source_sends(
    folder: Path, changes: dict[str, Any], bps: float
) -> None:
    base = traffic(folder, **changes)
    assert advise.advise(base).conditions.udp_bps == pytest.approx(bps)
    assert scenario_question.of_file(base, goal="p95 delay < 15ms, max utilisation").sizing.rtt_s < 0.1


def test_the_automatic_buffer_of_cake_is_a_buffer(folder: Path) -> None:
    base = dc.Scenario.load("short.toml").set("queue", {"kind": "cake", "bandwidth": "5 Mbit/s"})
    limit = base.automatic["bottleneck"]["limit"]
    assert limit == "4194304 B"
    conditions = advise.advise(base).conditions
    assert conditions.buffer == pytest.approx(4194304 / conditions.packet_bytes)
    scenario_question.of_file(base, goal="p95 delay < 15ms, max utilisation")


def test_import_compares_cake(folder: Path, dropcurve: Callable[..., Any]) -> None:
    (folder / "cake.txt").write_text("tc qdisc add dev eth0 root cake bandwidth 2mbit\n", encoding="utf-8")
    answer = dropcurve(
        "import", "cake.txt", "--compare", "--replications", "2", "--duration", "4 s", "--flows", "2"
    )
    assert (answer.code, "Traceback" in answer.err) == (0, False)
    assert "yours" in answer.out


@pytest.mark.parametrize("value", ["2020-01-01", "07:32:00", "1979-05-27T07:32:00Z", "nan", "-inf"])
@pytest.mark.parametrize("verb", ["run", "tune"])
def test_dates_and_gaps_beside_a_question_are_refused_in_a_line(
    folder: Path, dropcurve: Callable[..., Any], value: str, verb: str
) -> None:
    text = (folder / "short.toml").read_text(encoding="utf-8").replace("count = 3", f"count = {value}")
    (folder / "odd.toml").write_text(
        f'{text}\n[tune]\ngoal = "p95 delay < 15ms, max utilisation"\n', encoding="utf-8"
    )
    answer = dropcurve(verb, "odd.toml")
    assert (answer.code, len(answer.errors)) == (2, 1)
    assert answer.errors[0].startswith("dropcurve: odd.toml:16: flows.tcp.count = ")


def test_toml_is_written_as_it_was_read() -> None:
    import tomllib

    text = 'a = 1979-05-27T07:32:00+00:00\nb = 07:32:00\nc = 1979-05-27\nd = -inf\n"e\\u007f" = "\\u007f\\t\\u0001"\n'
    assert tomllib.loads(toml.dump(tomllib.loads(text))) == tomllib.loads(text)


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "1" * 5000, "[tune]\na = " + "[" * 5000])
def test_depth_and_length_without_end_are_refused_in_a_line(
    folder: Path, dropcurve: Callable[..., Any], text: str
) -> None:
    (folder / "odd.toml").write_text(text, encoding="utf-8")
    for verb in ("run", "tune", "advise"):
        answer = dropcurve(verb, "odd.toml")
        assert (answer.code, "Traceback" in answer.err) == (2, False)
    assert dropcurve("run", "short.toml", "--set", f"queue.max_p={text[4:]}").code == 2


def test_a_graph_is_exported_by_its_queue(folder: Path, dropcurve: Callable[..., Any]) -> None:
    (folder / "graph.toml").write_text(GRAPH, encoding="utf-8")
    answer = dropcurve("export", "graph.toml")
    assert answer.code == 0
    assert "red" in answer.out and "bandwidth 5Mbit" in answer.out
    (folder / "graph.toml").write_text(GRAPH + SECOND, encoding="utf-8")
    answer = dropcurve("export", "graph.toml")
    assert (answer.code, answer.errors) == (
        2, ["dropcurve: --at: not given, and graph has 2 links; name a queue with --at, such as links.a.queue, "
            "links.b.queue"],
    )  # fmt: skip
    assert "pfifo" in dropcurve("export", "graph.toml", "--at", "links.b.queue").out
    for place in ("links.a", "flows.x", "run.duration", "nowhere", "links.a.queue.kind"):
        answer = dropcurve("export", "graph.toml", "--at", place)
        assert (answer.code, len(answer.errors)) == (2, 1)


@pytest.mark.parametrize("number", ["1" * 5000, "1e999999999", "1e-999999999", "1/" + "9" * 5000, "²", "٣"])
def test_numbers_that_mean_no_quantity_are_refused_in_a_line(
    dropcurve: Callable[..., Any], number: str
) -> None:
    for option in (
        f"--rate={number} Mbit",
        f"--rtt={number} ms",
        f"--buffer={number} pkts",
        f"--flows={number}",
    ):
        usual = {"--rate": "10Mbit", "--rtt": "20ms", "--flows": "5", "--buffer": "100pkts"}
        usual.pop(option.partition("=")[0])
        answer = dropcurve("advise", *(f"{name}={value}" for name, value in usual.items()), option)
        assert (answer.code, len(answer.errors)) == (2, 1)
