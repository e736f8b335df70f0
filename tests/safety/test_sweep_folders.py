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
def swept(folder: Path) -> Path:
    """A small sweep, without checksums as a stranger would hand it over, and a private file."""
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    dc.sweep("short.toml", {"queue.max_p": [0.02, 0.1]}, replications=2, out="kept")
    (folder / "kept" / "SHA256SUMS").unlink()
    return folder / "kept"


def rewrite(swept: Path, **changes: Any) -> None:
    """Changes keys of the record."""
    path = swept / "sweep.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def test_sql_in_seeds_is_refused(swept: Path) -> None:
    rewrite(swept, seeds=["1)) AS kept USING (scenario); COPY (SELECT 1) TO 'written.csv'; --"])
    with pytest.raises(ResultError, match=r"seeds\[0\] must be a whole number"):
        Sweep.load(swept)
    assert not (swept.parent / "written.csv").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"build": 7}, {"settings": "queue"}, {"settings": [1]}, {"seeds": [True]}, {"seeds": {}}, {"grid": 1},
        {"store": None}, {"title": []}, {"scenario": []}, {"format": "1"}, {"format": 1.5},
    ],
)  # fmt: skip
def test_a_record_of_other_types_is_refused(swept: Path, changes: dict[str, Any]) -> None:
    rewrite(swept, **changes)
    with pytest.raises(ResultError, match="run the sweep again"):
        Sweep.load(swept)


@pytest.mark.parametrize("text", ["", "[]", "1", "null", "{", '{"format": NaN}', "[" * 100_000, "1" * 5000])
def test_a_record_that_is_none_is_refused(swept: Path, text: str) -> None:
    (swept / "sweep.json").write_text(text, encoding="utf-8")
    with pytest.raises(ResultError):
        Sweep.load(swept)


def test_a_column_name_is_a_name_and_no_sql(swept: Path) -> None:
    import pyarrow.parquet as parquet

    name = "queue_max_p\" , (SELECT content FROM read_text('secret.txt')) AS \"x"
    points = swept / "points.parquet"
    table = parquet.read_table(points)
    columns = [name if one == "queue_max_p" else one for one in table.column_names]
    parquet.write_table(table.rename_columns(columns), points)
    rewrite(swept, settings=[name])
    rows = Sweep.load(swept).means()
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
    swept: Path, dropcurve: Callable[..., Any], changes: dict[str, Any], text: str
) -> None:
    rewrite(swept, **changes)
    with pytest.raises(ResultError, match=text):
        Sweep.load(swept)
    for verb in ("show", "report", "query"):
        assert dropcurve(verb, str(swept)).code == 2
    answer = dropcurve("check", str(swept))
    assert (answer.code, len(answer.errors)) == (1, 1)


def test_check_of_a_folder_without_checksums_reads_its_files(
    swept: Path, dropcurve: Callable[..., Any]
) -> None:
    answer = dropcurve("check", str(swept))
    assert (answer.code, answer.out) == (
        0,
        f"{swept}: 3 files read; there are no checksums to compare them with\n",
    )
    rewrite(swept, seeds=["1"])
    answer = dropcurve("check", str(swept), "--json")
    assert answer.code == 1
    report = json.loads(answer.out)
    assert report["checksums"] is False
    assert report["damaged"] == [[str(swept / "sweep.json"), "is damaged: seeds[0] must be a whole number"]]


def test_a_build_with_a_quote_is_a_text(swept: Path) -> None:
    rewrite(swept, build="x' OR '1' = '1")
    assert Sweep.load(swept).query("select count(*) from runs").fetchall() == [(0,)]


def test_runs_outside_of_the_folder_are_read_only_where_the_owner_says(swept: Path) -> None:
    shutil.move(swept / "runs", swept.parent / "elsewhere")
    for place in (str(swept.parent / "elsewhere"), "../elsewhere", "/"):
        rewrite(swept, store=place)
        with pytest.raises(ResultError, match="name that folder with --store"):
            Sweep.load(swept)
    assert Sweep.load(swept, store=swept.parent / "elsewhere").query(
        "select count(*) from runs"
    ).fetchall() == [(4,)]


def test_a_link_to_runs_outside_of_the_folder_is_not_followed(swept: Path) -> None:
    shutil.move(swept / "runs", swept.parent / "elsewhere")
    (swept / "runs").symlink_to(swept.parent / "elsewhere")
    with pytest.raises(ResultError, match="name that folder with --store"):
        Sweep.load(swept)


def test_a_pipe_in_the_place_of_a_file_is_refused_at_once(swept: Path) -> None:
    for path in (swept / "runs" / "part-x.parquet", swept / "points.parquet", swept / "sweep.json"):
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        with pytest.raises(ResultError, match="not a regular file"):
            Sweep.load(swept).query("select count(*) from runs")


def test_columns_of_other_types_are_refused(swept: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    path = next((swept / "runs").glob("part-*.parquet"))
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
            Sweep.load(swept).query("select count(*) from runs")
        with pytest.raises(ResultError, match=name):
            list(Sweep.load(swept).store.rows())


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
def test_a_question_reads_the_sweep_and_nothing_else(swept: Path, sql: str) -> None:
    table = Sweep.load(swept)
    with pytest.raises(UsageError, match="SQL: "):
        table.query(sql)
    assert not (swept.parent / "written.csv").exists()


def test_the_database_itself_is_closed(swept: Path) -> None:
    """Also a statement that came past the check of its kind reaches no file, no extension, no setting."""
    import duckdb

    database = Sweep.load(swept)._database
    closed = ("copy", "attach", "install", "load", "set", "reset", "export")
    for sql in (one for one in STATEMENTS if one.startswith(closed) or "read_text" in one):
        with pytest.raises(duckdb.Error, match=r"disabled|locked"):
            database.execute(sql)
    assert not (swept.parent / "written.csv").exists()


def test_the_owner_may_ask_anything(swept: Path, dropcurve: Callable[..., Any]) -> None:
    sql = "select content from read_text('secret.txt')"
    refused = dropcurve("query", "kept", sql)
    assert (refused.code, len(refused.errors)) == (2, 1)
    assert SECRET not in refused.out + refused.err
    assert SECRET in dropcurve("query", "kept", sql, "--unsafe").out
    assert dropcurve("query", "kept", "copy (select 1) to 'written.csv'", "--unsafe").code == 0
    assert (swept.parent / "written.csv").exists()


def test_an_error_that_shows_while_reading_is_reported_in_one_line(
    swept: Path, dropcurve: Callable[..., Any]
) -> None:
    for options in ((), ("--json",)):
        answer = dropcurve("query", "kept", "select build::integer from runs", *options)
        assert (answer.code, len(answer.errors)) == (2, 1)
        assert "SQL: " in answer.err


def test_a_folder_whose_name_is_a_pattern_is_a_folder(folder: Path) -> None:
    dc.sweep("short.toml", {"queue.max_p": [0.02]}, replications=1, out="a[b]*?'\"")
    assert Sweep.load("a[b]*?'\"").query("select count(*) from runs").fetchall() == [(1,)]
