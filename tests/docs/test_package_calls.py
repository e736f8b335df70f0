"""Each subpackage documents what its public functions take, return and raise, with an example."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve

#: Functions whose example needs nothing else and is fast enough to run.
INSTANT = {
    "advise": ("conditions",),
    "boxes": ("kinds", "named", "read"),
    "fixes": ("line",),
    "metrics": ("find", "friendliness_class", "measured_s", "split"),
    "studies": ("average", "gain", "load", "mean", "printed", "prose", "smooth"),
    "tuning": ("of_link", "of_mix"),
}


def public_calls(package: str) -> dict[str, Callable[..., Any]]:
    """Public functions of a subpackage that take arguments, by name."""
    module = importlib.import_module(f"dropcurve.{package}")
    own = [
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    ]
    names = getattr(module, "__all__", [name for name in own if not name.startswith("_")])
    public = {name: getattr(module, name) for name in names}
    return {
        name: call
        for name, call in public.items()
        if inspect.isfunction(call) and inspect.signature(call).parameters
    }


PACKAGES = sorted(path.parent.name for path in Path(dropcurve.__file__).parent.glob("*/__init__.py"))
CALLS = [(package, name) for package in PACKAGES for name in public_calls(package)]


def sections(call: Callable[..., Any]) -> set[str]:
    """The headings that a docstring must have."""
    needed = {"Args:", "Example:"}
    if inspect.signature(call).return_annotation not in (None, "None"):
        needed.add("Returns:")
    if "raise " in inspect.getsource(call):
        needed.add("Raises:")
    return needed


def test_there_are_calls_to_check() -> None:
    assert len(CALLS) > 60


@pytest.mark.parametrize(("package", "name"), CALLS)
def test_a_subpackage_documents_its_calls(package: str, name: str) -> None:
    call = public_calls(package)[name]
    text = inspect.getdoc(call) or ""
    assert sections(call) <= {line.strip() for line in text.splitlines()}
    arguments = text.partition("Args:")[2].partition("Returns:")[0]
    described = arguments.replace("``", " ").replace(",", " ").replace(":", " ").split()
    assert set(inspect.signature(call).parameters) <= set(described)


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, names in INSTANT.items() for name in names]
)
def test_the_example_of_a_subpackage_runs(package: str, name: str) -> None:
    calls = public_calls(package)
    (example,) = doctest.DocTestFinder(recurse=False).find(calls[name], name, globs=calls)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
