"""A router whose interface disappears, and the rights of its processes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dropcurve.live import launch

SCRIPT = Path(__file__).with_name("router.sh")


def lacking() -> str:
    """Why no namespace can be made here; "" if one can."""
    path = "/usr/sbin:/sbin:/usr/bin:/bin"
    if any(shutil.which(name, path=path) is None for name in ("unshare", "ip", "pgrep")):
        return "needs unshare, ip and pgrep"
    tried = subprocess.run([*launch._unshare(), "true"], capture_output=True, check=False)
    return "namespaces cannot be made" if tried.returncode else ""


LACKING = lacking()
pytestmark = pytest.mark.skipif(bool(LACKING), reason=LACKING or "routers run here")


def routed(folder: Path, case: str) -> tuple[int, str]:
    """Runs a router through a case; returns its exit code and what it wrote to standard error."""
    words = [*launch._unshare(), "timeout", "240", str(SCRIPT), sys.executable, str(folder), case]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=300, check=False, env=launch._environment()
    )
    stderr = (folder / "stderr.txt").read_text()
    assert done.returncode == 0, done.stderr + stderr
    assert not (folder / "left.txt").read_text()
    return int((folder / "code.txt").read_text()), stderr


@pytest.mark.parametrize(("case", "name"), [("deleted", "r1"), ("moved", "r0")])
def test_an_interface_that_goes_ends_the_router_in_one_line(tmp_path: Path, case: str, name: str) -> None:
    code, stderr = routed(tmp_path, case)
    assert code == 1
    (line,) = [line for line in stderr.splitlines() if "has gone" in line]
    assert line == (
        f"dropcurve: interface {name}: has gone, so nothing is forwarded any more; bring it back and run the router "
        "again"
    )


def test_an_interface_that_is_down_is_waited_for(tmp_path: Path) -> None:
    code, stderr = routed(tmp_path, "down")
    assert (code, "has gone" in stderr) == (0, False)
    assert json.loads((tmp_path / "after.json").read_text())["forward"]["arrived"]["pkts"] > 0


def test_processes_have_no_rights_sockets_no_strangers_and_set_refuses_what_run_refuses(
    tmp_path: Path,
) -> None:
    code, stderr = routed(tmp_path, "rights")
    assert code == 0, stderr
    folder, control = (tmp_path / "modes.txt").read_text().splitlines()
    assert (folder.split()[0], control.split()[0]) == ("700", "600")
    none = "0" * 16
    for name, rights in (("forwarder", none), ("keeper", f"{1 << 12:016x}")):
        held = dict(line.split() for line in (tmp_path / f"{name}.txt").read_text().splitlines())
        # Seccomp: 2 is a filter; the keeper may still administer interfaces, whose merging it turns on again.
        assert held == {
            "CapInh:": none, "CapPrm:": rights, "CapEff:": rights, "NoNewPrivs:": "1", "Seccomp:": "2",
        }, name  # fmt: skip
    assert json.loads((tmp_path / "stats.json").read_text())["filtered"] is True
    for text in ((tmp_path / "refused.txt").read_text(), (tmp_path / "raw.txt").read_text()):
        assert "must be above 0; a link without a rate has no queue to manage" in text
        assert "puts 300 MB on the wire at 4 Mbit/s, more than the 268 MB that fit there; lower the" in text
        assert "taken" not in text
