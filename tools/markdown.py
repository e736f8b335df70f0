"""Wraps the Markdown of the tree: `.venv/bin/python tools/markdown.py`, part of `make format`."""

from __future__ import annotations

from pathlib import Path

from dropcurve.present.wrapping import wrap_markdown
from tidy_rules import Tree

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Rewrites every page that has a line to wrap."""
    tree = Tree(ROOT)
    for path in tree.matching(".md"):
        text = tree.text(path)
        wrapped = wrap_markdown(text)
        if wrapped != text:
            (ROOT / path).write_text(wrapped, encoding="utf-8")
            print(f"wrapped {path}")


if __name__ == "__main__":
    main()
