"""The tools that profile-guided builds need, where they are found, and the build without them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import learn

TELL = "import os; print(os.environ.get('CARGO_ENCODED_RUSTFLAGS'), os.environ.get('CARGO_TARGET_DIR'))"


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The `bin` folder of a toolchain without llvm-tools."""
    folder = tmp_path / "lib/rustlib/some-host/bin"
    folder.mkdir(parents=True)
    monkeypatch.setattr(learn, "output", lambda *command, **_: f"{folder.with_name('lib')}\n")
    return folder


def test_the_toolchains_own_tool_is_taken(toolchain: Path) -> None:
    tool = toolchain / "llvm-profdata"
    tool.touch(mode=0o755)
    assert learn.merger() == tool


def test_without_the_tool_nothing_is_learned(toolchain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert learn.main([]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    (line,) = streams.err.splitlines()
    assert line.startswith("learn: ")
    assert line.endswith("rustup component add llvm-tools")


def test_without_the_tool_a_command_builds_plainly(
    toolchain: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert learn.main([sys.executable, "-c", TELL]) == 0
    streams = capfd.readouterr()
    assert streams.out == "None None\n"
    (line,) = streams.err.splitlines()
    assert line.startswith("learn: a plain build, because ")


def test_a_command_builds_with_what_was_learned(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(learn, "learn", lambda: Path("/what was/learned"))
    assert learn.main([sys.executable, "-c", TELL]) == 0
    assert capfd.readouterr().out == f"-Cprofile-use=/what was/learned {learn.TARGET / 'learned'}\n"


def test_the_commands_status_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "learn", lambda: Path("learned"))
    assert learn.main([sys.executable, "-c", "raise SystemExit(3)"]) == 3


def test_flags_that_are_given_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUSTFLAGS", "-Ctarget-cpu=native  -g")
    flags = learn.with_flag("-Cmore", Path("place"))["CARGO_ENCODED_RUSTFLAGS"]
    assert flags.split("\x1f") == ["-Ctarget-cpu=native", "-g", "-Cmore"]
    # Cargo heeds the encoded ones alone where both are there.
    monkeypatch.setenv("CARGO_ENCODED_RUSTFLAGS", "--cfg\x1fa b")
    flags = learn.with_flag("-Cmore", Path("place"))["CARGO_ENCODED_RUSTFLAGS"]
    assert flags.split("\x1f") == ["--cfg", "a b", "-Cmore"]


def test_a_core_older_than_a_source_is_stale(tmp_path: Path) -> None:
    product, source = tmp_path / "made", tmp_path / "source"
    source.touch()
    assert learn.stale(product, [source])
    product.touch()
    os.utime(source, (1, 1))
    assert not learn.stale(product, [source])
    os.utime(product, (0, 0))
    assert learn.stale(product, [source])
