"""Criteria of the balanced goal: utilisation, and the delay of delay-sensitive traffic.

If there are thin flows their delay counts, and in addition a quarter of that of long transfers: a queue that only long
transfers fill harms no other flow, but requests on the same connection wait in it. The packets of a flood never count.
Under a flood the share of the link that the other flows get replaces its utilisation. Where a design filters the many
acknowledgements of a faster direction, the goodput of transfers replaces it, as a share of the rate of their
direction: acknowledgements keep a link as busy as data does, and transfers of the other direction live by those that
pass this queue. The load time of pages and the bit rate and stalls of video count where their data passes the queue
(`Exchange` states how much).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from ..metrics import Run, main_links, measured_s, value
from ..quantities import wording
from .data import Criterion
from .exchange import Exchange
from .traffic import BULK_FACTOR, PAGES, roles


def balanced(
    runs: Sequence[Sequence[Run]],
    exchange: Exchange,
    *,
    reverse: Collection[str] = (),
    filtered: bool = False,
) -> tuple[list[Criterion], list[dict[str, list[float | None]]]]:
    """Returns the criteria of the balanced goal, and the values of each by design.

    Args:
        runs: For each design its runs, of the same seeds.
        exchange: Between delay and utilisation.
        reverse: Classes whose data takes the reverse direction: their packets wait in another queue, and
            their goodput is not a share of this link.
        filtered: Whether a design filters acknowledgements; no matter where the other direction is no faster.

    Returns:
        The criteria; for each design a value of each run by criterion.

    Example:
        >>> criteria, samples = balanced([runs_of_red, runs_of_codel], exchange)
    """
    role_of = roles(runs[0][0])
    attacked = "unresponsive" in role_of.values()
    filtered = filtered and _faster_back(runs[0][0])
    thin = [name for name, role in role_of.items() if role == "thin"]
    victims = [name for name, role in role_of.items() if role != "unresponsive" and name not in reverse]
    criteria: list[Criterion] = []
    functions: list[Callable[[Run], float | None]] = []

    def add(criterion: Criterion, function: Callable[[Run], float | None]) -> None:
        criteria.append(criterion)
        functions.append(function)

    if attacked and victims:
        add(
            Criterion("share", f"share of the link for {wording.listed(victims)}", "%", worth=1.0),
            _share(victims),
        )
    elif not filtered:
        add(Criterion("utilisation", "utilisation", "%", worth=1.0), _metric("utilisation", ""))
    bulk = [name for name, role in role_of.items() if role == "bulk" and name not in reverse]
    felt = thin or (victims if attacked else [])
    shares = dict.fromkeys(felt, 1.0 / max(1, len(felt)))
    if thin:
        shares |= dict.fromkeys(bulk, BULK_FACTOR / max(1, len(bulk)))
    for name, share in shares.items():
        title = f"p95 one-way delay of {name}"
        worth = -exchange.points_per_ms * share
        add(Criterion(f"delay_ms_p95[{name}]", title, "ms", worth=worth), _metric("delay_ms_p95", name))
    for name in thin:
        add(
            Criterion(f"flow_loss[{name}]", f"loss of {name}", "%", worth=-exchange.loss / len(thin)),
            _metric("flow_loss", name),
        )
    if not felt:
        wait = Criterion("sojourn_ms_p95", "p95 queueing delay", "ms", worth=-exchange.points_per_ms)
        add(wait, _metric("sojourn_ms_p95", ""))
    short = [name for name, role in role_of.items() if role == "short"]
    for pair in _object_outcomes(runs[0], short, exchange, reverse):
        add(*pair)
    transfers = [name for name, role in role_of.items() if role == "bulk"]
    for one in _goodputs(runs[0][0], transfers, reverse, weighed=filtered and not attacked):
        add(one, _metric("goodput_bps", one.key.partition("[")[2].rstrip("]")))
    samples = [
        {one.key: [function(run) for run in some] for one, function in zip(criteria, functions, strict=True)}
        for some in runs
    ]
    return criteria, samples


def _object_outcomes(
    runs: Sequence[Run], names: Sequence[str], exchange: Exchange, reverse: Collection[str]
) -> list[tuple[Criterion, Callable[[Run], float | None]]]:
    """The outcomes of classes that hand over objects, with their worth: that of data that passes the queue, shared by
    the classes of a kind."""
    pairs = [(name, outcome) for name in names for outcome in _outcomes(runs[0], name)]

    def counts(name: str, key: str) -> bool:
        return name not in reverse and (not key.startswith("page") or _pages(runs, name) >= PAGES)

    rates = {
        "page_ms_mean": -exchange.page, "video_bps": exchange.video / 1e6, "video_stalled": -1.0,
    }  # fmt: skip
    criteria = []
    for name, (metric, criterion) in pairs:
        sharing = sum(other == metric and counts(one, metric) for one, (other, _) in pairs)
        worth = rates.get(metric, 0.0) / sharing if counts(name, metric) else 0.0
        felt = replace(criterion, worth=worth, log=bool(worth) and metric == "page_ms_mean")
        criteria.append((felt, _metric(metric, name)))
    return criteria


def _outcomes(run: Run, name: str) -> list[tuple[str, Criterion]]:
    """The outcomes of a class that hands over objects, with their metrics: bit rate and stalls of video, the load time
    of pages, or the completion time."""
    flows = [flow for flow in run["flows"] if flow["class"] == name]
    if any(flow.get("video") for flow in flows):
        rate = Criterion(f"video_bps[{name}]", f"bit rate of {name}", "bit/s", better="higher")
        stalls = Criterion(f"video_stalled[{name}]", f"stalled time of {name}", "%")
        return [("video_bps", rate), ("video_stalled", stalls)]
    pages = any("page_ms" in (flow.get("objects") or {}) for flow in flows)
    # A run has tens of pages: the mean of their load times scatters less than a percentile.
    key, what = ("page_ms_mean", "mean page load time") if pages else ("fct_ms_p95", "p95 completion time")
    return [(key, Criterion(f"{key}[{name}]", f"{what} of {name}", "ms"))]


def _pages(runs: Sequence[Run], name: str) -> float:
    """Mean number of the pages of a class that a run loads."""
    counts = [flow.get("objects") for run in runs for flow in run["flows"] if flow["class"] == name]
    pages = [one["page_ms"] for one in counts if one and one.get("page_ms")]
    return sum(float(one["count"]) for one in pages) / len(runs)


def kind(criterion: Criterion) -> str:
    """The outcome that a criterion measures.

    Args:
        criterion: Criterion of a comparison.

    Returns:
        "page", "video", "stalls" or "loss"; "" for utilisation, delays and others.

    Example:
        >>> kind(Criterion("flow_loss[call]", "loss of call", "%", worth=-5.0))
        'loss'
    """
    return next((outcome for key, outcome in _OUTCOMES.items() if criterion.key.startswith(key)), "")


#: Outcomes by the beginning of the key of a criterion.
_OUTCOMES = {"page_ms": "page", "video_bps": "video", "video_stalled": "stalls", "flow_loss": "loss"}


def kinds(criteria: Sequence[Criterion]) -> set[str]:
    """The outcomes besides delay that criteria weigh.

    Args:
        criteria: The criteria of a comparison.

    Returns:
        Their names in `Exchange.stated`: "page", "video", "loss"; "transfers" if the delay of long transfers counts
        next to that of thin flows; "goodput" if their goodput does.

    Example:
        >>> sorted(kinds([Criterion("flow_loss[call]", "loss of call", "%", worth=-5.0)]))
        ['loss']
    """
    weighed = [one for one in criteria if one.worth]
    thin, delayed = (
        {one.key.removeprefix(measure) for one in weighed if one.key.startswith(measure)}
        for measure in ("flow_loss", "delay_ms_p95")
    )
    transfers = {"transfers"} if thin and delayed - thin else set[str]()
    goodput = {"goodput"} if any(one.key.startswith("goodput") for one in weighed) else set[str]()
    return ({kind(one) for one in weighed} & {"page", "video", "loss"}) | transfers | goodput


def _metric(name: str, scope: str) -> Callable[[Run], float | None]:
    return lambda run: value(run, name, scope=scope)


def _goodputs(
    run: Run, names: Sequence[str], reverse: Collection[str], *, weighed: bool
) -> Iterator[Criterion]:
    """The goodput of each class of transfers, if it is weighed or there are several; if it is weighed, per cent of the
    rate of its direction are points."""
    main = next(iter(main_links(run)), "")
    for name in names if weighed or len(names) > 1 else []:
        link = run["links"].get(f"{main}.back" if name in reverse else main)
        worth = 100.0 / float(link["rate_bps"]) if weighed and link is not None else 0.0
        yield Criterion(f"goodput_bps[{name}]", f"goodput of {name}", "bit/s", worth=worth, better="higher")


def _faster_back(run: Run) -> bool:
    """Whether the other direction of the main link is faster, so that its acknowledgements are many here."""
    main = next(iter(main_links(run)), "")
    back = run["links"].get(f"{main}.back")
    return back is not None and back["rate_bps"] > run["links"][main]["rate_bps"]


def _share(names: Sequence[str]) -> Callable[[Run], float | None]:
    """Goodput of classes together, in per cent of the link's rate."""

    def of(run: Run) -> float | None:
        links = main_links(run)
        rate = float(run["links"][links[0]]["rate_bps"]) if links else 0.0
        rates = [
            8.0 * flow["goodput_bytes"] / measured_s(run) for flow in run["flows"] if flow["class"] in names
        ]
        return 100.0 * float(sum(rates)) / rate if rate else None

    return of
