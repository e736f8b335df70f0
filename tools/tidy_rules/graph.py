"""Import graphs of the package and of the crates, and the circles in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from tidy_rules import rust
from tidy_rules.tree import Tree

#: Each file with the files it imports, and the line of the first import of each.
Graph = dict[str, dict[str, int]]

PACKAGE = "python/dropcurve/"

#: Files of a crate by module path.
Modules = Mapping[tuple[str, ...], str]

USE = re.compile(r"\b(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);")
PATH = re.compile(r"(?<![:\w])(\w+)((?:::\w+)+)")


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Returns the sets of nodes that reach each other (strongly connected components of two or more), each sorted.

    Tarjan's algorithm, without recursion.
    """
    rings: list[list[str]] = []
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    for root in sorted(graph):
        work = [(root, iter(sorted(graph.get(root, ()))))] if root not in order else []
        while work:
            node, rest = work[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
            for other in rest:
                if other not in order:
                    work.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in stack:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    place = stack.index(node)
                    if len(stack) - place > 1:
                        rings.append(sorted(stack[place:]))
                    del stack[place:]
    return rings


def python_imports(tree: Tree, folder: str = PACKAGE) -> Graph:
    """Returns the imports among the modules of a package: at the top, in functions and for types alike.

    A package's ``__init__`` is imported with any module below it; that import is not counted.
    """
    files = {module_of(path): path for path in tree.matching(folder, ".py", ".pyi")}
    graph: Graph = {path: {} for path in files.values()}
    for module, path in files.items():
        package = module.split(".") if path.endswith("__init__.py") else module.split(".")[:-1]
        for node in tree.nodes(path):
            for target in targets(node, package):
                # A name that is not a module is defined by the module before its last dot.
                imported = files.get(target) or files.get(target.rpartition(".")[0])
                if imported and imported != path:
                    graph[path].setdefault(imported, getattr(node, "lineno", 1))
    return graph


def module_of(path: str) -> str:
    """Returns the dotted name of a Python file."""
    parts = list(PurePosixPath(path.removeprefix("python/")).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def targets(node: ast.AST, package: list[str]) -> Iterator[str]:
    """The dotted names that an import statement of a module of ``package`` imports."""
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        start = package[: len(package) - node.level + 1] if node.level else []
        base = ".".join([*start, *([node.module] if node.module else [])])
        yield from (f"{base}.{name.name}" for name in node.names)


def rust_imports(tree: Tree, crate: str) -> Graph:
    """Returns the paths that files of a crate name in other files of it, test modules left out.

    A name that a module re-exports from a module below it counts as one of that module. A module is part of those it
    is in (``sender::pace`` of ``sender``), so what it takes from them is not counted.
    """
    root = f"crates/{crate}/src/"
    tests = set(rust.test_modules(tree))
    files = {rust_module(path, root): path for path in tree.matching(root, ".rs") if path not in tests}
    texts = {module: rust.blank_tests(rust.code(tree.text(path))) for module, path in files.items()}
    exports = {module: dict(reexported(text, module, files)) for module, text in texts.items()}
    graph: Graph = {path: {} for path in files.values()}
    for module, text in texts.items():
        for line, named in paths(text, module, files):
            target = resolved(named, files, exports)
            if target is not None and target != module[: len(target)]:
                graph[files[module]].setdefault(files[target], line)
    return graph


def rust_module(path: str, root: str) -> tuple[str, ...]:
    """Returns the module path of a Rust file, () for the crate's root."""
    parts = PurePosixPath(path.removeprefix(root)).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def paths(text: str, module: tuple[str, ...], files: Modules) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The paths of the crate that a file names, from its root, with their lines; re-exports are left out."""
    for match in USE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if not match[0].lstrip().startswith("pub"):
            for named in expanded(match[1]):
                if absolute := from_root(named, module, files):
                    yield line, absolute
    for match in PATH.finditer(USE.sub(lambda use: re.sub(r"[^\n]", " ", use[0]), text)):
        if absolute := from_root((match[1], *match[2].strip(":").split("::")), module, files):
            yield text.count("\n", 0, match.start()) + 1, absolute


def expanded(use: str) -> list[tuple[str, ...]]:
    """The paths of a ``use`` declaration, its groups written out."""
    text = re.sub(r"\s+as\s+\w+", "", use)
    text = "".join(text.split())
    opening = text.find("{")
    if opening < 0:
        return [tuple(text.split("::"))]
    inside, depth, parts, start = text[opening + 1 : text.rfind("}")], 0, [], 0
    for place, sign in enumerate(inside + ","):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            parts.append(inside[start:place])
            start = place + 1
    head = text[:opening]
    return [path for part in parts if part for path in expanded(head + part)]


def from_root(named: tuple[str, ...], module: tuple[str, ...], files: Modules) -> tuple[str, ...] | None:
    """A path from the root of the crate; None for one that does not begin with a module of it."""
    here = module
    if named[0] == "crate":
        return named[1:]
    if (*module, named[0]) in files:
        return module + named
    if named[0] not in ("super", "self"):
        return None
    while named and named[0] in ("super", "self"):
        here = here[:-1] if named[0] == "super" else here
        named = named[1:]
    return here + named


def reexported(text: str, module: tuple[str, ...], files: Modules) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that a module re-exports, with the path each is taken from."""
    for match in USE.finditer(text):
        if match[0].lstrip().startswith("pub"):
            for named in expanded(match[1]):
                absolute = from_root(named, module, files) or module + named
                if any(absolute[:n] in files for n in range(len(module) + 1, len(absolute) + 1)):
                    yield named[-1], absolute


def resolved(
    named: tuple[str, ...], files: Modules, exports: Mapping[tuple[str, ...], Mapping[str, tuple[str, ...]]]
) -> tuple[str, ...] | None:
    """The module that defines the item of a path."""
    for _ in range(8):
        module = next((named[:n] for n in range(len(named), -1, -1) if named[:n] in files), None)
        if module is None or len(named) == len(module):
            return module
        onward = exports.get(module, {}).get(named[len(module)])
        if onward is None or onward == named:
            return module
        named = onward
    return module
