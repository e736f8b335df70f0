"""Moves the notes in changes/ to the top of CHANGELOG.md, as one release.

python tools/changelog.py 0.2.0 2027-01-31
"""

from __future__ import annotations

import sys
from pathlib import Path

KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}


def main(root: Path, version: str, date: str) -> None:
    """Writes the release and takes the notes away."""
    notes = [path for path in sorted((root / "changes").glob("*.md")) if path.name != "README.md"]
    if not notes:
        sys.exit("changelog: no notes in changes/")
    changelog = root / "CHANGELOG.md"
    head, mark, older = changelog.read_text(encoding="utf-8").partition("\n## ")
    text = f"{head.rstrip()}\n\n## {version} ({date})\n{section(notes)}{mark}{older}"
    changelog.write_text(text, encoding="utf-8")
    for note in notes:
        note.unlink()


def section(notes: list[Path]) -> str:
    """The notes as lists, by kind."""
    text = ""
    for kind, title in KINDS.items():
        items = [
            note.read_text(encoding="utf-8").split() for note in notes if note.name.endswith(f".{kind}.md")
        ]
        if items:
            text += f"\n### {title}\n\n" + "".join(f"* {' '.join(words)}\n" for words in items)
    return text


if __name__ == "__main__":
    main(Path(__file__).resolve().parent.parent, *sys.argv[1:3])
