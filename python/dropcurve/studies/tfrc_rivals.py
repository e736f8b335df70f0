"""Flows for the study of Hassan: the transports in TFRC's place, and web sessions together with the long flows."""

from __future__ import annotations

from typing import Any

START, PACKETS = {"start": "uniform 0 s to 5 s"}, {"mss": "1000 B", "headers": "0 B"}
#: Other TCP-friendly transports, in place of TFRC; those that are congestion controls run in TCP with SACK.
RIVALS: dict[str, dict[str, Any]] = {
    "TFRC (2000)": {}, "TFRC (RFC 5348)": {"transport": "tfrc", "profile": "rfc"} | PACKETS,
    "RAP": {"transport": "rap"} | PACKETS, "TEAR": {"transport": "tear"} | PACKETS, "CUBIC": {"cc": "cubic"},
    "LDA+": {"transport": "lda"} | PACKETS, "DRS": {"transport": "drs"} | PACKETS, "Westwood+": {"cc": "westwood"},
    "GAIMD (0.31, 7/8)": {"cc": "gaimd"}, "binomial SQRT": {"cc": "binomial"}, "Vegas": {"cc": "vegas"},
    "binomial IIAD": {"cc": "binomial", "binomial_k": 1, "binomial_l": 0, "binomial_beta": 1.0}, "TCP itself": {},
}  # fmt: skip

#: Web sessions together with four flows of each kind: objects of 12 kB on average, half a second between.
WEB = {"source": "http", "profile": "ns2-2000", "recovery": "sack1", "start": "uniform 0 s to 5 s",
       "size": "pareto 12000 B shape 1.2", "think": "exponential 500 ms"}  # fmt: skip
