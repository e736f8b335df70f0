"""Labs: real TCP through the queue. Skipped, with the reason, where none can run.

Everything happens in namespaces, or in a kernel, that the lab makes for itself; traffic lasts seconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dropcurve import Scenario
from dropcurve.cli import invoke
from dropcurve.live import launch, plan
from dropcurve.live.lab import lab
from dropcurve.live.replay import replay

TINY = """
title = "Two flows"
[run]
duration = "2.5 s"
warmup = "1 s"
[dumbbell]
rate = "3 Mbit/s"
delay = "5 ms"
[queue]
kind = "red"
limit = "60 pkts"
min_th = "3 pkts"
max_th = "12 pkts"
max_p = 0.1
ecn = true
ecn_forced = "mark"
[flows.tcp]
count = 2
profile = "linux"
cc = "cubic"
ecn = true
"""

in_namespaces = pytest.mark.skipif(bool(launch.missing()), reason=launch.missing() or "labs run here")
in_virtual_time = pytest.mark.skipif(
    bool(launch.missing_for_virtual_time()),
    reason=launch.missing_for_virtual_time() or "virtual time is here",
)


@in_namespaces
def test_a_lab_gives_numbers_and_its_record_is_replayed(tmp_path: Path) -> None:
    before = names_on_this_machine()
    answer = lab(Scenario.parse(TINY), predict=2, out=tmp_path)
    rows = {row.metric: row for row in answer.rows}
    goodput = rows["goodput_bps"].live.mean
    assert goodput is not None
    # No more than the link carries, and no less than half of it, on however busy a machine.
    assert 1.5e6 < goodput < 3e6 * 1448 / 1500
    marks = rows["marks"].live.mean
    assert marks is not None
    assert marks > 0
    assert answer.replayed.startswith("identical, packet by packet")
    assert replay(tmp_path / "record").whole
    assert (tmp_path / "capture.pcapng").read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    assert names_on_this_machine() == before


@in_namespaces
def test_a_killed_lab_leaves_nothing_behind(tmp_path: Path) -> None:
    made = plan.make(Scenario.parse(TINY).set("run.duration", "60 s"))
    (tmp_path / "out").mkdir()
    text = (
        "import sys\nfrom pathlib import Path\nfrom dropcurve import Scenario\n"
        "from dropcurve.live import launch, plan\n"
        "made = plan.make(Scenario.parse(sys.argv[1]).set('run.duration', '60 s'))\n"
        "launch.in_namespaces(made, Path(sys.argv[2]))\n"
    )
    before = names_on_this_machine()
    started = subprocess.Popen([sys.executable, "-c", text, TINY, str(tmp_path / "out")])
    marker = str(tmp_path / "out" / "job.json")
    assert made.duration_s == 60
    assert wait_for(lambda: (tmp_path / "out" / "client0.json").exists(), 60)
    assert processes_with(marker)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    assert wait_for(lambda: not processes_with(marker), 20)
    assert names_on_this_machine() == before


@in_virtual_time
def test_virtual_time_gives_the_same_bytes_each_time(tmp_path: Path) -> None:
    small = Scenario.parse(TINY).edit([("run.duration", "1.5 s"), ("run.warmup", "0.5 s")])
    made = plan.make(small)
    kept = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        raw = launch.in_virtual_time(made, folder, record="record", capture="capture.pcapng")
        assert raw["stats"]["forward"]["sent"]["pkts"] > 50
        assert not raw["problems"]
        kept.append({path: (folder / path).read_bytes() for path in ("raw.json", "record", "capture.pcapng")})
    assert kept[0] == kept[1]
    assert replay(tmp_path / "one" / "record").identical


def test_where_no_lab_can_run_one_line_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(launch, "PROGRAMS", {"no-such-program": "no-such-package"})
    assert invoke(["live", "lab", "droptail_vs_red", "--set", "flows.tcp.profile=linux"]) == 2
    error = capsys.readouterr().err.strip().splitlines()
    assert len([line for line in error if "apt-get install no-such-package" in line]) == 1


def test_a_file_that_is_no_record_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text("something else\n")
    assert invoke(["live", "replay", str(tmp_path / "x")]) == 2
    assert "is not a record" in capsys.readouterr().err


def test_interfaces_that_are_not_there_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        invoke(["live", "run", "--in", "nope0", "--out", "nope1", "--rate", "1 Mbit/s", "--aqm", "codel"])
        == 2
    )
    assert "there is no interface nope0" in capsys.readouterr().err
    assert invoke(["live", "run", "--rate", "1 Mbit/s", "--aqm", "codel"]) == 2
    assert "--queue-num" in capsys.readouterr().err
    for number, rate, word in (("70000", "1 Mbit/s", "from 0 to 65535"), ("3", "0 Mbit/s", "above 0")):
        assert (
            invoke(["live", "run", "--queue-num", number, "--rate", rate, "--aqm", "codel", "--quiet"]) == 2
        )
        assert word in capsys.readouterr().err
    assert invoke(["live", "stats", "/nowhere/socket"]) == 2
    assert "no forwarder answers there" in capsys.readouterr().err


def names_on_this_machine() -> tuple[str, str]:
    """Interfaces and named namespaces, as they are outside any lab."""
    shown = subprocess.run(["ip", "-j", "link", "show"], capture_output=True, text=True, check=False).stdout
    links = sorted(row["ifname"] for row in json.loads(shown or "[]"))
    spaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout
    return " ".join(links), spaces


def processes_with(text: str) -> list[str]:
    """Command lines of running processes that hold a text."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line:
            found.append(line)
    return found


def wait_for(holds: object, seconds: float) -> bool:
    """Whether something holds within so many seconds."""
    assert callable(holds)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return bool(holds())
