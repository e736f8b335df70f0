"""Bill of materials and provenance of a release."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import provenance
import sbom


def test_the_bill_lists_every_locked_dependency_once_and_is_the_same_each_time() -> None:
    found = sbom.document()
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    names = [one["purl"] for one in found["components"]]
    assert len(names) == len(set(names)) > 100
    assert any(name.startswith("pkg:cargo/libm@0.2.15") for name in names)
    assert any(name.startswith("pkg:pypi/numpy@") for name in names)
    assert all("hashes" in one for one in found["components"] if one["purl"].startswith("pkg:cargo/"))
    assert not any("dropcurve" in name for name in names)
    assert json.dumps(found) == json.dumps(sbom.document())


def test_provenance_names_the_wheel_by_its_hash_and_the_locks(tmp_path: Path) -> None:
    wheel = tmp_path / "dropcurve-0.whl"
    wheel.write_bytes(b"wheel")
    found = provenance.statement(wheel)
    assert found["subject"][0]["digest"]["sha256"] == hashlib.sha256(b"wheel").hexdigest()
    definition = found["predicate"]["buildDefinition"]
    assert [one["uri"] for one in definition["resolvedDependencies"]] == ["Cargo.lock", "uv.lock"]
