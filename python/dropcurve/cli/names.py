"""Names that `list` and `describe` know besides those of scenarios: goals, measures, boxes and verbs."""

from __future__ import annotations

from ..boxes import ALIASES, BOXES
from ..metrics import find, split
from ..quantities import wording
from ..scenario import library
from ..tuning.goal_presets import PRESETS
from ..tuning.measures import measure, names
from ..tuning.stress.parameters import listed as bounds
from .verbs import VERBS, command

#: Words of answers and errors that do not name an entry of another list.
TERMS = {
    "AccECN": "ECN feedback that counts the marks of a round trip: accecn of a flow, needed by dctcp and prague",
    "acknowledgement": "the packet by which a receiver reports what it has; it waits in the queue of the other "
    "direction",
    "as good": "within the equivalence margin of the recommended design, for sure: take either",
    "backlog": "the bytes in a queue: queue_bytes_mean",
    "band": "a queue of a strict priority, served only while those before it are empty: prio",
    "common random numbers": "the same random streams for every design of a comparison, so that only the queue "
    "differs",
    "config.toml": "the file of defaults in ~/.config/dropcurve: options for all verbs, and a table for each verb",
    "computer": "the device at the home's end of --link with the long transfers",
    "laptop": "the device at the home's end of --link with pages and calls",
    "television": "the device at the home's end of --link with video and games",
    "DSCP": "the six bits of a packet by which routers choose its class: class of a flow, such as EF",
    "EF": "expedited forwarding, DSCP 46, the class of calls: a priority queue serves it first",
    "equivalence margin": "the difference below which two designs are as good: margin, a point by default",
    "feasible": "of a design: it holds every constraint of the goal",
    "incumbent": "the best feasible design that a search has so far",
    "L4S": "low latency, low loss, scalable throughput (RFC9330): senders such as prague, with ECT(1), and dualpi2",
    "preset": "a named set of values: a link such as cable, or a goal such as voip",
    "RACK": "loss detection by time instead of by duplicate acknowledgements (RFC8985): recovery of a flow",
    "scheduler": "of a router: what decides which of its queues sends next: prio, drr, htb",
    "stalled time": "the share of a viewing during which a video stands still: video_stalled",
    "transient": "the start of a run, before its queue and windows have settled; the warm-up must cover it",
    "warm-up": "the start of a run that is not measured: run.warmup",
    "agreement": "of a queue and a sender with recorded runs of Linux and ns-3: `dropcurve agree`",
    "all runs": "in place of a half-width: every replication has this value, so that there is no scatter to make an "
    "interval of",
    "AQM": "active queue management: disciplines that drop or mark before the queue is full: `dropcurve list "
    "disciplines`",
    "bdp": "the bandwidth-delay product, rate times round trip, as the unit of a buffer: --buffer 1bdp",
    "bufferbloat": "the delay of a buffer that loss-based senders keep full: see `dropcurve fix 20/2`",
    "dialect": "the options by which an implementation or a paper differs from others of the same name: red:ns2",
    "E-model": "the call quality of ITU-T G.107, from delay and loss: mos",
    "Holm": "Holm's correction for many comparisons at once: of all signs of a table together at most 5 % of such "
    "tables have a wrong one",
    "marking": "of ECN: the queue sets a code point instead of dropping, and the sender slows down: --ecn",
    "MSER-5": "the rule that finds the end of the transient in the runs, which the warm-up must cover (White 1997)",
    "p95": "the value that 95 % of the packets stay below: 'p95 delay < 20ms'",
    "page load time": "from the request of a web page to the last of its objects: page_ms_mean",
    "round trip": "base round-trip time, without any queue: --rtt 20-80ms",
    "call": "the flows of --link that stand for voice calls, judged by delay and loss or by mos: --link cable,calls=4",
    "cookie": "of TCP Fast Open (RFC7413), by which a known client sends data at once: not simulated; handshake of a "
    "flow tells how its connection opens",
    "game": "the thin flow of --link that stands for a game, judged by p95 delay and loss: --goal gaming",
    "headroom": "capacity that is left free: by bbr3 for other flows, by a shaper's rate below that of the line so "
    "that the queue forms at the shaper",
    "home": "a line with its own router: `dropcurve fix 20/2` judges its queues in both directions",
    "wifi": "a radio link: its airtime, aggregation and retries are not simulated; --link with its lasting rate and a "
    "range of round trips judges the queue in front of it: 50/50,rtt=10-60ms",
    "bottleneck": "the link whose queue is judged; in a scenario the one of its [dumbbell]",
    "answer": "what the wizard asks for: a number of its list, or a value of the kind that it names",
    "assignment": "a value for a key of a scenario: --set queue.max_p=0.1",
    "bound": "the largest or least value of a measure that a goal accepts: 'p95 delay < 15ms'",
    "bounds": "the traffic that `stress` may choose: keys of a TOML file, shown by `dropcurve list bounds`",
    "buffer": "the largest size of a queue, in packets, bytes, milliseconds of the link or bandwidth-delay "
    "products: 100pkts, 1.5MB, 50ms, 1bdp",
    "configuration": "the text of a router that `fix` and `import` read and `export` writes",
    "direction": "of a link's queue: down or up, as in --link dsl:up",
    "discipline": "the rule by which a queue keeps, drops, marks and sends packets: `dropcurve list disciplines`",
    "DROPCURVE_JOBS": "the environment variable for --jobs, before the configuration file",
    "DROPCURVE_OUT": "the environment variable for --out: the folder that results go into",
    "exchange": "the points of utilisation that a delay counts as in a verdict, and a page that takes twice as long, "
    "video, and loss: --exchange 1ms=0.5,page:2x=10,video:1Mbit=5,loss:1%=5",
    "figure": "a drawing of a result: `dropcurve list plots`",
    "file": "a path that a command reads or writes; - is standard input",
    "flows": "the tables [flows.NAME] of a scenario, a group of senders each; as an option long TCP flows at a time",
    "goal": "the objective and constraints of a search and of a verdict: a preset such as balanced, or measures with "
    "bounds such as 'p95 delay < 15ms, max utilisation'",
    "half-width": "half of a confidence interval: 3.5 ± 0.2 is the interval from 3.3 to 3.7",
    "harm": "what `stress` maximises: a goal, or a measure such as p95 delay",
    "interface": "a network device of this machine, for `live`: eth0",
    "kind": 'the key of a queue that names its discipline: kind = "red"',
    "margin": "the difference that matters: two designs within it are equal",
    "measure": "what a goal can name; `dropcurve list measures` shows all",
    "process": "the command itself, in messages about memory and threads",
    "command": "the command line that repeats an answer",
    "format": "of a figure: svg, pdf or png",
    "printed": "a number that a paper prints, which `reproduce` compares with",
    "quantity": "a measure of a claim, with a class or link",
    "scenario": "a network with its queues, flows and times, as TOML: `dropcurve list scenarios`",
    "text": "of a configuration or scenario, as a file holds it",
    "tool": "a verb as agents call it through `mcp`",
    "value": "what a key or an option is set to",
    "variation": "values of a key to compare: --vary queue.max_p=0.02,0.1",
    "worker": "a process of a Dask cluster that makes runs",
    "change": "a key of a running queue and its new value, for `live set`",
    "number": "a value without a unit",
    "paired": "of two designs under the same random numbers, so that differences are sharper than either value",
    "plug-in": "a file with disciplines, congestion controls, sources or metrics of your own: --plugin FILE",
    "points": "percentage points of utilisation, the unit of a score; a delay counts by the exchange rate",
    "replication": "one run of several that differ in their random numbers alone",
    "score": "the weighted sum of a goal, in points: more is better",
    "statement": "what `assert` checks: a measure with a bound, such as 'p95 delay < 15ms'",
    "study": "a published experiment that `reproduce` repeats: `dropcurve list studies`",
    "tail drop": "the queue that drops an arrival only when it is full: droptail",
    "undecided": "the runs are too few to separate two designs; the answer names one, and the replications that would "
    "decide",
    "variants": "the scenarios that `compare` runs under the same random numbers",
    "verb": "the first word of a command: `dropcurve --help` lists them",
    "verdict": "the first sentence of an answer: the queue to load or keep, with its gains and costs",
}
#: Words of routers, and their counterparts here.
ROUTER_WORDS = {
    "limit-at": "the rate that RouterOS guarantees a leaf of a queue tree while the others are busy",
    "fair-queue": "fair queues of IOS: drr",
    "random-detect": "WRED of IOS: wred",
    "avpkt": "the mean packet of RED in tc, in bytes, by which its weight is found",
    "buffer-size": "the limit of a queue in Junos, as a share or a time",
    "depth": "the depth of a PIE estimate in tc: not simulated",
    "drop_enqueue": "where DualPI2 of tc drops: at arrival or at departure",
    "enabled": "whether sqm-scripts set the queue up",
    "loss-priority": "the colours of Junos that choose a drop profile",
    "mq-pfifo": "tail drop of RouterOS on each hardware queue: droptail",
    "ack-filter": "of CAKE: drops redundant acknowledgements: ack_filter",
    "ingress": "of CAKE: the shaper counts packets that are dropped, because the slow link lies before it",
    "nat": "of CAKE: finds the hosts behind address translation; without it `translated` makes them one",
    "nodrop": "RED of tc that marks what may be marked and drops at the limit alone",
    "precedence": "the class of a packet by its first three bits, which WRED has a curve for",
    "queue-num": "the number of a netfilter queue, for `live run`",
    "sched": "a scheduler of dummynet: fq_codel, fq_pie, wf2q+ and others",
    "drop-profiles": "drop curves of Junos: curve",
    "ewma": "the weight of RED's average in tc and dummynet: w_q",
    "linklayer": "the framing of the line in sqm-scripts: simulated on the link, below any queue",
    "max-limit": "the rates of a simple queue in RouterOS",
    "memlimit": "the limit of CAKE in bytes, with its overhead for each packet",
    "netem": "delay and loss of an emulated path in tc: not simulated as part of a queue",
    "pcq": "queues of RouterOS, one for each address: sfq by that address",
    "pcq-classifier": "parts of an address that the packets of one queue of RouterOS's PCQ have in common",
    "pcq-dst-address-mask": "length of the prefix that counts as one address in RouterOS's PCQ: simulated as 32",
    "pcq-rate": "bound of RouterOS on the rate of each address: not simulated",
    "pcq-src-address-mask": "length of the prefix that counts as one address in RouterOS's PCQ: simulated as 32",
    "queue-management-profile": "the drop curve of OpenConfig: wred",
    "transmit-rate": "the rate that Junos guarantees a queue while the others are busy",
    "ifb": "the device of Linux to which arriving packets are redirected, to be queued",
    "scheduler-maps": "the queues of an interface in Junos",
    "script": "the kind of set-up of sqm-scripts: simple.qos, simplest.qos or piece_of_cake.qos",
    "step_thresh": "the sojourn time above which DualPI2 marks scalable packets",
    "queue-limit": "the limit of a queue",
    "service-policy": "the policy of an interface or of a class above",
    "llq": "low-latency queueing, a priority queue above others: prio",
    "priority": "a queue served first: prio",
    "drop-profile": "the drop curve of Junos: curve",
    "pfifo": "tail drop of tc in packets: droptail",
    "bfifo": "tail drop of tc in bytes: droptail",
    "pfifo_fast": "three bands of tail drop: prio",
    "police": "a policer of tc or IOS, here a discipline: policer; an import names its rate and its effect",
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
        "references": list(library.references().items()),
        "router words": list(ROUTER_WORDS.items()),
        "verbs": [(name, one.help) for name, one in VERBS.items()],
    }


def options() -> list[tuple[str, ...]]:
    """Every option of the verbs by its name without hyphens, with the verbs that take it; the help is that of the
    first."""
    by_option: dict[str, tuple[str, list[str]]] = {}
    for verb in VERBS:
        for one in command(verb).params:
            if one.param_type_name != "option" or one.hidden or "--help" in one.opts:
                continue
            name = max(one.opts, key=len).lstrip("-")
            by_option.setdefault(name, (" ".join((one.help or "").split()), []))[1].append(verb)
    return [
        (name, f"{help} An option of {wording.listed(verbs)}.") for name, (help, verbs) in by_option.items()
    ]


def _measured(name: str) -> str:
    """The metric behind the name of a measure."""
    key = split(measure(name).key)[0]
    return f"{find(key).title}: {key}"
