"""Names that `list` and `describe` know besides those of scenarios: goals, measures, boxes and verbs."""

from __future__ import annotations

from ..boxes import ALIASES, BOXES
from ..metrics import find, split
from ..tuning.goal_presets import PRESETS
from ..tuning.measures import measure, names
from ..tuning.stress.parameters import listed as bounds
from .verbs import VERBS

#: Words of answers and errors that are no names of things.
TERMS = {
    "bottleneck": "the link whose queue is judged; in a scenario the one of its [dumbbell]",
    "bounds": "the traffic that `stress` may choose: keys of a TOML file, shown by `dropcurve list bounds`",
    "buffer": "the most that may wait in a queue, in packets, bytes, milliseconds of the link or bandwidth-delay "
    "products: 100pkts, 1.5MB, 50ms, 1bdp",
    "DROPCURVE_JOBS": "the environment variable for --jobs, before the configuration file",
    "DROPCURVE_OUT": "the environment variable for --out: the folder that results go into",
    "exchange": "the points of utilisation that a delay counts as in a verdict, and a page that takes twice as long, "
    "video, and loss: --exchange 1ms=0.5,page:2x=10,video:1Mbit=5,loss:1%=5",
    "flows": "the tables [flows.NAME] of a scenario, a group of senders each; as an option long TCP flows at a time",
    "goal": "what a search looks for and a verdict weighs: a preset such as balanced, or measures with bounds such as "
    "'p95 delay < 15ms, max utilisation'",
    "half-width": "half of a confidence interval: 3.5 ± 0.2 is the interval from 3.3 to 3.7",
    "margin": "the difference that matters: two designs within it are equal",
    "measure": "what a goal can name; `dropcurve list measures` shows all",
    "paired": "of two designs under the same random numbers, so that differences are sharper than either value",
    "points": "percentage points of utilisation, the unit of a score; a delay counts by the exchange rate",
    "replication": "one run of several that differ in their random numbers alone",
    "score": "the weighted sum of a goal, in points: more is better",
    "tail drop": "the queue that drops an arrival only when it is full: droptail",
    "undecided": "the runs are too few to separate two designs; the answer names one, and the replications that would "
    "decide",
    "verdict": "the first sentence of an answer: what to load or keep, what that buys and costs",
}
#: Words of routers, and their counterparts here.
ROUTER_WORDS = {
    "fair-queue": "fair queues of IOS: drr",
    "random-detect": "WRED of IOS: wred",
    "queue-limit": "the limit of a queue",
    "llq": "low-latency queueing, a priority queue above others: prio",
    "priority": "a queue served first: prio",
    "drop-profile": "the drop curve of Junos: curve",
    "pfifo": "tail drop of tc in packets: droptail",
    "bfifo": "tail drop of tc in bytes: droptail",
    "pfifo_fast": "three bands of tail drop: prio",
    "police": "a policer of tc or IOS: policer",
    "policer": "cuts traffic to a rate without a queue; an import names its rate and what it does to the queue",
    "shaper": "a rate above a queue, so that the queue forms there: --shape",
}


def sections() -> dict[str, list[tuple[str, ...]]]:
    """Rows of (name, description) by the title of their list."""
    measures = [(name, _measured(name)) for name in dict.fromkeys(names()) if " " in name or name.isalpha()]
    return {
        "goals": [(name, f"a goal: {about}") for name, about in PRESETS.items()],
        "measures": [row for row in measures if row[1]],
        "boxes": [
            *((name, "a box whose configuration `import` reads and `export` writes") for name in BOXES),
            *((name, f"another name of {box}") for name, box in ALIASES.items()),
        ],
        "bounds": bounds(),
        "terms": list(TERMS.items()),
        "router words": list(ROUTER_WORDS.items()),
        "verbs": [(name, one.help) for name, one in VERBS.items()],
    }


def _measured(name: str) -> str:
    """The metric behind the name of a measure."""
    key = split(measure(name).key)[0]
    return f"{find(key).title}: {key}"
