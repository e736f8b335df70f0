"""The served page in a browser: controls, frames with 100 flows, a result, the tour."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.cli.studio import SITE
from dropcurve.cli.studio_server import Handler, StudioServer
from validation.pages import papers

HERE = Path(__file__).parent
#: Milliseconds of a frame at 60 a second.
FRAME_MS = 1000 / 60


class Probed(Handler):
    """The server of the studio; what the probe posts goes into a queue."""

    posted: Queue[str]

    def do_POST(self) -> None:
        if not self.path.endswith("/posted"):
            return super().do_POST()
        self.posted.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self._json({})


def test_a_reader_can_use_the_page(browser: list[str], tmp_path: Path) -> None:
    if not (SITE / "engine.wasm").is_file():
        pytest.skip("the studio is not built here (make studio)")
    scenario = dc.Scenario.load("droptail_vs_red").edit([("run.duration", "4 s"), ("run.warmup", "1 s")])
    made = dc.compare(
        [scenario], queues=["red", "droptail"], replications=3, out=tmp_path / "results" / "mine"
    )
    site = tmp_path / "site"
    shutil.copytree(SITE, site)
    shutil.copyfile(HERE / "probe.js", site / "probe.js")
    page = (site / "index.html").read_text(encoding="utf-8")
    (site / "index.html").write_text(
        page.replace("</body>", '<script type="module" src="probe.js"></script></body>'), encoding="utf-8"
    )
    server = StudioServer(site, tmp_path / "results")
    handler = type("Handler", (Probed,), {"posted": Queue()})
    server.RequestHandlerClass = handler
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with subprocess.Popen(
        [*browser, server.address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            posted: dict[str, Any] = json.loads(handler.posted.get(timeout=240))
        except Empty:
            pytest.fail(f"{browser[0]} posted nothing")
        finally:
            process.terminate()
            server.shutdown()
            server.server_close()
    assert "error" not in posted, posted["error"]
    assert posted["moment"] == 2.0, "two changes in a row lose the moment in view"
    assert posted["unnamed"] == [] and posted["opened"]["unnamed"] == []
    assert posted["outside"] == [] and posted["wide"] <= 0
    assert posted["frames"]["flows"] > 100 and posted["frames"]["frames"] >= 120
    # A tenth of the frames is not interrupted by other processes, on a busy machine as well.
    assert posted["frames"]["undisturbed"] < FRAME_MS
    opened = posted["opened"]
    # The value that the keyboard reaches has the interval of the table, in its words.
    label = re.fullmatch(r"link utilisation \[%\], red: (.*) % \(95 % of 3 runs\)", opened["said"])
    assert label and f"| link utilisation | % | {label[1]} |" in made.to_markdown()
    assert opened["hidden"] == opened["before"] - 1
    assert opened["zoomed"] or opened["before"] == 1
    assert opened["sorted"] == "ascending"
    assert posted["toured"].startswith("✓ With max_p 0.02: average queue ")


def test_the_papers_are_those_of_the_page() -> None:
    assert papers.OUT.read_text(encoding="utf-8") == papers.text(), "python -m validation.pages.papers"
