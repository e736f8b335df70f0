"""A document as terminal text, Markdown and HTML."""

from __future__ import annotations

from dataclasses import replace

import dropcurve as dc
from dropcurve.present import html, markdown, terminal
from dropcurve.present.document import Document, Headline, MetricTable, TableCell, TableLine
from dropcurve.scenario import links

TABLE = MetricTable(
    {"droptail": "droptail", "red": "red"},
    (TableLine("loss", "%", (TableCell("1.0", "0.2"), TableCell("2.0", "0.1", "✗"))),),
    zero=("marks",),
    legend="Against droptail: ✗ worse.",
)
DOCUMENT = Document(
    "Two | queues", "2 replications", TABLE, ("red raises loss",), ("Warning: <short>",), "do it"
)


def test_a_terminal_aligns_means_and_intervals() -> None:
    assert terminal.render(DOCUMENT, width=60).splitlines() == [
        "Two | queues",
        "2 replications",
        "",
        "          droptail           red",
        "loss  %  1.0 ± 0.2     2.0 ± 0.1 ✗",
        "",
        "Zero throughout: marks.",
        "",
        "Against droptail: ✗ worse.",
        "",
        "red raises loss.",
        "",
        "Warning: <short>",
        "",
        "Repeat: do it",
    ]


def test_markdown_escapes_what_would_end_a_cell() -> None:
    text = markdown.render(DOCUMENT)
    assert text.startswith("## Two \\| queues\n")
    assert "| loss | % | 1.0 ± 0.2 | 2.0 ± 0.1 ✗ |" in text
    assert "- Warning: &lt;short>" in text


def test_html_escapes_everything() -> None:
    text = html.render(DOCUMENT)
    assert "<td style='text-align:right'>2.0 ± 0.1 ✗</td>" in text
    assert "&lt;short&gt;" in text
    assert "<short>" not in text


def test_the_verdict_opens_every_form() -> None:
    opened = replace(DOCUMENT, headline=Headline("good", ("Load <red>.",), ("Basis: 2 runs.",)))
    assert terminal.render(opened, width=60).startswith("Load <red>.\n  Basis: 2 runs.\n\nTwo | queues\n")
    assert "**Load &lt;red>.**\n\nBasis: 2 runs.\n\n2 replications" in markdown.render(opened)
    assert html.render(opened).startswith("<p style='border-left:4px solid #2e7d32;")
    assert "<b>Load &lt;red&gt;.</b> <small>Basis: 2 runs.</small>" in html.render(opened)


def test_three_designs_or_more_are_ranked_in_a_table_below_the_verdict() -> None:
    rows = (
        ("", "utilisation (%)", "points behind", ""),
        ("→ a", "95", "", "best"),
        ("  b", "90", "5 ± 1", ""),
    )
    text = terminal.opening(Headline("good", ("Load a.",), ("Basis: 2 runs.",), rows))
    assert text.splitlines()[0] == "Load a."
    assert [line.split()[0] for line in text.splitlines()[-2:]] == ["→", "b"]


def test_the_table_of_designs_folds_its_headings_and_then_its_names() -> None:
    rows = (
        ("", "utilisation (%)", "p95 queueing delay (ms)", "points behind", ""),
        ("→ red:dialect=linux,max_p=0.02", "95", "12", "", "best"),
        ("  droptail", "90", "80", "5 ± 1", "misses the goal"),
    )
    assert terminal.columns(rows, width=100).splitlines()[1:3] == [
        "                                utilisation (%)                (ms)  points behind",
        "→ red:dialect=linux,max_p=0.02               95                  12                 best",
    ]
    assert terminal.columns(rows, width=70).splitlines() == [
        "                                          p95",
        "                      utilisation    queueing  points",
        "                              (%)  delay (ms)  behind",
        "→ red:dialect=linux,           95          12          best",
        "    max_p=0.02",
        "  droptail                     90          80   5 ± 1  misses the goal",
    ]


def test_an_interval_shorter_than_the_round_trip_is_warned_of() -> None:
    base = links.load("link:satellite", duration="3 s")
    queues = ["short=fq_codel", "long=fq_codel:interval=700 ms", "droptail"]
    notes = dc.compare(base, queues=queues, replications=1).document().notes
    (line,) = [note for note in notes if "shorter than the round trip" in note]
    assert line.startswith("Warning: short: its interval of 100 ms")
    near = dc.compare(links.load("link:cable", duration="2 s"), queues=["codel", "droptail"], replications=1)
    assert not [note for note in near.document().notes if "shorter than the round trip" in note]
