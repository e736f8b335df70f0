"""The wheel's copy of Optuna's samplers: without Optuna's databases, with the same proposals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import third_party
from dropcurve.errors import MissingError
from dropcurve.tuning import study

#: Prints proposals of both samplers; as in an environment that has neither Optuna nor what only its databases need.
PROPOSE = """
import importlib, sys, warnings
warnings.simplefilter("ignore")
name = sys.argv[1]
if name != "optuna":
    for one in ("optuna", "sqlalchemy", "alembic", "yaml", "mako"):
        sys.modules[one] = None
optuna = importlib.import_module(name)
optuna.logging.set_verbosity(optuna.logging.ERROR)
several = optuna.samplers.NSGAIISampler(seed=3, population_size=4, constraints_func=lambda trial: (0.0,))
one = optuna.samplers.TPESampler(seed=3, multivariate=True, constant_liar=True, n_startup_trials=4)
for sampler, count in ((one, 1), (several, 2)):
    study = optuna.create_study(sampler=sampler, directions=["minimize"] * count)
    for _ in range(12):
        trial = study.ask()
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0.001, 1, log=True)
        print(x.hex(), y.hex())
        study.tell(trial, x * x + y if count == 1 else [x, y])
optuna.storages.JournalStorage
"""


def test_the_copy_needs_no_database_and_proposes_the_same(tmp_path: Path) -> None:
    for package in ("dropcurve", "dropcurve/_vendor"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    third_party.copy(tmp_path / "dropcurve/_vendor2")
    (tmp_path / "dropcurve/_vendor2/optuna").rename(tmp_path / "dropcurve/_vendor/optuna")
    assert "Permission is hereby granted" in (tmp_path / "dropcurve/_vendor/optuna/LICENSE").read_text()

    def proposals(name: str) -> list[str]:
        command = [sys.executable, "-c", PROPOSE, name]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout.splitlines()

    copied = proposals("dropcurve._vendor.optuna")
    assert len(copied) == 24
    assert copied == proposals("optuna")


def test_the_copy_is_of_the_locked_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert third_party.locked() == third_party.VERSION
    monkeypatch.setattr(third_party, "VERSION", "4.0.0")
    with pytest.raises(SystemExit, match="the wheel has a copy of 4"):
        third_party.copy(tmp_path / "copy")


def test_an_editable_installation_without_optuna_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropcurve.errors.installed", lambda name: name != "optuna")
    with pytest.raises(MissingError, match=r"pip install 'dropcurve\[optuna\]'"):
        study.library()
