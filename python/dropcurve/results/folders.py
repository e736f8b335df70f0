"""The folder of a result: written, read, and its format checked. See ``docs/results.md``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from ..errors import ResultError, installed, unwritable
from ..files import checksums
from ..files.columns import check_columns
from ..files.stored import check, load_json
from ..files.writing import draft, write_parts, write_text
from ..metrics.summary import RunSummary
from ..present.visible import cut
from . import findings, rows, shapes
from .document import headline
from .measurements import Measurements
from .series import Series
from .tables import Difference, Row
from .variant import Variant

#: Version of the folder's layout; a folder of another version is refused, not guessed at.
FORMAT = 1

AnyResult = TypeVar("AnyResult", bound=Measurements)

#: The files that hold a result; figures and pages are made of them.
FILES = ("runs.json", "series.parquet", "scenario.toml", "result.json")


def record(result: Measurements) -> dict[str, Any]:
    """Returns the content of ``result.json``, which ``--json`` prints: everything but runs and series."""
    return {
        "format": FORMAT,
        "version": result.version,
        "build": result.build,
        "name": result.name,
        "title": result.title,
        "command": result.command,
        "confidence": result.confidence,
        "level": round(result.level, 12),
        "precision": result.precision,
        "seeds": result.seeds,
        "warnings": result.warnings,
        "problems": result.problems,
        "answer": _answer(result),
        "verdict": findings.sentences(result),
        "table": [_row(row, result) for row in result.table()],
        "differences": [_difference(difference) for difference in result.differences()],
        "variants": [
            {
                "name": variant.name,
                "hash": variant.hash,
                "scenario": variant.scenario,
                "automatic": variant.automatic,
            }
            for variant in result.variants
        ],
    }


def _answer(result: Measurements) -> dict[str, Any] | None:
    answer = headline(result)
    return None if answer is None else asdict(answer)


def _row(row: Row, result: Measurements) -> dict[str, Any]:
    cells = {
        variant.name: {"mean": cell.mean, "half_width": cell.half_width, "n": cell.n}
        for variant, cell in zip(result.variants, row.cells, strict=True)
    }
    return {
        "metric": row.metric, "scope": row.scope, "title": row.title, "unit": row.unit, "better": row.better,
        "variants": cells,
    }  # fmt: skip


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "metric": difference.metric, "scope": difference.scope, "unit": difference.unit,
        "variant": difference.variant, "baseline": difference.baseline,
        "mean": difference.mean, "half_width": difference.half_width, "n": difference.n,
        "p": difference.p, "p_adjusted": difference.p_adjusted, "real": difference.real,
        "improves": difference.improves,
    }  # fmt: skip


def save(result: Measurements, folder: Path) -> Path:
    """Writes result.json, runs.json, series.parquet, scenario.toml and their checksums; each appears whole or not at
    all. Without pyarrow (the extra ``plot``) there are no series, which only figures need."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        runs = [
            {"variant": variant.name, "summary": run} for variant in result.variants for run in variant.runs
        ]
        stored = {"format": FORMAT, "runs": runs}
        write_parts(
            folder / "runs.json", chain(rows.parts(stored, ensure_ascii=False, allow_nan=False), [b"\n"])
        )
        if installed("pyarrow"):
            _write_series(result, folder / "series.parquet")
        else:
            (folder / "series.parquet").unlink(missing_ok=True)
        write_text(folder / "scenario.toml", result.baseline.toml)
        write_text(folder / "result.json", dump(record(result)))
        checksums.update(folder, [path for name in FILES if (path := folder / name).exists()])
    except OSError as error:
        where = error.filename or folder
        raise ResultError.of([unwritable(where, error)]) from error
    return folder


def dump(value: Any, *, indent: int | None = 1) -> str:
    """JSON that any parser accepts: no NaN, a newline at the end."""
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def _write_series(result: Measurements, path: Path) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as parquet

    curves = [
        (variant.name, name, component, times, values)
        for variant in result.variants
        for (name, component), (times, values) in variant.series.curves.items()
    ]
    lengths = [len(times) for _, _, _, times, _ in curves]

    def labels(which: int) -> pa.Array:
        names = list(dict.fromkeys(curve[which] for curve in curves))
        index = np.repeat([names.index(curve[which]) for curve in curves], lengths).astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(index), pa.array(names, pa.string()))

    def column(which: int) -> pa.Array:
        parts = [curve[which] for curve in curves]
        joined = np.concatenate(parts) if parts else np.empty(0)
        return pa.array(joined, pa.float64(), from_pandas=True)

    seed = result.seeds[0] if result.seeds else 0
    table = pa.table(
        {
            "variant": labels(0),
            "seed": pa.array(np.full(sum(lengths), seed, dtype=np.int64)),
            "series": labels(1),
            "component": labels(2),
            "time_s": column(3),
            "value": column(4),
        }
    )
    with draft(path) as partial:
        parquet.write_table(table, partial, compression="zstd", write_page_checksum=True)


#: Remedy for a result that cannot be read.
REMEDY = "run the command again"


def load(folder: Path, kind: type[AnyResult]) -> AnyResult:
    """Reads a folder written by `save`, which may come from a stranger or have been damaged, as a result of ``kind``.

    Raises:
        ResultError: If a file is missing or has changed since it was written, holds values of other types, or if the
            format is of another version.
    """
    content = _read(folder, "result.json")
    stored = _read(folder, "runs.json")
    for fault in checksums.faults(folder, only=FILES):
        raise ResultError(fault.path, fault.what, fault.what, REMEDY, shown="path")
    check(folder / "result.json", content, shapes.RESULT, remedy=REMEDY)
    check(folder / "runs.json", stored, shapes.runs(), remedy=REMEDY)
    runs: dict[str, list[RunSummary]] = {}
    for entry in stored["runs"]:
        runs.setdefault(entry["variant"], []).append(entry["summary"])
    series = _read_series(folder / "series.parquet")
    _check_seeds(folder / "runs.json", content, runs)
    variants = [
        Variant(
            name=entry["name"], scenario=entry["scenario"], runs=runs.get(entry["name"], []),
            series=series.get(entry["name"], Series()), hash=entry["hash"], automatic=entry["automatic"],
        )
        for entry in content["variants"]
    ]  # fmt: skip
    result = kind(
        name=content["name"], variants=variants, seeds=content["seeds"], version=content["version"],
        command=content["command"], title=content["title"], confidence=content["confidence"],
        precision=content["precision"], warnings=content["warnings"], problems=content["problems"],
        build=content["build"],
    )  # fmt: skip
    try:
        # The metrics read more keys than the shape names; a missing one is damage too.
        result.table()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        message = " ".join(f"{type(error).__name__} {error}".split())[:200]
        raise ResultError(
            folder, message, f"is damaged: no table can be made of its runs ({message})", REMEDY, shown="path"
        ) from None
    return result


def _check_seeds(path: Path, stored: Mapping[str, Any], runs: Mapping[str, Sequence[RunSummary]]) -> None:
    """Raises ResultError unless each variant has a run for each seed, in their order, as pairs of runs need it."""
    names = [entry["name"] for entry in stored["variants"]]
    for name in dict.fromkeys([*names, *runs]):
        seeds = [run["seed"] for run in runs.get(name, [])]
        if seeds != stored["seeds"] or names.count(name) != 1:
            fault = f"is damaged: variant '{cut(name, 40)}' must have one run for each seed of result.json"
            raise ResultError(path, cut(str(seeds), 80), fault, REMEDY, shown="path")


def _read(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    if not path.exists():
        fault = "no such folder" if not folder.exists() else f"is not a result folder: it has no {name}"
        remedy = "name a folder that `dropcurve run` or `compare` wrote; they print its name"
        if (folder / "tune.json").exists():
            fault, remedy = "is an answer of `dropcurve tune`", f"its page is {folder / 'report.html'}"
        raise ResultError("folder", folder, fault, remedy, shown="value")
    content: dict[str, Any] = load_json(path, dict, remedy=REMEDY, parse=rows.parse, limit=rows.LIMIT)
    version = content.get("format")
    if version != FORMAT:
        raise ResultError(
            path,
            f"format {version}",
            f"has format {cut(str(version), 20)}, this version of dropcurve reads format {FORMAT}",
            "run the command in it again",
            shown="path",
        )
    return content


def _read_series(path: Path) -> dict[str, Series]:
    if not (path.exists() and installed("pyarrow")):
        return {}
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as parquet

    check_columns(path, shapes.SERIES, remedy=REMEDY)
    try:
        table = parquet.read_table(path, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        message = " ".join(str(error).split())[:200]
        raise ResultError(path, message, f"is damaged: {message}", REMEDY, shown="path") from None
    times, values = (np.asarray(table[name].to_numpy(), dtype=np.float64) for name in ("time_s", "value"))
    labels = [_labels(table[name]) for name in ("variant", "series", "component")]
    # A curve ends where a label changes.
    changes = np.zeros(max(0, len(times) - 1), dtype=bool)
    for _, numbers in labels:
        changes |= numbers[1:] != numbers[:-1]
    starts: list[int] = [0] * bool(len(times)) + (np.flatnonzero(changes) + 1).tolist()
    by_variant: dict[str, dict[tuple[str, str], Any]] = {}
    for start, end in zip(starts, [*starts[1:], len(times)], strict=True):
        variant, name, component = (names[numbers[start]] for names, numbers in labels)
        by_variant.setdefault(variant, {})[name, component] = (times[start:end], values[start:end])
    return {variant: Series(curves) for variant, curves in by_variant.items()}


def _labels(column: Any) -> tuple[list[Any], Any]:
    """The different texts of a column, and the place among them of each row's."""
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode("encode")
    coded = column.combine_chunks()
    names = [*coded.dictionary.to_pylist(), None]
    return names, np.asarray(coded.indices.cast(pa.int64()).fill_null(len(names) - 1))
