"""Tries the readers of box texts on configurations that others wrote: `make boxes-check CORPUS=FOLDER`.

Every file of the folder is read as `dropcurve import` reads it. Printed for each: the box and the number of queues, or
why it was refused. Then each line with a word of queueing is left out in turn: if the imported queue stays the same,
notes included, the line was ignored, and is printed.

Exits with 1 if a file ends in anything but an answer or a refusal.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dropcurve import boxes
from dropcurve.boxes import text as texts
from dropcurve.errors import DropcurveError

#: Words of queueing in any of the languages.
QUEUEING = re.compile(
    r"^(?!\s*#|.*\b(?:classifiers|rewrite-rules)\b)"
    r"\s*(?:set .*)?(?:random-detect|fair-queue|queue-limit|priority\b|police\b|shape\b|bandwidth\s+(?:percent|rem)"
    r"|.*\b(?:drop-profile|drop-probability|fill-level|buffer-size|transmit-rate|shaping-rate|strict-high)\b"
    r"|.*\btc\b.*\b(?:qdisc|class)\s+(?:add|replace)\b|option (?:upload|download|qdisc|script|[ie](?:limit|target))\b"
    r"|.*\b(?:pipe|queue|sched)\s+\S+\s+config\b|.*_(?:threshold|drop_probability)\b|.*\bqueue-type\b|.*max-limit=)"
)
#: The rate, and the buffer in bytes, where a text needs one that it does not state.
RATE_BPS, BUFFER_BYTES = 100e6, 500_000
#: Lines of one file that are left out, at most.
MOST_LINES = 150


@dataclass
class Reading:
    """Outcome of one file."""

    name: str
    box: str = ""
    queues: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    refused: str = ""
    crashed: str = ""
    over: list[str] = field(default_factory=list)


def reading(path: Path) -> Reading:
    """Reads one file, and again without each of its lines about queueing."""
    result = Reading(path.name)
    text = path.read_text(encoding="utf-8", errors="replace")
    outcome, answer = _outcome(text)
    if isinstance(answer, str):
        setattr(result, outcome, answer)
        return result
    result.box, result.queues = answer[0].box, len(answer)
    result.lost = Counter(note.key or "note" for one in answer for note in one.notes if note.kind == "lost")
    lines = text.splitlines(keepends=True)
    about = [i for i, line in enumerate(lines) if QUEUEING.match(line)]
    for i in about[:MOST_LINES]:
        without, rest = _outcome("".join([*lines[:i], *lines[i + 1 :]]), box=result.box)
        if not isinstance(rest, str) and without == outcome:
            result.over.append(f"{i + 1}: {lines[i].strip()}")
        elif without == "crashed":
            result.crashed = f"without line {i + 1}: {rest}"
    return result


def _outcome(text: str, *, box: str | None = None) -> tuple[str, list[boxes.Import] | str]:
    """Returns the parsed file as one text and as data; or "refused" or "crashed" and why."""
    try:
        queues = boxes.read_all(text, box=box, rate_bps=RATE_BPS, buffer_bytes=None)
        return json.dumps([texts.import_data(one) for one in queues], default=str), queues
    except DropcurveError as error:
        if "--buffer" in str(error):
            try:
                queues = boxes.read_all(text, box=box, rate_bps=RATE_BPS, buffer_bytes=BUFFER_BYTES)
                return json.dumps([texts.import_data(one) for one in queues], default=str), queues
            except DropcurveError as again:
                return "refused", str(again)
        return "refused", str(error)
    except Exception:  # noqa: BLE001 (whatever it is, it is what is looked for)
        return "crashed", traceback.format_exc()


def shown(outcome: Reading) -> Iterator[str]:
    """A line for a file, and further ones for its faults."""
    if outcome.crashed:
        yield f"CRASHED  {outcome.name}\n{outcome.crashed}"
    elif outcome.refused:
        yield f"refused  {outcome.name}: {outcome.refused.splitlines()[0][:160]}"
    else:
        lost = (
            f"; lost: {', '.join(f'{key} x{n}' for key, n in sorted(outcome.lost.items()))}"
            if outcome.lost
            else ""
        )
        yield f"{outcome.box:<8} {outcome.name}: {outcome.queues} queues{lost}"
    for line in outcome.over:
        yield f"  ignored, line {line[:140]}"


def main() -> int:
    """Reads the folder and prints the outcome."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="configurations, one a file; they are only read")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        parser.error(
            f"{arguments.folder}: is not a folder; give CORPUS=FOLDER with a configuration in each file"
        )
    files = sorted(path for path in arguments.folder.rglob("*") if path.is_file())
    readings = [reading(path) for path in files]
    for one in readings:
        print("\n".join(shown(one)))
    read = [one for one in readings if one.box]
    by_box = ", ".join(f"{n} {box}" for box, n in sorted(Counter(one.box for one in read).items()))
    print(
        f"\n{len(readings)} files: {len(read)} read ({by_box}), {sum(bool(one.refused) for one in readings)} refused, "
        f"{sum(bool(one.crashed) for one in readings)} crashed; {sum(len(one.over) for one in read)} lines ignored"
    )
    return int(any(one.crashed for one in readings))


if __name__ == "__main__":
    sys.exit(main())
