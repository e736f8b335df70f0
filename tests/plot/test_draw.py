"""Every kind of figure draws every kind of result, small and the same twice."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dropcurve import plot
from dropcurve.errors import UsageError
from dropcurve.results import Result

MakeResult = Callable[..., Result]
LARGEST_BYTES = 300_000


@pytest.mark.parametrize("kind", plot.KINDS)
def test_draws_whatever_there_is(kind: str, case: Result) -> None:
    svg = plot.image(kind, case)
    assert len(svg) < LARGEST_BYTES
    ElementTree.fromstring(svg)


@pytest.mark.parametrize("kind", plot.KINDS)
def test_fits_a_column(kind: str, make_result: MakeResult) -> None:
    figure = plot.plot(kind, make_result(samples=60), width="column")
    assert figure.get_figwidth() == 3.5


@pytest.mark.parametrize("kind", plot.KINDS)
def test_same_result_same_bytes(kind: str, make_result: MakeResult) -> None:
    assert plot.image(kind, make_result(samples=60)) == plot.image(kind, make_result(samples=60))


@pytest.mark.parametrize("format", ["png", "pdf"])
def test_same_result_same_bytes_in_other_formats(format: str, make_result: MakeResult) -> None:
    one, two = (plot.image("queue", make_result(samples=200), format=format) for _ in range(2))
    assert one == two


def test_a_users_style_does_not_leak_in(make_result: MakeResult) -> None:
    import matplotlib

    before = plot.image("queue", make_result())
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 30}):
        assert plot.image("queue", make_result()) == before


def test_writes_what_the_path_ends_in(make_result: MakeResult, tmp_path: Path) -> None:
    plot.plot("queue", make_result(), path=tmp_path / "queue.png")
    assert (tmp_path / "queue.png").read_bytes().startswith(b"\x89PNG")
    files = plot.save_all(make_result(samples=60), tmp_path / "figures", formats=("svg",))
    assert {file.stem for file in files} == set(plot.KINDS)


def test_fragment_brings_no_outside_names(make_result: MakeResult) -> None:
    text = plot.fragment("queue", make_result(), label='Queue <of> "RED"')
    assert text.startswith('<svg role="img" aria-label="Queue &lt;of&gt; &quot;RED&quot;"')
    assert "http" not in text
    assert "var(--series-1, #0072b2)" in text
    assert text.count("<svg") == 1
    ElementTree.fromstring(text)


def test_fragment_says_a_style_once_and_every_name_leads_somewhere(make_result: MakeResult) -> None:
    whole, text = (
        plot.image("queue", make_result(samples=60)).decode(),
        plot.fragment("queue", make_result(samples=60)),
    )
    assert len(text) < len(whole) / 2
    for tag in ("<use", "<path"):
        assert 0 < text.count(tag) <= whole.count(tag)
    assert "style=" not in text
    assert set(re.findall(r'class="([^"]+)"', text)) == set(re.findall(r"\.([\w-]+)\{", text))
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(ids) == set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))


def test_unknown_kind_and_width_are_refused(make_result: MakeResult) -> None:
    with pytest.raises(UsageError, match="plot kind = 'pie'"):
        plot.plot("pie", make_result())
    with pytest.raises(UsageError, match="width"):
        plot.plot("queue", make_result(), width=0.5)
    with pytest.raises(UsageError, match="format"):
        plot.image("queue", make_result(), format="bmp")


def test_nothing_heavy_is_loaded_before_the_first_figure() -> None:
    code = "import sys, dropcurve.plot; assert 'matplotlib' not in sys.modules and 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})
