"""dropcurve assert: statements about a scenario, for pipelines."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from xml.etree import ElementTree

import typer

from ..metrics.statistics import MAXIMUM, MINIMUM
from ..present.visible import visible
from . import options as o

if TYPE_CHECKING:
    from ..tuning.assertions import CheckedStatement

#: What XML 1.0 has no form for, apart from control characters.
_NOT_IN_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")

Statements = Annotated[
    list[str], typer.Argument(metavar="STATEMENT...", help='Bounds on measures, such as "p95 delay < 20ms".')
]
Queue = Annotated[str | None, o.shared("queue", "default: the scenario's own")]
Junit = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write the outcome as JUnit XML, for pipelines.")
]


def assert_(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of one that ships with dropcurve."),
    ],
    statements: Statements,
    queue: Queue = None,
    changes: o.Set = None,
    duration: o.Duration = None,
    seed: o.Seed = 1,
    replications: Annotated[int, o.shared("replications", "before the first test")] = MINIMUM,
    maximum: Annotated[int, o.shared("maximum", "after that a statement is undecided")] = MAXIMUM,
    jobs: o.Jobs = None,
    cache: o.Cache = None,
    junit: Junit = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Check statements about a scenario, with an exit code for pipelines.

    Runs are added until the 95 % interval of each measure lies on one side of its bound. Exit code 0 means that all
    statements hold, 1 that one fails or that the runs cannot decide it, 2 that the input is wrong. On GitHub Actions
    each failure is also an annotation.

    \b
    Examples:
      dropcurve assert droptail_vs_red "utilisation > 90%" "p95 delay < 150ms"
      dropcurve assert office.toml "mos of call > 4" --queue fq_codel --junit outcome.xml
    """
    from ..runs.variants import with_queue
    from ..tuning import assertions
    from . import console

    base = o.load(scenario, changes=changes, duration=duration)
    if queue is not None:
        base = with_queue(base, queue, "queue")
    with console.progress(quiet=quiet or json) as progress:
        checked = assertions.check(
            base, statements, seed=seed, replications=replications, maximum=maximum, jobs=jobs, cache=cache,
            progress=progress,
        )  # fmt: skip
    if junit is not None:
        _write_junit(junit, base.name, checked)
    if json:
        console.data({"scenario": base.name, "statements": [_record(one) for one in checked]})
    else:
        for one in checked:
            if not quiet or one.judgement != "holds":
                print(one)
            if one.judgement != "holds" and os.environ.get("GITHUB_ACTIONS") == "true":
                print(_annotation(f"dropcurve {base.name}", str(one)))
    return 0 if all(one.judgement == "holds" for one in checked) else 1


def _record(checked: CheckedStatement) -> dict[str, object]:
    return {
        "statement": str(checked.constraint), "judgement": checked.judgement, "mean": checked.measured.mean,
        "half_width": checked.measured.half_width, "runs": checked.measured.n, "unit": checked.constraint.measure.unit,
    }  # fmt: skip


def _annotation(title: str, message: str) -> str:
    """An annotation of GitHub Actions in one line. A name in it cannot end the line, nor begin another command."""
    escapes = {ord("%"): "%25", ord("\r"): "%0D", ord("\n"): "%0A"}
    title = visible(title).translate({**escapes, ord(":"): "%3A", ord(","): "%2C"})
    return f"::error title={title}::{visible(message).translate(escapes)}"


def _xml(text: str) -> str:
    """The text as XML can have it: control characters and halves of characters as escapes."""
    return _NOT_IN_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", visible(text))


def _write_junit(path: Path, name: str, statements: Sequence[CheckedStatement]) -> None:
    """One test case for each statement; raises ResultError if the file cannot be written."""
    from ..files.writing import write_text

    failed = [one for one in statements if one.judgement != "holds"]
    name = _xml(name)
    suite = ElementTree.Element(
        "testsuite", name=f"dropcurve {name}", tests=str(len(statements)), failures=str(len(failed))
    )
    for one in statements:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=_xml(str(one.constraint)))
        if one.judgement != "holds":
            ElementTree.SubElement(case, "failure", type=one.judgement, message=_xml(str(one)))
    write_text(path, ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n")
