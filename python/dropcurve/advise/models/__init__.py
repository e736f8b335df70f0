"""Published models of TCP: throughput from loss and round trip, the inverse, and where a queue settles.

    from dropcurve.advise import models
    models.throughput("pftk", loss=0.01, path=models.Path(rtt_s=0.1))     # bit/s
    models.loss("cubic", throughput_bps=5e6, path=models.Path(rtt_s=0.1))

Nothing is simulated. Each law names its publication; `docs/guide/models.md` compares them with each other.
"""

from __future__ import annotations

from .bbr import bbr_loss, bbr_share, bbr_throughput
from .laws import LAWS, Path, ThroughputLaw, loss, throughput
from .newreno import newreno_impatient, newreno_steady
from .queue_law import QueueLaw, queue_law

__all__ = [
    "LAWS", "Path", "QueueLaw", "ThroughputLaw", "bbr_loss", "bbr_share", "bbr_throughput", "loss",
    "newreno_impatient", "newreno_steady", "queue_law", "throughput",
]  # fmt: skip
