"""The package as a whole: a fast import, and every public name in its place."""

from __future__ import annotations

import subprocess
import sys

import dropcurve

HEAVY = {"numpy", "scipy", "matplotlib", "pyarrow", "pandas", "typer", "rich", "jinja2", "dropcurve._core"}


def test_the_import_loads_nothing_heavy() -> None:
    code = "import sys, dropcurve; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(found.stdout.split())


def test_every_public_name_is_there() -> None:
    for name in dropcurve.__all__:
        assert getattr(dropcurve, name) is not None
    assert set(dropcurve.__all__) == set(dropcurve._HOME)
    assert not hasattr(dropcurve, "nonsense")
