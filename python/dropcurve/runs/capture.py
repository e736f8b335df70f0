"""A trace as a capture: the packets that tcpdump would record at the source, at the destination and at the queue.

The simulator counts segments, so headers are made up: addresses and ports from the number of the flow, sequence numbers
from the segment's number and the flow's largest payload. Payloads are not stored, checksums of TCP and UDP are absent.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..files.pcapng import CapturedPacket

#: Interfaces of the capture; drops and marks happen at the queue.
INTERFACES = ("source", "destination", "queue")
_SEEN = {"send": 0, "acked": 0, "receive": 1, "acknowledge": 1, "drop": 2, "mark": 2}
_TCP, _UDP = 6, 17
_HEADERS = {_TCP: 40, _UDP: 28}
#: RFC 3168, section 5: the codepoints of the IP header.
_ECT0, _CE = 2, 3
_ACK, _PUSH = 0x10, 0x08
_PORT = 5001


def packets(columns: Mapping[str, Any], flows: Iterable[Mapping[str, Any]]) -> Iterator[CapturedPacket]:
    """Yields the packets of a trace in the order of time.

    Args:
        columns: Columns of the trace, as arrays by name.
        flows: Summary of each flow.
    """
    protocols = {int(flow["id"]): _protocol(flow) for flow in flows}
    names = ("what", "time_ns", "flow", "seq", "size_bytes", "back")
    rows = list(zip(*(columns[name].tolist() for name in names), strict=True))
    payloads: dict[int, int] = {}
    ecn, marked = set(), set()
    for word, _, flow, _, size, back in rows:
        if not back:
            payloads[flow] = max(payloads.get(flow, 1), size - _HEADERS[protocols.get(flow, _TCP)])
        if word == "mark":
            ecn.add(flow)
    for word, time_ns, flow, seq, size, back in rows:
        protocol = protocols.get(flow, _TCP)
        code = _ECT0 if flow in ecn and not back else 0
        if word == "mark":
            marked.add((flow, seq, back))
            code = _CE
        elif word in ("receive", "acked") and (flow, seq, back) in marked:
            marked.discard((flow, seq, back))
            code = _CE
        data = _headers(protocol, flow, seq * payloads.get(flow, 1) + 1, size, back=bool(back), code=code)
        comment = {"drop": "dropped by the queue", "mark": "marked by the queue"}.get(word, "")
        yield CapturedPacket(_SEEN[word], time_ns, size, data, comment)


def _protocol(flow: Mapping[str, Any]) -> int:
    """The number of the protocol: TCP for its senders, UDP for all others."""
    return _TCP if flow["transport"] == "tcp" else _UDP


def _headers(protocol: int, flow: int, number: int, size: int, *, back: bool, code: int) -> bytes:
    """IPv4 and transport headers; ``number`` is the first byte of data, or of an acknowledgement the next expected."""
    ends = [
        (bytes([10, side, flow >> 8 & 255, flow & 255]), port)
        for side, port in ((1, 1024 + flow % 64000), (2, _PORT))
    ]
    (source, source_port), (target, target_port) = ends[::-1] if back else ends
    number &= 0xFFFFFFFF
    ip = struct.pack(
        ">BBHHHBBH4s4s", 0x45, code, min(size, 65535), 0, 0x4000, 64, protocol, 0, source, target
    )
    ip = ip[:10] + struct.pack(">H", _checksum(ip)) + ip[12:]
    if protocol == _UDP:
        return ip + struct.pack(">HHHH", source_port, target_port, min(size, 65535) - 20, 0)
    first, expected, flags = (1, number, _ACK) if back else (number, 1, _ACK | _PUSH)
    return ip + struct.pack(">HHIIBBHHH", source_port, target_port, first, expected, 0x50, flags, 65535, 0, 0)


def _checksum(header: bytes) -> int:
    """The checksum of an IPv4 header (RFC 1071)."""
    total = sum(int(word) for word in struct.unpack(">10H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
