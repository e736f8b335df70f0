"""The browsers of this machine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import look
import studio
from dropcurve.cli.studio import SITE
from dropcurve.cli.studio_server import StudioServer


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that opens an address without a window."""
    profile = tmp_path_factory.mktemp("profile")
    if request.param == "firefox":
        if path := shutil.which("firefox") or shutil.which("firefox-esr"):
            return [path, "--headless", "--no-remote", "--profile", str(profile)]
        pytest.skip("no Firefox here")
    if path := look.chromium():
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ]
        return [path, *flags, f"--user-data-dir={profile}"]
    pytest.skip("no Chromium here")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The Chromium of this machine, driven by Playwright."""
    if look.chromium() is None:
        pytest.skip("no Chromium here")
    with look.started() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The studio with the present sources."""
    if not (SITE / "engine.wasm").is_file():
        pytest.skip("the studio is not built here (make studio)")
    folder = tmp_path_factory.mktemp("studio") / "site"
    shutil.copytree(SITE, folder)
    for source in sorted((Path(__file__).parents[2] / "studio").iterdir()):
        if source.suffix in (".js", ".css", ".html"):
            shutil.copyfile(source, folder / source.name)
    (folder / "library.json").write_text(json.dumps(studio.library()), encoding="utf-8")
    return folder


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
        look.until(page, "globalThis.studio && !studio.catchingUp", seconds=120)
        return page

    yield open_
    for one in contexts:
        one.close()
    assert [fault for one in watches for fault in one.faults] == []
