"""Every public call has its sections, and the examples that cost nothing run."""

from __future__ import annotations

import doctest
import inspect
from typing import Any

import pytest

import dropcurve as dc

PUBLIC = {name: getattr(dc, name) for name in dc.__all__}
CALLS = {name: value for name, value in PUBLIC.items() if callable(value) and not inspect.isclass(value)}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}
#: Calls whose example is fast enough to run.
INSTANT = ("catalogue", "scenarios", "schema", "trace", "version")
#: Public methods with their functions, and those whose example is fast enough to run.
METHODS = {
    f"{name}.{key}": getattr(member, "__func__", member)
    for name, owner in CLASSES.items()
    for key, member in vars(owner).items()
    if not key.startswith("_") and inspect.isfunction(getattr(member, "__func__", member))
}
INSTANT_METHODS = tuple(
    f"Scenario.{name}" for name in ("load", "parse", "set", "with_", "edit", "queue", "get", "given")
)


def sections(call: Any) -> set[str]:
    """The headings that a docstring must have: those of its arguments, value, errors, and an example."""
    needed = {"Returns:", "Example:"}
    return needed | {"Args:", "Raises:"} if inspect.signature(call).parameters else needed


@pytest.mark.parametrize("name", CALLS)
def test_a_call_says_what_goes_in_and_comes_out(name: str) -> None:
    text = inspect.getdoc(CALLS[name]) or ""
    assert sections(CALLS[name]) <= set(text.split())
    arguments = text.partition("Args:")[2].partition("Returns:")[0]
    described = arguments.replace("``", " ").replace(",", " ").replace(":", " ").split()
    assert set(inspect.signature(CALLS[name]).parameters) <= set(described)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_and_its_public_methods_have_docstrings(name: str) -> None:
    own = {
        f"{name}.{key}": member
        for key, member in vars(CLASSES[name]).items()
        if not key.startswith("_") and (callable(member) or isinstance(member, (property, classmethod)))
    }
    missing = [key for key, member in {name: CLASSES[name], **own}.items() if not inspect.getdoc(member)]
    assert missing == []


@pytest.mark.parametrize("name", [name for name in METHODS if name != "Scenario.run"])
def test_a_method_says_what_goes_in_and_comes_out(name: str) -> None:
    signature = inspect.signature(METHODS[name])
    arguments = set(signature.parameters) - {"self", "cls"}
    needed = {"Example:"} | ({"Args:"} if arguments else set())
    needed |= {"Returns:"} if signature.return_annotation not in (None, "None") else set()
    text = inspect.getdoc(METHODS[name]) or ""
    assert needed <= {line.strip() for line in text.splitlines()}
    described = (
        text.partition("Args:")[2].partition("Returns:")[0].replace(",", " ").replace(":", " ").split()
    )
    assert arguments <= set(described)


@pytest.mark.parametrize("name", INSTANT_METHODS)
def test_the_example_of_a_method_runs(name: str) -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(METHODS[name], name, globs={"dropcurve": dc})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", INSTANT)
def test_the_example_runs(name: str) -> None:
    call = inspect.unwrap(CALLS[name])
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(call, name, globs={"dropcurve": dc})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
