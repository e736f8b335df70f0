"""What may depend on what."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from tidy_rules.tree import Fault, Tree

TABLE = "docs/architecture.md"
SECTION = "## Who may depend on whom"
PURE = {"units", "queue", "transport", "sim"}


def check(tree: Tree) -> Iterator[Fault]:
    """Cargo edges and Python imports keep to the table of docs/architecture.md; pure crates forbid unsafe."""
    allowed = dict(table_of(tree))
    if not allowed:
        yield Fault(TABLE, 1, "layers", f"no table under '{SECTION}'")
        return
    shared = tomllib.loads(tree.text("Cargo.toml")).get("workspace", {}).get("dependencies", {})
    ours = {name for name, value in shared.items() if isinstance(value, dict) and "path" in value}
    for manifest in tree.matching("Cargo.toml"):
        crate = manifest.split("/")[-2] if "/" in manifest else ""
        if manifest != f"crates/{crate}/Cargo.toml":
            continue
        if crate not in allowed:
            yield Fault(manifest, 1, "layers", f"crates/{crate} has no row in the table of {TABLE}")
            continue
        text = tree.text(manifest)
        for name in sorted(dependencies(tomllib.loads(text)) & (ours | set(allowed))):
            if name not in allowed[crate]:
                line = line_of(text, name)
                rule = ", ".join(sorted(allowed[crate])) or "nothing of ours"
                yield Fault(manifest, line, "layers", f"{crate} may use {rule}, not {name}")
        library = f"crates/{crate}/src/lib.rs"
        if crate in PURE and "#![forbid(unsafe_code)]" not in tree.text(library):
            yield Fault(library, 1, "layers", "a pure crate says #![forbid(unsafe_code)]")
    yield from imports(tree)


def table_of(tree: Tree) -> Iterator[tuple[str, set[str]]]:
    """Each crate with the crates it may use, from the table's rows."""
    above: set[str] = set()
    section = tree.text(TABLE).partition(SECTION)[2].partition("\n## ")[0]
    for row in re.findall(r"^\|(.*)\|$", section, re.MULTILINE):
        cells = [cell.strip() for cell in row.split("|")]
        crates = set(re.findall(r"`crates/(\w+)`", cells[0]))
        if not crates or len(cells) < 2:
            continue
        may = above.copy() if "above" in cells[1] else set(re.findall(r"`(\w+)`", cells[1]))
        for crate in sorted(crates):
            yield crate, may
        above |= crates


def dependencies(manifest: dict[str, Any]) -> set[str]:
    """Names in every table of dependencies, also those of one platform."""
    tables = [manifest, *manifest.get("target", {}).values()]
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    return {name for table in tables for kind in kinds for name in table.get(kind, {})}


def imports(tree: Tree) -> Iterator[Fault]:
    """The package imports neither the reference models, tools and tests nor the validation and the examples."""
    foreign = re.compile(r"^\s*(?:from|import) (reference|tools|tests|tidy_rules|validation|examples)\b")
    for path in tree.matching("python/", ".py"):
        for number, line in tree.lines(path):
            if found := foreign.match(line):
                yield Fault(path, number, "layers", f"the package may not use {found[1]}/")


def line_of(text: str, name: str) -> int:
    """Where a dependency is written."""
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*\"?{re.escape(name)}\"?\s*[.=]", line):
            return number
    return 1
