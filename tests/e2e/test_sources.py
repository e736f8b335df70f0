"""Every source and every kind of path by a scenario file, against what follows from its law by hand.

Where chance is involved the width is four standard deviations of the figure, computed next to it; seeds are fixed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.scenario import links

Dropcurve = Callable[..., Any]
Run = dict[str, Any]

HEAD = """
[run]
duration = "{seconds} s"
warmup = "0 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "20 ms"
access_rate = "100 Mbit/s"
access_delay = "1 ms"
{path}

[queue]
kind = "droptail"
limit = "100 pkts"

[flows.it]
{flow}
"""

UDP = 'transport = "udp"\n'
CBR = UDP + 'source = "cbr"\nrate = "{rate}"\npacket = "500 B"\n'


def simulated(flow: str, *, path: str = "", seconds: float = 100, rate: str = "10 Mbit/s") -> Run:
    """One run of one group of flows. ``path`` are more keys of the bottleneck."""
    text = HEAD.format(seconds=seconds, path=path, flow=flow).replace('"10 Mbit/s"', f'"{rate}"', 1)
    if "opportunities_ms" in path:
        text = text.replace(f'rate = "{rate}"\n', "", 1)
    run: Run = dc.run(dc.Scenario.parse(text), replications=1).baseline.runs[0]
    return run


def total(run: Run, key: str) -> float:
    return float(sum(flow[key] for flow in run["flows"]))


def delay_ms(run: Run) -> float:
    return float(run["groups"]["it"]["delay_ms"]["mean"])


def on_off_sd(on_s: float, off_s: float, observed_s: float) -> float:
    """Standard deviation of the share of time on, of exponential periods observed for long."""
    return math.sqrt(2 * (on_s * off_s) ** 2 / (on_s + off_s) ** 3 / observed_s)


@pytest.mark.parametrize(("codec", "wire_bytes"), [("g711", 200), ("g726", 120), ("g729", 60)])
def test_speech_is_on_for_two_fifths_of_the_time(codec: str, wire_bytes: int) -> None:
    run = simulated(UDP + f'count = 10\nsource = "voice"\ncodec = "{codec}"', seconds=300)
    packets = 10 * 300 / 0.020
    share = total(run, "sent_pkts") / packets
    assert share == pytest.approx(1.004 / 2.591, abs=4 * on_off_sd(1.004, 1.587, 10 * 300))
    assert total(run, "sent_bytes") == total(run, "sent_pkts") * wire_bytes


def test_speech_without_suppression_never_pauses() -> None:
    run = simulated(UDP + 'source = "voice"\nsuppression = false', seconds=10)
    assert total(run, "sent_pkts") == pytest.approx(500, abs=1)


@pytest.mark.parametrize("shape", ["", "shape = 1.9\n"])
def test_on_off_sends_its_share(shape: str) -> None:
    flow = (
        UDP
        + 'count = 10\nsource = "onoff"\nrate = "800 kbit/s"\npacket = "500 B"\non = "300 ms"\noff = "900 ms"\n'
    )
    run = simulated(flow + shape, seconds=300)
    share = total(run, "sent_bytes") * 8 / (10 * 300 * 800e3)
    # A Pareto law of shape 1.9 has no variance: its mean of some thousand periods is taken as a tenth wide.
    width = 4 * on_off_sd(0.3, 0.9, 10 * 300) if not shape else 0.1 * 0.25
    assert share == pytest.approx(0.25, abs=width)


def test_a_constant_rate_is_constant() -> None:
    run = simulated(CBR.format(rate="2 Mbit/s"), seconds=10)
    assert total(run, "sent_pkts") == pytest.approx(5000, abs=1)
    # 500 bytes over 100, 10 and 100 Mbit/s, and 1, 20 and 1 ms.
    assert delay_ms(run) == pytest.approx(22.48, abs=1e-6)


def test_exponential_gaps_keep_the_rate() -> None:
    run = simulated(UDP + 'source = "poisson"\nrate = "2 Mbit/s"\npacket = "500 B"', seconds=100)
    assert total(run, "sent_pkts") == pytest.approx(50_000, abs=4 * math.sqrt(50_000))


def test_keys_travel_one_by_one() -> None:
    run = simulated('count = 5\nsource = "telnet"\ngap = "exponential 1 s"', seconds=200)
    keys = sum(flow["objects"]["completed"] for flow in run["flows"])
    assert keys == pytest.approx(1000, abs=4 * math.sqrt(1000))
    # 41 bytes over 100, 10 and 100 Mbit/s, and 22 ms; only the first key of a flow waits for the handshake.
    one = 22 + 41 * 8 / 1e3 * (1 / 10 + 2 / 100)
    assert run["groups"]["it"]["objects"]["fct_ms_all"]["p50"] == pytest.approx(one, rel=0.01)


def test_a_file_takes_what_its_bytes_take() -> None:
    # Ten segments fit the initial window: a handshake of 40 bytes each way, then ten full segments in a row.
    run = simulated('source = "ftp"\nbytes = "14600 B"', seconds=5)
    hop_ms = 8 / 1e3 * (1 / 10 + 2 / 100)
    handshake = 2 * (22 + 40 * hop_ms)
    file = 22 + 1500 * hop_ms + 9 * 1500 * 8 / 1e4
    [flow] = run["flows"]
    assert flow["goodput_bytes"] == 14600
    assert 1e3 * (flow["finish_s"] - flow["start_s"]) == pytest.approx(handshake + file, abs=1e-3)


def test_a_greedy_transfer_fills_the_link() -> None:
    # A window of 100 packets is more than the path holds and less than path and buffer do: nothing is lost.
    run = simulated('source = "ftp"\nwindow = 100', seconds=30)
    assert run["links"]["bottleneck"]["busy_s"] > 29.5
    assert total(run, "dropped_pkts") == 0
    assert run["flows"][0]["finish_s"] is None


def test_open_sessions_come_as_they_come_and_closed_ones_wait() -> None:
    page = 'source = "http"\nsize = "10 kB"\n'
    run = simulated(
        page + 'count = 4\nsessions = "open"\narrival = "exponential 400 ms"\npages = 3\nthink = "10 ms"'
    )
    begun = sum(flow["objects"]["begun"] for flow in run["flows"])
    # 1000 sessions of three objects, those of the last moment excepted.
    assert begun == pytest.approx(3000, abs=3 * 4 * math.sqrt(1000) + 12)
    run = simulated(page + 'count = 4\nthink = "exponential 500 ms"')
    [whole] = run["groups"].values()
    times = whole["objects"]["fct_ms_all"]
    # A cycle is the time to think, the page, and half a round trip back with at most one delayed acknowledgement.
    least, most = (500 + times["mean"] + extra for extra in (22, 22 + 200))
    cycles = 4 * 100e3
    assert cycles / most * 0.9 < times["count"] < cycles / least * 1.1


def test_most_objects_are_small_and_few_carry_most_bytes() -> None:
    run = simulated(
        'count = 50\nsource = "http"\nmodel = "study"\nthink = "exponential 200 ms"', rate="100 Mbit/s"
    )
    objects = run["groups"]["it"]["objects"]
    # Pareto of shape 1.2 from 2 kB: one in 5^1.2 is larger than 10 kB.
    small = objects["fct_ms_short"]["count"] / objects["completed"]
    expected, n = 1 - 5**-1.2, objects["completed"]
    assert n > 5000
    assert small == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / n))


@pytest.mark.parametrize(("rate", "expected"), [("10 Mbit/s", 3e6), ("1 Mbit/s", 300e3)])
def test_a_viewer_gets_the_best_the_link_carries(rate: str, expected: float) -> None:
    ladder = '["300 kbit/s", "1 Mbit/s", "3 Mbit/s"]'
    run = simulated(f'source = "video"\nqualities = {ladder}', rate=rate, seconds=400)
    video = run["flows"][0]["video"]
    # Four fifths of the measured throughput choose the quality. The first chunk is of the lowest, and the estimate
    # climbs over one more.
    chunks, climbing = video["chunks"], 2 if expected > 300e3 else 0
    assert (video["stalled_s"], video["switches"]) == (0, climbing)
    assert video["bps_mean"] * chunks == pytest.approx(
        300e3 + (1e6 if climbing else 300e3) + (chunks - 2) * expected
    )


@pytest.mark.parametrize("transport", ["tfrc", "rap", "tear", "lda", "drs", "scream", "gcc"])
def test_a_camera_is_shaped_where_the_link_is_narrow(transport: str) -> None:
    flow = f'transport = "{transport}"\nsource = "shaped"\ncoded_rate = "3 Mbit/s"\nleast_rate = "100 kbit/s"'
    wide = simulated(flow, seconds=120)["flows"][0]["shaped_video"]
    narrow = simulated(flow, seconds=120, rate="1 Mbit/s")["flows"][0]["shaped_video"]
    assert wide["frames"] == pytest.approx(120 / 0.040, abs=2)
    assert wide["bps_mean"] == pytest.approx(3e6 * wide["coded_share"])
    assert wide["coded_share"] > 0.6
    # Some packets of RAP and TEAR are lost: their rate may exceed that of the link.
    assert 0.03 < narrow["coded_share"] < 0.45


def pcap(packets: list[tuple[float, int]]) -> bytes:
    """A capture of IP packets: seconds and bytes."""
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    for time_s, size in packets:
        frame = struct.pack(">BBH", 0x45, 0, size) + b"\0" * 16
        seconds = int(time_s)
        content += struct.pack("<IIII", seconds, round((time_s - seconds) * 1e6), len(frame), size) + frame
    return content


def test_a_capture_is_played_packet_by_packet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("office.pcap").write_bytes(pcap([(7.0, 1500), (7.25, 40), (8.0, 1000)]))
    flow = UDP + 'source = "replay"\npackets = "file:office.pcap"\nrepeat = true'
    Path("office.toml").write_text(HEAD.format(seconds=9.9, path="", flow=flow), encoding="utf-8")
    run = dc.run(dc.Scenario.load("office.toml"), replications=1).baseline.runs[0]
    # A round lasts 1 s and the mean gap, half a second: six rounds from 0 to 8.5 s, and two packets more from 9 s.
    assert [total(run, key) for key in ("sent_pkts", "sent_bytes")] == [6 * 3 + 2, 6 * 2540 + 1540]


def test_a_link_lets_out_what_its_trace_says() -> None:
    # Ten opportunities within 10 ms, then 90 ms without: 1500 bytes ten times in 100 ms.
    trace = [*range(1, 11), 100]
    path = f"opportunities_ms = {trace}"
    run = simulated(CBR.format(rate="20 Mbit/s"), path=path, seconds=50)
    assert total(run, "received_bytes") * 8 / 50 == pytest.approx(11 * 1500 * 8 / 0.1, rel=0.002)


@pytest.mark.parametrize(
    ("path", "expected", "factor"),
    [
        ("loss = 0.01", 0.01, 1.0),
        # Bursts of 4 packets, one in 26 of all in one, half of those lost: the variance is that of a two-state chain.
        ("burst_begin = 0.01\nburst_end = 0.25\nburst_loss = 0.5", 0.5 / 26, 3.0),
        ("loss = 0.001\nburst_begin = 0.002\nburst_end = 0.2", 1 / 101 + 0.001 * 100 / 101, 9.0),
    ],
)
def test_a_link_loses_its_share(path: str, expected: float, factor: float) -> None:
    run = simulated(CBR.format(rate="8 Mbit/s"), path=path, seconds=100)
    link = run["links"]["bottleneck"]
    n = link["departed_pkts"]
    width = 4 * math.sqrt(factor * expected / n)
    assert link["lost_pkts"] / n == pytest.approx(expected, abs=width)
    # Packets that are neither lost nor received are in flight: 22 ms of 2000 packets a second, and one being sent.
    assert 0 <= total(run, "sent_pkts") - total(run, "received_pkts") - link["lost_pkts"] <= 46


@pytest.mark.parametrize(
    ("path", "mean_ms", "width_ms"),
    [
        ('jitter = "uniform 0 ms to 10 ms"\novertaking = true', 5.0, 4 * 10 / math.sqrt(12 * 100_000)),
        ('reorder = 0.02\nreorder_by = "5 ms"', 0.1, 4 * 5 * math.sqrt(0.02 / 100_000)),
    ],
)
def test_a_link_holds_packets_up(path: str, mean_ms: float, width_ms: float) -> None:
    run = simulated(CBR.format(rate="4 Mbit/s"), path=path, seconds=100)
    assert delay_ms(run) - 22.48 == pytest.approx(mean_ms, abs=width_ms + 0.01)


def test_jitter_that_keeps_the_order_holds_up_those_behind() -> None:
    run = simulated(CBR.format(rate="100 kbit/s"), path='jitter = "exponential 2 ms"', seconds=800)
    # Packets are 40 ms apart: hardly any packet waits for another one, so the mean is that of the distribution.
    assert delay_ms(run) - 22.48 == pytest.approx(2, abs=4 * 2 / math.sqrt(20_000))


def test_some_packets_come_twice() -> None:
    run = simulated(CBR.format(rate="4 Mbit/s"), path="duplicate = 0.05", seconds=100)
    sent = total(run, "sent_pkts")
    assert total(run, "received_pkts") - sent == pytest.approx(
        0.05 * sent, abs=4 * math.sqrt(0.05 * sent) + 30
    )


BAD = [
    ("packets", "missing.pcap", None, "cannot be read"),
    ("packets", "words.pcap", b"no capture at all " * 9, "is not a pcap or pcapng file"),
    ("packets", "empty.pcap", b"", "is not a pcap or pcapng file"),
    ("packets", "bare.pcap", pcap([]), "holds no IP packet"),
    ("packets", "cut.pcap", pcap([(0, 1500), (1, 40)])[:-7], "ends inside record 2"),
    ("opportunities_ms", "missing.trace", None, "cannot be read"),
    ("opportunities_ms", "empty.trace", b"", "holds no time above 0"),
    ("opportunities_ms", "words.trace", b"1\ntwo\n", "entry 2: must be a time in whole milliseconds"),
    ("opportunities_ms", "back.trace", b"5\n3\n", "entry 2: must not lie before the one in front of it"),
    (
        "opportunities_ms",
        "huge.trace",
        b"5\n99999999999999999999\n",
        "entry 2: must be a time in whole milliseconds, of at most 15 digits",
    ),
]


@pytest.mark.parametrize(("key", "name", "content", "message"), BAD, ids=[name for _, name, _, _ in BAD])
def test_a_bad_file_is_one_clear_line(
    dropcurve: Dropcurve, key: str, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    flow = UDP + 'source = "replay"\n' if key == "packets" else ""
    entry = f'{key} = "file:{name}"'
    text = HEAD.format(seconds=1, path=entry if not flow else "", flow=flow + (entry if flow else ""))
    if not flow:
        text = text.replace('rate = "10 Mbit/s"\n', "", 1)
    Path("bad.toml").write_text(text, encoding="utf-8")
    answer = dropcurve("run", "bad.toml", "--replications", "1", "--no-report")
    assert answer.code == 2
    assert message in " ".join(answer.err.split()) and "Traceback" not in answer.err
    assert len(answer.err.strip().splitlines()) <= 2


def test_a_recording_with_a_long_pause_is_played_as_far_as_the_run_goes(tmp_path: Path) -> None:
    (tmp_path / "long.pcap").write_bytes(pcap([(0, 1500), (4e9, 40)]))
    flow = UDP + 'source = "replay"\npackets = "file:long.pcap"'
    (tmp_path / "long.toml").write_text(HEAD.format(seconds=1, path="", flow=flow), encoding="utf-8")
    run = dc.run(dc.Scenario.load(tmp_path / "long.toml"), replications=1).baseline.runs[0]
    assert total(run, "sent_pkts") == 1


def test_each_queue_of_a_comparison_serves_the_same_pages() -> None:
    """The objects of a page are drawn as its session arrives, from a stream of its own: what the queue does to earlier
    pages moves none of them. Arrivals end well before the run, so that every page is complete."""
    base = links.scenario(links.preset("cable"), direction="down", duration="25 s")
    base = base.edit([("run.warmup", "0 s"), ("flows.web.stop", "5 s"), ("flows.download.count", "4")])
    served = []
    for queue in (
        {"kind": "droptail", "limit": "15 pkts"},
        {"kind": "droptail", "limit": "900 pkts"},
        {"kind": "fq_codel"},
    ):
        (run,) = dc.run(base.set("queue", queue), replications=1).variants[0].runs
        pages = [flow["objects"] for flow in run["flows"] if flow["class"] == "web"]
        assert all(one["begun"] == one["completed"] for one in pages)
        served.append([(one["completed"], one["payload_bytes"]) for one in pages])
    assert served[0] == served[1] == served[2]
    assert sum(one[0] for one in served[0]) > 100
