"""Writes docs/live-prediction.md: what real kernels do behind our queues, beside what the simulator predicted
and what the kernel's own queues do.

    python docs/live_prediction.py run FOLDER [WORD ...]     runs what FOLDER lacks (cases whose name holds a word)
    python docs/live_prediction.py write FOLDER              writes the page from FOLDER

A case takes 20 s in real time, and in virtual time a minute or two of one processor.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from dropcurve import Scenario
from dropcurve.errors import DropcurveError
from dropcurve.live.lab import lab

HERE = Path(__file__).resolve().parent
PAGE = HERE / "live-prediction.md"
RECORDED = HERE.parent.parent / "shared" / "reference" / "linux" / "uml.csv"

CONTROLS = {
    "reno": 'cc = "reno"',
    "cubic": 'cc = "cubic"\ncubic_rule = "linux"\nhystart = "train"',
    "bbr": 'cc = "bbr"',
}
RED = """\
kind = "red"
dialect = "linux"
limit = "150000 B"
min_th = "15000 B"
max_th = "45000 B"
max_p = 0.1
burst = 20
mean_packet = "1500 B\""""
QUEUES = {
    "DropTail": 'kind = "droptail"\nlimit = "100 pkts"',
    "RED, drop": RED,
    "RED, ECN": f"{RED}\necn = true",
    "PIE": 'kind = "pie"\ndialect = "linux"\nlimit = "1000 pkts"',
    "CoDel": 'kind = "codel"\ndialect = "linux"\nlimit = "1000 pkts"',
    "FQ-CoDel": 'kind = "fq_codel"\ndialect = "linux"',
}
#: Rate in Mbit/s and propagation round trip in ms; the wider ones for CUBIC only.
SETTINGS = [(10, 40), (10, 100), (100, 20)]
#: What each recorded row of the kernel's own queues is here.
KERNEL = {
    "pfifo_cubic": 'kind = "droptail"\ndialect = "pfifo"\nlimit = "100 pkts"',
    "pfifo_reno": 'kind = "droptail"\ndialect = "pfifo"\nlimit = "100 pkts"',
    "red_cubic": QUEUES["RED, drop"],
    "red_bbr": QUEUES["RED, drop"],
    "pie_cubic": 'kind = "pie"\ndialect = "linux"\nlimit = "100 pkts"',
    "fqcodel_cubic": QUEUES["FQ-CoDel"],
}
DURATION_S, WARMUP_S, SIMULATIONS = 20, 5, 10


def scenario(rate: int, rtt_ms: float, queue: str, control: str) -> str:
    """Four flows over a dumbbell."""
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
profile = "linux"
{control}
{marking}
start = "uniform 0 s to 100 ms"
"""


def as_recorded(queue: str, control: str) -> str:
    """The network of the recorded rows: all delay on the way back, Ethernet counted, a quarter of 60 s is warm-up."""
    return f"""\
[run]
duration = "60 s"
warmup = "15 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "0 s"
access_rate = "0 bit/s"
access_delay = "0 s"
exit_delay = "0 s"

[dumbbell.back]
rate = "10 Gbit/s"
delay = "40 ms"

[queue]
{queue}

[flows.tcp]
count = 4
profile = "linux"
{control}
headers = "66 B"
ack_size = "66 B"
start = "uniform 0 s to 1 ms"
"""


def cases() -> dict[str, tuple[str, bool]]:
    """Every case by name: its scenario, and whether it runs in virtual time."""
    found = {}
    for rate, rtt in SETTINGS:
        for control, lines in CONTROLS.items():
            for queue, keys in QUEUES.items():
                if (rate, rtt) != SETTINGS[0] and control != "cubic":
                    continue
                text = scenario(rate, rtt, keys, lines)
                where = f"{rate} Mbit/s, {rtt} ms, {control}, {queue}"
                found[f"real: {where}"] = (text, False)
                if rate == 10:
                    found[f"virtual: {where}"] = (text, True)
    for name, keys in KERNEL.items():
        found[f"kernel: {name}"] = (as_recorded(keys, CONTROLS[name.split("_")[1]]), True)
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
            predict = 0 if name.startswith("kernel") else SIMULATIONS
            answer = lab(base, virtual=virtual, predict=predict)
        except DropcurveError as error:
            sys.stderr.write(f"{name}: {error}\n")
            continue
        record = {"name": name, "load": round(os.getloadavg()[0], 1), **answer.record()}
        kept.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        sys.stderr.write(f"{name}: done\n")


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(Path(sys.argv[2]), sys.argv[3:])
