"""Mutation testing of Python: one operator, number or condition of a module is changed at a time, and tests must fail.

    .venv/bin/python tools/mutants.py [--seconds 600] [--first N] [--every N] [MODULE TEST...]

Without names the modules of `TARGETS` are done. Survivors, the mutants that no test fails for, are printed with their
line; the last line counts. ``--first`` leaves the first mutants out, ``--every`` tries each N-th of the others. The
tests of a mutant run in a fork of a process that has the libraries loaded and no module of the package. For Rust,
``make mutants`` runs cargo-mutants.
"""

from __future__ import annotations

import argparse
import ast
import copy
import itertools
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy  # noqa: F401 (loaded once for all mutants)
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("python/dropcurve")

#: Processor time of the tests of one mutant, in seconds.
LONGEST_S = 40
#: Modules with the tests that are to catch their mutants.
TARGETS = {
    "metrics/statistics.py": ["tests/unit/test_statistics.py"],
    "metrics/student.py": ["tests/unit/test_student.py"],
    "boxes/tc_numbers.py": ["tests/unit/test_tc_units.py", "tests/unit/test_tc_numbers.py"],
    "boxes/tc_red.py": ["tests/unit/test_tc_red.py", "tests/unit/test_boxes_tc.py"],
    "tuning/goal.py": ["tests/tune/test_goal.py"],
    "tuning/delay_bounds.py": ["tests/tune/test_edge.py"],
    "tuning/decision.py": ["tests/tune/test_decision.py", "tests/tune/test_decision_parts.py"],
}

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Pow: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def _swapped(operator: ast.AST) -> ast.AST | None:
    other = _SWAPPED.get(type(operator))
    return None if other is None else other()


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    """The mutants of one node, its parts apart."""
    if isinstance(node, (ast.BinOp, ast.BoolOp)) and (other := _swapped(node.op)) is not None:
        changed = copy.deepcopy(node)
        changed.op = other  # type: ignore[assignment]
        yield changed
    if isinstance(node, ast.Compare) and (other := _swapped(node.ops[0])) is not None:
        compared = copy.deepcopy(node)
        compared.ops[0] = other  # type: ignore[call-overload]
        yield compared
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield copy.deepcopy(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield ast.Constant(node.value + 1)
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        for value in (True, False):
            decided = copy.deepcopy(node)
            decided.test = ast.Constant(value)
            yield decided


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, the change in words, and text of each mutant of a module; annotations and decorators are left alone."""
    tree = ast.parse(source)
    decorators = {
        id(node)
        for one in ast.walk(tree)
        for changed in getattr(one, "decorator_list", ())
        for node in ast.walk(changed)
    }
    for parent in ast.walk(tree):
        if id(parent) in decorators:
            continue
        for name, value in ast.iter_fields(parent):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            items = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
            for index, node in items:
                if not isinstance(node, ast.AST):
                    continue
                for changed in _changed(node):
                    ast.copy_location(changed, node)
                    ast.fix_missing_locations(changed)
                    _put(parent, name, index, changed)
                    before, after = (ast.unparse(one).splitlines()[0] for one in (node, changed))
                    yield getattr(node, "lineno", 0), f"{before}  ->  {after}", ast.unparse(tree)
                    _put(parent, name, index, node)


def _put(parent: ast.AST, name: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[index] = node


def is_caught(place: Path, tests: list[str]) -> bool:
    """Whether tests fail, or use more than `LONGEST_S` of processor time, with the package at ``place``."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = _tested(place, tests)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return status != 0


def _tested(place: Path, tests: list[str]) -> int:
    """Exit code of pytest over the package at ``place``; for a process of its own."""
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = str(place)
    sys.path.insert(0, str(place))
    sys.dont_write_bytecode = True
    return int(
        pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow", *tests])
    )


def run(module: str, tests: list[str], *, end: float, first: int = 0, every: int = 1) -> tuple[int, int]:
    """Numbers of mutants tried and caught until ``end``; survivors are printed.

    Raises:
        SystemExit: The tests fail without a mutant, so that they would catch anything.
    """
    source = (ROOT / PACKAGE / module).read_text(encoding="utf-8")
    tried = caught = 0
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        shutil.copytree(ROOT / PACKAGE, place / "dropcurve", ignore=shutil.ignore_patterns("__pycache__"))
        if is_caught(place, tests):
            raise SystemExit(f"mutants: {' '.join(tests)} fails without a mutant")
        for line, change, text in itertools.islice(mutants(source), first, None, every):
            if time.monotonic() > end:
                print(f"{module}: the time is over, the mutants from line {line} on are left out")
                break
            (place / "dropcurve" / module).write_text(text, encoding="utf-8")
            tried += 1
            if is_caught(place, tests):
                caught += 1
            else:
                print(f"{module}:{line}: survived: {change}", flush=True)
    return tried, caught


def main() -> None:
    """Runs the mutants of the modules asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", nargs="?")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    chosen = {options.module: options.tests or TARGETS[options.module]} if options.module else TARGETS
    end = time.monotonic() + options.seconds
    for module, tests in chosen.items():
        tried, caught = run(module, tests, end=end, first=options.first, every=options.every)
        print(f"{module}: {caught} of {tried} mutants caught")


if __name__ == "__main__":
    main()
