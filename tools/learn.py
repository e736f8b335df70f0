"""Profile-guided build of the core: runs are recorded, and the compiler uses how often each branch was taken.

    python tools/learn.py             learns, unless what was learned is still good; exits with 2 without llvm-tools
    python tools/learn.py COMMAND...  runs a command whose cargo builds with that, or plainly if nothing can be learned

The core is built with counters in `target/learn` and does the runs of tools/training.py; `llvm-profdata` makes one
profile of the counts. Builds that use it have `target/learned` to themselves, so the plain ones stay as they are.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
PLACE = TARGET / "learn"
COUNTS = PLACE / "counts"
PROFILE = PLACE / "core.profdata"
TRAINING = ROOT / "tools/training.py"
BUILD = ["cargo", "build", "-p", "dropcurve-py", "--release", "--locked", "--message-format=json"]


class MissingError(Exception):
    """The toolchain has no llvm-profdata."""


def main(command: Sequence[str]) -> int:
    """Runs the command, or only learns; the status to exit with."""
    if command:
        return subprocess.run(command, env=environment()).returncode
    try:
        print(learn())
    except MissingError as missing:
        say(str(missing))
        return 2
    return 0


def environment() -> dict[str, str]:
    """The environment in which cargo builds with the profile; without a profile the present one.

    A line names the kind of build in both cases.
    """
    try:
        profile = learn()
    except MissingError as missing:
        say(f"a plain build, because {missing}")
        return dict(os.environ)
    say("a learned build")
    return with_flag(f"-Cprofile-use={profile}", TARGET / "learned")


def learn() -> Path:
    """The profile, made again where the sources, the compiler or the training are newer."""
    merge = merger()
    core = counting()
    if stale(PROFILE, [core, TRAINING, Path(__file__), *(ROOT / "scenarios").glob("*.toml")]):
        # Build scripts and macros were built with counters, too, and have left counts.
        shutil.rmtree(COUNTS, ignore_errors=True)
        output(sys.executable, TRAINING, core)
        # Sparse: a function that was never called is left out, and built as usual. Known as never called it would be
        # built small, even if other runs call it often.
        output(merge, "merge", "--sparse", "-o", PROFILE, COUNTS)
    return PROFILE


def merger() -> Path:
    """The toolchain's own llvm-profdata: another one need not read what this compiler writes."""
    folder = Path(output("rustc", "--print", "target-libdir").strip()).parent / "bin"
    program = shutil.which("llvm-profdata", path=str(folder))
    if program is None:
        raise MissingError("the toolchain has no llvm-profdata: rustup component add llvm-tools")
    return Path(program)


def counting() -> Path:
    """Builds the core with counters, as maturin would; the shared library.

    Counts go by the names of functions, and those depend on the profile, the features and the place of the workspace.
    """
    environment = with_flag(f"-Cprofile-generate={COUNTS}", PLACE)
    # The library is loaded by a Python and does not bring one; which it is makes no difference.
    environment.update(PYO3_BUILD_EXTENSION_MODULE="1", PYO3_NO_PYTHON="1")
    environment.pop("PYO3_PYTHON", None)
    messages = [json.loads(line) for line in output(*BUILD, env=environment).splitlines()]
    last = [message for message in messages if message["reason"] == "compiler-artifact"][-1]
    return Path(last["filenames"][0])


def with_flag(flag: str, place: Path) -> dict[str, str]:
    """The variables there are, but with one more flag for the compiler, and results in a folder of their own."""
    # Encoded, a flag may hold a blank.
    encoded = os.environ.get("CARGO_ENCODED_RUSTFLAGS")
    given = encoded.split("\x1f") if encoded else os.environ.get("RUSTFLAGS", "").split()
    flags = "\x1f".join([*given, flag])
    return {**os.environ, "CARGO_ENCODED_RUSTFLAGS": flags, "CARGO_TARGET_DIR": str(place)}


def stale(product: Path, sources: Sequence[Path]) -> bool:
    """Whether a file is not there, or older than one that it is made from."""
    return not product.exists() or any(source.stat().st_mtime > product.stat().st_mtime for source in sources)


def output(*command: str | Path, env: Mapping[str, str] | None = None) -> str:
    """Returns the output of a command."""
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env).stdout


def say(text: str) -> None:
    print("learn: " + text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
