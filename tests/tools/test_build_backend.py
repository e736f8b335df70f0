"""A wheel carries the scenarios, and the tree is as it was after it was built."""

from __future__ import annotations

from pathlib import Path

import pytest

import build_backend


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "python" / "dropcurve").mkdir(parents=True)
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "first.toml").write_text('title = "First"\n')
    (tmp_path / "scenarios" / "notes.txt").write_text("not a scenario\n")
    monkeypatch.setattr(build_backend, "ROOT", tmp_path)
    return tmp_path


def test_the_package_holds_the_scenarios_for_the_time_of_the_build(root: Path) -> None:
    package = root / "python" / "dropcurve"
    with build_backend.scenarios_in_package():
        assert [path.name for path in (package / "scenarios").iterdir()] == ["first.toml"]
    assert list(package.iterdir()) == []


def test_a_failed_build_leaves_nothing_behind(root: Path) -> None:
    with pytest.raises(RuntimeError), build_backend.scenarios_in_package():
        raise RuntimeError("no linker")
    assert list((root / "python" / "dropcurve").iterdir()) == []


def test_the_package_holds_the_sources_for_the_time_of_the_build(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "references.toml").write_text('[RFC1]\ntitle = "Host software"\n')
    package = root / "python" / "dropcurve"
    with build_backend.references_in_package():
        assert [path.name for path in package.iterdir()] == ["references.toml"]
    assert list(package.iterdir()) == []
