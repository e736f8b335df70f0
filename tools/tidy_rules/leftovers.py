"""Leftovers that must not stay in the tree: loose ends, and traces of one person's machine.

The patterns have a letter in brackets, so that they do not find themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tidy_rules import rust
from tidy_rules.tree import Fault, Tree

SOURCES = (
    *(".rs", ".py", ".pyi", ".toml", ".md", ".j2", ".html", ".js", ".css", ".sh", ".txt"),
    *(".yml", ".yaml", ".json", "Makefile", ".ci/run"),
)
WORDS = re.compile(r"\b(?:T[O]DO|F[I]XME|X[X]X|H[A]CK)\b|NotImplemented[E]rror|mark\.x[f]ail|#\[ig[n]ore\]")
UNFINISHED = re.compile(r"\b(?:dbg|todo|unimplemented)!")
PRINTS = re.compile(r"\be?print(?:ln)?!")
PLACES = "home|root|Users|work|farm|mnt|srv|opt|tmp|private|var/folders"
MACHINE = re.compile(rf"(?<![\w.~$}}/:-])/(?:{PLACES})/[\w.]|\b[A-Z]:\\+(?:Users|Temp)\b")
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b")
# Registries and their settings are a matter of each machine; assistants and work tools leave no marks.
FOREIGN = re.compile(
    r"pythonhost[e]d|py[p]i\.org|crates\.i[o]\b|npmj[s]|artifact[o]ry|index[-_]u[r]l|find[-_]l[i]nks|gopr[o]xy"
    r"|copil[o]t|chatgp[t]|\bclau[d]e|\bopena[i]\b"
)


def check_leftovers(tree: Tree) -> Iterator[Fault]:
    """No notes to self, no unfinished macros, no printing from a crate."""
    for path in tree.matching(*SOURCES):
        for number, line in tree.lines(path) if WORDS.search(tree.text(path)) else ():
            if match := WORDS.search(line):
                yield Fault(path, number, "leftover", f"{match[0]}: finish it, or take it out")
    tests = set(rust.test_modules(tree))
    for path in tree.matching("crates/", ".rs"):
        blanked = rust.code(tree.text(path))
        quiet = "/src/" in path and path not in tests
        kept = rust.blank_tests(blanked).splitlines()
        for number, line in enumerate(blanked.splitlines(), start=1):
            if match := UNFINISHED.search(line):
                yield Fault(path, number, "leftover", f"{match[0]} is for the desk, not for the tree")
            elif quiet and (match := PRINTS.search(kept[number - 1])):
                yield Fault(path, number, "leftover", f"{match[0]}: a crate returns what it has to say")


def check_private(tree: Tree) -> Iterator[Fault]:
    """No paths of one machine, no e-mail addresses, no names of registries or of anyone's tools."""
    for path in tree.matching(*SOURCES):
        text = tree.text(path)
        # Hardly any file has one, and a whole text is searched faster than its lines.
        if not (MACHINE.search(text) or ("@" in text and EMAIL.search(text)) or FOREIGN.search(text.lower())):
            continue
        for number, line in tree.lines(path):
            if match := MACHINE.search(line):
                yield Fault(path, number, "private", f"a path of one machine: {match[0]}…")
            if match := EMAIL.search(line):
                yield Fault(path, number, "private", f"an e-mail address: {match[0]}")
            if match := FOREIGN.search(line.lower()):
                yield Fault(path, number, "private", f"{match[0]} does not belong here")
