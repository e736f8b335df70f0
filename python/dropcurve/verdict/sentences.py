"""A verdict as the sentences that open an answer: what to load, what it buys, what it costs, how sure.

Every sentence is made from the verdict's own numbers: a gain, a cost or an order that the runs do not show has no
sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..metrics import statistics
from ..present import Headline
from ..quantities import wording
from .data import NOTABLE, Change, Criterion, Missed, Value, Verdict
from .equivalence import MOST_REPLICATIONS

#: Tone of each status, for colours.
TONES = {
    "load": "good", "keep": "good", "undecided": "unsure", "none feasible": "bad", "unknown": "unsure",
}  # fmt: skip
#: Replications below which an interval says little.
FEW = statistics.MINIMUM
#: Most criteria that one sentence names.
NAMED = 3
#: Share of the largest gain, in points, below which a cost is listed and not weighed in words.
TRIFLE = 0.05
#: Share of an outcome that the score does not weigh, from which another design is named for it at once, and the points
#: that such a design may be behind.
DECISIVE, ALTERNATIVE = 0.25, 10.0
#: Digits of a number in these sentences; tables have all that the intervals support.
DIGITS = 3


def headline(
    found: Verdict,
    *,
    verb: str = "Load",
    seconds: float | None = None,
    names: Mapping[str, str] | None = None,
) -> Headline:
    """The opening of an answer: one or two sentences to act on, and how sure they are.

    Args:
        found: The verdict.
        verb: That of a recommendation: "Load" a configuration, "Choose" a design.
        seconds: Time that one more replication of all designs takes, if it is known.
        names: What sentences call designs, by name, where that is not the name.
    """
    words = _Words(found, verb, seconds, dict(names or {}))
    makers = {
        "load": words.load, "keep": words.keep, "undecided": words.undecided, "none feasible": words.infeasible,
        "unknown": words.unknown,
    }  # fmt: skip
    makers_of_act = {"load": words.price, "keep": words.trade, "undecided": words.so_far}
    act = makers_of_act.get(found.status, lambda: "")()
    sure = [
        words.ahead(),
        words.next_best(),
        words.equals(),
        words.unsettled(),
        words.needed(),
        words.basis(),
    ]
    sentences = [makers[found.status](), act, words.alternative()]
    return Headline(TONES[found.status], _sentences(sentences), _sentences(sure))


def ranking(found: Verdict, *, names: Mapping[str, str] | None = None) -> list[list[str]]:
    """The designs as rows of a table, the leader first.

    Args:
        found: The verdict.
        names: As for `headline`.

    Returns:
        A heading and a row for each design: name, means of the criteria in which designs differ most, points behind
        the leader with their half-width, relation to the leader.
    """
    known = dict(names or {})
    rivals = {one.name: one for one in found.rivals}
    held = {name: {one.criterion.key: one for one in rival.values} for name, rival in rivals.items()}
    held[found.leader] = {one.criterion.key: one for one in found.leading}
    weighed = [one.criterion for one in found.leading if one.criterion.worth or one.criterion.bound]
    shown = sorted(weighed, key=lambda one: -_spread(one, list(held.values())))[:NAMED]
    ordered = sorted(found.rivals, key=lambda one: (one.relation == "infeasible", one.behind or 0.0))
    rows = [
        [
            "",
            *(f"{one.title} ({one.unit})" if one.unit else one.title for one in shown),
            f"{found.points} behind",
            "",
        ]
    ]
    for name in [found.leader, *(one.name for one in ordered)]:
        rival = rivals.get(name)
        cells = [_short(held[name][one.key].mean) if one.key in held[name] else "–" for one in shown]
        gap = (
            ""
            if rival is None or rival.behind is None
            else wording.amount(rival.behind, rival.half_width, "")
        )
        mark = "→" if name == found.recommended else " "
        rows.append(
            [f"{mark} {known.get(name, name)}", *cells, gap, _RELATIONS[rival.relation] if rival else "best"]
        )
    return rows


def _spread(criterion: Criterion, held: Sequence[Mapping[str, Value]]) -> float:
    """How far designs differ in a criterion, in points; a bound counts before everything else."""
    means = [one[criterion.key].mean for one in held if criterion.key in one]
    return (max(means) - min(means)) * abs(criterion.worth) if criterion.bound is None else float("inf")


#: Words of a table for the relation of a design to the leader.
_RELATIONS = {"better": "", "equal": "as good", "undecided": "not settled", "infeasible": "misses the goal"}


@dataclass(frozen=True)
class _Words:
    found: Verdict
    verb: str
    seconds: float | None
    names: dict[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def listed(self, names: Sequence[str]) -> str:
        return wording.listed([self.name(name) for name in names])

    def load(self) -> str:
        """Sentence for a design that is better than the one in use, or than all others."""
        found = self.found
        head = f"{self.verb} {self.name(found.recommended)}"
        missed = next((one.missed for one in found.rivals if one.name == found.current), ())
        buys = self.changed("gain")
        if missed:
            reason = f"{self.name(found.current)} misses {_misses(missed)}"
            return f"{head}: {reason}; {self.values()}"
        against = f"{head} instead of {self.name(found.reference)}"
        if buys:
            return f"{against}: {buys}"
        by = wording.amount(found.advantage, found.half_width, found.points)
        return f"{against}: {by} better on balance, although no single measure settles it ({self.values()})"

    def keep(self) -> str:
        """Sentence for keeping the design in use."""
        found = self.found
        unsure = found.related("undecided")
        seen = "is seen to be" if unsure else "is"
        others = found.others
        other = "no other design" if len(others) > 1 else self.name(others[0])
        better = f"{seen} better" if len(others) > 1 else f"{seen.replace('is', 'is not', 1)} better"
        return (
            f"Keep {self.name(found.recommended)} ({self.values()}): {other} {better} by more than "
            f"{found.margin:g} {found.points}"
        )

    def undecided(self) -> str:
        """Sentence for designs that the runs cannot tell apart."""
        found = self.found
        if found.current:
            mine = self.name(found.current)
            return (
                f"These runs cannot tell whether {self.name(found.recommended)} is better than {mine}; keep {mine} "
                "until they can"
            )
        names = [found.recommended, *(one.name for one in found.related("undecided"))]
        shown = " or ".join([", ".join(map(self.name, names[:-1])), self.name(names[-1])])
        return f"{self.verb} {shown}: these runs cannot tell which is better"

    def so_far(self) -> str:
        """Sentence on what is sure against the reference although the balance is not."""
        found = self.found
        gains, costs = (self.changed(kind) for kind in ("gain", "cost"))
        if not gains and not costs:
            return ""
        parts = [f"{self.name(found.recommended)} gains {gains}"] if gains else []
        lost = f"costs {costs}" if gains else f"{self.name(found.recommended)} costs {costs}"
        parts += [lost] if costs else []
        return f"Sure against {self.name(found.reference)}: {' and '.join(parts)}"

    def infeasible(self) -> str:
        """Sentence for bounds that no design meets."""
        found = self.found
        name = self.name(found.recommended)
        return f"No design meets the goal; {name} comes closest, and misses {_misses(found.missed)}"

    def unknown(self) -> str:
        """Sentence for runs without the values that are weighed."""
        return "No verdict: no design has a value of every measure in every run"

    def values(self) -> str:
        """The weighed criteria of the recommended design."""
        found = self.found.values
        weighed = [one for one in found if one.criterion.worth or one.criterion.bound] or list(found)
        return ", ".join(map(_value, weighed[:NAMED]))

    def changed(self, kind: str) -> str:
        """Gains or costs against the reference, with its values, the weightiest first."""
        some = [one for one in self.found.changes if one.kind == kind]
        some.sort(key=lambda one: (-_points(one), -_share(one)))
        return "; ".join(_change(one) for one in some[:NAMED])

    def price(self) -> str:
        """Sentence on the costs against the reference, and when not to pay them."""
        found = self.found
        if not found.changes:
            return ""
        costs = self.changed("cost")
        if costs:
            trade = self.trade()
            return f"It costs {costs}" + (f". {trade}" if trade else "")
        unsure = [one.criterion.title for one in found.changes if one.kind == "undecided"]
        if not unsure:
            return "It costs nothing"
        few = unsure if len(unsure) <= NAMED + 1 else [*unsure[:NAMED], f"{len(unsure) - NAMED} others"]
        return f"No cost is seen; not settled: {wording.listed(few)}"

    def trade(self) -> str:
        """Sentence on the trade for which the reference is preferred: of the largest gain for the largest cost."""
        found = self.found
        gains = [one for one in found.changes if one.kind == "gain" and one.criterion.worth]
        costs = [one for one in found.changes if one.kind == "cost"]
        feasible = all(not one.missed for one in found.rivals if one.name == found.reference)
        if not gains or not costs or not feasible:
            return ""
        won, mine = max(gains, key=_points), self.name(found.reference)
        # The score has weighed what it counts; what it does not count is the reader's to weigh.
        unweighed = max((one for one in costs if not one.criterion.worth), key=_share, default=None)
        if unweighed is not None and unweighed.share >= NOTABLE:
            return f"Prefer {mine} if {_size(unweighed)} is worth more to you than {_size(won)}"
        dear = max(costs, key=_points)
        if _points(dear) < TRIFLE * _points(won):
            return ""
        return f"Prefer {mine} only if {_size(dear)} is worth more to you than {_size(won)}"

    def alternative(self) -> str:
        """Sentence on a design to prefer for an outcome that the score does not weigh."""
        found = self.found
        close = [
            one for one in found.rivals
            if one.better_at and not one.missed and one.name != found.reference
            and one.behind is not None and one.behind <= ALTERNATIVE
        ]  # fmt: skip
        pairs = [(one, change) for one in close for change in one.better_at if change.share >= DECISIVE]
        if not pairs or found.status not in ("load", "keep"):
            return ""
        rival, best = max(pairs, key=lambda pair: pair[1].share)
        name = self.name(rival.name)
        if rival.relation != "better":
            return f"Prefer {name} for its {_change(best)}"
        behind = wording.amount(rival.behind, rival.half_width, found.points)
        return f"Prefer {name} if this is worth {behind} to you: {_change(best)}"

    def ahead(self) -> str:
        """Sentence on the advantage over the reference, with its interval."""
        found = self.found
        if found.advantage is None or not found.reference or found.status == "none feasible":
            return ""
        if any(one.missed for one in found.rivals if one.name == found.reference):
            return ""
        against = f"{self.name(found.recommended)} against {self.name(found.reference)}"
        sign = "−" if found.advantage < 0 else "+"
        by = wording.amount(abs(found.advantage), found.half_width, found.points)
        return f"On balance {against}: {sign}{by}"

    def next_best(self) -> str:
        """The best of the designs that are worse than the leader, unless it is the reference."""
        found = self.found
        worse = [one for one in found.related("better") if one.behind is not None]
        if not worse or found.leader != found.recommended or found.status != "load":
            return ""
        best = min(worse, key=lambda one: one.behind or 0.0)
        if best.name == found.reference:
            return ""
        by = wording.amount(best.behind, best.half_width, found.points)
        return f"Next best: {self.name(best.name)}, {by} behind"

    def equals(self) -> str:
        """Designs as good as the leader."""
        found = self.found
        same = [found.leader, *(one.name for one in found.related("equal"))]
        same = [name for name in same if name != found.recommended]
        if not same or found.status not in ("load", "keep"):
            return ""
        return f"As good within {found.margin:g} {found.points}: {self.listed(same)}"

    def unsettled(self) -> str:
        """Designs that may be better although one is recommended."""
        some = [one.name for one in self.found.related("undecided")]
        if not some or self.found.status not in ("load", "keep"):
            return ""
        verb = "is" if len(some) == 1 else "are"
        which = self.listed(some) if len(some) <= NAMED else f"{len(some)} other designs"
        return f"These runs cannot tell whether {which} {verb} better still"

    def needed(self) -> str:
        """Sentence on the replications that would decide."""
        found = self.found
        if found.status != "undecided":
            return ""
        if found.more is None:
            if found.replications < 2:
                return "One replication proves nothing; take 5 or more"
            each = found.replications // found.conditions
            if each < FEW:
                return f"{wording.count(each, 'replication')} are too few to decide; take {FEW} or more"
            return f"Even {MOST_REPLICATIONS} replications would hardly decide between them"
        more = -(-found.more // found.conditions)
        text = f"{wording.count(more, 'more replication')} would decide"
        return f"{text} ({_time(more * self.seconds)})" if self.seconds else text

    def basis(self) -> str:
        """Replications, confidence and exchange rate."""
        found = self.found
        parts = [wording.count(found.replications // found.conditions, "paired replication")]
        parts[0] += f" at each of {found.conditions} conditions" if found.conditions > 1 else ""
        parts += [f"{wording.percent(found.confidence)} confidence"] if found.replications > 1 else []
        parts += [found.exchange] if found.exchange else []
        return f"Basis: {', '.join(parts)}"


def _change(one: Change) -> str:
    """A criterion and that of the other design: ``p95 delay of voice 4.1 ms, not 85 ms``."""
    divisor, unit = _scaled(one.criterion.unit, max(abs(one.recommended), abs(one.other)))
    pair = [value / divisor for value in (one.recommended, one.other)]
    digits = next((n for n in range(DIGITS, 9) if _short(pair[0], n) != _short(pair[1], n)), DIGITS)
    mine, other = (_short(value, digits) for value in pair)
    text = f"{one.criterion.title} {mine} {unit}".rstrip() + f", not {other} {unit}".rstrip()
    return text + _beyond(one.criterion, max(one.recommended, one.other))


def _scaled(unit: str, value: float) -> tuple[float, str]:
    """Divisor and unit for a sentence: long times in seconds."""
    return (1000.0, "s") if unit == "ms" and abs(value) >= 1000.0 else wording.scaled(unit, value)


def _short(value: float, digits: int = DIGITS) -> str:
    """A number in a few digits, without an exponent and without zeros at its end."""
    return wording.number(float(f"{value:.{digits}g}"), 9).rstrip("0").rstrip(".")


def _amount(value: float, unit: str) -> str:
    divisor, shown = _scaled(unit, value)
    return f"{_short(value / divisor)} {shown}".rstrip()


def _value(one: Value) -> str:
    return f"{one.criterion.title} {_amount(one.mean, one.criterion.unit)}{_beyond(one.criterion, one.mean)}"


def _beyond(criterion: Criterion, mean: float) -> str:
    """The reason for which a value exceeds the rate of the link; "" where it does not."""
    if criterion.most is None or mean <= criterion.most:
        return ""
    return " (above the link's rate: data that arrived out of order before the measurement window counts)"


def _size(one: Change) -> str:
    """An improvement: ``3.2 ms less p95 delay of call``, ``20 percentage points more utilisation``."""
    size = _amount(
        abs(one.difference), "percentage points" if one.criterion.unit == "%" else one.criterion.unit
    )
    return f"{size} {'more' if one.criterion.higher else 'less'} {one.criterion.title}"


def _points(one: Change) -> float:
    return abs(one.difference * one.criterion.worth)


def _share(one: Change) -> float:
    return one.share


def _misses(missed: Sequence[Missed]) -> str:
    return wording.listed([_miss(one) for one in missed])


def _miss(one: Missed) -> str:
    runs = wording.count(one.runs, "run")
    if one.criterion.bound is None or one.worst is None:
        return f"{one.criterion.title} (no value in {one.missed} of {runs})"
    sign = "<" if one.criterion.bound.upper else ">"
    limit, worst = (_amount(value, one.criterion.unit) for value in (one.criterion.bound.limit, one.worst))
    return f"{one.criterion.title} {sign} {limit} in {one.missed} of {runs} (worst {worst})"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"about {round(minutes)} min" if minutes < 90 else f"about {minutes / 60:.1f} h"


def _sentences(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts that are not empty, each with a capital and a full stop."""
    return tuple(f"{text[:1].upper()}{text[1:]}." for text in texts if text)
