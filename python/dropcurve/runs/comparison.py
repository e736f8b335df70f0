"""Several variants of a scenario under the same random numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..metrics import statistics
from ..quantities import values
from ..quantities.arguments import checked
from ..results import Result
from ..scenario import Scenario
from . import command_line
from .effort import PRECISE, Effort
from .replicate import replicate
from .replications import Progress
from .variants import variants


@checked
def compare(
    scenario: Scenario | str | Path | Sequence[Scenario | str | Path],
    *,
    queues: Iterable[str] = (),
    vary: Mapping[str, Sequence[Any]] | None = None,
    at: str = "queue",
    seed: int = 1,
    replications: int | None = None,
    precision: float | None = None,
    on: Sequence[str] = PRECISE,
    maximum: int = statistics.MAXIMUM,
    jobs: int | None = None,
    out: str | Path | None = None,
    force: bool = False,
    cache: str | Path | None = None,
    progress: Progress | None = None,
    asked: Mapping[str, str] | None = None,
) -> Result:
    """Compares variants under the same seeds; ``print(result)`` shows table and verdict.

    The variants are every combination of scenario, queue and value of ``vary``; the first is the baseline. Without any
    of these they are the ones that the ``INDEX.toml`` next to the scenario names.

    Args:
        scenario: A scenario, the path of its file, the name of one that ships with dropcurve, or several of these.
        queues: Disciplines such as ``"droptail"`` or ``"red:dialect=ns2,max_p=0.1"``, with a name of their own as in
            ``"classic=red:max_p=0.1"``. One alone is compared with the scenario as it is.
        vary: Values by path, such as ``{"flows.tcp.count": [2, 20]}``.
        at: Path at which the queues are set.
        seed, replications, precision, on, maximum, jobs: As for `run`.
        out, force, cache, progress: As for `run`.
        asked: Options of the verdict by name, goal and exchange, which the stored command states with the rest.

    Returns:
        The result, with a table of all variants and their paired differences from the baseline.

    Raises:
        UsageError: There are fewer than two variants.
        DropcurveError: A variant or a value is refused, or a folder cannot be written.

    Example:
        >>> print(dropcurve.compare("droptail_vs_red", queues=["droptail", "codel"]))
    """
    effort = Effort(seed, replications, precision, tuple(on), maximum, jobs)
    queues = list(queues)
    given = [scenario] if isinstance(scenario, (Scenario, str, Path)) else list(scenario)
    bases = [one if isinstance(one, Scenario) else Scenario.load(one) for one in given]
    if not bases:
        raise UsageError("scenario", "", "not given, so there is nothing to compare", "name a scenario")
    compared = variants(bases, queues=queues, vary=dict(vary or {}), at=at)
    command = command_line.line(
        "compare",
        [one.origin or f"{one.name}.toml" for one in bases],
        [
            *command_line.edits(bases[0].edits),
            *(("queue", queue) for queue in queues),
            *([] if at == "queue" else [("at", at)]),
            *(
                ("vary", f"{path}={','.join(map(values.show_item, some))}")
                for path, some in (vary or {}).items()
            ),
            *effort.options(), *(asked or {}).items(),
        ],
    )  # fmt: skip
    if any(one.edits != bases[0].edits for one in bases):
        command = ""  # no command line can express it
    name = "-vs-".join(dict.fromkeys(one.name for one in bases))
    return replicate(
        compared, effort, name=name, command=command, out=out, force=force, cache=cache, progress=progress
    )
