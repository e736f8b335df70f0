"""The examples of the README and of the guide: found, run, and their output written back.

    python tools/readme.py                   runs them and says which output differs
    python tools/readme.py --write           runs them and writes what they print into the pages
    python tools/readme.py [--write] PAGE    the same for one page

* A `python` block is run; a `text` block right after it is its output.
* In a `console` block, lines that start with `$ ` are run and the others are their output.
* In an `sh` block every line is run.

Commands for the set-up itself (make, git, cd, pip) are left to the reader. Everything runs in a temporary folder with a
copy of the scenarios and of the guide's example files. `tests/docs` compares the pages with the same runs.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "README.md"
GUIDE = sorted((ROOT / "docs" / "guide").glob("*.md"))
EXAMPLES = ROOT / "docs" / "guide" / "examples"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
SETUP = ("make", "git", "cd", "pip", "python3")


@dataclass(frozen=True)
class Example:
    """Something to run, and where on the page its output stands (an empty place: it is not shown)."""

    words: tuple[str, ...]
    code: str
    place: slice

    def __str__(self) -> str:
        return self.code.splitlines()[0] if self.code else " ".join(self.words)

    def run(self) -> str:
        """Returns the output. Raises CalledProcessError if it fails."""
        program = str(Path(sys.executable).with_name(self.words[0])) if self.words else sys.executable
        command = [program, *self.words[1:]] if self.words else [program, "-"]
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "scenarios", Path(folder) / "scenarios")
            if EXAMPLES.is_dir():
                shutil.copytree(EXAMPLES, Path(folder) / "examples")
            done = subprocess.run(
                command, input=self.code, cwd=folder, stdout=subprocess.PIPE, text=True, check=True
            )
        return "".join(line.rstrip() + "\n" for line in done.stdout.rstrip().splitlines())


def examples(page: str) -> Iterator[Example]:
    """Everything on a page that can be run, in its order."""
    blocks = list(BLOCK.finditer(page))
    for number, block in enumerate(blocks):
        after = blocks[number + 1] if number + 1 < len(blocks) else None
        if block[1] == "python":
            output = (
                after
                if after and after[1] == "text" and not page[block.end() : after.start()].strip()
                else None
            )
            yield Example((), block[2], slice(*output.span(2)) if output else slice(0, 0))
        elif block[1] == "console":
            for line in PROMPT.finditer(page, block.start(2), block.end(2)):
                yield from command(line[1], slice(*line.span(2)))
        elif block[1] == "sh":
            for text in block[2].replace("\\\n", "").splitlines():
                yield from command(text, slice(0, 0))


def command(line: str, place: slice) -> Iterator[Example]:
    """A command line, if it is one to run here."""
    words = tuple(shlex.split(line, comments=True))
    if words and words[0] not in SETUP:
        yield Example(words, "", place)


def renew(path: Path, *, write: bool) -> int:
    """Runs the examples of a page; the number of those whose output differs."""
    page = path.read_text(encoding="utf-8")
    differing = 0
    for example in reversed(list(examples(page))):
        printed = example.run()
        if example.place.stop and page[example.place] != printed:
            differing += 1
            print(f"{path.name}: {'written' if write else 'differs'}: {example}")
            page = page[: example.place.start] + printed + page[example.place.stop :]
    if write:
        path.write_text(page, encoding="utf-8")
        return 0
    return differing


def main(arguments: list[str]) -> int:
    """Renews or compares the pages named, or all."""
    named = [Path(one).resolve() for one in arguments if not one.startswith("--")]
    return sum(renew(path, write="--write" in arguments) for path in named or [PAGE, *GUIDE])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
