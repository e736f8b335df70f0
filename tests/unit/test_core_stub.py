"""`_core.pyi` declares exactly the contents of the built module."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import dropcurve
from dropcurve import _core

STUB = ast.parse((Path(dropcurve.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))


def parameters(function: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]


def public(names: object) -> set[str]:
    return {name for name in dir(names) if not name.startswith("_")}


def test_the_module_matches_the_stub() -> None:
    declared = {node.name for node in STUB.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert declared == public(_core)


def test_functions_match_the_stub() -> None:
    for node in STUB.body:
        if isinstance(node, ast.FunctionDef):
            real = inspect.signature(getattr(_core, node.name))
            assert list(real.parameters) == parameters(node), node.name
            assert sum(p.default is not p.empty for p in real.parameters.values()) == len(node.args.defaults)


def test_classes_match_the_stub() -> None:
    for node in STUB.body:
        if isinstance(node, ast.ClassDef) and not node.name.endswith("Error"):
            real = getattr(_core, node.name)
            methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
            attributes = {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}
            assert public(real) == attributes | {one for one in methods if not one.startswith("_")}, node.name
            for name, method in methods.items():
                if not name.startswith("_"):
                    assert list(inspect.signature(getattr(real, name)).parameters) == parameters(method), name
