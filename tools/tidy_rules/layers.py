"""Layers: which crates, subpackages and modules may depend on which, and no circle among files."""

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
#: Column of the drawing at which the names of subpackages end and their description begins.
NAMES_END = 42
#: Most subpackages (or modules right below the package), and most layers of them: a new one takes another's place.
MOST_PARTS, MOST_LAYERS = 20, 12
#: Files of the package that are in no layer: its public names and its entry point.
TOP = ("__init__.py", "__main__.py")


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
    yield from package_layers(tree, package)
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
            if match := foreign.match(line):
                yield Fault(path, number, "layers", f"the package may not use {match[1]}/")


def package_layers(tree: Tree, package: graph.Graph) -> Iterator[Fault]:
    """Each part of the package imports only parts that the drawing has on lower lines."""
    drawn = layer_of(tree)
    if not drawn:
        return
    if len(drawn) > MOST_PARTS or max(drawn.values()) >= MOST_LAYERS:
        rule = (
            f"at most {MOST_PARTS} subpackages in {MOST_LAYERS} layers: put the new one into an existing one"
        )
        yield Fault(TABLE, 1, "layers", rule)
    names: set[str] = set()
    for path, imported in package.items():
        part = part_of(path)
        if part in TOP:
            continue
        names.add(part)
        if part not in drawn:
            yield Fault(path, 1, "layers", f"{part} is not in the drawing of the Python package in {TABLE}")
            continue
        for other, line in imported.items():
            below = part_of(other)
            if below in TOP:
                yield Fault(
                    path, line, "layers", "import from the module that defines it, not from dropcurve"
                )
            elif below != part and drawn.get(below, -1) >= drawn[part]:
                rule = f"{part} may not import {below}: {TABLE} does not draw it on a lower line"
                yield Fault(path, line, "layers", rule)
    for part in sorted(set(drawn) - names):
        yield Fault(TABLE, 1, "layers", f"{part} is drawn and does not exist")


def layer_of(tree: Tree) -> dict[str, int]:
    """The layer of each part of the package as drawn, 0 the lowest; empty without a drawing."""
    drawing = DRAWING.search(tree.text(TABLE))
    lines = drawing[1].splitlines() if drawing else []
    return {part: layer for layer, line in enumerate(reversed(lines)) for part in line[:NAMES_END].split()}


def part_of(path: str) -> str:
    """The part of the package that a file belongs to: its folder right below the package, or its own name."""
    head, _, inside = path.removeprefix(graph.PACKAGE).partition("/")
    return head if inside or head in TOP else head.partition(".")[0]


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
