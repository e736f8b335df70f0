"""The router mode, between two hosts in namespaces that the test makes and that vanish with it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dropcurve.cli import invoke
from dropcurve.live import launch, merging
from dropcurve.live.replay import replay

LACKING = launch.missing() or ("" if shutil.which("nstat") else "no nstat (iproute2)")
SCRIPT = Path(__file__).with_name("router.sh")


@pytest.mark.skipif(bool(LACKING), reason=LACKING or "routers run here")
@pytest.mark.parametrize("kind", ["bridge", "queue", "queue6"])
def test_a_router_shapes_marks_counts_and_stops(kind: str, tmp_path: Path) -> None:
    tables = {"queue": "iptables", "queue6": "ip6tables"}.get(kind, "")
    if tables and not shutil.which(tables):
        pytest.skip(f"no {tables}")
    command = [*launch._unshare(), "timeout", "600", str(SCRIPT), sys.executable, str(tmp_path), kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=660, check=False)
    stderr = (tmp_path / "stderr.txt").read_text() if (tmp_path / "stderr.txt").exists() else ""
    if tables and "netfilter queue 0: cannot be opened" in stderr:
        pytest.skip("this kernel has no netfilter queues")
    assert done.returncode == 0, done.stderr + stderr
    forward = json.loads((tmp_path / "stats.json").read_text())["forward"]
    assert forward["sent"]["bytes"] > 3_000_000
    assert not any(forward["refused"].values())
    assert len(forward["series"]["rows"]) <= forward["seconds"] + 1
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


@pytest.mark.skipif(bool(LACKING), reason=LACKING or "routers run here")
def test_a_queue_behind_ours_is_seen_and_the_router_keeps_no_rights_and_no_doors(tmp_path: Path) -> None:
    script = SCRIPT.with_name("behind.sh")
    command = [*launch._unshare(), "timeout", "600", str(script), sys.executable, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=660, check=False)
    stderr = (tmp_path / "stderr.txt").read_text()
    assert done.returncode == 0, done.stderr + stderr
    # Before the start it is planned, afterwards measured.
    assert "warning: m1 sends through r1, which queues after us: tbf, which sends 0.1 Mbit/s" in stderr
    assert re.search(
        r"Warning: in → out: half of the time \d+\.\d ms of packets wait behind", read(tmp_path, "stats")
    )
    assert dict(line.split() for line in read(tmp_path, "rights").splitlines()) == {
        **{f"Cap{which}:": "0" * 16 for which in ("Inh", "Prm", "Eff", "Amb")}, "NoNewPrivs:": "1",
    }  # fmt: skip
    assert [line.split()[4] for line in read(tmp_path, "listeners").splitlines()] == ["127.0.0.1:9109"]
    assert read(tmp_path, "elsewhere").strip() == "404"


def read(folder: Path, name: str) -> str:
    """One of the files that a script wrote."""
    return (folder / f"{name}.txt").read_text()


def metrics(folder: Path) -> str:
    """The metrics served to Prometheus."""
    return read(folder, "metrics")


#: A router that is killed, by itself or with what cleans up after it: what merges frames before, during and after it,
#: what `live clean` says, and what is left.
KILLED = """
mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run; mkdir /run/left; export XDG_RUNTIME_DIR=/run/left
ip link set lo up; ip link add r0 type veth peer name r1; ip link set r0 up; ip link set r1 up
gro() { ethtool -k r0 | grep generic-receive-offload: | cut -d " " -f 2 >> "$1"; }
dropcurve() { "$0" -c "from dropcurve.cli import main; main()" "$@"; }
ethtool -K r0 gro on; gro "$1"
devices="--in-if r0 --out-if r1"
"$0" -c "from dropcurve.cli import main; main()" live run $devices --rate "1 Mbit/s" --queue codel --json > /dev/null &
until [ -e /run/left/dropcurve-live-*/control ]; do kill -0 $!; sleep 0.05; done
gro "$1"
dropcurve live clean > /dev/null; gro "$1"
keeper=$(pgrep -P $!); forwarder=$(pgrep -P $keeper)
case $2 in
client) kill -9 $! ;;
keeper) kill -9 $keeper; wait $! || true ;;
all) kill -STOP $keeper; kill -9 $! $keeper $forwarder ;;
esac
tail --pid=$keeper -f /dev/null; tail --pid=$forwarder -f /dev/null
gro "$1"
dropcurve live clean | sed "s/live-[^ ]*/live-x/" >> "$1"
gro "$1"
ls /run/left >> "$1"
"""


@pytest.mark.skipif(
    bool(launch.missing()) or not shutil.which("ethtool"), reason=launch.missing() or "no ethtool"
)
@pytest.mark.parametrize("victims", ["client", "keeper", "all"])
def test_a_killed_router_leaves_nothing_behind(victims: str, tmp_path: Path) -> None:
    states = tmp_path / "states.txt"
    words = [*launch._unshare(), "bash", "-ec", KILLED, sys.executable, str(states), victims]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=launch._environment())
    assert done.returncode == 0, done.stderr
    # With everything killed nobody is left to turn it on again, but there is a note of it.
    after = (
        ["off", "removed /run/left/dropcurve-live-x"]
        if victims == "all"
        else ["on", "nothing was left behind"]
    )
    assert states.read_text().splitlines() == ["on", "off", "off", *after, "on"]


def test_settings_of_another_namespace_are_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, note in (
        ("elsewhere", '{"namespace": 1, "interfaces": ["lo"]}'),
        ("cut-off", '{"namespace": 1, "inter'),
        ("interface-gone", json.dumps({"namespace": merging._namespace(), "interfaces": ["no-such-if"]})),
    ):
        (tmp_path / f"dropcurve-live-{name}").mkdir()
        (tmp_path / f"dropcurve-live-{name}" / merging.NOTE).write_text(note)
    assert invoke(["live", "clean"]) == 1
    assert f"left {tmp_path}/dropcurve-live-elsewhere: its interface is in another" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["dropcurve-live-elsewhere"]


#: Interfaces that hide a queue in every way that a namespace can have.
HIDING = """
mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /run; mkdir -p /run/netns; ip netns add other
ip tuntap add tun0 mode tun; ip link set tun0 up; tc qdisc replace dev tun0 root htb
ip tuntap add tun1 mode tun; ip link set tun1 up; tc qdisc replace dev tun1 root pfifo
ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up
tc qdisc replace dev v0 root tbf rate 1mbit burst 3000 latency 10ms
ip link add up0 link v0 type macvlan; ip link set up0 up
ip link add away0 link v1 type macvlan; ip link set away0 netns other
ip link add br0 type bridge; ip link add b0 type veth peer name b1; ip link set b0 master br0
mkdir /run/bin; printf '#!/bin/sh\necho "large-receive-offload: on"\n' > /run/bin/ethtool; chmod +x /run/bin/ethtool
PATH=/run/bin:$PATH; echo 1 > /proc/sys/net/ipv4/ip_forward
"$0" -c "$1"
ip netns exec other "$0" -c "$2"
"""
ASK = """
import json
from dropcurve.live.hidden import Device, queues
ask = lambda rate, *pairs: queues([Device(name, kind, "") for name, kind in pairs], rate)
"""
HERE = """
print(json.dumps({
    "tun": ask("9 Mbit/s", ("tun0", "tun"), ("tun1", "tun")),
    "card": ask("20 Gbit/s", ("v1", "packet"), ("tun1", "tun")),
    "stacked": ask("9 Mbit/s", ("up0", "packet"), ("tun1", "tun")),
    "bridge": ask("9 Mbit/s", ("b0", "packet"), ("b1", "packet")),
    "shared": ask("9 Mbit/s", ("v0", "packet"), ("tun1", "tun")),
    "queue": ask("9 Mbit/s", ("netfilter queue 0", "queue")),
}))
"""
THERE = 'print(json.dumps(ask("9 Mbit/s", ("away0", "packet"), ("tun1", "tun"))))'


@pytest.mark.skipif(bool(launch.missing()), reason=launch.missing() or "namespaces can be made")
def test_every_queue_beside_ours_is_warned_about() -> None:
    words = [*launch._unshare(), "bash", "-ec", HIDING, sys.executable, ASK + HERE, ASK + THERE]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=launch._environment())
    assert done.returncode == 0, done.stderr
    here, there = map(json.loads, done.stdout.splitlines())
    merges = "merges packets in hardware (large-receive-offload): ethtool -K {0} large-receive-offload off"
    shaped = "tbf, which sends 1 Mbit/s; tc qdisc replace dev v0 root pfifo limit 10000"
    assert here["tun"] == [
        "tun0 has a queue of its own before ours: htb; tc qdisc replace dev tun0 root pfifo limit 10000"
    ]
    assert here["card"] == [
        "v1 runs at 10000 Mbit/s, below 20 Gbit/s: the queue will be in its driver, not here",
        f"v1 {merges.format('v1')}",
    ]
    assert here["stacked"] == [
        f"up0 sends through v0, which queues after us: {shaped}",
        f"up0 {merges.format('up0')}",
    ]
    assert here["shared"][0] == "v0 carries up0: its packets go to it and through our queue"
    assert there[0].startswith("away0 (macvlan) sends through a device in another namespace")
    assert here["bridge"] == [
        "b0 is part of a bridge or bond, which forwards its packets as well: take it out",
        f"b0 {merges.format('b0')}",
        f"b1 {merges.format('b1')}",
        "this machine routes as well (net.ipv4.ip_forward): packets may arrive twice, by it and by us",
    ]
    assert (
        f"packets that leave by v0 are queued there if it is slower than 9 Mbit/s: {shaped}" in here["queue"]
    )
    assert len(here["queue"]) == 2
