"""The package as a whole: a fast import, and every public name in its place."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import dropcurve

HEAVY = {"numpy", "scipy", "matplotlib", "pyarrow", "pandas", "typer", "rich", "jinja2", "dropcurve._core"}


def test_the_import_loads_nothing_heavy() -> None:
    code = "import sys, dropcurve; print(*sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(process.stdout.split())


def test_every_public_name_is_there() -> None:
    for name in dropcurve.__all__:
        assert getattr(dropcurve, name) is not None
    assert {*dropcurve.__all__, "__version__"} == set(dropcurve._HOME)
    assert not hasattr(dropcurve, "nonsense")


def test_the_version_is_that_of_the_package_and_is_loaded_on_use() -> None:
    code = "import sys, dropcurve; print('importlib.metadata' in sys.modules, dropcurve.__version__)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == ["False", metadata.version("dropcurve")]
    assert "__version__" in dir(dropcurve)
