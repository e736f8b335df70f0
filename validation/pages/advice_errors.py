"""Writes docs/guide/advice-errors.md: `python -m validation.pages.advice_errors` from the root of the tree.

The page compares the queue and the drop probability that `dropcurve advise` predicts with simulation, over a grid of
conditions.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from dropcurve.advise import advise, equilibrium
from dropcurve.advise.designs import Design
from dropcurve.advise.link_conditions import Point
from dropcurve.advise.tcp import CLOSEST
from dropcurve.metrics import statistics
from dropcurve.present.wrapping import wrap_markdown
from dropcurve.quantities import units
from dropcurve.runs.replicate import run
from dropcurve.scenario import Scenario

#: The disciplines whose equilibrium the models know.
DESIGNS = ("RED by the queue law", "RED by the stability condition", "Adaptive RED", "PI", "PIE")
RATES = ("10 Mbit/s", "50 Mbit/s")
RTTS = ("20 ms", "80 ms", "200 ms")
FLOWS = (5, 20, 80)
#: The TCP laws that are compared.
LAWS = (CLOSEST, "pftk", "pftk-approx", "mathis", "fluid")
SEED, REPLICATIONS = 101, 5

SCENARIO = """\
[run]
duration = "150 s"
warmup = "50 s"

[dumbbell]
rate = "{rate}"
delay = "{delay}"
access_delay = "0.5 ms"
exit_delay = "0.5 ms"
access_rate = "0 bit/s"

[queue]
kind = "droptail"

[flows.tcp]
count = {flows}
start = "uniform 0 s to 5 s"
"""


@dataclass(frozen=True)
class ErrorCell:
    """One condition and design: the model's value and the simulated value with its 95 % half-width."""

    design: str
    rate: str
    rtt: str
    flows: int
    oscillates: bool
    queue: tuple[float, float]
    loss: tuple[float, float]
    utilisation: float
    #: (queue, loss) by law of TCP.
    predicted: dict[str, tuple[float, float]]


def grid(*, jobs: int | None = None, log: Callable[[str], None] = lambda _: None) -> Iterator[ErrorCell]:
    """Runs the grid, cell by cell."""
    for rate in RATES:
        for rtt in RTTS:
            for flows in FLOWS:
                log(f"{rate}, {rtt}, {flows} flows")
                advice = advise(rate=rate, rtt=rtt, flows=flows)
                for name in DESIGNS:
                    yield cell(advice.design(name), rate, rtt, flows, jobs=jobs)


def cell(design: Design, rate: str, rtt: str, flows: int, *, jobs: int | None = None) -> ErrorCell:
    """Simulates a design at the condition it was made for."""
    delay = units.show_span(units.span(rtt) / 2.0 - 0.001)
    text = SCENARIO.format(rate=rate, delay=delay, flows=flows)
    scenario = Scenario.parse(text).queue(design.discipline, **design.params)
    result = run(scenario, seed=SEED, replications=REPLICATIONS, jobs=jobs).baseline
    queue, loss = (statistics.t_interval(result.values(key)) for key in ("queue_pkts_mean", "loss"))
    used = statistics.t_interval(result.values("utilisation"))
    expected = design.expected[0]
    return ErrorCell(
        design.name, rate, rtt, flows,
        expected.margins is not None and not expected.margins.stable,
        (queue.mean or 0.0, queue.half_width or 0.0),
        ((loss.mean or 0.0) / 100.0, (loss.half_width or 0.0) / 100.0),
        (used.mean or 0.0) / 100.0,
        {law: predict(design, expected.point, law) for law in LAWS},
    )  # fmt: skip


def predict(design: Design, point: Point, law: str) -> tuple[float, float]:
    """Queue and loss by one of the laws of TCP."""
    if design.discipline == "red":
        low, high, limit = (float(design.params[key].split()[0]) for key in ("min_th", "max_th", "limit"))
        curve = equilibrium.Curve(low, high, float(design.params["max_p"]), above="gentle", limit=limit)
        at = equilibrium.on_curve(curve, point, law=law)
    else:
        at = equilibrium.held(design.expected[0].at.queue, point, law=law)
    return at.queue, at.loss


def page(cells: Sequence[ErrorCell]) -> str:
    """The docs page."""
    return "\n".join([*_intro(), *_summary(cells), *_table(cells)]) + "\n"


def _intro() -> list[str]:
    return [
        "# How far off the advice is",
        "",
        "The equilibrium that `dropcurve advise` predicts, compared with packet-level simulation. Written by",
        "`python -m validation.pages.advice_errors`; do not edit.",
        "",
        f"Each design is the one that `advise` returns for exactly this condition: {len(RATES)} rates, {len(RTTS)} "
        f"round trips, {len(FLOWS)} numbers of flows.",
        "Simulated: long SACK flows with delayed acknowledgements (profile `rfc`), packets of 1500 bytes, "
        f"150 s of which the last 100 count, {REPLICATIONS} replications from seed {SEED}, 95 % intervals.",
        "The queue is its time average, drops are the share of arrivals that the queue drops. An error is "
        "(predicted − simulated)/simulated.",
        "",
        "Where the control loop oscillates, the queue is empty for a part of each cycle and its mean lies below the "
        "equilibrium; the link is not full then, and the drops differ from the equilibrium in either direction.",
        "Where flows have less than about four packets per round trip the law predicts somewhat too many drops, and "
        "for large windows somewhat too few.",
        "",
    ]


def _summary(cells: Sequence[ErrorCell]) -> Iterator[str]:
    yield "## By law of TCP"
    yield ""
    yield "The median size of the error over all conditions, by the law of TCP."
    yield (
        "`advise` uses `newreno`: the cycle of PFTK98 with the recovery of NewReno and limited transmit. "
        "`pftk` is"
    )
    yield (
        "the full model of PFTK98, in which every loss below four packets is a timeout; `fluid` and "
        "`mathis` have no timeouts."
    )
    yield ""
    yield "| design | " + " | ".join(f"{law}: queue | drops" for law in LAWS) + " |"
    yield "|---|" + "---|---|" * len(LAWS)
    for name in DESIGNS:
        own = [one for one in cells if one.design == name]
        if own:
            yield (
                f"| {name} | "
                + " | ".join(f"{_typical(own, law, 0)} | {_typical(own, law, 1)}" for law in LAWS)
                + " |"
            )
    yield ""
    for title, own in (
        ("stable by their margins", [c for c in cells if not c.oscillates]),
        ("with an oscillating loop", [c for c in cells if c.oscillates]),
    ):
        if own:
            yield (
                f"Conditions {title} ({len(own)}): median error of the queue {_typical(own, CLOSEST, 0)}, "
                f"of the drops {_typical(own, CLOSEST, 1)}, mean utilisation "
                f"{100 * sum(c.utilisation for c in own) / len(own):.1f} %."
            )
            yield ""


def _typical(cells: Sequence[ErrorCell], law: str, which: int) -> str:
    sizes = [abs(_error(one.predicted[law][which], (one.queue, one.loss)[which][0])) for one in cells]
    usable = [size for size in sizes if math.isfinite(size)]
    return f"{100 * median(usable):.0f} %" if usable else "–"


def _error(predicted: float, advised: float) -> float:
    return (predicted - advised) / advised if advised > 0.0 else math.nan


def _table(cells: Sequence[ErrorCell]) -> Iterator[str]:
    for name in DESIGNS:
        own = [one for one in cells if one.design == name]
        if not own:
            continue
        yield f"## {name}"
        yield ""
        yield "| rate | round trip | flows | queue, predicted | simulated (pkts) | error " + (
            "| drops, predicted | simulated (%) | error | in use | loop |"
        )
        yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"
        for one in own:
            queue, loss = one.predicted[CLOSEST]
            yield (
                f"| {one.rate} | {one.rtt} | {one.flows} "
                f"| {queue:.1f} | {one.queue[0]:.1f} ± {one.queue[1]:.1f} | {_percent(queue, one.queue[0])} "
                f"| {100 * loss:.3f} | {100 * one.loss[0]:.3f} ± {100 * one.loss[1]:.3f} "
                f"| {_percent(loss, one.loss[0])} "
                f"| {100 * one.utilisation:.1f} % | {'oscillates' if one.oscillates else 'stable'} |"
            )
        yield ""


def _percent(predicted: float, share: float) -> str:
    error = _error(predicted, share)
    return "–" if not math.isfinite(error) else f"{100 * error:+.0f} %".replace("-", "−")


def write(path: Path, *, jobs: int | None = None, log: Callable[[str], None] = lambda _: None) -> None:
    """Runs the grid and writes the page."""
    path.write_text(wrap_markdown(page(list(grid(jobs=jobs, log=log)))), encoding="utf-8")


def main() -> None:
    """Runs the grid on as many threads as asked for and writes the page."""
    parser = argparse.ArgumentParser(prog="python -m validation.pages.advice_errors", description=__doc__)
    parser.add_argument(
        "--page", type=Path, default=Path("docs/guide/advice-errors.md"), help="the page to write"
    )
    parser.add_argument("--jobs", type=int, default=None, help="threads (default: one per processor)")
    options = parser.parse_args()

    def log(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    write(options.page, jobs=options.jobs, log=log)


if __name__ == "__main__":
    main()
