"""What a screen reader meets in the served studio: axe finds nothing, and every control has a name."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import look
from dropcurve.cli.studio_server import StudioServer

#: A control in the tree that a screen reader reads, without a name: a name follows in quotes.
NAMELESS = re.compile(
    r'^\s*- (button|textbox|checkbox|slider|combobox|spinbutton|radio|link|img|searchbox)(?! ")', re.MULTILINE
)
READY = "globalThis.studio && !studio.catchingUp"


def until(page: Page, condition: str, *, seconds: float = 30) -> None:
    """Waits for a condition. Playwright's own wait is an `eval` in the page, which the studio's policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"{condition}: not within {seconds:g} s"
        page.wait_for_timeout(50)


@pytest.fixture(scope="module")
def server(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    """The studio, served."""
    results = tmp_path_factory.mktemp("results")
    server = StudioServer(site, results)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def opened(chromium: Browser, server: StudioServer) -> Iterator[Callable[..., Page]]:
    """A function that opens the studio in a state, at the width of a desk or of a phone. At the end of the test nothing
    went wrong on the pages."""
    contexts, watches = [], []

    def open_(state: str = "", *, width: int = 1280) -> Page:
        contexts.append(chromium.new_context(viewport={"width": width, "height": 900}))
        page = contexts[-1].new_page()
        watches.append(look.Watch(page))
        page.goto(f"{server.address}#{state}")
        until(page, READY)
        return page

    yield open_
    for one in contexts:
        one.close()
    assert [fault for one in watches for fault in one.faults] == []


STATES = {
    "start": "",
    "two sides": "scenario=ecn&other=queue.kind%3Dcodel&seed=1&t=2",
    "tour": "scenario=droptail_vs_red&lesson=max_p&seed=1&t=2",
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
