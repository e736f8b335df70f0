"""Every study in its quick form, how studies run and resume, and the verb."""

from __future__ import annotations

import ast
import json
import re
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import studies as st
from dropcurve.errors import Interruption
from dropcurve.results.series import Series
from dropcurve.runs.job import Job
from dropcurve.runs.store import RunStore

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", st.NAMES)
def test_quick_form(name: str, tmp_path: Path) -> None:
    # A copy of a study's file in another folder works as a start for a new study.
    study = st.load(str(st.copy(name, tmp_path / "mine.py")))
    outcome = st.reproduce(study, folder=tmp_path / "runs", quick=True, replications=2)
    files = st.write(outcome, tmp_path)
    page = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert all(f"**{claim.key}** {claim.text}" in page for claim in study.claims)
    figures = re.findall(r"!\[[^\]]+\]\((figures/[^)]+)\)", page)
    assert len(figures) >= 2
    assert all((tmp_path / figure) in files for figure in figures)
    html = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
    assert html.count("<figure") == len(figures)
    assert "<svg" in html
    assert not re.search(r"(src|href)=.http", html)
    record = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert {one["claim"] for one in record["findings"]} == {claim.key for claim in study.claims}
    main = [one for one in record["findings"] if one["setting"] == outcome.main]
    assert all(one["tests"] for one in main), "every claim is asked in the first setting"


@pytest.mark.parametrize("name", st.NAMES)
def test_the_published_page_tells_the_claims_as_they_are(name: str) -> None:
    study = st.load(name)
    page = (ROOT / "docs" / "studies" / f"{name}.md").read_text(encoding="utf-8")
    assert all(f"**{claim.key}** {claim.text} ({claim.place})" in page for claim in study.claims)
    for setting, described in study.settings.items():
        assert f"`{setting}` | {described.about}" in page or not described.judged
    assert "quick form" not in page


def test_every_printed_figure_of_dsilva_is_a_number_of_segments() -> None:
    from dropcurve.studies import dsilva

    for row in st.printed("dsilva"):
        total = round(10 * float(row["tcp_goodput_Bps"]))
        ways = [small for small in range(13) if total >= 128 * small and (total - 128 * small) % 536 == 0]
        assert len(ways) == 1
        small, large = dsilva.segments(float(row["tcp_goodput_Bps"]))
        assert 128 * small + 536 * large == total


def study(measure: Callable[[dict[str, Any]], dict[str, float]], **options: Any) -> st.Study:
    """A study of two disciplines over the shortest of scenarios."""
    base = dc.Scenario.load("short.toml")
    scenarios = {"red": base, "droptail": base.queue("droptail")}
    claim = st.TestedClaim(
        "X", "table 1", "RED is quicker",
        (st.Test("delay", lambda c: c["red"]["ms"] - c["droptail"]["ms"], below=0, unit="ms"),),
    )  # fmt: skip
    fields: dict[str, Any] = {
        "name": "short", "title": "Short", "source": "us", "question": "Which?", "measure": measure,
        "settings": {"era": st.Setting("as it was", lambda: scenarios, kind="era")}, "claims": (claim,),
        "page": lambda outcome: st.Page(short=["So."], choices=(), results=()), "tolerance": {"ms": 0.0},
    }  # fmt: skip
    return st.Study(**{**fields, **options})


def delay(run: dict[str, Any]) -> dict[str, float]:
    """Mean queueing delay."""
    return {"ms": dc.metrics.value(run, "sojourn_ms_mean") or 0.0}


def test_cells_run_until_they_are_precise(folder: Path) -> None:
    loose = st.reproduce(study(delay), folder=folder / "a", precision=0.5)
    tight = st.reproduce(study(delay), folder=folder / "a", precision=0.05)
    few, many = (sum(cell.n for cell in one["era"].values()) for one in (loose, tight))
    assert many > few
    assert tight.reused == few
    assert not tight.imprecise(floors=False)
    for cell in tight["era"].values():
        assert cell["ms"].half_width(0.95) <= 0.05 * cell["ms"].value
    assert tight.verdict("X") == st.HOLDS


def test_cells_that_are_the_same_scenario_run_once(folder: Path) -> None:
    base = dc.Scenario.load("short.toml")
    twins = {"red": base, "again": base, "droptail": base.queue("droptail")}
    outcome = st.reproduce(
        study(delay, settings={"era": st.Setting("as it was", lambda: twins)}),
        folder=folder / "a",
        quick=True,
    )
    assert (outcome.runs, outcome.reused) == (9, 3)
    assert outcome["era"]["red"].numbers == outcome["era"]["again"].numbers
    drawn = study(
        delay, settings={"era": st.Setting("as it was", lambda: twins)}, keep_series=frozenset({"again"})
    )
    for _ in range(2):
        outcome = st.reproduce(drawn, folder=folder / "a", quick=True)
        assert outcome["era"]["again"].series.has("queue_pkts", "bottleneck")


def test_a_setting_may_stop_earlier(folder: Path) -> None:
    base = dc.Scenario.load("short.toml")
    both = {"red": base, "droptail": base.queue("droptail")}
    capped = {
        "era": st.Setting("as it was", lambda: both, kind="era", maximum=6),
        "other": st.Setting("no numbers of it are printed", lambda: both, maximum=6),
        "longer": st.Setting("begins with more", lambda: {"red": base}, first=7, maximum=8),
    }
    outcome = st.reproduce(study(delay, settings=capped), folder=folder / "a", precision=0.0001)
    assert {cell.n for cell in outcome["era"].values()} == {6}
    assert outcome["longer"]["red"].n == 8
    loose = st.reproduce(study(delay, settings=capped), folder=folder / "a", precision=0.9)
    assert loose["longer"]["red"].n == 7
    assert {setting for setting, _ in outcome.imprecise(floors=True)} == {"era"}


def test_imprecise_metrics_are_reported(folder: Path) -> None:
    outcome = st.reproduce(study(delay, maximum=6), folder=folder / "a", precision=0.0001)
    assert set(outcome.imprecise(floors=True)) == {("era", "red"), ("era", "droptail")}
    st.write(outcome, folder)
    page = " ".join((folder / "short.md").read_text(encoding="utf-8").split())
    assert "0 of 2 cells of the tables and figures are known within 0.01 %." in page
    assert re.search(
        r"Wider than that after the most runs: `ms` of red and droptail in `era` \(± [\d.]+ %\)", page
    )
    near = study(delay, maximum=6, tolerance={"ms": 1000.0}, floor="So small a wait matters to nobody.")
    outcome = st.reproduce(near, folder=folder / "a", precision=0.0001)
    assert {cell.n for cell in outcome["era"].values()} == {5}, "the stated width is good enough"
    assert (len(outcome.imprecise(floors=False)), len(outcome.imprecise(floors=True))) == (2, 0)
    st.write(outcome, folder)
    page = " ".join((folder / "short.md").read_text(encoding="utf-8").split())
    assert (
        "`ms` (or ± 1000) is within 0.01 % of its mean, at most 6 times. So small a wait matters to nobody."
        in page
    )
    assert (
        "Others are within the stated width, which is more than 0.01 % of their small means: `ms` of red and droptail"
        in page
    )


def test_a_ratio_of_two_means_may_decide_how_often_a_cell_runs(folder: Path) -> None:
    def both(run: dict[str, Any]) -> dict[str, float]:
        return delay(run) | {"half": delay(run)["ms"] / 2, "odd": run["seed"] % 2}

    quiet = st.reproduce(study(both, tolerance={"ms/half": 0.0}), folder=folder / "a", precision=0.001)
    assert {cell.n for cell in quiet["era"].values()} == {5}
    assert quiet["era"]["red"]["ms/half"].value == pytest.approx(2)
    loud = st.reproduce(
        study(both, tolerance={"odd/half": 0.0}, maximum=8), folder=folder / "a", precision=0.05
    )
    assert {cell.n for cell in loud["era"].values()} == {8}


def test_a_claim_that_is_open_goes_on(folder: Path) -> None:
    def coin(run: dict[str, Any]) -> dict[str, float]:
        """A measure of 0.5 ± 0.5 that takes many runs to distinguish from 0.25."""
        return {"ms": 1.0, "coin": float(run["seed"] % 3 == 0)}

    claim = st.TestedClaim("X", "", "heads", (st.Test("coin", st.at("red", "coin"), below=0.6),))
    held = study(coin, claims=(claim,), tolerance={"ms": 0.0})
    open_still = st.reproduce(held, folder=folder / "a")
    assert open_still.verdict("X") == st.OPEN
    assert open_still["era"]["red"].n == 5
    st.write(open_still, folder)
    page = " ".join((folder / "short.md").read_text(encoding="utf-8").split())
    assert "**X** cannot be decided after 5 runs of each cell: coin is" in page
    decided = st.reproduce(replace(held, decide=60), folder=folder / "a")
    assert decided.verdict("X") == st.HOLDS
    assert 5 < decided["era"]["red"].n < 60
    assert decided["era"]["droptail"].n == 5, "the claim does not depend on it"
    capped = {"era": st.Setting("as it was", held.settings["era"].scenarios, decide=7)}
    assert st.reproduce(replace(held, decide=60, settings=capped), folder=folder / "a")["era"]["red"].n == 7


def test_an_interruption_costs_only_the_runs_under_way(folder: Path) -> None:
    def interrupt(done: int, needed: int, share: float) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        st.reproduce(study(delay), folder=folder / "a", jobs=1, progress=interrupt)
    states: list[tuple[int, int, float]] = []
    resumed = st.reproduce(
        study(delay), folder=folder / "a", jobs=1, progress=lambda *what: states.append(what)
    )
    assert resumed.reused >= 3
    assert all(done <= needed and 0 <= share <= 1 for done, needed, share in states)
    whole = st.reproduce(study(delay), folder=folder / "b")
    assert resumed["era"]["red"].numbers == whole["era"]["red"].numbers


@pytest.fixture
def heeds_control_c() -> Iterator[None]:
    """The parent of the test process may have made it ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_control_c")
def test_dsilva_interrupted_goes_on_to_the_same_bytes(
    dropcurve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control-C after some finished runs, then the same command: nothing is run twice, every file is the same."""
    stop_after = 40
    addresses: list[bytes] = []
    add = RunStore.add_text

    def counted(self: RunStore, job: Job, text: bytes, series: Series | None = None) -> None:
        add(self, job, text, series)
        addresses.append(job.address)
        if len(addresses) == stop_after:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(RunStore, "add_text", counted)
    command = ("reproduce", "dsilva", "--quick", "--quiet", "--jobs", "2", "--out")
    answer = dropcurve(*command, "a")
    assert answer.code == 130
    assert len(addresses) == stop_after
    assert f"{stop_after} finished runs stored; the same command resumes from there" in answer.errors[0]
    assert not Path("a/dsilva.md").exists()
    assert dropcurve(*command, "a").code == 0
    assert len(set(addresses)) == len(addresses), "no run was made twice"
    whole, addresses[:] = len(addresses), []
    stop_after = -1
    assert dropcurve(*command, "b").code == 0
    assert len(addresses) == whole
    files = sorted(path.relative_to("b") for path in Path("b").rglob("dsilva*.*") if path.is_file())
    assert len(files) > 5
    for file in files:
        assert (Path("a") / file).read_bytes() == (Path("b") / file).read_bytes(), file


def test_runs_take_little_room_and_belong_to_one_build(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = dc.Scenario.load("dsilva_red_droptail").set("run.duration", "3 s")
    lone = study(
        lambda run: {"ms": run["links"]["n1_n2"]["sojourn_ms"]["mean"]},
        settings={"era": st.Setting("as it was", lambda: {"red": base, "droptail": base})},
    )
    st.reproduce(lone, folder=folder / "a", quick=True, replications=50)
    with RunStore(folder / "a") as store:
        assert store.count() == 50
        record = store.find(Job(base, 7, "derived"))
        assert record is not None
        assert record.summary["seed"] == 7
        assert store.find(Job(base, 51, "derived")) is None
        assert store.find(Job(base, 7, "series")) is None
        written = len(json.dumps(record.summary))
        assert store.used_bytes() < 50 * written / 3
        monkeypatch.setattr("dropcurve.runs.job.build", lambda: "another")
        assert store.find(Job(base, 7, "derived")) is None


def test_a_study_shares_its_runs_with_other_commands(folder: Path) -> None:
    reproduced = st.reproduce(study(delay), folder=folder / "a", quick=True, cache="cache")
    assert reproduced.reused == 0 and not (folder / "a").exists()
    both = dc.compare("short.toml", queues=["red", "droptail"], replications=3, cache="cache")
    assert both.reused == 4, "all but the first of each, of which a comparison also stores the series"
    assert (
        st.reproduce(study(delay), folder=folder / "b", quick=True, cache="cache").reused == reproduced.runs
    )


def test_a_file_that_is_no_store_is_refused(folder: Path) -> None:
    (folder / "runs-1.sqlite").write_text("nonsense " * 100, encoding="utf-8")
    with pytest.raises(dc.DropcurveError, match=r"runs-1\.sqlite: cannot be used: .*; move it away"):
        st.reproduce(study(delay), folder=folder, quick=True)


def test_the_verb(dropcurve: Callable[..., Any]) -> None:
    answer = dropcurve("reproduce", "dsilvo")
    assert (answer.code, answer.errors) == (2, ["dropcurve: dsilvo: no such study; did you mean 'dsilva'?"])
    answer = dropcurve("reproduce", "none.py")
    assert (answer.code, answer.errors) == (
        2,
        ["dropcurve: none.py: no such file; name a study's Python file, or one of `dropcurve list studies`"],
    )
    Path("empty.py").write_text("STUDY = 1\n", encoding="utf-8")
    answer = dropcurve("reproduce", "empty.py")
    assert answer.code == 2
    assert answer.errors[0].startswith("dropcurve: empty.py: defines no STUDY")
    assert dropcurve("reproduce", "dsilva", "--copy", "mine.py").out == "mine.py\n"
    assert dropcurve("reproduce", "dsilva", "--copy", "mine.py").code == 2
    assert st.load("mine.py").title == st.load("dsilva").title


def test_an_interrupted_verb_says_how_to_go_on(
    dropcurve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> st.Outcome:
        raise Interruption(0)

    monkeypatch.setattr(st, "reproduce", stop)
    answer = dropcurve("reproduce", "dsilva")
    assert answer.code == 130
    assert answer.errors == ["dropcurve: interrupted; no run was finished"]


@pytest.mark.parametrize("name", st.NAMES.values())
def test_a_study_is_made_of_what_is_public(name: str) -> None:
    tree = ast.parse((ROOT / "python" / "dropcurve" / "studies" / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            taken = {one.name for one in node.names}
            assert taken <= {"dropcurve.studies", "math", "numpy"}, taken
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a copy has no neighbours"
            assert (node.module or "").split(".")[0] in {*sys.stdlib_module_names, "dropcurve", "matplotlib"}
            assert not any(
                part.startswith("_") for part in (node.module or "").split(".") if part != "__future__"
            )
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            home = {"st": st}.get(node.value.id)
            assert home is None or node.attr in home.__all__, f"{node.value.id}.{node.attr}"


def test_no_study_reads_anything_but_the_package() -> None:
    for file in (ROOT / "python" / "dropcurve" / "studies").glob("*.py"):
        assert "shared" not in file.read_text(encoding="utf-8")
