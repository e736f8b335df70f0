"""States of the studio: addresses, commands and calls with one digest; files in and out."""

from __future__ import annotations

import math
import re
import shlex
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

import dropcurve as dc
import look
from dropcurve.cli.studio_server import StudioServer

READY = "globalThis.studio && !studio.catchingUp"
ROOT = Path(__file__).parents[2]
OWN = """title = "It's \\"mine\\" & $HOME é"
[run]
duration = "3 s"
[dumbbell]
rate = "4 Mbit/s"
[queue]
kind = "red"
[flows.tcp]
count = 3
"""
SHORT = [("set", "run.duration=3 s"), ("set", "run.warmup=1 s")]
STATES: dict[str, list[tuple[str, str]]] = {
    "shipped": [("scenario", "droptail_vs_red"), *SHORT],
    "largest seed": [("scenario", "ecn"), *SHORT, ("set", "queue.kind=codel"), ("seed", "9007199254740991")],
    "another link": [("scenario", "chain"), *SHORT, ("link", "hop2"), ("seed", "3")],
    "two sides": [
        ("scenario", "droptail_vs_red"), *SHORT, ("other", "queue.kind=pie"), ("other", "flows.tcp.cc=cubic"),
        ("seed", "0"),
    ],
    "a text": [("text", OWN), ("set", "queue.max_p=.2"), ("set", "flows.tcp.ecn=true"), ("seed", "5")],
    "a household": [("scenario", "household"), *SHORT, ("seed", "2")],
    "a moment": [("scenario", "bursts"), *SHORT, ("set", "queue.limit=50 pkts"), ("t", "2")],
    "open loop": [("scenario", "mm1k"), *SHORT, ("seed", "11")],
    "a lesson": [("scenario", "flood"), *SHORT, ("set", "queue.kind=fq_codel"), ("lesson", "red")],
    "a dialect": [
        ("scenario", "droptail_vs_red"), *SHORT, ("set", "queue.dialect=ns2"), ("set", "queue.max_p=5e-2"),
        ("set", "dumbbell.access_delay=even 1 ms to 9 ms"), ("seed", "77"),
    ],
}  # fmt: skip
#: A file dropped on the page.
DROP = """([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture(scope="module")
def server(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    """The studio without results."""
    server = StudioServer(site, tmp_path_factory.mktemp("results"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_address_command_and_call_have_one_digest(
    opened: Callable[..., Page],
    dropcurve: Callable[..., object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    state: list[tuple[str, str]],
) -> None:
    page = opened(urlencode(state))
    assert page.locator("#problems").inner_text() == ""
    monkeypatch.chdir(tmp_path)
    seed = page.evaluate("studio.state.seed")
    for letter in page.evaluate("Object.keys(studio.sides)"):
        digest = _ended(page, letter)
        part = page.locator("#same-sides > div").nth("ab".index(letter))
        command, call = part.locator("pre").all_inner_texts()
        with page.expect_download(timeout=120_000) as saved:
            part.get_by_role("button", name="Save the scenario").click()
        saved.value.save_as(tmp_path / "scenario.toml")
        assert dc.Scenario.load("scenario.toml").digest(seed=seed) == digest
        assert eval(call.removeprefix("import dropcurve\n"), {"dropcurve": dc}) == digest
        assert dropcurve(*shlex.split(command)[1:]).out == f"{digest}\n"  # type: ignore[attr-defined]
    again = opened(page.evaluate("location.hash.slice(1)"))
    assert _ended(again, "a") == _ended(page, "a")


def _ended(page: Page, letter: str) -> str:
    """The digest of a side at the end of its run."""
    page.get_by_role("button", name="End", exact=True).click()
    digest = page.locator(f"#digest-{letter}")
    expect(digest).to_have_text(re.compile("^[0-9a-f]{16}$"), timeout=180_000)
    return digest.inner_text()


def test_a_lesson_in_an_address_opens_with_or_without_a_scenario(opened: Callable[..., Page]) -> None:
    page = opened("lesson=red")
    expect(page.get_by_role("heading", name="Lesson: red", exact=True)).to_be_visible()
    page.evaluate("location.hash = 'scenario=ecn&seed=4&t=1&lesson=codel'")
    expect(page.get_by_role("heading", name="Lesson: codel", exact=True)).to_be_visible()
    assert page.evaluate("[studio.state.name, studio.state.seed, studio.state.lesson]") == ["ecn", 4, "codel"]


@pytest.mark.parametrize(
    ("state", "problem", "title"),
    [
        ("scenario=chain&link=hop9", "link = hop9: is not a link of the scenario; take one of hop1", "hop1"),
        ("scenario=zzz", "scenario = zzz: is not a scenario of the studio", "Tail drop or RED"),
        ("scenario=ecn&set=queue.kind%3Dfoo", 'queue.kind = "foo": no such discipline', "Tail drop or RED"),
        ("scenario=ecn&lesson=zzz", "lesson = zzz: is not a lesson", "RED that marks"),
        ("scenario=ecn&seed=-1", "seed = -1: is no whole number from 0", "RED that marks"),
        ("scenario=ecn&t=soon", "t = soon: is no time in seconds", "RED that marks"),
        ("scenario=ecn&set=max_p", "set = max_p: is no edit; write path=value", "RED that marks"),
    ],
)
def test_a_wrong_part_of_an_address_is_named_and_something_runs(
    opened: Callable[..., Page], state: str, problem: str, title: str
) -> None:
    page = opened(state)
    expect(page.get_by_role("alert").first).to_contain_text(problem)
    expect(page.locator("#side-a")).to_contain_text(title)
    assert page.evaluate("studio.state.seed") == 1


def test_the_link_in_view_can_be_chosen(opened: Callable[..., Page]) -> None:
    page = opened("scenario=chain&t=1")
    page.get_by_role("combobox", name="Link in view").select_option("hop2")
    expect(page.locator("#side-a")).to_contain_text("hop2 at")
    assert "link=hop2" in page.evaluate("location.hash")


def test_rewind_and_steps_replay_the_same_run(opened: Callable[..., Page]) -> None:
    page = opened("scenario=droptail_vs_red&set=run.duration%3D3+s&set=run.warmup%3D1+s&seed=6&t=2")
    there = page.evaluate(
        "[studio.now, ...studio.sides.a.last.queue.toString(), studio.sides.a.totals.arrived]"
    )
    page.get_by_role("button", name="Step").click()
    look.until(page, READY)
    assert page.evaluate("studio.now") > 2
    page.get_by_role("button", name="Back", exact=False).click()
    look.until(page, READY)
    assert (
        page.evaluate("[studio.now, ...studio.sides.a.last.queue.toString(), studio.sides.a.totals.arrived]")
        == there
    )
    first = _ended(page, "a")
    page.get_by_role("button", name="Start", exact=True).click()
    look.until(page, READY)
    assert page.evaluate("studio.now") == 0
    assert _ended(page, "a") == first


def test_the_difference_tightens_while_the_sides_run(opened: Callable[..., Page]) -> None:
    page = opened(
        "scenario=droptail_vs_red&set=run.duration%3D6+s&set=run.warmup%3D1+s&other=queue.kind%3Dcodel"
    )
    page.get_by_role("combobox", name="Speed").select_option("0.01")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#pairs caption")).to_contain_text("3 pairs", timeout=180_000)
    assert page.evaluate("studio.playing && studio.now < 6")
    expect(page.locator("#pairs-table")).to_contain_text("±")
    expect(page.locator("#pairs-table")).to_be_in_viewport()
    # In one call: a pair that ends meanwhile changes both.
    halves, shown = page.evaluate("""[
      studio.pairs.rows().map(({ difference }) => difference.half).filter((one) => one > 0),
      [...document.querySelectorAll("#pairs-table td:nth-child(4)")].map((one) => one.textContent),
    ]""")
    digits = [one.partition("± ")[2] for one in shown if "±" in one]
    assert digits == [f"{one:.{max(0, 1 - math.floor(math.log10(one)))}f}" for one in halves]


def test_the_address_and_the_calls_are_copied(opened: Callable[..., Page]) -> None:
    page = opened("scenario=ecn&seed=4&t=1")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the address").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.evaluate("location.href")


@pytest.mark.parametrize("kind", ["SVG", "PNG", "CSV"])
def test_figures_and_data_are_saved(opened: Callable[..., Page], tmp_path: Path, kind: str) -> None:
    # A page of its own for each kind: Chromium lets one save ten files before it asks.
    page = opened("scenario=droptail_vs_red&seed=1&t=5")
    page.emulate_media(color_scheme="dark")
    buttons = page.get_by_role("button", name=re.compile(f"of A as {kind}$"))
    assert buttons.count() == (1 if kind == "CSV" else page.locator("#sides figcaption h3").count())
    for button in buttons.all():
        with page.expect_download(timeout=120_000) as saved:
            button.click()
        path = tmp_path / saved.value.suggested_filename
        saved.value.save_as(path)
        if kind == "SVG":
            assert len(list(ElementTree.fromstring(path.read_text(encoding="utf-8")))) > 5, path.name
        elif kind == "PNG":
            assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 1000, path.name
        else:
            head, *rows = path.read_text().splitlines()
            samples = page.evaluate("studio.sides.a.samples.length")
            assert head.startswith("time,queue,bytes,avg,") and len(rows) == samples
            assert float(rows[-1].split(",")[0]) == pytest.approx(5)


def test_a_scenario_and_the_configuration_of_a_box_are_dropped_on_the_page(
    opened: Callable[..., Page],
) -> None:
    page = opened("scenario=ecn&seed=1&lesson=red")
    page.evaluate(DROP, ["mine.toml", OWN])
    expect(page.locator("#side-a")).to_contain_text('It\'s "mine" & $HOME é')
    expect(page.locator("#lesson-title")).to_have_count(0)
    box = (
        "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 probability 0.1"
    )
    page.evaluate(DROP, ["box.txt", f"{box} bandwidth 10Mbit\n"])
    expect(page.locator("#side-a")).to_contain_text("(linux), bottleneck at 100 Mbit/s", timeout=120_000)
    # As the box rounds it.
    loaded = page.evaluate("studio.sides.a.about.resolved.queue.max_p")
    assert loaded == pytest.approx(0.1, rel=1e-3)
    shown = page.get_by_role("alert").first
    page.evaluate(DROP, ["wrong.toml", '[run]\nduration = "3 s"\n[dumbbell]\nrate = "fast"\n'])
    expect(shown).to_contain_text('dumbbell.rate = "fast"', timeout=60_000)
    page.evaluate(DROP, ["noise.bin", "\x00\x01"])
    expect(shown).to_contain_text("line 1", timeout=60_000)
    assert page.evaluate("studio.sides.a.about.resolved.queue.max_p") == loaded
