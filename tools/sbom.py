"""Bill of materials of a release: every locked dependency, Rust and Python, as CycloneDX 1.6 JSON.

    python tools/sbom.py FILE

It reads ``Cargo.lock`` and ``uv.lock`` alone, so that the same commit makes the same bytes.

Reference: CycloneDX 1.6 (ECMA-424); package URLs (ECMA-427).
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: Prefix of the names of our own crates, and name of the package.
OURS = "dropcurve"


def components() -> Iterator[dict[str, Any]]:
    """The locked dependencies, with the hash that the lock file holds of a source archive."""
    for one in tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]:
        if "source" in one:
            yield component("cargo", one["name"], one["version"], one.get("checksum"))
    for one in tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]:
        if one["name"] != OURS and "version" in one:
            digest = one.get("sdist", {}).get("hash", "").removeprefix("sha256:")
            yield component(
                "pypi", re.sub(r"[-_.]+", "-", one["name"]).lower(), one["version"], digest or None
            )


def component(kind: str, name: str, version: str, digest: str | None) -> dict[str, Any]:
    """One dependency."""
    url = f"pkg:{kind}/{name}@{version}"
    entry: dict[str, Any] = {"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url}
    return entry | ({"hashes": [{"alg": "SHA-256", "content": digest}]} if digest else {})


def document() -> dict[str, Any]:
    """The bill of materials."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"][
        "version"
    ]
    entries = sorted(components(), key=lambda one: str(one["bom-ref"]))
    url = f"pkg:pypi/{OURS}@{version}"
    names = "\n".join(one["bom-ref"] for one in entries)
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url + names)}",
        "metadata": {
            "component": {"type": "application", "bom-ref": url, "name": OURS, "version": version, "purl": url}
        },
        "components": entries,
        "dependencies": [{"ref": url, "dependsOn": [one["bom-ref"] for one in entries]}],
    }  # fmt: skip


def main(arguments: list[str]) -> int:
    """Writes the bill to a file."""
    Path(arguments[0]).write_text(json.dumps(document(), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
