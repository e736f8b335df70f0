"""Bill of materials and provenance of a release."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

import provenance
import release
import sbom


def test_the_bill_lists_every_locked_dependency_once_and_is_the_same_each_time() -> None:
    bill = sbom.document()
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    names = [one["purl"] for one in bill["components"]]
    assert len(names) == len(set(names)) > 100
    assert any(name.startswith("pkg:cargo/libm@0.2.15") for name in names)
    assert any(name.startswith("pkg:pypi/numpy@") for name in names)
    assert all("hashes" in one for one in bill["components"] if one["purl"].startswith("pkg:cargo/"))
    assert not any("dropcurve" in name for name in names)
    assert json.dumps(bill) == json.dumps(sbom.document())


def test_provenance_names_the_wheel_by_its_hash_and_the_locks(tmp_path: Path) -> None:
    wheel = tmp_path / "dropcurve-0.whl"
    wheel.write_bytes(b"wheel")
    statement = provenance.statement(wheel)
    assert statement["subject"][0]["digest"]["sha256"] == hashlib.sha256(b"wheel").hexdigest()
    definition = statement["predicate"]["buildDefinition"]
    assert [one["uri"] for one in definition["resolvedDependencies"]] == ["Cargo.lock", "uv.lock"]


def test_every_file_has_the_same_version_and_crates_come_after_what_they_need() -> None:
    assert len(release.version().split(".")) == 3
    done: set[str] = set()
    for name in release.CRATES:
        folder = release.ROOT / "crates" / name.removeprefix("dropcurve-")
        manifest = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))
        assert manifest["package"]["publish"] is True
        needed = {f"dropcurve-{one}" for one in manifest["dependencies"]}
        assert needed & set(release.CRATES) <= done, name
        done.add(name)


def test_steps_without_a_build_leave_notes_and_checksums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    (tree / "changes").mkdir(parents=True)
    for name in ("Cargo.toml", "pyproject.toml", "CITATION.cff", "Cargo.lock", "uv.lock"):
        (tree / name).write_bytes((release.ROOT / name).read_bytes())
    (tree / "CHANGELOG.md").write_text("# Changelog\n\nIntroduction.\n")
    (tree / "changes/pie.added.md").write_text("PIE.\n")
    monkeypatch.setattr(release, "ROOT", tree)
    assert release.main([str(out), "--only", "notes,materials,checksums"]) == 0
    assert (out / "CHANGES.md").read_text().splitlines()[-1] == "* PIE."
    assert not list((tree / "changes").iterdir())
    lines = (out / "SHA256SUMS").read_text().splitlines()
    assert [line.split("  ")[1] for line in lines] == [
        "CHANGES.md",
        f"dropcurve-{release.version()}.cdx.json",
    ]
    assert release.main([str(out), "--only", "wheels"]) == 2


def test_notes_for_a_version_with_a_tag_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes/pie.added.md").write_text("PIE.\n")
    monkeypatch.setattr(release, "run_for_output", lambda *words: words[-1])
    number = release.version()
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "version", lambda: number)
    with pytest.raises(SystemExit, match=f"v{number} is tagged"):
        release.notes(tmp_path)
    assert (tmp_path / "changes/pie.added.md").exists()


def test_an_image_is_skipped_only_where_its_base_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = tmp_path / "podman"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    builder.write_text('#!/bin/sh\n[ "$1" != pull ]\n')
    builder.chmod(0o755)
    assert "cannot pull docker.io/library/python" in release.image(tmp_path)
    builder.write_text('#!/bin/sh\n[ "$1" = pull ]\n')
    with pytest.raises(SystemExit, match="build --tag failed"):
        release.image(tmp_path)
