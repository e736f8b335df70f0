# One TFRC flow together with a steady flow of datagrams, for ns-2.35: ns tfrc.tcl key value ...
# drop: positions, from 0, of data packets lost before the first router; adrop: of reports lost after the second.
# knobs: class:variable:value,... out: a file for the trace of queues.

source [file join [file dirname [info script]] path.tcl]
take_options { years 2011 knobs - drop - adrop - limit 1000 delay 100ms datagram 501 until 20 out tfrc.trace }
if {$o(years) == 2000} {
    foreach {name value} {
        rate_init_option_ 1 rate_init_ 1 oldCode_ true useHeaders_ false idleFix_ false maxHeavyRounds_ 1
    } { Agent/TFRC set $name $value }
}
Agent/TFRC set packetSize_ 1000
Agent/TFRC set overhead_ 0
set_variables $o(knobs)

set ns [new Simulator]
lay_path 0.8Mb $o(delay) $o(limit)
lose $o(drop) $source $left
lose $o(adrop) $right $left
set trace [trace_path $o(out)]
add_datagrams $o(datagram)

set sender [new Agent/TFRC]
join_ends $sender [new Agent/TFRCSink]
$ns at 0 "$sender start"
$ns at $o(until) { $ns flush-trace; close $trace; exit 0 }
$ns run
