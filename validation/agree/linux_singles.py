"""Single connections of Linux with many losses, segment by segment: a kernel in virtual time, and ours.

    python -m validation.agree.linux_singles            compares with the kept recording, writes docs/transports/tcp.md
    python -m validation.agree.linux_singles record     first records the kernel's connections again: a minute

Draw n has the same path and the same losses with every control and on every machine. The receiver acknowledges each
segment at once and its window bounds nothing, so what is compared is the sender: recovery, timeouts and control. The
same build of the kernel produces the same bytes each time. `DROPCURVE_KERNEL` names it, else `DROPCURVE_ORACLE` its
folder.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import dropcurve as dc
from dropcurve.present.wrapping import wrap_markdown

from . import live, live_linux, ns3_flow
from .context import ROOT
from .linux_matrix import RIG, kernel

OUT = ROOT / "out" / "agree" / "linux-singles"
KEPT = ROOT / "validation" / "agree" / "data" / "linux_singles.txt.xz"
PAGE = ROOT / "docs" / "transports" / "tcp.md"
CONTROLS = (
    "reno", "cubic", "bic", "highspeed", "hybla", "htcp", "illinois", "scalable", "vegas", "veno", "westwood", "yeah",
)  # fmt: skip
#: Draws of each control.
DRAWS = 36
RATES_MBIT, BACK_MS = (2, 4, 8, 20), (5, 20, 40, 80)
#: Microseconds that a transmission may be apart: a tick of the kernel's clock, and a tenth for reading that clock,
#: which takes virtual time.
APART_US = 1100
#: The timers of Linux lie on a wheel, whose slots repeat in 512 ticks for all timeouts below four seconds. Its clock
#: begins 300 s before zero (INITIAL_JIFFIES), which is 32 ticks after such a turn.
TURN_NS, BOOT_NS = 512_000_000, 32_000_000
#: A packet without data on the link, in bytes.
HEADERS = 66
SCENARIO = """\
[run]
duration = "120 s"
warmup = "0 s"

[links.middle]
from = "s"
to = "d"
rate = "{rate_mbit} Mbit/s"
delay = "0 ms"
drop = {drop}

[links.middle.queue]
kind = "droptail"
limit = "1000000 pkts"

[links.middle.back]
rate = "1000 Gbit/s"
delay = "{back_ms} ms"

[flows.tcp]
from = "s"
to = "d"
start = "{start_ns} ns"
bytes = "{bytes} B"
profile = "linux-7.3"
cc = "{control}"
headers = "{headers} B"
ack_size = "{headers} B"
window = 8000
initial_ssthresh = 1000000
handshake = "three_way"
ack_rule = "rfc5681"
ack_every = 1
quick_acks = 1000000
receive_autotuning = false
send_buffer = "auto"
"""
#: Kinds of loss, by the number of the draw modulo three.
KINDS = ("bursts", "20 % lost", "30 % lost")


@dataclass(frozen=True)
class DrawnConnection:
    """One connection: segments, rate of the link, delay of the return path, and the places of lost data packets."""

    number: int
    segments: int
    rate_mbit: int
    back_ms: int
    places: tuple[int, ...]

    @classmethod
    def of(cls, number: int) -> DrawnConnection:
        """The draw of this number, from 0 on."""
        rng = random.Random(f"frto {number}")
        kind = number % len(KINDS)
        places = list[int]()
        place = 40
        while place < 3000:
            if kind == 0 and rng.random() < 0.04:
                length = rng.randint(3, 14)
                places += range(place, place + length)
                place += length + rng.randint(10, 60)
            elif rng.random() < (0.03, 0.2, 0.3)[kind]:
                places.append(place)
            place += 1
        return cls(number, (400, 200, 150)[kind], rng.choice(RATES_MBIT), rng.choice(BACK_MS), tuple(places))

    def scenario(self, control: str, start_ns: int) -> str:
        """The same here, where the SYN is the link's packet 0 and data follow it."""
        return SCENARIO.format(
            control=control,
            start_ns=start_ns,
            rate_mbit=self.rate_mbit,
            back_ms=self.back_ms,
            bytes=self.segments * 1448,
            drop=[place + 1 for place in self.places],
            headers=HEADERS,
        )


@dataclass(frozen=True)
class Recording:
    """A connection of the kernel: its SYN in ns since the boot, and each transmission of data in us since the SYN."""

    control: str
    number: int
    syn_ns: int
    sent: Sequence[ns3_flow.Sent]

    @property
    def draw(self) -> DrawnConnection:
        """The configuration of this number."""
        return DrawnConnection.of(self.number)

    @property
    def handshake_us(self) -> float:
        """Time on the link of the packet that ends the handshake; ours has none, so its data are earlier by it."""
        return HEADERS * 8 / self.draw.rate_mbit

    def ours(self) -> list[ns3_flow.Sent]:
        """Our transmissions, where the first is at the same point of the wheel of timers."""
        draw = self.draw
        handshake_ns = draw.back_ms * 1_000_000 + HEADERS * 8000 // draw.rate_mbit
        first_ns = self.syn_ns + BOOT_NS + int((self.sent[0][0] + self.handshake_us) * 1000)
        start_ns = (first_ns - handshake_ns) % TURN_NS
        trace = dc.trace(dc.Scenario.parse(draw.scenario(self.control, start_ns)))
        rows = [row for row in trace.rows("send") if not trace.back[row]]
        return [(int(trace.time_ns[row]) // 1000, int(trace.seq[row])) for row in rows[1:]]

    def apart(self) -> str:
        """The first transmission that is of another segment or at another time, or ""."""
        ours = self.ours()
        shift_us = ours[0][0] - self.sent[0][0] - self.handshake_us
        for place, (here, there) in enumerate(zip_longest(ours, self.sent)):
            if not here or not there or here[1] != there[1]:
                return f"transmission {place}: {there} in the kernel, {here} here"
            if abs(late_us := here[0] - there[0] - shift_us) > APART_US:
                return f"transmission {place}, segment {there[1]}: {late_us:.0f} us late"
        return ""

    def is_equal(self) -> bool:
        """Whether all transmissions are the same."""
        return not self.apart()

    def text(self) -> str:
        """In the form of `ns3_flow.runs_in`."""
        before, words = 0, list[str]()
        for at, segment in self.sent:
            words.append(f"{at - before}S{segment}")
            before = at
        lines = [" ".join(words[place : place + 20]) for place in range(0, len(words), 20)]
        head = f"case control={self.control} draw={self.number} syn_ns={self.syn_ns}"
        return "\n".join([head, *(f"p {line}" for line in lines)]) + "\n"


def kept() -> list[Recording]:
    """The recorded connections."""
    found = []
    for head, sent in ns3_flow.runs_of(lzma.decompress(KEPT.read_bytes()).decode()):
        keys = dict(re.findall(r"(\S+)=(\S+)", head))
        found.append(Recording(keys["control"], int(keys["draw"]), int(keys["syn_ns"]), sent))
    return found


def plan(control: str) -> list[dict[str, object]]:
    """The connections of one boot, as the guest reads them."""
    return [
        {
            "number": draw.number,
            "control": control,
            "segments": draw.segments,
            "rate_mbit": draw.rate_mbit,
            "back_ns": draw.back_ms * 1_000_000,
            "places": list(draw.places),
        }
        for draw in map(DrawnConnection.of, range(DRAWS))
    ]


def record(control: str) -> list[Recording]:
    """Boots the kernel for the connections of a control."""
    folder = OUT / control
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "plan.json").write_text(json.dumps(plan(control)), encoding="utf-8")
    command = [str(RIG / "run"), str(kernel()), str(folder), "singles"]
    subprocess.run(command, capture_output=True, check=True, timeout=live.PATIENCE_S)
    available = (folder / "controls").read_text(encoding="utf-8").split()
    live_linux.demand([one for one in CONTROLS if one not in available], kernel())
    if not (folder / f"{DRAWS - 1}.txt").exists():
        raise live_linux.KernelError(f"the guest ended early: see {folder / 'log.txt'}")
    return [read(control, number, folder / f"{number}.txt") for number in range(DRAWS)]


def read(control: str, number: int, path: Path) -> Recording:
    """A connection as the guest writes it."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines]
    return Recording(control, number, int(first), [(int(at) // 1000, int(segment)) for at, segment in words])


def store(recordings: Sequence[Recording]) -> None:
    """Writes the recording, the controls of one draw side by side, which differ least."""
    in_order = sorted(recordings, key=lambda one: one.number)
    text = "".join(one.text() for one in in_order)
    KEPT.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def lacking() -> str:
    """Returns the missing tools to record, or ""."""
    if not kernel().exists():
        return live_linux.NO_KERNEL
    return live_linux.absent_tools(("ip", "busybox", "python3"))


def compare(recordings: Sequence[Recording]) -> dict[str, list[int]]:
    """By control and kind of loss, the number of connections that agree."""
    equal = {control: [0] * len(KINDS) for control in CONTROLS}
    for one in recordings:
        equal[one.control][one.number % len(KINDS)] += one.is_equal()
    return equal


def table(equal: Mapping[str, Sequence[int]]) -> list[str]:
    """The rows of a Markdown table."""
    lines = [f"| `cc` | {' | '.join(KINDS)} | together |", "|---" * (len(KINDS) + 2) + "|"]
    lines += [
        f"| `{control}` | {' | '.join(map(str, counts))} | {sum(counts)} |"
        for control, counts in equal.items()
    ]
    sums = [sum(counts) for counts in zip(*equal.values(), strict=True)]
    each = len(equal) * DRAWS // len(KINDS)
    cells = " | ".join(f"{count} of {each}" for count in sums)
    return [*lines, f"| together | {cells} | {sum(sums)} of {len(equal) * DRAWS} |"]


def section(equal: Mapping[str, Sequence[int]]) -> str:
    """The part of the page: how many agree, and the table."""
    total = sum(map(sum, equal.values()))
    first = (
        f"Of {len(equal) * DRAWS} connections, {DRAWS} of each of {len(equal)} controls, {total} agree with the kernel "
        "in every transmission, the same segment at the same time to a tick of its clock (1 ms), to the end or for "
        "two minutes. A third have bursts of 3 to 14 losses among 3 % of single ones, a third lose 20 % of all "
        f"segments, a third 30 %. The table has the connections that agree, of {DRAWS // len(KINDS)} in each cell; "
        "`python -m validation.agree.linux_singles` compares with the recorded ones again and writes it."
    )
    return wrap_markdown("\n".join([first, "", *table(equal)]) + "\n")


def renewed(page: str, equal: Mapping[str, Sequence[int]]) -> str:
    """The page with this comparison."""
    before, mark, rest = page.partition("<!-- linux_singles -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    return before + mark + section(equal) + end + after


def main(*words: str) -> int:
    """Records if asked to, compares, prints the table and writes the page."""
    if words == ("record",):
        if lack := lacking():
            sys.stderr.write(f"linux-singles: needs {lack}\n")
            return 1
        try:
            store([one for control in CONTROLS for one in record(control)])
        except live_linux.KernelError as error:
            sys.stderr.write(f"linux-singles: {error}\n")
            return 1
    elif words:
        sys.stderr.write(f"linux-singles: takes the word record or none, not {' '.join(words)}\n")
        return 2
    equal = compare(kept())
    sys.stdout.write("\n".join(table(equal)) + "\n")
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), equal), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
