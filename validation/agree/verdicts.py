"""Verdict by verdict: every decision of recorded runs, replayed by the tests of the queue crate.

Of ns-2.35 the replay feeds the recorded arrivals to the discipline with ns-2's own random numbers; the average must
agree to nine digits, each verdict exactly, and the generator must end in ns-2's state, which checks the number of
draws. Deterministic verdicts of a Linux kernel must be the same packet by packet; RED and GRED must have a random
number for each cycle that explains every verdict in it; of the rest means must agree within chance.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

from .cases import AgreementCase, Area, Figure
from .context import ROOT, Context

TITLE = "Queue disciplines, verdict by verdict"
METHOD = (
    "`arrivals`, `drops` and `marks` are those of the recorded run; the tests of the queue crate replay it "
    "and fail at the first verdict that differs. RED's `ns2_` traces are ns-2.35's; the others come from "
    "transcriptions of the papers."
)
TRACES = ROOT / "crates" / "queue" / "tests" / "traces"
MODULES = ("ns2", "reference")
LINUX_TITLE = "Linux's disciplines, packet by packet"
LINUX_METHOD = (
    "A Linux kernel in virtual time and the `linux` dialects get the same packets at the same moments; the tests of "
    "the queue crate replay the record and fail at the first verdict that differs. `exact`: nothing is random, "
    "or only the rounding of a byte, so that one of a number of draws must explain every verdict. "
    "`idle`: RED and GRED that notice idle time; each cycle of verdicts must follow from one random number, and GRED's "
    "averages are the same to the byte. `acks`: bursts of acknowledgements that either filter of CAKE thins. `mean`: "
    "drops, marks and sojourn times in each quarter of a second agree within random error. "
    "`reference/linux/record.sh` records a kernel again."
)
#: Which module of the tests replays a record, by how its name begins.
LINUX_MODULES = {"exact": "linux", "mean": "linux", "idle": "linux_idle", "acks": "linux_acks"}


def compare(context: Context) -> Area:
    """Every recorded trace of ns-2 and of the papers' transcriptions, agreed if the tests pass."""
    files = sorted(file for file in TRACES.glob("*/*.txt") if file.parent.name != "linux")
    ns2 = [file for file in files if file.name.startswith("ns2_")]
    results = {module: passed(module, context) for module in MODULES}
    cases = [case(file, *results["ns2" if file in ns2 else "reference"]) for file in files]
    return Area("verdicts", TITLE, "ns-2.35, papers", METHOD, cases)


def linux(context: Context) -> Area:
    """Every record of a Linux kernel, agreed if the tests pass."""
    results = {module: passed(module, context) for module in dict.fromkeys(LINUX_MODULES.values())}
    files = sorted((TRACES / "linux").glob("*.txt"))
    cases = [case(file, *results[LINUX_MODULES[file.stem.split("_")[0]]]) for file in files]
    return Area("linux_verdicts", LINUX_TITLE, "Linux 7.3.4", LINUX_METHOD, cases)


def passed(module: str, context: Context) -> tuple[bool | None, str]:
    """Whether a module of the queue crate's test `verdicts` passes; None where there is no Rust to run it."""
    if shutil.which("cargo") is None or context.quick:
        return None, "cargo"
    context.log(f"cargo test --test verdicts {module}::")
    command = [
        "cargo", "test", "--quiet", "--locked", "-p", "dropcurve-queue", "--test", "verdicts", f"{module}::",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [
        line for line in (done.stdout + done.stderr).splitlines() if "panicked" in line or "traces" in line
    ]
    return done.returncode == 0, " ".join(lines)[:300]


def case(file: Path, passes: bool | None, note: str) -> AgreementCase:
    """One trace: its contents."""
    name = file.stem.replace("_", ": ", 1).replace("_", " ") if file.parent.name == "linux" else ""
    name = name or f"{file.parent.name} {file.stem}"
    if passes is None:
        return AgreementCase(name, missing=note)
    text = file.read_text(encoding="utf-8").splitlines()
    counts = counted(file.stem, [line.split() for line in text if line and not line.startswith("#")])
    right = 1.0 if passes else 0.0
    figures = [
        Figure(key, number, number * right) for key, number in counts.items() if number or key == "arrivals"
    ]
    return AgreementCase(name, tuple(figures), note="" if passes else note)


def counted(stem: str, rows: list[list[str]]) -> dict[str, int]:
    """Columns of a record; the last one is the fate of a packet, except for means and rows without a packet."""
    if stem.startswith("mean_"):
        return {"arrivals": sum(int(row[0]) for row in rows)}
    if stem == "acks":
        bursts = [" ".join(row).split(" | ") for row in rows]
        offered = sum(len(acks.split()) * len(filters) for acks, *filters in bursts)
        left = sum(len(one.split(",")) for _, *filters in bursts for one in filters)
        return {"arrivals": offered, "drops": offered - left}
    asked = [row for row in rows if len(row) > 2 and row[1] == "a"] if stem.startswith("idle_") else []
    packets = [row for row in rows if row[1] not in ("a", "o", "-")] if stem.startswith("idle_") else rows
    fates = Counter(fate for row in packets for fate in "mx" if fate in row[-1])
    return {"arrivals": len(packets), "drops": fates["x"], "marks": fates["m"], "averages": 3 * len(asked)}
