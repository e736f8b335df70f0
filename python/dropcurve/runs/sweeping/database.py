"""DuckDB over the files of a sweep, closed to everything else.

The folder and the SQL may come from a stranger. So the database reads the files of this sweep and no
other, loads no extension, takes no change of its configuration, and answers only statements that read; names and
values that come from the folder enter statements quoted. DuckDB's own guide to securing it asks for the same settings.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ResultError, UsageError, require
from ...files.reading import is_regular

if TYPE_CHECKING:
    import duckdb

#: Remedy for a statement that DuckDB refuses.
_CORRECT = "correct the statement; `dropcurve query FOLDER` shows the columns"
#: Statements that read.
_READS = ("SELECT", "EXPLAIN")
_NO_EXTENSIONS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def literal(text: object) -> str:
    """Text as an SQL literal."""
    return "'" + str(text).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def connect(
    points: Path, files: Iterable[Path], *, build: str, seeds: Iterable[int], unsafe: bool = False
) -> duckdb.DuckDBPyConnection:
    """Returns a database with the views ``points`` and ``runs``.

    Args:
        points: The Parquet file of the sweep's points.
        files: The Parquet files of its store.
        build: The build of the core whose runs are seen.
        seeds: The seeds whose runs are seen.
        unsafe: Leaves files, extensions and the configuration open to the author of the SQL.

    Raises:
        ResultError: If a file is missing, not regular or damaged.
    """
    require("duckdb")
    import duckdb

    paths = [points.resolve(), *(path.resolve() for path in files)]
    for path in paths:
        if not is_regular(path):
            raise ResultError(
                path, "", "is missing or not a regular file", "run the sweep again to write it", shown="path"
            )
    files_read = ", ".join(literal(_pattern(path)) for path in paths[1:])
    database = duckdb.connect(config={} if unsafe else dict(_NO_EXTENSIONS))
    if not unsafe:
        # DuckDB checks a pattern as it is written, and then each file that it matches.
        allowed = ", ".join(map(literal, {*map(str, paths), *map(_pattern, paths)}))
        database.execute("SET python_enable_replacements = false")
        database.execute(f"SET allowed_paths = [{allowed}]")
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")
    try:
        database.execute(f"CREATE VIEW points AS SELECT * FROM read_parquet({literal(_pattern(paths[0]))})")
        database.execute(
            "CREATE VIEW runs AS SELECT points.*, kept.* EXCLUDE (scenario) FROM points JOIN ("
            f"SELECT * FROM read_parquet([{files_read}], union_by_name = true) "
            f"WHERE build = {literal(build)} AND seed IN ({', '.join(str(int(seed)) for seed in seeds)}) "
            "QUALIFY row_number() OVER (PARTITION BY scenario, seed) = 1"
            ") AS kept USING (scenario) ORDER BY point, seed"
        )
    except duckdb.Error as error:
        raise ResultError(
            points.parent, "", f"is damaged: {_line(error)}", "run the sweep again", shown="path"
        ) from None
    return database


def ask(database: duckdb.DuckDBPyConnection, sql: str, *, unsafe: bool = False) -> duckdb.DuckDBPyRelation:
    """Returns the answer to one statement.

    Raises:
        UsageError: If DuckDB does not take it, or, unless ``unsafe``, if it does more than read.
    """
    import duckdb

    try:
        if not unsafe:
            kinds = [str(one.type).rpartition(".")[2] for one in duckdb.extract_statements(sql)]
            if len(kinds) != 1 or kinds[0] not in _READS:
                kinds_found = " and ".join(kinds) or "nothing"
                raise UsageError(
                    "SQL",
                    sql,
                    f"{kinds_found}: must be one statement that only reads (SELECT, DESCRIBE, EXPLAIN)",
                    "--unsafe (from Python unsafe=True) takes others, with access to all files",
                    shown="path",
                )
        return database.sql(sql)
    except duckdb.Error as error:
        raise UsageError("SQL", sql, _line(error), _CORRECT, shown="path") from None


def rows(relation: duckdb.DuckDBPyRelation) -> list[tuple[Any, ...]]:
    """The rows of an answer, which DuckDB computes only now. Raises UsageError."""
    import duckdb

    try:
        return relation.fetchall()
    except duckdb.Error as error:
        raise UsageError("SQL", "", _line(error), _CORRECT, shown="path") from None


def shown(relation: duckdb.DuckDBPyRelation) -> str:
    """The rows of an answer as DuckDB draws them. Raises UsageError."""
    import duckdb

    try:
        return str(relation)
    except duckdb.Error as error:
        raise UsageError("SQL", "", _line(error), _CORRECT, shown="path") from None


def _pattern(path: Path) -> str:
    """The pattern that matches this file alone, in the syntax of ``read_parquet``."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in str(path))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
