"""Values as text on a command line: ``queue.max_p=0.1``, ``red:dialect=ns2,max_p=0.1``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from ..errors import UsageError
from ..files.reading import parse_json, parse_toml


def parse(text: str) -> Any:
    """A number, switch, list or quoted text in TOML, a table or a list of tables in JSON; anything else (``10
    Mbit/s``) is text."""
    text = text.strip()
    if text.startswith("{") or re.match(r"\[\s*\{\s*\"|\[[^=]*\{\s*\"\w+\"\s*:", text):
        try:
            return parse_json(text)
        except ValueError:
            return text
    try:
        value = parse_toml(f"value = {text}")["value"] if "\n" not in text else text
    except ValueError:
        return text
    plain = isinstance(value, (bool, int, str, list)) or (isinstance(value, float) and math.isfinite(value))
    return value if plain else text


def show(value: Any) -> str:
    """The inverse of `parse`: text that it reads as ``value``."""
    if isinstance(value, str):
        return value if parse(value) == value else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def show_item(value: Any) -> str:
    """Returns an item of a list between commas: as `show`, quoted where a comma outside brackets would end it."""
    shown = show(value)
    return shown if split_commas(shown) == [shown.strip()] else json.dumps(value, ensure_ascii=False)


def assignment(text: str) -> tuple[str, Any]:
    """``path=value``. Raises UsageError if there is no equals sign or no path."""
    path, sign, value = text.partition("=")
    if not sign or not path.strip():
        raise UsageError(
            "assignment", text, "must be PATH=VALUE", "write one such as queue.max_p=0.1", shown="value"
        )
    return path.strip(), parse(value)


def split_commas(text: str) -> list[str]:
    """Parts between the commas outside quotes and brackets."""
    parts, depth, quoted, part = [], 0, False, ""
    for char in text:
        if char == '"':
            quoted = not quoted
        depth += 0 if quoted else (char in "[{") - (char in "]}")
        if char == "," and depth == 0 and not quoted:
            parts.append(part)
            part = ""
        else:
            part += char
    return [piece.strip() for piece in [*parts, part] if piece.strip()]


def named(text: str) -> tuple[str, str]:
    """``classic=red:max_p=0.1`` into a name and the rest; the name is "" unless an equals sign comes before
    any colon."""
    name, sign, rest = text.partition("=")
    if not sign or ":" in name:
        return "", text
    if not name.strip():
        raise UsageError(
            "queue",
            text,
            "must be NAME=KIND:KEY=VALUE,... or KIND:KEY=VALUE,...",
            "write one such as red:max_p=0.1",
        )
    return name.strip(), rest


def queue(text: str) -> tuple[str, dict[str, Any]]:
    """``red:dialect=ns2,max_p=0.1`` into kind and parameters; a lone word after the colon is the dialect.
    ``drr:child=codel,child.target=2 ms``: keys with a dot belong to the discipline inside."""
    kind, _, rest = text.partition(":")
    parameters: dict[str, Any] = {}
    for part in split_commas(rest):
        if "=" not in part:
            part = f"dialect={part}"
        key, value = assignment(part)
        if not _placed(parameters, key, value):
            raise UsageError("queue", text, f"sets {key} twice", "leave out one of the two")
    if not kind.strip():
        raise UsageError(
            "queue",
            text,
            "must begin with the name of a discipline",
            "write one such as red:dialect=ns2,max_p=0.1",
        )
    return kind.strip(), parameters


def _placed(table: dict[str, Any], path: str, value: Any) -> bool:
    """Sets a value at a dotted path; returns whether the path was free. A single word for an inner discipline becomes
    a table if one of its keys follows."""
    *parents, last = path.split(".")
    for name in parents:
        inner = table.setdefault(name, {})
        if isinstance(inner, str):
            kind, _, dialect = inner.partition(":")
            inner = table[name] = {"kind": kind, **({"dialect": dialect} if dialect else {})}
        if not isinstance(inner, dict):
            return False
        table = inner
    if last in table:
        return False
    table[last] = value
    return True


def variation(text: str) -> tuple[str, list[Any]]:
    """``queue.max_p=0.02,0.1`` into path and values."""
    path, sign, rest = text.partition("=")
    values = [parse(part) for part in split_commas(rest)]
    if not sign or not path.strip() or not values:
        raise UsageError(
            "variation",
            text,
            "must be PATH=VALUE,VALUE,...",
            "write one such as queue.max_p=0.02,0.1",
            shown="value",
        )
    return path.strip(), values


def variations(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Several `variation` by path. Raises UsageError if a path comes twice."""
    by_path: dict[str, list[Any]] = {}
    for text in texts:
        path, some = variation(text)
        if path in by_path:
            raise UsageError(
                path, some, "varies twice", f"put all its values into one: {path}=VALUE,VALUE", shown="path"
            )
        by_path[path] = some
    return by_path


def share(text: str, what: str = "precision") -> float:
    """``5%`` or ``0.05`` as 0.05; ``what`` names it in an error. Raises UsageError outside (0, 1)."""
    raw = text.strip()
    try:
        value = float(raw.removesuffix("%")) / (100.0 if raw.endswith("%") else 1.0)
    except ValueError:
        value = math.nan
    if not 0.0 < value < 1.0:
        raise UsageError(what, text, "must lie between 0 and 1", "write one such as 5% or 0.05")
    return value
