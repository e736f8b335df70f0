"""Writes `docs/short-flows.md`: the duration of short transfers, simulated and by theory.

    python -m validation.pages.short_flows

The exact time follows from when each segment may leave, queues and arrives, without a simulator; the closed form is
that of CSA00 for a path without losses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dropcurve as dc
from dropcurve.present.wrapping import wrap_markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "short-flows.md"
#: Bits a second, seconds one way, bytes of payload, headers and acknowledgement; seconds an acknowledgement waits.
RATE, DELAY, MSS, HEADERS, ACK, WAIT = 10e6, 0.040, 1460, 40, 40, 0.2
SIZES = (1, 4, 10, 30, 100, 1000)
WINDOWS = (1, 2, 3, 4, 10)


@dataclass(frozen=True)
class Transfer:
    """A transfer of a number of segments from an initial window, each segment or each second one acknowledged."""

    segments: int
    window: int
    delayed: bool


def cases() -> Iterator[Transfer]:
    """All of the page."""
    for delayed in (False, True):
        for window in WINDOWS:
            yield from (Transfer(segments, window, delayed) for segments in SIZES)


def exact(case: Transfer) -> float:
    """Seconds from start to the last byte: each segment leaves when the window lets it, queues behind those before it,
    and is acknowledged at once, with the next, or when the receiver's timer ends. Each acknowledgement opens the
    window by one; nothing is lost and slow start does not end."""
    segment, reply = 8 * (MSS + HEADERS) / RATE, 8 * ACK / RATE
    opened = 2 * (reply + DELAY)  # SYN and SYN-ACK are of the size of an acknowledgement.
    free = opened
    arrivals: list[float] = []

    def send(now: float, upto: int) -> None:
        nonlocal free
        while len(arrivals) < min(upto, case.segments):
            free = max(free, now) + segment
            arrivals.append(free + DELAY)

    window, acked, replied = case.window, 0, 0.0
    send(opened, window)
    while len(arrivals) < case.segments:
        first = arrivals[acked]
        if not case.delayed:
            acked, left = acked + 1, first
        elif acked + 1 < len(arrivals) and arrivals[acked + 1] <= first + WAIT:
            acked, left = acked + 2, arrivals[acked + 1]
        else:
            acked, left = acked + 1, first + WAIT
        replied = max(replied, left) + reply
        window += 1
        send(replied + DELAY, acked + window)
    return arrivals[-1]


def closed_form(case: Transfer) -> float:
    """CSA00 without losses: the handshake, rounds of slow start until all is sent or the window fills the path, and the
    rest at the link's rate; of the last round only the way there. The wait for the acknowledgement of a lone first
    segment is added, as it is there."""
    growth = 1.5 if case.delayed else 2.0
    path = 2 * DELAY + 8 * (MSS + HEADERS + ACK) / RATE
    most = RATE * path / (8 * (MSS + HEADERS))
    last = case.segments * (growth - 1) / growth + case.window / growth
    if last > most:
        sent = (growth * most - case.window) / (growth - 1)
        rounds = math.log(most / case.window, growth) + 1
        rounds += (case.segments - sent) / most
    else:
        rounds = math.log(case.segments * (growth - 1) / case.window + 1, growth)
    wait = WAIT if case.delayed and case.window == 1 and case.segments > 1 else 0.0
    return path + wait + max(0.5, rounds - 0.5) * path


def simulated(case: Transfer) -> float:
    """The same in a simulation."""
    text = (
        '[run]\nduration = "20 s"\nwarmup = "0 s"\n'
        f'[dumbbell]\nrate = "{RATE} bit/s"\ndelay = "{DELAY} s"\n'
        'access_rate = "0 bit/s"\naccess_delay = "0 s"\nexit_rate = "0 bit/s"\nexit_delay = "0 s"\n'
        '[queue]\nkind = "droptail"\nlimit = "2000 pkts"\n'
        f'[flows.one]\nbytes = "{case.segments * MSS} B"\nmss = "{MSS} B"\nheaders = "{HEADERS} B"\n'
        f'ack_size = "{ACK} B"\ninitial_window = {case.window}\nack_every = {2 if case.delayed else 1}\n'
        f'ack_timeout = "{WAIT} s"\n'
    )
    run = dc.run(dc.Scenario.parse(text), replications=1).baseline.runs[0]
    flow = run["flows"][0]
    assert flow["finish_s"] is not None, "a run lasts until the flow has finished"
    return float(flow["finish_s"] - flow["start_s"])


HEAD = f"""\
# Short flows: completion times compared with theory

Written by `python -m validation.pages.short_flows`; a test compares it with the simulator. One flow is measured from
its SYN until its last byte has arrived in order. It is alone on a link of {RATE / 1e6:g} Mbit/s with
{2e3 * DELAY:g} ms round trip and a buffer that never overflows; segments of {MSS} bytes, Reno stays in slow start.
Times in milliseconds.

* **simulated** is the time of the simulator.
* **exact** follows from when each segment may leave, queues behind those before it, arrives and is acknowledged: the
  rounds of slow start, serialisation and queueing, computed segment by segment in thirty lines without a simulator.
  It equals the simulated time to the microsecond.
* **CSA00** is the closed form of Cardwell, Savage and Anderson without losses: a window that grows by a constant factor
  a round, 2 or, with delayed acknowledgements, 1.5, until it fills the path. It ignores that segments are whole and
  that a last round may be needed for a few of them. So it is too short by up to one round, and by up to one and a half
  with delayed acknowledgements, where odd windows grow by less.

A delayed acknowledgement waits for a second segment, but at most {1e3 * WAIT:g} ms. With an initial window of one
segment every flow has this delay once.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD.rstrip("\n")]
    for delayed in (False, True):
        each = "each second segment" if delayed else "each segment"
        parts.append(f"\n## An acknowledgement for {each}\n")
        parts.append(
            "| initial window | segments | simulated | exact | CSA00 | difference |\n|---|---|---|---|---|---|"
        )
        for case in (one for one in cases() if one.delayed == delayed):
            rows, closed = simulated(case), closed_form(case)
            parts.append(
                f"| {case.window} | {case.segments} | {1e3 * rows:.2f} | {1e3 * exact(case):.2f} "
                f"| {1e3 * closed:.0f} | {100 * (closed / rows - 1):+.0f} % |"
            )
    return wrap_markdown("\n".join(parts) + "\n")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
