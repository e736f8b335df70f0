"""The browsers of this machine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import look
import studio
from dropcurve.cli.studio import SITE


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
