"""Commands that pages show without their output: those of the tutorials and of the pages for users of other
programs run, with a smaller budget; all are parsed by the real parser.

`test_guide.py` runs the examples of the guide whose output is shown.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dropcurve.cli import verbs

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
RUN = [*sorted((DOCS / "tutorials").glob("*.md")), *sorted((DOCS / "coming-from").glob("*.md"))]
FENCE = re.compile(r"^ *```(?:bash|sh)?\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(dropcurve [^`]+)`")
#: What a run of a test may spend, by verb; a later option replaces an earlier one.
SHORT = ["--replications", "2", "--set", "run.duration=3 s", "--set", "run.warmup=1 s"]
LESS = {
    "tune": ["--time", "3s", "--queue", "droptail", "--queue", "codel"],
    "fix": ["--time", "0s", "--replications", "2", "--duration", "2s"],
    "compare": SHORT,
    "run": SHORT,
    "sweep": SHORT,
}  # fmt: skip
ROUTER = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 10mbit ecn\n"
#: Values for the placeholders in a command.
NAMES = {"NAME": "droptail_vs_red", "SCENARIO": "droptail_vs_red", "FILE": "router.conf", "FOLDER": "cmp",
         "N": "1"}  # fmt: skip


def commands(page: Path) -> Iterator[list[str]]:
    """The words of every whole command on a page, in order; not those with an ellipsis, nor a verb's name alone."""
    text = page.read_text(encoding="utf-8")
    placed: list[tuple[int, str]] = []
    for block in FENCE.finditer(text):
        lines = re.finditer(r"^ *(dropcurve .*)$", block[1].replace("\\\n", " "), re.MULTILINE)
        placed += [(block.start() + line.start(), line[1]) for line in lines]
    placed += [(one.start(), one[1].replace("\n", " ")) for one in INLINE.finditer(text)]
    for _, line in sorted(placed):
        words = shlex.split(line, comments=True)[1:]
        names = 1 + (words[:1] == ["new"] or hasattr(verbs.command(words[0]), "commands")) if words else 1
        if len(words) > names and "…" not in line and "|" not in words and ">" not in words:
            yield words


ALL = [
    pytest.param(words, id=f"{page.stem}: {' '.join(words)}") for page in PAGES for words in commands(page)
]


@pytest.mark.parametrize("words", ALL)
def test_it_is_parsed(words: list[str], folder: Path) -> None:
    """Every verb, option and value is one of the command line."""
    for name in ("router.conf", "cmp"):
        (folder / name).touch()
    command: Any = verbs.command(words[0])
    rest, verb = [NAMES.get(one, one) for one in words[1:]], words[0]
    if hasattr(command, "commands"):
        command, rest = command.commands[rest[0]], rest[1:]
    with command.make_context(verb, rest, resilient_parsing=False):
        pass


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_the_commands_of_the_page_run(page: Path, dropcurve: Callable[..., Any], folder: Path) -> None:
    """In the order of the page, in one folder, as a reader runs them."""
    (folder / "router.conf").write_text(ROUTER)
    if "FOLDER" in page.read_text(encoding="utf-8"):
        assert dropcurve("compare", "droptail_vs_red", "--queue", "red", "--out", "cmp", *SHORT).code == 0
    ran = unbuilt = 0
    for words in commands(page):
        given = [NAMES.get(one, one) for one in words]
        less = [] if "--instant" in given else LESS.get(given[0], [])
        less = [*less, "--points", "4"] if "--points" in given else less
        answer = dropcurve(*given, *less)
        if given[0] == "studio" and "run: make studio" in answer.err:
            # `make test` builds the studio before; these tests alone do not.
            unbuilt += 1
            continue
        assert answer.code == 0, f"dropcurve {shlex.join([*given, *less])}\n{answer.err}"
        ran += 1
    if unbuilt and not ran:
        pytest.skip("the studio is not built here (make studio)")
    assert ran >= 1 or "dropcurve " not in page.read_text(encoding="utf-8")
