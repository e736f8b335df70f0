"""Style as a test: the form of the tree, checked with nothing but the standard library.

    python tools/tidy.py             every fault as `path:line: rule: what is wrong`; exit 1 if there is one
    python tools/tidy.py --tighten   lowers the entries of tools/tidy_ratchet.toml to the present counts
    python tools/tidy.py --rules     the rules, one line each

A rule is a function in `tools/tidy_rules/` that takes the tree and yields faults; `RULES` there lists them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tidy_rules import RULES, Fault, Tree
from tidy_rules.sizes import tighten


def main(arguments: list[str]) -> int:
    """Runs the chosen command; returns the exit code."""
    if "--rules" in arguments:
        for name, rule in RULES.items():
            print(f"{name:<12} {(rule.__doc__ or '').splitlines()[0]}")
        return 0
    tree = Tree(Path(__file__).resolve().parent.parent)
    if "--tighten" in arguments:
        tighten(tree)
        return 0
    faults = check(tree)
    for fault in faults:
        print(fault)
    if faults:
        print(f"tidy: {len(faults)} faults")
        return 1
    print(f"tidy: {len(tree.files)} files, {len(RULES)} rules, clean")
    return 0


def check(tree: Tree) -> list[Fault]:
    """Every fault of the tree, in the order of its files."""
    faults = [fault for rule in RULES.values() for fault in rule(tree)]
    return sorted(faults, key=lambda fault: (fault.path, fault.line, fault.rule))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
