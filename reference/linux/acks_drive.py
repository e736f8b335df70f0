"""Inside the guest: sends bursts of acknowledgements through CAKE's filter and writes those that come through."""

import json
import socket
import struct
import subprocess
import time
from pathlib import Path

from drive import BUFFER, SO_RCVBUFFORCE, SO_SNDBUFFORCE, enter, tc

OUT = Path(__file__).parent
IPV4, UDP, TCP = 0x800, 17, 6
#: Identification of the packets that keep the line busy.
PLUG = 9999


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071) of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packet(protocol: int, number: int, payload: bytes) -> bytes:
    """An IPv4 packet from a to b whose identification is `number`."""
    ends = socket.inet_aton("10.1.0.1") + socket.inet_aton("10.1.0.2")
    head = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(payload), number, 0x4000, 64, protocol)
    return head + struct.pack("!H", checksum(head + b"\0\0" + ends)) + ends + payload


def acknowledgement(port: int, ack: int, blocks: list[list[int]], ece: int) -> bytes:
    """A TCP header without data, with its SACK option (RFC 2018)."""
    option = b""
    if blocks:
        option = b"\1\1" + struct.pack("!BB", 5, 2 + 8 * len(blocks))
        option += b"".join(struct.pack("!II", *block) for block in blocks)
    words = (20 + len(option)) // 4
    flags = 0x10 | 0x40 * ece
    return struct.pack("!HHIIBBHHH", port, 80, 1, ack, words << 4, flags, 5000, 0, 0) + option


def arrived(end: socket.socket) -> list[int]:
    """Numbers of the acknowledgements that came through, in order."""
    numbers: list[int] = []
    while True:
        try:
            (number,) = struct.unpack_from("!H", end.recv(2048), 4)
        except BlockingIOError:
            return numbers
        if number != PLUG:
            numbers.append(number - 1)


def main() -> None:
    """Runs the plan under both filters."""
    enter("b")
    end = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(IPV4))
    end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    end.bind(("b0", IPV4))
    end.setblocking(False)
    shown = ["ip", "-o", "link", "show", "b0"]
    line = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    mac = bytes.fromhex(line.split("link/ether ")[1].split()[0].replace(":", ""))
    enter("a")
    start = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    start.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER)
    to = ("a0", IPV4, 0, 0, mac)
    plug = packet(UDP, PLUG, struct.pack("!HHHH", 5, 9, 1408, 0) + b"\0" * 1400)
    recorded: dict[str, list[list[int]]] = {}
    for mode in ("ack-filter", "ack-filter-aggressive"):
        tc(
            "qdisc",
            "replace",
            "dev",
            "a0",
            "root",
            "cake",
            "bandwidth",
            "1mbit",
            "besteffort",
            "flowblind",
            mode,
        )
        recorded[mode] = []
        for case, acks in enumerate(json.loads((OUT / "plan.json").read_text())):
            # The first is on the line while the second waits, and the acknowledgements behind it.
            start.sendto(plug, to)
            start.sendto(plug, to)
            for number, ack in enumerate(acks):
                start.sendto(packet(TCP, number + 1, acknowledgement(2000 + case, *ack)), to)
            time.sleep(0.3)
            recorded[mode].append(arrived(end))
    (OUT / "acks.out").write_text(json.dumps(recorded))


if __name__ == "__main__":
    main()
