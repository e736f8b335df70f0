"""Builds the released wheel: profile-guided (tools/learn.py), with the same results as a plain build.

    .venv/bin/python tools/wheel.py FOLDER

After the build the training runs in the plain core that `make setup` built and in the wheel's. A wheel whose results
differ in any bit is deleted. A plain core that is older than the sources is refused before anything is built.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import build_backend
import learn
import provenance
import sbom

#: Arguments of maturin: a tag that a package registry accepts, on Linux the manylinux of the oldest glibc with the
#: functions that the core calls.
COMPATIBILITY = "--compatibility pypi"
ROOT = Path(__file__).resolve().parent.parent


def main(folder: str) -> int:
    """Builds and compares; the status to exit with."""
    plain_core = installed()
    if newer := next((path for path in sources() if learn.stale(plain_core, [path])), None):
        print(f"wheel: the plain core is older than {newer}: make setup builds it again", file=sys.stderr)
        return 2
    os.environ.update(learn.environment())
    Path(folder).mkdir(parents=True, exist_ok=True)
    wheel = Path(folder) / build_backend.build_wheel(folder, {"build-args": COMPATIBILITY})
    with tempfile.TemporaryDirectory() as place:
        built, plain = (outcome(library) for library in (unpacked(wheel, Path(place)), plain_core))
    if differs := difference(built, plain):
        wheel.unlink()
        print(f"wheel: deleted, because it differs from the plain build: {differs}", file=sys.stderr)
        return 1
    for suffix, content in (
        (".cdx.json", sbom.document()),
        (".provenance.json", provenance.statement(wheel)),
    ):
        Path(f"{wheel}{suffix}").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"wheel: {wheel}, bit for bit as the plain build in {len(plain)} runs")
    return 0


def sources() -> list[Path]:
    """The files of the core."""
    return [*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("crates/*/Cargo.toml"), ROOT / "Cargo.lock"]


def installed() -> Path:
    """The core in this environment."""
    spec = importlib.util.find_spec("dropcurve._core")
    assert spec is not None and spec.origin is not None, "make setup has built it"
    return Path(spec.origin)


def unpacked(wheel: Path, place: Path) -> Path:
    """The core in a wheel, taken out of it."""
    with zipfile.ZipFile(wheel) as packed:
        (core,) = (name for name in packed.namelist() if name.endswith(tuple(EXTENSION_SUFFIXES)))
        return Path(packed.extract(core, place))


def outcome(library: Path) -> list[str]:
    """Returns the outcomes of the training runs, a line for each."""
    return learn.output(sys.executable, learn.TRAINING, library).splitlines()


def difference(built: list[str], plain: list[str]) -> str:
    """The first line that is not the same; empty where all are."""
    if len(built) != len(plain):
        return f"{len(built)} runs instead of {len(plain)}"
    pairs = (f"{one} instead of {other}" for one, other in zip(built, plain, strict=True) if one != other)
    return next(pairs, "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
