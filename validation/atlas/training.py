"""Fits the networks of the atlas: one for the outcomes, one for the size of its errors, and the factor on the latter at
which intervals cover.

Errors are those of networks that have not seen the rows (cross-fitting); the factor is that of conformal prediction
(VGS05) on rows that neither network has seen. scikit-learn is needed for this alone and is no part of the environment.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropcurve._core import IntegerNetwork
from dropcurve.errors import DropcurveError
from dropcurve.tuning.atlas.features import DISCIPLINES
from dropcurve.tuning.atlas.model import GroupNetworks
from dropcurve.tuning.atlas.network import Network
from dropcurve.tuning.atlas.outcomes import OUTCOMES, groups

from .dataset import Dataset

Floats = NDArray[np.float64]

#: Units of the two hidden layers of the networks for outcomes and for errors.
UNITS, ERROR_UNITS = (160, 128), (48, 32)
#: Learning rates, one after the other, each with its epochs.
STAGES = ((2e-3, 45), (5e-4, 25), (1e-4, 15))
#: Weight decay of the two networks.
DECAY, ERROR_DECAY = 2e-4, 3e-2
#: One row in n is held out for the factors, and another for the page.
HELD_OUT = 10
#: Parts of cross-fitting.
PARTS = 3
#: Least error in learned units, so that no logarithm is taken of 0.
LEAST_ERROR = 2e-3


@dataclass(frozen=True)
class Fit:
    """Networks and intervals fitted to one kind of traffic.

    Attributes:
        networks: By group of outcomes.
        factors: On the error, by discipline and outcome: the intervals cover at them.
        coverage: Coverage of the rows held out, by outcome.
        errors: Median error of each outcome in the rows held out.
        residual: Error of each row (first axis) and outcome, NaN where the run does not have it.
        within: Whether the interval covers each of them.
    """

    networks: dict[str, GroupNetworks]
    factors: Floats
    coverage: Floats
    errors: Floats
    residual: Floats
    within: NDArray[np.bool_]


def fit(data: Dataset, *, level: float, seed: int = 0) -> Fit:
    """Networks fitted to a dataset whose intervals cover ``level`` of the rows held out."""
    place = np.arange(data.size)
    calibrating, testing = place % HELD_OUT == HELD_OUT - 1, place % HELD_OUT == HELD_OUT - 2
    networks: dict[str, GroupNetworks] = {}
    columns, first = [], 0
    for name, outcomes in groups(data.traffic).items():
        y = data.y[:, first : first + len(outcomes)]
        first += len(outcomes)
        known = ~np.isnan(y).any(axis=1)
        networks[name] = _networks(
            data.x[known & ~calibrating & ~testing], y[known & ~calibrating & ~testing], seed
        )
        columns.append((y, networks[name]))
    residual = np.hstack([np.abs(y - _outputs(one.centre, data.x)) for y, one in columns])
    scores = residual / np.hstack([np.exp(_outputs(one.error, data.x)) for _, one in columns])
    factors = np.array([
        [_conformal(some[~np.isnan(some)], level) for some in scores[calibrating & (data.kinds == kind)].T]
        for kind in DISCIPLINES
    ])  # fmt: skip
    within = scores <= factors[[DISCIPLINES.index(kind) for kind in data.kinds]]
    has = ~np.isnan(residual)
    coverage = (within & has)[testing].sum(axis=0) / has[testing].sum(axis=0)
    return Fit(networks, factors, coverage, np.nanmedian(residual[testing], axis=0), residual, within)


def _networks(x: Floats, y: Floats, seed: int) -> GroupNetworks:
    """The two networks of a group of outcomes; the sizes of errors are those of networks that have not seen the row."""
    residuals = np.empty_like(y)
    for part in range(PARTS):
        own = np.arange(len(x)) % PARTS == part
        residuals[own] = y[own] - _outputs(network(x[~own], y[~own], UNITS, DECAY, seed), x[own])
    centre = network(x, y, UNITS, DECAY, seed)
    error = network(x, np.log(np.abs(residuals) + LEAST_ERROR), ERROR_UNITS, ERROR_DECAY, seed)
    return GroupNetworks(centre, error)


def _outputs(network: Network, x: Floats) -> Floats:
    return np.array(network(x.tolist()))


def network(x: Floats, y: Floats, units: tuple[int, ...], decay: float, seed: int) -> Network:
    """A network fitted by least squares. Raises DropcurveError without scikit-learn."""
    centre, width = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-3)
    offset, factor = y.mean(axis=0), np.maximum(y.std(axis=0), 1e-6)
    regressor = _regressor(
        hidden_layer_sizes=units, alpha=decay, batch_size=128, random_state=seed, warm_start=True
    )
    cut = IntegerNetwork.CUT
    inputs, outputs = np.clip((x - centre) / width, -cut, cut), (y - offset) / factor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rate, epochs in STAGES:
            regressor.set_params(learning_rate_init=rate, max_iter=epochs, n_iter_no_change=epochs + 1)
            regressor.fit(inputs, outputs)
    return rounded((centre, width, offset, factor), regressor.coefs_, regressor.intercepts_)


def rounded(
    scales: tuple[Floats, Floats, Floats, Floats], weights: Sequence[Floats], biases: Sequence[Floats]
) -> Network:
    """The network with weights and biases of a trained one, rounded.

    Args:
        scales: Mean and standard deviation of the inputs, then of the outputs.
        weights: Weights of each layer, inputs by outputs.
        biases: Biases of each layer.
    """
    content = b"".join(one.astype("<f8").tobytes() for one in scales)
    digits, activation = IntegerNetwork.WEIGHT, IntegerNetwork.ACTIVATION
    for weight, bias in zip(weights, biases, strict=True):
        content += _whole(weight * 2.0**digits, "<i2")
        content += _whole(bias * 2.0 ** (digits + activation), "<i4")
    return Network((len(weights[0]), *(len(one) for one in biases)), content)


def _whole(values: Floats, kind: str) -> bytes:
    """Values as whole numbers of a type. Raises ValueError where one does not fit."""
    whole = np.rint(values)
    ends = np.iinfo(kind)
    if whole.min() < ends.min or whole.max() > ends.max:
        raise ValueError(f"a weight of the network does not fit into {ends.bits} bits")
    return whole.astype(kind).tobytes()


def _regressor(**options: Any) -> Any:
    try:
        from sklearn.neural_network import MLPRegressor
    except ModuleNotFoundError:
        raise DropcurveError(
            "scikit-learn",
            "",
            "the atlas is trained with it, and it is not installed",
            "uv pip install scikit-learn",
        ) from None
    return MLPRegressor(**options)


def _conformal(scores: Floats, level: float) -> float:
    """The score that covers ``level`` of further rows in expectation; of a few rows the largest."""
    if len(scores) == 0:
        return 10.0
    rank = int(np.ceil((len(scores) + 1) * level))
    return float(np.sort(scores)[min(rank, len(scores)) - 1])


def regions(data: Dataset, fitted: Fit) -> list[dict[str, float | str]]:
    """Error and coverage of the p95 delay of the queue and of utilisation in the rows held out, by region: discipline,
    and thirds of the bandwidth-delay product."""
    testing = np.arange(data.size) % HELD_OUT == HELD_OUT - 2
    names = [outcome.name for outcome in OUTCOMES[data.traffic]]
    bdp = data.quantities["bandwidth-delay product"]
    cuts = np.percentile(bdp, (0, 33.3, 66.7, 100))
    parts: list[tuple[str, NDArray[np.bool_]]] = [(kind, data.kinds == kind) for kind in DISCIPLINES]
    parts += [
        (f"bandwidth-delay product {low:.3g} to {high:.3g} packets", (bdp >= low) & (bdp <= high))
        for low, high in pairwise(cuts)
    ]
    delay, use = names.index("sojourn_ms_p95"), names.index("utilisation")
    return [
        {
            "region": name, "rows": int((testing & inside).sum()),
            "delay_error": float(np.median(fitted.residual[testing & inside, delay])),
            "unused_error": float(np.median(fitted.residual[testing & inside, use])),
            "coverage": float(fitted.within[testing & inside][:, [delay, use]].mean()),
        }
        for name, inside in parts
    ]  # fmt: skip
