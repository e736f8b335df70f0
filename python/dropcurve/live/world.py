"""The process inside a lab: builds the hosts, runs the traffic, and writes the measurements.

    python -m dropcurve.live.world JOB

runs as root of its own network, mount and process namespaces (or of a whole kernel), so that nothing it makes remains.
The job is a plan with the folder to write to.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import DropcurveError, quoted
from .addresses import FIRST_PORT, INTERVAL_S, NETWORKS, OTHER, address, pause_until, source
from .forwarder import Control, await_control

#: Seconds from when all is ready to when the run begins, and between two pings.
HEAD_START_S, PING_S = 0.5, 0.2
#: Seconds that programs have to end after the run.
ENDING_S = 120
#: Congestion controls that a namespace may begin its connections with.
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
#: Packets a device may hold for the forwarder: more than any window.
DEVICE_PACKETS = 10_000


class LabHosts:
    """Two hosts of a lab and their processes."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.out = Path(job["out"])
        self.programs: list[tuple[str, subprocess.Popen[bytes]]] = []
        #: Idle processes, one in each host, whose process number is the key to the counters of the host's device.
        self.holders: dict[str, subprocess.Popen[bytes]] = {}
        self.received: list[tuple[int, int, int]] = []
        #: Processes that send and receive UDP; they wait for the start of the run.
        self.waiting: list[subprocess.Popen[bytes]] = []
        self.problems: list[str] = []

    def run(self) -> dict[str, Any]:
        """Runs the lab from start to end; returns the measurements."""
        hosts()
        forwarder, line = self.start_forwarder()
        self.set_up_hosts()
        self.start_servers()
        self.start_datagrams()
        for host in NETWORKS:
            self.holders[host] = subprocess.Popen(["ip", "netns", "exec", host, "sleep", "infinity"])
        began = time.monotonic() + HEAD_START_S
        for program in self.waiting:
            begin(program, began)
        pause_until(began)
        ping = self.start_ping()
        self.send(began, line)
        stats = line.ask("stats", series=True)
        line.close()
        pings = self.finish(ping)
        devices = {host: device_drops(host) for host in NETWORKS}
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
        forwarder.terminate()
        forwarder.wait(30)
        return {
            "stats": stats, "pings": pings, "flows": self.flows(), "problems": self.problems,
            "devices": devices, "received": [late - early for early, late in zip(*self.received, strict=True)],
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
        # In virtual time the clock waits for every process that watches it.
        settings["watchful"] = not os.environ.get("DROPCURVE_GUEST")
        for key in ("records", "captures"):
            settings[key] = [str(self.out / name) for name in job.get(key, ())]
        (here / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        command = [
            sys.executable, "-m", "dropcurve.live.forwarder", str(here / "settings.json"), str(here / "result.json"),
        ]  # fmt: skip
        with (self.out / "forwarder.txt").open("wb") as log:
            started = subprocess.Popen(command, stderr=log, stdin=subprocess.DEVNULL)
        try:
            return started, await_control(here / "control", lambda: started.poll() is None)
        except DropcurveError as error:
            output = (self.out / "forwarder.txt").read_text(encoding="utf-8").strip()
            remedy = "correct what it names, and run it again"
            raise DropcurveError.of(
                [quoted("forwarder", output, remedy)] if output else error.problems
            ) from None

    def set_up_hosts(self) -> None:
        """Sets addresses, routes and the options of the kernel's TCP."""
        job, flows = self.job, len(self.job["flows"]) + 1
        for host, other in (("left", "right"), ("right", "left")):
            lines = ["link set lo up"]
            if Path("/proc/sys/net/ipv6").exists():
                # Otherwise the device sends router solicitations before the other one is up.
                lines.append("link set tun0 addrgenmode none")
            lines.append(f"link set tun0 mtu {job['mtu']} txqueuelen {DEVICE_PACKETS} up")
            lines += [f"addr add {address(host, number)}/32 dev tun0" for number in range(flows)]
            lines.append(f"route add {NETWORKS[other]}.0.0/16 dev tun0")
            # The client requests ECN by flow; the server always agrees (tcp_ecn = 2).
            lines += [
                f"route add {address(other, flow['number'])}/32 dev tun0 features ecn"
                for flow in self.tcp()
                if flow["ecn"] and source(flow) == host
            ]
            call(["ip", "-n", host, "-batch", "-"], "\n".join(lines))
            # The default qdisc of the system (often an AQM of its own) would be a second queue.
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
                "tcp_ecn": 2, "tcp_timestamps": int(job["timestamps"]), "tcp_no_metrics_save": 1,
                "tcp_rmem": "4096 131072 33554432", "tcp_wmem": "4096 65536 33554432",
                "tcp_slow_start_after_idle": 0, "tcp_congestion_control": unpaced(),
            }  # fmt: skip
            words = [f"net.ipv4.{key}={value}" for key, value in values.items()]
            call(["ip", "netns", "exec", host, "sysctl", "-qw", *words])

    def start_servers(self) -> None:
        """One iperf3 for each TCP flow where it ends."""
        for flow in self.tcp():
            host = OTHER[source(flow)]
            words = ["-s", "-1", "-B", address(host, flow["number"]), "-p", str(FIRST_PORT + flow["number"])]
            self.start(host, f"server{flow['number']}", words)

    def tcp(self) -> list[dict[str, Any]]:
        """The flows of iperf3."""
        return [flow for flow in self.job["flows"] if flow["transport"] == "tcp"]

    def start_datagrams(self) -> None:
        """Starts one receiver and one sender for all UDP flows at a host; returns when they are ready."""
        sources = {source(flow) for flow in self.job["flows"] if flow["transport"] == "udp"}
        for role, hosts in (("receive", {OTHER[host] for host in sources}), ("send", sources)):
            for host in sorted(hosts):
                files = [str(self.job["file"]), host, str(self.out / f"{role}-{host}.json")]
                command = [
                    "ip",
                    "netns",
                    "exec",
                    host,
                    sys.executable,
                    "-m",
                    "dropcurve.live.datagrams",
                    role,
                    *files,
                ]
                program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                self.programs.append((f"{role} at {host}", program))
                self.waiting.append(program)
        for program in self.waiting:
            if not program.stdout or program.stdout.readline() != b"ready\n":
                raise DropcurveError(
                    "UDP", "", "the programs that send and receive it did not start", "run it again"
                )

    def send(self, began: float, line: Control) -> None:
        """Starts each flow and changes the link when it is due, resets the counters at the end of the warm-up, and
        waits for the end of the run."""
        job = self.job
        due: list[tuple[float, Callable[[], Any]]] = [(job["warmup_s"], partial(self.reset, line))]
        due += [(flow["start_s"], partial(self.start_client, flow, began)) for flow in self.tcp()]
        due += [(at, partial(line.ask, "set", values=values)) for at, values in job["changes"]]
        for moment, act in sorted(due, key=lambda row: row[0]):
            pause_until(began + moment)
            act()
        pause_until(began + job["duration_s"])
        self.received.append(received(self.holders["right"].pid))

    def reset(self, line: Control) -> None:
        """Resets the counters at the end of the warm-up."""
        line.ask("reset")
        self.received.append(received(self.holders["right"].pid))

    def start_client(self, flow: dict[str, Any], began: float) -> None:
        near, number = source(flow), flow["number"]
        words = [
            "-c",
            address(OTHER[near], number),
            "-B",
            address(near, number),
            "-p",
            str(FIRST_PORT + number),
        ]
        if flow["total_bytes"] is not None:
            words += ["-n", str(flow["total_bytes"])]
        else:
            words += ["-t", str(max(1, round(flow["stop_s"] - flow["start_s"])))]
        words += ["-C", flow["cc"]]
        if flow["window_bytes"]:
            words += ["-w", str(flow["window_bytes"])]
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
        """Waits a while for the programs to end; returns the round trips of the pings after the warm-up, in
        milliseconds."""
        end = time.monotonic() + ENDING_S
        for name, program in [*self.programs, ("ping", ping)]:
            try:
                program.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                program.kill()
                self.problems.append(f"{name} did not end")
        sent = []
        for line in (self.out / "ping.txt").read_text(encoding="utf-8").splitlines():
            words = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if "time" in words and float(words["icmp_seq"]) * PING_S > self.job["warmup_s"]:
                sent.append(float(words["time"]))
        return sent

    def flows(self) -> list[dict[str, Any]]:
        """Each flow with the reports of its two ends."""
        rows = []
        for flow in self.job["flows"]:
            row: dict[str, Any] = {key: flow[key] for key in ("number", "group", "transport")}
            row["began_s"] = flow.get("began_s", 0.0)
            number = flow["number"]
            if flow["transport"] == "udp":
                near = source(flow)
                for end, file in (("client", f"send-{near}"), ("server", f"receive-{OTHER[near]}")):
                    row[end] = udp_report(self.out / f"{file}.json", number)
            else:
                row |= {end: iperf3_report(self.out / f"{end}{number}.json") for end in ("client", "server")}
            for end in ("client", "server"):
                if error := row[end].get("error"):
                    self.problems.append(f"flow {number}: {end}: {error}")
            rows.append(row)
        return rows


def begin(program: subprocess.Popen[bytes], began: float) -> None:
    """Sends a program the time at which the run begins."""
    if program.stdin:
        program.stdin.write(f"{round(began * 1e9)}\n".encode())
        program.stdin.close()


def udp_report(path: Path, number: int) -> dict[str, Any]:
    """Report of the programs for UDP on a flow."""
    try:
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))[str(number)]
    except (OSError, ValueError) as error:
        return {"error": f"its answer cannot be read: {error}"}
    return report


def iperf3_report(path: Path) -> dict[str, Any]:
    """Parses the report of an iperf3, without the unused fields."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return {"error": f"its answer cannot be read: {error}"}
    if "error" in report:
        return {"error": report["error"]}
    keys = ("start", "end", "bytes", "retransmits", "rtt")
    intervals = [
        {key: value for key, value in {**row["sum"], **row["streams"][0]}.items() if key in keys}
        for row in report["intervals"]
    ]
    sender = report["end"].get("streams", [{}])[0].get("sender", {}) if report["end"].get("streams") else {}
    return {
        "intervals": intervals,
        "retransmits": sender.get("retransmits"),
        "mean_rtt_us": sender.get("mean_rtt"),
    }


def hosts() -> None:
    """Creates two named network namespaces, in a folder that disappears with this process."""
    if not os.environ.get("DROPCURVE_GUEST"):
        call(["mount", "-t", "tmpfs", "dropcurve", "/run"])
    Path("/run/netns").mkdir(exist_ok=True)
    for host in NETWORKS:
        call(["ip", "netns", "add", host])


def unpaced() -> str:
    """The congestion control that connections begin with, until iperf3 gives each its own. Some systems begin with BBR,
    whose pacing then stays on under the next congestion control."""
    return "cubic" if "cubic" in ALLOWED.read_text(encoding="ascii").split() else "reno"


def device_drops(host: str) -> int:
    """Packets that a host's device dropped before the forwarder saw them: 0 in a working lab."""
    output = call(["ip", "-n", host, "-s", "-j", "link", "show", "tun0"])
    return int(json.loads(output)[0]["stats64"]["tx"]["dropped"])


def received(process: int) -> tuple[int, int, int]:
    """Time in nanoseconds, and the bytes and packets that the device of a process's host has received by then."""
    counters = Path(f"/proc/{process}/net/dev")
    now, text = time.monotonic_ns(), counters.read_text(encoding="ascii")
    (line,) = [row for row in text.splitlines() if row.strip().startswith("tun0:")]
    size, pkts = line.split(":")[1].split()[:2]
    return now, int(size), int(pkts)


def call(command: list[str], text: str | None = None) -> str:
    """Runs a program to its end. Raises DropcurveError with its error output."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        message = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise DropcurveError(
            " ".join(command[:4]), "", message[0], "install or allow what it names", shown="path"
        )
    return done.stdout


def main(arguments: list[str]) -> int:
    """Runs the job in the file named and writes ``raw.json`` next to it."""
    job = {**json.loads(Path(arguments[0]).read_text(encoding="utf-8")), "file": arguments[0]}
    try:
        raw = LabHosts(job).run()
    except (DropcurveError, OSError, subprocess.SubprocessError) as error:
        raw = {"error": str(error)}
    (Path(job["out"]) / "raw.json").write_text(json.dumps(raw), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
