"""Runs a lab: in namespaces of this kernel, or in a kernel of its own in virtual time.

In namespaces nothing changes on the host itself: the lab is the first process of new user (unless root), network,
mount and process namespaces, and when it ends, in whatever way, the kernel removes them. A keeper ends it when we end.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..errors import DropcurveError
from . import keeper
from . import scratch as folders
from .plan import LabPlan

#: Programs a lab needs, with the Debian package of each.
PROGRAMS = {
    "unshare": "util-linux",
    "ip": "iproute2",
    "tc": "iproute2",
    "iperf3": "iperf3",
    "ping": "iputils-ping",
    "sysctl": "procps",
}
#: Environment variable with the folder of the kernel in virtual time.
ORACLE = "DROPCURVE_ORACLE"
#: Its path in a checkout.
BESIDE = Path(__file__).resolve().parents[3].parent / "shared" / "linux-oracle"
#: Prefix of the names of its folders.
GUEST = "dropcurve-guest-"
#: Virtual time begins here, in nanoseconds since 1970; memory of the guest.
EPOCH_NS, MEMORY = 1_700_000_000_000_000_000, "512M"
#: Seconds that a lab may take beyond its traffic before it counts as hung, on however busy a machine.
PATIENCE_S = 600


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


def in_namespaces(
    plan: LabPlan, out: Path, *, scratch: folders.FolderClaim | None = None, **files: list[str]
) -> dict[str, Any]:
    """Runs a lab in namespaces, in real time, and returns its measurements.

    ``files`` may name ``records`` and ``captures``, there and back, which are written to ``out``. ``scratch`` is a
    folder that is removed if we are killed. Raises DropcurveError if it cannot run here.
    """
    if why := missing():
        raise DropcurveError("lab", "", why, "use --virtual, or another machine", shown="rule")
    job = _write_job(plan, out, files)
    words = [*_unshare(), sys.executable, "-m", "dropcurve.live.world", str(job)]
    limit = plan.duration_s + PATIENCE_S
    claims = [scratch] if scratch else []
    if not _keep(words, claims, limit, log=out / "world.txt"):
        raise DropcurveError(
            "lab",
            "",
            f"the lab did not end within {limit:.0f} s",
            "run it again on a machine with less work, or with a shorter --duration",
            shown="rule",
        )
    return _read(out)


def in_virtual_time(
    plan: LabPlan, out: Path, *, scratch: folders.FolderClaim | None = None, **files: list[str]
) -> dict[str, Any]:
    """Runs a lab in a kernel of its own whose clock stops while anything computes: each run has the same bytes.

    The rest is as with `in_namespaces`. Raises DropcurveError if there is no such kernel.
    """
    kernel = oracle()
    if kernel is None or missing_for_virtual_time():
        raise DropcurveError(
            "lab",
            "virtual",
            missing_for_virtual_time(),
            "leave out --virtual to run it in real time",
            shown="rule",
        )
    # The guest sees the folder's name, and its bytes may depend on it: always the same, for one guest at a time.
    with folders.numbered(f"{GUEST}{os.geteuid()}-") as place:
        folder = place.path
        job = _write_job(plan, folder, files)
        script = Path(__file__).with_name("guest.sh")
        environment = {"HOME": str(folder), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": str(folder)}
        words = [
            "env", "-i", *(f"{key}={value}" for key, value in environment.items()), *_pinned(folder),
            str(kernel), f"mem={MEMORY}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "init=/bin/bash",
            "ssl=null", "con=null", "con0=null,fd:1", "quiet", "seccomp=on", "time-travel=inf-cpu",
            f"time-travel-start={EPOCH_NS}", f"detseed={plan.seed}", "--", str(script), sys.executable, str(job),
        ]  # fmt: skip
        limit = PATIENCE_S + 60 * plan.duration_s
        claims = [place, scratch] if scratch else [place]
        if not _keep(words, claims, limit, log=folder / "kernel.txt"):
            raise DropcurveError(
                "lab",
                "virtual",
                f"the kernel in virtual time did not end within {limit:.0f} s",
                "shorten --duration",
                shown="rule",
            )
        try:
            return _read(folder)
        finally:
            for path in folder.iterdir():
                if path.is_file():
                    shutil.move(path, out / path.name)


def _keep(words: list[str], claims: list[folders.FolderClaim], limit: float, *, log: Path) -> bool:
    """Runs a command that ends with this process, as do its folders; returns whether it ended in time."""
    job = keeper.KeeperJob(words, folders=[str(claim.path) for claim in claims])
    with log.open("wb") as output:
        # A session of its own, so that Ctrl-C only reaches us.
        started = subprocess.Popen(
            job.command(), stdin=subprocess.PIPE, stdout=output, stderr=output, env=_environment(),
            start_new_session=True, pass_fds=[claim.lock for claim in claims],
        )  # fmt: skip
        try:
            started.wait(limit)
        except subprocess.TimeoutExpired:
            return False
        finally:
            if started.stdin:
                started.stdin.close()
            started.wait()
    return True


def _pinned(folder: Path) -> list[str]:
    """The guest's threads wake each other all the time, which is fastest on one processor: each guest has its own."""
    if not shutil.which("taskset"):
        return []
    allowed = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(allowed[int(folder.name[-2:]) % len(allowed)])]


def _write_job(plan: LabPlan, out: Path, files: dict[str, list[str]]) -> Path:
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
        outputs = [path for path in (out / "world.txt", out / "kernel.txt") if path.exists()]
        last = (
            outputs[0].read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            if outputs
            else []
        )
        raise DropcurveError(
            "lab",
            "",
            f"the lab ended without a result{': ' + last[0] if last else ''}",
            "run it again, with a shorter --duration if memory was short",
            shown="rule",
        ) from None
    if "error" in raw:
        raise DropcurveError(
            "lab",
            "",
            f"the lab could not run: {raw['error']}",
            "install or allow what it names, or use --virtual",
            shown="rule",
        )
    return raw
