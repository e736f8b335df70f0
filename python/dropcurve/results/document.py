"""A result as a document: its table of metrics by variant, its findings in sentences, its warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .. import metrics
from ..present.document import Document, Headline, MetricTable, TableCell, TableLine
from ..quantities import units, wording
from ..scenario.links import ASSUMED
from ..verdict import Exchange, Weights, ranking
from ..verdict import headline as opening
from . import agreement, findings, other_way
from .measurements import Measurements
from .recommendation import reverse_of, round_trip_s, verdict_on
from .tables import Difference, Row
from .variant import AS_GIVEN

#: Longest name of a design that a sentence has as a whole.
NAMED_WHOLE = 70
#: Disciplines with CoDel's interval.
CODELS = ("codel", "cobalt", "fq_codel", "fq_cobalt", "cake")
#: Flags of a difference from the baseline that is real.
FLAGS = {True: "✓", False: "✗", None: "≠"}


def document(
    result: Measurements,
    *,
    per: str = "total",
    only: Sequence[str] = (),
    exchange: Exchange | None = None,
    seconds: float | None = None,
    weights: Weights | None = None,
) -> Document:
    """The document of a result.

    Only the usual table of a comparison has sentences below it; they use the labels that head its columns.

    Args:
        result: The result.
        per: As for `Result.table`.
        only: As for `Result.table`.
        exchange: Between delay and utilisation, for the verdict.
        seconds: Time that one more replication takes.
        weights: Weights of a goal, for the verdict.
    """
    compared = len(result.variants) > 1
    metric_table = table(result, per=per, only=only)
    sentences = (
        findings.phrases(result, labels=metric_table.labels)
        if compared and not only and per == "total"
        else []
    )
    notes = [*assumptions(result), *both_directions(result, metric_table)]
    notes += [f"Problem: {line}" for line in result.problems]
    notes += [f"Warning: {line}" for line in [*result.warnings, *short_intervals(result)]]
    notes += agreement.lines(variant.scenario for variant in result.variants)
    return Document(
        result.title, basis(result), metric_table, tuple(text for text, _ in sentences), tuple(notes), result.command,
        headline(result, exchange=exchange, seconds=seconds, weights=weights),
    )  # fmt: skip


def assumptions(result: Measurements) -> Iterator[str]:
    """Returns the assumptions about links that were named by their kind, a line for each."""
    descriptions = [str(variant.scenario.get("description") or "") for variant in result.variants]
    yield from dict.fromkeys(text for text in descriptions if text.startswith(ASSUMED))


def both_directions(result: Measurements, shown: MetricTable) -> Iterator[str]:
    """Returns the reason why the goodput of all flows exceeds the rate of the link, where some flows take the reverse
    direction."""
    if "goodput" not in [line.title for line in shown.lines]:
        return
    for variant in result.variants:
        dumbbell = variant.scenario.get("dumbbell")
        rate = dumbbell.get("rate") if isinstance(dumbbell, dict) else None
        most = max((value for value in variant.values("goodput_bps") if value is not None), default=0.0)
        if rate is not None and reverse_of(variant) and most > units.rate(str(rate)):
            yield (
                f"Goodput counts the flows of both directions: together they may get more than the {rate} of the "
                "queue's own direction"
            )
            return


def short_intervals(result: Measurements) -> Iterator[str]:
    """Returns a warning for each queue whose CoDel has an interval shorter than the base round trip."""
    for variant in result.variants:
        queue = variant.scenario.get("queue") or {}
        stated = queue.get("interval") if isinstance(queue, dict) else None
        trip = round_trip_s(variant) if stated not in (None, "auto") and queue.get("kind") in CODELS else None
        if trip is not None and units.span(str(stated)) < trip:
            shown = units.show_span(float(f"{trip:.2g}"))
            yield (
                f"{variant.name}: its interval of {stated} is shorter than the round trip of {shown}, so that it "
                f"drops again before senders can have answered; give interval={shown.replace(' ', '')}"
            )


def headline(
    result: Measurements,
    *,
    exchange: Exchange | None = None,
    seconds: float | None = None,
    weights: Weights | None = None,
) -> Headline | None:
    """The verdict on a comparison of queues as the opening of an answer; None where there is nothing to choose."""
    verdict = verdict_on(result, exchange=exchange, weights=weights)
    if verdict is None:
        return None
    # Names that fit into a sentence are used as they are; longer ones are those of the columns.
    labels = wording.labels([variant.name for variant in result.variants])
    names = {name: short for name, short in labels.items() if len(name) > NAMED_WHOLE}
    names |= {AS_GIVEN: "the queue as given"} if AS_GIVEN in labels else {}
    opened = opening(verdict, seconds=seconds, names=names)
    if other := other_way.sentence(result, verdict.leader):
        opened = replace(opened, details=(other, *opened.details))
    if len(verdict.rivals) < 2 and verdict.conditions == 1:
        return opened
    # Every design over all conditions, for which no sentence has room.
    return replace(opened, ranking=tuple(map(tuple, ranking(verdict, names=names))))


def basis(result: Measurements) -> str:
    """Returns the basis of the numbers: replications, seeds, level of the intervals."""
    n = len(result.seeds)
    seeds = f"seed {result.seeds[0]}" if n == 1 else f"seeds {result.seeds[0]} to {result.seeds[-1]}"
    level = f", {wording.percent(result.confidence)} intervals" if n > 1 else ""
    return f"{wording.count(n, 'replication')}, {seeds}{level}"


def table(result: Measurements, *, per: str = "total", only: Sequence[str] = ()) -> MetricTable:
    """Rows worth printing; those that are zero throughout are only named."""
    differences = {(one.key, one.variant): one for one in result.differences(per=per, only=only)}
    shown, zero = [], []
    for row in result.table(per=per, only=only):
        if row.zero and not only:
            zero.append(row.title)
        else:
            shown.append(_line(row, result, differences))
    labels = wording.labels([variant.name for variant in result.variants])
    return MetricTable(labels, tuple(shown), tuple(zero), _legend(result, labels))


def _line(row: Row, result: Measurements, differences: dict[tuple[str, str], Difference]) -> TableLine:
    largest = max((abs(cell.mean) for cell in row.cells if cell.mean is not None), default=0.0)
    divisor, unit = wording.scaled(row.unit, largest)
    possible = metrics.find(row.metric).possible
    cells = []
    for cell, variant in zip(row.cells, result.variants, strict=True):
        difference = differences.get((row.key, variant.name))
        flag = FLAGS[difference.improves] if difference is not None and difference.real else ""
        cells.append(
            TableCell(*wording.value(cell.mean, cell.half_width, divisor=divisor, within=possible), flag)
        )
    return TableLine(row.title, unit, tuple(cells))


def _legend(result: Measurements, labels: dict[str, str]) -> str:
    if len(result.variants) < 2 or len(result.seeds) < 2:
        return ""
    return (
        f"Against {labels[result.baseline.name]}: ✓ better, ✗ worse, ≠ differs; no sign: no difference found "
        f"({wording.percent(result.confidence)}, paired, Holm)."
    )
