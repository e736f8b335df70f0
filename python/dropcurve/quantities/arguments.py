"""Arguments of public functions: their types are compared with the annotations before anything is done."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from ..errors import Problem, UsageError

P = ParamSpec("P")
R = TypeVar("R")

#: Words for each type that an annotation names, and the check; values of any other name are accepted.
_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "None": ("None", lambda value: value is None),
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "int": ("a whole number", lambda value: isinstance(value, Integral) and not isinstance(value, bool)),
    "float": ("a number", lambda value: isinstance(value, Real) and not isinstance(value, bool)),
    "str": ("text", lambda value: isinstance(value, str)),
    "Path": ("a path", lambda value: isinstance(value, os.PathLike)),
    "Scenario": ("a scenario", lambda value: _is_called(value, "Scenario")),
    "Result": ("a result", lambda value: _is_called(value, "Result")),
    "Sweep": ("a sweep", lambda value: _is_called(value, "Sweep")),
    "Mapping": ("a dictionary", lambda value: isinstance(value, Mapping)),
    "tuple": ("a pair", lambda value: isinstance(value, (list, tuple))),
    "Iterable": ("a list", lambda value: _is_series(value)),
    "Sequence": ("a list", lambda value: _is_series(value)),
}
_UNKNOWN = ("", lambda _: True)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Refuses arguments of types that the annotations of a function do not name.

    Whole and other numbers may be those of numpy. Lists and tuples are checked by their items, dictionaries by their
    keys.

    Args:
        function: The function; its annotations are text, as under ``from __future__ import annotations``.

    Returns:
        The function, which raises UsageError with a problem for each argument of another type.

    Example:
        >>> checked(run)("droptail_vs_red", seed="one")
        UsageError: seed = 'one': must be a whole number, not str; help(run) describes it
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = _signature(function).bind(*args, **kwargs).arguments
        except TypeError:
            # Python's own message names what is missing, or too many.
            return function(*args, **kwargs)
        problems = [
            _problem(function, name, value, rule)
            for name, value in given.items()
            if (rule := function.__annotations__.get(name)) and not _fits(value, rule)
        ]
        if problems:
            raise UsageError.of(problems)
        return function(*args, **kwargs)

    return call


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _problem(function: Callable[..., Any], name: str, value: Any, rule: str) -> Problem:
    words = list(dict.fromkeys(_type(one)[0] + _of_items(one) for one in _alternatives(rule)))
    wanted = " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    # A list may be refused for its items.
    kind = "" if isinstance(value, (list, tuple, Mapping)) else f", not {type(value).__name__}"
    return Problem(
        name, _shown(value), f"must be {wanted}{kind}", f"help({function.__qualname__}) describes it"
    )


def _shown(value: Any) -> str:
    """The value as text; its type where it has none."""
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 (an object of the caller)
        return f"<{type(value).__name__}>"


def _fits(value: Any, annotation: str) -> bool:
    """Whether a value has one of the types that an annotation names."""
    return any(_is(value, one) for one in _alternatives(annotation))


def _is(value: Any, one: str) -> bool:
    """Whether a value has a type, its items or keys included."""
    if one.startswith("tuple["):
        return isinstance(value, (list, tuple)) and _fit_in_order(value, _items(one))
    if not _type(one)[1](value):
        return False
    items = _items(one)
    if isinstance(value, Mapping):
        return all(_fits(key, items[0]) for key in value) if items else True
    if items and isinstance(value, (list, tuple)):
        return all(_fits(item, items[0]) for item in value)
    return True


def _fit_in_order(values: Sequence[Any], items: Sequence[str]) -> bool:
    """Whether the values of a tuple have its types."""
    if items[-1] == "...":
        return all(_fits(value, items[0]) for value in values)
    return len(values) == len(items) and all(map(_fits, values, items))


def _type(one: str) -> tuple[str, Callable[[Any], bool]]:
    return _TYPES.get(one.partition("[")[0].rpartition(".")[2], _UNKNOWN)


def _of_items(one: str) -> str:
    """Words for the items of a list or the keys of a dictionary."""
    items = _items(one)
    words = [_type(item)[0] for item in _alternatives(items[0])] if items else [""]
    if "" in words:
        return ""
    plural = " or ".join(word.removeprefix("a ") + ("s" if word.startswith("a ") else "") for word in words)
    return f" with {plural} as keys" if one.startswith("Mapping") else f" of {plural}"


@cache
def _alternatives(annotation: str) -> list[str]:
    """``str``, ``Sequence[str | Path]`` and ``None`` of ``str | Sequence[str | Path] | None``."""
    return _split(annotation, "|")


@cache
def _items(one: str) -> list[str]:
    """``str`` and ``Any`` of ``Mapping[str, Any]``."""
    inside = one.partition("[")[2]
    return _split(inside.removesuffix("]"), ",") if inside else []


def _split(text: str, sign: str) -> list[str]:
    """Parts between the signs that are in no brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == sign and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _is_called(value: Any, name: str) -> bool:
    """Whether a value is of a class of this name, which need not be imported."""
    return any(one.__name__ == name for one in type(value).__mro__)


def _is_series(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
