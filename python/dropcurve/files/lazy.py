"""Packages whose public names are imported on first use (PEP 562), so that importing the package loads none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attributes(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Returns the ``__getattr__`` of a package.

    Args:
        package: Its full name.
        homes: Module of each public name, relative to the package. For a name that is itself a module: the package
            in which it lies, with a dot at the end, or an empty string if that is the package itself.

    Example:
        ``__getattr__ = lazy.attributes(__name__, {"Answer": "answer", "figures": ""})``
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        home = homes[name]
        if not home or home.endswith("."):
            return import_module(f"{package}.{home}{name}")
        return getattr(import_module(f"{package}.{home}"), name)

    return find
