"""What a command imports: the answers at once load few modules, and no library that they do not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dropcurve.files import lazy

#: Libraries of the search, of files, figures and of the conversion of values.
HEAVY = {"jinja2", "matplotlib", "numpy", "optuna", "pandas", "pyarrow", "pydantic", "rich", "scipy"}
INSTANT = "tune --instant --rate 10Mbit --rtt 40ms --flows 5 --buffer 100pkts"
RANGES = "tune --instant --rate 8-10Mbit --rtt 20-40ms --flows 2-5 --buffer 100pkts"
COUNT = """
import sys
from dropcurve.cli import main
try:
    main(sys.argv[1:])
except SystemExit as left:
    assert not left.code, left.code
print("LOADED", *sys.modules)
"""


def loaded(command: str) -> set[str]:
    """The modules in a fresh interpreter after a command."""
    ran = subprocess.run(
        [sys.executable, "-c", COUNT, *command.split()], capture_output=True, text=True, check=True
    )
    return set(ran.stdout.rpartition("LOADED ")[2].split())


@pytest.mark.parametrize(
    ("command", "libraries", "most"),
    [
        ("--help", set(), 20),
        ("--version", set(), 34),
        ("describe red", set(), 105),
        (INSTANT, set(), 94),
        (RANGES, set(), 94),
        ("tune --link cable:up --goal gaming --instant", set(), 94),
    ],
)
def test_a_command_loads_what_it_needs(command: str, libraries: set[str], most: int) -> None:
    modules = loaded(command)
    assert {name.partition(".")[0] for name in modules} & HEAVY == libraries
    own = [name for name in modules if name.partition(".")[0] == "dropcurve"]
    assert len(own) <= most, sorted(own)


def test_the_instant_answer_loads_no_search_no_parser_of_verbs_and_no_store_of_runs() -> None:
    modules = loaded(INSTANT)
    assert not modules & {
        "dropcurve.tuning.stages", "dropcurve.tuning.bench", "dropcurve.tuning.search", "dropcurve.runs.executor",
        "dropcurve.runs.store", "dropcurve.results.result", "sqlite3", "typer",
        "dropcurve.advise.designs", "dropcurve.boxes.model", "dropcurve.verdict.data",
    }  # fmt: skip


def test_a_lazy_name_is_its_own_or_a_module() -> None:
    find = lazy.attributes("dropcurve", {"UsageError": "errors", "errors": "", "links": "scenario."})
    from dropcurve import errors
    from dropcurve.scenario import links

    assert (find("UsageError"), find("errors"), find("links")) == (errors.UsageError, errors, links)
    with pytest.raises(AttributeError, match="module 'dropcurve' has no attribute 'queue'"):
        find("queue")
