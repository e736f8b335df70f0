"""Rows of WRED: a row of thresholds and probability for each class, over one queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .model import Note, Problems, profiles, refuse
from .settings import Settings

#: The disciplines that a box with rows of WRED can be configured for.
KINDS = ("red", "wred", "gred")
#: A weight that means no averaging; in scenarios it must be below 1.
INSTANT = 0.999999
#: Switches mark ECN-capable packets above the upper threshold, too: the curve of DCQCN's switches has the probability 1
#: there (ZEFG15 figure 5).
MARKS_BEYOND = {"ecn_forced": "mark"}


@dataclass(frozen=True)
class RedRow:
    """One class: thresholds as (packets, bytes) and the probability just below the upper one."""

    low: tuple[float, float]
    high: tuple[float, float]
    max_p: float


@dataclass(frozen=True)
class Rows:
    """All classes, the weight of a sample, and the limit as (packets, bytes)."""

    rows: tuple[RedRow, ...]
    w_q: float
    limit: tuple[float, float]
    in_bytes: bool

    @property
    def alike(self) -> bool:
        """Whether all classes have one curve."""
        return len(set(self.rows)) == 1


def rows_of(settings: Settings, problems: Problems, *, box: str, most: int) -> Rows:
    """The rows of a discipline of the RED family. Raises ScenarioError for others; adds contradictions to
    ``problems``.
    """
    if settings.discipline not in KINDS:
        remedy = f"choose {', '.join(KINDS)}; Linux has more"
        refuse("kind", settings.discipline, f"{box} has no such queue", remedy)
    rows = _red(settings) if settings.discipline == "red" else _classes(settings)
    if len(rows) > most:
        some = "one class" if most == 1 else f"{most} classes"
        problems.add("min_th", f"{len(rows)} classes", f"{box} has {some}", "merge some")
    limit = (settings.packets("limit"), settings.bytes_("limit"))
    for i, row in enumerate(rows):
        at = f"class {i}." if len(rows) > 1 else ""
        problems.require(
            row.high[1] > row.low[1],
            f"{at}max_th",
            _shown(row.high),
            f"must exceed min_th ({_shown(row.low)})",
            "raise it",
        )
        problems.require(
            row.high[1] <= limit[1],
            f"{at}max_th",
            _shown(row.high),
            f"lies above the limit ({_shown(limit)})",
            "raise limit, or lower it",
        )
        problems.require(0.0 < row.max_p <= 1.0, f"{at}max_p", f"{row.max_p:g}", "must lie in (0, 1]")
    weight = 0.5 ** settings.whole("exponent") if settings.discipline == "wred" else settings.number("w_q")
    return Rows(tuple(rows), weight, limit, settings.text("unit") == "bytes")


def _red(settings: Settings) -> list[RedRow]:
    low, high = ((settings.packets(key), settings.bytes_(key)) for key in ("min_th", "max_th"))
    return [RedRow(low, high, settings.number("max_p"))]


def _classes(settings: Settings) -> list[RedRow]:
    wred = settings.discipline == "wred"
    tops = [1.0 / one for one in settings.numbers("denominator")] if wred else settings.numbers("probability")
    lows, highs = settings.amounts("min_th"), settings.amounts("max_th")
    count = max(len(lows), len(highs), len(tops))
    return [
        RedRow(one["low"], one["high"], one["p"]) for one in profiles(count, low=lows, high=highs, p=tops)
    ]


def _shown(amount: tuple[float, float]) -> str:
    return f"{amount[0]:g} pkts"


def as_red(
    low: int, high: int, share: int, limit: str, *, ecn: bool, packet_bytes: int, w_q: float = INSTANT
) -> dict[str, Any]:
    """The parameters of `red` for one curve of a switch: thresholds in bytes, the probability in percent."""
    return {
        "limit": limit, "unit": "bytes", "mean_packet": f"{packet_bytes} B", "min_th": f"{low} B",
        "max_th": f"{high} B", "max_p": share / 100.0, "w_q": w_q, "spacing": "geometric", "idle_decay": "ignored",
        "ecn": ecn, **(MARKS_BEYOND if ecn else {}),
    }  # fmt: skip


def lost(settings: Settings, notes: list[Note], *, box: str) -> None:
    """Adds notes on the options that no box with rows of WRED has."""
    spacing = settings.options.get("spacing", "geometric")
    if spacing != "geometric":
        text = (
            f"{spacing}: {box} does not document how marks are spaced; simulated with an independent draw for "
            "each packet"
        )
        notes.append(Note("lost", "spacing", text))
    if settings.options.get("above_max") in ("gentle", "capped"):
        does = "marks or drops" if settings.flag("ecn") else "drops"
        text = f"{settings.options['above_max']}: {box} {does} every packet from max_th up"
        notes.append(Note("lost", "above_max", text))
    for key, plain in (("byte_mode", "off"), ("grio", False)):
        if key in settings and settings.options[key] != plain:
            notes.append(Note("lost", key, f"{settings.options[key]}: {box} has no such mode"))


def whole(
    value: float, key: str, unit: str, notes: list[Note], *, least: int = 1, most: int = 2**32 - 1
) -> int:
    """The nearest whole number in a box's range, with a note if it differs from the value."""
    bounded = min(most, max(least, round(value)))
    if abs(bounded - value) > 1e-9 * max(1.0, value):
        notes.append(Note("rounded", key, f"{value:.6g} becomes {bounded} {unit}"))
    return bounded


def cells(value: float, key: str, cell: int, notes: list[Note]) -> int:
    """Bytes in whole cells of ``cell`` bytes, the unit of a switch's buffer; at least one cell."""
    count = max(1, round(value / cell))
    size = count * cell
    if abs(size - value) > 1e-9 * value:
        unit = "bytes" if cell == 1 else f"bytes, {count} cells of {cell}"
        notes.append(Note("rounded", key, f"{value:.6g} becomes {size} {unit}"))
    return size


def percent(share: float, key: str, notes: list[Note], *, least: int = 0) -> int:
    """A share in whole percent."""
    bounded = min(100, max(least, round(100.0 * share)))
    if abs(bounded - 100.0 * share) > 1e-9:
        notes.append(Note("rounded", key, f"{100.0 * share:.4g} % becomes {bounded} %"))
    return bounded


def no_weight(rows: Rows, notes: list[Note], *, box: str) -> None:
    """Adds the note on the weight for a box that does not average the queue, where the curve has an average."""
    if rows.w_q < INSTANT:
        text = f"{rows.w_q:.4g}: {box} has no weight to set; the instantaneous queue counts"
        notes.append(Note("lost", "w_q", text))
