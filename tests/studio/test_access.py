"""The served studio by keyboard and by what a screen reader meets: names, live regions, axe; searches from the page;
pages of results."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import dropcurve as dc
import look
from dropcurve import cli, report
from dropcurve.cli.studio_server import StudioServer
from validation.pages import lessons

#: A control in the tree that a screen reader reads, without a name: a name follows in quotes.
NAMELESS = re.compile(
    r'^\s*- (button|textbox|checkbox|slider|combobox|spinbutton|radio|link|img|searchbox)(?! ")', re.MULTILINE
)
READY = "globalThis.studio && !studio.catchingUp"
#: Results that the server has: a comparison, one run, a sweep, and an answer of `tune`.
RESULTS = ("mine", "single", "grid", "answer")


@pytest.fixture(scope="module")
def server(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    """The studio with a result of each kind, each with its page."""
    results = tmp_path_factory.mktemp("results")
    scenario = dc.Scenario.load("droptail_vs_red").edit([("run.duration", "4 s"), ("run.warmup", "1 s")])
    result = dc.compare([scenario], queues=["red", "droptail"], replications=3, out=results / "mine")
    report.write(result, results / "mine" / "report.html")
    report.write(dc.run(scenario, out=results / "single"), results / "single")
    grid = dc.sweep(scenario, vary={"queue.max_p": [0.02, 0.5]}, replications=2, out=results / "grid")
    report.write(grid, results / "grid")
    link = ["--rate", "4Mbit", "--rtt", "20ms", "--flows", "2", "--buffer", "50pkts", "--runs", "60"]
    assert (
        cli.invoke(["tune", *link, "--queue", "red", "--queue", "droptail", "--out", str(results / "answer")])
        == 0
    )
    server = StudioServer(site, results)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


STATES = {
    "start": "",
    "two sides": "scenario=ecn&other=queue.kind%3Dcodel&seed=1&t=2",
    "tour": "scenario=droptail_vs_red&lesson=max_p&seed=1&t=2",
    "lesson": "scenario=droptail_vs_red&lesson=red",
    "paper": "scenario=droptail_vs_red&lesson=paper%20wtred",
}


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_axe_finds_nothing_and_every_control_has_a_name(opened: Callable[..., Page], state: str) -> None:
    page = opened(state)
    assert look.violations(page) == []
    assert NAMELESS.findall(page.locator("body").aria_snapshot()) == []
    page.emulate_media(color_scheme="dark")
    assert look.violations(page, only=["color-contrast"]) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert look.seen(page) == []


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_opens_and_is_accessible(opened: Callable[..., Page], name: str) -> None:
    page = opened()
    page.get_by_role("button", name="Results").click()
    page.get_by_role("button", name=f"Open {name}").click()
    expect(page.locator(".result svg.chart").first).to_be_visible()
    assert look.violations(page) == []
    assert NAMELESS.findall(page.locator("body").aria_snapshot()) == []
    page.emulate_media(color_scheme="dark")
    assert look.violations(page, only=["color-contrast"]) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert look.seen(page) == []
    page.get_by_role("button", name="All results").click()
    expect(page.get_by_role("heading", name="Results in")).to_be_focused()
    expect(page.get_by_role("button", name=f"Open {name}")).to_be_visible()


def test_the_form_of_a_search_is_accessible(opened: Callable[..., Page]) -> None:
    page = opened()
    page.get_by_role("button", name="Tune").click()
    expect(page.get_by_role("heading", name="Find the right queue for a link")).to_be_focused()
    assert look.violations(page) == []
    assert NAMELESS.findall(page.locator("body").aria_snapshot()) == []


def test_a_keyboard_is_enough_and_changes_are_announced(opened: Callable[..., Page]) -> None:
    """Skip link, play, steps and a slider by keys; the live region states the moment in view after each."""
    page = opened("scenario=droptail_vs_red&seed=1&t=3")
    spoken = page.locator("#spoken")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the figures")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    expect(spoken).to_contain_text("Not started")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        look.until(page, READY)
    expect(page.locator("#clock")).to_contain_text("0.60 of")
    expect(spoken).to_contain_text("At 0.6 s:")
    slider = page.get_by_role("slider", name="max_p")
    slider.focus()
    before = page.evaluate("studio.sides.a.about.resolved.queue.max_p")
    page.keyboard.press("ArrowRight")
    look.until(page, READY)
    assert page.evaluate("studio.sides.a.about.resolved.queue.max_p") > before
    expect(page.get_by_role("slider", name="max_p")).to_be_focused()
    page.get_by_role("textbox", name="min_th").fill("900 pkts")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("min_th")


def test_a_search_runs_from_the_page_with_progress_and_can_be_stopped(
    opened: Callable[..., Page], server: StudioServer
) -> None:
    page = opened()
    page.get_by_role("button", name="Tune").click()
    for name, value in {
        "Rate": "4Mbit", "Round-trip time": "20ms", "Long TCP flows": "2", "Buffer": "50pkts", "Runs": "2000",
    }.items():  # fmt: skip
        page.locator(".tune-form").get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Start", exact=True).last.click()
    progress = page.get_by_role("progressbar", name="Share of the runs that are made")
    expect(progress).to_be_visible()
    look.until(page, "document.querySelector('progress').value > 0", seconds=120)
    expect(page.locator(".progress")).to_contain_text(re.compile(r"\d+ %, \d+ of about \d+ runs"))
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#results")).to_contain_text("the same question continues", timeout=120_000)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    assert server.tuning is not None and not server.tuning.state["running"]


def test_the_pages_of_results_are_accessible(chromium: Browser, server: StudioServer) -> None:
    with look.served(server.results) as address:
        there = [f"{address}/{name}/report.html" for name in RESULTS]
        faults = dict(look.looked_at(chromium, there, ruled=there))
    assert [fault for one in there for fault in faults[one]] == []


def test_a_newcomer_learns_what_max_p_does(opened: Callable[..., Page]) -> None:
    """From the start of the page through the tour, with what the tour says alone."""
    page = opened()
    page.get_by_role("button", name="New here?").click()
    status, following = page.locator(".tour .claim"), page.get_by_role("button", name="Next")
    expect(page.get_by_role("heading", name="step 1 of 6")).to_be_focused()
    expect(following).to_be_disabled()
    page.get_by_role("combobox", name="Speed").select_option("20")
    page.get_by_role("button", name="Play").click()
    look.until(page, "studio.now >= 25", seconds=60)
    page.get_by_role("button", name="Pause").click()
    expect(status).to_contain_text("✓ With max_p 0.02")
    # What a step speaks of is in view with its words.
    for seen in (
        status,
        page.get_by_role("img", name="Drop curve and operating point"),
        page.locator("canvas").nth(1),
    ):
        expect(seen).to_be_in_viewport()
    for answer in ("half of max_p", "fall"):
        following.click()
        page.get_by_label(answer, exact=True).check()
        expect(status).to_contain_text("✓")
    following.click()
    expect(page.get_by_role("heading", name="step 4 of 6")).to_be_focused()
    _move(page, "max_p", "0.2")
    expect(status).to_contain_text("✓ Before: average queue")
    following.click()
    _move(page, "max_p", "0.02")
    _move(page, "Long TCP flows", "32")
    expect(status).to_contain_text("✓ The line cannot drop enough")
    following.click()
    expect(status).not_to_contain_text("✓")
    _move(page, "max_p", "0.2")
    expect(status).to_contain_text("Done. So max_p is how hard RED may push", timeout=20_000)


def test_every_lesson_has_a_prediction_a_check_and_a_task(opened: Callable[..., Page]) -> None:
    """All lessons of docs/behaviour.md: a claim with its source, one right answer, and a setting to look at."""
    page = opened()
    groups = ("What queues do", "Disciplines", "Transports")
    names = [
        name
        for group in groups
        for name in page.locator(f"#lesson optgroup[label='{group}'] option").all_inner_texts()
    ]
    assert names == [one["kind"] for one in lessons.lessons()]
    assert {"ECN", "red", "cubic"} < set(names)
    for name in names:
        page.locator("#lesson").select_option(name)
        part = page.locator("#lesson-page")
        expect(part.get_by_role("heading", name=f"Lesson: {name}", exact=True)).to_be_visible()
        expect(part.locator(".claim")).to_contain_text(re.compile(r"\([A-Z].*\)\.$"))
        assert part.get_by_role("radio").count() in (2, 3), name
        assert part.get_by_role("button").all_inner_texts()[::3] == ["Run and check", "Leave the lesson"], (
            name
        )
        assert NAMELESS.findall(part.aria_snapshot()) == []
        part.get_by_role("button", name="Run and check").click()
        expect(part.get_by_text("Choose a prediction first.")).to_be_visible()
        part.get_by_role("button", name="Check my settings").click()
        expect(part.get_by_text("Press See first")).to_be_visible()


@pytest.mark.parametrize("kind", ["lock-out", "bufferbloat"])
def test_a_lesson_can_be_passed_and_its_claim_broken(opened: Callable[..., Page], kind: str) -> None:
    """The right prediction is confirmed; the claim holds in the lesson's settings and fails with another discipline."""
    page = opened(f"scenario=droptail_vs_red&lesson={kind}")
    (lesson,) = (one for one in lessons.lessons() if one["kind"] == kind)
    part = page.locator("#lesson-page")
    part.get_by_role("radio", name=re.compile("^above")).check()
    part.get_by_role("button", name="Run and check").click()
    expect(part.get_by_text(re.compile("^Right: "))).to_be_visible(timeout=120_000)
    assert "does not hold" not in part.locator("table").inner_text()
    part.get_by_role("button", name=f"See “{lesson['first']}”").click()
    look.until(page, READY)
    part.get_by_role("button", name="Check my settings").click()
    expect(part.get_by_text("the claim still holds")).to_be_visible(timeout=120_000)
    page.get_by_role("combobox", name="Discipline").first.select_option("codel")
    look.until(page, READY)
    part.get_by_role("button", name="Check my settings").click()
    expect(part.get_by_text("You have found its limit.")).to_be_visible(timeout=120_000)


def _move(page: Page, name: str, value: str) -> None:
    """Moves a slider of the tour to a value, and waits for the run to be repeated."""
    low, high = {"max_p": (0.001, 1), "Long TCP flows": (1, 400)}[name]
    place = round(200 * math.log(float(value) / low) / math.log(high / low))
    page.locator(".tour-sliders").get_by_role("slider", name=name).fill(str(place))
    look.until(page, READY)
