"""Configurations in braces, with the place of every statement in the text, so that single ones can be replaced.

Two forms: Junos ends a statement with a semicolon, VyOS with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_TOKEN = re.compile(r"/\*.*?\*/|\"[^\"]*\"|'[^']*'|#[^\n]*|[{};]|[^\s{};]+", re.DOTALL)
#: A new statement: its words, and those inside its braces; None without braces.
New = tuple[Sequence[str], "Sequence[New] | None"]
#: Spaces that nested statements are indented by.
STEP = 4


@dataclass
class Statement:
    """A statement of a text.

    Attributes:
        words: Its words up to the semicolon or brace, without those of the statements around it.
        start: Place of its first word.
        end: Place after its semicolon, its closing brace, or its last word.
        open: Place of its opening brace; -1 without one.
        close: Place of its closing brace.
        inner: The statements inside its braces.
    """

    words: list[str]
    start: int
    end: int = -1
    open: int = -1
    close: int = -1
    inner: list[Statement] = field(default_factory=list)

    @property
    def first(self) -> str:
        """Its first word; "" for braces without words before them."""
        return self.words[0] if self.words else ""

    def walk(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Statement]]:
        """Every statement inside with its full path of words, this one first."""
        own = (*path, *self.words)
        yield own, self
        for one in self.inner:
            yield from one.walk(own)


def parsed(text: str, *, by_line: bool) -> Statement:
    """Returns a statement that holds all of the text.

    Args:
        text: The configuration.
        by_line: Whether a statement ends with its line (VyOS) instead of a semicolon (Junos).
    """
    top = Statement([], 0, len(text), -1, len(text))
    around, at = [top], Statement([], -1)
    for match in _TOKEN.finditer(text):
        word = match[0]
        if by_line and at.words and "\n" in text[at.end : match.start()]:
            around[-1].inner.append(at)
            at = Statement([], -1)
        if word.startswith(("/*", "#")):
            continue
        if word == "{":
            at.open = match.start()
            around[-1].inner.append(at)
            around.append(at)
        elif word == "}":
            if at.words:
                around[-1].inner.append(at)
            if len(around) > 1:
                done = around.pop()
                done.close, done.end = match.start(), match.end()
        elif word == ";":
            at.end = match.end()
            around[-1].inner.append(at)
        else:
            at.start = match.start() if at.start < 0 else at.start
            at.end = match.end()
            at.words.append(word.strip("'\""))
            continue
        at = Statement([], -1)
    if at.words:
        around[-1].inner.append(at)
    return top


def block(top: Statement, *tails: Sequence[str]) -> Statement | None:
    """The statement with braces whose path ends with one of these words, outside of inactive statements."""
    for path, one in top.walk():
        ends = any(path[-len(tail) :] == tuple(tail) for tail in tails)
        if one.open >= 0 and ends and "inactive:" not in path:
            return one
    return None


class Edits:
    """Changes of a text: statements removed and inserted, all other characters kept."""

    def __init__(self, text: str, *, by_line: bool) -> None:
        self.text, self.by_line = text, by_line
        self._changes: list[tuple[int, int, str]] = []

    def remove(self, statement: Statement) -> None:
        """Removes a statement, with its line where nothing else is on it."""
        start, end = statement.start, statement.end
        while start > 0 and self.text[start - 1] in " \t":
            start -= 1
        begins = start == 0 or self.text[start - 1] == "\n"
        spaces = re.compile(r"[ \t]*").match(self.text, end)
        after = spaces.end() if spaces else end
        if begins and self.text[after : after + 1] in ("\n", ""):
            self._changes.append((max(0, start - 1), after, ""))
        elif begins and self.text[after] == "}" and "#" not in self.text[:start].splitlines()[-1]:
            self._changes.append((start - 1, end, ""))
        elif begins:
            self._changes.append((statement.start, end, ""))
        else:
            self._changes.append((start, end, ""))

    def replace(self, start: int, end: int, text: str) -> None:
        """Puts a text in the place of another one."""
        self._changes.append((start, end, text))

    def insert(self, inside: Statement, new: Iterable[New], *, first: bool = False) -> None:
        """Inserts statements into the braces of one, behind the last of its statements or before the first."""
        one_line = inside.inner and "\n" not in self.text[inside.open : inside.close]
        if one_line and not self.by_line:
            at = inside.inner[0].start if first else inside.inner[-1].end
            shown = " ".join(_flat(one) for one in new)
            self._changes.append((at, at, f"{shown} " if first else f" {shown}"))
            return
        indent = self._indent(inside)
        lines = [line for one in new for line in self._lines(one, indent)]
        if first and inside.inner:
            at = inside.inner[0].start
            text = "".join(f"{line[len(indent) :]}\n{indent}" for line in lines)
        else:
            at = inside.inner[-1].end if inside.inner else inside.open + 1
            text = "".join(f"\n{line}" for line in lines)
            if not inside.inner and "\n" not in self.text[inside.open : inside.close]:
                text += f"\n{indent[:-STEP]}"
        self._changes.append((at, at, text))

    def result(self) -> str:
        """The text with all changes."""
        text = self.text
        for start, end, new in sorted(self._changes, key=lambda one: one[:2], reverse=True):
            text = f"{text[:start]}{new}{text[end:]}"
        return text

    def _indent(self, inside: Statement) -> str:
        """The indentation of the statements inside one."""
        for one in inside.inner:
            head = self.text[self.text.rfind("\n", 0, one.start) + 1 : one.start]
            if not head.strip(" \t"):
                return head
        line = self.text.rfind("\n", 0, inside.start) + 1
        return (re.match(r"[ \t]*", self.text[line:]) or [""])[0] + " " * (STEP if inside.open >= 0 else 0)

    def _lines(self, new: New, indent: str) -> Iterator[str]:
        words, inner = new
        if inner is None:
            yield f"{indent}{' '.join(words)}{'' if self.by_line else ';'}"
            return
        yield f"{indent}{' '.join(words)} {{"
        for one in inner:
            yield from self._lines(one, indent + " " * STEP)
        yield f"{indent}}}"


def _flat(new: New) -> str:
    words, inner = new
    if inner is None:
        return f"{' '.join(words)};"
    return f"{' '.join(words)} {{ {' '.join(_flat(one) for one in inner)} }}"
