"""Records which acknowledgements the filter of Linux's CAKE drops; writes crates/queue/tests/traces/linux/acks.txt.

``python -m reference.linux.acks plan FOLDER`` writes the acknowledgements, ``digest FOLDER`` the trace; in between
acks_drive.py sends them in the guest (record.sh acks). Each case is a burst of acknowledgements behind a packet that is
being sent, so that all of them wait together.
"""

import json
import random
import sys
from pathlib import Path

TRACE = Path("crates/queue/tests/traces/linux/acks.txt")
#: Bytes of a segment.
SEGMENT = 1000
CASES = 500

#: Segment expected next, SACK blocks, and whether it has the ECE flag.
Ack = tuple[int, list[tuple[int, int]], int]


def blocks_of(segments: set[int]) -> list[tuple[int, int]]:
    """The blocks that a set of segments makes."""
    blocks: list[tuple[int, int]] = []
    for one in sorted(segments):
        if blocks and blocks[-1][1] == one:
            blocks[-1] = (blocks[-1][0], one + 1)
        else:
            blocks.append((one, one + 1))
    return blocks


def receiver(rng: random.Random, count: int) -> list[Ack]:
    """Acknowledgements of a receiver of segments out of order; duplicates come back as D-SACK (RFC 2883)."""
    got: set[int] = set()
    expected, acks = 1, []
    for _ in range(count):
        missing = [one for one in range(expected, expected + 6) if one not in got]
        segment = rng.choice(missing if rng.random() < 0.8 else sorted(got) or missing)
        is_duplicate = segment in got
        got.add(segment)
        while expected in got:
            got.discard(expected)
            expected += 1
        blocks = sorted(blocks_of(got), key=lambda block: not block[0] <= segment < block[1])
        if is_duplicate and rng.random() < 0.5:
            blocks = [(segment, segment + 1), *blocks]
        acks.append((expected, blocks[:3], 0))
    return acks


def anything(rng: random.Random, count: int) -> list[Ack]:
    """Acknowledgements whose blocks come and go, some with ECE."""
    expected, acks = 1, []
    for _ in range(count):
        expected += rng.choice([0, 0, 1, 2])
        blocks = blocks_of({one for one in range(expected + 1, expected + 8) if rng.random() < 0.3})
        rng.shuffle(blocks)
        acks.append((expected, blocks[: rng.randint(0, 3)], int(rng.random() < 0.15)))
    return acks


def cases() -> list[list[Ack]]:
    """Bursts of two to eight acknowledgements."""
    rng = random.Random("acks")
    return [(receiver, anything)[i % 2](rng, rng.randint(2, 8)) for i in range(CASES)]


def plan(folder: Path) -> None:
    """Writes the bursts in bytes."""
    rows = [
        [[ack * SEGMENT, [[a * SEGMENT, b * SEGMENT] for a, b in blocks], ece] for ack, blocks, ece in case]
        for case in cases()
    ]
    (folder / "plan.json").write_text(json.dumps(rows))


def digest(folder: Path) -> None:
    """A line for each burst: its acknowledgements, and the numbers of those that came through either filter."""
    recorded = json.loads((folder / "acks.out").read_text())
    lines = [
        "# Recorded by reference/linux/acks.py from Linux's CAKE: acknowledgements that wait together, and which of",
        "# them either filter lets through. ACK[:FROM-TO...][e] in segments, e: with ECE.",
    ]
    for number, case in enumerate(cases()):
        acks = [str(ack) + "".join(f":{a}-{b}" for a, b in blocks) + "e" * ece for ack, blocks, ece in case]
        left = [
            ",".join(map(str, recorded[mode][number])) for mode in ("ack-filter", "ack-filter-aggressive")
        ]
        lines.append(" ".join(acks) + " | " + " | ".join(left))
    TRACE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    {"plan": plan, "digest": digest}[sys.argv[1]](Path(sys.argv[2]))
