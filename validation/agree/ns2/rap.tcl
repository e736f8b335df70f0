# One RAP flow together with a steady flow of datagrams, for ns-2.35: ns rap.tcl key value ...
# fine: with fine-grain adaptation. rate: of the middle link.
# drop: positions, from 0, of data packets lost before the first router; adrop: of reports lost after the second.
# out: a file for the trace of queues.

source [file join [file dirname [info script]] path.tcl]
take_options { fine 0 drop - adrop - limit 1000 delay 100ms rate 0.8Mb datagram 501 until 10 out rap.trace }

set ns [new Simulator]
lay_path $o(rate) $o(delay) $o(limit)
lose $o(drop) $source $left
lose $o(adrop) $right $left
set trace [trace_path $o(out)]
add_datagrams $o(datagram)

# Steps of the rate should not fall on departures.
Agent/RAP set alpha_ 1.1
Agent/RAP set useFineGrain_ $o(fine)
set sender [new Agent/RAP]
join_ends $sender [new Agent/RAP]
$ns at 0 "$sender start"
$ns at $o(until) { $ns flush-trace; close $trace; exit 0 }
$ns run
