"""Turns raw traces of ns-2's basics.tcl into the compact form the tests read.

A case is a line `case key=value ...` with the arguments of the run and its totals, then lines of tokens:
`p` packets: <microseconds since the token before><S|A|D|X><number>: data leaves the sender (S), an
acknowledgement arrives at it (A, highest segment in order), data (D) or an acknowledgement (X) is dropped;
`v` sender variables: <tens of microseconds since the token before><letter><value>: cwnd (w), ssthresh (h), and in
seconds rtt (r), srtt (s), rttvar (v), then backoff (b), dupacks (d); the last value at each moment.
"""

import subprocess
import sys
import textwrap
from decimal import Decimal

LETTERS = {"cwnd_": "w", "ssthresh_": "h", "rtt_": "r", "srtt_": "s", "rttvar_": "v", "backoff_": "b", "dupacks_": "d"}


def packets(path):
    last, tokens = 0, []
    for line in open(path):
        f = line.split()
        link, kind = (f[2], f[3]), f[4]
        event = None
        if f[0] == "+" and link == ("0", "1"):
            event = "S"
        elif f[0] == "r" and link == ("1", "0") and kind == "ack":
            event = "A"
        elif f[0] == "d":
            event = "X" if kind == "ack" else "D"
        if event:
            at = int((Decimal(f[1]) * 1000000).to_integral_value())
            tokens.append(f"{at - last}{event}{f[10]}")
            last = at
    return tokens


def variables(path):
    now, state, pending, last, tokens = None, {}, {}, 0, []

    def flush():
        nonlocal last
        for name, value in pending.items():
            if state.get(name) != value:
                state[name] = value
                tokens.append(f"{now - last}{name}{value}")
                last = now

    for line in open(path):
        f = line.split()
        at = int((Decimal(f[0]) * 100000).to_integral_value())
        if at != now:
            flush()
            pending, now = {}, at
        pending[LETTERS[f[5]]] = f"{Decimal(f[6]).normalize():f}"
    flush()
    return tokens


def run(script, out, args):
    """One case: its text."""
    text = subprocess.run(["ns", script, f"out={out}", *args], capture_output=True, text=True, check=True).stdout
    result = next(line for line in text.splitlines() if line.startswith("RESULT"))[7:]
    lines = [f"case {' '.join(args)} {result}"]
    for letter, tokens in (("p", packets(out + ".pkt")), ("v", variables(out + ".var"))):
        lines += textwrap.wrap(" ".join(tokens), 108, initial_indent=letter + " ", subsequent_indent=letter + " ")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for args in sys.stdin:
        if args.strip():
            sys.stdout.write(run(sys.argv[1], sys.argv[2], args.split()))
