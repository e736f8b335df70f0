"""Instructions and nanoseconds of every queue with every sender: the figure of docs/performance.md.

    python tools/bench/matrix.py [WORD...]     count the cells whose name holds every word, and print them
    python tools/bench/matrix.py --write       count all cells, and write tools/bench/matrix.csv and docs/matrix.svg
    python tools/bench/matrix.py --draw        draw docs/matrix.svg from tools/bench/matrix.csv

A cell is a scenario; the bench `runs` executes it under valgrind, and counts the instructions after the warm-up.
Instructions and nanoseconds are those of a delivered data packet, its acknowledgement included. Nanoseconds are
those of the fastest of some runs without valgrind, on this machine.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence

from cells import CASE_QUEUES, CASE_SENDERS, CASES, QUEUES, SENDERS, SIZES, Cell, Cost, cells, count
from instructions import ROOT, build

DATA = ROOT / "tools/bench/matrix.csv"
FIGURE = ROOT / "docs/matrix.svg"
# The cell that all others are compared with.
HEADLINE = "red sack 10"


def main(args: Sequence[str]) -> int:
    """Counts and writes the chosen output; returns the exit code."""
    if "--draw" not in args:
        words = {word for word in args if not word.startswith("--")}
        wanted = [cell for cell in cells() if words <= set(cell)]
        counted = {}
        bench = build()
        print(f"{'queue':<9} {'sender':<10} {'case':<8} instructions     ns  events")
        for cell in wanted:
            counted[cell] = cost = count(bench, cell)
            print(
                f"{cell.queue:<9} {cell.sender:<10} {cell.case:<8} {cost.instructions:>12.0f} {cost.ns:>6.0f} "
                f"{cost.events:>7.2f}",
                flush=True,
            )
        if "--write" in args:
            write(counted)
    if {"--write", "--draw"} & set(args):
        FIGURE.write_text(figure(read()), encoding="utf-8")
    return 0


def write(counted: dict[Cell, Cost]) -> None:
    """Writes the data file; cells that were not counted keep their row."""
    rows = {**read(), **counted} if DATA.exists() else counted
    with DATA.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["queue", "sender", "case", "instructions", "ns", "events"])
        for cell in cells():
            if cell in rows:
                cost = rows[cell]
                table.writerow([*cell, f"{cost.instructions:.0f}", f"{cost.ns:.0f}", f"{cost.events:.2f}"])


def read() -> dict[Cell, Cost]:
    """The data file."""
    with DATA.open(encoding="utf-8", newline="") as file:
        return {
            Cell(row["queue"], row["sender"], row["case"]): Cost(
                float(row["instructions"]), float(row["ns"]), float(row["events"])
            )
            for row in csv.DictReader(file)
        }


# Colours, each for costs up to a multiple of the headline.
SHADES = [
    (1.6, "#2c7f62"),
    (2.5, "#8cc5a2"),
    (4.0, "#f3e3a1"),
    (6.0, "#efb36b"),
    (9.0, "#d9704a"),
    (1e9, "#a33a3a"),
]
WIDE, HIGH, LEFT, TOP = 46, 17, 78, 40


def figure(rows: dict[Cell, Cost]) -> str:
    """A drawing (SVG) of the cost of each cell, times the headline: a panel for each number of flows, one of cases."""
    unit = rows[Cell(*HEADLINE.split())].instructions
    parts: list[str] = []
    y = 0
    for size in SIZES:
        grid = [[Cell(queue, sender, str(size)) for sender in SENDERS] for queue in QUEUES]
        parts += panel(f"{size} flows", list(SENDERS), list(QUEUES), grid, rows, unit, y)
        y += TOP + HIGH * len(QUEUES) + 22
    columns = [f"{queue}" for queue in CASE_QUEUES for _ in CASE_SENDERS]
    grid = [[Cell(q, s, case) for q in CASE_QUEUES for s in CASE_SENDERS] for case in CASES]
    parts += panel(
        "ten flows, other traffic and networks: " + ", ".join(CASE_SENDERS) + " over each queue",
        columns,
        list(CASES),
        grid,
        rows,
        unit,
        y,
    )
    y += TOP + HIGH * len(CASES) + 10
    width = LEFT + WIDE * len(columns) + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" viewBox="0 0 {width} {y}" '
        f'font-family="sans-serif" font-size="10"><rect width="{width}" height="{y}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def panel(
    title: str,
    columns: Sequence[str],
    lines: Sequence[str],
    grid: Sequence[Sequence[Cell]],
    rows: dict[Cell, Cost],
    unit: float,
    y: int,
) -> list[str]:
    """A panel of the drawing: a coloured field with a number for each cell that was counted."""
    parts = [f'<text x="4" y="{y + 14}" font-weight="bold">{title}: instructions, times {HEADLINE}</text>']
    for place, word in enumerate(columns):
        x = LEFT + WIDE * place + WIDE // 2
        parts.append(f'<text x="{x}" y="{y + TOP - 6}" text-anchor="middle" font-size="9">{word}</text>')
    for line, (word, cells_of_line) in enumerate(zip(lines, grid, strict=True)):
        top = y + TOP + HIGH * line
        parts.append(f'<text x="{LEFT - 6}" y="{top + 12}" text-anchor="end">{word}</text>')
        for place, cell in enumerate(cells_of_line):
            if cell not in rows:
                continue
            times = rows[cell].instructions / unit
            colour = next(colour for bound, colour in SHADES if times <= bound)
            x = LEFT + WIDE * place
            ink = "white" if colour in ("#2c7f62", "#a33a3a", "#d9704a") else "black"
            parts.append(
                f'<rect x="{x}" y="{top}" width="{WIDE - 1}" height="{HIGH - 1}" fill="{colour}"/>'
                f'<text x="{x + WIDE // 2}" y="{top + 12}" text-anchor="middle" fill="{ink}">{times:.1f}</text>'
            )
    return parts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
