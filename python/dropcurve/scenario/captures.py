"""Captures of packets, classic pcap and pcapng, as times and sizes of IP packets.

It reads the header of each record and the length field of the IP packet in it, so truncated captures (``tcpdump -s
64``) and anonymised ones work. Formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng; link types:
https://www.tcpdump.org/linktypes.html.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import DropcurveError
from ..files.reading import read_bytes

#: Largest capture that is read, in bytes.
LIMIT = 2**28
#: Magic numbers of classic files: byte order and ticks of a second.
_CLASSIC = {
    b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\xd4\xc3\xb2\xa1": ("<", 10**6),
    b"\xa1\xb2\x3c\x4d": (">", 10**9),
    b"\x4d\x3c\xb2\xa1": ("<", 10**9),
}
_SECTION = b"\x0a\x0d\x0d\x0a"
_INTERFACE, _SIMPLE, _ENHANCED = 1, 3, 6
_ORDER = 0x1A2B3C4D
_TSRESOL, _TSOFFSET = 9, 14

_NULL, _ETHERNET, _RAW_BSD, _RAW, _LOOP, _SLL, _IPV4, _IPV6, _SLL2 = 0, 1, 12, 101, 108, 113, 228, 229, 276
#: Bytes in front of the IP packet, for link types whose type field has a fixed place.
_LINKS = {
    _NULL: 4,
    _ETHERNET: 14,
    _RAW_BSD: 0,
    _RAW: 0,
    _LOOP: 4,
    _SLL: 16,
    _IPV4: 0,
    _IPV6: 0,
    _SLL2: 20,
}
_VLAN = (b"\x81\x00", b"\x88\xa8", b"\x91\x00")
_IP = (b"\x08\x00", b"\x86\xdd")


@dataclass(frozen=True)
class _Record:
    """One captured packet: nanoseconds since 1970, link type, length on the line, and the bytes captured."""

    time_ns: int
    link: int
    length: int
    data: bytes


def packets(path: str | Path) -> list[tuple[int, int]]:
    """The IP packets of a capture: nanoseconds since the first of them, and bytes from the IP header on.

    They are ordered by time, as interfaces captured together may be slightly out of order. Frames that carry no IP are
    left out. Raises DropcurveError with the fault and the remedy.
    """
    try:
        data = read_bytes(Path(path), limit=LIMIT)
    except OSError as error:
        reason = error.strerror or error
        raise DropcurveError(
            path, "", f"cannot be read: {reason}", "name a pcap or pcapng file", shown="path"
        ) from None
    records: list[tuple[int, int]] = []
    for number, record in enumerate(_records(data, path), 1):
        if record.link not in _LINKS:
            raise DropcurveError(
                path,
                record.link,
                f"packet {number} is of link type {record.link}; dropcurve reads Ethernet (1), "
                "raw IP (101, 12, 228, 229), BSD loopback (0, 108) and Linux cooked (113, 276)",
                "capture on such an interface",
                shown="path",
            )
        size = _ip_size(record)
        if size is not None:
            records.append((record.time_ns, size))
    if not records:
        raise DropcurveError(
            path, "", "holds no IP packet", "check what was captured with `tcpdump -r`", shown="path"
        )
    records.sort(key=lambda packet: packet[0])
    first = records[0][0]
    return [(time - first, size) for time, size in records]


def _records(data: bytes, path: str | Path) -> Iterator[_Record]:
    if data[:4] in _CLASSIC:
        return _classic(data, path)
    if data[:4] == _SECTION:
        return _pcapng(data, path)
    if data[:2] == b"\x1f\x8b" or data[:4] == b"\x28\xb5\x2f\xfd":
        raise DropcurveError(path, "", "is compressed", "unpack it first (gunzip, unzstd)", shown="path")
    raise DropcurveError(
        path,
        "",
        "is not a pcap or pcapng file",
        "convert it with `editcap -F pcap IN OUT`, which knows other formats",
        shown="path",
    )


def _cut(path: str | Path, number: int) -> DropcurveError:
    return DropcurveError(
        path,
        number,
        f"ends inside record {number}; the capture was cut off",
        "`editcap IN OUT` keeps what is whole",
        shown="path",
    )


def _classic(data: bytes, path: str | Path) -> Iterator[_Record]:
    order, ticks = _CLASSIC[data[:4]]
    if len(data) < 24:
        raise _cut(path, 0)
    # The upper bits of the link type are the length of a checksum at the end of each frame.
    link = struct.unpack_from(order + "I", data, 20)[0] & 0x0FFF_FFFF
    header = struct.Struct(order + "IIII")
    at, number = 24, 0
    while at < len(data):
        number += 1
        if at + header.size > len(data):
            raise _cut(path, number)
        seconds, fraction, kept, length = header.unpack_from(data, at)
        at += header.size
        if at + kept > len(data):
            raise _cut(path, number)
        yield _Record(seconds * 10**9 + fraction * 10**9 // ticks, link, length, data[at : at + kept])
        at += kept


@dataclass(frozen=True)
class _Interface:
    link: int
    ticks: int
    offset_s: int


def _pcapng(data: bytes, path: str | Path) -> Iterator[_Record]:
    order, at, number = "<", 0, 0
    interfaces: list[_Interface] = []
    while at < len(data):
        number += 1
        if at + 12 > len(data):
            raise _cut(path, number)
        if data[at : at + 4] == _SECTION:
            order = "<" if struct.unpack_from("<I", data, at + 8)[0] == _ORDER else ">"
            interfaces = []
        kind, size = struct.unpack_from(order + "II", data, at)
        if size < 12 or size % 4:
            raise DropcurveError(
                path,
                size,
                f"record {number} claims {size} bytes: the file is damaged",
                "capture or copy it again",
                shown="path",
            )
        if at + size > len(data):
            raise _cut(path, number)
        body = data[at + 8 : at + size - 4]
        at += size
        try:
            if kind == _INTERFACE:
                interfaces.append(_interface(body, order))
            elif kind == _ENHANCED:
                yield _enhanced(body, order, interfaces)
            elif kind == _SIMPLE:
                raise DropcurveError(
                    path,
                    number,
                    f"record {number} has no time (a simple packet block)",
                    "capture again with times",
                    shown="path",
                )
        except (struct.error, IndexError):
            raise DropcurveError(
                path,
                number,
                f"record {number} is too short: the file is damaged",
                "capture or copy it again",
                shown="path",
            ) from None


def _interface(body: bytes, order: str) -> _Interface:
    link, _ = struct.unpack_from(order + "HxxI", body)
    ticks, offset_s, at = 10**6, 0, 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        if code == 0:
            break
        if code == _TSRESOL:
            exponent = body[at + 4]
            ticks = 2 ** (exponent & 0x7F) if exponent & 0x80 else 10**exponent
        elif code == _TSOFFSET:
            offset_s = struct.unpack_from(order + "q", body, at + 4)[0]
        at += 4 + (length + 3) // 4 * 4
    return _Interface(link, ticks, offset_s)


def _enhanced(body: bytes, order: str, interfaces: list[_Interface]) -> _Record:
    number, high, low, kept, length = struct.unpack_from(order + "IIIII", body)
    interface = interfaces[number]
    time_ns = interface.offset_s * 10**9 + (high << 32 | low) * 10**9 // interface.ticks
    return _Record(time_ns, interface.link, length, body[20 : 20 + kept])


def _ip_size(record: _Record) -> int | None:
    """Bytes from the IP header on; None for other than IP.

    A length field of zero marks segments that the network card was to split: then the length of the frame counts.
    """
    data, start = record.data, _LINKS[record.link]
    kind = {_ETHERNET: data[12:14], _SLL: data[14:16], _SLL2: data[0:2]}.get(record.link)
    while record.link == _ETHERNET and kind in _VLAN:
        kind = data[start + 2 : start + 4]
        start += 4
    if kind is not None and kind not in _IP:
        return None
    head = data[start : start + 6]
    version = head[0] >> 4 if head else 0
    if version not in (4, 6):
        return None
    at, more = (2, 0) if version == 4 else (4, 40)
    stated = int.from_bytes(head[at : at + 2], "big") if len(head) >= at + 2 else 0
    size = stated + more if stated else record.length - start
    return size if size > 0 else None
