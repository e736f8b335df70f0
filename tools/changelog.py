"""Moves the notes in changes/ into CHANGELOG.md, as one release.

python tools/changelog.py 0.2.0 2027-01-31

A version that the changelog does not have becomes its first section. Notes that come after a section was written, and
before the release, are added to that section.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from dropcurve.present.wrapping import wrap_markdown

KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}


def main(root: Path, version: str, date: str) -> None:
    """Writes the notes into the release's section and deletes them."""
    notes = [path for path in sorted((root / "changes").glob("*.md")) if path.name != "README.md"]
    if not notes:
        sys.exit("changelog: no notes in changes/")
    changelog = root / "CHANGELOG.md"
    head, *releases = re.split(r"^(?=## )", changelog.read_text(encoding="utf-8"), flags=re.M)
    title = re.compile(rf"## {re.escape(version)} \(.*\)")
    older = [one for one in releases if not title.match(one)]
    present = next((one for one in releases if title.match(one)), "")
    text = with_items(title.sub("", present, count=1).strip(), items(notes))
    parts = [head, f"## {version} ({date})\n\n{text}\n", *older]
    whole = "\n\n".join(part.strip() for part in parts) + "\n"
    changelog.write_text(wrap_markdown(whole), encoding="utf-8")
    for note in notes:
        note.unlink()


def items(notes: list[Path]) -> dict[str, list[str]]:
    """The notes by the title of their kind, each on one line."""
    by_heading: dict[str, list[str]] = {title: [] for title in KINDS.values()}
    for note in notes:
        title = KINDS[note.name.rsplit(".", 2)[1]]
        by_heading[title].append(f"* {' '.join(note.read_text(encoding='utf-8').split())}")
    return {title: lines for title, lines in by_heading.items() if lines}


def with_items(text: str, added: dict[str, list[str]]) -> str:
    """A section with further items, each at the end of the list of its kind."""
    parts = [part for part in re.split(r"^(?=### )", text, flags=re.M) if part]
    for title, lines in added.items():
        heading = f"### {title}\n"
        place = next((number for number, part in enumerate(parts) if part.startswith(heading)), None)
        if place is None:
            parts.append(f"{heading}\n" + "\n".join(lines))
        else:
            parts[place] = parts[place].rstrip() + "\n" + "\n".join(lines)
    return "\n\n".join(part.strip() for part in parts)


if __name__ == "__main__":
    main(Path(__file__).resolve().parent.parent, *sys.argv[1:3])
