"""ns-3 run again from the project's own programs, side by side with us: ``make agree LIVE=1``.

`ns3/single.cc` destroys listed segments of one flow: loss patterns and whole runs without a recording are drawn here,
from fixed seeds. `ns3/dumbbell.cc` runs long flows over a discipline. Both are compiled once, into `out/agree/ns3`.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dropcurve as dc

from . import live, means, ns3_flow, ns3_packets, ns3_singles, other_stacks
from .cases import AgreementCase, Area
from .context import ROOT, Context

TITLE = "ns-3, run just now"
METHOD = (
    "Loss patterns and single flows drawn for this comparison, as for the recorded ones, and long flows over "
    "disciplines, 20 s after 10 s of warm-up, {seeds} seeds there and ten here; all from the project's own programs."
)
SOURCES = ROOT / "validation" / "agree" / "ns3"
BUILT = ROOT / "out" / "agree" / "ns3"
HEADERS = (Path("/usr/include/ns3"), Path("/usr/local/include/ns3"))
MODULES = ("core", "network", "internet", "point-to-point", "applications", "traffic-control")
#: The stack of the recorded traces, and the arguments of `single`.
STACKS = {
    "newreno_sack_prr": ("--control=TcpNewReno",),
    "newreno_nosack_classic": ("--control=TcpNewReno", "--sack=false", "--recovery=TcpClassicRecovery"),
    "cubic_sack_prr": ("--control=TcpCubic",),
    "vegas_sack_prr": ("--control=TcpVegas",),
    "westwood_sack_prr": (
        "--control=TcpWestwood",
        "--ns3::TcpWestwood::ProtocolType=WestwoodPlus",
    ),
}
#: Patterns of each stack, single flows, disciplines, and seeds of each.
SIZES = {"sample": (3, 20, 2, 2), "all": (24, 200, 4, 6)}
#: The first draw of a single flow: those before are kept.
FIRST_DRAW = 1001
#: Discipline of `other_stacks`, its type there and its attributes.
DISCIPLINES = {
    "fifo": ("FifoQueueDisc", "MaxSize=200p"),
    "codel": ("CoDelQueueDisc", "MaxSize=200p,UseEcn=false"),
    "pie": ("PieQueueDisc", "MaxSize=200p,UseEcn=false"),
    "red": (
        "RedQueueDisc",
        "MaxSize=200p,MeanPktSize=1500,LinkBandwidth=10Mbps,MinTh=20,MaxTh=60,LInterm=10,QW=0.002,UseEcn=false",
    ),
}
COLUMNS = {
    "goodput_Mbps": 0.0,
    "drop_rate": 1e-4,
    "soj_mean_ms": 0.1,
    "soj_p95_ms": 0.1,
    "qlen_mean_pkts": 0.1,
}


def lacking() -> str:
    """Returns the missing tools to run ns-3, or ""."""
    if shutil.which("g++") is None:
        return "g++"
    if not any((place / "core-module.h").exists() for place in HEADERS):
        return "ns-3's headers (Debian: libns3-dev)"
    return ""


def compare(context: Context) -> Area:
    """Drawn patterns of loss and a few disciplines, if there is an ns-3."""
    each, singles, disciplines, seeds = SIZES[context.live or "sample"]
    method = METHOD.format(seeds=seeds)
    if lack := lacking():
        return Area("live_ns3", TITLE, "ns-3", method, [live.absent("ns-3", lack)])
    chosen = [(stack, drawn(seed)) for stack in STACKS for seed in range(1 if context.quick else each)]
    cases = context.each("ns-3 live, segments", chosen, lambda pair: pattern(pair[0], pair[1], context))
    draws = range(FIRST_DRAW, FIRST_DRAW + (3 if context.quick else singles))
    cases += context.each("ns-3 live, singles", draws, lambda draw: single(draw, context))
    queues = list(DISCIPLINES)[: 0 if context.quick else disciplines]
    cases += context.each("ns-3 live, disciplines", queues, lambda aqm: discipline(aqm, seeds, context))
    return Area("live_ns3", TITLE, "ns-3", method, cases)


def program(name: str) -> Path:
    """A program of ours, compiled if it was not yet."""
    source = SOURCES / f"{name}.cc"
    built = BUILT / f"{name}-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}"
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        libraries = [f"-lns3-{module}" for module in MODULES]
        subprocess.run(["g++", "-std=c++17", "-O1", "-o", str(built), str(source), *libraries], check=True)
    return built


def output(context: Context, name: str, *words: str) -> str:
    """Returns the output of a program."""
    built = program(name)

    def run() -> str:
        command = [str(built), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=live.PATIENCE_S)
        return done.stdout

    return str(context.cached(f"ns3 {built.name} {' '.join(words)}", run))


def drawn(seed: int) -> str:
    """A pattern of loss: single segments and runs of them, some of them lost twice."""
    rng = random.Random(seed)
    lost: dict[int, int] = {}
    for _ in range(rng.randint(1, 4)):
        first = rng.randint(10, 290)
        for segment in range(first, min(300, first + rng.choice((1, 1, 1, 2, 3, 6)))):
            lost[segment] = 2 if rng.random() < 0.1 else 1
    listed = ",".join(f"{segment}:{times}" for segment, times in sorted(lost.items()))
    return listed + (" every 2" if rng.random() < 0.5 else "")


def pattern(stack: str, lost: str, context: Context) -> AgreementCase:
    """One stack under a drawn pattern."""
    name = f"{stack}, {lost}"
    every = "2" if lost.endswith("every 2") else "1"

    def work() -> AgreementCase:
        words = (*STACKS[stack], f"--lose={lost.split()[0]}", f"--ack-every={every}")
        theirs = sent(output(context, "single", *words))
        return ns3_packets.case(name, theirs, lost, ns3_packets.STACKS[stack][1])

    return live.attempt(name, work)


def single(draw: int, context: Context) -> AgreementCase:
    """A drawn single flow."""
    keys = ns3_singles.drawn(draw)

    def work() -> AgreementCase:
        return ns3_singles.case(keys, sent(output(context, "single", *ns3_singles.words(keys))))

    return live.attempt(ns3_singles.name(keys), work)


def sent(text: str) -> list[ns3_flow.Sent]:
    """The transmissions that `single` prints."""
    return [(int(time), int(segment)) for time, segment in map(str.split, text.splitlines())]


def discipline(aqm: str, seeds: int, context: Context) -> AgreementCase:
    """Ten NewReno flows over a discipline."""
    kind, settings = DISCIPLINES[aqm]
    words = (f"--disc=ns3::{kind}", f"--set={settings}", "--from=10", "--until=30")
    name = f"{aqm}, TcpNewReno, 10 flows, 50 ms"
    keys = {"aqm": aqm, "tcp": "TcpNewReno", "n": "10", "rtt_ms": "50", "T": "30", "warm": "10"}

    def work() -> AgreementCase:
        with ThreadPoolExecutor(context.jobs) as pool:
            calls = [(*words, f"--seed={seed}") for seed in range(1, seeds + 1)]
            texts = list(pool.map(lambda one: output(context, "dumbbell", *one), calls))
        theirs = [{key: float(value) for key, value in map(_pair, text.split())} for text in texts]
        row = keys | means.row_of(theirs)
        scenario = dc.Scenario.parse(other_stacks.ns3(row))
        runs = context.runs(scenario, 10, other_stacks.ns3_numbers)
        figures = [means.figure(name, row, name, runs, floor=floor) for name, floor in COLUMNS.items()]
        return AgreementCase(name, tuple(figures))

    return live.attempt(name, work)


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value
