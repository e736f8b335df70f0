"""Fits the networks of the atlas: one for the outcomes, one for the size of its errors, and the factor on the latter at
which intervals cover.

Errors are those of networks that have not seen the rows (cross-fitting); the factor is that of conformal prediction
(VGS05) on rows that neither network has seen. scikit-learn is needed for this alone and is no part of the environment.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropcurve.errors import DropcurveError
from dropcurve.tuning.atlas.features import KINDS
from dropcurve.tuning.atlas.network import Network
from dropcurve.tuning.atlas.outcomes import OUTCOMES

from .dataset import Dataset

Floats = NDArray[np.float64]

#: Units of the two hidden layers of the networks for outcomes and for errors.
UNITS, ERROR_UNITS = (112, 96), (48, 32)
#: Learning rates, one after the other, each with its epochs.
STAGES = ((2e-3, 45), (5e-4, 25), (1e-4, 15))
#: Weight decay of the two networks.
DECAY, ERROR_DECAY = 2e-4, 3e-2
#: Every n-th row is held out for the factors, another one for the page.
HELD_OUT = 10
#: Parts of cross-fitting.
PARTS = 3
#: Least error in learned units, so that no logarithm is taken of 0.
LEAST_ERROR = 2e-3


@dataclass(frozen=True)
class Fitted:
    """The networks of one kind of traffic and the factors of their intervals by discipline and outcome."""

    centre: Network
    error: Network
    factors: Floats
    coverage: Floats
    errors: Floats


def fit(data: Dataset, *, level: float, seed: int = 0) -> Fitted:
    """Networks fitted to a dataset whose intervals cover ``level`` of the rows held out."""
    place = np.arange(data.size)
    calibrating, testing = place % HELD_OUT == HELD_OUT - 1, place % HELD_OUT == HELD_OUT - 2
    seen = ~(calibrating | testing)
    x, y = data.x[seen], data.y[seen]
    residuals = np.empty_like(y)
    for part in range(PARTS):
        own = np.arange(len(x)) % PARTS == part
        residuals[own] = y[own] - network(x[~own], y[~own], UNITS, DECAY, seed)(x[own])
    centre = network(x, y, UNITS, DECAY, seed)
    error = network(x, np.log(np.abs(residuals) + LEAST_ERROR), ERROR_UNITS, ERROR_DECAY, seed)
    scores = np.abs(data.y - centre(data.x)) / np.exp(error(data.x))
    factors = np.array([
        [_conformal(scores[calibrating & (data.kinds == kind), number], level) for number in range(y.shape[1])]
        for kind in KINDS
    ])  # fmt: skip
    within = scores[testing] <= factors[[KINDS.index(kind) for kind in data.kinds[testing]]]
    return Fitted(
        centre,
        error,
        factors,
        within.mean(axis=0),
        np.median(np.abs(data.y - centre(data.x))[testing], axis=0),
    )


def network(x: Floats, y: Floats, units: tuple[int, ...], decay: float, seed: int) -> Network:
    """A network fitted by least squares. Raises DropcurveError without scikit-learn."""
    centre, width = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-3)
    offset, factor = y.mean(axis=0), np.maximum(y.std(axis=0), 1e-6)
    made = _regressor(
        hidden_layer_sizes=units, alpha=decay, batch_size=128, random_state=seed, warm_start=True
    )
    inputs, outputs = np.clip((x - centre) / width, -6.0, 6.0), (y - offset) / factor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rate, epochs in STAGES:
            made.set_params(learning_rate_init=rate, max_iter=epochs, n_iter_no_change=epochs + 1)
            made.fit(inputs, outputs)
    return Network.rounded(centre, width, made.coefs_, made.intercepts_, offset, factor)


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


def regions(data: Dataset, fitted: Fitted) -> list[dict[str, float | str]]:
    """Error and coverage of the p95 delay of the queue and of utilisation in the rows held out, by region: discipline,
    and thirds of the bandwidth-delay product."""
    testing = np.arange(data.size) % HELD_OUT == HELD_OUT - 2
    names = [outcome.name for outcome in OUTCOMES[data.traffic]]
    residual = np.abs(data.y - fitted.centre(data.x))
    factors = fitted.factors[[KINDS.index(kind) for kind in data.kinds]]
    within = residual <= factors * np.exp(fitted.error(data.x))
    bdp = data.quantities["bandwidth-delay product"]
    cuts = np.percentile(bdp, (0, 33.3, 66.7, 100))
    some: list[tuple[str, NDArray[np.bool_]]] = [(kind, data.kinds == kind) for kind in KINDS]
    some += [
        (f"bandwidth-delay product {low:.3g} to {high:.3g} packets", (bdp >= low) & (bdp <= high))
        for low, high in pairwise(cuts)
    ]
    delay, use = names.index("sojourn_ms_p95"), names.index("utilisation")
    return [
        {
            "region": name, "rows": int((testing & inside).sum()),
            "delay_error": float(np.median(residual[testing & inside, delay])),
            "unused_error": float(np.median(residual[testing & inside, use])),
            "coverage": float(within[testing & inside][:, [delay, use]].mean()),
        }
        for name, inside in some
    ]  # fmt: skip
