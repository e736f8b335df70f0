"""The build backend of the wheel: maturin, plus the scenarios and the studio.

`scenarios/` lies at the root of the tree, where people look for it. A wheel can only contain files of the package, so
the files are copied to `python/dropcurve/scenarios/` for the time of the build and taken away after it. An editable
install makes no copy: the package finds the root folder itself. So it is with `docs/references.toml`. Likewise the
wheel has a copy of Optuna's samplers (tools/third_party.py). The studio is built into the package where the Rust
target for WebAssembly is available; a wheel without it reports that when `dropcurve studio` is called.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

import studio
import third_party

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent


def get_requires_for_build_wheel(config_settings: Mapping[str, Any] | None = None) -> list[str]:
    """The requirements of maturin, and the Optuna that is copied."""
    requirements: list[str] = maturin.get_requires_for_build_wheel(config_settings)
    return [*requirements, third_party.requirement()]


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Builds the wheel with the scenarios and the copy of Optuna's samplers inside the package."""
    studio.main([])
    with package_complete():
        name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name


@contextlib.contextmanager
def package_complete() -> Iterator[None]:
    """The package has all that a wheel contains for as long as the block lasts."""
    with scenarios_in_package(), references_in_package(), third_party.in_package():
        yield


@contextlib.contextmanager
def references_in_package() -> Iterator[None]:
    """Stores a copy of `docs/references.toml`, the sources that answers cite, in the package likewise."""
    copy = ROOT / "python" / "dropcurve" / "references.toml"
    shutil.copyfile(ROOT / "docs" / "references.toml", copy)
    try:
        yield
    finally:
        copy.unlink(missing_ok=True)


@contextlib.contextmanager
def scenarios_in_package() -> Iterator[None]:
    """Stores a copy of `scenarios/*.toml` in the package for as long as the block lasts."""
    copy = ROOT / "python" / "dropcurve" / "scenarios"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    try:
        for scenario in sorted((ROOT / "scenarios").glob("*.toml")):
            shutil.copyfile(scenario, copy / scenario.name)
        yield
    finally:
        shutil.rmtree(copy, ignore_errors=True)
