"""A Linux kernel in virtual time, run anew side by side with us: ``make agree LIVE=1``.

The kernel and its rig lie in ``DROPCURVE_ORACLE``, or else in ../shared/linux-oracle: `run OUT KEY=VALUE ...` boots
it for one experiment, `summary OUT` prints figures of it.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import dropcurve as dc

from . import means, other_stacks
from .cases import Area, Case
from .context import ROOT, Context

TITLE = "Linux, run just now"
METHOD = (
    "Four flows through a shaper of 10 Mbit/s over a round trip of 40 ms, 20 s; goodput in Mb/s, backlog in bytes "
    "without the first quarter, drops of the whole run; two seeds there and ten here."
)
OUT = ROOT / "out" / "agree" / "linux"
TOOLS = ("iperf3", "ethtool", "ping", "tc", "busybox")
#: Discipline and congestion control of each case.
CASES = (("pfifo", "reno"), ("red", "cubic"), ("fq_codel", "cubic"))
COLUMNS = {"goodput_mbps": 0.0, "backlog_mean": 100.0, "drops": 1.0}
SEEDS = 2
SECONDS = 20


def oracle() -> Path:
    """Where the kernel would be."""
    named = os.environ.get("DROPCURVE_ORACLE")
    return Path(named) if named else ROOT.parent / "shared" / "linux-oracle"


def lacking() -> str:
    """What there is not to run it, or nothing."""
    if not (oracle() / "linux-um").exists():
        return "a Linux kernel in virtual time (DROPCURVE_ORACLE)"
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    absent = [tool for tool in TOOLS if shutil.which(tool, path=path) is None]
    return f"{', '.join(absent)} for the Linux kernel in virtual time" if absent else ""


def compare(context: Context) -> Area:
    """A few disciplines, if there is a kernel."""
    if lack := lacking():
        return Area("live_linux", TITLE, "Linux", METHOD, [Case("all", missing=f"{lack} on this machine")])
    chosen = CASES[:1] if context.quick else CASES
    cases = context.each("Linux live", chosen, lambda pair: beside(pair[0], pair[1], context))
    return Area("live_linux", TITLE, "Linux", METHOD, cases)


def once(queue: str, control: str, seed: int) -> dict[str, float]:
    """One run of the kernel."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    keys = [f"Q={queue}", f"CC={control}", "N=4", f"T={SECONDS}", f"SEED={seed}"]
    subprocess.run([str(oracle() / "run"), str(OUT), *keys], capture_output=True, check=True)
    summary = [sys.executable, str(oracle() / "summary"), str(OUT)]
    text = subprocess.run(summary, capture_output=True, text=True, check=True).stdout
    return {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", text)}


def beside(queue: str, control: str, context: Context) -> Case:
    """Our runs beside the kernel's."""
    theirs = [once(queue, control, seed) for seed in range(1, SEEDS + 1)]
    row = {
        "Q": queue,
        "CC": control,
        "ECN": "0",
        "RATE": "10mbit",
        "DELAY": "40ms",
        "N": "4",
        "T": str(SECONDS),
    }
    row["seeds"] = str(SEEDS)
    for column in COLUMNS:
        values = [one[column] for one in theirs]
        row |= {column: f"{statistics.fmean(values)}", f"{column}_sd": f"{statistics.stdev(values)}"}
    scenario = dc.Scenario.parse(other_stacks.linux(row))
    runs = context.runs(scenario, 10, other_stacks.linux_numbers, f"live_linux {queue} {control}")
    figures = [means.figure(name, row, name, runs, floor=floor) for name, floor in COLUMNS.items()]
    return Case(f"{queue}, {control}", tuple(figures))
