"""Advisories for the locked Python dependencies: pip-audit over ``uv.lock``, with the policy of ``pyproject.toml``.

    .venv/bin/python tools/audit.py

The policy is ``[tool.dropcurve-audit]``: ``ignore`` maps the number of an advisory to the reason why it does not apply
and the day on which that is looked at again; past that day the audit fails.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def pinned() -> str:
    """The locked dependencies in the form of a requirements file, with their hashes."""
    lines = []
    for one in tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]:
        files = [file for file in [one.get("sdist"), *one.get("wheels", [])] if file]
        hashes = " ".join(sorted(f"--hash={file['hash']}" for file in files if "hash" in file))
        if hashes:
            lines.append(f"{one['name']}=={one['version']} {hashes}")
    return "\n".join(lines) + "\n"


def ignored(today: datetime.date) -> list[str]:
    """Advisories that the policy leaves out. Raises SystemExit for one whose day has passed, or without a reason."""
    policy = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"].get(
        "dropcurve-audit", {}
    )
    advisories = []
    for name, one in policy.get("ignore", {}).items():
        if not re.fullmatch(r"(PYSEC|GHSA|CVE)-[\w-]+", name) or not one.get("reason"):
            sys.exit(f"audit: {name}: must be the number of an advisory, with a reason")
        if one["until"] < today:
            sys.exit(f"audit: {name}: was left out until {one['until']}; look at it again")
        advisories += ["--ignore-vuln", name]
    return advisories


def main() -> int:
    """Runs pip-audit; its exit code."""
    left_out = ignored(datetime.date.today())
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "requirements.txt"
        file.write_text(pinned(), encoding="utf-8")
        words = [
            sys.executable,
            "-m",
            "pip_audit",
            "--strict",
            "--require-hashes",
            "--disable-pip",
            "-r",
            str(file),
        ]
        return subprocess.run([*words, *left_out], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
