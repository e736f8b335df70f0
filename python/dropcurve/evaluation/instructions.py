"""Instructions that one arrival and one departure take in each discipline, at its defaults.

Written by `tools/bench/cost.py` with docs/disciplines/cost.md, which says how they are counted.
"""

#: By discipline.
INSTRUCTIONS = {
    "ared": 492,
    "avq": 235,
    "blue": 211,
    "cake": 920,
    "choke": 622,
    "cobalt": 318,
    "codel": 308,
    "curve": 595,
    "droptail": 190,
    "drr": 516,
    "dtred": 331,
    "dualpi2": 270,
    "erd": 215,
    "feng": 488,
    "fq_cobalt": 494,
    "fq_codel": 485,
    "fq_pie": 510,
    "fred_flow": 521,
    "fred_refined": 565,
    "gred": 591,
    "nlred": 366,
    "pi": 234,
    "pie": 302,
    "prio": 576,
    "red": 356,
    "red_at": 313,
    "red_size": 303,
    "rem": 276,
    "rio": 482,
    "rtred": 502,
    "sfb": 1098,
    "sfq": 468,
    "wred": 386,
    "wtred": 299,
}
