"""Writes docs/live-prediction.md: results of real kernels behind our queues, compared with the simulator's prediction
and the kernel's own queues.

    live_prediction.py run FOLDER [JOBS] [WORD ...]  runs what FOLDER lacks (cases whose name holds all words)
    live_prediction.py write FOLDER                  simulates what FOLDER holds, and writes the page
    live_prediction.py predict                       simulates every kept case again, and writes the page
    live_prediction.py check                         measures how exactly this machine shapes, and writes the page

A case takes 22 s in real time. In virtual time it takes 15 s to two minutes of CPU time. JOBS cases run at once.
"""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dropcurve import Scenario
from dropcurve.errors import DropcurveError
from dropcurve.live import check as quality
from dropcurve.live import measure
from dropcurve.live.lab import compared, lab, simulate
from dropcurve.present.wrapping import wrap_markdown
from validation.agree.context import Context
from validation.agree.other_stacks import LINUX_CONTROLS, LINUX_QUEUES, linux_on_link

from . import live_prediction_words as words

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "live-prediction.md"
KEPT, QUALITY = (Path(__file__).with_name(f"live-{name}.json") for name in ("prediction", "quality"))
REFERENCE = ROOT.parent / "shared" / "reference"

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
SETTINGS = [(10, 20), (10, 40), (10, 100), (50, 20), (100, 20)]
#: RED at 50 Mbit/s and more: five times the bandwidth-delay product, five times the thresholds.
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
#: Where one run is not enough: its flows are in step or they are not, and the queue of the one is a quarter longer than
#: that of the other. That many runs are shown.
IN_STEP, RUNS = re.compile("reno, FQ-CoDel"), 5
#: Segments of the window that a kernel's receiver offers while something is missing in the first seconds: 106 to 131 in
#: a capture. It decides where holes stay open: behind RED with ECN, which drops what BBR sends again.
NARROW = 130
COMPARED = ("goodput_bps", "queue_pkts_mean", "sojourn_ms_mean", "loss", "marks")
#: Bytes of a full packet as the kernel counts it.
FRAME = 1514


def scenario(rate: int, rtt_ms: float, queue: str, control: str) -> str:
    """Four flows over a dumbbell."""
    if rate >= 50:
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
    by_name = {}
    for rate, rtt in SETTINGS:
        for control, lines in CONTROLS.items():
            for queue, keys in QUEUES.items():
                text = scenario(rate, rtt, keys, lines)
                where = f"{rate} Mbit/s, {rtt} ms, {control}, {queue}"
                by_name[f"real: {where}"] = (text, False)
                by_name[f"virtual: {where}"] = (text, True)
    rows = recorded()
    for name in filter(rows.get, KERNEL):
        by_name[f"kernel: {name}"] = (linux_on_link(rows[name]), True)
    return by_name


def run(folder: Path, jobs: int, wanted: list[str]) -> None:
    """Executes the runs that the folder lacks, several cases at once."""
    folder.mkdir(parents=True, exist_ok=True)

    def one(name: str, text: str, virtual: bool) -> None:
        kept = folder / f"{re.sub('[^A-Za-z0-9-]+', '_', name)}.json"
        if kept.exists():
            return
        try:
            runs = RUNS if IN_STEP.search(name) else 1
            answer = lab(Scenario.parse(text, name=name), virtual=virtual, predict=0, replications=runs)
        except DropcurveError as error:
            sys.stderr.write(f"{name}: {error}\n")
            return
        record = {"name": name, "load": round(os.getloadavg()[0], 1), **answer.record()}
        kept.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        sys.stderr.write(f"{name}: done\n")

    with ThreadPoolExecutor(jobs) as pool:
        for name, (text, virtual) in cases().items():
            if all(word in name for word in wanted):
                pool.submit(one, name, text, virtual)


def gather(record: dict[str, Any], folder: Path) -> list[str]:
    """Adds the contents of the folder, by case and metric the live mean and half-width; returns the cases."""
    names = []
    for path in sorted(folder.glob("*.json")):
        case_record = json.loads(path.read_text(encoding="utf-8"))
        rows = {row["metric"]: row for row in case_record["rows"]}
        record[case_record["name"]] = {
            "load": case_record["load"],
            "runs": case_record["runs"],
            "warnings": case_record["warnings"],
            "late_ms_p99": rows["late_ms_p99"]["live"]["mean"],
            **{name: _short(rows[name]) for name in COMPARED},
        }
        names.append(case_record["name"])
    keep_recorded(record)
    return names


def keep_recorded(record: dict[str, Any]) -> None:
    """Adds the results of the kernel's own queue to ours."""
    for name, row in recorded().items():
        if run := record.get(f"kernel: {name}"):
            run["recorded"] = {key: float(row[key]) for key in ("goodput_mbps", "backlog_mean")}


def predicted(text: str) -> str:
    """A case as it is simulated: with the window that the kernel's receiver offered, where that decides (`NARROW`)."""
    narrow = 'cc = "bbr"' in text and "ecn = true" in text
    return text.replace("[flows.tcp]\n", f"[flows.tcp]\nwindow = {NARROW}\n") if narrow else text


def renew(record: dict[str, Any], names: Iterable[str]) -> None:
    """Simulates these cases with this build, ten times each, and compares their live numbers with it."""
    known = cases()
    simulated: dict[str, dict[str, measure.Estimate]] = {}
    for name in names:
        if name.startswith("kernel"):
            continue
        text = predicted(known[name][0])
        if text not in simulated:
            simulated[text] = simulate(Scenario.parse(text, name=name), seed=1, runs=SIMULATIONS)
            sys.stderr.write(f"{name}: simulated\n")
        run = record[name]
        for metric in COMPARED:
            live = measure.Estimate(*run[metric]["live"])
            run[metric] = _short(asdict(compared(metric, metric, "", live, simulated[text].get(metric))))


def _short(row: dict[str, Any]) -> dict[str, Any]:
    def pair(interval: dict[str, Any] | None) -> list[float | None]:
        numbers = [None, None] if interval is None else [interval["mean"], interval["half_width"]]
        return [None if number is None else float(f"{number:.5g}") for number in numbers]

    return {"live": pair(row["live"]), "predicted": pair(row["predicted"]), "agrees": row["agrees"]}


def write(folder: Path | None) -> None:
    """Writes the page, and next to it its numbers. A folder's are simulated before."""
    record: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    if folder:
        renew(record, gather(record, folder))
    KEPT.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    parts = [words.INTRODUCTION.format(simulations=SIMULATIONS, narrow=NARROW, repeated=repeated(record))]
    for rate, rtt in SETTINGS:
        table = predictions(record, rate, rtt)
        if table:
            parts += [f"## {rate} Mbit/s, {rtt} ms", table]
    parts += [
        "## Exceptions",
        exceptions(record),
        "## What was traced",
        words.TRACED.format(narrow=NARROW),
        "## Our queue and the kernel's own",
        words.KERNELS,
        kernels(record),
    ]
    parts += ["## How exactly it shapes", shaping(json.loads(QUALITY.read_text(encoding="utf-8")))]
    PAGE.write_text(wrap_markdown("\n\n".join(parts) + "\n"), encoding="utf-8")


def repeated(record: dict[str, Any]) -> str:
    """The cases with several live runs, those in real time without saying so, as lines of text."""
    names = [name.removeprefix("real: ") for name, run in record.items() if run.get("runs", 1) > 1]
    return textwrap.fill("; ".join(sorted(names)) + ".", 118, break_on_hyphens=False)


def predictions(record: dict[str, Any], rate: int, rtt: int) -> str:
    """Simulated, virtual and real, row by row."""
    lines = [
        "| TCP | queue | goodput, Mbit/s: simulated | virtual | real | queue, pkts: simulated | virtual | real |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for control in CONTROLS:
        for queue in QUEUES:
            where = f"{rate} Mbit/s, {rtt} ms, {control}, {queue}"
            runs = [record.get(f"{kind}: {where}") for kind in ("virtual", "real")]
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


def exceptions(record: dict[str, Any]) -> str:
    """Each case that agrees neither within 5 % nor inside the intervals, under its cause."""
    by_cause: dict[str, list[str]] = {}
    compared = agreeing = 0
    for name, run in record.items():
        for metric, what, unit in (("goodput_bps", "goodput", 1e6), ("queue_pkts_mean", "queue", 1.0)):
            verdict = run[metric]["agrees"]
            compared += verdict is not None
            agreeing += verdict is True
            if verdict is False:
                cause = next(
                    (text for word, text in words.CAUSES if re.search(word, f"{name}: {what}")), "Not found."
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


def kernels(record: dict[str, Any]) -> str:
    """The same discipline, ours and the kernel's, under the same kernel's TCP."""
    lines = [
        "| row | goodput, Mbit/s: kernel | ours | backlog, kB: kernel | ours |",
        "|---|---|---|---|---|",
    ]
    for name in KERNEL:
        run = record.get(f"kernel: {name}")
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


def shaping(record: dict[str, Any]) -> str:
    """How exactly the machine shapes and delays, as `dropcurve live check` found it."""
    rates = ["| rate | received | lateness p50 / p99 / max |", "|---|---|---|"]
    for row in record["rates"]:
        late = " / ".join(f"{row['late_ms'][key]:.3f}" for key in ("p50", "p99", "max"))
        rates.append(f"| {row['rate']} | {row['error']:+.2f} % | {late} ms |".replace("-", "−"))
    delays = ["| delay | added p50 / p95 / p99 | jitter |", "|---|---|---|"]
    for row in record["delays"]:
        added = " / ".join(f"{row['added_ms'][key]:.3f}" for key in ("p50", "p95", "p99"))
        delays.append(f"| {row['delay']} | {added} ms | {row['added_ms']['jitter']:.3f} ms |")
    paragraphs = [
        words.QUALITY.format(machine=record["machine"]),
        "\n".join(rates),
        "\n".join(delays),
        words.QUALITY_TERMS,
    ]
    return "\n\n".join(paragraphs)


def show_progress(text: str) -> None:
    """Writes a line about the progress to standard error."""
    sys.stderr.write(f"{text}\n")


def main(arguments: list[str]) -> None:
    """One of the verbs above."""
    verb, *rest = arguments
    if verb == "run":
        folder, *wanted = rest
        jobs = int(wanted.pop(0)) if wanted and wanted[0].isdigit() else 1
        run(Path(folder), jobs, wanted)
    elif verb == "check":
        quality_of = quality.check(log=show_progress)
        sys.stdout.write(f"{quality_of}\n")
        QUALITY.write_text(json.dumps(quality_of.record(), indent=1) + "\n", encoding="utf-8")
        write(None)
    elif verb == "predict":
        kept = json.loads(KEPT.read_text(encoding="utf-8"))
        renew(kept, kept)
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        write(None)
    else:
        write(Path(rest[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
