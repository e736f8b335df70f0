"""Writes docs/stress.md: the worst found for every discipline by the same bounds.

    python -m validation.pages.stress

Every answer is stored in ``out/stress``, so that the command resumes after an interruption; `nice -n 19` takes it some
minutes of processor.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dropcurve.errors import DropcurveError
from dropcurve.present.wrapping import wrap_markdown
from dropcurve.quantities import wording
from dropcurve.runs.job import build
from dropcurve.scenario import library
from dropcurve.tuning.stress import stress
from dropcurve.tuning.stress.bounds import Bounds, parse

ROOT = Path(__file__).resolve().parents[2]
PAGE, FOLDER = ROOT / "docs" / "stress.md", ROOT / "out" / "stress"
LINK = "4/4,rtt=40ms,buffer=250ms"
#: Cases of each search, and fresh runs of each interval.
RUNS, FRESH = 30, 6
#: Bounds of all searches: few axes, so that few cases cover them.
GIVEN = {
    "flows": "1-40", "rtt": "20-160 ms", "rtt_ratio": "1", "start": "1 s", "short": "0 %", "cbr": "0-30 %",
    "pulse_rate": "0-300 %", "pulse_width": "20-300 ms", "pulse_period": "200-3000 ms", "datagram": "1500 B",
}  # fmt: skip
HEAD = """\
# The worst found for every discipline

Every discipline with its defaults, on a link of 4 Mbit/s with a round trip of 40 ms and a buffer of
250 ms, under the worst traffic that [`dropcurve stress`](guide/stress.md) found within the same
bounds. Harm is in points lost against an ideal queue: use of what unresponsive datagrams leave of
the link, p95 delay and loss of a call, a quarter of the delay of transfers; 1 ms counts as 0.5
points and 1 % of loss as 5. Usual traffic is two transfers and a call. Harms are of {fresh} fresh runs each, with 95 %
intervals; the searches are short ({runs} cases, then walks and a grid), so that a longer one may
find worse. `python -m validation.pages.stress` writes this page.

| discipline | usual traffic | worst found | minimal scenario | its harm | fault |
|---|---|---|---|---|---|
"""
ELSEWHERE = """
## Played elsewhere

The low-rate attack (KK03-shrew): one transfer with a minimum RTO of 1 s through tail drop of 20 packets at
4 Mbit/s and 60 ms, against pulses of 300 % of the link for 150 ms, by the period of the pulses; ten
pairs of drawn starts each. Goodput falls to 1 % of the link at 1 s, the minimum RTO, with 8 % at 0.9 s
and 5 % at 1.1 s, and to nothing at half of it: each pulse meets the retransmission after a timeout. ns-2.35 ran the
same: the last column counts the runs
in which it sends and drops the same segments of the transfer in the same order. That takes ns-2's
DropTail (`droptail:ns2`: 19 packets wait where the limit is 20), its access links and its clock:
packets arrive in the instant in which others depart, and with whole nanoseconds the transfer takes
another course of the same kind (`python -m validation.pages.stress_ns2`).

"""
KERNEL_HEAD = """
The minimal scenario of `dropcurve stress codel --link 50/10`, pulses of 300 % of the link for 100 ms
every second, with the TCP of Linux 7.3 in virtual time (`dropcurve live lab worst.toml --virtual`):

"""
NS2, KERNEL = (Path(__file__).with_name(f"stress-{name}.json") for name in ("ns2", "kernel"))
#: Measures of the lab that the page shows.
SHOWN = ("goodput_bps", "utilisation", "sojourn_ms_mean", "sojourn_ms_p95", "loss")
FAULTS = {
    "design": "this design", "some": "shared by some", "any": "any queue", "undecided": "undecided", "none": "none",
}  # fmt: skip


def bounds() -> Bounds:
    """The bounds of all searches."""
    return parse(GIVEN, rtt_s=0.04, flows=2)


def answer(kind: str) -> dict[str, Any] | None:
    """The stored answer of a discipline, else a new one; None for a kind that stands alone in no dumbbell."""
    folder = FOLDER / build() / kind
    record = folder / "stress.json"
    if not record.is_file():
        try:
            stress(
                kind,
                link=LINK,
                within=bounds(),
                runs=RUNS,
                fresh=FRESH,
                out=folder,
                cache=FOLDER / "runs",
                jobs=1,
            )
        except DropcurveError:
            return None
    stored: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
    return stored


def page() -> str:
    """The whole page, the least harmed first."""
    kinds = [str(one["kind"]) for one in library.catalogue()["disciplines"]]
    answers = [result for kind in kinds if (result := answer(kind)) is not None]
    left_out = sorted(set(kinds) - {one["design"] for one in answers})
    answers.sort(key=lambda one: float(one["worst"]["loss"]["mean"]))
    text = HEAD.format(fresh=FRESH, runs=RUNS) + "".join(map(row, answers))
    text += f"\nBounds:\n\n```toml\n{chr(10).join(bounds().lines())}\n```\n"
    if left_out:
        names = wording.listed([f"`{one}`" for one in left_out])
        text += f"\nLeft out, because they need parameters of the user's own: {names}.\n"
    return wrap_markdown(text + elsewhere())


def elsewhere() -> str:
    """Section on cases that ns-2 and a real kernel played too, as recorded."""
    text = ELSEWHERE
    text += "\n".join(json.loads(NS2.read_text(encoding="utf-8"))) + "\n"
    kernel = json.loads(KERNEL.read_text(encoding="utf-8"))
    text += KERNEL_HEAD + "| measure | kernel | simulated |\n|---|---|---|\n"
    for one in kernel["rows"]:
        if one["metric"] in SHOWN:
            sides = [
                wording.amount(some["mean"], some["half_width"], one["unit"])
                for some in (one["live"], one["predicted"])
            ]
            text += f"| {one['title']} | {sides[0]} | {sides[1]} |\n"
    return text


def row(case: dict[str, Any]) -> str:
    """The row of a discipline."""
    harms = [
        wording.amount(some["mean"], some["half_width"], "")
        for some in (case["usual"]["harm"], case["worst"]["loss"], case["minimal"]["harm"])
    ]
    return (
        f"| [`{case['design']}`](disciplines/{case['design']}.md) | {harms[0]} | {harms[1]} "
        f"| {case['minimal']['text']} | {harms[2]} | {FAULTS[case['fault']]} |\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
