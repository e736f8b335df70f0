"""The browsers of this machine."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that opens an address without a window."""
    profile = tmp_path_factory.mktemp("profile")
    if request.param == "firefox":
        if path := shutil.which("firefox") or shutil.which("firefox-esr"):
            return [path, "--headless", "--no-remote", "--profile", str(profile)]
        pytest.skip("no Firefox here")
    if path := next(filter(None, map(shutil.which, CHROMIUM)), None):
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ]
        return [path, *flags, f"--user-data-dir={profile}"]
    pytest.skip("no Chromium here")
