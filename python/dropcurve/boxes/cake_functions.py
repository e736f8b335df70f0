"""Options of CAKE that no parameter of a scenario has, which another CAKE in the same place keeps.

Reference: tc-cake(8), RouterOSQueues, VyOSQoS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class CakeFunctions:
    """Options of a CAKE in addition to the parameters of its scenario.

    Attributes:
        nat: Looks up the addresses of the hosts behind a router that translates them.
        ingress: Counts packets that are dropped, because the link to protect lies before the queue.
        autorate: Estimates the rate from arriving packets.
        whole: Does not split packets that arrive as one buffer (`no-split-gso`).
        mark: Mask of the firewall mark that selects the tin; "" for none.
    """

    nat: bool = False
    ingress: bool = False
    autorate: bool = False
    whole: bool = False
    mark: str = ""

    def __bool__(self) -> bool:
        return self != NONE

    @property
    def words(self) -> list[str]:
        """The words of ``tc``."""
        flags = {
            "nat": self.nat, "ingress": self.ingress, "autorate-ingress": self.autorate, "no-split-gso": self.whole,
        }  # fmt: skip
        return [*(word for word, on in flags.items() if on), *(["fwmark", self.mark] if self.mark else [])]

    @property
    def routeros(self) -> list[str]:
        """The values of a queue type of RouterOS."""
        flags = {"cake-nat": self.nat, "cake-autorate-ingress": self.autorate}
        return [f"{key}=yes" for key, on in flags.items() if on]

    @property
    def vyos(self) -> list[str]:
        """The options of a policy of VyOS."""
        return ["flow-isolation nat"] if self.nat else []

    @property
    def lost(self) -> Iterable[tuple[str, str]]:
        """Word and effect of each option whose effect no run shows."""
        if self.ingress:
            yield (
                "ingress",
                "the queue before the shaper is not simulated, so that drops do not count against the rate",
            )
        if self.autorate:
            yield "autorate-ingress", "the rate stays as it is"
        if self.mark:
            yield "fwmark", "tins go by code point alone"


#: No option at all.
NONE = CakeFunctions()


def last(options: Mapping[str, str], words: Iterable[str]) -> str:
    """The last of these words among the options of ``tc``, which takes it where several exclude each other; "" for
    none."""
    among = set(words)
    return next((word for word in reversed(list(options)) if word in among), "")


def of_words(options: Mapping[str, str]) -> CakeFunctions:
    """The options among the words of ``tc``, each with its value."""
    mark = options.get("fwmark", "")
    return CakeFunctions(
        nat=last(options, ("nat", "nonat")) == "nat", ingress=last(options, ("ingress", "egress")) == "ingress",
        autorate="autorate-ingress" in options,
        whole=last(options, ("split-gso", "no-split-gso")) == "no-split-gso",
        mark="" if mark in ("0", "0x0") else mark,
    )  # fmt: skip
