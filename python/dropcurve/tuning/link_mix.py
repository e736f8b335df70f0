"""A link with its usual traffic (`dropcurve.scenario.links`) as the subject of a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..scenario import Scenario
from ..scenario.links import LinkProfile, LinkSpec, scenario


@dataclass(frozen=True)
class MixLink:
    """A link by name, whose ranges are the axes of the conditions.

    Attributes:
        spec: The link as typed.
    """

    spec: LinkSpec

    @property
    def direction(self) -> str:
        """Direction of the queue: "down" or "up"."""
        return self.spec.direction

    @property
    def ecn(self) -> bool:
        """Whether a flow negotiates ECN."""
        return self.spec.profile.mix.ecn > 0 or self.spec.profile.mix.l4s > 0

    @property
    def buffer_pkts(self) -> float:
        """The largest buffer over the conditions, in full packets."""
        return max(float(self._profile(one).buffer_pkts(self.direction)) for one in (None, *self._corners()))

    @property
    def buffer_varies(self) -> bool:
        """Whether the buffer in packets differs between conditions."""
        sizes = {self._profile(one).buffer_pkts(self.direction) for one in (None, *self._corners())}
        return len(sizes) > 1

    @property
    def rtt_s(self) -> tuple[float, float]:
        """Least and greatest base round trip."""
        return self.spec.profile.rtt_s

    def rate_bps(self, condition: Mapping[str, float]) -> float:
        """The rate of the queue's direction at a condition."""
        rate: float = self._profile(condition).rate_bps(self.direction)
        return rate

    def scenario(self, condition: Mapping[str, float]) -> Scenario:
        """The scenario at a condition: the keys of the link that vary, with their values."""
        profile = self._profile(condition)
        of_profile = scenario(profile, direction=self.direction)
        return of_profile if not condition else of_profile.edit([("title", self.spec.label(condition))])

    def assumed(self) -> str:
        """Assumptions about link and traffic, in one line."""
        return self.spec.assumptions()

    def _profile(self, condition: Mapping[str, float] | None) -> LinkProfile:
        return self.spec.at(condition or {})

    def _corners(self) -> list[dict[str, float]]:
        return self.spec.conditions() if self.spec.varying else []
