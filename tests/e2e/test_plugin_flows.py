"""Congestion controls, sources and metrics as plug-ins in Python: by file, by entry point, and refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "docs/guide/examples"
SHORT = ("--duration", "4 s", "--set", "run.warmup=1 s")
RUN = ("run", "droptail_vs_red", *SHORT, "--no-report")

#: A group of flows with the packets of `frames`.
GAME = """
[run]
duration = "4 s"
warmup = "1 s"

[dumbbell]
rate = "5 Mbit/s"
delay = "10 ms"

[queue]
kind = "droptail"

[flows.game]
transport = "udp"
source = "frames:pause=10 ms,large=0"
count = 1
"""

#: Entry points of a package that offers all three kinds.
POINTS = """[dropcurve.plugins]
gentle = gentle:Gentle
frames = frames:Frames
fullness = fullness:fullness
"""

#: The two rules of RFC 5681, as in the built-in control with `counting = "acks"`.
RENO = """
from dropcurve import plugins

class Twin(plugins.CongestionControl):
    name = "twin"

    def on_ack(self, window, ack):
        window.cwnd += 1.0 if window.cwnd < window.ssthresh else 1.0 / window.cwnd

    def on_congestion(self, window, congestion):
        return congestion.load / 2.0
"""


def cli(folder: Path, *words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A process of its own, because plug-ins stay loaded in theirs; packages are found at `path`."""
    command = [sys.executable, "-m", "dropcurve", *words]
    settings = os.environ | ({"PYTHONPATH": str(path)} if path is not None else {})
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300, env=settings)


def printed(folder: Path, *words: str, path: Path | None = None) -> str:
    """The output of a command that succeeds."""
    done = cli(folder, *words, path=path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(folder: Path, *words: str) -> str:
    """The only line that a refused command prints."""
    done = cli(folder, *words)
    assert done.returncode == 2, done.stdout + done.stderr
    (line,) = done.stderr.strip().splitlines()
    return line


def test_a_control_of_a_file_is_described_checked_and_decides_the_windows(tmp_path: Path) -> None:
    plug = ("--plugin", str(EXAMPLES / "gentle.py"))
    assert "left" in printed(tmp_path, "describe", "gentle", *plug)
    checked = json.loads(printed(tmp_path, "conformance", "gentle:left=0.7", *plug, "--json"))
    assert min(checked[key] for key in ("acks", "reductions", "undone", "packets")) > 100
    digests = {
        cc: printed(tmp_path, *RUN, "--set", f"flows.tcp.cc={cc}", "--digest", *plug)
        for cc in ("gentle:left=0.5", "gentle:left=0.9", "gentle:left=0.90")
    }
    assert digests["gentle:left=0.9"] == digests["gentle:left=0.90"] != digests["gentle:left=0.5"]


@pytest.mark.parametrize("queue", ["droptail", "codel"])
def test_reno_in_python_has_the_bits_of_the_built_in_one(queue: str, tmp_path: Path) -> None:
    (tmp_path / "twin.py").write_text(RENO)
    words = (*RUN, "--set", f"queue.kind={queue}", "--digest", "--plugin", "twin.py")
    digests = [printed(tmp_path, *words, "--set", f"flows.tcp.cc={cc}") for cc in ("reno", "twin", "cubic")]
    assert digests[0] == digests[1] != digests[2]


def test_a_source_of_a_file_sends_its_packets(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME)
    plug = ("--plugin", str(EXAMPLES / "frames.py"))
    assert "pause" in printed(tmp_path, "describe", "frames", *plug)
    assert "frames: passed whole runs" in printed(tmp_path, "conformance", "frames", *plug)
    words = ("run", "game.toml", "--replications", "1", "--no-report", "--out", "kept")
    printed(tmp_path, *words, *plug)
    # 100 packets of 100 bytes in each of three seconds.
    (line,) = [one for one in printed(tmp_path, "show", "kept", *plug).splitlines() if "throughput" in one][
        :1
    ]
    assert "80" in line, line


def test_a_metric_of_a_file_is_described_checked_and_compared(tmp_path: Path) -> None:
    plug = ("--plugin", str(EXAMPLES / "fullness.py"))
    assert "longest queue" in printed(tmp_path, "describe", "fullness", *plug)
    assert json.loads(printed(tmp_path, "conformance", "fullness", *plug, "--json"))["values"] == 2
    words = ("compare", "droptail_vs_red", "--queue", "droptail", "--queue", "red", *SHORT, *plug)
    table = printed(tmp_path, *words, "--replications", "2", "--no-report", "--out", "kept")
    assert "longest queue" in table and f"--plugin {EXAMPLES / 'fullness.py'}" in table
    assert "longest queue" not in printed(tmp_path, "show", "kept")
    assert "longest queue" in printed(tmp_path, "show", "kept", *plug)


def test_an_installed_package_offers_all_three_without_an_option(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME)
    site, metadata = tmp_path / "site", tmp_path / "site/plugs-1.0.dist-info"
    metadata.mkdir(parents=True)
    for name in ("gentle", "frames", "fullness"):
        shutil.copyfile(EXAMPLES / f"{name}.py", site / f"{name}.py")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plugs\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(POINTS)
    control = ("--set", "flows.tcp.cc=gentle")
    by_package = printed(tmp_path, *RUN, *control, "--digest", path=site)
    by_file = printed(tmp_path, *RUN, *control, "--digest", "--plugin", str(EXAMPLES / "gentle.py"))
    assert by_package == by_file
    words = ("run", "game.toml", "--replications", "1", "--no-report", "--out", "kept")
    assert "longest queue" in printed(tmp_path, *words, path=site)
    assert "longest queue" in printed(tmp_path, "show", "kept", path=site)
    assert refused(tmp_path, "run", "game.toml", "--no-report").count("frames") >= 1


CONTROL = """\
    def on_ack(self, window, ack): window.cwnd += {growth}
    def on_congestion(self, window, event): return {left}
"""


@pytest.mark.parametrize(
    ("growth", "left", "reported"),
    [
        ("float('nan')", "1.0", "the plug-in bad has set cwnd to NaN"),
        ("1.0", "-3.0", "the plug-in bad has set the reduced window to -3"),
        ("1.0", "'half'", "failed in on_congestion: TypeError"),
        ("self.nothing", "1.0", "failed in on_ack (line 4): AttributeError"),
        ("1.0", "window.cwnd + 1", "reductions did not narrow the window"),
        ("__import__('random').random()", "window.cwnd / 2", "two checks with the same events differ"),
    ],
)
def test_a_faulty_control_is_reported_by_name_in_one_line(
    growth: str, left: str, reported: str, tmp_path: Path
) -> None:
    methods = CONTROL.format(growth=growth, left=left)
    (tmp_path / "bad.py").write_text(
        f"from dropcurve import plugins\nclass Bad(plugins.CongestionControl):\n    name = 'bad'\n{methods}"
    )
    assert reported in refused(tmp_path, "conformance", "bad", "--plugin", "bad.py")
    if "the plug-in bad has" in reported or "failed in" in reported:
        line = refused(tmp_path, *RUN, "--set", "flows.tcp.cc=bad", "--plugin", "bad.py")
        assert reported in line


@pytest.mark.parametrize(
    ("answer", "reported"),
    [
        ("(-1.0, 100)", "the plug-in bad pauses -1 s"),
        ("(0.01, 0)", "the plug-in bad has sent 0 bytes"),
        ("(0.01, 70_000)", "the plug-in bad has sent 70000 bytes: it must be 1 to 65535"),
        ("0.01", "failed in next: TypeError"),
        ("(__import__('random').expovariate(100), 100)", "two runs with the same seed differ"),
    ],
)
def test_a_faulty_source_is_reported_by_name_in_one_line(answer: str, reported: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "from dropcurve import plugins\nclass Bad(plugins.Source):\n    name = 'bad'\n"
        f"    def next(self, now_ns): return {answer}\n"
    )
    assert reported in refused(tmp_path, "conformance", "bad", "--plugin", "bad.py")


@pytest.mark.parametrize(
    ("value", "reported"),
    [
        ("float('nan')", "has returned nan; return a finite number, or None"),
        ("link['nowhere']", "the metric failed: KeyError"),
        ("'wide'", "the metric failed: ValueError"),
        ("__import__('random').random()", "two values of the same run differ"),
    ],
)
def test_a_faulty_metric_is_reported_by_name_in_one_line(value: str, reported: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "from dropcurve import plugins\n\n"
        "@plugins.metric('bad', title='bad')\n"
        f"def bad(run, link): return {value}\n"
    )
    assert reported in refused(tmp_path, "conformance", "bad", "--plugin", "bad.py")


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("class A(plugins.CongestionControl):\n    name = 'cubic'", "cubic: is built in"),
        ("class A(plugins.Source):\n    name = 'ftp'", "ftp: is built in"),
        ("class A(plugins.Source):\n    name = 'Ftp'", "lower-case letters"),
        ("class A(plugins.Source):\n    name = 'a'\n    transport = 'quic'", "must be tcp or udp"),
        (
            "class A(plugins.CongestionControl):\n    name = 'a'\n"
            "    parameters = {'x': plugins.Parameter(2.0, greatest=1.0)}",
            "the default of x is outside its range",
        ),
        (
            "\n" + "@plugins.metric('goodput_bps', title='goodput')\ndef a(run, link): return 1.0",
            "is a metric already",
        ),
        ("\n" + "@plugins.metric('Good', title='good')\ndef a(run, link): return 1.0", "lower-case letters"),
    ],
)
def test_declarations_that_cannot_be_used_are_refused(text: str, reported: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"from dropcurve import plugins\n{text}\n")
    assert reported in refused(tmp_path, "list", "metrics", "--plugin", "a.py")


@pytest.mark.parametrize(
    ("key", "reported"),
    [
        ("flows.tcp.cc=gentle:lefd=0.5", "did you mean 'left'?"),
        ("flows.tcp.cc=gentle:left=7", "must lie in 0.1 to 0.99"),
        ("flows.tcp.cc=gentle:left", "has no ="),
        ("flows.tcp.cc=gentil", "must be one of"),
        ("flows.tcp.cc=absent:left=0.5", "names the plug-in absent, which is not loaded: --plugin FILE"),
        ("flows.tcp.source=frames", "source"),
    ],
)
def test_wrong_names_and_parameters_in_a_scenario(key: str, reported: str, tmp_path: Path) -> None:
    plug = [word for name in ("gentle", "frames") for word in ("--plugin", str(EXAMPLES / f"{name}.py"))]
    assert reported in refused(tmp_path, *RUN, "--set", key, *plug)


def test_the_clock_of_doubles_is_for_what_is_built_in(tmp_path: Path) -> None:
    words = (*RUN, "--set", "run.clock=doubles", "--set", "flows.tcp.cc=gentle")
    line = refused(tmp_path, *words, "--plugin", str(EXAMPLES / "gentle.py"))
    assert "a congestion control is a plug-in" in line


def test_the_reader_of_entry_points_is_imported_when_they_are_looked_up() -> None:
    code = "import sys, dropcurve.scenario.plugins; print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stdout + done.stderr
