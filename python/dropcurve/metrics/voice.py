"""Call quality by the E-model (ITU-G107): the transmission rating R of a call, and its mean opinion score.

Only delay and packet loss come from a run; everything else has the recommendation's default values, for which R is
93.2. The codec is G.711 with packet loss concealment (ITU-G113 Appendix I).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .flows import delay_percentile
from .optional_numbers import ratio
from .registry import metric
from .run_parts import Flow, Flows, Run, total

#: Equipment impairment and packet-loss robustness of G.711 with concealment under random loss (ITU-G113 Appendix I).
IE, BPL = 0.0, 25.1
#: Speech in a packet, which the sender must wait for, in ms (RFC 3551 section 4.2).
FRAME_MS = 20.0
#: Percentile of the delay at which the play-out buffer plays: later packets are lost (Cole and Rosenbluth 2001).
PLAYED, LATE = "p99", 1.0
#: Largest mean packet of speech in bytes: G.711 in frames of 20 ms has 200, with headers of IPv6 and below 300.
SPEECH_BYTES = 300.0


@dataclass(frozen=True)
class Call:
    """The parameters of the E-model, in the symbols of ITU-G107 Table 2 and with its default values.

    Loudness ratings, noise and echo loss are in dB (``slr`` to ``nfor``), delays in ms: ``t`` one way, ``tr`` round
    trip, ``ta`` from mouth to ear. ``ppl`` is the packet loss in per cent, ``burst_r`` its burst ratio.
    """

    slr: float = 8.0
    rlr: float = 2.0
    stmr: float = 15.0
    ds: float = 3.0
    telr: float = 65.0
    wepl: float = 110.0
    qdu: float = 1.0
    nc: float = -70.0
    nfor: float = -64.0
    ps: float = 35.0
    pr: float = 35.0
    t: float = 0.0
    tr: float = 0.0
    ta: float = 0.0
    ie: float = 0.0
    bpl: float = 4.3
    ppl: float = 0.0
    burst_r: float = 1.0
    advantage: float = 0.0

    @classmethod
    def of(cls, delay_ms: float, loss_percent: float) -> Call:
        """A call over a network with this delay from mouth to ear and this loss."""
        return cls(t=delay_ms, tr=2.0 * delay_ms, ta=delay_ms, ie=IE, bpl=BPL, ppl=loss_percent)

    @property
    def lstr(self) -> float:
        """Listener's sidetone rating."""
        return self.stmr + self.ds

    @property
    def noise(self) -> float:
        """No: the sum of all noise at the 0 dBr point (section 7.2)."""
        olr = self.slr + self.rlr
        nos = self.ps - self.slr - self.ds - 100.0 + 0.004 * (self.ps - olr - self.ds - 14.0) ** 2
        pre = self.pr + 10.0 * math.log10(1.0 + 10.0 ** ((10.0 - self.lstr) / 10.0))
        nor = self.rlr - 121.0 + pre + 0.008 * (pre - 35.0) ** 2
        return _power_sum(self.nc, nos, nor, self.nfor + self.rlr)

    @property
    def basic(self) -> float:
        """Ro: the basic signal-to-noise ratio (section 7.2)."""
        return 15.0 - 1.5 * (self.slr + self.noise)

    @property
    def sidetone(self) -> float:
        """Ist: impairment by sidetone that is not optimal (section 7.3)."""
        masked = -10.0 * math.log10(
            10.0 ** (-self.stmr / 10.0) + math.exp(-self.t / 4.0) * 10.0 ** (-self.telr / 10.0)
        )
        return (
            12.0 * _norm((masked - 13.0) / 6.0, 8)
            - 28.0 * _norm((masked + 1.0) / 19.4, 35)
            - 13.0 * _norm((masked - 3.0) / 33.0, 13)
            + 29.0
        )

    @property
    def simultaneous(self) -> float:
        """Is: impairments that come with speech: loudness, sidetone, quantisation (section 7.3)."""
        x = self.slr + self.rlr + 0.2 * (64.0 + self.noise - self.rlr)
        loudness = 20.0 * (_norm(x / 8.0, 8) - x / 8.0)
        q = 37.0 - 15.0 * math.log10(self.qdu)
        g = 1.07 + 0.258 * q + 0.0602 * q**2
        y = (self.basic - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0
        z = 46.0 / 30.0 - g / 40.0
        return loudness + self.sidetone + 15.0 * math.log10(1.0 + 10.0**y + 10.0**z)

    @property
    def delayed(self) -> float:
        """Id: impairment by talker echo, listener echo and absolute delay (section 7.4)."""
        terv = self.telr - 40.0 * math.log10((1.0 + self.t / 10.0) / (1.0 + self.t / 150.0))
        terv += 6.0 * math.exp(-0.3 * self.t**2)
        terv += self.sidetone / 2.0 if self.stmr < 9.0 else 0.0
        gap = -1.5 * (self.noise - self.rlr) - (80.0 + 2.5 * (terv - 14.0))
        talker = (gap / 2.0 + math.sqrt(gap**2 / 4.0 + 100.0) - 1.0) * (1.0 - math.exp(-self.t))
        if self.stmr > 20.0:
            talker = math.hypot(talker, self.sidetone)
        gap = self.basic - 10.5 * (self.wepl + 7.0) * math.pow(self.tr + 1.0, -0.25)
        listener: float = gap / 2.0 + math.sqrt(gap**2 / 4.0 + 169.0)
        absolute = 0.0
        if self.ta > 100.0:
            x = math.log2(self.ta / 100.0)
            absolute = 25.0 * (_norm(x, 6) - 3.0 * _norm(x / 3.0, 6) + 2.0)
        return talker + listener + absolute

    @property
    def equipment(self) -> float:
        """Ie,eff: impairment by codec and packet loss (section 7.5)."""
        return self.ie + (95.0 - self.ie) * self.ppl / (self.ppl / self.burst_r + self.bpl)

    @property
    def rating(self) -> float:
        """R: the transmission rating factor (section 7.1)."""
        impaired = self.simultaneous + self.delayed + self.equipment
        return float(self.basic - impaired + self.advantage)


def opinion(rating: float) -> float:
    """The mean opinion score from 1 to 4.5 of a rating (ITU-G107 Annex B)."""
    if rating <= 0.0:
        return 1.0
    if rating >= 100.0:
        return 4.5
    # The cubic falls below 1 for small ratings.
    return max(1.0, 1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6)


def _norm(x: float, power: int) -> float:
    """The soft maximum of 1 and x that the recommendation is built of."""
    return float((1.0 + x**power) ** (1.0 / power))


def _power_sum(*levels: float) -> float:
    return 10.0 * math.log10(math.fsum(10.0 ** (level / 10.0) for level in levels))


@metric("mos", title="call quality (MOS)", unit="", better="higher", source="ITU-G107; ITU-G113", per="flow")
def mos(run: Run, flows: Flows) -> float | None:
    """Mean opinion score, 1 to 4.5, of calls by the E-model: G.711 with loss concealment, a frame of 20 ms, played at
    the 99th percentile of the one-way delay; packets that are later or dropped are lost. Over UDP flows whose mean
    packet is one of speech; 1 if none of their packets arrives."""
    speech = Flows(run, [flow for flow in flows if _speech(flow)])
    if not speech:
        return None
    dropped, sent = total(speech, "dropped_pkts"), total(speech, "sent_pkts")
    if not total(speech, "received_pkts"):
        return 1.0
    delay = delay_percentile(speech, PLAYED)
    if delay is None:
        return None
    lost = 100.0 * (ratio(dropped, sent) or 0.0)
    return opinion(Call.of(FRAME_MS + delay, lost + LATE * (1.0 - lost / 100.0)).rating)


def _speech(flow: Flow) -> bool:
    sent, packets = flow.get("sent_bytes"), flow.get("sent_pkts")
    if flow["transport"] != "udp" or not isinstance(sent, int) or not isinstance(packets, int):
        return False
    return packets > 0 and sent <= SPEECH_BYTES * packets
