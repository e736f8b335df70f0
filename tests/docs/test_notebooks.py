"""Every cell of every notebook runs, and the last line of a cell can be shown."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    shown = [execute("".join(cell["source"]), space) for cell in code(path)]
    displays = [one for one in shown if type(one).__module__.startswith("dropcurve")]
    assert len(displays) >= 2
    assert all(one._repr_html_().startswith("<") for one in displays)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_holds_no_output(path: Path) -> None:
    """Outputs are of the reader's version: the file has none."""
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code(path))


def test_the_page_lists_them_all() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) >= 2
    assert all(f"]({path.name})" in page for path in NOTEBOOKS)


def code(path: Path) -> list[dict[str, Any]]:
    """The cells of code."""
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def execute(source: str, space: dict[str, Any]) -> object:
    """Runs a cell; returns the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), space)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), space)
