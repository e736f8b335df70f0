"""Which option of ours a variable of ns-2 stands for."""

from __future__ import annotations

#: Variables that switch an option: its name, the value for on and the value for off.
SWITCHES = {
    "singledup_": ("limited_transmit", "true", "false"),
    "newreno_changes1_": ("partial_ack", '"impatient"', '"slow_but_steady"'),
    "partial_window_deflation_": ("partial_deflation", "true", "false"),
    "exit_recovery_fix_": ("exit_window", '"bare_flight"', '"ssthresh"'),
    "exitFastRetrans_": ("inflate_always", "false", "true"),
    "bugFix_": ("once_a_window", "true", "false"),
    "bugfix_ss_": ("opening_fix", "true", "false"),
    "oldCode_": ("pipe_from_flight", "false", "true"),
    "precisionReduce_": ("arithmetic", '"whole_ssthresh"', '"integer"'),
    "rfc2988_": ("min_after_backoff", "false", "true"),
    "timerfix_": ("timer_after_sample", "true", "false"),
    "timestamps_": ("samples", '"timestamps"', '"per_window"'),
    "syn_": ("handshake", '"ns2_syn"', '"none"'),
    "delay_growth_": ("delay_growth", "true", "false"),
    "ecn_": ("ecn", "true", "false"),
    "RFC2581_immediate_ack_": ("ack_gaps", "true", "false"),
}
#: Variables that are numbers.
NUMBERS = {
    "windowInit_": "initial_window",
    "maxburst_": "max_burst",
    "maxcwnd_": "max_cwnd",
    "numdupacks_": "dupack_threshold",
    "maxSackBlocks_": "sack_blocks",
}
#: Variables that are seconds.
SPANS = {"tcpTick_": "tick", "minrto_": "min_rto", "maxrto_": "max_rto", "interval_": "ack_timeout"}


def options(knobs: str, sink: str) -> dict[str, str]:
    """Options in TOML for a comma list of ``class:variable:value``; those of another kind of sink change nothing."""
    found: dict[str, str] = {}
    for knob in knobs.split(",") if knobs != "-" else []:
        owner, variable, value = knob.split(":")
        if variable == "interval_" and not owner.endswith(f"TCPSink/{sink}"):
            continue
        if variable in SWITCHES:
            name, on, off = SWITCHES[variable]
            found[name] = on if value in ("1", "true") else off
        elif variable in NUMBERS:
            found[NUMBERS[variable]] = value
        else:
            found[SPANS[variable]] = f'"{value} s"'
    return found
