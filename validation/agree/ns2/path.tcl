# The path of Fall and Floyd (1996) for runs of one flow, read by the scripts in this folder:
# source - 8 Mbit/s 0.1 ms - left - `rate` `delay` - right - 8 Mbit/s 0.1 ms - sink.

source [file join [file dirname [info script]] common.tcl]

# The nodes, as global names; `limit` holds for the queue of the middle link alone.
proc lay_path {rate delay limit} {
    global ns source left right sink
    foreach name {source left right sink} { set $name [$ns node] }
    $ns duplex-link $source $left 8Mb 0.1ms DropTail
    $ns duplex-link $left $right $rate $delay DropTail
    $ns duplex-link $right $sink 8Mb 0.1ms DropTail
    foreach {from to} [list $source $left $left $source $right $left $right $sink $sink $right] {
        $ns queue-limit $from $to 1000
    }
    $ns queue-limit $left $right $limit
}

# Loses the packets at these positions, from 0, or marks them; - for none.
proc lose {positions from to {mark false}} {
    if {$positions == "-"} return
    set losses [new ErrorModel/List]
    $losses unit pkt
    $losses droplist [split $positions ,]
    if {$mark} { $losses set markecn_ true }
    [Simulator instance] lossmodel $losses $from $to
}

# Traces the first two hops of data and the last two of acknowledgements.
proc trace_path {name} {
    global ns source left right
    set file [open $name w]
    foreach {from to} [list $source $left $left $source $left $right $right $left] {
        $ns trace-queue $from $to $file
    }
    return $file
}

# Datagrams at 548 kbit/s next to the flow keep arrivals off the exact round trips at which the last bit of a sum would
# decide.
proc add_datagrams {size} {
    global ns left sink
    set other [$ns node]
    $ns duplex-link $other $left 8Mb 0.1ms DropTail
    $ns queue-limit $other $left 1000
    set datagrams [new Agent/UDP]
    set void [new Agent/Null]
    $datagrams set packetSize_ 1500
    $ns attach-agent $other $datagrams
    $ns attach-agent $sink $void
    $ns connect $datagrams $void
    set steady [new Application/Traffic/CBR]
    $steady set packetSize_ $size
    $steady set interval_ [expr $size * 8.0 / 548000]
    $steady attach-agent $datagrams
    $ns at 0.001 "$steady start"
}

# One flow from source to sink.
proc join_ends {sender receiver} {
    global ns source sink
    $ns attach-agent $source $sender
    $ns attach-agent $sink $receiver
    $ns connect $sender $receiver
}
