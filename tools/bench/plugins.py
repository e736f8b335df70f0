"""Instructions of a delivered packet with a discipline as a plug-in in Rust, and with the same discipline built in.

    python tools/bench/plugins.py [FLOWS ...]

The plug-ins are the examples of `crates/plugin`; both of a pair make the same run. valgrind counts the part after the
warm-up. Everything is built with thin link-time optimisation, which takes a few minutes less than a release.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cells import Cell, scenario

ROOT = Path(__file__).resolve().parents[2]
#: Built-in disciplines, the plug-ins that equal them, and the libraries of these.
PAIRS = [("codel", "codel_plugin", "codel"), ("droptail", "tail_drop_plugin", "tail_drop")]
BUILD = {"CARGO_PROFILE_RELEASE_LTO": "thin", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "8"}


def main(cases: list[str]) -> int:
    """Prints a line for each pair; returns the exit code."""
    cargo("build", "--release", "-p", "dropcurve-plugin", "--examples")
    built = cargo("bench", "--no-run", "-p", "dropcurve-capi", "--bench", "plugins", "--message-format=json")
    messages = [json.loads(line) for line in built.splitlines()]
    bench = next(one["executable"] for one in reversed(messages) if one.get("executable"))
    examples = Path(bench).parents[1] / "examples"
    for case in cases or ["10"]:
        for kind, plugin, library in PAIRS:
            text = scenario(Cell(kind, "sack", case))
            plain, packets = count(bench, text)
            renamed = text.replace(f'kind = "{kind}"', f'kind = "{plugin}"')
            plugged, again = count(bench, renamed, f"--plugin={examples / f'lib{library}.so'}")
            if packets != again:
                print(f"plugins: {plugin} delivered {again} packets, {kind} {packets}", file=sys.stderr)
                return 1
            more = 100 * (plugged / plain - 1)
            print(f"{case} flows, {kind}: built in {plain:.0f}, plug-in {plugged:.0f} ({more:+.1f} %)")
    return 0


def count(bench: str, text: str, *words: str) -> tuple[float, int]:
    """Instructions of a delivered packet, and the number of packets."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    tool.append("--toggle-collect=*measured_part*")
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([*tool, bench, *words, file.name], capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    delivered = re.search(r"(\d+) segments", done.stdout)
    if collected is None or delivered is None:
        sys.exit(f"plugins: cannot parse the output of the bench or of valgrind:\n{done.stderr}")
    return int(collected[1]) / int(delivered[1]), int(delivered[1])


def cargo(*words: str) -> str:
    """Returns the output of cargo in the locked workspace."""
    command = ["cargo", *words, "--locked", "--quiet"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **BUILD}, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
