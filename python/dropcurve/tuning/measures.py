"""Measures by their usual names: ``p95 delay``, ``utilisation``, ``goodput of short``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import metrics
from ..errors import UsageError, nearest
from ..quantities import units, wording

#: Statistic by the first word of a measure.
_STATISTICS = {
    "mean": "mean", "average": "mean", "avg": "mean", "median": "p50", "p50": "p50", "p95": "p95", "p99": "p99",
}  # fmt: skip

#: Families of metrics with a statistic in their names; the first is that of a bare name.
_WITH_STATISTIC = {
    "delay": ("sojourn_ms", ("mean", "p50", "p95", "p99")),
    "one-way delay": ("delay_ms", ("mean", "p50", "p95", "p99")),
    "completion time": ("fct_ms", ("mean", "p50", "p95")),
    "page load time": ("page_ms", ("p95", "mean", "p50")),
}

#: Metrics of the queue, and the metric of the same quantity for the packets of one class.
_OF_CLASS = {"loss": "flow_loss", "marks": "flow_marks"}
#: Links that a measure may follow with "of"; any other name is a class.
_LINKS = re.compile(r"bottleneck|back|hop[0-9]+")
#: Synonyms of metrics.
_ALIASES = {
    "queueing delay": "delay", "queuing delay": "delay", "queue delay": "delay", "sojourn": "delay", "wait": "delay",
    "sojourn time": "delay", "waiting time": "delay", "latency": "delay", "fct": "completion time",
    "flow completion time": "completion time", "completion": "completion time", "one way delay": "one-way delay",
}  # fmt: skip
_PLAIN = {
    "utilisation": "utilisation", "utilization": "utilisation", "link utilisation": "utilisation",
    "link utilization": "utilisation", "reverse utilisation": "reverse_utilisation",
    "loss": "loss", "losses": "loss", "drops": "loss", "drop rate": "loss",
    "loss rate": "loss", "marks": "marks", "goodput": "goodput_bps", "throughput": "throughput_bps",
    "fairness": "jain", "jain": "jain", "jain's index": "jain", "jitter": "jitter_ms", "timeouts": "timeouts",
    "retransmissions": "retransmits", "queue": "queue_pkts_mean", "queue length": "queue_pkts_mean",
    "oscillation": "queue_pkts_sd", "unfinished": "unfinished", "friendliness": "friendliness",
    "link share": "link_share", "share of the link": "link_share",
    "mos": "mos", "call quality": "mos", "video rate": "video_bps", "video bit rate": "video_bps",
    "page load doublings": "page_doublings", "stalls": "video_stalled", "video stalls": "video_stalled",
}  # fmt: skip
#: A bound as typed, by the unit of the measure.
_EXAMPLES = {"ms": "15ms", "s": "2s", "%": "95%", "pkts": "50pkts"}
#: Largest number of measures that a sentence names.
MOST_NAMED = 4


@dataclass(frozen=True)
class Measure:
    """A metric of a link or a class of flows: ``key`` is its column in rows of runs, ``unit`` that of its values."""

    key: str
    text: str

    @property
    def metric(self) -> metrics.Metric:
        """The metric of the measure."""
        return metrics.find(metrics.split(self.key)[0])

    @property
    def unit(self) -> str:
        """ "%" or "ms", say; "" for pure numbers."""
        return self.metric.unit if self.metric.unit != "pure" else ""

    def shown(self, mean: float | None, half_width: float | None) -> str:
        """A value with its unit and the part of its interval that is possible."""
        return wording.amount(mean, half_width, self.unit, within=self.metric.possible)

    def number(self, text: str) -> float:
        """A bound as typed, in the measure's unit: ``15ms`` is 15 for a measure in ms. Raises UsageError."""
        text = text.strip()
        if self.unit in ("ms", "s") and re.search(r"[a-z]", text):
            return units.span(text, what=self.text) * (1e3 if self.unit == "ms" else 1.0)
        if self.unit == "bit/s":
            return units.rate(text, what=self.text)
        try:
            return float(re.sub(r"\s*(%|pkts|packets)$", "", text))
        except ValueError:
            rule = f"must be a number in {self.unit}" if self.unit else "must be a number without a unit"
            example = _EXAMPLES.get(self.unit, "5")
            raise UsageError(f"goal: {self.text}", text, rule, f"write one such as {example}") from None


def names() -> list[str]:
    """Every name that `measure` takes, the plain ones first."""
    listed = list(_PLAIN)
    for family, (_, statistics) in _WITH_STATISTIC.items():
        listed += [f"{statistic} {family}" for statistic in statistics]
    return [*listed, *_ALIASES, *metrics.METRICS]


def measure(text: str) -> Measure:
    """The measure called ``text``.

    Args:
        text: A name, followed by a class to measure that class alone: ``goodput of short``, ``goodput_bps[short]``.
            Loss and delay "of" a class are those of its own packets.

    Raises:
        UsageError: With the nearest name for one that is not known.
    """
    shown = " ".join(text.split())
    body, _, scope = shown.partition("[")
    scope = scope.removesuffix("]")
    worded = not scope and " of " in body.replace("share of the link", "")
    if worded:
        body, _, scope = body.rpartition(" of ")
    key = _key(body.strip())
    if worded and key is not None and not _LINKS.fullmatch(scope.strip()):
        key = _OF_CLASS.get(key, key.replace("sojourn_ms", "delay_ms"))
    if key is None:
        hint = nearest(
            body.lower(), names(), otherwise="use one such as p95 delay, utilisation, loss or goodput"
        )
        raise UsageError(
            "goal",
            shown,
            f"no measure is called '{shown}'",
            f"{hint} (`dropcurve list measures` shows all)",
            shown="rule",
        )
    return Measure(f"{key}[{scope.strip()}]" if scope else key, shown)


def main_measures(measures: Sequence[Measure], mean: Callable[[Measure], float | None]) -> list[Measure]:
    """The measures that a sentence names; tables have all of them.

    Args:
        measures: In the order of the goal.
        mean: The expected value of a measure, None where there is none.

    Returns:
        All where they are few; otherwise the first one, the delay of the class with the least and of the class with
        the greatest delay, and the load time of pages.
    """
    if len(measures) <= MOST_NAMED:
        return list(measures)
    delays = [one for one in measures if one.key.startswith("delay_ms")]
    delays.sort(key=lambda one: mean(one) or 0.0)
    pages = [one for one in measures if one.key.startswith(("page_ms", "page_doublings"))]
    return list(dict.fromkeys([measures[0], *delays[:1], *delays[-1:], *pages[:1]]))


def _key(body: str) -> str | None:
    if body in metrics.METRICS:
        return body
    words = body.lower()
    if words in _PLAIN:
        return _PLAIN[words]
    first, _, rest = words.partition(" ")
    statistic = _STATISTICS.get(first)
    family = rest if statistic else words
    family = _ALIASES.get(family, family)
    if family in _WITH_STATISTIC:
        stem, known = _WITH_STATISTIC[family]
        wanted = statistic or known[0]
        return f"{stem}_{wanted}" if wanted in known else None
    return _PLAIN.get(rest) if statistic == "mean" else None
