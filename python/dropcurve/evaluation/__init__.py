"""A report card: a discipline through the characterisation guidelines of RFC7928, against a baseline.

    card = evaluate("pie")
    print(card)

Every test runs both under common random numbers. A difference counts only if it is significant after Holm's adjustment
over all questions of the card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import metrics
from ..errors import UsageError, nearest
from ..metrics import statistics
from ..quantities import units, values
from ..results import Result
from ..runs.effort import Effort
from ..runs.replicate import replicate
from ..scenario import Scenario, library
from ..verdict import (
    MARGIN_POINTS,
    MARGIN_SHARE,
    Criterion,
    Exchange,
    SampledDesign,
    Verdict,
    balanced,
    decide,
    manages,
)
from ..verdict.criteria import kind as outcome
from ..verdict.equivalence import margin_of
from .card import Card, GradedMeasure, GradedTest, balance
from .cases import CASES, Case, Setup, setup

__all__ = ["CASES", "Card", "Case", "GradedMeasure", "GradedTest", "evaluate"]

#: Called with (test, its number, number of tests).
Progress = Callable[[str, int, int], None]


def evaluate(
    queue: str,
    *,
    against: str = "droptail",
    rate_bps: float = 10e6,
    rtt_s: float = 0.1,
    buffer: float | None = None,
    seconds: float = 60.0,
    replications: int = 5,
    seed: int = 1,
    jobs: int | None = None,
    cases: Sequence[Case] = CASES,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Card:
    """Runs every test with two queues and grades the first.

    Args:
        queue: The queue to grade, as `dropcurve compare --queue` takes it. Flows use ECN if it has ``ecn=true``.
        against: The queue to compare it with.
        rate_bps: Rate of the link.
        rtt_s: Base round-trip time.
        buffer: Buffer of both in packets; by default one bandwidth-delay product.
        seconds: Simulated time of a run.
        replications: Runs of each test.
        seed: Seed of the first replication.
        jobs: Number of threads; by default all.
        cases: The tests.
        cache: A folder of finished runs, which are not made again; runs are added to it.
        progress: Called as runs finish.

    Returns:
        A card with a grade for each test and a verdict.

    Raises:
        UsageError: For an unknown discipline.
        ScenarioError: For invalid parameters of a queue.

    Example:
        >>> card = evaluate("fq_codel:ecn=true", seconds=20.0, replications=3)
    """
    effort = Effort(seed=seed, replications=replications, jobs=jobs)
    kinds = {"baseline": values.queue(against), "candidate": values.queue(queue)}
    _check_kinds(kind for kind, _ in kinds.values())
    ecn = kinds["candidate"][1].get("ecn") is True
    link = setup(rate_bps=rate_bps, rtt_s=rtt_s, buffer=buffer, seconds=seconds, ecn=ecn)
    fits = {name: _fitting(kind, params, link) for name, (kind, params) in kinds.items()}
    results: list[tuple[Case, Result]] = []
    for number, case in enumerate(cases, start=1):
        if progress is not None:
            progress(case.title, number, len(cases))
        base = Scenario.parse(link.scenario(case), name=f"rfc7928-{case.section}")
        variants = {
            name: _with(base, link, kind, {**fits[name], **params}) for name, (kind, params) in kinds.items()
        }
        results.append((case, replicate(variants, effort, name=base.name, cache=cache)))
    problems = tuple(f"{case.section}: {one}" for case, result in results for one in result.problems)
    balances = [balance(decided([result], queue, against, rtt_s), against) for _, result in results]
    graded = tuple(
        replace(one, balance=measured) for one, measured in zip(_grade(results), balances, strict=True)
    )
    decision = decided([result for case, result in results if case.phase is None], queue, against, rtt_s)
    fitted = tuple(
        f"{kind} with {', '.join(f'{key} {value}' for key, value in fits[name].items())}: {_WHY[kind]}"
        for name, (kind, _) in kinds.items()
        if fits[name]
    )
    return Card(queue, against, link, replications, seed, graded, problems, decision, fitted)


def decided(results: Sequence[Result], candidate: str, baseline: str, rtt_s: float) -> Verdict | None:
    """The verdict on both over all tests: for each seed the means over the tests of utilisation, of the delay of
    delay-sensitive traffic and of the loss of thin flows; None if both designs lack a value of a test. A design that
    lacks one alone, because nothing of its traffic arrived, has no value of that mean."""
    rate = Exchange.default(rtt_s)
    totals: list[dict[str, list[float | None]]] = [{}, {}]
    tests: dict[str, int] = {}
    for result in results:
        criteria, samples = balanced([variant.runs for variant in result.variants], rate)
        for run in range(len(result.seeds)):
            needed = [one for one in criteria if one.worth and _kind(one) in _EVERYWHERE]
            if any(all(mine[one.key][run] is None for mine in samples) for one in needed):
                return None
        for kind in {_kind(one) for one in criteria if one.worth}:
            tests[kind] = tests.get(kind, 0) + 1
        for sums, one in zip(totals, samples, strict=True):
            for run in range(len(result.seeds)):
                for kind, value in _parts(criteria, one, run, rate).items():
                    row = sums.setdefault(kind, [0.0] * len(result.seeds))
                    before = row[run]
                    row[run] = None if value is None or before is None else before + value
    # A mean is over the tests that have the measure; in the score each test counts alike.
    count = {kind: len(results) if kind in _EVERYWHERE else tests[kind] for kind in tests}
    weighed = [
        replace(one, worth=one.worth * count[kind] / len(results))
        for kind, one in _measures(rate).items()
        if kind in tests
    ]
    names = [baseline, candidate if candidate != baseline else f"{candidate} again"]
    designs = [
        SampledDesign(
            name,
            {kind: [None if one is None else one / count[kind] for one in sums[kind]] for kind in tests},
            simplicity=i,
            manages=manages(name.removesuffix(" again").partition(":")[0]),
        )
        for i, (name, sums) in enumerate(zip(names, totals, strict=True))
    ]
    return decide(
        designs, weighed, margin=margin_of(len(weighed)), exchange=rate.stated(tests), baseline=baseline
    )


#: Measures that every test has: a test without loss of thin flows counts as one without a loss.
_EVERYWHERE = ("use", "delay", "loss")


def _measures(rate: Exchange) -> dict[str, Criterion]:
    """The measures of a card by kind, each a mean over the tests, with its worth."""
    video = rate.video / 1e6
    return {
        "use": Criterion("use", "mean utilisation", "%", worth=1.0),
        "delay": Criterion("delay", "mean p95 delay of delay-sensitive traffic", "ms", worth=-rate.points_per_ms),
        "loss": Criterion("loss", "mean loss of thin flows", "%", worth=-rate.loss),
        "page": Criterion("page", "mean page load time", "ms", worth=-rate.page, log=True),
        "video": Criterion("video", "mean bit rate of video", "bit/s", worth=video, better="higher"),
        "stalls": Criterion("stalls", "mean stalled time of video", "%", worth=-1.0),
    }  # fmt: skip


def _kind(criterion: Criterion) -> str:
    """The measure of a card that a criterion of a test is part of."""
    return outcome(criterion) or ("delay" if criterion.unit == "ms" else "use")


def _parts(
    criteria: Sequence[Criterion], values: Mapping[str, Sequence[float | None]], run: int, rate: Exchange
) -> dict[str, float | None]:
    """The measures of a run as its test weighs them; None where a value is missing."""
    every = _measures(rate)
    parts: dict[str, float | None] = dict.fromkeys(_EVERYWHERE, 0.0)
    for criterion in criteria:
        if not criterion.worth:
            continue
        kind = _kind(criterion)
        share = criterion.worth / every[kind].worth
        value, before = values[criterion.key][run], parts.get(kind, 0.0)
        parts[kind] = None if value is None or before is None else before + share * value
    return parts


def _check_kinds(kinds: Iterable[str]) -> None:
    """Raises UsageError for an unknown discipline, with the nearest name."""
    known = library.disciplines()
    for kind in kinds:
        if kind not in known:
            hint = nearest(kind, known, otherwise="`dropcurve list disciplines` shows all")
            raise UsageError("discipline", kind, "no such discipline", hint)


#: Why a discipline has other parameters than its defaults.
_WHY = {"pi": "a quarter of the buffer, as HMTG01 has 200 of 800 packets"}


def _fitting(kind: str, params: Mapping[str, Any], link: Setup) -> dict[str, str]:
    """Parameters without which a discipline does not fit the card's buffer: the reference of PI, unless it is given or
    lies below the buffer."""
    if kind != "pi" or {"q_ref", "limit"} & set(params):
        return {}
    fields = next(one for one in library.catalogue()["disciplines"] if one["kind"] == kind)["fields"]
    usual = next(one["default"] for one in fields if one["name"] == "q_ref")
    if units.packets(usual, packet_bytes=1500) < link.buffer:
        return {}
    return {"q_ref": f"{max(1, round(link.buffer / 4))} pkts"}


def _with(base: Scenario, link: Setup, kind: str, params: dict[str, Any]) -> Scenario:
    """The scenario with a queue in both directions; its limit is the card's buffer unless ``params`` has one."""
    table = {"kind": kind, "limit": f"{link.buffer} pkts", **params}
    return base.edit([("queue", table), ("back_queue", table)])


def _grade(results: Sequence[tuple[Case, Result]]) -> list[GradedTest]:
    """All answers, Holm-corrected over the whole card."""
    asked = [(case, result, key) for case, result in results for key in case.metrics]
    pairs = []
    for _, result, key in asked:
        base, other = (_values(result, i, key) for i in (0, 1))
        pairs.append((base, other, statistics.paired(other, base)))
    known = [pair.p for _, _, pair in pairs if pair is not None]
    adjusted = iter(statistics.holm(known))
    graded: dict[str, list[GradedMeasure]] = {case.section: [] for case, _ in results}
    for (case, result, key), (base, other, pair) in zip(asked, pairs, strict=True):
        if pair is None:
            continue
        p = next(adjusted)
        means = [statistics.t_interval(one) for one in (base, other)]
        graded[case.section].append(
            GradedMeasure(
                key, (means[0].mean, means[0].half_width), (means[1].mean, means[1].half_width),
                (pair.mean, pair.half_width),
                p, _verdict(key, pair, means[0].mean, real=p < 1.0 - result.level or _certain(pair)),
            )
        )  # fmt: skip
    return [GradedTest(case, tuple(graded[case.section])) for case, _ in results]


def _values(result: Result, which: int, key: str) -> list[float | None]:
    name, scope = metrics.split(key)
    return result.variants[which].values(name, scope=scope)


def _certain(pair: statistics.PairedDifference) -> bool:
    """Whether the difference is the same in every replication: then nothing random is in it, and no test is needed."""
    return pair.half_width == 0.0 and pair.n >= statistics.MINIMUM


def _verdict(key: str, pair: statistics.PairedDifference, baseline: float | None, *, real: bool) -> str:
    """The grade of a measure by the rule of `relation`: equal if the whole interval lies within the margin, better or
    worse only if the difference is real and exceeds the margin."""
    metric = metrics.find(metrics.split(key)[0])
    margin = MARGIN_POINTS if metric.unit == "%" else MARGIN_SHARE * abs(baseline or 0.0)
    if pair.half_width is not None and abs(pair.mean) + pair.half_width <= margin:
        return "equal"
    if not real or abs(pair.mean) <= margin:
        return "undecided"
    if metric.better == "none":
        return "differs"
    return "better" if (pair.mean > 0) == (metric.better == "higher") else "worse"
