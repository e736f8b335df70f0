"""Coverage of a combination of queue and sender by recorded runs of kernels and other simulators.

The table ``agreement.csv`` has one row for each recorded configuration: the reference, the configuration, and goodput
and mean queue there and here. ``python -m validation.agree.coverage`` makes it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from statistics import fmean
from typing import Any

from ..quantities import units, wording

#: Profiles of senders that follow a kernel or a simulator whose runs are recorded.
PROFILES = ("linux", "linux-7.3", "ns3")
MBIT = 1e6


@dataclass(frozen=True)
class RecordedRow:
    """A recorded configuration and the results of both sides.

    Attributes:
        reference: The program and its version.
        profile: Profile of the senders here, one of `PROFILES`.
        queue: Kind of the discipline, as in a scenario.
        sender: Congestion control.
        ecn: Whether packets were ECN-capable.
        rate_bps: Rate of the bottleneck.
        rtt_ms: Round-trip time without queueing.
        flows: Long flows.
        goodput_bps: There and here, in bit/s.
        backlog: Mean queue there and here, in the unit of the reference.
    """

    reference: str
    profile: str
    queue: str
    sender: str
    ecn: bool
    rate_bps: float
    rtt_ms: float
    flows: int
    goodput_bps: tuple[float, float]
    backlog: tuple[float, float]

    @property
    def goodput_error(self) -> float:
        """Relative error of the goodput."""
        return self.goodput_bps[1] / self.goodput_bps[0] - 1

    @property
    def backlog_error(self) -> float:
        """Relative error of the mean queue."""
        return self.backlog[1] / self.backlog[0] - 1 if self.backlog[0] else 0.0


@dataclass(frozen=True)
class Coverage:
    """The rows that cover a combination.

    Attributes:
        what: The combination in words.
        rows: Its rows.
        nearest: Whether the rate was ignored because no row is near it.
    """

    what: str
    rows: tuple[RecordedRow, ...]
    nearest: bool = False

    @property
    def mean_goodput_error(self) -> float:
        """Mean of the errors of the goodput, without their signs."""
        return fmean(abs(row.goodput_error) for row in self.rows)

    @property
    def mean_backlog_error(self) -> float:
        """Mean of the errors of the mean queue, without their signs."""
        return fmean(abs(row.backlog_error) for row in self.rows)

    def line(self) -> str:
        """The line on agreement below an answer: number of rows, their rates, their mean errors."""
        if not self.rows:
            return f"Agreement: no recorded run has {self.what}"
        count = wording.count(len(self.rows), "recorded row")
        far = ", none near this rate" if self.nearest else ""
        return (
            f"Agreement: {self.what} at {_rates(self.rows)}: {count}{far}, mean error "
            f"{100 * self.mean_goodput_error:.1f} % of the goodput, {100 * self.mean_backlog_error:.0f} % of the queue"
        )

    def table(self) -> list[str]:
        """The rows as lines of text, with the results of both sides."""
        if not self.rows:
            return []
        head = (
            "reference", "profile", "queue", "sender", "Mbit/s", "RTT ms", "flows", "goodput there", "here (Mbit/s)",
            "queue there", "here",
        )  # fmt: skip
        lines = [head, *(_cells(row) for row in self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
        return [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]


def _cells(row: RecordedRow) -> tuple[str, ...]:
    goodput = (f"{value / MBIT:.4g}" for value in row.goodput_bps)
    divisor, unit = (1.0, "ms") if row.profile == "ns3" else (1e3, "kB")
    backlog = (f"{float(f'{value / divisor:.4g}'):.10g} {unit}" for value in row.backlog)
    sender = row.sender + (" ECN" if row.ecn else "")
    rate, rtt = f"{row.rate_bps / MBIT:g}", f"{row.rtt_ms:g}"
    return (
        row.reference, row.profile, row.queue, sender, rate, rtt, str(row.flows), *goodput, *backlog
    )  # fmt: skip


@cache
def rows() -> tuple[RecordedRow, ...]:
    """All recorded rows."""
    text = resources.files(__package__).joinpath("agreement.csv").read_text(encoding="utf-8")
    return tuple(_row(line) for line in csv.DictReader(text.splitlines()))


def _row(line: Mapping[str, str]) -> RecordedRow:
    return RecordedRow(
        line["reference"], line["profile"], line["queue"], line["sender"], line["ecn"] == "1",
        float(line["rate_mbit"]) * MBIT, float(line["rtt_ms"]), int(line["flows"]),
        (float(line["goodput_there"]) * MBIT, float(line["goodput_here"]) * MBIT),
        (float(line["queue_there"]), float(line["queue_here"])),
    )  # fmt: skip


def covered(
    queue: str | None = None,
    sender: str | None = None,
    *,
    profile: str | None = None,
    rate_bps: float | None = None,
) -> Coverage:
    """The recorded rows of a combination; each part that is left out may be anything.

    Args:
        queue: Kind of the discipline.
        sender: Congestion control.
        profile: One of `PROFILES`.
        rate_bps: Rows within a factor of five of this rate; all of them where none is.

    Example:
        >>> covered("codel", "cubic", profile="linux").what
        'codel with linux cubic'
    """
    matching = [
        row
        for row in rows()
        if queue in (None, row.queue) and sender in (None, row.sender) and profile in (None, row.profile)
    ]
    who = f"{sender or 'any sender'}" if profile is None else f"{profile} {sender or 'senders'}"
    pairing = f"{queue or 'any queue'} with {who}"
    if rate_bps is None:
        return Coverage(pairing, tuple(matching))
    near = [row for row in matching if 1 / 5 <= row.rate_bps / rate_bps <= 5]
    return Coverage(pairing, tuple(near or matching), nearest=bool(matching) and not near)


def lines(scenarios: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines on agreement for these resolved scenarios, one for each combination of queue and sender.

    Only senders of a profile that follows a kernel or a simulator have one.
    """
    pairs = dict.fromkeys(pair for scenario in scenarios for pair in _combinations(scenario))
    return [
        covered(queue, sender, profile=profile, rate_bps=rate).line()
        for queue, sender, profile, rate in pairs
    ]


def _combinations(tables: Mapping[str, Any]) -> Iterator[tuple[str, str, str, float | None]]:
    queue = tables.get("queue", {}).get("kind")
    rate = _rate(tables.get("dumbbell", {}).get("rate"))
    flows = tables.get("flows", {})
    for group in flows.values() if isinstance(flows, Mapping) else flows:
        profile = str(group.get("profile"))
        if queue and profile in PROFILES and group.get("cc"):
            yield str(queue), str(group["cc"]), profile, rate


def _rate(value: object) -> float | None:
    if isinstance(value, int | float):
        return float(value)
    try:
        return units.rate(str(value), what="rate") if value is not None else None
    except ValueError:
        return None


def _rates(recorded: Sequence[RecordedRow]) -> str:
    least, most = min(row.rate_bps for row in recorded), max(row.rate_bps for row in recorded)
    if least == most:
        return f"{least / MBIT:g} Mbit/s"
    return f"{least / MBIT:g} to {most / MBIT:g} Mbit/s"
