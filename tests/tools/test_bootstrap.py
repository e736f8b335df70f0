"""A tool that the set-up needs and does not find is named in one line, with the remedy."""

from __future__ import annotations

import shutil
import sys

import pytest

import bootstrap


def without(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None if name == program else real(name))


def refusal(check: object) -> str:
    assert callable(check)
    with pytest.raises(SystemExit) as refused:
        check()
    text = str(refused.value)
    assert text.startswith("set-up: ")
    assert "\n" not in text
    return text


def test_no_cargo(monkeypatch: pytest.MonkeyPatch) -> None:
    without("cargo", monkeypatch)
    assert "install Rust 1." in refusal(bootstrap.check_rust)


def test_an_old_cargo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: name)
    monkeypatch.setattr(bootstrap, "version_of", lambda *command: (1, 63, 0))
    assert "cargo 1.63.0 is too old: install Rust" in refusal(bootstrap.check_rust)


def test_no_linker_and_no_way_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    without("cc", monkeypatch)
    monkeypatch.setattr(bootstrap, "apt_install", lambda *packages: False)
    assert "no C compiler (cc)" in refusal(bootstrap.check_linker)


def test_an_old_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 9, 2, "final", 0))
    monkeypatch.setattr(bootstrap, "version_of", lambda *command: ())
    assert "Python 3.9 is too old: install Python 3.11" in refusal(bootstrap.find_python)


def test_a_newer_python_on_the_path_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.sys, "version_info", (3, 9, 2, "final", 0))
    monkeypatch.setattr(
        bootstrap, "version_of", lambda *command: (3, 12) if command[0] == "python3.12" else ()
    )
    assert bootstrap.find_python() == "python3.12"


def test_versions_are_read() -> None:
    assert bootstrap.version_of(sys.executable, "--version") == sys.version_info[:3]
    assert bootstrap.version_of("no-such-program", "--version") == ()
