"""Links of the docs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tidy_rules.tree import Fault, Tree

LINK = re.compile(r"!?\[[^\]\n]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
IMAGE = re.compile(r"<(?:img|source|a)\b[^>]*?\b(?:src|href|srcset)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


def check(tree: Tree) -> Iterator[Fault]:
    """Every link of a Markdown page leads to a file, a folder or a heading that is there."""
    known = set(tree.files)
    for path in tree.files:
        known.update(parent.as_posix() for parent in PurePosixPath(path).parents)
    for path in tree.matching(".md"):
        for number, line in prose(tree, path):
            for target in LINK.findall(line) + IMAGE.findall(line):
                if ELSEWHERE.match(target):
                    continue
                file, _, heading = target.partition("#")
                where = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
                if where not in known:
                    yield Fault(path, number, "link", f"{target} leads nowhere")
                elif heading and where.endswith(".md") and heading not in headings(tree, where):
                    yield Fault(path, number, "link", f"{where} has no heading #{heading}")


def prose(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """The lines outside code fences, without inline code."""
    fenced = False
    for number, line in tree.lines(path):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, re.sub(r"`[^`]*`", "", line)


def headings(tree: Tree, path: str) -> set[str]:
    """Anchors of a page's headings, as they are usually made."""
    anchors = set()
    fenced = False
    for _, line in tree.lines(path):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and (match := re.match(r"#+ +(.*)", line)):
            title = re.sub(r"[^\w\- ]", "", match[1].strip().lower())
            anchors.add(title.replace(" ", "-"))
    return anchors
