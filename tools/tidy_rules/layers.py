"""Layers: which crates, rooms and modules may depend on which, and no circle among files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from tidy_rules import graph
from tidy_rules.tree import Fault, Tree

TABLE = "docs/architecture.md"
SECTION = "## Who may depend on whom"
PURE = {"units", "queue", "transport", "sim"}

DRAWING = re.compile(r"## The Python package.*?```\n(.*?)```", re.DOTALL)
#: Column of the drawing at which the names of rooms end and their description begins.
NAMES_END = 42
#: Most rooms of the package, and most floors: a new one takes the place of another.
MOST_ROOMS, MOST_FLOORS = 20, 12
#: Files whose name is no room: the package's face and its entry.
FACE = ("__init__.py", "__main__.py")


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
    package = graph.python_imports(tree)
    yield from floors(tree, package)
    yield from circles(tree, package)


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


def floors(tree: Tree, package: graph.Graph) -> Iterator[Fault]:
    """Each room of the package imports rooms of lower lines of the drawing only."""
    drawn = floor_of(tree)
    if not drawn:
        return
    if len(drawn) > MOST_ROOMS or max(drawn.values()) >= MOST_FLOORS:
        rule = f"at most {MOST_ROOMS} rooms on {MOST_FLOORS} floors: put the new one into one that is there"
        yield Fault(TABLE, 1, "layers", rule)
    found: set[str] = set()
    for path, imported in package.items():
        room = room_of(path)
        if room in FACE:
            continue
        found.add(room)
        if room not in drawn:
            yield Fault(path, 1, "layers", f"{room} is not in the drawing of the Python package in {TABLE}")
            continue
        for other, line in imported.items():
            below = room_of(other)
            if below in FACE:
                yield Fault(
                    path, line, "layers", "import from the module that defines it, not from dropcurve"
                )
            elif below != room and drawn.get(below, -1) >= drawn[room]:
                yield Fault(path, line, "layers", f"{room} may not use {below}, which {TABLE} draws no lower")
    for room in sorted(set(drawn) - found):
        yield Fault(TABLE, 1, "layers", f"{room} is drawn and does not exist")


def floor_of(tree: Tree) -> dict[str, int]:
    """The floor of each room as drawn, 0 the lowest; empty without a drawing."""
    drawing = DRAWING.search(tree.text(TABLE))
    lines = drawing[1].splitlines() if drawing else []
    return {room: floor for floor, line in enumerate(reversed(lines)) for room in line[:NAMES_END].split()}


def room_of(path: str) -> str:
    """The room of a file: its folder right below the package, or its own name."""
    head, _, inside = path.removeprefix(graph.PACKAGE).partition("/")
    return head if inside or head in FACE else head.partition(".")[0]


def circles(tree: Tree, package: graph.Graph) -> Iterator[Fault]:
    """No files import each other in a circle, neither in Python nor within a crate."""
    graphs = [package, graph.python_imports(tree, "validation/")]
    crates = {path.split("/")[1] for path in tree.matching("crates/", ".rs")}
    graphs += [graph.rust_imports(tree, crate) for crate in sorted(crates)]
    for one in graphs:
        for circle in graph.circles(one):
            path = circle[0]
            other = next(name for name in one[path] if name in circle)
            yield Fault(
                path, one[path][other], "layers", f"imports {other}, in a circle: {', '.join(circle)}"
            )


def line_of(text: str, name: str) -> int:
    """Where a dependency is written."""
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*\"?{re.escape(name)}\"?\s*[.=]", line):
            return number
    return 1
