"""Video that nothing disturbs, computed by hand: its bit rate and the time it stalls."""

from __future__ import annotations

import pytest

import dropcurve as dc

#: One quality of 1 Mbit/s in chunks of 4 s, on a link alone.
SCENARIO = """
[run]
duration = "100 s"
warmup = "0 s"

[dumbbell]
rate = "{rate}"
delay = "10 ms"

[queue]
kind = "droptail"
limit = "100 pkts"

[flows.video]
source = "video"
qualities = ["1 Mbit/s"]
"""


def measured(rate: str) -> tuple[float, float]:
    """Bit rate (bit/s) and share of the time that the picture is frozen (per cent)."""
    variant = dc.run(dc.Scenario.parse(SCENARIO.format(rate=rate)), replications=1).variants[0]
    (bit_rate,), (stalled,) = (variant.values(name, scope="video") for name in ("video_bps", "video_stalled"))
    assert bit_rate is not None and stalled is not None
    return bit_rate, stalled


def test_a_link_of_twice_the_bit_rate_never_stalls() -> None:
    """A chunk of 4 Mbit takes about 2 s of each 4 s."""
    assert measured("2 Mbit/s") == (1e6, 0.0)


def test_a_link_of_half_the_bit_rate_stalls_for_half_of_the_time() -> None:
    """Of 500 kbit/s, 1448 of every 1500 bytes are data: 482.7 kbit/s, and a chunk of 4 Mbit takes 8.287 s. To that come
    the round trip of its last acknowledgement, 20 ms, and the delay of that, 200 ms at most (RFC 5681 allows 500). So
    11 chunks arrive in 100 s. Before each of the last ten the picture is frozen for that time less the 4 s of video
    that a chunk lasts: 4.287 s to 4.507 s."""
    bit_rate, stalled = measured("500 kbit/s")
    assert bit_rate == 1e6
    takes = 4e6 / (500e3 * 1448 / 1500)
    assert takes == pytest.approx(8.287, abs=0.001)
    assert 10 * (takes - 4) <= stalled <= 10 * (takes - 4 + 0.22)
