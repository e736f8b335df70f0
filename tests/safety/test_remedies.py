"""Every problem of a scenario names a remedy."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import dropcurve as dc

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios").rglob("*.toml"))
VALUES = (
    "-1", "0", "nan", "1e999", '"x"', '""', "[]", "{}", "true", '"5 pkts"', '"-3 ms"', '"3 furlongs"', "1979-05-27",
    "[1, 2]", '"auto"', "99999999999999999999", "0.5", '"even 3 ms to 1 ms"', '"pareto"', '["a"]', '"1 Mbit/s"',
)  # fmt: skip
SECTIONS = ("[nonsense]", "[flows.a]", "[queue]", "[run]", "[chain]", "[links.q]", "[flows.a.b]")
LINES = (
    'kind = "pi"', "limit = 3", 'source = "voice"', 'transport = "udp"', 'cc = "bbr"', 'dialect = "linux"',
    'profile = "l4s"', "max_p = 7", "zzzzz = 1", 'packets = "file:/etc/passwd"',
)  # fmt: skip


def mutated(text: str, rng: random.Random) -> str:
    """The text of a scenario with one to three lines changed, taken out or put in."""
    lines = text.splitlines()
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(lines))
        key, equals, _ = lines[at].partition("=")
        change = rng.random()
        if equals and change < 0.6:
            lines[at] = f"{key}= {rng.choice(VALUES)}"
        elif equals and change < 0.7:
            lines[at] = lines[at].replace("=", "x =", 1)
        elif change < 0.8:
            lines[at] = ""
        elif lines[at].startswith("["):
            lines[at] = rng.choice(SECTIONS)
        else:
            lines.insert(at, rng.choice(LINES))
    return "\n".join(lines)


def refusals(count: int, seed: int) -> list[dc.Problem]:
    """The problems of ``count`` mutated scenarios."""
    rng, texts = random.Random(seed), [path.read_text(encoding="utf-8") for path in SCENARIOS]
    problems: list[dc.Problem] = []
    for _ in range(count):
        try:
            dc.Scenario.parse(mutated(rng.choice(texts), rng))
        except dc.ScenarioError as error:
            problems += error.problems
    return problems


@pytest.mark.parametrize("count", [400, pytest.param(20_000, marks=pytest.mark.slow)])
def test_every_problem_has_a_rule_and_a_remedy(count: int) -> None:
    problems = refusals(count, seed=14)
    assert len(problems) > count
    lacking = {one.rule: str(one) for one in problems if not (one.rule and one.remedy)}
    assert not lacking, "\n".join(lacking.values())
    # No remedy lists all keys of a section.
    assert max(len(one.remedy) for one in problems) < 400


def test_an_unknown_key_gets_the_nearest_names_and_not_all() -> None:
    text = SCENARIOS[0].read_text(encoding="utf-8") + "\n[flows.more]\nbufferbloat = 1\n"
    with pytest.raises(dc.ScenarioError) as caught:
        dc.Scenario.parse(text)
    (problem,) = (one for one in caught.value.problems if one.path == "flows.more.bufferbloat")
    assert problem.remedy.startswith("the nearest of ")
    assert problem.remedy.count(",") == 7
