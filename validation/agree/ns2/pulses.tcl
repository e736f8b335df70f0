# A long transfer and on-off pulses of datagrams through one drop-tail queue, for ns-2.35: ns pulses.tcl key value ...
# Prints the events of the queue as ns-2 traces them. The pulses begin at `first`, the transfer at `start`.

source [file join [file dirname [info script]] common.tcl]
take_options {
    rate 4Mb rtt 0.06 limit 20 mss 1460 minrto 1.0 pulse 12Mb width 0.15 period 1.0 datagram 1000
    start 0.5 first 0.3 until 43
}

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $o(rate) [expr {0.3 * $o(rtt)}] DropTail
$ns simplex-link $right $left $o(rate) [expr {0.3 * $o(rtt)}] DropTail
$ns queue-limit $left $right $o(limit)
$ns queue-limit $right $left 1000
Queue set limit_ 5000

set source [$ns node]
set end [$ns node]
$ns duplex-link $source $left 1000Mb [expr {0.2 * $o(rtt)}] DropTail
$ns duplex-link $right $end 1000Mb 0 DropTail
set tcp [new Agent/TCP/Sack1]
set sink [new Agent/TCPSink/Sack1]
foreach {name value} [list packetSize_ $o(mss) window_ 10000 windowInit_ 10 minrto_ $o(minrto)] { $tcp set $name $value }
$ns attach-agent $source $tcp
$ns attach-agent $end $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at $o(start) "$ftp start"

set source [$ns node]
$ns duplex-link $source $left 1000Mb [expr {0.2 * $o(rtt)}] DropTail
set udp [new Agent/UDP]
set null [new Agent/Null]
$udp set packetSize_ $o(datagram)
$ns attach-agent $source $udp
$ns attach-agent $right $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ $o(datagram)
$cbr set rate_ $o(pulse)
$cbr attach-agent $udp
for {set t $o(first)} {$t < $o(until)} {set t [expr {$t + $o(period)}]} {
    $ns at $t "$cbr start"
    $ns at [expr {$t + $o(width)}] "$cbr stop"
}

$ns trace-queue $left $right [open /dev/stdout w]
$ns at $o(until) {exit 0}
$ns run
