"""dropcurve reproduce: repeats published studies and judges each claim."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o


def reproduce(
    studies: Annotated[
        list[str],
        typer.Argument(metavar="STUDY...", help="hassan, wtred, red-at, decnodder, dsilva, all, or a file."),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Few and short runs: a first impression, not an answer.")
    ] = False,
    precision: Annotated[str, o.shared("precision")] = "5%",
    jobs: o.Jobs = None,
    out: Annotated[Path, o.shared("out")] = Path("results/studies"),
    cache: o.Cache = None,
    copy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the study's source to this file, to be changed; run nothing."
        ),
    ] = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Repeat published studies and judge each of their claims.

    Writes for each a page with tables and figures next to the paper's numbers, in Markdown and as HTML, and the
    numbers themselves. Finished runs are stored, so that the same command resumes where it was interrupted. A
    study is a Python file: `docs/guide/own-study.md` shows how to write one.

    \b
    Examples:
      dropcurve reproduce dsilva
      dropcurve reproduce all --quick
      dropcurve reproduce dsilva --copy my_study.py
      dropcurve reproduce my_study.py --quick
    """
    from .. import studies as st
    from ..quantities import values
    from . import console

    share = values.share(precision)
    if copy is not None:
        print(st.copy(studies[0], copy))
        return 0
    chosen = [st.load(name) for name in (list(st.NAMES) if "all" in studies else dict.fromkeys(studies))]
    records = []
    for study in chosen:
        with console.progress(quiet=quiet or json) as progress:
            outcome = st.reproduce(
                study,
                folder=out / "runs" / study.name,
                quick=quick,
                precision=share,
                jobs=jobs,
                cache=cache,
                progress=progress,
            )
        files = st.write(outcome, out)
        records.append(st.record(outcome))
        if quiet:
            print(files[0])
        elif not json:
            print(st.text(outcome, width=console.width()))
            print(f"Page:   {files[0]}, {files[0].with_suffix('.html').name}\n", flush=True)
    if json:
        console.data(records)
    return 0
