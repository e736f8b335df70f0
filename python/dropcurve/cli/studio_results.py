"""Results of a folder for the studio: their list, and one of them as rows of numbers with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DropcurveError, UsageError, installed
from ..files.reading import parse_json, read_text
from ..present import intervals
from ..quantities import wording

if TYPE_CHECKING:
    from ..results.series import Series

#: Most results that are listed, the latest first.
MOST = 200
#: Most points of a line over time; longer ones are reduced to the least and largest value of each stretch.
POINTS = 1200
#: Lines over time of a result: series, title, unit, factor.
SHOWN = (("queue_pkts", "queue", "pkts", 1.0), ("avg", "average queue of the discipline", "pkts", 1.0),
         ("throughput_bps", "throughput", "Mbit/s", 1e-6))  # fmt: skip
#: Errors of reading JSON of another form than a result has.
DAMAGE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
#: Files that make a folder a result, in the order in which they are looked for.
FILES = ("result.json", "sweep.json", "tune.json")


def listed(folder: Path) -> dict[str, Any]:
    """The results in a folder, the latest first.

    Args:
        folder: Where commands write results.

    Returns:
        ``folder``, and ``results``: name, kind, title, page, and the scenarios that can be run again.
    """
    try:
        folders = [one for one in folder.iterdir() if one.is_dir() and not one.name.startswith(".")]
        folders.sort(key=lambda one: one.stat().st_mtime, reverse=True)
    except OSError:
        folders = []
    rows = [row for row in map(_row, folders[:MOST]) if row is not None]
    return {"folder": str(folder), "results": rows}


def opened(folder: Path, name: str) -> dict[str, Any]:
    """One result as numbers.

    Args:
        folder: Where commands write results.
        name: Its name in the list.

    Returns:
        ``title``, ``kind``, ``command``, ``sentences``; ``settings`` (key, title), ``measures`` (key, title, unit,
        better) and ``rows``, each with a value of every setting and a cell of every measure: ``mean``, ``half``,
        ``n``, the ends ``low`` and ``high``, and ``words`` with their ``unit``; and ``lines`` over an axis: title,
        unit, and for each line its name and its points.

    Raises:
        DropcurveError: If there is no such result, or it is damaged.
    """
    place = folder / name
    if "/" in name or "\\" in name or name.startswith(".") or not place.is_dir():
        raise UsageError("name", name, "is not a result of this folder", "open one of the list")
    for file in FILES:
        if (place / file).is_file():
            try:
                return {"name": name, **READERS[file](place)}
            except (*DAMAGE, RecursionError) as error:
                raise UsageError(
                    "name", name, f"cannot be read ({error})", "run its command again"
                ) from error
    raise UsageError("name", name, "contains no result that can be drawn", "open its page")


def _row(folder: Path) -> dict[str, Any] | None:
    """A result's line; ``None`` for a folder that holds none."""
    page = next((name for name in ("report.html", "index.html") if (folder / name).is_file()), "")
    file = next((name for name in FILES if (folder / name).is_file()), "")
    kind, title, scenarios = "", "", []
    try:
        stored = parse_json(read_text(folder / file))
        kind = _kind(stored)
        title = str(stored.get("title", ""))
        scenarios = [
            {"label": str(one["name"]), "toml": _toml(one["scenario"])}
            for one in stored.get("variants", [])[:12]
        ]
    except (DropcurveError, OSError, RecursionError, *DAMAGE) as error:
        # A damaged result is listed with its page alone.
        if not page:
            return None
        title, file = (f"cannot be read: {error}" if file else ""), ""
    return {"name": folder.name, "kind": kind, "title": title, "page": page, "opens": bool(file),
            "scenarios": scenarios}  # fmt: skip


def _kind(stored: Mapping[str, Any]) -> str:
    """The verb that wrote a result."""
    return str(stored.get("command", "")).removeprefix("dropcurve ").partition(" ")[0]


def _toml(resolved: Mapping[str, Any]) -> str:
    """The text of a stored scenario."""
    from ..scenario.toml import dump

    return dump(resolved)


def _compared(folder: Path) -> dict[str, Any]:
    """A result of `run` or `compare`."""
    from ..results.result import Result

    stored = parse_json(read_text(folder / "result.json"))
    result = Result.load(folder)
    rows = [row for row in stored["table"] if row["variants"]]
    measures = [
        {"key": _key(row), "title": row["title"], "unit": row["unit"], "better": row["better"] or ""}
        for row in rows
    ]
    variants = [str(one["name"]) for one in stored["variants"]]
    return {
        "kind": _kind(stored), "title": stored["title"], "command": stored["command"],
        "sentences": [*(stored.get("answer") or {}).get("sentences", []), *stored["verdict"]],
        "settings": [{"key": "variant", "title": "variant"}], "measures": measures,
        "rows": [
            {"variant": name}
            | {_key(row): _cell(row["variants"].get(name), row["metric"]) for row in rows}
            for name in variants
        ],
        "lines": _series({one.name: one.series for one in result.variants}),
    }  # fmt: skip


def _key(row: Mapping[str, Any]) -> str:
    return f"{row['metric']} {row['scope']}".strip()


def _cell(cell: Mapping[str, Any] | None, measure: str) -> dict[str, Any] | None:
    """A mean with its interval, as numbers and in the words of the tables; ``None`` where there is no number."""
    from .. import metrics

    mean = None if cell is None else _number(cell.get("mean"))
    if cell is None or mean is None:
        return None
    half = _number(cell.get("half_width"))
    known = metrics.METRICS.get(metrics.split(measure)[0])
    unit, within = (known.unit, known.possible) if known else ("", intervals.ANY)
    divisor, shown = wording.scaled(unit, mean)
    words = intervals.interval(*wording.value(mean, half, divisor=divisor, within=within))
    # An interval may reach beyond the values that the measure can have, a bar in a chart may not.
    ends = {} if half is None else {"low": max(within[0], mean - half), "high": min(within[1], mean + half)}
    return {"mean": mean, "half": half, "n": cell.get("n"), "words": words, "unit": shown, **ends}


def _number(value: object) -> float | None:
    """A finite number; ``None`` for anything else."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _series(variants: Mapping[str, Series | None]) -> list[dict[str, Any]]:
    """Lines over time of the first run of each variant."""
    drawn = []
    for series, title, unit, factor in SHOWN:
        lines = []
        for name, variant in variants.items():
            if not variant or not variant.has(series, "bottleneck"):
                continue
            times, values = variant.select(series, "bottleneck")
            lines.append({"name": name, **_thinned(times.tolist(), values.tolist(), factor)})
        if lines:
            drawn.append({"title": title, "unit": unit, "axis": "time [s]", "lines": lines})
    return drawn


def _thinned(times: Sequence[float], values: Sequence[float], factor: float) -> dict[str, list[float | None]]:
    """A line of few points that reaches every extreme value."""
    stretch = max(1, 2 * len(times) // POINTS)
    x: list[float | None] = []
    y: list[float | None] = []
    for at in range(0, len(times), stretch):
        stretched = range(at, min(at + stretch, len(times)))
        ends = sorted({min(stretched, key=values.__getitem__), max(stretched, key=values.__getitem__)})
        x += [times[one] for one in ends]
        y += [_number(values[one] * factor) for one in ends]
    return {"x": x, "y": y}


def _swept(folder: Path) -> dict[str, Any]:
    """A sweep."""
    if not installed("duckdb"):
        raise UsageError("sweep", folder.name, "needs DuckDB", "pip install dropcurve[sweep]")
    from .. import metrics
    from ..runs.sweeping.effects import sentences
    from ..runs.sweeping.table import Sweep

    swept = Sweep.load(folder)
    means = swept.means()
    names = [name for name in (means[0] if means else {}) if name != "point" and name not in swept.settings]
    kinds = {name: metrics.METRICS[metrics.split(name)[0]] for name in names}
    return {
        "kind": "sweep", "title": swept.record["title"], "command": swept.record["command"],
        "sentences": sentences(swept.settings, {name: swept.runs_of(name) for name in names}),
        "settings": [{"key": name, "title": name} for name in swept.settings],
        "measures": [
            {"key": name, "title": one.title, "unit": one.unit, "better": one.better}
            for name, one in kinds.items()
        ],
        "rows": [
            {name: row[name] for name in swept.settings}
            | {name: _cell({"mean": row[name].mean, "half_width": row[name].half_width, "n": row[name].n}, name)
               for name in names}
            for row in means
        ],
        "lines": [],
    }  # fmt: skip


def _tuned(folder: Path) -> dict[str, Any]:
    """An answer of `tune`."""
    return {"kind": "tune", **tuned(parse_json(read_text(folder / "tune.json")))}


def tuned(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer of `tune` as numbers: the validated designs, those that the search tried, and the sensitivity."""

    from .. import metrics

    rows: list[dict[str, Any]] = []
    objectives = list(answer["confirmed"][0]["objectives"]) if answer["confirmed"] else []
    for one in answer["confirmed"]:
        cells = {name: _cell(cell, name) for name, cell in {**one["measures"], **one["objectives"]}.items()}
        rows.append(_design(one, "validated on fresh seeds") | cells)
    for one in answer["tried"]:
        values = {**one["measures"], **dict(zip(objectives, one["objectives"], strict=False))}
        cells = {name: _cell({"mean": value, "n": 1}, name) for name, value in values.items()}
        rows.append(_design(one, "tried in the search") | cells)
    keys = dict.fromkeys(key for row in rows for key in row if key not in ("design", "stage", "discipline"))
    known = {key: metrics.METRICS.get(metrics.split(key)[0]) for key in keys}
    return {
        "title": answer["title"], "command": answer["command"], "sentences": [*answer["verdict"], *answer["notes"]],
        "settings": [{"key": key, "title": key} for key in ("design", "stage", "discipline")],
        "measures": [
            {"key": key, "title": one.title if one else key, "unit": one.unit if one else "", "better": ""}
            for key, one in known.items()
        ],
        "rows": rows, "lines": _sensitivity(answer, objectives), "configuration": answer.get("configuration") or "",
        "recommendation": answer["recommendation"],
    }  # fmt: skip


def _design(design: Mapping[str, Any], stage: str) -> dict[str, Any]:
    holds = "" if design.get("holds", True) else ", misses the bound"
    return {"design": design["name"], "stage": stage + holds, "discipline": design["discipline"]}


def _sensitivity(answer: Mapping[str, Any], objectives: Sequence[str]) -> list[dict[str, Any]]:
    """Each objective when a parameter is off by a factor."""
    rows = []
    for number, title in enumerate(objectives):
        lines = [
            {"name": one["parameter"], "x": [off["factor"] for off in one["off"]],
             "y": [_number(off["objectives"][number]) for off in one["off"]]}
            for one in answer["sensitivity"]
        ]  # fmt: skip
        if lines:
            rows.append({"title": f"sensitivity: {title}", "unit": "", "lines": lines,
                          "axis": "factor on the parameter"})  # fmt: skip
    return rows


#: What reads each file.
READERS: Mapping[str, Callable[[Path], dict[str, Any]]] = {
    "result.json": _compared, "sweep.json": _swept, "tune.json": _tuned,
}  # fmt: skip
