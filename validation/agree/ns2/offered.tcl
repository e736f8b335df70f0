# Packets at random instants into one queue of ns-2.35, whatever becomes of them: ns offered.tcl key value ...
# Prints one line of "key=value": counts between `from` and `until`, for the queue and for each flow.

source [file join [file dirname [info script]] common.tcl]
take_options {
    kind RED limit 50 set - rate 10Mb loads 5,6 sizes 1000 from 20 until 120 seed 1
}
set loads [split $o(loads) ,]
set sizes [split $o(sizes) ,]

# ns-2 sets all words of its generator to the seed: neighbours would begin alike.
$defaultRNG seed [expr {($o(seed) * 104729 + 271) % 2147483563}]
for {set i 0} {$i < 100} {incr i} { $defaultRNG next-random }

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $o(rate) 5ms $o(kind)
$ns simplex-link $right $left $o(rate) 5ms DropTail
$ns queue-limit $left $right $o(limit)
set bottleneck [$ns link $left $right]
set queue [$bottleneck queue]
if {$o(set) != "-"} {
    foreach one [split $o(set) ,] {
        lassign [split $one :] name value
        $queue set $name $value
    }
}
set monitor [$ns makeflowmon Fid]
$ns attach-fmon $bottleneck $monitor 0
set waiting [new Integrator]
set delays [new Samples]
$monitor set-pkts-integrator $waiting
$monitor set-delay-samples $delays

# A burst of no length at an exponential distance from the last: a Poisson stream of packets.
for {set i 0} {$i < [llength $loads]} {incr i} {
    set size [lindex $sizes [expr {min($i, [llength $sizes] - 1)}]]
    set source [new Agent/UDP]
    set sink [new Agent/Null]
    $source set packetSize_ $size
    $source set fid_ $i
    $source set class_ $i
    # A node for each flow: some disciplines tell flows by their ends. The way there takes no time worth the name.
    set node [$ns node]
    $ns simplex-link $node $left 100Gb 0ms DropTail
    $ns simplex-link $left $node 100Gb 0ms DropTail
    $ns attach-agent $node $source
    $ns attach-agent $right $sink
    $ns connect $source $sink
    set stream [new Application/Traffic/Exponential]
    $stream set packetSize_ $size
    $stream set burst_time_ 0
    $stream set rate_ 100Gb
    $stream set idle_time_ [expr $size * 8e-6 / [lindex $loads $i]]
    $stream attach-agent $source
    $ns at [$defaultRNG uniform 0 0.1] "$stream start"
}

# Everything that is counted, at one moment.
proc counts {} {
    global ns monitor waiting loads
    $waiting newpoint [$ns now] [$monitor set pkts_]
    set found {}
    foreach name {parrivals_ pdrops_ bdepartures_} { lappend found [$monitor set $name] }
    lappend found [$waiting set sum_]
    for {set i 0} {$i < [llength $loads]} {incr i} {
        set flow [[$monitor classifier] lookup auto 0 0 $i]
        lappend found [$flow set parrivals_] [$flow set pdrops_]
    }
    return $found
}

proc finish {} {
    global before delays o loads
    set span [expr double($o(until) - $o(from))]
    set d {}
    foreach old $before new [counts] { lappend d [expr $new - $old] }
    lassign $d arrivals drops departed packets
    set rest [lrange $d 4 end]
    set rate [expr [string map {Mb e6} $o(rate)]]
    set line [list loss=[expr double($drops) / $arrivals] util=[expr $departed * 8.0 / $span / $rate] \
        qmean=[expr $packets / $span] qdelay_ms=[expr 1e3 * [$delays mean]]]
    for {set i 0} {$i < [llength $loads]} {incr i} {
        lassign $rest arrived lost
        set rest [lrange $rest 2 end]
        lappend line loss_$i=[expr double($lost) / $arrived]
    }
    puts [join $line " "]
    exit 0
}

$ns at $o(from) {set before [counts]; $delays reset}
$ns at $o(until) finish
$ns run
