"""Defaults of options from the environment and from a file.

``DROPCURVE_JOBS`` and ``DROPCURVE_OUT`` override ``jobs`` and ``out`` of ``config.toml`` in
``$XDG_CONFIG_HOME/dropcurve`` (``~/.config/dropcurve``)::

    jobs = 4                 # threads of every verb
    out = "/data/dropcurve"  # the folder under which results are stored

    [compare]                # options of one verb
    replications = 20

The command line comes first, then the environment, then the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import DropcurveError, Problem, Shown, nearest
from ..files.named import load_toml

#: Environment variable with the folder under which results are stored.
OUT = "DROPCURVE_OUT"
#: Environment variable with the number of threads.
JOBS = "DROPCURVE_JOBS"
#: Folder of results unless another one is named.
RESULTS = "results"


def path() -> Path:
    """Path of the file, whether or not it exists."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "dropcurve" / "config.toml"


def read() -> dict[str, Any]:
    """The file's content; empty if there is none. Raises DropcurveError if it cannot be read or is not TOML."""
    place = path()
    return load_toml(place)[0] if place.exists() else {}


def results() -> Path:
    """The folder under which results are stored."""
    named = os.environ.get(OUT)
    return Path(named or _folder(read().get("out", RESULTS)))


def _folder(value: Any) -> str:
    """The folder that ``out`` names. Raises DropcurveError for a value that is not a name."""
    if isinstance(value, str) and value.strip():
        return value
    raise DropcurveError(
        f"{path()}: out", value, "must be the name of a folder", 'write one such as out = "results"'
    )


#: Kinds of values by the name of an option's type: the types of TOML, the rule, and an example.
_KINDS: dict[str, tuple[tuple[type, ...], str, str]] = {
    "int": ((int,), "must be a whole number", "4"),
    "float": ((int, float), "must be a number", "0.05"),
    "boolean": ((bool,), "must be true or false", "true"),
}
_TEXT = ((str, int, float), "must be text or a number", '"10 ms"')


def check(param: Any, value: Any) -> None:
    """Checks the default of an option that the command line leaves out, before it is used.

    Args:
        param: The option, as the parser of arguments has it.
        value: Its value in the file; None without one.

    Raises:
        DropcurveError: For a value of another kind in the environment or in the file, with the place and the remedy.
    """
    name, (kinds, rule, example) = str(param.name), _KINDS.get(param.type.name, _TEXT)
    if variable := _variable(param):
        text = os.environ[variable].strip()
        if kinds == (int,) and not text.lstrip("+-").isdecimal():
            raise DropcurveError(variable, text, rule, f"set {variable}={example}, or unset it")
        return
    if value is None:
        return
    several = bool(getattr(param, "multiple", False))
    values = value if isinstance(value, list) else [value]
    if several != isinstance(value, list):
        form = "a list of values" if several else "one value, not a list"
        sample = f'["{values[0] if values else ""}"]' if several else example
        raise DropcurveError(f"{path()}: {name}", value, f"must be {form}", f"write {name} = {sample}")
    for one in values:
        if not isinstance(one, kinds) or (isinstance(one, bool) and bool not in kinds):
            raise DropcurveError(f"{path()}: {name}", one, rule, f"write one such as {name} = {example}")


def _variable(param: Any) -> str:
    """The environment variable that an option's default comes from; "" without one that is set."""
    named = [param.envvar] if isinstance(param.envvar, str) else param.envvar or []
    return next((one for one in named if os.environ.get(one, "").strip()), "")


def placed(error: DropcurveError, context: Any) -> DropcurveError:
    """An error whose problems name the place of values that are defaults: the variable, or the key of the file.

    Args:
        error: What a verb raised about its values.
        context: Context of the verb, as the parser of arguments has it.

    Returns:
        The same kind of error; problems of values from the command line are as they were.
    """
    return type(error).of((_placed(one, context) for one in error.problems), origin=error.origin)


def _placed(problem: Problem, context: Any) -> Problem:
    name = problem.path.lstrip("-").replace("-", "_")
    source = getattr(context.get_parameter_source(name), "name", "")
    if source == "ENVIRONMENT":
        param = next(one for one in context.command.params if one.name == name)
        place = _variable(param)
        given = os.environ.get(place, "")
    elif source == "DEFAULT_MAP":
        place, given = f"{path()}: {name}", str((context.default_map or {}).get(name))
    else:
        return problem
    # Another file of the verb may have a key of this name.
    if problem.value not in given:
        return problem
    shown: Shown = {"value": "both", "rule": "path"}.get(problem.shown, problem.shown)  # type: ignore[assignment]
    return replace(problem, path=place, shown=shown)


def by_verb(options: Mapping[str, frozenset[str]]) -> dict[str, dict[str, Any]]:
    """Defaults of each verb, as the parser of arguments takes them.

    Args:
        options: The names of the options of each verb.

    Raises:
        DropcurveError: For a key that is neither an option nor a verb, with the nearest name.
    """
    stored = read()
    every = frozenset().union(*options.values()) - {"out"}
    defaults: dict[str, dict[str, Any]] = {verb: {} for verb in options}
    for key, value in stored.items():
        if isinstance(value, dict):
            if key not in options:
                raise DropcurveError(*_unknown(f"[{key}]", key, frozenset(options), "no such verb"))
            for name in value:
                if name not in options[key]:
                    raise DropcurveError(
                        *_unknown(f"{key}.{name}", name, options[key], f"{key} has no such option")
                    )
            defaults[key].update(value)
        elif key in every:
            for verb, names in options.items():
                if key in names:
                    defaults[verb].setdefault(key, value)
        elif key == "out":
            _folder(value)
        else:
            raise DropcurveError(*_unknown(key, key, every | {"out"}, "no such option"))
    return defaults


def _unknown(shown: str, name: str, known: frozenset[str], rule: str) -> tuple[str, str, str, str]:
    hint = nearest(name, sorted(known), otherwise=f"there are {', '.join(sorted(known))}")
    return str(path()), shown, rule, hint
