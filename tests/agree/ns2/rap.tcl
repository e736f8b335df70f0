# One RAP flow beside a steady flow of datagrams, for ns-2.35: ns rap.tcl key value ...
# The datagrams keep arrivals off the exact round trips at which the last bit of a sum would decide.
# fine: with fine-grain adaptation. rate: of the middle link.
# drop: positions, from 0, of data packets lost before the first router; adrop: of reports lost after the second.
# out: a file for the trace of queues.

array set o { fine 0 drop - adrop - limit 1000 delay 100ms rate 0.8Mb datagram 501 until 10 out rap.trace }
foreach {key value} $argv {
    if {![info exists o($key)]} { error "no key $key" }
    set o($key) $value
}

set ns [new Simulator]
foreach name {source other left right sink} { set $name [$ns node] }
$ns duplex-link $source $left 8Mb 0.1ms DropTail
$ns duplex-link $other $left 8Mb 0.1ms DropTail
$ns duplex-link $left $right $o(rate) $o(delay) DropTail
$ns duplex-link $right $sink 8Mb 0.1ms DropTail
foreach {from to} [list $source $left $left $source $other $left $right $left $right $sink $sink $right] {
    $ns queue-limit $from $to 1000
}
$ns queue-limit $left $right $o(limit)
proc lose {numbers from to} {
    if {$numbers == "-"} return
    set losses [new ErrorModel/List]
    $losses unit pkt
    $losses droplist [split $numbers ,]
    [Simulator instance] lossmodel $losses $from $to
}
lose $o(drop) $source $left
lose $o(adrop) $right $left
set trace [open $o(out) w]
foreach {from to} [list $source $left $left $source $left $right $right $left] { $ns trace-queue $from $to $trace }

set datagrams [new Agent/UDP]
set void [new Agent/Null]
$datagrams set packetSize_ 1500
$ns attach-agent $other $datagrams
$ns attach-agent $sink $void
$ns connect $datagrams $void
set steady [new Application/Traffic/CBR]
$steady set packetSize_ $o(datagram)
$steady set interval_ [expr $o(datagram) * 8.0 / 548000]
$steady attach-agent $datagrams
$ns at 0.001 "$steady start"

# Steps of the rate should not fall on departures.
Agent/RAP set alpha_ 1.1
Agent/RAP set useFineGrain_ $o(fine)
set sender [new Agent/RAP]
set receiver [new Agent/RAP]
$ns attach-agent $source $sender
$ns attach-agent $sink $receiver
$ns connect $sender $receiver
$ns at 0 "$sender start"
$ns at $o(until) { $ns flush-trace; close $trace; exit 0 }
$ns run
