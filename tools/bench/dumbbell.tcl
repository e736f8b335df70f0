# The work of crates/sim/benches/runs/dumbbell.rs in ns-2: SACK flows through gentle RED on a dumbbell; with a QUEUE through
# that one, and with HOPS through as many links in a row.
#
#   ns tools/bench/dumbbell.tcl FLOWS SECONDS [red | droptail | sfq] [HOPS]
#
# As many Mbit/s as flows, a buffer of 100 ms with the thresholds at 1/8 and 3/8 of it, access links ten times as fast with
# delays from 0.5 to 20 ms, an acknowledgement for each segment, an initial window of ten segments, a timeout of at least a
# second. RED spaces drops as the paper does (no `wait_`); ns-2 drops early only where two packets are queued. Prints one line: segments delivered, nanoseconds of
# processor for each in the event loop, and seconds of processor for everything before it. No trace is written.

set kinds {red RED droptail DropTail sfq SFQ}
lassign [concat $argv [lrange {0 0 red 1} $argc end]] flows seconds kind hops
if {$argc < 2 || ![dict exists $kinds $kind]} {
    puts stderr "usage: ns dumbbell.tcl FLOWS SECONDS ?red | droptail | sfq? ?HOPS?"
    exit 2
}

# CPU time of this process, in nanoseconds.
proc cpu_ns {} {
    set file [open /proc/self/schedstat]
    set ns [lindex [read $file] 0]
    close $file
    return $ns
}

set built_from [cpu_ns]
set ns [new Simulator]
set buffer [expr {$flows * 1000000 / 10 / 8 / 1500}]

Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set gentle_ true
Queue/RED set q_weight_ 0.002
Queue/RED set linterm_ 10
Queue/RED set wait_ false
Queue/RED set thresh_ [expr {max($buffer / 8, 2)}]
Queue/RED set maxthresh_ [expr {max(3 * $buffer / 8, 6)}]
Queue/SFQ set maxqueue_ $buffer
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 10
Agent/TCP set minrto_ 1

# Routes are given: computing them for two thousand nodes takes a minute and is not part of the comparison.
$ns rtproto Manual
set routers [list [$ns node]]
for {set hop 0} {$hop < $hops} {incr hop} {
    set a [lindex $routers end]
    set b [$ns node]
    $ns simplex-link $a $b ${flows}Mb 10ms [dict get $kinds $kind]
    $ns simplex-link $b $a ${flows}Mb 10ms DropTail
    $ns queue-limit $a $b $buffer
    $ns queue-limit $b $a 1000
    lappend routers $b
}
set left [lindex $routers 0]
set right [lindex $routers end]
[$left get-module "Manual"] add-route-to-adj-node -default [lindex $routers 1]
[$right get-module "Manual"] add-route-to-adj-node -default [lindex $routers end-1]

# Routers inside a chain know the hosts at both ends.
proc add_inner_routes {source destination} {
    global ns routers
    for {set at 1} {$at < [llength $routers] - 1} {incr at} {
        lassign [lrange $routers [expr {$at - 1}] [expr {$at + 1}]] before router behind
        set table [$router get-module "Manual"]
        $table add-route [$source node-addr] [[$ns link $router $before] head]
        $table add-route [$destination node-addr] [[$ns link $router $behind] head]
    }
}

set random [new RNG]
$random seed 1
set sinks {}
for {set i 0} {$i < $flows} {incr i} {
    set share [expr {$flows > 1 ? double($i) / ($flows - 1) : 0.5}]
    set delay [expr {0.5 + 19.5 * $share}]ms
    set source [$ns node]
    set destination [$ns node]
    $ns duplex-link $source $left [expr {10 * $flows}]Mb $delay DropTail
    $ns duplex-link $right $destination [expr {10 * $flows}]Mb $delay DropTail
    foreach {a b} [list $source $left $right $destination] {
        $ns queue-limit $a $b 1000
        $ns queue-limit $b $a 1000
    }
    foreach {router host} [list $left $source $right $destination] {
        [$router get-module "Manual"] add-route-to-adj-node $host
        [$host get-module "Manual"] add-route-to-adj-node -default $router
    }
    add_inner_routes $source $destination
    set tcp [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $source $tcp
    $ns attach-agent $destination $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [$random uniform 0 1] "$ftp start"
    lappend sinks $tcp
}

# The set-up ends with the first event.
proc begin {} {
    global started
    set started [cpu_ns]
}

proc finish {} {
    global started built_from sinks
    set loop [expr {[cpu_ns] - $started}]
    set segments 0
    foreach tcp $sinks {
        incr segments [$tcp set ack_]
    }
    set each [expr {double($loop) / $segments}]
    set before [expr {($started - $built_from) / 1e9}]
    puts [format "%d segments, %.1f ns each in the event loop, %.2f s before it" $segments $each $before]
    exit 0
}

$ns at 0 begin
$ns at $seconds finish
$ns run
