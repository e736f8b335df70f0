"""Runs a Linux kernel in virtual time and compares it with the simulator: ``make agree LIVE=1``.

The kernel and its test rig are in ``DROPCURVE_ORACLE``, by default ../shared/linux-oracle: `run OUT KEY=VALUE ...`
boots the kernel for one experiment, `summary OUT` prints its numbers.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import dropcurve as dc

from . import live, means, other_stacks
from .cases import AgreementCase, Area
from .context import ROOT, Context

TITLE = "Linux, run just now"
METHOD = (
    "Four flows through a shaper of 10 Mbit/s over a round trip of 40 ms, {seconds} s; goodput in Mb/s, backlog in "
    "bytes without the first quarter, drops of the whole run; {seeds} seeds there and ten here."
)
OUT = ROOT / "out" / "agree" / "linux"
TOOLS = ("iperf3", "ethtool", "ping", "tc", "busybox")
#: Discipline and congestion control of each case; the first three are the sample.
CASES = (
    ("pfifo", "reno"), ("red", "cubic"), ("fq_codel", "cubic"), ("pfifo", "cubic"), ("pie", "cubic"),
    ("codel", "cubic"), ("cake", "cubic"), ("red", "reno"), ("red", "bbr"), ("red", "dctcp"),
    ("pfifo", "vegas"), ("fq_codel", "vegas"), ("pfifo", "westwood"), ("codel", "westwood"),
)  # fmt: skip
COLUMNS = {"goodput_mbps": 0.0, "backlog_mean": 100.0, "drops": 1.0}
#: Seeds and seconds.
SIZES = {"sample": (2, 20), "all": (4, 60)}

NO_KERNEL = "a Linux kernel in virtual time (its folder in DROPCURVE_ORACLE)"
#: Options of the kernel's configuration that are not the name of their control.
OPTIONS = {"highspeed": "HSTCP"}


class KernelError(Exception):
    """The kernel cannot run an experiment; the message says why, in one line."""


def oracle() -> Path:
    """The folder of the kernel, whether or not it exists."""
    named = os.environ.get("DROPCURVE_ORACLE")
    return Path(named) if named else ROOT.parent / "shared" / "linux-oracle"


def lacking() -> str:
    """Returns the missing tools to run it, or ""."""
    return absent_tools(TOOLS) if (oracle() / "linux-um").exists() else NO_KERNEL


def absent_tools(tools: Iterable[str]) -> str:
    """Returns those of these programs that this machine lacks, or ""."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    absent = [tool for tool in tools if shutil.which(tool, path=path) is None]
    return f"{', '.join(absent)} for the Linux kernel in virtual time" if absent else ""


def demand(missing: Sequence[str], kernel: Path) -> None:
    """Raises a `KernelError` that names the remedy if a kernel lacks controls."""
    if missing:
        options = " ".join(f"CONFIG_TCP_CONG_{OPTIONS.get(one, one.upper())}=y" for one in missing)
        raise KernelError(
            f"the kernel {kernel} lacks {', '.join(missing)}: build it with {options}, or name another kernel, "
            "DROPCURVE_KERNEL=FILE"
        )


def compare(context: Context) -> Area:
    """A few disciplines, or all that the rig knows, if there is a kernel."""
    seeds, seconds = SIZES[context.live or "sample"]
    method = METHOD.format(seeds=seeds, seconds=seconds)
    if lack := lacking():
        return Area("live_linux", TITLE, "Linux", method, [live.absent("Linux", lack)])
    chosen = CASES if context.live == "all" else CASES[:3]
    cases = context.each(
        "Linux live", chosen[:1] if context.quick else chosen, lambda pair: case(pair, context)
    )
    return Area("live_linux", TITLE, "Linux", method, cases)


def case(pair: tuple[str, str], context: Context) -> AgreementCase:
    """Our runs compared with the kernel's."""
    queue, control = pair
    ecn = "1" if control == "dctcp" else "0"
    seeds, seconds = SIZES[context.live or "sample"]
    row = {
        "Q": queue,
        "CC": control,
        "ECN": ecn,
        "RATE": "10mbit",
        "DELAY": "40ms",
        "N": "4",
        "T": str(seconds),
    }

    def work() -> AgreementCase:
        theirs = [kernel({**row, "SEED": str(seed)}, context) for seed in range(1, seeds + 1)]
        full = row | means.row_of(theirs)
        scenario = dc.Scenario.parse(other_stacks.linux(full))
        runs = context.runs(scenario, 10, other_stacks.linux_numbers)
        figures = [means.figure(name, full, name, runs, floor=floor) for name, floor in COLUMNS.items()]
        return AgreementCase(name, tuple(figures))

    name = f"{queue}, {control}" + (", ECN" if ecn == "1" else "")
    return live.attempt(name, work)


def kernel(keys: dict[str, str], context: Context) -> dict[str, float]:
    """One run of the kernel: the same keys return the same bytes."""
    words = [f"{key}={value}" for key, value in keys.items()]
    key = f"linux {(oracle() / 'linux-um').stat().st_size} {' '.join(words)}"
    values: dict[str, float] = context.cached(key, lambda: once(words))
    return values


def once(words: list[str], columns: Iterable[str] = COLUMNS) -> dict[str, float]:
    """Boots it for one experiment; returns these columns of its summary."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    # The rig's own limit of real time assumes an idle machine.
    environment = {**os.environ, "LIMIT_S": str(live.PATIENCE_S)}
    run = [str(oracle() / "run"), str(OUT), *words]
    subprocess.run(run, capture_output=True, check=True, timeout=live.PATIENCE_S, env=environment)
    summary = [sys.executable, str(oracle() / "summary"), str(OUT)]
    text = subprocess.run(summary, capture_output=True, text=True, check=True).stdout
    values = {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", text)}
    return {column: values[column] for column in columns}
