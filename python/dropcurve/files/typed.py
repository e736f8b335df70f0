"""The shape of a type, so that stored data is checked against the types that its readers declare."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from .shape import Keys


def shape_of(kind: Any) -> Any:
    """Returns the shape, as in `shape.faults`, of a ``TypedDict``, a sequence, a mapping from text, an alternative
    of types or a plain type."""
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        return {
            f"{name}?" if get_origin(one) is NotRequired else name: shape_of(
                get_args(one)[0] if get_origin(one) is NotRequired else one
            )
            for name, one in hints.items()
        }
    if get_origin(kind) in (list, Sequence):
        return [shape_of(get_args(kind)[0])]
    if get_origin(kind) is dict:
        return Keys(shape_of(get_args(kind)[1]))
    if get_origin(kind) is UnionType:
        return tuple(map(shape_of, get_args(kind)))
    return None if kind is NoneType else kind
