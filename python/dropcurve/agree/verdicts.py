"""RED verdict by verdict: every decision of recorded runs of ns-2.35, replayed by the tests of the queue crate.

The replay feeds the recorded arrivals to the discipline with ns-2's own random numbers; the average must agree to nine
digits, each verdict exactly, and the generator must end in ns-2's state, which checks the number of draws.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from .cases import Area, Case, Figure
from .context import ROOT, Context

TITLE = "Queue disciplines, verdict by verdict"
METHOD = (
    "`arrivals`, `drops` and `marks` are those of the recorded run; the tests of the queue crate replay it "
    "and fail at the first verdict that differs. RED's `ns2_` traces are ns-2.35's; the others come from "
    "transcriptions of the papers."
)
TRACES = ROOT / "crates" / "queue" / "tests" / "traces"
TESTS = ("verdicts_ns2", "verdicts_reference")


def compare(context: Context) -> Area:
    """Every recorded trace, agreed if the tests pass."""
    files = sorted(TRACES.glob("*/*.txt"))
    ns2 = [file for file in files if file.name.startswith("ns2_")]
    results = {test: passed(test, context) for test in TESTS}
    cases = [case(file, *results["verdicts_ns2" if file in ns2 else "verdicts_reference"]) for file in files]
    return Area("verdicts", TITLE, "ns-2.35, papers", METHOD, cases)


def passed(test: str, context: Context) -> tuple[bool | None, str]:
    """Whether a test of the queue crate passes; None where there is no Rust to run it."""
    if shutil.which("cargo") is None or context.quick:
        return None, "cargo"
    context.tell(f"cargo test {test}")
    command = ["cargo", "test", "--quiet", "--locked", "-p", "dropcurve-queue", "--test", test]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [
        line for line in (done.stdout + done.stderr).splitlines() if "panicked" in line or "traces" in line
    ]
    return done.returncode == 0, " ".join(lines)[:300]


def case(file: Path, passes: bool | None, note: str) -> Case:
    """One trace: what it holds."""
    name = f"{file.parent.name} {file.stem}"
    if passes is None:
        return Case(name, missing=note)
    rows = [
        line for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    ]
    drops = sum(line.rsplit(" ", 1)[-1] == "x" for line in rows)
    marks = sum(line.rsplit(" ", 1)[-1] == "m" for line in rows)
    right = 1.0 if passes else 0.0
    counts = {"arrivals": len(rows), "drops": drops, "marks": marks}
    figures = [
        Figure(key, number, number * right) for key, number in counts.items() if number or key == "arrivals"
    ]
    return Case(name, tuple(figures), note="" if passes else note)
