"""The claims of ``scenarios/INDEX.toml`` as checks that run: each becomes a test of a study with one setting.

A check has a quantity, ``"VARIANT: METRIC[SCOPE]"`` (variant and scope are optional). It compares the quantity, or its
relation to another one (``against``, ``as`` "%", "ratio" or "difference"), with ``above``, ``below`` or both. Where the
scenario has no randomness, a check may require that the quantity ``equals`` a number in every run. ``replications`` of
an entry is the number of runs of each variant.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import metrics
from ..errors import Problem, UsageError
from ..scenario import Scenario, library
from .claims import Test, TestedClaim
from .effects import Effect, gain
from .study import Page, Setting, Study

QUANTITY = re.compile(r"(?:(?P<variant>[^:]+): )?(?P<metric>\w+)(?:\[(?P<scope>[^\]]+)\])?")
#: The cell of a scenario without variants.
WHOLE = "scenario"
#: Fields that a check may have, besides the two quantities.
KEYS = {"value", "against", "as", "above", "below", "equals", "unit"}
Combine = Callable[[Effect, Effect], Effect]
#: How two quantities become one, and the unit of the outcome.
WAYS: dict[str, tuple[Combine, str]] = {
    "%": (gain, "%"),
    "ratio": (lambda one, other: one / other, ""),
    "difference": (lambda one, other: one - other, ""),
}


@dataclass(frozen=True)
class Quantity:
    """A metric of one variant of a scenario, of all flows or links or of one scope."""

    variant: str
    metric: str
    scope: str

    @classmethod
    def parse(cls, text: str) -> Quantity:
        """Parses ``"red: goodput_bps[tcp]"``. Raises UsageError for another form or an unknown metric."""
        match = QUANTITY.fullmatch(text)
        if match is None or match["metric"] not in metrics.METRICS:
            raise UsageError(
                "quantity",
                text,
                "is not a quantity",
                "write VARIANT: METRIC[SCOPE] with a metric of docs/metrics.md",
                shown="value",
            )
        return cls(match["variant"] or WHOLE, match["metric"], match["scope"] or "")

    @property
    def number(self) -> str:
        """Its name among the numbers of a cell."""
        return self.metric if not self.scope else f"{self.metric}[{self.scope}]"


@dataclass(frozen=True)
class IndexClaims:
    """Claim of the index about a scenario: the sentence, and its checks."""

    name: str
    claim: str
    checks: tuple[Mapping[str, Any], ...]
    variants: Mapping[str, Mapping[str, Any]]
    replications: int = 8

    @classmethod
    def load(cls, path: str | Path) -> IndexClaims:
        """The entry of a scenario in the index of its folder. Raises UsageError for an unknown key of a check."""
        file = library.locate(path)
        facts = tomllib.loads((file.parent / "INDEX.toml").read_text(encoding="utf-8"))[file.stem]
        checks = tuple(facts.get("checks", ()))
        unknown = [
            Problem(
                f"{file.stem}.checks.{key}",
                str(check[key]),
                "no such key",
                f"there are {', '.join(sorted(KEYS))}",
            )
            for check in checks
            for key in sorted(set(check) - KEYS)
        ]
        if unknown:
            raise UsageError.of(unknown)
        return cls(
            file.stem,
            facts["claim"],
            checks,
            facts.get("variants", {}),
            facts.get("replications", cls.replications),
        )

    def scenarios(self) -> dict[str, Scenario]:
        """The variants, by name."""
        base = Scenario.load(self.name)
        return {name: base.edit(edits.items()) for name, edits in self.variants.items()} or {WHOLE: base}

    def quantities(self) -> list[Quantity]:
        """Every quantity that a check asks for."""
        return [
            Quantity.parse(check[key])
            for check in self.checks
            for key in ("value", "against")
            if key in check
        ]

    def measure(self, run: dict[str, Any]) -> dict[str, float]:
        """The quantities of one run; those that it does not have are NaN."""
        numbers = {one.number: metrics.value(run, one.metric, scope=one.scope) for one in self.quantities()}
        return {name: float("nan") if value is None else value for name, value in numbers.items()}

    def study(self) -> Study:
        """A study with one claim, whose tests are the checks with a bound; `exact` returns the others."""
        tests = tuple(_test(check) for check in self.checks if "equals" not in check)
        claim = TestedClaim(self.name, "INDEX.toml", self.claim, tests)
        return Study(
            name=self.name, title=self.claim, source="scenarios/INDEX.toml", question=self.claim, measure=self.measure,
            settings={"index": Setting("as shipped", self.scenarios)}, claims=(claim,) if tests else (),
            page=lambda outcome: Page(short=[self.claim], choices=(), results=()), tolerance={},
        )  # fmt: skip

    def exact(self) -> list[tuple[Quantity, float]]:
        """Quantities that have one value in every run, with that value."""
        return [
            (Quantity.parse(check["value"]), check["equals"]) for check in self.checks if "equals" in check
        ]


def _test(check: Mapping[str, Any]) -> Test:
    one = Quantity.parse(check["value"])
    above, below = check.get("above"), check.get("below")
    if "against" not in check:
        return Test(
            check["value"], lambda cells: cells[one.variant][one.number], above, below, check.get("unit", "")
        )
    other = Quantity.parse(check["against"])
    combine, unit = WAYS[check["as"]]
    label = f"{check['value']}, {check['as']} against {check['against']}"
    return Test(label, lambda cells: combine(cells[one.variant][one.number], cells[other.variant][other.number]),
                above, below, check.get("unit", unit))  # fmt: skip
