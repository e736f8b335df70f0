"""Opens every page of a folder in the Chromium of this machine, and reports what a reader would stumble over.

    python tools/look.py out/site                  every page of the site
    python tools/look.py FOLDER --shots FOLDER   also writes a screenshot of each page, width and scheme

Each page is opened at the width of a phone and of a desk, light and dark. Faults are: an error in the console, a
request that fails or goes to another server, an image that does not load, a page wider than its window, and a
violation that axe finds (WCAG 2 A and AA, and its best practices).
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, Response, sync_playwright

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Name, width and height of the windows.
WINDOWS = (("desk", 1280, 900), ("phone", 360, 740))
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
#: Rules of axe that are checked in a window and scheme: all of them once, elsewhere those on colours and on scrolling.
RULES: dict[tuple[str, str], tuple[str, ...]] = {
    ("desk", "light"): (),
    ("desk", "dark"): ("color-contrast",),
    ("phone", "light"): ("color-contrast", "scrollable-region-focusable"),
}
#: Milliseconds after which every animation has ended.
SETTLED = 1000
#: Pictures that did not load, and how far the page is wider than its window.
FAULTS = """() => ({
  broken: [...document.images].filter((one) => one.complete && !one.naturalWidth).map((one) => one.src),
  wide: document.documentElement.scrollWidth - window.innerWidth,
})"""
#: Pictures that are loaded on sight load at once, so that they can be judged.
EAGER = """() => Promise.all([...document.images].map((one) => {
  one.loading = "eager";
  return one.decode().catch(() => null);
}))"""


def chromium() -> str | None:
    """The Chromium of this machine, if there is one."""
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """The Chromium of this machine, driven by Playwright. Ask `chromium` first."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves a folder without a log."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serves a folder on loopback; the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Watch:
    """Faults of a page while it is used: errors of scripts and of requests, and requests to other servers.

    Attributes:
        faults: One line for each.
    """

    page: Page
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._said)
        self.page.on("pageerror", self._thrown)
        self.page.on("response", self._answered)
        self.page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def _thrown(self, error: Error) -> None:
        self.faults.append(f"error: {error}")

    def _answered(self, answer: Response) -> None:
        if answer.status >= 400:
            self.faults.append(f"request: {answer.status} {answer.url}")

    def _asked(self, request: Request) -> None:
        where = urlsplit(request.url)
        if where.scheme in ("http", "https") and where.hostname not in ("127.0.0.1", "localhost"):
            self.faults.append(f"outside: {request.url}")


def seen(page: Page) -> list[str]:
    """Faults of the page in view: images that did not load, and a page wider than its window."""
    page.evaluate(EAGER)
    measured: Mapping[str, Any] = page.evaluate(FAULTS)
    if measured["wide"] > 0:
        # A menu that slides out of the window is not the page.
        page.wait_for_timeout(SETTLED)
        measured = page.evaluate(FAULTS)
    wide = [f"wide: by {measured['wide']} px"] if measured["wide"] > 0 else []
    return [*(f"image: {one}" for one in measured["broken"]), *wide]


def violations(page: Page, *, only: Sequence[str] = ()) -> list[str]:
    """Violations that axe finds in the page in view: rule, impact, and the first elements.

    Args:
        page: The page.
        only: Rules to check; all of them where it is empty.
    """
    options = {"runOnly": {"type": "rule", "values": list(only)}} if only else None
    response: dict[str, Any] = Axe().run(page, options=options).response
    return [
        f"axe: {one['id']} ({one['impact']}): {one['help']}: "
        + "; ".join(str(node["html"])[:160] for node in one["nodes"][:3])
        for one in response["violations"]
    ]


def looked_at(
    browser: Browser, addresses: Sequence[str], *, ruled: Collection[str] = (), shots: Path | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Opens addresses one after another, in every window and scheme; each with its faults.

    Args:
        browser: From `started`.
        addresses: The pages.
        ruled: Those of them that axe checks.
        shots: Folder for screenshots.
    """
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        watch = Watch(page)
        for address in addresses:
            watch.faults.clear()
            problems: list[str] = []
            page.set_viewport_size({"width": WINDOWS[0][1], "height": WINDOWS[0][2]})
            page.goto(address, wait_until="load")
            for name, width, height in WINDOWS:
                page.set_viewport_size({"width": width, "height": height})
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    faults = seen(page)
                    if (name, scheme) in RULES and address in ruled:
                        faults += violations(page, only=RULES[name, scheme])
                    problems += [f"{one} ({name}, {scheme})" for one in faults]
                    if shots is not None:
                        page.screenshot(path=shots / f"{_file(address)}-{name}-{scheme}.png")
            yield address, [*dict.fromkeys(watch.faults), *problems]


def until(page: Page, condition: str, *, seconds: float = 30) -> None:
    """Waits for a condition. Playwright's own wait is an `eval` in the page, which the studio's policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"{condition}: not within {seconds:g} s"
        page.wait_for_timeout(50)


def _file(address: str) -> str:
    """The name of a page's screenshots."""
    return urlsplit(address).path.strip("/").removesuffix(".html").replace("/", "-") or "index"


def pages(folder: Path) -> list[str]:
    """The pages of a folder, relative to it; of the Rust reference, which rustdoc writes, only the front page of each
    crate; not the page 404.html, whose links are relative to a server's root."""
    names = (path.relative_to(folder) for path in sorted(folder.rglob("*.html")) if path.name != "404.html")
    return [one.as_posix() for one in names if "rust" not in one.parts or one.match("rust/*/index.html")]


def first_of_each(chosen: Sequence[str]) -> list[str]:
    """The first page of each folder: pages of one folder have one form. rustdoc's are not ours to judge."""
    firsts: dict[str, str] = {}
    for page in chosen:
        firsts.setdefault(page.rpartition("/")[0], page)
    return [page for folder, page in firsts.items() if "/rust" not in f"/{folder}"]


def main(arguments: Sequence[str]) -> int:
    """Looks at every page; the status to exit with."""
    parser = argparse.ArgumentParser(description="Look at every page of a folder in Chromium.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shots", type=Path, help="folder for screenshots")
    parser.add_argument("--only", default="", help="pages whose path contains this")
    parser.add_argument(
        "--rules",
        choices=("none", "few", "all"),
        default="few",
        help="pages that axe checks: the first of each folder, or all; a page takes some seconds",
    )
    options = parser.parse_args(arguments)
    if chromium() is None:
        print("look: NOT DONE, because there is no Chromium here (apt install chromium)")
        return 0
    chosen = [one for one in pages(options.folder) if options.only in one]
    if options.shots is not None:
        options.shots.mkdir(parents=True, exist_ok=True)
    faulty = 0
    ruled = {"none": [], "few": first_of_each(chosen), "all": chosen}[options.rules]
    with served(options.folder) as address, started() as browser:
        there, checked = ([f"{address}/{one}" for one in some] for some in (chosen, ruled))
        for page, faults in looked_at(browser, there, ruled=checked, shots=options.shots):
            faulty += bool(faults)
            for fault in faults:
                print(f"look: {page.removeprefix(address)}: {fault}", flush=True)
    windows = " and ".join(f"{width} px" for _, width, _ in WINDOWS)
    print(
        f"look: {len(chosen)} pages at {windows}, light and dark, {len(ruled)} of them with axe: "
        f"{faulty or 'none'} with faults"
    )
    return int(faulty > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
