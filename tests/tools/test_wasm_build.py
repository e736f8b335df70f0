"""The modules of the studio are built apart from the core, whichever build of the core is in progress."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

import wasm


def test_the_flags_and_the_folder_of_a_learned_build_are_not_for_the_modules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, str] = {}

    def run(command: tuple[str, ...], **options: Any) -> subprocess.CompletedProcess[str]:
        seen.update(options["env"])
        return subprocess.CompletedProcess(command, 0, stdout="")

    monkeypatch.setenv("CARGO_ENCODED_RUSTFLAGS", "-Cprofile-use=core.profdata")
    monkeypatch.setenv("CARGO_TARGET_DIR", "/elsewhere")
    monkeypatch.setattr(wasm.subprocess, "run", run)
    wasm.cargo("build")
    assert "CARGO_ENCODED_RUSTFLAGS" not in seen
    assert wasm.STUDIO.is_relative_to(seen["CARGO_TARGET_DIR"])
