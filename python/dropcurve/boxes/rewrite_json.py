"""Profiles of SONiC and OpenConfig with other values, in the layout of their texts."""

from __future__ import annotations

import json
import re
from typing import Any

from .json_members import members, with_values
from .model import Export, Import


def of_sonic(text: str, queue: Import, exported: Export) -> str | None:
    """The text with the values of the profile in CONFIG_DB replaced that differ, in its own layout."""
    try:
        (new,) = json.loads(exported.text)["WRED_PROFILE"].values()
        start = next(one.value for one in members(text, text.index("{")) if one.key == "WRED_PROFILE")
        start = next(one.value for one in members(text, start) if one.key == queue.title)
        old = list(members(text, start))
    except (ValueError, KeyError, TypeError, StopIteration):
        return None
    # A colour that has no curve in the profile gets none.
    colours = {_colour(one.key) for one in old} | {""}
    kept = {key: value for key, value in new.items() if _colour(key) in colours}
    return with_values(text, old, kept) if old else None


def of_openconfig(text: str, queue: Import, exported: Export) -> str | None:
    """The text with the values of the profile replaced that differ, in its own layout."""
    try:
        new = _curve(json.loads(exported.text))
        named = re.search(rf'"(?:[\w-]+:)?name"\s*:\s*{re.escape(json.dumps(queue.title))}', text)
        if named is None or not new:
            return None
        for one in re.finditer(r'"(?:[\w-]+:)?config"\s*:\s*(?=\{)', text[named.start() :]):
            old = list(members(text, named.start() + one.end()))
            if any(member.key.endswith("min-threshold") for member in old):
                prefixed = {member.key.rpartition(":")[2]: member.key for member in old}
                return with_values(text, old, {prefixed.get(key, key): value for key, value in new.items()})
    except ValueError:
        return None
    return None


def _curve(tree: Any) -> dict[str, Any]:
    """The object in a tree that has a ``min-threshold``; {} without one."""
    if isinstance(tree, dict) and "min-threshold" in tree:
        return tree
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return next((one for one in map(_curve, parts) if one), {})


def _colour(key: str) -> str:
    """The colour of a key of a profile; "" for a key of all colours."""
    colour = re.match(r"(?:wred_)?(green|yellow|red)_", key)
    return colour[1] if colour else ""
