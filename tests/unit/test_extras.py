"""Without the heavy libraries: the core verbs work, and the others name the extra to install."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from dropcurve import errors

ROOT = Path(__file__).resolve().parents[2]
#: Runs a command as if the libraries of every extra were not installed.
LIGHT = """
import sys
for name in {missing!r}:
    sys.modules[name] = None
from dropcurve.cli import main
main(sys.argv[1:])
"""


def light(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # A tree searches with the Optuna of its environment, of which a wheel has a copy (test_third_party.py).
    missing = [one for one in errors.EXTRAS if one != "optuna"]
    code = LIGHT.format(missing=[*missing, "anyio", "distributed", "dask_jobqueue"])
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120)


RUN = ("run", "droptail_vs_red", "--duration", "3 s", "--set", "run.warmup=1 s", "--replications", "2")
TUNE = (
    "tune", "--rate", "5Mbit", "--rtt", "40ms", "--flows", "4", "--buffer", "60pkts", "--goal",
    "max utilisation, p95 delay < 30ms", "--for", "linux", "--queue", "codel", "--runs", "60",
)  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("advise", "--rate", "10Mbit", "--rtt", "40ms", "--flows", "8"),
        ("describe", "red"),
        ("list", "plots"),
        ("export", "red:limit=100 pkts", "--rate", "10Mbit", "--for", "linux"),
    ],
)
def test_verbs_of_formulas_and_names(words: tuple[str, ...], tmp_path: Path) -> None:
    process = light(tmp_path, *words)
    assert process.returncode == 0, process.stderr
    assert process.stdout


def test_run_and_tune_answer_and_say_what_draws_figures(tmp_path: Path) -> None:
    for words, name in ((RUN, "result.json"), (TUNE, "tune.json")):
        out = tmp_path / words[0]
        process = light(tmp_path, *words, "--out", str(out))
        assert process.returncode in (0, 1), process.stderr
        assert (out / name).is_file()
        assert not (out / "report.html").exists()
        assert "pip install 'dropcurve[plot]'" in process.stderr
    shown = light(tmp_path, "show", str(tmp_path / "run"))
    assert shown.returncode == 0, shown.stderr
    assert light(tmp_path, "check", str(tmp_path / "run")).returncode == 0


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("plot", "out"), "plot"),
        (("sweep", "droptail_vs_red", "--vary", "queue.max_p=0.1,0.2", "--out", "swept"), "sweep"),
        (("mcp",), "mcp"),
    ],
)
def test_a_verb_names_the_extra_it_needs_in_one_line(
    words: tuple[str, ...], extra: str, tmp_path: Path
) -> None:
    if words[0] == "plot":
        assert light(tmp_path, *RUN, "--no-report", "--out", "out").returncode == 0
    process = light(tmp_path, *words)
    assert process.returncode == 2
    (line,) = process.stderr.strip().splitlines()
    assert f"pip install 'dropcurve[{extra}" in line


@pytest.mark.parametrize("version", ["1.29.0", "2.0.0", "3.0.0"])
def test_a_library_of_another_version_than_its_extra_is_named(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: version)
    monkeypatch.setattr(metadata, "requires", lambda _: ["numpy>=1.26", 'mcp<3,>=2.0; extra == "mcp"'])
    errors._check_version.cache_clear()
    if version == "2.0.0":
        return errors.require("mcp")
    with pytest.raises(
        errors.MissingError, match=rf"mcp <3,>=2.0, and {version} is installed.*dropcurve\[mcp\]"
    ):
        errors.require("mcp")


def test_libraries_are_accepted_where_no_installation_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_recorded(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", none_recorded)
    errors._check_version.cache_clear()
    errors.require("duckdb")


def test_every_library_names_an_extra_that_installs_it() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for library, (_, names) in errors.EXTRAS.items():
        for extra in names:
            wanted = extras["optional-dependencies"][extra]
            assert any(one.startswith((f"{library}>=", f"{library}==")) for one in wanted), library
        assert not any(one.startswith(library) for one in extras["dependencies"])
