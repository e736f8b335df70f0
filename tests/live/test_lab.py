"""Labs: real TCP through the queue. Skipped, with the reason, where none can run.

Everything happens in namespaces, or in a kernel, that the lab makes for itself; traffic lasts seconds.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dropcurve import Scenario
from dropcurve.cli import invoke
from dropcurve.live import launch, plan, scratch, world
from dropcurve.live.lab import FILES, lab
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


#: Several congestion controls, with and without ECN, and UDP of every kind, one of them against the stream.
MIXED = (
    TINY
    + """
[flows.new]
profile = "linux"
cc = "reno"
[flows.voice]
transport = "udp"
source = "onoff"
rate = "100 kbit/s"
packet = "200 B"
on = "100 ms"
off = "100 ms"
[flows.noise]
transport = "udp"
source = "poisson"
rate = "200 kbit/s"
packet = "300 B"
[flows.back]
transport = "udp"
source = "cbr"
rate = "200 kbit/s"
packet = "500 B"
reverse = true
"""
)


@in_namespaces
def test_two_labs_at_once_with_every_load_and_changes_of_the_link(tmp_path: Path) -> None:
    mixed = Scenario.parse(MIXED)
    mixed_plan = plan.make(mixed)
    changes = [(1.5, {"rate": "2 Mbit/s"}), (2.0, {"queue.max_p": 0.2})]
    with ThreadPoolExecutor() as pool:
        first = pool.submit(lab, mixed, changes=changes, out=tmp_path)
        other = pool.submit(lab, Scenario.parse(TINY), predict=0)
        answer, second = first.result(), other.result()
    for one in (answer, second):
        assert one.replayed.count("identical, packet by packet") == 2, one.replayed
    assert "2 changes of the link" in answer.replayed
    assert all(row.predicted is None for row in answer.rows)
    raw = json.loads((tmp_path / "raw.json").read_text())
    assert not raw["problems"]
    for flow, planned in zip(raw["flows"], mixed_plan.flows, strict=True):
        heard = sum(row["bytes"] for row in flow["server"]["intervals"])
        assert heard > 0, planned.group
        if planned.transport == "udp":
            assert flow["client"]["sent"] == len(planned.due_ns)
            assert heard <= sum(planned.payload_bytes)
    (back,) = [one for one in mixed_plan.flows if one.group == "back"]
    assert len(raw["flows"][back.number]["server"]["delays_us"]) > 0
    assert min(raw["flows"][back.number]["server"]["delays_us"]) >= 5000
    for name in ("record.back", "capture.back.pcapng"):
        assert (tmp_path / name).stat().st_size > 0


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


KILLED = """
import sys, tempfile
from pathlib import Path
from dropcurve import Scenario
from dropcurve.live.lab import FILES, lab
tempfile.tempdir = sys.argv[2]
lab(Scenario.parse(sys.argv[1]).set("run.duration", "60 s"), virtual=sys.argv[3] == "virtual", predict=0)
"""


@pytest.mark.parametrize(
    ("where", "begun"),
    [
        pytest.param("here", "client0.json", marks=in_namespaces),
        pytest.param("virtual", "forwarder.txt", marks=in_virtual_time),
    ],
)
@pytest.mark.parametrize("victim", ["client", "keeper"])
def test_a_killed_lab_leaves_nothing_behind(where: str, begun: str, victim: str, tmp_path: Path) -> None:
    before = names_on_this_machine()
    words = [sys.executable, "-c", KILLED, TINY, str(tmp_path), where]
    client = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    assert wait_for(lambda: list(tmp_path.rglob(begun)), 600), client.communicate()
    family = descendants(client.pid)
    (keeper,) = [pid for pid in family if "dropcurve.live.keeper" in command_line(pid)]
    ends = [os.pidfd_open(pid) for pid in family]
    os.kill(client.pid if victim == "client" else keeper, signal.SIGKILL)
    client.wait()
    # Each end is an event of the kernel; nothing here depends on how long it takes.
    for end in ends:
        assert select.select([end], [], [], 600)[0]
        os.close(end)
    assert not processes_with(str(tmp_path))
    assert names_on_this_machine() == before
    if victim == "keeper":
        assert client.stderr is not None
        assert "without a result" in client.stderr.read()
    assert not list(tmp_path.iterdir())


@in_virtual_time
def test_virtual_time_gives_the_same_bytes_each_time(tmp_path: Path) -> None:
    small = Scenario.parse(TINY).edit([("run.duration", "1.5 s"), ("run.warmup", "0.5 s")])
    small_plan = plan.make(small)
    kept = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        raw = launch.in_virtual_time(small_plan, folder, **FILES)
        assert raw["stats"]["forward"]["sent"]["pkts"] > 50
        assert not raw["problems"]
        kept.append({path: (folder / path).read_bytes() for path in ("raw.json", "record", "capture.pcapng")})
    assert kept[0] == kept[1]
    assert replay(tmp_path / "one" / "record").identical


@pytest.mark.parametrize(("allowed", "first"), [("reno bbr\n", "reno"), ("reno bbr cubic\n", "cubic")])
def test_connections_begin_without_pacing(
    allowed: str, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "ALLOWED", tmp_path / "allowed")
    world.ALLOWED.write_text(allowed)
    assert world.unpaced() == first


def test_leftovers_of_a_killed_client_and_keeper_are_removed_by_the_next(tmp_path: Path) -> None:
    text = (
        "import os, sys\nfrom pathlib import Path\nfrom dropcurve.live import scratch\n"
        "with scratch.fresh('lab-', Path(sys.argv[1])) as one, scratch.numbered('guest-', Path(sys.argv[1])):\n"
        "    (one.path / 'record').write_text('cut')\n    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", text, str(tmp_path)], check=False)
    (tmp_path / "guest-notes.txt").write_text("no folder of ours")
    assert len(list(tmp_path.iterdir())) == 3
    with scratch.fresh("lab-", tmp_path) as mine, scratch.numbered("guest-", tmp_path) as first:
        assert first.path.name == "guest-00"
        assert not list(first.path.iterdir())
        # Folders in use stay.
        with scratch.fresh("lab-", tmp_path), scratch.numbered("guest-", tmp_path) as second:
            assert second.path.name == "guest-01"
            assert mine.path.is_dir()
    assert [path.name for path in tmp_path.iterdir()] == ["guest-notes.txt"]


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
    assert invoke(["live", "replay", str(tmp_path / "y")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"dropcurve: {tmp_path / 'y'}: No such file or directory; name a record")


def test_live_alone_shows_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["live"]) == 0
    assert {"lab", "check", "run", "replay"} <= set(capsys.readouterr().out.split())


@pytest.mark.parametrize("text", ["10 s", "10 rate=5 Mbit/s", "soon s rate=1 Mbit/s"])
def test_a_change_that_cannot_be_read_is_reported(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["live", "lab", "droptail_vs_red", "--change", text]) == 2
    assert 'must be TIME PATH=VALUE; write one such as "10 s rate=5 Mbit/s"' in capsys.readouterr().err


def test_interfaces_that_are_not_there_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        invoke(
            ["live", "run", "--in-if", "nope0", "--out-if", "nope1", "--rate", "1 Mbit/s", "--queue", "codel"]
        )
        == 2
    )
    assert "there is no interface nope0" in capsys.readouterr().err
    assert invoke(["live", "run", "--rate", "1 Mbit/s", "--queue", "codel"]) == 2
    assert "--queue-num" in capsys.readouterr().err
    for number, rate, word in (("70000", "1 Mbit/s", "from 0 to 65535"), ("3", "0 Mbit/s", "above 0")):
        assert (
            invoke(["live", "run", "--queue-num", number, "--rate", rate, "--queue", "codel", "--quiet"]) == 2
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
    command_lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line:
            command_lines.append(line)
    return command_lines


def descendants(pid: int) -> list[int]:
    """Processes that a process started, and those that they did."""
    pids = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="ascii").split():
            pids += [int(child), *descendants(int(child))]
    return pids


def command_line(pid: int) -> str:
    """The command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


def wait_for(holds: object, seconds: float) -> bool:
    """Whether something holds within a number of seconds."""
    assert callable(holds)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return bool(holds())
