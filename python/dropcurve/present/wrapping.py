"""Markdown wrapped at a column, so that pages written by hand and by programs look alike in a diff."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Width of the project's pages.
COLUMNS = 100

# Links and inline code are never broken; any other text without a blank is a word.
_WORD = re.compile(r"(?:!?\[[^\]\n]*\]\([^)\n]*\)|`[^`\n]*`|\\.|[^\s`\[]|\[|`)+")
_ITEM = re.compile(r"(\s*)([*+-]|\d+[.)])\s+")
# A line that begins so would become a heading, an item, a quotation or a table.
_MARK = re.compile(r"(?:[*+-]|\d+[.)]|#+|>.*|\|.*|=+|-+|```.*|~~~.*)$")


def wrap_markdown(text: str, columns: int = COLUMNS) -> str:
    """Returns Markdown with its paragraphs and list items wrapped.

    Paragraphs that fit already stay as they are. Tables, headings, code, HTML and quotations are
    never touched, and neither a link nor inline code is broken.

    Args:
        text: The page.
        columns: Most characters of a line.

    Returns:
        The same page; a second call changes nothing.

    Example:
        >>> wrap_markdown("one two three", 8)
        'one two\\nthree'
    """
    lines: list[str] = []
    for block, prose in _blocks(text.split("\n")):
        lines += _wrapped(block, columns) if prose else block
    return "\n".join(lines)


def _blocks(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """The page's lines in blocks, each with whether it is a paragraph or list item."""
    block: list[str] = []
    fenced = False
    for line in lines:
        fence = line.lstrip().startswith(("```", "~~~"))
        alone = fenced or fence or not line.strip() or line.lstrip().startswith(("|", "#", ">", "<"))
        indented = not block and line.startswith("    ") and not _ITEM.match(line)
        if block and (alone or _ITEM.match(line) or block[-1].endswith(("  ", "\\"))):
            yield block, True
            block = []
        if alone or indented:
            yield [line], False
        else:
            block.append(line)
        fenced ^= fence
    if block:
        yield block, True


def _wrapped(block: list[str], columns: int) -> list[str]:
    """The lines of a paragraph or list item, wrapped if one is too long."""
    if all(len(line) <= columns for line in block):
        return block
    first = block[0]
    item = _ITEM.match(first)
    start = item[0] if item else first[: len(first) - len(first.lstrip())]
    indent = " " * len(start) if item is None or len(block) == 1 else _indent(block[1], start)
    words = _words(" ".join([first[len(start) :], *(line.strip() for line in block[1:])]))
    trailing = block[-1][len(block[-1].rstrip()) :]
    lines, line = [], start
    for word in words:
        if line not in (start, indent) and len(line) + 1 + len(word) > columns:
            lines.append(line)
            line = indent + word
        else:
            line += word if line in (start, indent) else f" {word}"
    return [*lines, line + trailing]


def _words(text: str) -> list[str]:
    """Returns the pieces between which a line may be broken; a mark of Markdown stays with the word before it."""
    words: list[str] = []
    for word in _WORD.findall(text):
        if words and _MARK.match(word):
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words


def _indent(second: str, start: str) -> str:
    """Indentation of the lines of an item after its first."""
    return second[: len(second) - len(second.lstrip())] or " " * len(start)
