"""Inside the guest: runs the connections of a plan one by one and writes when each segment came to the link.

    python3 single.py FOLDER     runs FOLDER/plan.json, and writes FOLDER/NUMBER.txt for each connection

Two namespaces have a TUN device each. This program carries packets between them: over a link with an endless queue that
destroys the data packets at listed places, and back after a fixed delay. In virtual time a program takes no time, so a
packet leaves exactly when it is due.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

MSS = 1448
#: Bytes of Ethernet that the link counts with each packet.
FRAME = 14
#: No connection takes longer.
END_NS = 120_000_000_000
#: Numbers of the kernel's interfaces: tcp.h, socket.h, sched.h, if_tun.h, prctl.h.
TCP, TCP_INFO, TCP_CONGESTION = 6, 11, 13
CLONE_NEWNET, TUNSETIFF, TUN_PLAIN, PR_SET_TIMERSLACK = 0x40000000, 0x400454CA, 0x1001, 29
SYN, PSH = 2, 8

Case = dict[str, Any]
libc = ctypes.CDLL("libc.so.6", use_errno=True)


def enter(name: str) -> None:
    """Goes to a namespace: sockets and devices made from now on are there."""
    handle = os.open(f"/run/netns/{name}", os.O_RDONLY)
    if libc.setns(handle, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
    os.close(handle)


def tun(space: str, address: str, peer: str) -> int:
    """The device of a namespace."""
    enter(space)
    handle = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(handle, TUNSETIFF, struct.pack("16sH22x", b"t0", TUN_PLAIN))
    subprocess.run(["ip", "addr", "add", f"{address}/24", "peer", peer, "dev", "t0"], check=True)
    subprocess.run(["ip", "link", "set", "t0", "mtu", "1500", "txqueuelen", "10000", "up"], check=True)
    return handle


def without_push(packet: bytes) -> bytes:
    """The packet without PSH, its checksum updated (RFC1624)."""
    total = struct.unpack("!H", packet[36:38])[0] + PSH
    total = (total & 0xFFFF) + (total >> 16)
    return packet[:33] + bytes([packet[33] & ~PSH]) + packet[34:36] + struct.pack("!H", total) + packet[38:]


class PacketForwarder:
    """Both paths of one connection, and the record of what came to the link."""

    def __init__(self, case: Case) -> None:
        """At the start of the connection."""
        self.case = case
        self.places = set(case["places"])
        #: Time of arrival, side (0: the sender's) and packet.
        self.due: list[tuple[int, int, bytes]] = []
        #: Time at which the link has sent all it has.
        self.free = 0
        self.first_ns: int | None = None
        self.first_number = 0
        #: Arrivals of data at the link: time and segment.
        self.arrived: list[tuple[int, int]] = []
        self.end_of_last: tuple[int, int] | None = None

    def forward(self, now: int, packet: bytes) -> None:
        """A packet of the sender comes to the link."""
        number, _, offset, flags = struct.unpack("!LLBB", packet[24:34])
        data = len(packet) - 20 - (offset >> 4) * 4
        # A burst has PSH at its end, so a PSH elsewhere ends a write of this program: not of the sender modelled.
        if flags & PSH and self.end_of_last != (now, number):
            packet = without_push(packet)
        self.end_of_last = (now, number + data)
        if self.first_ns is None:
            self.first_ns = now
        if flags & SYN:
            self.first_number = number
        if data > 0:
            place = len(self.arrived)
            self.arrived.append((now, (number - self.first_number - 1 & 0xFFFFFFFF) // MSS))
            if place in self.places:
                return
        self.free = max(now, self.free) + (len(packet) + FRAME) * 8000 // self.case["rate_mbit"]
        self.due.append((self.free, 1, packet))

    def back(self, now: int, packet: bytes) -> None:
        """A packet of the receiver."""
        self.due.append((now + self.case["back_ns"], 0, packet))

    def text(self) -> str:
        """The time of the SYN since the boot, then each arrival since the SYN and its segment, in ns."""
        first = self.first_ns or 0
        return "".join([f"{first}\n", *(f"{at - first} {segment}\n" for at, segment in self.arrived)])


def run(case: Case, ends: tuple[int, int]) -> str:
    """One connection, to its last acknowledgement."""
    course = PacketForwarder(case)
    address = ("10.9.0.2", 5000 + case["port"])
    enter("rcv")
    server = socket.socket()
    server.setsockopt(TCP, TCP_CONGESTION, case["control"].encode())
    server.bind(address)
    server.listen(1)
    server.setblocking(False)
    enter("snd")
    client = socket.socket()
    client.setsockopt(TCP, TCP_CONGESTION, case["control"].encode())
    client.setblocking(False)
    client.connect_ex(address)
    timer = libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK)
    poll = select.epoll()
    for handle in (*ends, timer, server.fileno()):
        poll.register(handle, select.EPOLLIN)
    poll.register(client.fileno(), select.EPOLLOUT)
    left = case["segments"] * MSS
    end = time.monotonic_ns() + END_NS
    accepted: socket.socket | None = None
    while (now := time.monotonic_ns()) < end:
        course.due.sort(key=lambda one: one[0])
        while course.due and course.due[0][0] <= now:
            _, side, packet = course.due.pop(0)
            os.write(ends[side], packet)
        at = min(course.due[0][0] if course.due else end, end)
        span = (ctypes.c_long * 4)(0, 0, *divmod(at, 10**9))
        libc.timerfd_settime(timer, 1, ctypes.byref(span), None)
        for handle, _ in poll.poll(-1):
            now = time.monotonic_ns()
            with contextlib.suppress(BlockingIOError):
                if handle == timer:
                    os.read(timer, 8)
                elif handle in ends:
                    while True:
                        packet = os.read(handle, 2048)
                        if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_TCP:
                            (course.forward if handle == ends[0] else course.back)(now, packet)
                elif handle == server.fileno():
                    accepted, _ = server.accept()
                    accepted.setblocking(False)
                    poll.register(accepted.fileno(), select.EPOLLIN)
                elif handle == client.fileno():
                    while left > 0:
                        left -= client.send(b"x" * min(left, 1 << 17))
                elif accepted is not None:
                    while accepted.recv(1 << 20):
                        pass
            if handle == client.fileno() and left == 0:
                poll.modify(handle, 0)
        if left == 0 and course.arrived and not course.due and not unacknowledged(client):
            break
    for one in (client, accepted):
        if one is not None:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.close()
    server.close()
    poll.close()
    os.close(timer)
    # Packets in flight belong to no later connection.
    time.sleep(1)
    for handle in ends:
        with contextlib.suppress(BlockingIOError):
            while True:
                os.read(handle, 2048)
    return course.text()


def unacknowledged(client: socket.socket) -> int:
    """Segments of the sender that are not acknowledged."""
    return int(struct.unpack("8B24I", client.getsockopt(TCP, TCP_INFO, 256)[:104])[8 + 4])


def main(folder: Path) -> None:
    """Runs every connection of the plan."""
    libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    ends = (tun("snd", "10.9.0.1", "10.9.0.2"), tun("rcv", "10.9.0.2", "10.9.0.1"))
    for port, case in enumerate(json.loads((folder / "plan.json").read_text())):
        (folder / f"{case['number']}.txt").write_text(run({**case, "port": port}, ends))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
