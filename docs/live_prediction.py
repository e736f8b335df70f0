"""Writes docs/live-prediction.md: what real kernels do behind our queues, beside what the simulator predicted
and what the kernel's own queues do.

    python docs/live_prediction.py run FOLDER [WORD ...]     runs what FOLDER lacks (cases whose name holds a word)
    python docs/live_prediction.py write FOLDER              simulates what FOLDER holds, and writes the page
    python docs/live_prediction.py predict                   simulates every kept case anew, and writes the page

A case takes 20 s in real time, and in virtual time a minute or two of one processor.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dropcurve import Scenario
from dropcurve.agree.context import Context
from dropcurve.agree.other_stacks import LINUX_CONTROLS, LINUX_QUEUES, linux
from dropcurve.errors import DropcurveError
from dropcurve.live import measure
from dropcurve.live.lab import compared, lab, simulate

HERE = Path(__file__).resolve().parent
PAGE, KEPT = HERE / "live-prediction.md", HERE / "live-prediction.json"
REFERENCE = HERE.parent.parent / "shared" / "reference"

CONTROLS = {name: LINUX_CONTROLS.get(name, f'cc = "{name}"') for name in ("reno", "cubic", "bbr")}
#: The same queues as those of the recorded rows, but buffers that let delay alone decide.
DEEP = {name: LINUX_QUEUES[name].replace('"100 pkts"', '"1000 pkts"') for name in ("pie", "codel")}
QUEUES = {
    "DropTail": LINUX_QUEUES["pfifo"],
    "RED, drop": LINUX_QUEUES["red"],
    "RED, ECN": f"{LINUX_QUEUES['red']}ecn = true",
    "PIE": DEEP["pie"],
    "CoDel": DEEP["codel"],
    "FQ-CoDel": LINUX_QUEUES["fq_codel"],
}
#: Rate in Mbit/s and propagation round trip in ms.
SETTINGS = [(10, 40), (10, 100), (100, 20)]
#: RED at 100 Mbit/s: five times the bandwidth-delay product, five times the thresholds.
SCALED = {
    '"15000 B"': '"75000 B"',
    '"45000 B"': '"225000 B"',
    '"150000 B"': '"750000 B"',
    "burst = 20": "burst = 100",
}
#: Rows of the kernel's own queues that are run again with ours.
KERNEL = (
    "pfifo_cubic", "pfifo_reno", "red_cubic", "red_bbr", "pie_cubic", "codel_cubic", "codel_reno", "fqcodel_cubic",
)  # fmt: skip
DURATION_S, WARMUP_S, SIMULATIONS = 20, 5, 10
#: Segments of the window that a kernel's receiver offers while something is missing in the first seconds: 106 to 131 in
#: a capture. It decides where holes stay open: behind RED with ECN, which drops what BBR sends again.
NARROW = 130
COMPARED = ("goodput_bps", "queue_pkts_mean", "sojourn_ms_mean", "loss", "marks")
#: Bytes of a full packet as the kernel counts it.
FRAME = 1514
INTRODUCTION = """\
# What was predicted, and what real kernels did

Four flows of real TCP go through our queues in the lab (`dropcurve live lab`, [live.md](live.md)): in virtual
time, inside the kernel of the reference rows (Linux 7.3.4), and in real time on a two-core machine
(Linux 6.18). Beside them stands what the simulator predicts for the same scenario, {simulations} runs, with
95 % intervals; those of a live run come from ten equal parts of it. Runs last 20 s, of which 5 s are warm-up.
RED, PIE, CoDel and FQ-CoDel have their `linux` dialects; flows have `profile = "linux-7.3"`, with it
`bbr_rule = "linux"`, and CUBIC `cubic_rule = "linux"` and `hystart = "linux"`, with the
round trip of the handshake known. The data begin two round trips after the handshake (`open_wait`), as those of
iperf3 do, which opens all its connections first. Behind RED with ECN, BBR's predictions have the window that the
kernel's receivers offered there in the first seconds (`window = {narrow}`, [why](#what-was-traced)).
At 100 Mbit/s RED's thresholds are five times those at 10. In real time the runs at 100 Mbit/s and those of Reno and
CUBIC over CoDel and FQ-CoDel had the machine to themselves; the others ran beside other work, a load of 1 to 20: the
numbers beside this page tell it run by run. All
predictions are of one build; live numbers depend on the queue's code alone, not on the simulator's TCP. A
number in bold lies more than 5 % from the prediction and outside the intervals. Every record was replayed through the
simulator's queue with identical verdicts. Written by `docs/live_prediction.py` from
[live-prediction.json](live-prediction.json)."""
KERNEL_TEXT = """\
The recorded rows of the kernel's own disciplines (four flows, 10 Mbit/s, all delay on the way back, Ethernet
counted, 60 s), and ours of the same name under the same kernel's TCP in virtual time. The recorded queue has a
token bucket before it that takes packets out about one packet time before a strict link would; ours is measured
at the link itself. The queues of FQ-CoDel hold one or two packets each and so feel that: with a target one packet
time longer (6.211 ms) ours gives 10.20 kB (−1.5 %) and 9.548 Mbit/s (+0.1 %). CoDel's row is one run of the kernel."""
QUALITY_TEXT = """\
`dropcurve live check` measures it. Here as root (`SCHED_FIFO`), the two cores under a load of 11 to 24 by other work:
four CUBIC flows, counted at the receiving host's device by the wall clock, and small datagrams over an idle link.

| rate | received | lateness p50 / p99 / max |
|---|---|---|
| 10 Mbit/s | +0.01 % | 0.027 / 0.060 / 0.30 ms |
| 100 Mbit/s | −0.08 % | 0.021 / 0.071 / 0.70 ms |
| 500 Mbit/s | −0.13 % | 0.022 / 0.130 / 3.6 ms |
| 1 Gbit/s | 0.00 % | 0.043 / 0.210 / 0.55 ms |

| delay | added p50 / p95 / p99 | jitter |
|---|---|---|
| 0 ms | 0.068 / 0.082 / 0.091 ms | 0.025 ms |
| 5 ms | 0.099 / 0.129 / 0.140 ms | 0.063 ms |
| 50 ms | 0.034 / 0.086 / 0.124 ms | 0.058 ms |

Lateness is from when a packet was due to when it was handed over; added delay is from the sender's call to the kernel's
time of arrival, less the wire's; jitter is its p95 less its p5. The delays were measured at a load of 19; in
four such runs the median at 5 ms lay between 0.071 and 0.103 ms."""
TRACED_TEXT = """\
Five differences were followed packet by packet in virtual time.

*BBR behind DropTail.* With equal windows (120 segments in all) 76 packets waited here and 85 there: here flights stayed
two segments below their windows. Linux makes up for a departure that came late by shortening the next gap, by up
to half (`pace_credit = 0.5`, now part of `profile = "linux"`). The queue follows the kernel's since, second by second.

*BBR behind RED with ECN.* Retransmissions are not ECN-capable (RFC 3168), and BBR heeds no marks: while it keeps the
average above max_th, RED drops them, in the kernel 37 to 121 a second (0 to 35 get through). A receiver with a
hole does not widen its window: 106 to 131 segments were offered in the first two seconds. So a flow with a hole
stalls, times out, and sends the same segment again at ever longer intervals (one of the four was silent from 12 s to
the end); meanwhile the others measure more bandwidth, fill the buffer, and lose in turn. With windows without end the
simulated flows never stall, and what came in order late was counted as goodput beyond the link's rate (10.5 Mbit/s);
with `window = {narrow}` they do as the kernel's.

*BBR behind RED.* A seventh of what four flows sent was lost there, here a sixth, and the queue was two packets
longer; at 100 Mbit/s a packet in ten less waited here. In the kernel a flow's bandwidth stayed the same to the bit
for 48 rounds, while no phase of its cycle changed the pace: it took the losses for those of a policer.
`bbr_policer = true` does so, too.

*CUBIC and Reno at 100 Mbit/s.* A third more than in the kernel waited behind FQ-CoDel. Duplicates that a receiver
holds back let the acknowledgement of a repair echo the time of one of them, which is older than the repair: the cut
passed for one for nothing and was undone. At 10 Mbit/s duplicates come too far apart to be held back.

*Pairs at any rate.* A window that grows makes room for a third segment. Here it waited for a fourth, and the two met a
full queue together; in the kernel it waits only where the next acknowledgement is expected within a millisecond, and
bursts of three are seven times as many as those of four. CUBIC behind CoDel and FQ-CoDel at 100 ms hung on it."""
CAUSES: list[tuple[str, str]] = [
    (
        "bbr, RED, ECN",
        "Which flow stalls, and for how long, is chance (see below): from one run of 20 s to the next the kernel's own "
        "numbers differ as much (virtual: 9.41 and 9.77 Mbit/s with the same scenario).",
    ),
    (
        "virtual: .*bbr, (FQ-)?CoDel",
        "One run of 20 s, whose mean depends on when each of its four flows measures its round trip anew: the parts of "
        "the run differ by a factor of two.",
    ),
    (
        "real: ",
        "The kernel is another one (6.18 against 7.3.4), whose flows keep less in queues of their own; what it does "
        "otherwise was not traced. In virtual time the same scenarios agree.",
    ),
]


def scenario(rate: int, rtt_ms: float, queue: str, control: str) -> str:
    """Four flows over a dumbbell."""
    if rate == 100:
        for small, large in SCALED.items():
            queue = queue.replace(small, large)
    marking = "ecn = true" if "ecn = true" in queue else ""
    return f"""\
[run]
duration = "{DURATION_S} s"
warmup = "{WARMUP_S} s"

[dumbbell]
rate = "{rate} Mbit/s"
delay = "{rtt_ms / 2 - 2:g} ms"

[queue]
{queue}

[flows.tcp]
count = 4
profile = "linux-7.3"
{control}
{marking}
start = "uniform 0 s to 100 ms"
open_wait = "{2 * rtt_ms:g} ms"
"""


def recorded() -> dict[str, dict[str, str]]:
    """The recorded rows of the kernel's own queues, by name: the project's own, and the reference's where it is."""
    context = Context(reference=REFERENCE)
    rows = [row for name in ("uml.csv", "codel.csv") for row in context.csv("linux", name)]
    return {row["name"]: row for row in rows}


def cases() -> dict[str, tuple[str, bool]]:
    """Every case by name: its scenario, and whether it runs in virtual time."""
    found = {}
    for rate, rtt in SETTINGS:
        for control, lines in CONTROLS.items():
            for queue, keys in QUEUES.items():
                text = scenario(rate, rtt, keys, lines)
                where = f"{rate} Mbit/s, {rtt} ms, {control}, {queue}"
                found[f"real: {where}"] = (text, False)
                found[f"virtual: {where}"] = (text, True)
    rows = recorded()
    for name in filter(rows.get, KERNEL):
        found[f"kernel: {name}"] = (linux(rows[name]), True)
    return found


def run(folder: Path, words: list[str]) -> None:
    """Runs what the folder lacks."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (text, virtual) in cases().items():
        kept = (
            folder / f"{name.replace(': ', '-').replace(', ', '-').replace(' ', '_').replace('/', '')}.json"
        )
        if kept.exists() or (words and not all(word in name for word in words)):
            continue
        try:
            base = Scenario.parse(text, name=name)
            answer = lab(base, virtual=virtual, predict=0)
        except DropcurveError as error:
            sys.stderr.write(f"{name}: {error}\n")
            continue
        record = {"name": name, "load": round(os.getloadavg()[0], 1), **answer.record()}
        kept.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        sys.stderr.write(f"{name}: done\n")


def gather(found: dict[str, Any], folder: Path) -> list[str]:
    """Adds what the folder holds, by case and metric live mean and half-width; which cases."""
    names = []
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        rows = {row["metric"]: row for row in record["rows"]}
        found[record["name"]] = {
            "load": record["load"],
            "warnings": record["warnings"],
            "late_ms_p99": rows["late_ms_p99"]["live"]["mean"],
            **{name: _short(rows[name]) for name in COMPARED},
        }
        names.append(record["name"])
    keep_recorded(found)
    return names


def keep_recorded(found: dict[str, Any]) -> None:
    """Puts what the kernel's own queue did beside what ours did."""
    for name, row in recorded().items():
        if run := found.get(f"kernel: {name}"):
            run["recorded"] = {key: float(row[key]) for key in ("goodput_mbps", "backlog_mean")}


def predicted(text: str) -> str:
    """A case as it is simulated: with the window that the kernel's receiver offered, where that decides (`NARROW`)."""
    narrow = 'cc = "bbr"' in text and "ecn = true" in text
    return text.replace("[flows.tcp]\n", f"[flows.tcp]\nwindow = {NARROW}\n") if narrow else text


def renew(found: dict[str, Any], names: Iterable[str]) -> None:
    """Simulates these cases with this build, ten times each, and holds their live numbers against it."""
    known = cases()
    simulated: dict[str, dict[str, measure.Estimate]] = {}
    for name in names:
        if name.startswith("kernel"):
            continue
        text = predicted(known[name][0])
        if text not in simulated:
            simulated[text] = simulate(Scenario.parse(text, name=name), seed=1, runs=SIMULATIONS)
            sys.stderr.write(f"{name}: simulated\n")
        run = found[name]
        for metric in COMPARED:
            live = measure.Estimate(*run[metric]["live"])
            run[metric] = _short(asdict(compared(metric, metric, "", live, simulated[text].get(metric))))


def _short(row: dict[str, Any]) -> dict[str, Any]:
    def pair(one: dict[str, Any] | None) -> list[float | None]:
        numbers = [None, None] if one is None else [one["mean"], one["half_width"]]
        return [None if number is None else float(f"{number:.5g}") for number in numbers]

    return {"live": pair(row["live"]), "predicted": pair(row["predicted"]), "agrees": row["agrees"]}


def write(folder: Path | None) -> None:
    """Writes the page, and beside it the numbers it is made of. A folder's are simulated before."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    if folder:
        renew(found, gather(found, folder))
    KEPT.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    parts = [INTRODUCTION.format(simulations=SIMULATIONS, narrow=NARROW)]
    for rate, rtt in SETTINGS:
        table = predictions(found, rate, rtt)
        if table:
            parts += [f"## {rate} Mbit/s, {rtt} ms", table]
    parts += [
        "## Exceptions",
        exceptions(found),
        "## What was traced",
        TRACED_TEXT.format(narrow=NARROW),
        "## Our queue and the kernel's own",
        KERNEL_TEXT,
        kernels(found),
    ]
    parts += ["## How exactly it shapes", QUALITY_TEXT]
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def predictions(found: dict[str, Any], rate: int, rtt: int) -> str:
    """Simulated, virtual and real, row by row."""
    lines = [
        "| TCP | queue | goodput, Mbit/s: simulated | virtual | real | queue, pkts: simulated | virtual | real |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for control in CONTROLS:
        for queue in QUEUES:
            where = f"{rate} Mbit/s, {rtt} ms, {control}, {queue}"
            runs = [found.get(f"{kind}: {where}") for kind in ("virtual", "real")]
            first = next((run for run in runs if run), None)
            if first is None:
                continue
            cells = []
            for metric, unit in (("goodput_bps", 1e6), ("queue_pkts_mean", 1.0)):
                cells.append(_cell(first[metric]["predicted"], unit))
                cells += [_live(run, metric, unit) for run in runs]
            lines.append(f"| {control} | {queue} | {' | '.join(cells)} |")
    return "\n".join(lines) if len(lines) > 2 else ""


def _cell(pair: list[float | None], unit: float) -> str:
    mean, half = pair
    if mean is None:
        return "–"
    return f"{mean / unit:.4g}" + (f" ± {half / unit:.2g}" if half else "")


def _live(run: dict[str, Any] | None, metric: str, unit: float) -> str:
    if run is None:
        return ""
    one = run[metric]
    text = _cell(one["live"], unit)
    mean, predicted = one["live"][0], one["predicted"][0]
    if not predicted or mean is None:
        return text
    share = f"{100 * (mean / predicted - 1):+.1f} %".replace("-", "−")
    return f"{text} ({share})" if one["agrees"] else f"**{text} ({share})**"


def exceptions(found: dict[str, Any]) -> str:
    """Each case that agrees neither within 5 % nor inside the intervals, under its cause."""
    by_cause: dict[str, list[str]] = {}
    compared = agreeing = 0
    for name, run in found.items():
        for metric, what, unit in (("goodput_bps", "goodput", 1e6), ("queue_pkts_mean", "queue", 1.0)):
            verdict = run[metric]["agrees"]
            compared += verdict is not None
            agreeing += verdict is True
            if verdict is False:
                cause = next(
                    (text for word, text in CAUSES if re.search(word, f"{name}: {what}")), "Not found."
                )
                by_cause.setdefault(cause, []).append(
                    f"{name}, {what}: {_live(run, metric, unit).strip('*')}"
                )
    lines = [
        f"{agreeing} of {compared} comparisons agree within 5 % or inside the intervals. The others, by cause:"
    ]
    for cause, cases in by_cause.items():
        lines += ["", cause, "", *(f"* {case}" for case in cases)]
    return "\n".join(lines)


def kernels(found: dict[str, Any]) -> str:
    """The same discipline, ours and the kernel's, under the same kernel's TCP."""
    lines = [
        "| row | goodput, Mbit/s: kernel | ours | backlog, kB: kernel | ours |",
        "|---|---|---|---|---|",
    ]
    for name in KERNEL:
        run = found.get(f"kernel: {name}")
        if run is None:
            continue
        goodput, backlog = (
            run["goodput_bps"]["live"][0] / 1e6,
            run["queue_pkts_mean"]["live"][0] * FRAME / 1e3,
        )
        cells = []
        for there, here in (
            (run["recorded"]["goodput_mbps"], goodput),
            (run["recorded"]["backlog_mean"] / 1e3, backlog),
        ):
            share = 100 * (here / there - 1)
            text = f"{here:.4g} ({share:+.1f} %)".replace("-", "−")
            cells += [f"{there:.4g}", text if abs(share) <= 5 else f"**{text}**"]
        lines.append(f"| {name.replace('_', ', ')} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(Path(sys.argv[2]), sys.argv[3:])
    elif sys.argv[1] == "predict":
        kept = json.loads(KEPT.read_text(encoding="utf-8"))
        renew(kept, kept)
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        write(None)
    else:
        write(Path(sys.argv[2]))
