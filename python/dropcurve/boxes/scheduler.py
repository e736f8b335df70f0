"""The queue under design together with the strict priority above it, as one configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import DropcurveError
from ..quantities import wording
from . import front
from .model import Export, Note

#: Unit of the classes that `class_by` reads from a packet.
_CLASSES = {"precedence": "IP precedence", "number": "DSCP"}


def with_priority(
    exported: Export, scheduler: Mapping[str, Any], kind: str, params: Mapping[str, Any], **options: Any
) -> Export:
    """Returns the configuration of a whole strict priority scheduler with a queue in its last band.

    Args:
        exported: The configuration of the queue alone.
        scheduler: Parameters of the `prio` queue; its last band is replaced.
        kind: Discipline of the queue as asked for.
        params: Its parameters.
        options: Those of `front.export`, with ``box`` and ``rate_bps``.

    Returns:
        The whole configuration; where the box cannot be configured with this scheduler, the queue alone, with a note
        on what to add above it.

    Example:
        >>> with_priority(made, scenario.resolved["queue"], "red", {"limit": "200 pkts"}, box="ios", rate_bps=1e7)
    """
    above = scheduler["bands"][:-1]
    whole = {key: value for key, value in scheduler.items() if key != "kind"}
    whole["bands"] = [*above, {"kind": kind, **params}]
    try:
        both = front.export("prio", whole, **options)
    except DropcurveError as error:
        refusal = error.problems[0].rule if error.problems else str(error)
        return replace(exported, notes=[*exported.notes, _missing(scheduler, above, refusal)])
    return both


def _missing(scheduler: Mapping[str, Any], above: Sequence[Any], refusal: str) -> Note:
    """Note on the bands that a configuration does not contain although they were simulated."""
    kinds = [_shown(one) for one in above]
    by = str(scheduler.get("class_by", "precedence"))
    order = list(scheduler.get("band_of", []))
    first = [str(number) for number, band in enumerate(order) if int(band) < len(above)]
    more = " and above" if order and int(order[-1]) < len(above) else ""
    traffic = f" for {_CLASSES.get(by, by)} {wording.listed(first)}{more}" if first else ""
    queues = wording.listed(kinds)
    text = (
        f"this is the last band alone, and {queues} with strict priority above it{traffic} was simulated: configure "
        f"that too, since it is not written here ({refusal})"
    )
    return Note("load", "priority", text)


def _shown(band: Any) -> str:
    """A band in words, such as ``droptail of 64 pkts``."""
    if not isinstance(band, Mapping):
        return str(band)
    limit = band.get("limit")
    return f"{band.get('kind', 'droptail')}{f' of {limit}' if limit else ''}"
