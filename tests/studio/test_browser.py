"""The engine in a browser produces the digests of this machine; skipped without a browser or a built page."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

import dropcurve as dc
import training
from dropcurve import _core
from dropcurve.cli.studio import SITE
from dropcurve.cli.studio_server import write_offline
from validation.pages import lessons

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: Posts the content of the offline page once it has reached two seconds.
REPORT = """<script>
const timer = setInterval(() => {
  const [clock, side] = ["clock", "side-a"].map((id) => document.getElementById(id)?.textContent ?? "");
  if (!clock.startsWith("2.00")) return;
  clearInterval(timer);
  fetch("posted", { method: "POST", body: JSON.stringify({ clock, side }) });
}, 100);
</script>
"""
#: Simulated time of a case.
CASE = "3 s"
EDITS = [("run.duration", "20 s"), ("run.warmup", "auto")]


def cases() -> list[dict[str, Any]]:
    """Every discipline, every transport, and every recovery, control and profile of TCP: the runs of `make bits`."""
    recorded = [*training.disciplines(_core), *training.transports(_core)]
    edits = [("run.duration", CASE)]
    return [{"name": one.name, "text": one.text, "edits": edits} for one in recorded]


class Page(SimpleHTTPRequestHandler):
    """Serves a folder; posted data goes into a queue."""

    posted: Queue[str]

    def do_POST(self) -> None:
        self.posted.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def opened(browser: list[str], site: Path, tmp_path: Path) -> Iterator[Any]:
    """A function that opens the test page in the browser and returns what it posted."""
    site = shutil.copytree(site, tmp_path / "site")
    shutil.copyfile(HERE / "digests.js", site / "digests.js")
    (site / "cases.json").write_text(json.dumps(cases()))
    (site / "digests.html").write_text(
        '<!doctype html><title>x</title><script type="module" src="digests.js"></script>'
    )
    handler = type("Handler", (Page,), {"posted": Queue()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def open_(kinds: str, seconds: float, *, page: str = "digests.html", state: str = "") -> dict[str, Any]:
        address = f"http://127.0.0.1:{server.server_port}/{page}?lessons={kinds}#{state}"
        with subprocess.Popen(
            [*browser, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                posted: dict[str, Any] = json.loads(handler.posted.get(timeout=seconds))
            except Empty:
                pytest.fail(f"{browser[0]} posted nothing in {seconds:g} s")
            finally:
                process.terminate()
        assert "error" not in posted, posted["error"]
        return posted

    yield open_
    server.shutdown()
    server.server_close()


def test_digests_are_those_of_this_machine(opened: Any, dropcurve: Callable[..., Any]) -> None:
    """The shipped scenarios in uneven steps; and of a state, the address, the command line and the Python call."""
    posted = opened("droptail,drr", 300)
    native = {
        one["name"]: dc.Scenario.parse(one["text"]).edit(one["edits"]).digest(seed=1) for one in cases()
    }
    assert posted["cases"] == native and len(native) > 100
    here = {name: dc.Scenario.load(name).edit(EDITS).digest() for name in posted["digests"]}
    assert posted["digests"] == here and len(here) > 10
    assert posted["same"]
    for side in posted["sides"].values():
        assert eval(side["python"], {"dropcurve": dc}) == side["digest"]
        assert dropcurve(*shlex.split(side["command"])[1:]).out == f"{side['digest']}\n"
    assert posted["sides"]["a"]["digest"] != posted["sides"]["b"]["digest"]
    assert set(posted["lessons"]) == {"droptail", "drr"}
    for lesson in posted["lessons"].values():
        assert all(one["holds"] for one in lesson["checks"]) and lesson["failing"]


def test_the_offline_page_runs(opened: Any, tmp_path: Path) -> None:
    """One file of less than 2 MB: the link of its scenario at the moment of its address."""
    page = tmp_path / "site" / "offline.html"
    write_offline(SITE, page)
    assert page.stat().st_size < 2_000_000
    page.write_text(page.read_text(encoding="utf-8") + REPORT, encoding="utf-8")
    for name in ("engine.wasm", "library.json", "main.js", "style.css"):
        (tmp_path / "site" / name).unlink()
    assert opened("", 60, page="offline.html", state="scenario=ecn&seed=3&t=2") == {
        "clock": "2.00 of 60 s",
        "side": "A: red RED that marks instead of dropping, bottleneck at 10 Mbit/s",
    }


@pytest.mark.slow
def test_every_lesson_can_be_checked(opened: Any) -> None:
    """All checks hold with the seed of the page, and a change of one control breaks the one that a reader predicts."""
    by_kind = opened("all", 1800)["lessons"]
    assert len(by_kind) == len(lessons.lessons())
    checks = [one for row in by_kind.values() for one in row["checks"]]
    assert all(isinstance(one["value"], float | int) for one in checks), checks
    assert [one for one in checks if not one["holds"]] == []
    assert [kind for kind, row in by_kind.items() if not row.get("failing")] == []


def test_the_lessons_are_those_of_the_page() -> None:
    assert lessons.OUT.read_text(encoding="utf-8") == lessons.text(), "python -m validation.pages.lessons"
