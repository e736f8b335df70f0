"""UDP of a lab, at the times at which the simulator's sources send.

    python -m dropcurve.live.datagrams send|receive JOB HOST RESULT

runs in a host's network namespace, for all its UDP flows, prints ``ready`` when its sockets are open, and reads the
time at which the run begins: nanoseconds of the monotonic clock. A datagram carries its number and, if it is long
enough, its sending time. Arrivals have the kernel's timestamps, so that a receiver that wakes late adds no delay.
"""

from __future__ import annotations

import heapq
import json
import os
import selectors
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from .addresses import FIRST_PORT, INTERVAL_S, OTHER, address, pause_until, source

STAMP = struct.Struct("!IQ")
#: A constant of socket(7); Python has no name for it.
SO_TIMESTAMPNS = 35
BUFFER = 4 << 20
#: Priority under `SCHED_FIFO`, one below that of the forwarder.
PRIORITY = 4
#: Most datagrams read of one flow before the next flow is served.
BATCH = 64


#: The socket of each flow.
Sockets = dict[int, socket.socket]


def send(
    flows: list[dict[str, Any]], sockets: Sockets, host: str, began_ns: int
) -> dict[int, dict[str, Any]]:
    """Sends every datagram when it is due; returns their number and lateness by flow."""
    late: dict[int, list[float]] = {number: [] for number in sockets}
    largest = max((size for flow in flows for size in flow["payload_bytes"]), default=0)
    filler = bytes(largest)
    for due, number, seq, size in heapq.merge(*(_schedule(flow) for flow in flows)):
        moment = began_ns + due
        pause_until(moment / 1e9)
        now = time.monotonic_ns()
        head = STAMP.pack(seq, now) if size >= STAMP.size else b""
        sockets[number].sendto(
            head + filler[: size - len(head)], (address(OTHER[host], number), FIRST_PORT + number)
        )
        late[number].append((now - moment) / 1e6)
    return {number: {"sent": len(each), "late_ms": _summary(each)} for number, each in late.items()}


def receive(sockets: Sockets, began_ns: int, job: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Counts arrivals until the end of the run, in intervals, and the delays of those after the warm-up."""
    selector = selectors.DefaultSelector()
    received: dict[int, tuple[list[int], list[int]]] = {}
    for number, opened in sockets.items():
        opened.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        opened.setblocking(False)
        selector.register(opened, selectors.EVENT_READ, number)
        received[number] = ([0] * round(job["duration_s"] / INTERVAL_S + 1), [])
    offset = time.time_ns() - time.monotonic_ns()
    end, warm = began_ns + round(job["duration_s"] * 1e9), began_ns + round(job["warmup_s"] * 1e9)
    # Datagrams that arrived in time but are still in the socket are read after the end.
    while (
        ready := selector.select(max(0.0, (end - time.monotonic_ns()) / 1e9))
    ) or time.monotonic_ns() < end:
        for key, _ in ready:
            bins, delays = received[key.data]
            for data, arrived in _arrivals(key.fileobj, offset):
                if began_ns <= arrived < end:
                    bins[int((arrived - began_ns) / 1e9 / INTERVAL_S)] += len(data)
                if len(data) >= STAMP.size and warm <= arrived < end:
                    delays.append((arrived - STAMP.unpack_from(data)[1]) // 1000)
    return {number: _report(bins, delays) for number, (bins, delays) in received.items()}


def _report(bins: list[int], delays: list[int]) -> dict[str, Any]:
    rows = [
        {"start": number * INTERVAL_S, "end": (number + 1) * INTERVAL_S, "bytes": count}
        for number, count in enumerate(bins[:-1])
    ]
    return {"intervals": rows, "delays_us": delays}


def _arrivals(opened: Any, offset: int) -> Iterator[tuple[bytes, int]]:
    """Datagrams that have arrived, each with its time of the monotonic clock."""
    for _ in range(BATCH):
        try:
            data, extra, _, _ = opened.recvmsg(65536, 64)
        except BlockingIOError:
            return
        seconds, nanoseconds = struct.unpack("@qq", extra[0][2])
        yield data, seconds * 1_000_000_000 + nanoseconds - offset


def _schedule(flow: dict[str, Any]) -> Iterator[tuple[int, int, int, int]]:
    for seq, (due, size) in enumerate(zip(flow["due_ns"], flow["payload_bytes"], strict=True)):
        yield due, flow["number"], seq, size


def _socket(host: str, number: int, tos: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        opened.setsockopt(socket.SOL_SOCKET, option, BUFFER)
    opened.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    opened.bind((address(host, number), FIRST_PORT + number))
    return opened


def _summary(values: list[float]) -> dict[str, float | None]:
    ordered = sorted(values)
    if not ordered:
        return {"p50": None, "p99": None, "max": None}
    return {"p50": ordered[len(ordered) // 2], "p99": ordered[len(ordered) * 99 // 100], "max": ordered[-1]}


def main(arguments: list[str]) -> int:
    """Sends or receives, and writes the counters."""
    role, job_file, host, result = arguments
    job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    sender = host if role == "send" else OTHER[host]
    flows = [flow for flow in job["flows"] if flow["transport"] == "udp" and source(flow) == sender]
    sockets = {flow["number"]: _socket(host, flow["number"], flow["tos"]) for flow in flows}
    with suppress(PermissionError):
        # Real-time priority as root: a late sender would change the load.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    began_ns = int(sys.stdin.readline())
    counted = send(flows, sockets, host, began_ns) if role == "send" else receive(sockets, began_ns, job)
    Path(result).write_text(json.dumps(counted), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
