"""Captures in pcapng, which Wireshark and tcpdump open (draft-ietf-opsawg-pcapng)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Link type of packets that begin with an IPv4 header (https://www.tcpdump.org/linktypes.html). libpcap 1.10.3
#: refuses several interfaces of the more general type 101, since its own number for that type is another.
IPV4 = 228
_SECTION, _INTERFACE, _ENHANCED = 0x0A0D0D0A, 1, 6
_ORDER = 0x1A2B3C4D
_COMMENT, _NAME, _RESOLUTION = 1, 2, 9
#: Times are in units of 10**-9 s.
_NANOSECONDS = 9


@dataclass(frozen=True)
class CapturedPacket:
    """One packet.

    Attributes:
        interface: Position in the list of interfaces.
        time_ns: When it passed.
        length: Bytes on the line.
        data: The first bytes, from the IP header on.
        comment: A remark that Wireshark shows with the packet; "" for none.
    """

    interface: int
    time_ns: int
    length: int
    data: bytes
    comment: str = ""


def encode(interfaces: Sequence[str], packets: Iterable[CapturedPacket]) -> bytes:
    """The bytes of a capture.

    Args:
        interfaces: Names of the interfaces.
        packets: In the order of time.

    Example:
        >>> encode(["source"], [])[:4].hex()
        '0a0d0d0a'
    """
    parts = [_block(_SECTION, struct.pack("<IHHq", _ORDER, 1, 0, -1))]
    for name in interfaces:
        options = (
            _option(_NAME, name.encode()) + _option(_RESOLUTION, bytes([_NANOSECONDS])) + _option(0, b"")
        )
        parts.append(_block(_INTERFACE, struct.pack("<HHI", IPV4, 0, 0) + options))
    for one in packets:
        head = struct.pack(
            "<IIIII", one.interface, one.time_ns >> 32, one.time_ns & 0xFFFFFFFF, len(one.data), one.length
        )
        options = _option(_COMMENT, one.comment.encode()) + _option(0, b"") if one.comment else b""
        parts.append(_block(_ENHANCED, head + _padded(one.data) + options))
    return b"".join(parts)


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
