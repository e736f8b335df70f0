"""Published laws of BBR's throughput: alone under random loss, and with loss-based flows in a deep buffer.

References: CCGYJ16 (throughput over random loss), WMSS19 (the share of BBR version 1 against loss-based
flows). BBR's rate is not a function of loss and round trip: without a bottleneck rate there is no answer.
"""

from __future__ import annotations

from ...errors import UsageError

#: BBR probes with a gain of 1.25: loss above 1 - 1/1.25 hides the gain (CCGYJ16).
PROBE_GAIN = 1.25
#: The least round trip is measured again every 10 s, for 0.2 s (CCGYJ16).
PROBE_RTT_EVERY_S, PROBE_RTT_S = 10.0, 0.2
#: Segments that each BBR flow keeps in flight while it measures the round trip.
PROBE_RTT_PKTS = 4.0


def bbr_throughput(*, loss: float, rate_bps: float) -> float:
    """Goodput of one BBR flow alone under random loss: the part of the bottleneck's rate that arrives, up to
    the loss that the gain of 1.25 can make up for, and almost nothing beyond (CCGYJ16).

    Args:
        loss: share of packets lost at random, from 0 to 1.
        rate_bps: rate of the bottleneck in bit/s.

    Returns:
        bit/s.

    Raises:
        UsageError: a loss outside 0 to 1, or a rate that is not above 0.
    """
    if not 0 <= loss <= 1:
        raise UsageError(
            "loss",
            f"{loss:g}",
            "must lie between 0 and 1",
            "give the share of packets that are lost, such as 0.01",
        )
    if not rate_bps > 0:
        raise UsageError("rate", f"{rate_bps:g}", "must be above 0", "give the rate of the link in bit/s")
    return rate_bps * (1.0 - loss) if loss < 1.0 - 1.0 / PROBE_GAIN else 0.0


def bbr_loss(*, throughput_bps: float, rate_bps: float) -> float | None:
    """Random loss at which one BBR flow alone has a goodput: the inverse of `bbr_throughput`.

    Args:
        throughput_bps: goodput in bit/s, at most the rate of the bottleneck.
        rate_bps: rate of the bottleneck in bit/s.

    Returns:
        From 0 to 0.2; None for a goodput that BBR passes at a loss of 20 % at once.

    Raises:
        UsageError: a throughput that is not above 0 or exceeds the rate.
    """
    if not 0 < throughput_bps <= rate_bps:
        raise UsageError(
            "throughput",
            f"{throughput_bps:g}",
            f"must be above 0 and at most the rate of the link ({rate_bps:g})",
            "lower it, or give the link a higher rate",
        )
    lost = 1.0 - throughput_bps / rate_bps
    return lost if lost < 1.0 - 1.0 / PROBE_GAIN else None


def bbr_share(
    *, buffer_pkts: float, rate_pps: float, rtt_s: float, flows: int = 1, duration_s: float | None = None
) -> float:
    """Share of the link that all BBR flows (version 1) get together next to loss-based flows that keep the
    buffer full.

    BBR is limited by its window, twice its rate times the least round trip that it measured; while it
    measures, the queue still holds the packets of the others and four of each BBR flow. With p the share of
    the others, a link of C and a round trip R: (1 - p)(q + C R) = 2 (1 - p)(p q + 4N + C R), so p = 1/2 -
    1/(2X) - 4N/q for N BBR flows, a buffer of q packets and of X bandwidth-delay products (derived from the
    assumptions of WMSS19, not from its text). ``duration_s`` subtracts the time spent measuring.

    Args:
        buffer_pkts: limit of the queue in packets.
        rate_pps: rate of the link in packets a second.
        rtt_s: propagation round trip in seconds.
        flows: number of BBR flows.
        duration_s: how long they compete; None: leave the time of measuring out.

    Returns:
        From 0 to 1. For a buffer below one bandwidth-delay product the model has BBR take the whole link.

    Raises:
        UsageError: a value that is not above 0.
    """
    for name, value in (("buffer", buffer_pkts), ("rate", rate_pps), ("rtt", rtt_s), ("flows", flows)):
        if not value > 0:
            raise UsageError(name, f"{value:g}", "must be above 0", "give the number of the link")
    others = 0.5 - rate_pps * rtt_s / (2.0 * buffer_pkts) - PROBE_RTT_PKTS * flows / buffer_pkts
    share = 1.0 - min(1.0, max(0.0, others))
    if duration_s is None:
        return share
    probing = (buffer_pkts / rate_pps + PROBE_RTT_S + rtt_s) * duration_s / PROBE_RTT_EVERY_S
    return share * max(0.0, duration_s - probing) / duration_s
