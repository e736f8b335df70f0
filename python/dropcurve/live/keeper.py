"""Runs a command that must not outlive its parent process, nor leave its folders behind.

    python -m dropcurve.live.keeper JOB

Our standard input is a pipe from our parent. When it closes, because the parent ended in any way, the
command gets its last signal, after a while SIGKILL, as do its descendants; then its folders are removed. If this
process is killed, the command gets the signal from the kernel. The job is a `KeeperJob` as JSON.

Once the command runs, this process gives up its capabilities, except for the one that turns merging on again if that
is necessary, and seccomp allows it only the system calls that wait, kill and remove.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import dropcurve._core as _core

from . import merging

#: An option of prctl(2).
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
#: Seconds a command has to end by itself.
PATIENCE_S = 10.0


@dataclass(frozen=True)
class KeeperJob:
    """A command, the signal that ends it, folders that go with it, and interfaces that merge no frames meanwhile, of
    which the first folder holds a note."""

    words: list[str]
    last: int = signal.SIGKILL
    folders: list[str] = field(default_factory=list)
    unmerged: list[str] = field(default_factory=list)

    def command(self) -> list[str]:
        """Its command line. It needs a pipe as standard input, and a session of its own."""
        return [sys.executable, "-m", "dropcurve.live.keeper", json.dumps(asdict(self))]


def keep(job: KeeperJob) -> tuple[int, bool]:
    """Runs the command; returns its exit code, and whether the parent process has ended."""
    libc = ctypes.CDLL(None, use_errno=True)
    us = os.getpid()
    # Orphans of the command become our children.
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def follow() -> None:
        libc.prctl(PR_SET_PDEATHSIG, job.last, 0, 0, 0)
        if os.getppid() != us:
            os._exit(1)

    started = subprocess.Popen(job.words, stdin=subprocess.DEVNULL, preexec_fn=follow, start_new_session=True)
    ended = os.pidfd_open(started.pid)
    _core.live_confine(bool(job.unmerged))
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(0, select.POLLIN)
    while ended not in (ready := {descriptor for descriptor, _ in waiting.poll()}):
        if 0 in ready and not os.read(0, 1):
            started.send_signal(job.last)
            waiting.unregister(0)
            waiting.poll(1000 * PATIENCE_S)
            clear(started)
            return started.returncode, True
    clear(started)
    return started.returncode, False


def clear(started: subprocess.Popen[bytes]) -> None:
    """Kills the command, if it still runs, and its descendants; returns when all have ended."""
    with suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while True:
        for child in children.read_text(encoding="ascii").split() if children.exists() else ():
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def main(arguments: list[str]) -> int:
    """Supervises the command of a job; returns its exit code."""
    job = KeeperJob(**json.loads(arguments[0]))
    if job.unmerged:
        with merging.off(job.unmerged, Path(job.folders[0])):
            code, alone = keep(job)
    else:
        code, alone = keep(job)
    for folder in map(Path, job.folders if alone else ()):
        if merging.restored(folder):
            shutil.rmtree(folder, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
