"""Provenance of a wheel: an in-toto statement with a predicate of SLSA, unsigned. The publisher of the wheel signs it.

Reference: in-toto Statement v1; SLSA Provenance v1.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: Inputs of the build besides the sources.
LOCKS = ("Cargo.lock", "uv.lock")


def statement(wheel: Path) -> dict[str, Any]:
    """Returns the sources of the wheel: the commit, whether the tree had changes, the lock files, the tools."""
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": wheel.name, "digest": {"sha256": digest(wheel)}}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "make build",
                "externalParameters": {"commit": output("git", "rev-parse", "HEAD")},
                "internalParameters": {
                    "changed": bool(output("git", "status", "--porcelain")), "rustc": output("rustc", "--version"),
                    "python": platform.python_version(), "machine": platform.machine(),
                },
                "resolvedDependencies": [
                    {"uri": name, "digest": {"sha256": digest(ROOT / name)}} for name in LOCKS
                ],
            },
            "runDetails": {"builder": {"id": "tools/wheel.py"}},
        },
    }  # fmt: skip


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def output(*words: str) -> str:
    """Returns the output of a program; empty if it cannot be run."""
    try:
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
