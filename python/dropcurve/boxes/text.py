"""Exports and imports as text and as data."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable
from typing import Any

from ..quantities import units, values
from .model import Export, Import, Note, queue_text
from .tc_try import Trial


def notes(entries: Iterable[Note], *, width: int, mark: str = "") -> list[str]:
    """A line for each note, wrapped."""
    lines = []
    for one in entries:
        head = f"{mark}{one.kind:<9}"
        body = f"{one.key}: {one.text}" if one.key else one.text
        lines += textwrap.wrap(
            body, width, initial_indent=head, subsequent_indent=mark + " " * 9, break_on_hyphens=False
        )
    return lines


def about(exported: Export, *, width: int = 100, trial: Trial | None = None) -> str:
    """Notes on an export, its effect, and the queue as loaded."""
    lines = notes(exported.notes, width=width)
    lines += (
        textwrap.wrap("effect   " + "; ".join(exported.effect), width, subsequent_indent=" " * 9)
        if exported.effect
        else []
    )
    lines.append(f"as loaded  {exported.queue_as_loaded}")
    if trial is not None:
        lines += _trial(trial)
    return "\n".join(lines)


def _trial(trial: Trial) -> list[str]:
    if trial.skipped:
        return [f"not tried: {trial.skipped}"]
    return [
        f"tried    {one.outcome}: {one.command}" + (f" ({one.message})" if one.message else "")
        for one in trial.verdicts
    ]


def export_data(exported: Export, trial: Trial | None = None) -> dict[str, Any]:
    """An export as data for JSON."""
    data: dict[str, Any] = {
        "box": exported.box, "discipline": exported.discipline, "params": exported.params, "text": exported.text,
        "notes": [vars(one) for one in exported.notes], "effect": exported.effect,
        "discipline_as_loaded": exported.discipline_as_loaded, "params_as_loaded": exported.params_as_loaded,
        "queue_as_loaded": exported.queue_as_loaded,
    }  # fmt: skip
    if trial is not None:
        data["trial"] = {"skipped": trial.skipped, "verdicts": [vars(one) for one in trial.verdicts]}
    return data


def import_text(queue: Import, *, width: int = 100) -> str:
    """The imported queue as text."""
    lines = [
        f"{queue.box}: {queue.discipline}",
        *(f"  {key} = {_shown(value)}" for key, value in queue.params.items()),
    ]
    if queue.rate_bps is not None:
        lines.append(f"shaped to {units.show_rate(queue.rate_bps)}")
    elif queue.port_bps is not None:
        lines.append(f"port of {units.show_rate(queue.port_bps)}")
    lines += notes(queue.notes, width=width)
    if queue.others:
        others = f"other queues in the text: {', '.join(queue.others)}"
        lines.append(f"{others}; --name reads one of them, `dropcurve fix` judges all")
    lines.append(f"--queue {shlex.quote(queue.queue)}")
    if queue.above:
        lines.append(f"below {queue.above[0].title}: --queue {shlex.quote(queue_text(*queue.placed))}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    return values.show(value)


def import_data(queue: Import) -> dict[str, Any]:
    """An import as data for JSON."""
    return {
        "box": queue.box, "discipline": queue.discipline, "params": queue.params, "queue": queue.queue,
        "notes": [vars(one) for one in queue.notes], "rate_bps": queue.rate_bps,
        "port_bps": queue.port_bps, "others": queue.others,
        "title": queue.title, "share_bps": queue.share_bps, "above": [vars(one) for one in queue.above],
        "urgent": queue.urgent,
    }  # fmt: skip
