"""Parameters of the traffic that a stress search may choose, with units, limits, usual values and default bounds."""

from __future__ import annotations

from dataclasses import dataclass

from ...quantities import units
from ...scenario import library


@dataclass(frozen=True)
class StressParameter:
    """A number that a search may choose.

    Attributes:
        name: Key of the file.
        about: Description, for help and documentation.
        unit: "s", "%", "pkts", or "" for pure numbers.
        least: Smallest value that may be declared.
        most: Largest value that may be declared.
        usual: Value that does no harm; shrinking moves towards it.
        default: Bounds where the file has none.
        whole: Whether it counts something.
        part: The parameter that switches it off with a value of 0, or "".
    """

    name: str
    about: str
    unit: str
    least: float
    most: float
    usual: float
    default: str
    whole: bool = False
    part: str = ""

    def shown(self, value: float) -> str:
        """A value as text: ``200 ms``, ``15 %``, ``4``."""
        if self.unit == "s":
            return units.show_span(value) if value > 0 else "0 s"
        return f"{units.plain(value)} {self.unit}".strip()


#: Every number of a file of bounds. ``rtt`` and ``flows`` without a value follow from the link.
PARAMETERS = {
    one.name: one
    for one in (
        StressParameter("flows", "Long TCP transfers at the same time.", "", 1, 2000, 4, "1-50", whole=True),
        StressParameter("rtt", "Shortest base round trip of the transfers.", "s", 1e-5, 10, 0.04, "10-200 ms"),
        StressParameter("rtt_ratio",
                        "Longest base round trip as a multiple of the shortest (the mix of round trips).",
                        "", 1, 100, 1, "1-8"),
        StressParameter("start", "Time within which the transfers start.", "s", 0, 60, 1, "0-5 s"),
        StressParameter("short", "Short web objects over TCP, offered load in per cent of the link.", "%", 0, 90, 0,
                        "0-20 %"),
        StressParameter("cbr", "Unresponsive datagrams at a constant rate, in per cent of the link.", "%", 0, 400, 0,
                        "0-30 %"),
        StressParameter("pulse_rate",
                        "Rate of on-off pulses of datagrams while they are on, in per cent of the link.",
                        "%", 0, 10000, 0, "0-300 %"),
        StressParameter("pulse_width", "Length of a pulse.", "s", 1e-4, 60, 0.1, "10-300 ms", part="pulse_rate"),
        StressParameter("pulse_period", "Time from the start of a pulse to the next.", "s", 1e-3, 120, 1.0,
                        "50-3000 ms", part="pulse_rate"),
        StressParameter("datagram", "Size of the datagrams of both kinds.", "B", 64, 1500, 1500, "100-1500 B",
                        whole=True),
        StressParameter("loss", "Random loss on the wire behind the queue.", "%", 0, 50, 0, "0 %"),
        StressParameter("loss_burst", "Mean length of a burst of losses.", "pkts", 1, 1000, 1, "1 pkts", part="loss"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """A name that a search may choose from a list.

    Attributes:
        name: Key of the file.
        about: Description.
        default: Names where the file has none; "link" stands for that of the link.
    """

    name: str
    about: str
    default: tuple[str, ...]

    def known(self) -> list[str]:
        """The valid names."""
        if self.name == "senders":
            tcp = next(one for one in library.catalogue()["transports"] if one["name"] == "tcp")
            return [str(one["name"]) for one in tcp["profiles"]]
        return [str(one["name"]) for one in library.catalogue()["congestion_controls"]]


CHOICES = {
    one.name: one
    for one in (
        Choice("senders", "Profiles of TCP: linux has a minimum RTO of 200 ms, rfc one of 1 s.", ("linux",)),
        Choice("cc", "Congestion controls of TCP.", ("link",)),
    )
}  # fmt: skip

#: Limits on all datagrams together, with their defaults: the envelope of the unresponsive traffic.
ENVELOPE = {
    "envelope_rate": ("Mean rate of all datagrams, at most, in per cent of the link.", "30 %"),
    "envelope_burst": (
        "Data beyond that rate at once, at most: packets, bytes, or time at the link's rate.",
        "500 ms",
    ),
}
KEYS = (*PARAMETERS, *CHOICES, *ENVELOPE)


def listed() -> list[tuple[str, ...]]:
    """Every key with its description, its default and what it may be, for `dropcurve list bounds`."""
    rows: list[tuple[str, ...]] = []
    for name, one in PARAMETERS.items():
        limits = f"from {one.shown(one.least)} to {one.shown(one.most)}"
        default = "by the link" if name == "rtt" else one.default
        rows.append((name, f"a bound of `stress`: {one.about} Default {default}; {limits}."))
    for name, choice in CHOICES.items():
        default = "that of the link" if choice.default == ("link",) else ", ".join(choice.default)
        rows.append((name, f"a bound of `stress`: {choice.about} A list of names; default {default}."))
    rows += [
        (name, f"a bound of `stress`: {about} Default {default}.")
        for name, (about, default) in ENVELOPE.items()
    ]
    # The prefix distinguishes them from names in other lists.
    return [(f"within.{name}", *rest) for name, *rest in rows]
