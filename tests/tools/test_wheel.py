"""A wheel is compared with the plain build, and taken away where it differs."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path

import pytest

import wheel

PLAIN = ["red: 1234", "codel: 5678"]


@pytest.fixture
def dist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a wheel is put that is built at once."""

    def build(folder: str, settings: dict[str, str] | None = None) -> str:
        assert settings in (None, {"build-args": "--compatibility pypi"})
        with zipfile.ZipFile(Path(folder) / "some.whl", "w") as packed:
            packed.writestr("dropcurve/_core.pyi", "")
            packed.writestr("dropcurve/_core.abi3.so", "the core")
        return "some.whl"

    monkeypatch.setattr(wheel.build_backend, "build_wheel", build)
    monkeypatch.setattr(wheel.learn, "environment", dict)
    monkeypatch.setattr(wheel, "sources", list)
    return tmp_path / "dist"


def answer(monkeypatch: pytest.MonkeyPatch, built: list[str]) -> None:
    """The outcome of the training in the wheel's core; all others are plain."""
    mine = wheel.installed()
    monkeypatch.setattr(wheel, "outcome", lambda library: PLAIN if library == mine else built)


def test_a_wheel_with_the_same_results_stays(dist: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, PLAIN)
    assert wheel.main(str(dist)) == 0
    records = ["some.whl.cdx.json", "some.whl.provenance.json"]
    assert sorted(path.name for path in dist.iterdir()) == ["some.whl", *records]
    materials, statement = (json.loads((dist / name).read_text(encoding="utf-8")) for name in records)
    assert materials["bomFormat"] == "CycloneDX"
    packed = hashlib.sha256((dist / "some.whl").read_bytes()).hexdigest()
    assert statement["subject"] == [{"name": "some.whl", "digest": {"sha256": packed}}]


@pytest.mark.parametrize(
    ("built", "message"),
    [
        (["red: 1234", "codel: 5679"], "codel: 5679 instead of codel: 5678"),
        (["red: 1234"], "1 runs instead of 2"),
    ],
)
def test_one_that_differs_is_taken_away(
    built: list[str],
    message: str,
    dist: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer(monkeypatch, built)
    assert wheel.main(str(dist)) == 1
    assert capsys.readouterr().err.endswith(f"{message}\n")
    assert list(dist.iterdir()) == []


def test_the_core_is_taken_out_of_the_wheel(dist: Path, tmp_path: Path) -> None:
    dist.mkdir()
    wheel.build_backend.build_wheel(str(dist))
    assert wheel.unpacked(dist / "some.whl", tmp_path).read_text() == "the core"


def test_a_plain_core_that_is_older_than_its_sources_is_refused_before_the_build(
    dist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "lib.rs"
    source.touch()
    changed = wheel.installed().stat().st_mtime + 10
    os.utime(source, (changed, changed))
    monkeypatch.setattr(wheel, "sources", lambda: [source])
    assert wheel.main(str(dist)) == 2
    assert f"older than {source}: make setup" in capsys.readouterr().err
    assert not dist.exists()


def test_the_sources_are_those_of_the_core() -> None:
    paths = {path.relative_to(wheel.ROOT).as_posix() for path in wheel.sources()}
    assert {"crates/queue/src/lib.rs", "crates/py/Cargo.toml", "Cargo.lock"} <= paths
