"""Files that a scenario names: its own folder's alone, regular, of bounded size, and never shown."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import DropcurveError
from dropcurve.scenario import library, recordings

SECRET = "1\n2\nkept-to-myself\n"
TEXT = """
[run]
duration = "2 s"
[dumbbell]
delay = "10 ms"
opportunities_ms = "file:{}"
[queue]
kind = "droptail"
[flows.tcp]
count = 1
"""


@pytest.fixture
def stranger(folder: Path) -> Path:
    """A folder from a stranger, next to files of ours."""
    (folder / "secret.trace").write_text(SECRET, encoding="ascii")
    (folder / "good.trace").write_text("1\n2\n", encoding="ascii")
    (folder / "theirs" / "below").mkdir(parents=True)
    (folder / "theirs" / "below" / "cell.trace").write_text("1\n3\n", encoding="ascii")
    return folder / "theirs"


def scenario(stranger: Path, name: str) -> Path:
    """Their scenario, which names a file."""
    path = stranger / "x.toml"
    path.write_text(TEXT.format(name), encoding="utf-8")
    return path


def test_files_of_its_own_folder_are_read(stranger: Path) -> None:
    loaded = dc.Scenario.load(scenario(stranger, "below/cell.trace"))
    assert loaded.get("dumbbell.opportunities_ms") == [1, 3]


@pytest.mark.parametrize(
    "how", ["../good.trace", "below/../../good.trace", "absolute", "link", "a folder that links"]
)
def test_other_files_are_refused_unless_their_folder_is_allowed(
    stranger: Path, how: str, dropcurve: Callable[..., Any]
) -> None:
    home = stranger.parent
    name = how
    if how == "absolute":
        name = str(home / "good.trace")
    elif how == "link":
        (stranger / "link").symlink_to(home / "good.trace")
    elif how.startswith("a folder"):
        (stranger / "linked").symlink_to(home)
        name = "linked/good.trace"
    path = scenario(stranger, name)
    refused = dropcurve("run", str(path), "--replications", "1", "--no-report", "--quiet")
    assert (refused.code, len(refused.errors)) == (2, 1)
    assert "--allow-files DIR" in refused.err
    allowed = dropcurve(
        "run",
        str(path),
        "--allow-files",
        str(home),
        "--replications",
        "1",
        "--no-report",
        "--quiet",
        "--out",
        "kept",
    )
    assert allowed.code == 0
    assert dc.Scenario.load(path, allow_files=[home]).get("dumbbell.opportunities_ms") == [1, 2]
    with pytest.raises(DropcurveError, match="--allow-files"):
        dc.Scenario.load(path)


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "/dev/stdin", ".", "nothing", "a\x00b", "x" * 5000])
def test_special_files_are_refused_at_once(stranger: Path, name: str) -> None:
    os.mkfifo(stranger / "pipe")
    with pytest.raises(DropcurveError) as refused, recordings.allowing(["/"]):
        recordings.value("dumbbell.opportunities_ms", f"file:{name}", folder=stranger)
    assert len(str(refused.value)) < 6000


def test_content_is_never_shown(stranger: Path) -> None:
    for key in ("opportunities_ms", "packets"):
        with pytest.raises(DropcurveError) as refused:
            recordings.value(key, "file:secret.trace", folder=stranger.parent)
        assert "kept-to-myself" not in str(refused.value)


def test_too_large_a_file_is_refused(stranger: Path) -> None:
    with (stranger / "large.trace").open("wb") as file:
        file.truncate(recordings.LIMIT + 1)
    for key in ("opportunities_ms", "packets"):
        with pytest.raises(DropcurveError, match="is larger than 268435456 bytes"):
            recordings.value(key, "file:large.trace", folder=stranger)


def test_numbers_without_end_are_refused(stranger: Path) -> None:
    (stranger / "long.trace").write_text("1\n" + "9" * 5000 + "\n", encoding="ascii")
    with pytest.raises(DropcurveError, match="entry 2: must be a time in whole milliseconds"):
        dc.Scenario.load(scenario(stranger, "long.trace"))


def test_variants_of_a_strangers_index_name_no_other_files(stranger: Path) -> None:
    path = scenario(stranger, "below/cell.trace")
    (stranger / "INDEX.toml").write_text(
        '[x]\n[x.variants]\na = {}\nb = { "dumbbell.opportunities_ms" = "file:../good.trace" }\n',
        encoding="utf-8",
    )
    with pytest.raises(DropcurveError, match="--allow-files"):
        dc.compare(path, replications=1)


def test_edits_name_files_of_the_working_folder_and_the_scenarios(stranger: Path) -> None:
    loaded = dc.Scenario.load(scenario(stranger, "below/cell.trace"))
    for name in ("good.trace", str(stranger / "below" / "cell.trace")):
        assert loaded.set("dumbbell.opportunities_ms", f"file:{name}").get("dumbbell.opportunities_ms")
    with pytest.raises(DropcurveError, match="--allow-files"):
        loaded.set("dumbbell.opportunities_ms", "file:/etc/hostname")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a = 3", "a must be a table"),
        ("[a]\nvariants = 3", "a.variants must be a table"),
        ("[a.variants]\nmild = 3", "a.variants.'mild' must be a table"),
        ("a = [", "is not TOML"),
    ],
)
def test_a_strangers_index_is_checked(stranger: Path, text: str, rule: str) -> None:
    (stranger / "INDEX.toml").write_text(text)
    with pytest.raises(DropcurveError, match=rule) as refused:
        library.index(stranger / "a.toml")
    assert refused.value.problems[0].remedy


def test_an_index_that_is_a_pipe_is_refused_at_once(stranger: Path) -> None:
    os.mkfifo(stranger / "INDEX.toml")
    with pytest.raises(DropcurveError, match="is not a regular file"):
        library.index(stranger / "a.toml")
