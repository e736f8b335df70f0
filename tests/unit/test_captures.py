"""Captures of packets: files written byte by byte, in every form that is read."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dropcurve as dc
from dropcurve.errors import DropcurveError
from dropcurve.runs.tracing import trace
from dropcurve.scenario import captures, recordings

IPV4 = b"\x08\x00"
START_S = 1_700_000_000


def ipv4(size: int) -> bytes:
    """The first bytes of a packet whose header states ``size``."""
    return struct.pack(">BBH", 0x45, 0, size) + b"\0" * 16


def ipv6(payload: int) -> bytes:
    return struct.pack(">IH", 0x6000_0000, payload) + b"\0" * 34


def ethernet(kind: bytes, packet: bytes) -> bytes:
    return b"\xaa" * 12 + kind + packet


def classic(
    records: list[tuple[int, int, bytes]], *, order: str = "<", nano: bool = False, link: int = 1
) -> bytes:
    """A file of records: seconds, ticks of a second, frame."""
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 96, link)
    for seconds, ticks, frame in records:
        out += struct.pack(order + "IIII", seconds, ticks, len(frame), len(frame)) + frame
    return out


def block(order: str, kind: int, body: bytes) -> bytes:
    body += b"\0" * (-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def section(order: str) -> bytes:
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(order: str, *, link: int = 1, options: bytes = b"") -> bytes:
    return block(order, 1, struct.pack(order + "HHI", link, 0, 96) + options)


def enhanced(order: str, ticks: int, frame: bytes, *, on: int = 0) -> bytes:
    head = struct.pack(order + "IIIII", on, ticks >> 32, ticks & 0xFFFF_FFFF, len(frame), len(frame))
    return block(order, 6, head + frame)


def read(folder: Path, data: bytes) -> list[tuple[int, int]]:
    (folder / "x.pcap").write_bytes(data)
    return captures.packets(folder / "x.pcap")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nano", [False, True])
def test_classic_files(tmp_path: Path, order: str, nano: bool) -> None:
    second = 10**9 if nano else 10**6
    frames = [ethernet(IPV4, ipv4(1500)), ethernet(IPV4, ipv4(40)), ethernet(IPV4, ipv4(576))]
    records = [(START_S, second - 1, frames[0]), (START_S + 1, 0, frames[1]), (START_S + 3, 7, frames[2])]
    tick = 10**9 // second
    exact = [(0, 1500), (tick, 40), (2 * 10**9 + 8 * tick, 576)]
    assert read(tmp_path, classic(records, order=order, nano=nano)) == exact


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng(tmp_path: Path, order: str) -> None:
    def option(code: int, value: bytes) -> bytes:
        return struct.pack(order + "HH", code, len(value)) + value + b"\0" * (-len(value) % 4)

    name = option(2, b"eth0x")
    nano = name + option(9, b"\x09") + option(0, b"")
    halves = name + option(9, b"\x8a") + option(14, struct.pack(order + "q", START_S))
    frame = ethernet(IPV4, ipv4(100))
    data = section(order) + interface(order) + interface(order, options=nano)
    data += interface(order, options=halves, link=101)
    data += enhanced(order, START_S * 10**6 + 5, frame)
    data += block(order, 5, b"\0" * 16)  # statistics, which are passed over
    data += enhanced(order, START_S * 10**9 + 5001, ethernet(IPV4, ipv4(200)), on=1)
    data += enhanced(order, 512, ipv4(300), on=2)
    # A section of the other order, whose interfaces count from 0 again.
    other = "<" if order == ">" else ">"
    data += section(other) + interface(other) + enhanced(other, (START_S + 1) * 10**6, frame)
    assert read(tmp_path, data) == [(0, 100), (1, 200), (499_995_000, 300), (999_995_000, 100)]


@pytest.mark.parametrize(
    ("link", "frame"),
    [
        (1, ethernet(IPV4, ipv4(700))),
        (1, ethernet(b"\x86\xdd", ipv6(660))),
        (1, ethernet(b"\x81\x00", b"\0\x05" + IPV4 + ipv4(700))),
        (1, ethernet(b"\x88\xa8", b"\0\x05\x81\x00\0\x06\x86\xdd" + ipv6(660))),
        (101, ipv4(700)),
        (12, ipv6(660)),
        (228, ipv4(700)),
        (229, ipv6(660)),
        (0, b"\x02\0\0\0" + ipv4(700)),
        (108, b"\0\0\0\x02" + ipv4(700)),
        (113, b"\0" * 14 + IPV4 + ipv4(700)),
        (276, IPV4 + b"\0" * 18 + ipv4(700)),
    ],
)
def test_every_link_type_gives_the_size_of_the_ip_packet(tmp_path: Path, link: int, frame: bytes) -> None:
    assert read(tmp_path, classic([(1, 0, frame)], link=link)) == [(0, 700)]


def test_other_protocols_are_left_out_and_packets_ordered(tmp_path: Path) -> None:
    arp, packet = ethernet(b"\x08\x06", b"\0" * 28), ethernet(IPV4, ipv4(50))
    assert read(tmp_path, classic([(1, 0, arp), (3, 0, packet), (2, 0, packet)])) == [(0, 50), (10**9, 50)]


def test_without_a_length_field_the_frame_counts(tmp_path: Path) -> None:
    offloaded = ethernet(IPV4, ipv4(0) + b"\0" * 4000)
    assert read(tmp_path, classic([(1, 0, offloaded)])) == [(0, 4020)]


GOOD = classic([(1, 0, ethernet(IPV4, ipv4(50)))])
GOOD_NG = section("<") + interface("<") + enhanced("<", 1, ethernet(IPV4, ipv4(50)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not a pcap or pcapng file; convert it"),
        (b"1\n2\n3\n", "is not a pcap or pcapng file; convert it"),
        (b"\x1f\x8b\x08\x00", "is compressed; unpack it first"),
        (GOOD[:10], "ends inside record 0; the capture was cut off"),
        (GOOD[:30], "ends inside record 1; the capture was cut off"),
        (GOOD[:-1], "ends inside record 1; the capture was cut off"),
        (GOOD[:24], "holds no IP packet"),
        (
            classic([(1, 0, b"\0" * 40)], link=105),
            "packet 1 is of link type 105; dropcurve reads Ethernet (1)",
        ),
        (GOOD_NG[:-1], "ends inside record 3; the capture was cut off"),
        (GOOD_NG[:-1] + b"\0\0", "record 4"),
        (section("<") + struct.pack("<III", 1, 13, 0), "record 2 claims 13 bytes: the file is damaged"),
        (section("<") + enhanced("<", 1, b""), "record 2 is too short: the file is damaged"),
        (section("<") + interface("<") + block("<", 3, b"\0" * 24), "record 3 has no time"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, data: bytes, message: str) -> None:
    if message == "record 4":
        data, message = GOOD_NG + b"\0\0", "ends inside record 4"
    with pytest.raises(DropcurveError, match=re.escape(f"x.pcap: {message}")):
        read(tmp_path, data)


@given(st.binary(max_size=80), st.sampled_from([b"", GOOD[:24], section("<"), section(">") + interface(">")]))
def test_no_bytes_make_it_fail_otherwise(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes, head: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.pcap"
    path.write_bytes(head + tail)
    try:
        packets = captures.packets(path)
    except DropcurveError as error:
        assert "noise.pcap: " in str(error)
    else:
        assert packets[0][0] == 0


SCENARIO = """
[run]
duration = "10 s"
warmup = "0 s"

[dumbbell]
rate = "8 Gbit/s"
delay = "10 ms"
access_rate = "0 bit/s"

[queue]
kind = "droptail"
limit = "100 pkts"

[flows.office]
transport = "udp"
source = "replay"
packets = "file:x.pcap"  # a comment
"""

packet_lists = st.lists(
    st.tuples(st.integers(0, 2**33), st.integers(20, 65_535)), min_size=1, max_size=20
).map(lambda packets: sorted(packets, key=lambda packet: packet[0]))


@given(packet_lists)
def test_a_scenario_holds_what_the_file_does(
    tmp_path_factory: pytest.TempPathFactory, packets: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    frames = [(time // 10**9, time % 10**9, ipv4(size)) for time, size in packets]
    (folder / "x.pcap").write_bytes(classic(frames, nano=True, link=101))
    (folder / "x.toml").write_text(SCENARIO, encoding="utf-8")
    scenario = dc.Scenario.load(folder / "x.toml")
    first = packets[0][0]
    # Read by other rules than those that wrote it: the unit by name, the number as a fraction.
    units = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}

    def exact(text: str) -> tuple[int, int]:
        time, unit, size, _ = text.split()
        return round(float(time) * units[unit]), int(size)

    assert [exact(text) for text in scenario.get("flows.office.packets")] == [
        (time - first, size) for time, size in packets
    ]
    again = dc.Scenario.parse(scenario.to_toml())
    assert again.hash == scenario.hash
    assert "file:" not in scenario.to_toml()


def test_packets_leave_when_they_did(tmp_path: Path) -> None:
    packets = [(0, 1500), (1, 40), (1, 41), (1_234_567_891, 576), (9_000_000_001, 1200)]
    frames = [(7 + time // 10**9, time % 10**9, ipv4(size)) for time, size in packets]
    (tmp_path / "x.pcap").write_bytes(classic(frames, nano=True, link=101))
    (tmp_path / "x.toml").write_text(SCENARIO, encoding="utf-8")
    scenario = dc.Scenario.load(tmp_path / "x.toml")
    traced = trace(scenario)
    sent, received = traced.rows("send"), traced.rows("receive")
    assert list(zip(traced.time_ns[sent], traced.size_bytes[sent], strict=True)) == packets
    # A byte takes a nanosecond at the bottleneck, where the first three queue; then 12 ms to go.
    ends = [1500, 1540, 1581, 1_234_567_891 + 576, 9_000_000_001 + 1200]
    assert list(traced.time_ns[received]) == [end + 12_000_000 for end in ends]
    flow = traced.summary["flows"][0]
    assert (flow["sent_pkts"], flow["received_bytes"]) == (5, 3357)
    assert flow["goodput_bytes"] == 3357 - 5 * 28


def test_rounds_go_on_to_the_end_of_the_run(tmp_path: Path) -> None:
    frames = [(0, 0, ipv4(100)), (1, 0, ipv4(200))]
    (tmp_path / "x.pcap").write_bytes(classic(frames, link=101))
    (tmp_path / "x.toml").write_text(SCENARIO, encoding="utf-8")
    edits = [
        ("run.duration", "9.9 s"),
        ("flows.office.repeat", True),
        ("flows.office.repeat_after", "500 ms"),
    ]
    traced = trace(dc.Scenario.load(tmp_path / "x.toml").edit([*edits, ("flows.office.scale", 2.0)]))
    rows = traced.rows("send")
    times = [0, 2, 2.5, 4.5, 5, 7, 7.5, 9.5]
    assert list(traced.time_ns[rows] / 1e9) == times
    assert list(traced.size_bytes[rows]) == [100, 200] * 4


def test_the_hash_is_that_of_the_contents(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "y.toml").write_text(SCENARIO.replace("x.pcap", "y.pcap"), encoding="utf-8")
    (tmp_path / "x.pcap").write_bytes(GOOD)
    (tmp_path / "y.pcap").write_bytes(GOOD_NG)
    loaded = dc.Scenario.load(tmp_path / "x.toml")
    assert loaded.hash == dc.Scenario.load(tmp_path / "y.toml").hash
    (tmp_path / "y.pcap").write_bytes(classic([(1, 0, ethernet(IPV4, ipv4(51)))]))
    other = dc.Scenario.load(tmp_path / "y.toml")
    assert loaded.hash != other.hash
    # An edit refers to the name, so that the command that repeats it stays short.
    name = f"file:{tmp_path / 'y.pcap'}"
    edited = loaded.set("flows.office.packets", name)
    assert edited.hash == other.hash
    assert edited.edits == (("flows.office.packets", name),)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('packets = "file:a.pcap"', True),
        ('flows.office.packets="file:a.pcap"', True),
        ('office = { source = "replay", packets = "file:a.pcap" }', True),
        ('# packets = "file:a.pcap"', False),
        ("title = 'packets = \"file:a.pcap\"'", False),
        ('title = "a # b"  # packets = "file:a.pcap"', False),
    ],
)
def test_which_lines_name_a_file(tmp_path: Path, line: str, named: bool) -> None:
    (tmp_path / "a.pcap").write_bytes(GOOD)
    exact = line.replace('"file:a.pcap"', '["0 ns 50 B"]') if named else line
    assert recordings.filled_in(line, tmp_path) == exact


def test_a_bad_file_is_one_message(folder: Path, dropcurve: Callable[..., Any]) -> None:
    (folder / "x.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "x.pcap").write_bytes(b"nothing")
    answer = dropcurve("run", "x.toml")
    assert answer.code == 2
    assert len(answer.errors) == 1
    assert "x.pcap: is not a pcap or pcapng file" in answer.err
