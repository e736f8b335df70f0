"""Other optimisers on the same search space with the same number of runs.

Each gets the families' axes as unit cubes and an equal share of the runs for every family, and evaluates a design in
one run at each of the conditions that `tune` starts from. Its incumbent is the best of the designs that hold the bound
there, else the one that breaks it least. BoTorch and SMAC are used where they are installed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.families import family
from dropcurve.tuning.search_space import Family

from .reference import score

Point = NDArray[np.float64]
#: An evaluated point: place in the unit cube, loss in points (utilisation, negative), excess over the bound as a share.
Evaluation = tuple[Point, float, float]
#: A sampler: from the evaluations so far, the number of axes and a seed to the next point.
Sampler = Callable[[Sequence[Evaluation], int, int], Point]

#: Seed of the evaluations.
SEED = 90_000
#: Points of a Sobol sequence before a model is fitted.
INITIAL = 4
#: Loss in points for a bound that is broken by its whole value, where an optimiser knows no constraints.
PENALTY = 300.0


@dataclass
class Course:
    """An optimiser and its incumbents, each with the runs spent until then."""

    name: str
    incumbents: list[tuple[int, Candidate]] = field(default_factory=list)

    def after(self, runs: float) -> Candidate:
        """The incumbent once this number of runs was spent."""
        return [one for spent, one in self.incumbents if spent <= runs or spent == self.incumbents[0][0]][-1]


def available() -> dict[str, Sampler]:
    """The samplers that can be used here, by name."""
    samplers: dict[str, Sampler] = {
        "random": _random, "Optuna TPE": _optuna("TPESampler"), "Optuna GP": _optuna("GPSampler"),
    }  # fmt: skip
    if find_spec("botorch"):
        samplers["BoTorch qLogNEI"] = _botorch
    if find_spec("smac"):
        samplers["SMAC"] = _smac
    return samplers


def course(name: str, sampler: Sampler, bench: Bench, runs: int, *, seed: int) -> Course:
    """Lets one optimiser spend ``runs`` simulation runs."""
    trials = block(bench.question.conditions(), SEED)
    trials = trials[: max(2, len(trials) // 2)]
    families = [family(kind, bench.question.sizing) for kind in bench.question.candidates]
    seen: dict[str, list[Evaluation]] = {one.kind: [] for one in families}
    history, best = Course(name), None
    for turn in range(max(len(families) * INITIAL, runs // len(trials))):
        one = families[turn % len(families)]
        past = seen[one.kind]
        place = (
            _sobol(len(one.axes), len(past), seed)
            if len(past) < INITIAL
            else sampler(past, len(one.axes), seed)
        )
        design = _design(name, one, place)
        loss, excess = _evaluate(bench, design, trials)
        past.append((place, loss, excess))
        rank = (round(max(0.0, excess), 4), loss)
        if best is None or rank < best:
            best = rank
            history.incumbents.append(((turn + 1) * len(trials), design))
    return history


def _design(name: str, family: Family, place: Point) -> Candidate:
    at = {
        axis: space.at(float(share)) for (axis, space), share in zip(family.axes.items(), place, strict=True)
    }
    return Candidate(name, family.kind, family.params(at))


def _evaluate(bench: Bench, design: Candidate, trials: Sequence[PairedTrial]) -> tuple[float, float]:
    """Loss and greatest excess over the bound; a design that the scenario refuses breaks it by its whole value."""
    if not all(bench.usable(design, trial) for trial in trials):
        return 0.0, 1.0
    bench.run((design, trial) for trial in trials)
    bound = bench.question.goal.constraints[0]
    values = [bench.value(design, trial, bound.measure.key) or 0.0 for trial in trials]
    return -score(bench, design, trials), max(value / bound.bound - 1.0 for value in values)


def _sobol(axes: int, number: int, seed: int) -> Point:
    from scipy.stats import qmc

    return np.asarray(qmc.Sobol(axes, seed=seed).random(INITIAL)[number], dtype=float)


def _random(past: Sequence[Evaluation], axes: int, seed: int) -> Point:
    place: Point = np.random.default_rng([seed, axes, len(past)]).random(axes)
    return place


def _optuna(kind: str) -> Sampler:
    """One of Optuna's samplers; every call makes a study with all evaluations so far."""

    def sample(past: Sequence[Evaluation], axes: int, seed: int) -> Point:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sampler = getattr(optuna.samplers, kind)(
                seed=seed + len(past), constraints_func=lambda trial: (trial.user_attrs["excess"],)
            )
            study = optuna.create_study(sampler=sampler)
            space: dict[str, optuna.distributions.BaseDistribution] = {
                f"x{axis}": optuna.distributions.FloatDistribution(0.0, 1.0) for axis in range(axes)
            }
            for place, loss, excess in past:
                study.add_trial(
                    optuna.trial.create_trial(
                        params=dict(zip(space, map(float, place), strict=True)),
                        distributions=space,
                        value=loss,
                        user_attrs={"excess": excess},
                        system_attrs={"constraints": [excess]},
                    )
                )
            trial = study.ask(space)
        return np.array([trial.params[name] for name in space])

    return sample


def _botorch(past: Sequence[Evaluation], axes: int, seed: int) -> Point:
    """Noisy expected improvement in logarithms under an outcome constraint (Ament et al. 2023)."""
    import torch
    from botorch.acquisition.logei import qLogNoisyExpectedImprovement
    from botorch.acquisition.objective import GenericMCObjective
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from botorch.models.transforms.outcome import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import SumMarginalLogLikelihood

    torch.manual_seed(seed + len(past))
    torch.set_num_threads(1)
    places = torch.tensor(np.array([one for one, _, _ in past]), dtype=torch.double)
    gains = torch.tensor([[-loss] for _, loss, _ in past], dtype=torch.double)
    excesses = torch.tensor([[np.log1p(max(-0.999, excess))] for _, _, excess in past], dtype=torch.double)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ModelListGP(
            *(
                SingleTaskGP(places, values, outcome_transform=Standardize(m=1))
                for values in (gains, excesses)
            )
        )
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        acquisition = qLogNoisyExpectedImprovement(
            model, places, objective=GenericMCObjective(lambda samples, X=None: samples[..., 0]),
            constraints=[lambda samples: samples[..., 1]], prune_baseline=True,
        )  # fmt: skip
        box = torch.stack([torch.zeros(axes), torch.ones(axes)]).double()
        point, _ = optimize_acqf(acquisition, box, q=1, num_restarts=4, raw_samples=64)
    return np.asarray(point.detach().numpy()[0], dtype=float)


def _smac(past: Sequence[Evaluation], axes: int, seed: int) -> Point:
    """SMAC's black-box facade; the bound is a penalty, as it knows no constraints."""
    import tempfile

    from ConfigSpace import Configuration, ConfigurationSpace, Float
    from smac import BlackBoxFacade, Scenario
    from smac.runhistory import TrialInfo, TrialValue

    space = ConfigurationSpace(seed=seed)
    space.add([Float(f"x{axis}", (0.0, 1.0)) for axis in range(axes)])
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scenario = Scenario(space, deterministic=True, n_trials=10_000, seed=seed, output_directory=scratch)
        facade = BlackBoxFacade(
            scenario, lambda config, seed=0: 0.0, logging_level=False, overwrite=True,
            initial_design=BlackBoxFacade.get_initial_design(scenario, n_configs=1),
        )  # fmt: skip
        for place, loss, excess in past:
            values = {f"x{axis}": float(share) for axis, share in enumerate(place)}
            config = Configuration(space, values=values)
            cost = loss + PENALTY * max(0.0, excess)
            facade.tell(TrialInfo(config, seed=0), TrialValue(cost=cost))
        asked = facade.ask().config
    return np.array([float(asked[f"x{axis}"]) for axis in range(axes)])
