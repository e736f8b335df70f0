"""Statements of pf.conf: words with macros put in, and the lines that they are on.

Reference: FreeBSD pf.conf(5) for ALTQ, OpenBSD pf.conf(5) for queues.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .model import refuse
from .numbers import real

#: Slots of a queue that states no ``qlimit``.
SLOTS = 50
_UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_WORD = re.compile(r"[{}()]|[^\s{}(),]+")


@dataclass(frozen=True)
class PfStatement:
    """A statement: the numbers of its first and last line, and its words with brackets as words of their own."""

    first: int
    last: int
    words: tuple[str, ...]

    def after(self, key: str) -> str | None:
        """The word after another one; None if it is not there."""
        return self.words[self.words.index(key) + 1] if key in self.words[:-1] else None

    def inside(self, key: str) -> tuple[str, ...]:
        """The words in the brackets after another one; () without them."""
        at = self.words.index(key) + 1 if key in self.words else len(self.words)
        if self.words[at : at + 1] not in (("{",), ("(",)):
            return ()
        end = next((i for i in range(at, len(self.words)) if self.words[i] in (")", "}")), len(self.words))
        return self.words[at + 1 : end]


def statements(text: str) -> list[PfStatement]:
    """The statements of a text, with the lines that a backslash or an open brace continues, and macros put in."""
    macros: dict[str, str] = {}
    parsed: list[PfStatement] = []
    part, first = "", 0
    for number, line in enumerate(text.splitlines()):
        code = line.split("#")[0].rstrip()
        first = number if not part else first
        part += f" {code.removesuffix(chr(92))}"
        if code.endswith("\\") or part.count("{") > part.count("}"):
            continue
        named = re.fullmatch(r"\s*(\w+)\s*=\s*\"?([^\"]*?)\"?\s*", part)
        if named:
            macros[named[1]] = named[2]
        else:
            full = re.sub(r"\$\{?(\w+)\}?", lambda one: macros.get(one[1], one[0]), part)
            parsed.append(PfStatement(first, number, tuple(_WORD.findall(full))))
        part = ""
    return [one for one in parsed if one.words]


def rate(text: str, path: str, origin: str, *, whole_bps: float | None = None) -> float | None:
    """A bandwidth in bit/s: ``20Mb``, ``20M``, or ``30%`` of ``whole_bps``; None for a share of an unknown rate.

    Raises:
        ScenarioError: For text of another form.
    """
    match = re.fullmatch(r"([0-9.]{1,20})(%|[KkMmGg]?)b?", text)
    if match is None:
        refuse(
            path, text, "must be a rate such as 20Mb, or a share such as 30%", "write it so", origin=origin
        )
    number = real(match[1], path, origin=origin)
    if match[2] == "%":
        return None if whole_bps is None else whole_bps * number / 100.0
    return number * _UNITS[match[2].lower()]


def shown_rate(bps: float) -> str:
    """A rate in whole kilobits or megabits: ``20M``, ``1500K``."""
    if bps >= 1e6 and bps % 1e6 == 0:
        return f"{bps / 1e6:.0f}M"
    return f"{bps / 1e3:.0f}K" if bps >= 1e3 else f"{bps:.0f}"


def replaced(text: str, statement: PfStatement, words: list[str]) -> str:
    """The text with a statement in other words, on one line; the comment of its last line stays."""
    lines = text.splitlines()
    indent = re.match(r"\s*", lines[statement.first])
    comment = lines[statement.last].partition("#")
    new = f"{indent[0] if indent else ''}{spelled(words)}{f' #{comment[2]}' if comment[1] else ''}"
    after = [*lines[: statement.first], new, *lines[statement.last + 1 :]]
    return "\n".join(after) + ("\n" if text.endswith("\n") else "")


def spelled(words: list[str]) -> str:
    """Words as pf.conf writes them: names in braces with commas, options in round brackets without."""
    parts, inside = list[str](), ""
    for i, word in enumerate(words):
        last = words[i + 1 : i + 2] in (["}"], [")"])
        inside = word if word in "{(" else "" if word in "})" else inside
        comma = "," if inside == "{" and word != "{" and not last else ""
        parts.append(f"{word}{comma}")
    return re.sub(r" ?\( ", "(", " ".join(parts)).replace(" )", ")")
