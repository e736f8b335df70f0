"""The page of a result: complete, self-contained, and safe with any text from users."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dropcurve import report
from dropcurve.report import content, setup, table, topology
from dropcurve.results import Result
from dropcurve.scenario import toml

MakeResult = Callable[..., Result]
LARGEST_BYTES = 2_000_000
VOID = {"meta", "br", "hr", "img", "input", "link", "path", "rect", "circle", "use"}


class Reader(HTMLParser):
    """Collects tags, text and identifiers, and checks that every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.words.append(data)

    def of(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


def test_every_result_has_a_page_that_asks_nothing_of_the_network(page_case: tuple[Result, str]) -> None:
    result, page = page_case
    reader = Reader(page)
    assert len(page.encode()) < LARGEST_BYTES
    assert [tag for tag, _ in reader.tags if tag == "h1"] == ["h1"]
    assert result.title in " ".join(reader.words)
    ids = [attributes["id"] for _, attributes in reader.tags if attributes.get("id")]
    links = [a["href"] for a in reader.of("a")]
    assert {link[1:] for link in links if link} <= set(ids)
    assert not re.search(r"\b(?:https?|ftp|wss?)://|//[a-z]+\.[a-z]", page)
    assert "@import" not in page
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", page)
    assert "default-src 'none'" in page
    for tag, attributes in reader.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "form", "img"}
        for name in ("src", "href", "action", "srcset"):
            assert (attributes.get(name) or "#").startswith("#")


def test_figures_share_no_style_and_no_identifier(page_case: tuple[Result, str]) -> None:
    _, page = page_case
    drawings = re.findall(r"<svg role=.*?</svg>", page, re.DOTALL)
    assert drawings
    for pattern in (r"\.([\w-]+-s\d+)\{", r'\bid="([^"]+)"'):
        named = [set(re.findall(pattern, one)) for one in drawings]
        assert sum(map(len, named)) == len(set().union(*named)), "a style of one figure paints another"


def test_text_of_users_is_escaped(make_result: MakeResult) -> None:
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
    result = make_result(names=["tail drop", evil], title=evil)
    for variant in result.variants:
        variant.scenario["description"] = variant.scenario["source"] = evil
        variant.scenario["flows"][evil] = variant.scenario["flows"].pop("voice")
        variant.scenario["queue"]["dialect"] = evil
        for run in variant.runs:
            for flow in run["flows"]:
                flow["class"] = f"{flow['class']} {evil}"
    result.warnings.append(evil)
    result.problems.append(evil)
    reader = Reader(report.render(result))
    assert len(reader.of("script")) == 1
    assert reader.of("img") == []
    assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)
    assert evil in "".join(reader.words)


def test_same_result_same_page(make_result: MakeResult, usual_page: str, tmp_path: Path) -> None:
    assert report.write(make_result(), tmp_path) == tmp_path / "report.html"
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == usual_page


def test_pictures_have_words(usual_page: str) -> None:
    reader = Reader(usual_page)
    figures = reader.of("svg")
    assert len(figures) > 8
    assert all(figure.get("role") == "img" and figure.get("aria-label") for figure in figures)
    tables = [
        a for tag, a in reader.tags if tag == "div" and a.get("class") == "scroll" and a.get("tabindex")
    ]
    assert all(one.get("aria-label") for one in tables)


def test_best_is_marked_only_where_it_is_real(make_result: MakeResult) -> None:
    """RED's short queue is real and better; Jain's index of made-up flows differs by chance."""
    groups = table.of(make_result())["groups"]
    rows = {row["title"]: row for group in groups for row in group["rows"]}
    assert [cell["best"] for cell in rows["queueing delay, mean"]["cells"]] == [False, True]
    assert rows["queueing delay, mean"]["cells"][1]["sign"] == "✓"
    assert [cell["best"] for cell in rows["link utilisation"]["cells"]] == [True, False]
    assert rows["link utilisation"]["cells"][1]["sign"] == "✗"
    assert [cell["best"] for cell in rows["Jain's fairness index"]["cells"]] == [False, False]
    assert rows["Jain's fairness index"]["cells"][1]["sign"] == ""


def test_verdict_says_the_common_end_once(make_result: MakeResult) -> None:
    verdict = content.verdict(make_result())
    assert [group["name"] for group in verdict["groups"]] == ["RED (ns-2)"]
    assert "95 %" in verdict["basis"]
    assert not any("RED (ns-2)" in line or "95 %" in line for line in verdict["groups"][0]["lines"])


def test_question(make_result: MakeResult) -> None:
    assert content.question(make_result()) == "What changes if RED (ns-2) replaces tail drop?"
    assert content.question(make_result(names=["a", "b", "c"])) == "What changes if b or c replaces a?"
    result = make_result()
    result.variants[0].scenario["description"] = "Is RED worth it?"
    assert content.question(result) == "Is RED worth it?"


def test_scenario_text_is_toml_and_says_the_same(make_result: MakeResult) -> None:
    scenario = make_result().variants[1].scenario
    scenario["flows"]["odd name"] = {"drop": [14, 28], "says": 'a "b" \\ c', "ratio": 0.5, "on": True}
    assert tomllib.loads(toml.dump(scenario)) == scenario


@pytest.mark.parametrize(
    ("bps", "words"), [(10e6, "10 Mbit/s"), (1.5e6, "1.5 Mbit/s"), (1e9, "1 Gbit/s"), (0, "unlimited")]
)
def test_rates(bps: float, words: str) -> None:
    assert setup.rate(bps) == words


def test_origins_of_values(make_result: MakeResult) -> None:
    """`max_p` 0.1 comes from the dialect; `max_th` would be automatic there, so 15 was set."""
    tables = {one["title"]: one for one in setup.options(make_result())}
    rows = {row["key"]: row for row in tables["Random Early Detection (red)"]["main"]}
    assert rows["max_p"]["cells"][0]["origin"] == "preset"
    assert rows["max_th"]["cells"][0]["origin"] == "set"


def test_networks_are_drawn_or_listed(make_result: MakeResult) -> None:
    result = make_result()
    assert "bottleneck" in str(topology.svg(result))
    scenario = result.variants[0].scenario
    dumbbell = scenario.pop("dumbbell")
    scenario["chain"] = {**dumbbell, "hops": 3}
    assert str(topology.svg(result)).count('class="router"') == 4
    del scenario["chain"]
    scenario["links"] = {
        f"l{i}": {"from": f"n{i}", "to": f"n{i + 1}", "rate": "1 Mbit/s", "delay": "1 ms"} for i in range(4)
    }
    assert str(topology.svg(result)).count('class="router"') == 5
    scenario["links"] |= {f"m{i}": {"from": "n0", "to": f"m{i}"} for i in range(20)}
    assert topology.svg(result) is None
