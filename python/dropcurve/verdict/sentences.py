"""A verdict as the sentences that open an answer: the design to load, its gains, its costs, their certainty.

Every sentence is made from the verdict's own numbers: a gain, a cost or an order that the runs do not show has no
sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..metrics import statistics
from ..present.document import Headline
from ..quantities import wording
from . import amounts
from .amounts import NAMED
from .data import NOTABLE, Verdict
from .equivalence import MOST_REPLICATIONS

#: Tone of each status, for colours.
TONES = {
    "load": "good", "keep": "good", "undecided": "unsure", "none feasible": "bad", "unknown": "unsure",
}  # fmt: skip
#: Number of replications below which an interval is too wide to be useful.
FEW = statistics.MINIMUM
#: Half-width, in points, beyond which an advantage that is not sure says nothing.
WIDE = 20.0
#: Share of the largest gain, in points, below which a cost is listed and not weighed in words.
TRIFLE = 0.05
#: Share of an outcome that the score does not weigh, from which another design is named for it at once, and the points
#: that such a design may be behind.
DECISIVE, ALTERNATIVE = 0.25, 10.0


def headline(
    verdict: Verdict,
    *,
    verb: str = "Load",
    seconds: float | None = None,
    names: Mapping[str, str] | None = None,
) -> Headline:
    """The opening of an answer: one or two sentences to act on, and their certainty.

    Args:
        verdict: The verdict.
        verb: That of a recommendation: "Load" a configuration, "Choose" a design.
        seconds: Time that one more replication of all designs takes, if it is known.
        names: Display name by name, for designs whose sentences use another name.

    Returns:
        The sentences, with a tone for the display.

    Example:
        >>> opening = headline(verdict, verb="Choose")
    """
    words = _Sentences(verdict, verb, seconds, dict(names or {}))
    answers = {
        "load": words.load, "keep": words.keep, "undecided": words.undecided, "none feasible": words.infeasible,
        "unknown": words.unknown,
    }  # fmt: skip
    open_ = verdict.status == "undecided" and verdict.faint is None
    unsure = open_ or (bool(verdict.in_question) and not verdict.unsimulated)
    reasons = {
        "load": words.price,
        "keep": words.needed if unsure else words.trade,
        "undecided": words.needed if unsure else lambda: "",
    }
    reason = reasons.get(verdict.status, lambda: "")()
    sure = [words.ahead(), words.next_best(), words.equals(), words.unsettled(), words.basis()]
    more = words.so_far() if verdict.status == "undecided" else words.alternative()
    if verdict.status == "load" and verdict.unsimulated:
        more = words.functions()
    sentences = [answers[verdict.status](), reason, more]
    tone = "unsure" if unsure else "good" if verdict.firm else TONES[verdict.status]
    return Headline(tone, _sentences(sentences), _sentences(sure))


@dataclass(frozen=True)
class _Sentences:
    """The sentences on one verdict; `headline` puts them in order. Arguments as for `headline`."""

    verdict: Verdict
    verb: str
    seconds: float | None
    names: dict[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def listed(self, names: Sequence[str]) -> str:
        return wording.listed([self.name(name) for name in names])

    @property
    def margin(self) -> str:
        """The margin with its unit."""
        return wording.with_unit(f"{self.verdict.margin:g}", self.verdict.points)

    def load(self) -> str:
        """Sentence for a design that is better than the one in use, or than all others."""
        verdict = self.verdict
        head = f"{self.verb} {self.name(verdict.recommended)}"
        # Without a reference no other design has a value of every measure.
        other = verdict.current or verdict.reference or next(iter(verdict.others), "")
        missed = next((one.missed for one in verdict.rivals if one.name == other), ())
        buys = self.changed("gain")
        if missed:
            reason = f"{self.name(other)} {amounts.misses(missed)}"
            return f"{head}: {reason}; {(buys if verdict.current else '') or self.values()}"
        against = f"{head} instead of {self.name(verdict.reference)}"
        if verdict.passed_over and not (verdict.current and buys):
            return f"{head} ({self.values()}): {self.fair()}"
        if buys:
            return f"{against}: {buys}"
        if verdict.reference in verdict.equals:
            other = self.name(verdict.reference)
            return f"{head} ({self.values()}): {other} is as good within {self.margin}"
        by = wording.amount(verdict.advantage, verdict.half_width, verdict.points)
        return f"{against}: {by} better on balance, although no single measure decides it ({self.values()})"

    def keep(self) -> str:
        """Sentence for keeping the design in use."""
        verdict = self.verdict
        if verdict.unsimulated:
            return f"Keep {self.name(verdict.recommended)} ({self.values()}): {self.functions()}"
        if verdict.in_question:
            return self.keep_for_now()
        unsure = verdict.related("undecided")
        seen = "is seen to be" if unsure else "is"
        others = verdict.others
        other = "no other design" if len(others) > 1 else self.name(others[0])
        better = f"{seen} better" if len(others) > 1 else f"{seen.replace('is', 'is not', 1)} better"
        return (
            f"Keep {self.name(verdict.recommended)} ({self.values()}): {other} {better} by more than "
            f"{self.margin}"
        )

    def keep_for_now(self) -> str:
        """Sentence for keeping the design in use although others may be better by more than a trifle."""
        verdict = self.verdict
        first, *rest = verdict.in_question
        most = verdict.possible(first)
        others = self.few([first.name, *(one.name for one in rest)])
        by = (
            ""
            if math.isinf(most)
            else f" by up to {wording.with_unit(amounts.short(most, 2), verdict.points)}"
        )
        more = "" if verdict.recommended == verdict.leader else f" by more than {self.margin}"
        head = f"Keep {self.name(verdict.recommended)} for now ({self.values()})"
        return f"{head}: no other design is ahead of it{more} so far, but {others} may be better{by}"

    def functions(self) -> str:
        """Clause on the leader that gives way to a design with functions that these runs do not show."""
        verdict = self.verdict
        behind = next((one for one in verdict.rivals if one.name == verdict.recommended), None)
        by = wording.amount(behind.behind, behind.half_width, verdict.points) if behind else ""
        return (
            f"{self.name(verdict.leader)} is ahead by {by} with this traffic, but lacks {verdict.unsimulated}, which "
            "these runs do not show"
        )

    def undecided(self) -> str:
        """Sentence for designs that the runs do not separate: one of them, and its rivals."""
        verdict = self.verdict
        name = self.name(verdict.recommended)
        rivals = self.few(verdict.unsettled)
        if verdict.current:
            leader = self.name(verdict.leader)
            if verdict.faint is not None:
                by = wording.bound(verdict.faint, verdict.points)
                return f"Keep {name} ({self.values()}): {leader} is better by {by} at most, if at all"
            return f"Keep {name} for now ({self.values()}): {leader} may be better, but that is not sure"
        head = f"{self.verb} {name} for now ({self.values()})"
        if verdict.passed_over:
            return f"{head}: {self.fair()}; undecided against {rivals}"
        if verdict.recommended != verdict.leader:
            return f"{head}: it is the simplest of those that are as good so far; undecided against {rivals}"
        beaten = [one.name for one in verdict.related("better")]
        sure = f"surely better than {self.few(beaten)}, and " if beaten else ""
        return f"{head}: it is {sure}ahead of {rivals}, but not surely"

    def fair(self) -> str:
        """Clause on the tail drop that gives way to a queue for each flow."""
        other = self.name(self.verdict.passed_over)
        return f"{other} is not shown to be better, and a queue for each flow protects other traffic too (RFC 7567)"

    def few(self, names: Sequence[str]) -> str:
        """The names, of many the first and the number of the rest."""
        if len(names) <= NAMED + 1:
            return self.listed(names)
        return wording.listed([*map(self.name, names[:NAMED]), f"{len(names) - NAMED} others"])

    def so_far(self) -> str:
        """Sentence on the significant changes against the reference although the balance is undecided."""
        verdict = self.verdict
        kept = bool(verdict.current)
        changes = [one.swapped() for one in verdict.changes] if kept else list(verdict.changes)
        winner, other = (
            (verdict.reference, verdict.recommended) if kept else (verdict.recommended, verdict.reference)
        )
        gains, costs = (amounts.changed(changes, kind) for kind in ("gain", "cost"))
        if not gains and not costs:
            return ""
        parts = [f"{self.name(winner)} gains {gains}"] if gains else []
        lost = f"costs {costs}" if gains else f"{self.name(winner)} costs {costs}"
        parts += [lost] if costs else []
        return f"Sure against {self.name(other)}: {', and '.join(parts)}"

    def infeasible(self) -> str:
        """Sentence for bounds that no design meets."""
        verdict = self.verdict
        name = self.name(verdict.recommended)
        return f"No design meets the goal; {name} comes closest, and {amounts.misses(verdict.missed)}"

    def unknown(self) -> str:
        """Sentence for runs without the values that are weighed."""
        lacking = wording.listed([one.criterion.title for one in self.verdict.missed])
        what = f"the runs have no value of {lacking}" if lacking else "no design has every value in every run"
        return f"No verdict: {what}; a longer --duration may give them"

    def values(self) -> str:
        """The weighed criteria of the recommended design, those without any loss after the others."""
        values = self.verdict.values
        weighed = [one for one in values if one.criterion.worth or one.criterion.bound] or list(values)
        telling = sorted(weighed, key=lambda one: one.criterion.key.startswith("flow_loss") and not one.mean)
        return ", ".join(map(amounts.value, telling[:NAMED]))

    def changed(self, kind: str) -> str:
        """Gains or costs against the reference, with its values, the weightiest first."""
        return amounts.changed(self.verdict.changes, kind)

    def price(self) -> str:
        """Sentence on the costs against the reference, and when not to pay them."""
        verdict = self.verdict
        if not verdict.changes:
            return ""
        costs, likely = self.changed("cost"), self.likely()
        if costs:
            trade = self.trade()
            costs += f"; it may also cost {likely}" if likely else ""
            return f"It costs {costs}" + (f". {trade}" if trade else "")
        if likely:
            return f"It may cost {likely}: these runs do not decide it"
        unsure = [one.criterion.title for one in verdict.changes if one.kind == "undecided"]
        if not unsure:
            return "" if verdict.reference in verdict.equals else "No measure gets worse"
        few = unsure if len(unsure) <= NAMED + 1 else [*unsure[:NAMED], f"{len(unsure) - NAMED} others"]
        return f"No measure is seen to get worse; undecided: {wording.listed(few)}"

    def likely(self) -> str:
        """Undecided changes whose means are notable losses: weighed, and no trifle against the largest gain."""
        verdict = self.verdict
        gains = [amounts.points(one) for one in verdict.changes if one.kind == "gain"]
        least = max(verdict.margin, TRIFLE * max(gains, default=0.0))
        losses = [
            one for one in verdict.changes
            if one.kind == "undecided" and (one.difference < 0) == one.criterion.higher
            and one.share >= NOTABLE and amounts.points(one) >= least
        ]  # fmt: skip
        return amounts.changed(losses, "undecided")

    def trade(self) -> str:
        """Sentence on the trade for which the reference is preferred: of the largest gain for the largest cost."""
        verdict = self.verdict
        gains = [one for one in verdict.changes if one.kind == "gain" and one.criterion.worth]
        costs = [one for one in verdict.changes if one.kind == "cost"]
        feasible = all(not one.missed for one in verdict.rivals if one.name == verdict.reference)
        if not gains or not costs or not feasible:
            return ""
        won, mine = max(gains, key=amounts.points), self.name(verdict.reference)
        # The score weighs its own criteria; outcomes without a weight are left to the reader.
        unweighed = max((one for one in costs if not one.criterion.worth), key=amounts.share, default=None)
        if unweighed is not None and unweighed.share >= NOTABLE:
            return f"Prefer {mine} if {amounts.size(unweighed)} is worth more to you than {amounts.size(won)}"
        largest = max(costs, key=amounts.points)
        if amounts.points(largest) < TRIFLE * amounts.points(won):
            return ""
        return f"Prefer {mine} only if {amounts.size(largest)} is worth more to you than {amounts.size(won)}"

    def alternative(self) -> str:
        """Sentence on a design to prefer for an outcome that the score does not weigh."""
        verdict = self.verdict
        close = [
            one for one in verdict.rivals
            if one.better_at and not one.missed and one.name != verdict.reference
            and one.behind is not None and one.behind <= ALTERNATIVE
        ]  # fmt: skip
        pairs = [(one, change) for one in close for change in one.better_at if change.share >= DECISIVE]
        if not pairs or verdict.status not in ("load", "keep"):
            return ""
        rival, best = max(pairs, key=lambda pair: pair[1].share)
        name = self.name(rival.name)
        if rival.relation != "better":
            return f"Prefer {name} for its {amounts.change(best)}"
        behind = wording.amount(rival.behind, rival.half_width, verdict.points)
        return f"Prefer {name} if this is worth {behind} to you: {amounts.change(best)}"

    def ahead(self) -> str:
        """Sentence on the advantage over the reference, with its interval."""
        verdict = self.verdict
        if verdict.advantage is None or not verdict.reference or verdict.status == "none feasible":
            return ""
        if any(one.missed for one in verdict.rivals if one.name == verdict.reference):
            return ""
        if verdict.half_width is not None and verdict.half_width > max(abs(verdict.advantage), WIDE):
            return ""
        against = f"{self.name(verdict.recommended)} against {self.name(verdict.reference)}"
        sign = "−" if verdict.advantage < 0 else "+"
        by = wording.amount(abs(verdict.advantage), verdict.half_width, verdict.points)
        return f"On balance {against}: {sign}{by}"

    def next_best(self) -> str:
        """The best of the designs that are worse than the leader, unless it is the reference."""
        verdict = self.verdict
        worse = [one for one in verdict.related("better") if one.behind is not None]
        if not worse or verdict.leader != verdict.recommended or verdict.status != "load":
            return ""
        best = min(worse, key=lambda one: one.behind or 0.0)
        if best.name == verdict.reference:
            return ""
        by = wording.amount(best.behind, best.half_width, verdict.points)
        return f"Next best: {self.name(best.name)}, {by} behind"

    def equals(self) -> str:
        """Designs as good as the recommended one."""
        verdict = self.verdict
        same = verdict.equals
        if verdict.status == "load" and not self.changed("gain"):
            same = [name for name in same if name != verdict.reference]
        if not same or verdict.status not in ("load", "keep", "undecided"):
            return ""
        return f"As good within {self.margin}: {self.listed(same)}"

    def unsettled(self) -> str:
        """Designs that may be better although one is recommended."""
        some = self.verdict.unsettled
        if not some or self.verdict.status not in ("load", "keep"):
            return ""
        verb = "is" if len(some) == 1 else "are"
        which = self.listed(some) if len(some) <= NAMED else f"{len(some)} other designs"
        each = self.verdict.replications // self.verdict.conditions
        if each < FEW:
            return f"{wording.count(each, 'replication')} are too few to tell whether {which} {verb} better still"
        return f"These runs cannot tell whether {which} {verb} better still"

    def needed(self) -> str:
        """Sentence on the replications that would decide."""
        verdict = self.verdict
        if verdict.status != "undecided" and not verdict.in_question:
            return ""
        known = [one.more for one in verdict.in_question]
        needed = (
            verdict.more
            if verdict.status == "undecided"
            else max([one for one in known if one], default=None)
        )
        if needed is None or None in known:
            if verdict.replications < 2:
                return "One replication proves nothing; take 5 or more"
            each = verdict.replications // verdict.conditions
            if each < FEW:
                return f"{wording.count(each, 'replication')} are too few to decide; take {FEW} or more"
            return f"Even {MOST_REPLICATIONS} replications would hardly decide between them"
        more = -(-needed // verdict.conditions)
        text = f"{wording.count(more, 'more replication')} would decide"
        return f"{text} ({amounts.duration(more * self.seconds)})" if self.seconds else text

    def basis(self) -> str:
        """Replications, confidence and exchange rate."""
        verdict = self.verdict
        parts = [wording.count(verdict.replications // verdict.conditions, "paired replication")]
        parts[0] += f" at each of {verdict.conditions} conditions" if verdict.conditions > 1 else ""
        if verdict.fewest:
            parts += [
                f"from {verdict.fewest // verdict.conditions} for designs that were surely worse by then"
            ]
        parts += [f"{wording.percent(verdict.confidence)} confidence"] if verdict.replications > 1 else []
        parts += [verdict.exchange] if verdict.exchange else []
        return f"Basis: {', '.join(parts)}"


def _sentences(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts that are not empty, each with a capital and a full stop."""
    return tuple(f"{text[:1].upper()}{text[1:]}." for text in texts if text)
