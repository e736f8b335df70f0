"""Instructions of a delivered packet with every transport: the table of docs/performance.md.

    python tools/bench/transports.py [NAME...]    count the transports named, and print them
    python tools/bench/transports.py --write      count all, and write their table into docs/performance.md

Ten flows of one transport share 10 Mbit/s, as in the cells of the matrix (`cells.py`). The bench `runs` runs each
scenario under valgrind and counts the instructions after the warm-up, acknowledgements and reports included.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cells import SIZES, Cost, count_text, network, traffic
from instructions import ROOT, build

PAGE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- transports -->", "<!-- end -->"
FLOWS = 10
DEEP = 'kind = "droptail"\nlimit = "83 pkts"\n'
STEP = 'kind = "step_marking"\nlimit = "83 pkts"\n'
L4S = 'kind = "dualpi2"\n'

TCP = [
    "reno", "cubic", "vegas", "westwood", "gaimd", "binomial", "highspeed", "scalable", "htcp", "bic", "hybla",
    "illinois", "veno", "yeah", "compound", "ledbat", "ledbat_pp", "cdg", "lp", "nv", "bbr", "bbr3",
]  # fmt: skip
RATED = ["tfrc", "rap", "tear", "lda", "drs", "scream", "gcc"]

#: The queue and the keys of the flows, by the name in the table; the page is that of the first word.
TRANSPORTS = {
    **{name: (DEEP, f'cc = "{name}"') for name in TCP},
    "bbr3 with bbr3_ecn": (STEP, 'cc = "bbr3"\nbbr3_ecn = true\nbbr3_ecn_max_rtt = "0 s"'),
    "dctcp": (STEP, 'cc = "dctcp"\necn = true'),
    "prague": (L4S, 'profile = "l4s"'),
    **{
        f"quic with {cc}": (DEEP, f'transport = "quic"\ncc = "{cc}"')
        for cc in ("newreno", "cubic", "bbr", "bbr3")
    },
    **{name: (DEEP, f'transport = "{name}"') for name in RATED},
    "scream with l4s": (L4S, 'transport = "scream"\nprofile = "l4s"'),
}
QUEUES = {DEEP: "tail drop", STEP: "step marking", L4S: "DualPI2"}


def main(args: Sequence[str]) -> int:
    """Counts the transports asked for; returns the exit code."""
    names = [name for name in TRANSPORTS if name in args] or list(TRANSPORTS)
    bench = build()
    counted = {}
    for name in names:
        counted[name] = cost = count_text(bench, scenario(name), SIZES[FLOWS][2])
        print(f"{name:<20} {cost.instructions:>7.0f} {cost.ns:>6.0f} {cost.events:>7.2f}", flush=True)
    if "--write" in args:
        text = PAGE.read_text(encoding="utf-8")
        head, _, rest = text.partition(BEGIN)
        _, _, tail = rest.partition(END)
        PAGE.write_text(f"{head}{BEGIN}\n{table(counted)}{END}{tail}", encoding="utf-8")
    return 0


def scenario(name: str) -> str:
    """The text of a transport's scenario."""
    queue, keys = TRANSPORTS[name]
    seconds, warmup, _ = SIZES[FLOWS]
    head = f'title = "{name}"\n[run]\nduration = "{seconds} s"\nwarmup = "{warmup} s"\n'
    return head + network(str(FLOWS), FLOWS, queue) + traffic(str(FLOWS), FLOWS, keys)


def table(counted: dict[str, Cost]) -> str:
    """The table in Markdown, by instructions."""
    lines = ["| Transport | Queue | Instructions | Events |", "|---|---|---:|---:|"]
    for name, cost in sorted(counted.items(), key=lambda item: item[1].instructions):
        kind, _, more = name.partition(" ")
        page = "tcp" if kind == "reno" else kind
        link = f"[{kind}](transports/{page}.md)" + (f" {more}" if more else "")
        row = (link, QUEUES[TRANSPORTS[name][0]], f"{cost.instructions:.0f}", f"{cost.events:.1f}")
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
