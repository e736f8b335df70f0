"""Checks that every shipped scenario, discipline and transport produces the recorded bits on this machine.

    .venv/bin/python tools/bits.py            compares; exit code 1 with the runs that differ
    .venv/bin/python tools/bits.py --write    records them again, after a change that is meant to change results

The runs are those of `training.py`; `tools/bits.txt` has a hash of the whole result of each. The same file is compared
on every system, since the same scenario, seed and version have the same bits everywhere.
"""

from __future__ import annotations

import sys
from pathlib import Path

import learn
import wheel

RECORDED = Path(__file__).with_suffix(".txt")


def main(arguments: list[str]) -> int:
    """Compares or records; the status to exit with."""
    hashes = learn.output(sys.executable, learn.TRAINING, wheel.installed()).splitlines()
    if arguments == ["--write"]:
        RECORDED.write_text("\n".join(hashes) + "\n", encoding="utf-8")
        print(f"bits: recorded {len(hashes)} runs")
        return 0
    wrong = differences(RECORDED.read_text(encoding="utf-8").splitlines(), hashes)
    for line in wrong:
        print(f"bits: {line}", file=sys.stderr)
    if not wrong:
        print(f"bits: {len(hashes)} runs as recorded")
    return 1 if wrong else 0


def differences(recorded: list[str], lines: list[str]) -> list[str]:
    """A line for each run that is missing, new or different. A line is the name of a run and its hash."""
    before = dict(_named(line) for line in recorded)
    now = dict(_named(line) for line in lines)
    missing = [f"{name}: recorded, but not run" for name in before if name not in now]
    new = [
        f"{name}: run, but not recorded; tools/bits.py --write records it"
        for name in now
        if name not in before
    ]
    changed = [
        f"{name}: {now[name]} instead of {before[name]}"
        for name in now
        if before.get(name, now[name]) != now[name]
    ]
    return missing + new + changed


def _named(line: str) -> tuple[str, str]:
    name, _, digest = line.rpartition(": ")
    return name, digest


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
