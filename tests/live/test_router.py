"""The router mode, between two hosts in namespaces that the test makes and that vanish with it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dropcurve.live import launch
from dropcurve.live.replay import replay
from dropcurve.live.router import Device, hidden_queues

LACKING = launch.missing() or ("" if shutil.which("nstat") else "no nstat (iproute2)")
SCRIPT = Path(__file__).with_name("router.sh")


@pytest.mark.skipif(bool(LACKING), reason=LACKING or "routers run here")
@pytest.mark.parametrize("kind", ["bridge", "queue", "queue6"])
def test_a_router_shapes_marks_counts_and_stops(kind: str, tmp_path: Path) -> None:
    tables = {"queue": "iptables", "queue6": "ip6tables"}.get(kind, "")
    if tables and not shutil.which(tables):
        pytest.skip(f"no {tables}")
    command = [*launch._unshare(), "timeout", "100", str(SCRIPT), sys.executable, str(tmp_path), kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    said = (tmp_path / "said.txt").read_text() if (tmp_path / "said.txt").exists() else ""
    if tables and "netfilter queue 0: cannot be opened" in said:
        pytest.skip("this kernel has no netfilter queues")
    assert done.returncode == 0, done.stderr + said
    forward = json.loads((tmp_path / "stats.json").read_text())["forward"]
    assert forward["sent"]["bytes"] > 3_000_000
    assert not any(forward["refused"].values())
    counters = dict(re.findall(r"(\w+)\s+(\d+)", (tmp_path / "nstat.txt").read_text()))
    ce = "Ip6InCEPkts" if kind == "queue6" else "IpExtInCEPkts"
    assert forward["marked_pkts"] == int(counters[ce]) > 0
    assert int(counters["TcpInCsumErrors"]) == 0
    sent = re.search(
        r'^dropcurve_sent_packets_total{direction="forward"} (\d+)', metrics(tmp_path), re.MULTILINE
    )
    assert sent is not None
    assert 0 < int(sent[1]) <= forward["sent"]["pkts"]
    assert (tmp_path / "set.txt").read_text().strip() == "codel at 30 Mbit/s, 0 ns"
    assert "exit 2" in (tmp_path / "refused.txt").read_text()
    judged = replay(tmp_path / "record")
    assert judged.identical
    assert judged.whole
    assert judged.changes == 1


def metrics(folder: Path) -> str:
    """What was served to Prometheus."""
    return (folder / "metrics.txt").read_text()


def test_a_queue_before_ours_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropcurve.live.router._discipline", lambda _: "fq_codel")
    found = hidden_queues((Device("tun7", "tun", ""), Device("tun8", "tun", "")), "1 Mbit/s")
    assert len(found) == 2
    assert "tc qdisc replace dev tun7 root pfifo" in found[0]
