"""Plug-ins from end to end: the tutorial's examples, the conformance kit, faults, and that no scenario loads code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dropcurve.scenario import starters

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/guide/plugins.md"
HALF = ROOT / "docs/guide/examples/half.py"
SHORT = ("--duration", "4 s", "--set", "run.warmup=1 s")

Dropcurve = Callable[..., Any]


def cli(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, because plug-ins stay loaded in theirs."""
    command = [sys.executable, "-m", "dropcurve", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)


def test_a_python_file_is_run_described_compared_and_named_in_the_command(tmp_path: Path) -> None:
    plug = ("--plugin", str(HALF))
    assert "half: passed 20 sequences" in cli(tmp_path, "conformance", "half", *plug).stdout
    assert "share  0.02" in cli(tmp_path, "describe", "half", *plug).stdout
    words = ("compare", "droptail_vs_red", "--queue", "droptail", "--queue", "half:share=0.1", *SHORT)
    process = cli(tmp_path, *words, *plug, "--replications", "2", "--no-report", "--out", "kept")
    assert process.returncode == 0, process.stderr
    assert f"--plugin {HALF}" in process.stdout
    stored = cli(tmp_path, "show", "kept")
    assert "half:share=0.1" in stored.stdout


def test_a_scenario_alone_loads_no_code(tmp_path: Path) -> None:
    shutil.copyfile(HALF, tmp_path / "half.py")
    process = cli(tmp_path, "run", "droptail_vs_red", *SHORT, "--set", "queue.kind=half", "--no-report")
    assert process.returncode == 2
    assert "no such discipline" in process.stderr and "half" in process.stderr


@pytest.mark.parametrize(
    ("method", "reported"),
    [
        ("def dequeue(self, call): return 77", "has sent packet 77, which is not in its queue"),
        ("def dequeue(self, call): return self.nothing", "failed in dequeue (line 7): AttributeError"),
        ("def dequeue(self, call): return None", "the queue is not empty, but no packet was sent"),
    ],
)
def test_a_fault_is_reported_by_name_in_one_line(method: str, reported: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "from dropcurve import plugins\n\nclass Bad(plugins.Discipline):\n    name = 'bad'\n"
        "    def enqueue(self, packet, call):\n        self.queue.append(packet.number)\n"
        f"    {method}\n"
    )
    process = cli(tmp_path, "conformance", "bad", "--plugin", "bad.py")
    (line,) = process.stderr.strip().splitlines()
    assert process.returncode == 2 and reported in line
    if "not empty" not in reported:
        run = cli(
            tmp_path,
            "run",
            "droptail_vs_red",
            *SHORT,
            "--set",
            "queue.kind=bad",
            "--plugin",
            "bad.py",
            "--no-report",
        )
        assert run.returncode == 2 and reported in run.stderr and "Traceback" not in run.stderr  # fmt: skip


KEEPS = """
import pytest
from dropcurve import plugins

class Keeps(plugins.Discipline):
    name = "keeps_calls"

    def enqueue(self, packet, call):
        self.queue.append(packet.number)
        self.kept = getattr(self, "kept", call)
        if self.kept is not call:
            with pytest.raises(RuntimeError, match="this call is over"):
                self.kept.uniform()

    def dequeue(self, call):
        return self.queue.popleft() if self.queue else None

plugins.register(Keeps)
print(plugins.conformance("kind = 'keeps_calls'", seeds=1)["arrived"])
"""


def test_a_call_is_over_when_the_method_returns() -> None:
    done = subprocess.run([sys.executable, "-c", KEEPS], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 100


def test_the_starter_in_rust_has_the_bits_of_the_one_in_python(tmp_path: Path) -> None:
    assert (starters.HERE / "rust/abi.rs.txt").read_text() == (ROOT / "crates/plugin/src/abi.rs").read_text()
    (tmp_path / "python").mkdir()
    assert cli(tmp_path, "new", "discipline", "mine", "--python", "--out", "python").returncode == 0
    if shutil.which("cargo") is None:
        pytest.skip("a plug-in in Rust needs cargo")
    # The tutorial's own lines.
    (block,) = re.findall(r"^```bash\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    script = block.replace("dropcurve ", f"{sys.executable} -m dropcurve ").replace('"20 s"', '"12 s"')
    done = subprocess.run(["bash", "-e"], input=script, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "mine: passed 20 sequences" in done.stdout
    library = next((tmp_path / "mine/target/release").glob("libmine.*[!d]"))
    words = ("run", "droptail_vs_red", *SHORT, "--set", "queue.kind=mine", "--digest", "--plugin")
    digests = [cli(tmp_path, *words, str(file)).stdout for file in (library, tmp_path / "python/mine.py")]
    assert digests[0] == digests[1] and len(digests[0].strip()) == 16


def test_names_and_files_that_cannot_be_used(tmp_path: Path) -> None:
    for name, reported in (("My-Red", "lower-case"), ("red", "is a discipline already")):
        process = cli(tmp_path, "new", "discipline", name)
        assert process.returncode == 2 and reported in process.stderr
    for file, text, reported in (
        ("none.py", "", "has no class that derives from"),
        ("wrong.py", "1 / 0", "ZeroDivisionError"),
        ("lib.so", "no library", "cannot be loaded"),
    ):
        (tmp_path / file).write_text(text)
        process = cli(tmp_path, "describe", "red", "--plugin", file)
        assert (
            process.returncode == 2 and reported in process.stderr and len(process.stderr.splitlines()) == 1
        )
