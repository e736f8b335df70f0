"""The figures, table and page of a sweep."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve.cli import invoke
from dropcurve.files import checksums


@pytest.fixture
def kept(folder: Path) -> Path:
    """A grid of two settings by two levels, two seeds."""
    dc.sweep(
        "short.toml",
        {"queue.max_p": [0.02, 0.5], "dumbbell.delay": ["5 ms", "20 ms"]},
        replications=2,
        out="kept",
    )
    return Path("kept")


def test_every_kind_of_figure_is_written_and_the_folder_stays_sound(kept: Path) -> None:
    assert invoke(["plot", str(kept)]) == 0
    names = sorted(path.name for path in (kept / "figures").iterdir())
    assert names == [
        f"{kind}.{form}" for kind in ("heat_map", "lines", "main_effects") for form in ("png", "svg")
    ]
    assert list(checksums.faults(kept)) == []


def test_the_same_sweep_draws_the_same_bytes(kept: Path) -> None:
    for name in ("a.svg", "b.svg"):
        assert invoke(["plot", str(kept), "heat_map", "--metric", "loss", "--write", name]) == 0
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


def test_the_page_holds_every_point_and_asks_nothing_outside(kept: Path) -> None:
    assert invoke(["report", str(kept)]) == 0
    page = (kept / "report.html").read_text()
    assert page.count("<figure ") == 3
    assert page.split("<tbody>")[1].split("</tbody>")[0].count("<tr>") == 4
    assert "http:" not in page and "https:" not in page


def test_the_table_is_shown_again(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["show", str(kept), "--metric", "loss"]) == 0
    out = capsys.readouterr().out
    assert "4 points, 2 replications each" in out
    assert "Drops by the queue:" in out


def test_the_table_goes_into_papers_issues_and_notebooks(kept: Path) -> None:
    swept = dc.Sweep.load(kept)
    means = swept.means(["loss"])
    paper = swept.to_latex(only=["loss"]).splitlines()
    assert paper[0] == r"\begin{tabular}{llr}" and paper[-1] == r"\end{tabular}"
    assert paper[2] == r"queue\_max\_p & dumbbell\_delay\_ms & loss (\%) \\"
    assert len(paper) == 4 + len(means) + 2 and paper[4].startswith("0.02 & 5 & ")
    issue = swept.to_markdown(only=["loss"]).splitlines()
    assert issue[2] == "4 points, 2 replications each, 95 % intervals"
    assert issue[4:6] == ["| queue_max_p | dumbbell_delay_ms | loss (%) |", "| --- | --- | --: |"]
    assert issue[6].startswith("| 0.02 | 5 | ")
    assert "- Warning: 2 replications" in issue[-1]
    assert swept._repr_html_().count("<tr>") == 1 + len(means)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["heat_maps"], "a sweep has main_effects, heat_map, lines"),
        (["heat_map", "--metric", "los"], "did you mean 'loss'?"),
        (["heat_map", "--width", "wide"], "must be a number of inches or one of column, page"),
        (["heat_map", "--style", "print"], "must be one of screen, paper"),
    ],
)
def test_refusals_name_the_remedy(
    kept: Path, capsys: pytest.CaptureFixture[str], words: list[str], remedy: str
) -> None:
    assert invoke(["plot", str(kept), *words]) == 2
    assert remedy in capsys.readouterr().err


def test_pgf_without_latex_is_refused_with_the_remedy(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert invoke(["plot", str(kept), "heat_map", "--write", "map.pgf"]) == 2
    assert "install TeX Live, or write .pdf" in capsys.readouterr().err
    assert not Path("map.pgf").exists()


def test_pgf_is_for_any_document(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Measures:
        """Sizes of texts, which LaTeX would measure."""

        def get_width_height_descent(self, text: str, properties: object) -> tuple[float, float, float]:
            return 4.0 * len(text), 8.0, 2.0

    monkeypatch.setattr("dropcurve.plot.style._latex", lambda: "pdflatex")
    monkeypatch.setattr("matplotlib.backends.backend_pgf.LatexManager._get_cached_or_new", Measures)
    assert invoke(["plot", str(kept), "heat_map", "--width", "3.1", "--write", "map.pgf"]) == 0
    text = Path("map.pgf").read_text(encoding="utf-8")
    assert r"\pgfqpoint{3.100000in}" in text
    # An underscore outside of mathematics ends the run of LaTeX; so would a font of this machine elsewhere.
    assert r"max\_p of the queue" in text and "max_p" not in text
    assert r"\setmainfont" not in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_a_document_takes_pgf_in(kept: Path) -> None:
    assert (
        invoke(["plot", str(kept), "heat_map", "--style", "paper", "--width", "column", "--write", "map.pgf"])
        == 0
    )
    document = r"""\documentclass{article}\usepackage{pgf}\def\mathdefault#1{#1}
\begin{document}\noindent\input{map.pgf}\end{document}"""
    Path("paper.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_one_setting_has_no_map(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dc.sweep("short.toml", {"queue.max_p": [0.02, 0.5]}, replications=2, out="one")
    assert invoke(["plot", "one", "heat_map"]) == 2
    assert "needs two varied settings" in capsys.readouterr().err
    assert invoke(["plot", "one"]) == 0
    assert sorted(path.name for path in Path("one/figures").iterdir()) == [
        "main_effects.png",
        "main_effects.svg",
    ]


def test_one_value_has_no_figure_but_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dc.sweep("short.toml", {"queue.max_p": [0.1]}, replications=2, jobs=1, out="one")
    for kind in ([], ["main_effects"]):
        assert invoke(["plot", "one", *kind]) == 2
        assert (
            "needs runs at several values of a setting, and these have one; vary" in capsys.readouterr().err
        )
    assert invoke(["report", "one"]) == 0
