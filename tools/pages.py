"""Fills in the parts of the docs that the code declares.

    python tools/pages.py            says which page is not what the code says
    python tools/pages.py --write    fills the pages in

A page marks such a part with a comment, and what stands between it and `<!-- end -->` is made here:

    <!-- parameters: red -->    the parameters of a discipline, a transport or a source, and their options
    <!-- dialects: red -->      its presets (the same: <!-- profiles: tcp -->)
    <!-- list: sources -->      a list of the core's catalogue with one line for each entry
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PART = re.compile(r"^<!-- (\w+): (\w+) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
Entry = dict[str, Any]


def filled(page: str, catalogue: Entry) -> str:
    """The page with every part made anew. Raises KeyError if a part names nothing that is there."""
    return PART.sub(
        lambda part: f"<!-- {part[1]}: {part[2]} -->\n{made(part[1], part[2], catalogue)}\n<!-- end -->", page
    )


def made(what: str, name: str, catalogue: Entry) -> str:
    """One part."""
    if what == "list":
        return names(catalogue[name])
    entry = found(name, catalogue)
    if what == "parameters":
        return parameters(entry["fields"])
    return presets(entry["preset_key"], entry[what])


def found(name: str, catalogue: Entry) -> Entry:
    """A discipline, a transport or a source by name."""
    for kind in ("disciplines", "transports", "sources"):
        for entry in catalogue[kind]:
            if name in (entry.get("kind"), entry.get("name")):
                return dict(entry)
    raise KeyError(name)


def parameters(fields: list[Entry]) -> str:
    """The table of parameters; below it, what each option with names means."""
    head = ["Parameter", "Default", "Meaning", "Rule", "Source"]
    rows = [
        [f"`{one['name']}`", f"`{shown(one['default'])}`", one["doc"], one["range"] or "", origin(one)]
        for one in fields
    ]
    options = [f"`{one['name']}`:\n\n{choices(one['choices'])}" for one in fields if one["choices"]]
    return "\n\n".join([table(head, rows), *options])


def origin(field: Entry) -> str:
    """Where a default comes from; *assumed* where no source settles it."""
    return ", ".join(part for part in (field["source"], "*assumed*" if field["assumed"] else "") if part)


def choices(rows: list[Entry]) -> str:
    """The values of an option."""
    return "\n".join(f"* `{row['name']}`: {flat(row['doc'])}" for row in rows)


def presets(key: str, rows: list[Entry]) -> str:
    """The presets, with the options each one sets."""

    def sets(row: Entry) -> str:
        return ", ".join(f"`{name} = {shown(value)}`" for name, value in row["options"].items())

    return table(
        [f"`{key}`", "Stands for", "Sets"], [[f"`{row['name']}`", row["doc"], sets(row)] for row in rows]
    )


def names(rows: list[Entry]) -> str:
    """Names with one line on each."""
    told = [[f"`{row.get('kind') or row['name']}`", row.get("title") or row["doc"]] for row in rows]
    return table(["Name", "What it is"], told)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown, without columns that are empty."""
    kept = [column for column in range(len(head)) if any(row[column] for row in rows)]
    cells = [[flat(row[column]).replace("|", "\\|") for column in kept] for row in [head, *rows]]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "---|" * len(kept), *lines[1:]])


def flat(text: str) -> str:
    return " ".join(text.split())


def shown(value: Any) -> str:
    """A value as a scenario writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def differing(root: Path) -> Iterator[tuple[Path, str]]:
    """Pages that are not what the code says, with the text they should have."""
    import dropcurve

    for file in sorted((root / "docs").rglob("*.md")):
        page = file.read_text(encoding="utf-8")
        text = filled(page, dropcurve.catalogue())
        if text != page:
            yield file, text


def main(write: bool) -> int:
    """Says which pages differ, or fills them in; 1 if any differ and stay so."""
    pages = list(differing(ROOT))
    for file, text in pages:
        print(f"docs: {file.relative_to(ROOT)} {'filled in' if write else 'is not what the code says'}")
        if write:
            file.write_text(text, encoding="utf-8")
    return int(bool(pages) and not write)


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv))
