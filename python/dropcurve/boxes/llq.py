"""Low latency queueing: a policed priority queue for voice above one other queue, as boxes are configured with it.

The first band of a `prio` queue is tail drop for expedited forwarding (RFC 3246), the second any queue that the box can
load.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .model import PRIORITY_PKTS, Export, Note, Priority, placed, refuse
from .settings import Settings, settings

#: Share of the link that voice is policed to: the largest in Cisco's design guides (CiscoLLQ).
POLICED_SHARE = 1.0 / 3.0
#: Code point of expedited forwarding, its precedence, and the lowest class.
EF, EF_PRECEDENCE = 46, 5


@dataclass(frozen=True)
class LowLatency:
    """The parts of a `prio` queue: the limit of voice in packets, the rate it is policed to, the other queue."""

    voice_pkts: int
    police_bps: float
    inner: Settings

    def loaded(self, title: str, exported: Export, *, limit: str = "") -> tuple[str, dict[str, Any]]:
        """Discipline and parameters of both as the box has them."""
        first = Priority(title, limit or f"{self.voice_pkts} pkts", self.police_bps)
        return placed(exported.discipline_as_loaded, exported.params_as_loaded, (first,))


def parts(given: Settings, box: str, notes: list[Note]) -> LowLatency:
    """The parts of a `prio` queue as a box can load them.

    Raises:
        ScenarioError: For another number of bands than two, for another discipline than tail drop in the first, and
            where expedited forwarding is not served first.
    """
    bands = given.options["bands"]
    if len(bands) != 2:
        refuse(
            "bands",
            f"{len(bands)} bands",
            f"{box} takes one priority queue above another queue",
            "give two bands",
        )
    first, second = ({"kind": "droptail"} if one == "plain" else dict(one) for one in bands)
    if first.get("kind") != "droptail":
        refuse(
            "bands",
            first.get("kind"),
            "the priority queue must be tail drop",
            "give 'plain' as the first band",
        )
    order, by = given.options["band_of"], given.text("class_by")
    urgent = {"number": EF, "precedence": EF_PRECEDENCE}.get(by)
    if urgent is None or order[min(urgent, len(order) - 1)] != 0 or order[0] != 1:
        refuse(
            "band_of", f"{order} by {by}", "expedited forwarding must go into band 0 and the rest into band 1",
            'give class_by = "precedence" and band_of = [1, 1, 1, 1, 1, 0]',
        )  # fmt: skip
    police = POLICED_SHARE * given.rate_bps
    notes.append(
        Note("load", "priority", "voice is policed to a third of the link: set it to what calls need")
    )
    voice = Settings("droptail", first, given.rate_bps, given.packet_bytes)
    pkts = max(1, round(voice.packets("limit"))) if "limit" in first else PRIORITY_PKTS
    inner = {key: value for key, value in second.items() if key != "kind"}
    if second.get("kind") == "droptail" and "limit" not in inner:
        inner["limit"] = given.text("limit")
    return LowLatency(
        pkts,
        police,
        settings(str(second["kind"]), inner, rate_bps=given.rate_bps, packet_bytes=given.packet_bytes),
    )


def inside(low_latency: LowLatency, write: Callable[..., Export], **options: Any) -> Export:
    """The export of the other queue by its box's own writer."""
    return write(low_latency.inner, params=dict(low_latency.inner.options), **options)
