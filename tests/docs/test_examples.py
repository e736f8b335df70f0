"""Every program of `examples/` runs, prints its answer and is listed on their page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
# A phrase of a correct answer, by program.
SAYS = {
    "bottleneck_in_a_test": "packets acknowledged in 5.0",
    "compare_queues": "codel - droptail: sojourn_ms_p95 -",
    "export_configuration": "tc qdisc replace dev eth0 root",
    "one_line_answer": "Load CoDel with ",
    "own_metric": "(95 %)",
    "replay_capture": "one-way delay, p95 (recorded) (ms): ",
    "scenario_file": "one-way delay, p95 (call) (ms): ",
    "sweep_thresholds": "queue_max_th_pkts",
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_it_runs(program: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    assert SAYS[program.stem] in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_page_lists_them_all() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert len(PROGRAMS) >= 6
    assert {path.stem for path in PROGRAMS} == set(SAYS)
    assert all(f"]({path.name})" in page for path in PROGRAMS)


def test_the_example_of_the_binding_runs(tmp_path: Path) -> None:
    """The examples of the other crates are doc tests."""
    page = (EXAMPLES.parent / "crates/py/README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("red ")
