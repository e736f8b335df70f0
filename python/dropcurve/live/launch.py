"""Where a lab runs: in namespaces of this kernel, or in a kernel of its own in virtual time.

In namespaces nothing is ever made on the host itself: the lab is the first process of new user (unless root), network,
mount and process namespaces, and when it ends, however it ends, the kernel takes all of them away.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import DropcurveError
from .plan import Plan

#: Programs a lab needs, with the Debian package of each.
PROGRAMS = {
    "unshare": "util-linux",
    "ip": "iproute2",
    "tc": "iproute2",
    "iperf3": "iperf3",
    "ping": "iputils-ping",
    "sysctl": "procps",
}
#: Names the folder of the kernel in virtual time.
ORACLE = "DROPCURVE_ORACLE"
#: Where it lies beside a checkout.
BESIDE = Path(__file__).resolve().parents[3].parent / "shared" / "linux-oracle"
#: Virtual time begins here, in nanoseconds since 1970; memory of the guest.
EPOCH_NS, MEMORY = 1_700_000_000_000_000_000, "512M"


def oracle() -> Path | None:
    """The kernel in virtual time, if there is one."""
    named = os.environ.get(ORACLE)
    for folder in [Path(named)] if named else [BESIDE]:
        if os.access(folder / "linux-um", os.X_OK):
            return folder / "linux-um"
    return None


def missing() -> str:
    """Why no lab can run in namespaces here, in one sentence with a remedy; empty if one can."""
    if sys.platform != "linux":
        return "a lab needs Linux; elsewhere `dropcurve run` simulates the same scenario"
    if lacking := _lacking(PROGRAMS):
        return lacking
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "a lab needs /dev/net/tun, readable and writable: modprobe tun, or ask for permission"
    tried = subprocess.run([*_unshare(), "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        why = tried.stderr.strip().splitlines()[-1:] or ["it was refused"]
        return f"a lab needs namespaces, which cannot be made here ({why[0]}): allow user namespaces, or run as root"
    return ""


def missing_for_virtual_time() -> str:
    """Why no lab can run in virtual time here, in one sentence with a remedy; empty if one can."""
    if oracle() is None:
        return f"virtual time needs a kernel built for it: name its folder in {ORACLE}"
    return _lacking({**PROGRAMS, "busybox": "busybox-static"})


def _lacking(programs: dict[str, str]) -> str:
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    packages = sorted({package for name, package in programs.items() if not shutil.which(name, path=path)})
    return f"a lab needs more programs: apt-get install {' '.join(packages)}" if packages else ""


def _unshare() -> list[str]:
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


def in_namespaces(plan: Plan, out: Path, **files: str) -> dict[str, Any]:
    """Runs a lab in namespaces, in real time; what was measured.

    ``files`` may name a ``record`` and a ``capture``, which are written to ``out``. Raises DropcurveError if it
    cannot run here.
    """
    if why := missing():
        raise DropcurveError(why)
    job = _write_job(plan, out, files)
    command = [*_unshare(), sys.executable, "-m", "dropcurve.live.world", str(job)]
    limit = plan.duration_s + 90
    with (out / "world.txt").open("wb") as log:
        # The lab ends when its standard input does: when this process ends, in whatever way.
        started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=_environment())
        try:
            started.wait(limit)
        except subprocess.TimeoutExpired:
            raise DropcurveError(f"the lab did not end within {limit:.0f} s") from None
        finally:
            started.kill()
            started.wait()
            if started.stdin:
                started.stdin.close()
    return _read(out)


def in_virtual_time(plan: Plan, out: Path, **files: str) -> dict[str, Any]:
    """Runs a lab in a kernel of its own whose clock stands still while anything computes: the same bytes each time.

    Raises DropcurveError if there is no such kernel.
    """
    kernel = oracle()
    if kernel is None or missing_for_virtual_time():
        raise DropcurveError(missing_for_virtual_time())
    with _slot() as folder:
        job = _write_job(plan, folder, files)
        script = Path(__file__).with_name("guest.sh")
        command = [
            str(kernel), f"mem={MEMORY}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "init=/bin/bash",
            "ssl=null", "con=null", "con0=null,fd:1", "quiet", "seccomp=on", "time-travel=inf-cpu",
            f"time-travel-start={EPOCH_NS}", f"detseed={plan.seed}", "--", str(script), sys.executable, str(job),
        ]  # fmt: skip
        limit = 60 + 20 * plan.duration_s
        with (folder / "kernel.txt").open("wb") as log:
            try:
                pinned = _pinned(folder)
                environment = {
                    "HOME": str(folder),
                    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                    "TMPDIR": str(folder),
                }
                subprocess.run(
                    [*pinned, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=limit,
                    env=environment, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                raise DropcurveError(f"the kernel in virtual time did not end within {limit:.0f} s") from None
        try:
            return _read(folder)
        finally:
            for path in folder.iterdir():
                if path.is_file():
                    shutil.move(path, out / path.name)


def _pinned(folder: Path) -> list[str]:
    """The guest's threads hand over to each other all the time, which is quickest on one processor: each place has
    its own."""
    if not shutil.which("taskset"):
        return []
    allowed = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(allowed[int(folder.name) % len(allowed)])]


@contextmanager
def _slot() -> Iterator[Path]:
    """A folder with always the same name: the guest sees the name, and its bytes may depend on it. One guest at a
    time uses it, and another takes the next."""
    base = Path(tempfile.gettempdir()) / f"dropcurve-guest-{os.getuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    for number in range(64):
        with (base / f"{number:02}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            folder = base / f"{number:02}"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            return
    raise DropcurveError(f"{base}: all places for guests are taken")


def _write_job(plan: Plan, out: Path, files: dict[str, str]) -> Path:
    job = out / "job.json"
    job.write_text(json.dumps({**plan.as_json(), **files, "out": str(out)}), encoding="utf-8")
    return job


def _environment() -> dict[str, str]:
    package = str(Path(__file__).resolve().parents[2])
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return {**os.environ, "PATH": path, "PYTHONPATH": package, "LC_ALL": "C", "PYTHONUNBUFFERED": "1"}


def _read(out: Path) -> dict[str, Any]:
    try:
        raw: dict[str, Any] = json.loads((out / "raw.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        said = [path for path in (out / "world.txt", out / "kernel.txt") if path.exists()]
        last = said[0].read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:] if said else []
        raise DropcurveError(f"the lab ended without a result{': ' + last[0] if last else ''}") from None
    if "error" in raw:
        raise DropcurveError(f"the lab could not run: {raw['error']}")
    return raw
