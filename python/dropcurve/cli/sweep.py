"""dropcurve sweep: a scenario at many settings; dropcurve query: SQL over a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .trust import Cluster, with_trust

ScenarioFile = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A TOML file, or the name of one that ships with dropcurve.")
]
Vary = Annotated[list[str] | None, o.shared("vary", "or a range, queue.max_p=0.01..0.5; repeatable")]
Queue = Annotated[list[str] | None, o.shared("queue", "repeatable")]
Points = Annotated[
    int | None, typer.Option(metavar="N", help="Points drawn from all ranges together (default: 64).")
]
Method = Annotated[
    str, typer.Option(metavar="NAME", help="How the points are drawn: sobol, latin or random.")
]
SharedStore = Annotated[Path | None, o.shared("store", "default: runs/ in the result's folder")]


@with_trust
def sweep(
    scenario: ScenarioFile,
    vary: Vary = None,
    queue: Queue = None,
    at: o.At = "queue",
    points: Points = None,
    method: Method = "sobol",
    changes: o.Set = None,
    duration: o.Duration = None,
    seed: o.Seed = 1,
    replications: o.Replications = None,
    jobs: o.Jobs = None,
    cluster: Cluster = None,
    out: o.Out = None,
    force: o.Force = False,
    store: SharedStore = None,
    cache: o.Cache = None,
    metric: o.Metric = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Run one scenario at many settings and store every run in a table.

    Lists make a grid; ranges are sampled together. Every run is stored once, as a row of a Parquet table, so that the
    same command resumes after an interruption and a larger one adds only the missing runs.

    \b
    Examples:
      dropcurve sweep droptail_vs_red --vary queue.max_p=0.02,0.1,0.5 --vary flows.tcp.count=4,16,64
      dropcurve sweep droptail_vs_red --vary "queue.max_p=0.01..0.5 log" --vary flows.tcp.count=2..64 --points 100
      dropcurve sweep droptail_vs_red --queue droptail --queue red --queue codel --vary flows.tcp.count=2,8,32
      dropcurve query results/droptail_vs_red-sweep-1a2b3c4d "select queue, avg(loss) from runs group by all"
    """
    from ..metrics import find, split
    from ..quantities import values
    from ..runs import sweeping
    from ..runs.sweeping.design import points as design
    from . import console

    for name in metric or []:
        find(split(name)[0])
    base = o.load(scenario, changes=changes, duration=duration)
    settings = values.variations(vary or [])
    design_points = design(
        base, settings, queues=queue or [], at=at, samples=points, method=method, seed=seed
    )
    folder = o.folder(out, f"{base.name}-sweep", seed, [point.scenario.hash for point in design_points])
    try:
        with console.progress(quiet=quiet or json) as progress:
            answer = sweeping.sweep(
                base, settings, queues=queue or [], at=at, points=points, method=method, seed=seed,
                replications=replications, jobs=jobs, cluster=cluster, out=folder, force=force, store=store,
                cache=cache,
                progress=None if progress is None else lambda done, needed: progress(done, needed, done / needed),
            )  # fmt: skip
    except KeyboardInterrupt:
        note = f"interrupted; finished runs are stored in {folder}; the same command resumes from there"
        raise console.Interrupted(note) from None
    if json:
        console.data(answer.record | {"points": plain(answer, metric or [])})
    elif not quiet:
        print(answer.to_text(only=metric or []))
        console.again(answer.record["command"])
    if not json:
        print(folder if quiet else f"Folder: {folder}")
    return 0


def plain(answer: object, only: list[str]) -> list[dict[str, object]]:
    """The means of a sweep as plain data."""
    from dataclasses import asdict, is_dataclass

    from ..runs.sweeping import Sweep

    assert isinstance(answer, Sweep)
    return [
        {
            name: asdict(cell) if is_dataclass(cell) and not isinstance(cell, type) else cell
            for name, cell in row.items()
        }
        for row in answer.means(only)
    ]


def query(
    folder: Annotated[Path, typer.Argument(metavar="SWEEP_FOLDER", help="The result folder of `sweep`.")],
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="One statement over the views runs and points.")
    ] = "DESCRIBE runs",
    store: SharedStore = None,
    unsafe: Annotated[
        bool,
        typer.Option("--unsafe", help="Take any statement: it can access the network and all your files."),
    ] = False,
    json: o.Json = False,
) -> int:
    """Query the runs of a sweep with SQL.

    Without SQL it lists the columns. It takes one statement that only reads, from the files of this sweep alone, so
    that the folder and the SQL may come from a stranger.

    \b
    Examples:
      dropcurve query results/droptail_vs_red-sweep-1a2b3c4d
      dropcurve query FOLDER "select queue_max_p, avg(utilisation) from runs group by all order by 1"
    """
    from ..runs.sweeping import Sweep, database
    from . import console

    relation = Sweep.load(folder, store=store).query(sql, unsafe=unsafe)
    if json:
        rows = database.rows(relation) if relation is not None else []
        console.data([dict(zip(relation.columns, row, strict=True)) for row in rows])
    elif relation is not None:
        print(database.shown(relation))
    return 0
