"""Sweep folders from a stranger: nothing in them runs, nothing outside of them is read or written."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import ResultError, UsageError
from dropcurve.runs.sweeping import Sweep

SECRET = "kept-to-myself"


@pytest.fixture
def made(folder: Path) -> Path:
    """A small sweep, without checksums as a stranger would hand it over, and a private file."""
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    dc.sweep("short.toml", {"queue.max_p": [0.02, 0.1]}, replications=2, out="kept")
    (folder / "kept" / "SHA256SUMS").unlink()
    return folder / "kept"


def rewrite(made: Path, **changes: Any) -> None:
    """Changes keys of the record."""
    path = made / "sweep.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def test_sql_in_seeds_is_refused(made: Path) -> None:
    rewrite(made, seeds=["1)) AS kept USING (scenario); COPY (SELECT 1) TO 'written.csv'; --"])
    with pytest.raises(ResultError, match=r"seeds\[0\] must be a whole number"):
        Sweep.load(made)
    assert not (made.parent / "written.csv").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"build": 7}, {"settings": "queue"}, {"settings": [1]}, {"seeds": [True]}, {"seeds": {}}, {"grid": 1},
        {"store": None}, {"title": []}, {"scenario": []}, {"format": "1"}, {"format": 1.5},
    ],
)  # fmt: skip
def test_a_record_of_other_types_is_refused(made: Path, changes: dict[str, Any]) -> None:
    rewrite(made, **changes)
    with pytest.raises(ResultError, match="run the sweep again"):
        Sweep.load(made)


@pytest.mark.parametrize("text", ["", "[]", "1", "null", "{", '{"format": NaN}', "[" * 100_000, "1" * 5000])
def test_a_record_that_is_none_is_refused(made: Path, text: str) -> None:
    (made / "sweep.json").write_text(text, encoding="utf-8")
    with pytest.raises(ResultError):
        Sweep.load(made)


def test_a_column_name_is_a_name_and_no_sql(made: Path) -> None:
    import pyarrow.parquet as parquet

    name = "queue_max_p\" , (SELECT content FROM read_text('secret.txt')) AS \"x"
    points = made / "points.parquet"
    table = parquet.read_table(points)
    columns = [name if one == "queue_max_p" else one for one in table.column_names]
    parquet.write_table(table.rename_columns(columns), points)
    rewrite(made, settings=[name])
    rows = Sweep.load(made).means()
    assert [row[name] for row in rows] == [0.02, 0.1]
    assert SECRET not in str(rows)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"settings": ["queue_max_p", 'x"); --']},
            r"points\.parquet: is damaged: column x\"\); -- must be one column;",
        ),
        ({"store": "a\0b"}, r"sweep\.json: is damaged: store is not a path"),
    ],
)
def test_a_record_that_does_not_fit_its_files_is_damage(
    made: Path, dropcurve: Callable[..., Any], changes: dict[str, Any], text: str
) -> None:
    rewrite(made, **changes)
    with pytest.raises(ResultError, match=text):
        Sweep.load(made)
    for verb in ("show", "report", "query"):
        assert dropcurve(verb, str(made)).code == 2
    found = dropcurve("check", str(made))
    assert (found.code, len(found.errors)) == (1, 1)


def test_check_of_a_folder_without_checksums_reads_its_files(
    made: Path, dropcurve: Callable[..., Any]
) -> None:
    found = dropcurve("check", str(made))
    assert (found.code, found.out) == (
        0,
        f"{made}: 3 files read; there are no checksums to compare them with\n",
    )
    rewrite(made, seeds=["1"])
    found = dropcurve("check", str(made), "--json")
    assert found.code == 1
    answer = json.loads(found.out)
    assert answer["checksums"] is False
    assert answer["damaged"] == [[str(made / "sweep.json"), "is damaged: seeds[0] must be a whole number"]]


def test_a_build_with_a_quote_is_a_text(made: Path) -> None:
    rewrite(made, build="x' OR '1' = '1")
    assert Sweep.load(made).query("select count(*) from runs").fetchall() == [(0,)]


def test_runs_outside_of_the_folder_are_read_only_where_the_owner_says(made: Path) -> None:
    shutil.move(made / "runs", made.parent / "elsewhere")
    for place in (str(made.parent / "elsewhere"), "../elsewhere", "/"):
        rewrite(made, store=place)
        with pytest.raises(ResultError, match="name that folder with --store"):
            Sweep.load(made)
    found = Sweep.load(made, store=made.parent / "elsewhere")
    assert found.query("select count(*) from runs").fetchall() == [(4,)]


def test_a_link_to_runs_outside_of_the_folder_is_not_followed(made: Path) -> None:
    shutil.move(made / "runs", made.parent / "elsewhere")
    (made / "runs").symlink_to(made.parent / "elsewhere")
    with pytest.raises(ResultError, match="name that folder with --store"):
        Sweep.load(made)


def test_a_pipe_in_the_place_of_a_file_is_refused_at_once(made: Path) -> None:
    for path in (made / "runs" / "part-x.parquet", made / "points.parquet", made / "sweep.json"):
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        with pytest.raises(ResultError, match="not a regular file"):
            Sweep.load(made).query("select count(*) from runs")


def test_columns_of_other_types_are_refused(made: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    path = next((made / "runs").glob("part-*.parquet"))
    table = parquet.read_table(path)
    wrong = {
        "seed": table.set_column(
            table.column_names.index("seed"), "seed", pa.array([str(n) for n in range(table.num_rows)])
        ),
        "loss": table.set_column(
            table.column_names.index("loss"), "loss", pa.array([[1.0]] * table.num_rows)
        ),
        "build": table.drop_columns(["build"]),
    }
    for name, bad in wrong.items():
        parquet.write_table(bad, path)
        with pytest.raises(ResultError, match=name):
            Sweep.load(made).query("select count(*) from runs")
        with pytest.raises(ResultError, match=name):
            list(Sweep.load(made).store.rows())


STATEMENTS = [
    "select * from read_text('secret.txt')",
    "select * from 'secret.txt'",
    "select * from glob('*')",
    "select 1; copy (select 1) to 'written.csv'",
    "copy (select 1) to 'written.csv'",
    "attach 'written.csv'",
    "install httpfs",
    "load httpfs",
    "set enable_external_access = true",
    "reset lock_configuration",
    "export database 'written.csv'",
    "create view runs2 as select 1",
    "call pragma_version()",
    "select * from found",
    "",
]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_question_reads_the_sweep_and_nothing_else(made: Path, sql: str) -> None:
    found = Sweep.load(made)
    with pytest.raises(UsageError, match="SQL: "):
        found.query(sql)
    assert not (made.parent / "written.csv").exists()


def test_the_database_itself_is_closed(made: Path) -> None:
    """Also a statement that came past the check of its kind reaches no file, no extension, no setting."""
    import duckdb

    database = Sweep.load(made)._database
    closed = ("copy", "attach", "install", "load", "set", "reset", "export")
    for sql in (one for one in STATEMENTS if one.startswith(closed) or "read_text" in one):
        with pytest.raises(duckdb.Error, match=r"disabled|locked"):
            database.execute(sql)
    assert not (made.parent / "written.csv").exists()


def test_the_owner_may_ask_anything(made: Path, dropcurve: Callable[..., Any]) -> None:
    sql = "select content from read_text('secret.txt')"
    refused = dropcurve("query", "kept", sql)
    assert (refused.code, len(refused.errors)) == (2, 1)
    assert SECRET not in refused.out + refused.err
    assert SECRET in dropcurve("query", "kept", sql, "--unsafe").out
    assert dropcurve("query", "kept", "copy (select 1) to 'written.csv'", "--unsafe").code == 0
    assert (made.parent / "written.csv").exists()


def test_an_error_that_shows_while_reading_is_reported_in_one_line(
    made: Path, dropcurve: Callable[..., Any]
) -> None:
    for options in ((), ("--json",)):
        found = dropcurve("query", "kept", "select build::integer from runs", *options)
        assert (found.code, len(found.errors)) == (2, 1)
        assert "SQL: " in found.err


def test_a_folder_whose_name_is_a_pattern_is_a_folder(folder: Path) -> None:
    dc.sweep("short.toml", {"queue.max_p": [0.02]}, replications=1, out="a[b]*?'\"")
    assert Sweep.load("a[b]*?'\"").query("select count(*) from runs").fetchall() == [(1,)]
