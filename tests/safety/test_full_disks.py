"""A disk that is full: the message names the path and a remedy, and no file is left half-written."""

from __future__ import annotations

import errno
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from dropcurve.errors import unwritable

LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from dropcurve import cli
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.parametrize("limit", [0, pytest.param(3000, marks=pytest.mark.slow), 30_000])
def test_a_file_that_cannot_grow_is_named_and_not_left_behind(folder: Path, limit: int) -> None:
    command = ["run", "short.toml", "--replications", "2", "--cache", "off", "--out", "kept"]
    whole = [sys.executable, "-c", LIMITED]
    done = subprocess.run(
        [*whole, str(limit), *command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("dropcurve: "))
    assert "kept/" in line and "cannot be written" in line
    assert line.endswith(
        ("(ulimit -f), or name another folder", "make room on its disk, or name another folder")
    )
    left = [path.name for path in (folder / "kept").rglob("*")]
    assert not [name for name in left if name.endswith(".part")], left
    # The files are complete: the same command finishes the folder, which then passes its checks.
    again = subprocess.run(
        [*whole, str(resource.RLIM_INFINITY), *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    checked = subprocess.run(
        [*whole, str(resource.RLIM_INFINITY), "check", "kept"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO, errno.ENAMETOOLONG])
def test_every_reason_has_a_remedy(code: int) -> None:
    problem = unwritable("a/b", OSError(code, "reason"))
    assert (problem.path, problem.rule) == ("a/b", "cannot be written: reason") and problem.remedy
    assert str(problem) == f"a/b: cannot be written: reason; {problem.remedy}"
