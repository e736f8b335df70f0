"""Mutation testing of a Rust law with one build: it contains all mutants, and the environment chooses one.

    .venv/bin/python tools/mutants_rust.py PIECE... [--every N] [--first N] [--seconds 3600] [--only TEXT]

``PIECE`` is a key of `PIECES`; those of one crate share a build. The mutants are those that cargo-mutants lists. Each
is the body of its function with one change, chosen at the start of that function; a copy of the tree in
``target/mutants`` is built, without those that the compiler refuses. Then the tests of the law run once for each
mutant, in random order, so that those of any time are a sample. A test that fails, or that needs more than `LONGEST_S`
of processor time or `MOST_BYTES`, catches it. Survivors are printed with their place; the last line counts.

``make mutants-slow`` runs cargo-mutants itself, which builds each mutant alone and takes hours.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "target/mutants"
VARIABLE = "DROPCURVE_MUTANT"
LONGEST_S, MOST_BYTES = 20, 4 << 30
#: Settings of a build that takes little time.
QUICK = {"CARGO_PROFILE_DEV_OPT_LEVEL": "0", "CARGO_PROFILE_DEV_DEBUG": "none", "CARGO_INCREMENTAL": "1"}
#: Cases of each property test for each mutant.
FEW = {"PROPTEST_CASES": "24"}
#: What is copied: the workspace.
COPIED = ("Cargo.toml", "Cargo.lock", "crates", "doubles")


@dataclass(frozen=True)
class Piece:
    """A law: its crate, the files that are changed, and parts of the names of the tests that are to catch it.

    The tests ``near`` it run first, and the others only for a mutant that survives them.
    """

    crate: str
    files: str
    tests: str
    near: str = ""


PIECES = {
    "codel": Piece("queue", "crates/queue/src/disciplines/codel/law.rs", "codel"),
    "pie": Piece("queue", "crates/queue/src/disciplines/pie/law.rs", "pie"),
    "red": Piece("queue", "crates/queue/src/disciplines/red/*.rs", "disciplines::red:: gred rio:: ared"),
    "cubic": Piece("transport", "crates/transport/src/cc/cubic.rs", "cubic"),
    "sack": Piece("transport", "crates/transport/src/recovery/scoreboard.rs", "", near="scoreboard"),
}

#: The choice, in the crate's root.
CHOICE = f"""
#[doc(hidden)]
#[allow(missing_docs)]
pub fn chosen_mutant() -> usize {{
    extern crate std;
    static CHOSEN: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var("{VARIABLE}").map_or(0, |n| n.parse().expect("a number")))
}}
"""


@dataclass(frozen=True)
class Mutant:
    """One change: its number, its name, its file, the place of its function's body and the body with the change."""

    number: int
    name: str
    file: str
    body: tuple[int, int]
    text: str


def listed(piece: Piece, numbers: Iterator[int]) -> list[Mutant]:
    """The mutants that cargo-mutants lists for a piece; those outside functions are named and left out."""
    done = subprocess.run(
        [tool(), "mutants", "--list", "--json", "-p", f"dropcurve-{piece.crate}", "--file", piece.files],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    mutants = []
    for one in json.loads(done.stdout):
        if one["function"] is None:
            print(f"left out, as it is not in a function: {one['name']}")
            continue
        source = (ROOT / one["file"]).read_text(encoding="utf-8")
        first, last = (_offset(source, one["span"][end]) for end in ("start", "end"))
        begin, end = (_offset(source, one["function"]["span"][side]) for side in ("start", "end"))
        brace = _body(source, begin, first)
        text = source[brace:first] + one["replacement"] + source[last:end]
        mutants.append(Mutant(next(numbers), one["name"], one["file"], (brace, end), text))
    return mutants


def tool() -> str:
    """The program cargo-mutants."""
    program = shutil.which("cargo-mutants", path=f"{ROOT / 'target/tools/bin'}:{os.environ['PATH']}")
    if program is None:
        raise SystemExit("mutants: cargo-mutants is missing: cargo install --root target/tools cargo-mutants")
    return program


def _offset(source: str, place: dict[str, int]) -> int:
    """Index of a line and column, both from 1."""
    lines = source.splitlines(keepends=True)
    return sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1


def _body(source: str, begin: int, inside: int) -> int:
    """Index of the brace that opens the body of the function that begins at an index."""
    at = re.compile(r"(?://[^\n]*|[^{/]|/(?!/))*").match(source, begin)
    assert at is not None and at.end() < inside, source[begin:inside]
    return at.end()


def switched(source: str, mutants: list[Mutant]) -> tuple[str, list[tuple[int, int, int]]]:
    """A file with the bodies of mutants next to their own, and (first line, last line, number) of each."""
    bodies: dict[tuple[int, int], list[Mutant]] = {}
    for one in mutants:
        bodies.setdefault(one.body, []).append(one)
    text, places, done = "", [], 0
    for (begin, end), group in sorted(bodies.items()):
        assert begin >= done, "functions within functions"
        text += source[done:begin] + "{ match crate::chosen_mutant() {\n"
        for one in group:
            line = text.count("\n") + 1
            text += f"{one.number} => {one.text}\n"
            places.append((line, text.count("\n"), one.number))
        text += f"_ => {source[begin:end]}\n}} }}"
        done = end
    return text + source[done:], places


def built(crate: str, mutants: list[Mutant]) -> tuple[Path, list[Mutant]]:
    """The unit tests of a crate, built with all mutants that compile, and those."""
    for name in COPIED:
        built_in = COPY / name
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, built_in, dirs_exist_ok=True, ignore=shutil.ignore_patterns("target")
            )
        else:
            built_in.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, built_in)
    root = Path(f"crates/{crate}/src/lib.rs")
    (COPY / root).write_text((ROOT / root).read_text(encoding="utf-8") + CHOICE, encoding="utf-8")
    while True:
        places = {}
        for file in {one.file for one in mutants}:
            source = (ROOT / file).read_text(encoding="utf-8")
            text, places[file] = switched(source, [one for one in mutants if one.file == file])
            (COPY / file).write_text(text, encoding="utf-8")
        tests, errors = _compiled(crate)
        if tests is not None:
            return tests, mutants
        refused = {number for file, line in errors for number in _at(places.get(file, []), line)}
        if not refused:
            raise SystemExit(f"mutants: the copy in {COPY} does not compile: {errors}")
        print(f"{len(refused)} mutants do not compile", flush=True)
        mutants = [one for one in mutants if one.number not in refused]


def _at(places: list[tuple[int, int, int]], line: int) -> list[int]:
    """The mutants at a line; where it is in a function's own body, the one before, whose type differs from it."""
    inside = [number for first, last, number in places if first <= line <= last]
    return inside or [number for first, _, number in places if first < line][-1:]


def _compiled(crate: str) -> tuple[Path | None, list[tuple[str, int]]]:
    """Path of the tests, or the places of the compiler's errors."""
    done = subprocess.run(
        ["cargo", "test", "--no-run", "--locked", "-p", f"dropcurve-{crate}", "--lib", "--message-format=json"],
        cwd=COPY, capture_output=True, text=True, check=False, env=os.environ | QUICK,
    )  # fmt: skip
    tests, errors = None, []
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and message.get("executable"):
            tests = Path(message["executable"])
        if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
            spans = message["message"]["spans"]
            errors += [(span["file_name"], span["line_start"]) for span in spans if span["is_primary"]]
    if done.returncode and not errors:
        raise SystemExit(done.stderr)
    return (None if done.returncode else tests), errors


def is_caught(piece: Piece, tests: Path, number: int) -> bool:
    """Whether the tests of a law fail with a mutant; 0 is none."""
    stages = [piece.near, piece.tests] if piece.near else [piece.tests]
    return any(_fails(piece.crate, tests, stage.split(), number) for stage in stages)


def _fails(crate: str, tests: Path, parts: list[str], number: int) -> bool:
    """Whether a test whose name has one of these parts, or any if there are none, fails with a mutant."""

    def bounds() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))

    done = subprocess.run(
        [str(tests), *parts, "--test-threads=1"],
        cwd=COPY / "crates" / crate, env=os.environ | {VARIABLE: str(number)} | FEW, check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=bounds,
    )  # fmt: skip
    return done.returncode != 0


def main() -> None:
    """Builds the mutants of laws and runs their tests with each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pieces", nargs="+", choices=PIECES, metavar="PIECE", help=", ".join(PIECES))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600, help="time for the mutants of each law")
    parser.add_argument("--only", default="", help="mutants whose name contains this text")
    options = parser.parse_args()
    for crate in dict.fromkeys(PIECES[name].crate for name in options.pieces):
        names = [name for name in options.pieces if PIECES[name].crate == crate]
        number = itertools.count(1)
        mutants = {
            name: [one for one in listed(PIECES[name], number) if options.only in one.name] for name in names
        }
        tests, compiling = built(crate, [one for chosen in mutants.values() for one in chosen])
        able = {one.number for one in compiling}
        for name in names:
            chosen = [one for one in mutants[name] if one.number in able]
            random.Random(26).shuffle(chosen)
            chosen = chosen[options.first :: options.every]
            tried, caught = run(PIECES[name], tests, chosen, options.seconds)
            print(f"{name}: {caught} of {tried} mutants caught, of {len(mutants[name])}", flush=True)


def run(piece: Piece, tests: Path, mutants: list[Mutant], seconds: float) -> tuple[int, int]:
    """Numbers of mutants tried and caught within a time; survivors are printed."""
    if is_caught(piece, tests, 0):
        raise SystemExit("mutants: the tests fail without a mutant")
    end, tried, caught = time.monotonic() + seconds, 0, 0
    for one in mutants:
        if time.monotonic() > end:
            print("the time is over, the other mutants are left out")
            break
        tried += 1
        if is_caught(piece, tests, one.number):
            caught += 1
        else:
            print(f"survived: {one.name}", flush=True)
    return tried, caught


if __name__ == "__main__":
    main()
