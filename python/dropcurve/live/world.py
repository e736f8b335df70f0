"""A lab from inside: builds the hosts, runs the traffic, and writes down what happened.

    python -m dropcurve.live.world JOB

runs as root of network, mount and process namespaces of its own (or of a whole kernel), so nothing it makes outlives
it. The job is a plan with the folder to write to.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ..errors import DropcurveError
from .forwarder import Control, await_control

#: Networks of the hosts on the left and on the right; the last two bytes of an address are the flow's number, from 1.
NETWORKS = {"left": "10.77", "right": "10.78"}
FIRST_PORT = 5201
#: Seconds from the start of the forwarder to that of the traffic, and between two pings.
HEAD_START_S, PING_S = 0.5, 0.2
#: Seconds between two intervals of iperf3.
INTERVAL_S = 0.5
#: Packets a device may hold for the forwarder: more than any window.
DEVICE_PACKETS = 10_000


class World:
    """Two hosts and what runs on them."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.out = Path(job["out"])
        self.programs: list[tuple[str, subprocess.Popen[bytes]]] = []
        self.problems: list[str] = []

    def run(self) -> dict[str, Any]:
        """Everything, start to end; what was measured."""
        hosts()
        forwarder, line = self.start_forwarder()
        self.set_up_hosts()
        self.start_servers()
        time.sleep(HEAD_START_S)
        began = time.monotonic()
        ping = self.start_ping()
        self.send(began, line)
        stats = line.ask("stats")
        line.close()
        pings = self.finish(ping)
        devices = {host: device_drops(host) for host in NETWORKS}
        forwarder.terminate()
        forwarder.wait(30)
        return {
            "stats": stats, "pings": pings, "flows": self.flows(), "problems": self.problems,
            "devices": devices,
        }  # fmt: skip

    def start_forwarder(self) -> tuple[subprocess.Popen[bytes], Control]:
        """Starts it with a device in each host. The lab's own path is the last: that of the pings."""
        job, here = self.job, Path("/run/dropcurve")
        here.mkdir(exist_ok=True)
        settings = dict(job["settings"])
        settings["paths"] = [*settings["paths"], settings["paths"][0]]
        settings["ports"] = [
            {"kind": "tun", "name": "tun0", "netns": f"/run/netns/{host}"} for host in ("left", "right")
        ]
        settings.update(control=str(here / "control"), sample_ms=100, real_time=job.get("real_time", True))
        settings.update({key: str(self.out / job[key]) for key in ("record", "capture") if job.get(key)})
        (here / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        command = [
            sys.executable, "-m", "dropcurve.live.forwarder", str(here / "settings.json"), str(here / "result.json"),
        ]  # fmt: skip
        with (self.out / "forwarder.txt").open("wb") as log:
            started = subprocess.Popen(command, stderr=log, stdin=subprocess.DEVNULL)
        try:
            return started, await_control(here / "control", lambda: started.poll() is None)
        except DropcurveError as error:
            said = (self.out / "forwarder.txt").read_text(encoding="utf-8").strip()
            raise DropcurveError(said or str(error)) from None

    def set_up_hosts(self) -> None:
        """Addresses, routes, and what the kernel's TCP is told."""
        job, flows = self.job, len(self.job["flows"]) + 1
        for host, other in (("left", "right"), ("right", "left")):
            lines = ["link set lo up"]
            if Path("/proc/sys/net/ipv6").exists():
                # Or the device asks for routers before the other one is up.
                lines.append("link set tun0 addrgenmode none")
            lines.append(f"link set tun0 mtu {job['mtu']} txqueuelen {DEVICE_PACKETS} up")
            lines += [f"addr add {address(host, number)}/32 dev tun0" for number in range(flows)]
            lines.append(f"route add {NETWORKS[other]}.0.0/16 dev tun0")
            call(["ip", "-n", host, "-batch", "-"], "\n".join(lines))
            # What the system puts on every device (often a discipline of its own) would be a second queue.
            call(
                [
                    "tc",
                    "-n",
                    host,
                    "qdisc",
                    "replace",
                    "dev",
                    "tun0",
                    "root",
                    "pfifo",
                    "limit",
                    str(DEVICE_PACKETS),
                ]
            )
            values = {
                "tcp_ecn": int(job["ecn"]), "tcp_timestamps": int(job["timestamps"]), "tcp_no_metrics_save": 1,
                "tcp_rmem": "4096 131072 33554432", "tcp_wmem": "4096 65536 33554432",
                "tcp_slow_start_after_idle": 0,
            }  # fmt: skip
            words = [f"net.ipv4.{key}={value}" for key, value in values.items()]
            call(["ip", "netns", "exec", host, "sysctl", "-qw", *words])

    def start_servers(self) -> None:
        """One iperf3 for each flow where it ends."""
        for flow in self.job["flows"]:
            host = "left" if flow["reverse"] else "right"
            words = ["-s", "-1", "-B", address(host, flow["number"]), "-p", str(FIRST_PORT + flow["number"])]
            self.start(host, f"server{flow['number']}", words)

    def send(self, began: float, line: Control) -> None:
        """Starts each flow when it is due, counts anew at the end of the warm-up, and waits for the end of the run."""
        job = self.job
        due: list[tuple[float, dict[str, Any] | None]] = [(flow["start_s"], flow) for flow in job["flows"]]
        due.append((job["warmup_s"], None))
        for moment, flow in sorted(due, key=lambda row: row[0]):
            pause_until(began + moment)
            if flow is None:
                line.ask("reset")
            else:
                self.start_client(flow, began)
        pause_until(began + job["duration_s"])

    def start_client(self, flow: dict[str, Any], began: float) -> None:
        near, far = ("right", "left") if flow["reverse"] else ("left", "right")
        number = flow["number"]
        words = ["-c", address(far, number), "-B", address(near, number), "-p", str(FIRST_PORT + number)]
        if flow["total_bytes"] is not None:
            words += ["-n", str(flow["total_bytes"])]
        else:
            words += ["-t", str(max(1, round(flow["stop_s"] - flow["start_s"])))]
        if flow["transport"] == "tcp":
            words += ["-C", flow["cc"]]
            if flow["window_bytes"]:
                words += ["-w", str(flow["window_bytes"])]
        else:
            words += ["-u", "-b", str(round(flow["rate_bps"])), "-l", str(flow["payload_bytes"])]
        if flow["tos"]:
            words += ["-S", str(flow["tos"])]
        flow["began_s"] = time.monotonic() - began
        self.start(near, f"client{number}", words)

    def start(self, host: str, name: str, words: list[str]) -> None:
        with (self.out / f"{name}.json").open("wb") as log:
            command = ["ip", "netns", "exec", host, "iperf3", *words, "-J", "-i", str(INTERVAL_S)]
            self.programs.append((name, subprocess.Popen(command, stdout=log, stdin=subprocess.DEVNULL)))

    def start_ping(self) -> subprocess.Popen[bytes]:
        number = len(self.job["flows"])
        command = [
            "ip", "netns", "exec", "left", "ping", "-n", "-i", str(PING_S), "-I", address("left", number),
            "-w", str(int(self.job["duration_s"])), address("right", number),
        ]  # fmt: skip
        with (self.out / "ping.txt").open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=subprocess.DEVNULL)

    def finish(self, ping: subprocess.Popen[bytes]) -> list[float]:
        """Waits for the programs, a while; the round trips of the pings after the warm-up, in milliseconds."""
        end = time.monotonic() + 20
        for name, program in [*self.programs, ("ping", ping)]:
            try:
                program.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                program.kill()
                self.problems.append(f"{name} did not end")
        found = []
        for line in (self.out / "ping.txt").read_text(encoding="utf-8").splitlines():
            words = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if "time" in words and float(words["icmp_seq"]) * PING_S > self.job["warmup_s"]:
                found.append(float(words["time"]))
        return found

    def flows(self) -> list[dict[str, Any]]:
        """Each flow with what its two ends said."""
        rows = []
        for flow in self.job["flows"]:
            row: dict[str, Any] = {key: flow[key] for key in ("number", "group", "transport")}
            row["began_s"] = flow.get("began_s")
            for end in ("client", "server"):
                row[end] = said(self.out / f"{end}{flow['number']}.json")
                if error := row[end].get("error"):
                    self.problems.append(f"flow {flow['number']}: iperf3: {error}")
            rows.append(row)
        return rows


def said(path: Path) -> dict[str, Any]:
    """What an iperf3 said, without what nobody asks for."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return {"error": f"its answer cannot be read: {error}"}
    if "error" in whole:
        return {"error": whole["error"]}
    keys = ("start", "end", "bytes", "retransmits", "rtt")
    intervals = [
        {key: value for key, value in {**row["sum"], **row["streams"][0]}.items() if key in keys}
        for row in whole["intervals"]
    ]
    sender = whole["end"].get("streams", [{}])[0].get("sender", {}) if whole["end"].get("streams") else {}
    return {
        "intervals": intervals,
        "retransmits": sender.get("retransmits"),
        "mean_rtt_us": sender.get("mean_rtt"),
    }


def hosts() -> None:
    """Two empty network namespaces with names, in a folder that goes when we go."""
    if not os.environ.get("DROPCURVE_GUEST"):
        call(["mount", "-t", "tmpfs", "dropcurve", "/run"])
    Path("/run/netns").mkdir(exist_ok=True)
    for host in NETWORKS:
        call(["ip", "netns", "add", host])


def device_drops(host: str) -> int:
    """Packets that a host's device dropped before the forwarder saw them: none, in a sound lab."""
    shown = call(["ip", "-n", host, "-s", "-j", "link", "show", "tun0"])
    return int(json.loads(shown)[0]["stats64"]["tx"]["dropped"])


def address(host: str, number: int) -> str:
    """Of a flow's end on a host."""
    return f"{NETWORKS[host]}.{(number + 1) >> 8}.{(number + 1) & 255}"


def pause_until(moment: float) -> None:
    """Sleeps until a moment of the monotonic clock."""
    if (left := moment - time.monotonic()) > 0:
        time.sleep(left)


def call(command: list[str], text: str | None = None) -> str:
    """Runs a program to its end. Raises DropcurveError with what it complained of."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise DropcurveError(f"{' '.join(command[:4])}: {complaint[0]}")
    return done.stdout


def main(arguments: list[str]) -> int:
    """Runs the job in the file named and writes ``raw.json`` beside it."""
    job = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    try:
        raw = World(job).run()
    except (DropcurveError, OSError, subprocess.SubprocessError) as error:
        raw = {"error": str(error)}
    (Path(job["out"]) / "raw.json").write_text(json.dumps(raw), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
