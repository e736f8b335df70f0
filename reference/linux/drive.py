"""Inside the guest: sends each case's packets through its queue discipline and writes the packets that leave.

In virtual time programs take no time, so a packet leaves exactly when it is due.
"""

import ctypes
import json
import os
import socket
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent
SO_TIMESTAMPNS, SO_SNDBUFFORCE, SO_RCVBUFFORCE = 35, 32, 33
PR_SET_TIMERSLACK, CLONE_NEWNET = 29, 0x40000000
#: Ethernet, IP and UDP: the kernel's disciplines count all three.
HEADERS = 14 + 20 + 8
BUFFER = 300_000_000

Arrival = tuple[int, int, int, int]

libc = ctypes.CDLL("libc.so.6", use_errno=True)


def enter(name: str) -> None:
    """Moves this process into a namespace of the network."""
    handle = os.open(f"/run/netns/{name}", os.O_RDONLY)
    if libc.setns(handle, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
    os.close(handle)


def tc(*words: str) -> str:
    """Calls tc in the sender's namespace."""
    command = ["ip", "netns", "exec", "a", "tc", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def by_netlink(kind: str) -> None:
    """Puts a discipline with its defaults under the shaper, for kinds that tc does not know yet (rtnetlink(7))."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as link:
        name = kind.encode() + b"\0"
        attribute = struct.pack("HH", 4 + len(name), 1) + name
        attribute += b"\0" * (-len(attribute) % 4)
        index = socket.if_nametoindex("a0")
        body = struct.pack("BxxxiIII", 0, index, 0x100000, 0x10001, 0) + attribute
        # RTM_NEWQDISC with NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL
        link.send(struct.pack("IHHII", 16 + len(body), 36, 0x605, 1, 0) + body)
        error = struct.unpack("i", link.recv(4096)[16:20])[0]
        if error != 0:
            raise OSError(-error, kind)


def install(case: dict[str, Any]) -> None:
    """A shaper, and the discipline under it."""
    for place in ("root", "clsact"):
        subprocess.run(
            ["ip", "netns", "exec", "a", "tc", "qdisc", "del", "dev", "a0", place], capture_output=True
        )
    if case["learns_idle"]:
        parent = asked_when_idle(case["rate"])
        by_code_point()
    else:
        parent = exact_rate(case["rate"])
    first, *changes = (command.split() for command in case["tc"].split(";"))
    if first[0] == "netlink":
        by_netlink(first[1])
    else:
        tc("qdisc", "add", "dev", "a0", "parent", parent, "handle", "10:", *first)
    for change in changes:
        if change[0] in ("class", "filter", "qdisc"):
            tc(change[0], "add", "dev", "a0", *change[1:])
        else:
            tc("qdisc", "change", "dev", "a0", "parent", parent, "handle", "10:", *change)


def exact_rate(rate: str) -> str:
    """HTB without any burst. It asks no empty queue for packets, so a discipline never learns that it is idle."""
    rates = ["htb", "rate", rate, "ceil", rate, "burst", "1", "cburst", "1", "quantum", "1514"]
    tc("qdisc", "add", "dev", "a0", "root", "handle", "1:", "htb", "default", "1")
    tc("class", "add", "dev", "a0", "parent", "1:", "classid", "1:1", *rates)
    return "1:1"


def asked_when_idle(rate: str) -> str:
    """TBF over a netem that delays nothing, which asks its child after each packet, empty or not."""
    tbf = ["tbf", "rate", rate, "burst", "1600", "limit", "100m"]
    tc("qdisc", "add", "dev", "a0", "root", "handle", "1:", *tbf)
    tc("qdisc", "add", "dev", "a0", "parent", "1:1", "handle", "2:", "netem", "limit", "1000000")
    return "2:1"


def by_code_point() -> None:
    """Maps code points to the numbers of GRED's virtual queues."""
    tc("qdisc", "add", "dev", "a0", "clsact")
    for code in range(16):
        match = ["match", "ip", "dsfield", hex(code << 2), "0xfc", "classid", f"1:{code:x}"]
        tc("filter", "add", "dev", "a0", "egress", "protocol", "ip", "u32", *match)


def sink() -> socket.socket:
    """A socket that keeps every packet, with the time of its arrival and its ECN field, until it is asked."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    opened.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    opened.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    opened.bind(("0.0.0.0", 9))
    return opened


def source(flow: int, hosts: list[int]) -> socket.socket:
    """A socket that sends packets of a flow between two hosts. One for all its ECN fields: the kernel's hash is that of
    the socket."""
    source_host, destination_host = hosts
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER)
    opened.bind((f"10.1.{source_host}.1", 10_000 + flow))
    opened.connect((f"10.1.{destination_host}.2", 9))
    return opened


def received(sink: socket.socket, start: int) -> list[tuple[int, int, int]]:
    """Arrivals: number, time, ECN field."""
    rows: list[tuple[int, int, int]] = []
    sink.setblocking(False)
    while True:
        try:
            data, notes, _, _ = sink.recvmsg(2048, 256)
        except BlockingIOError:
            return rows
        when = tos = 0
        for level, _, value in notes:
            if level == socket.SOL_SOCKET:
                seconds, nanoseconds = struct.unpack("qq", value)
                when = seconds * 1_000_000_000 + nanoseconds - start
            elif level == socket.IPPROTO_IP:
                tos = value[0]
        rows.append((struct.unpack("!I", data[:4])[0], when, tos))


def attributes(data: bytes) -> dict[int, bytes]:
    """Attributes of a message of rtnetlink(7), by kind."""
    by_kind, at = {}, 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("HH", data, at)
        by_kind[kind] = data[at + 4 : at + length]
        at += length + -length % 4
    return by_kind


def averages(link: socket.socket) -> list[int]:
    """Averages of GRED's virtual queues, read from the kernel directly, which is faster than the tc command."""
    # RTM_GETQDISC with NLM_F_REQUEST | NLM_F_DUMP
    link.send(struct.pack("IHHII", 36, 38, 0x301, 1, 0) + struct.pack("BxxxiIII", 0, 0, 0, 0, 0))
    values: list[int] = []
    while True:
        data, at = link.recv(1 << 18), 0
        while at < len(data):
            length, kind = struct.unpack_from("IH", data, at)
            if kind == 3:  # NLMSG_DONE
                return values
            one = attributes(data[at + 36 : at + length])
            if one[1] == b"gred\0":
                # TCA_OPTIONS, in it TCA_GRED_PARMS: sixteen struct tc_gred_qopt, whose sixth word is the average.
                rows = attributes(one[2])[1]
                words = [struct.unpack_from("13I", rows, 52 * i) for i in range(16)]
                values = [row[5] for row in words if row[2] > 0]
            at += length + -length % 4


def run(case: dict[str, Any], arrivals: list[Arrival]) -> dict[str, Any]:
    """One repetition."""
    install(case)
    enter("b")
    end = sink()
    enter("a")
    link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    hosts = case["hosts"]
    sources = {
        flow: source(flow, hosts[flow] if hosts else [0, 0]) for flow in sorted({row[1] for row in arrivals})
    }
    clock = time.clock_gettime_ns
    # A whole number of milliseconds, so that every repetition meets the same phase of the kernel's timers.
    start = (clock(time.CLOCK_REALTIME) // 1_000_000 + 100) * 1_000_000
    monotonic = start + clock(time.CLOCK_MONOTONIC) - clock(time.CLOCK_REALTIME)
    sent, seen = [], []
    for number, (at, flow, size, tos) in enumerate(arrivals):
        wait = start + at - clock(time.CLOCK_REALTIME)
        if wait > 0:
            time.sleep(wait / 1e9)
        sent.append(clock(time.CLOCK_REALTIME) - start)
        notes = [(socket.IPPROTO_IP, socket.IP_TOS, struct.pack("i", tos))]
        sources[flow].sendmsg([struct.pack("!I", number).ljust(size - HEADERS, b"\0")], notes)
        if case["watch"] and number % case["watch"] == 0:
            seen.append((number, averages(link)))
    time.sleep(3)
    rows = received(end, start)
    for opened in (end, link, *sources.values()):
        opened.close()
    return {
        "monotonic": monotonic,
        "sent": sent,
        "averages": seen,
        "order": rows,
        "tc": tc("-s", "-d", "qdisc", "show", "dev", "a0"),
    }


def main() -> None:
    """Runs the plan."""
    libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    for case in json.loads((OUT / "plan.json").read_text()):
        with (OUT / f"{case['name']}.out").open("w") as file:
            for _ in range(case["repetitions"]):
                file.write(json.dumps(run(case, case["arrivals"]), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
