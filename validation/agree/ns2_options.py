"""Options of ours for the variables of ns-2."""

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
    "ts_resetRTO_": ("echo_ends_backoff", "true", "false"),
    "timestamps_": ("samples", '"timestamps"', '"per_window"'),
    "syn_": ("handshake", '"ns2_syn"', '"none"'),
    "delay_growth_": ("delay_growth", "true", "false"),
    "ecn_": ("ecn", "true", "false"),
    "RFC2581_immediate_ack_": ("ack_gaps", "true", "false"),
    "ts_echo_rfc1323_": ("echo_newest", "false", "true"),
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

#: Variables of ns-2's TFRC: our key and value for theirs. Other options have no equivalent here.
TFRC = {
    "ca_:0": "damping = false",
    "bval_:2": "b = 2",
    "InitRate_:1000": 'first_rate = "8 kbit/s"',
    "tcp_tick_:0.01": 'tick = "10 ms"',
    "minrto_:0.2": 'min_rto = "200 ms"',
    "useHeaders_:true": 'headers = "32 B"',
    "rate_init_option_:2": 'initial_rate = "rfc3390"',
    "maxHeavyRounds_:0": "heavy_rounds = 0",
    "oldCode_:false": "",
    "rate_init_:2": "",
    "idleFix_:true": "",
    "discount_:0": "discount = false",
    "numPkts_:3": "loss_after = 3",
    "PreciseLoss_:0": "loss_new_round = false",
    "overhead_:0.5": "overhead = 0.5",
    "conservative_:true": "cautious = true",
    "smooth_:0": 'mean = "shifted"',
    "NumSamples_:32": "intervals = 32",
    "algo_:2": 'mean = "exponential"\nfirst_interval = "counted"',
    "AdjustHistoryAfterSS_:0": 'first_interval = "counted"',
    "NumFeedback_:2": "reports = 2",
}


def options(settings: str, sink: str) -> dict[str, str]:
    """Options in TOML for a comma list of ``class:variable:value``; those of another kind of sink change nothing."""
    keys: dict[str, str] = {}
    for setting in settings.split(",") if settings != "-" else []:
        owner, variable, value = setting.split(":")
        if variable == "interval_" and not owner.endswith(f"TCPSink/{sink}"):
            continue
        if variable in SWITCHES:
            name, on, off = SWITCHES[variable]
            keys[name] = on if value in ("1", "true") else off
        elif variable in NUMBERS:
            keys[NUMBERS[variable]] = value
        else:
            keys[SPANS[variable]] = f'"{value} s"'
    return keys
