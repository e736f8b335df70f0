# Long transfers through one bottleneck, for ns-2.35: ns dumbbell.tcl key value ...
# Prints one line of "key=value": counts between `from` and `until`, as the recorded tables have them.

source [file join [file dirname [info script]] common.tcl]
take_options {
    rate 10Mb delay 5ms aqm RED buf 60 minth 5 maxth 15 maxp 0.1 wq 0.002 wait true gentle false adaptive 0 bytes false qib false
    meanpkt 552 back 1000 redback 0 near 10Mb nearlow 0.001 nearhigh 0.005 far - fardelay 1ms
    tcp Reno sink TCPSink window 1000 sizes 552 each 5 years 2000 tick - overhead 0 starts 1 from 20 until 100 seed 1
}

proc use_red {queue} {
    global o
    foreach {name value} [list bytes_ $o(bytes) queue_in_bytes_ $o(qib) thresh_ $o(minth) maxthresh_ $o(maxth) \
        mean_pktsize_ $o(meanpkt) q_weight_ $o(wq) linterm_ [expr 1.0/$o(maxp)] gentle_ $o(gentle) wait_ $o(wait) \
        adaptive_ $o(adaptive) use_mark_p_ false setbit_ false] { $queue set $name $value }
}

if {$o(years) == 2000} as_of_2000
if {$o(tick) != "-"} { Agent/TCP set tcpTick_ $o(tick) }
Agent/TCP set window_ $o(window)
Agent/TCP set overhead_ $o(overhead)
# ns-2 sets all words of its generator to the seed: neighbours would begin alike.
$defaultRNG seed [expr {($o(seed) * 104729 + 271) % 2147483563}]
for {set i 0} {$i < 100} {incr i} { $defaultRNG next-random }

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $o(rate) $o(delay) $o(aqm)
$ns simplex-link $right $left $o(rate) $o(delay) [expr {$o(redback) ? "RED" : "DropTail"}]
$ns queue-limit $left $right $o(buf)
$ns queue-limit $right $left $o(back)
set bottleneck [$ns link $left $right]
if {$o(aqm) == "RED"} { use_red [$bottleneck queue] }
if {$o(redback)} { use_red [[$ns link $right $left] queue] }
set monitor [$ns makeflowmon Fid]
$ns attach-fmon $bottleneck $monitor [expr {$o(aqm) == "RED"}]
set waiting [new Integrator]
set waiting_bytes [new Integrator]
set delays [new Samples]
$monitor set-pkts-integrator $waiting
$monitor set-bytes-integrator $waiting_bytes
$monitor set-delay-samples $delays
Queue set limit_ 5000

set senders {}
set class 0
foreach size $o(sizes) {
    for {set i 0} {$i < $o(each)} {incr i} {
        set source [$ns node]
        set step [expr {$o(each) > 1 ? double($i) / ($o(each) - 1) : 0}]
        $ns duplex-link $source $left $o(near) [expr $o(nearlow) + $step * ($o(nearhigh) - $o(nearlow))] DropTail
        if {$o(far) == "-"} { set end $right } else {
            set end [$ns node]
            $ns duplex-link $right $end $o(far) $o(fardelay) DropTail
        }
        set tcp [new Agent/TCP/$o(tcp)]
        set sink [new Agent/$o(sink)]
        $tcp set packetSize_ [expr {[Agent/TCP set useHeaders_] ? $size - 40 : $size}]
        $tcp set fid_ $class
        $ns attach-agent $source $tcp
        $ns attach-agent $end $sink
        $ns connect $tcp $sink
        set ftp [new Application/FTP]
        $ftp attach-agent $tcp
        $ns at [$defaultRNG uniform 0 $o(starts)] "$ftp start"
        lappend senders [list $size $class $tcp $sink]
    }
    incr class
}

set samples 0
set sampled 0.0
proc sample {} {
    global ns bottleneck samples sampled
    incr samples
    set sampled [expr $sampled + [[$bottleneck queue] set ave_]]
    $ns at [expr [$ns now] + 0.01] sample
}

# Everything that is counted, at one moment.
proc counts {} {
    global ns monitor waiting waiting_bytes senders o
    $waiting newpoint [$ns now] [$monitor set pkts_]
    $waiting_bytes newpoint [$ns now] [$monitor set size_]
    set found {}
    foreach name {parrivals_ pdrops_ epdrops_ bdepartures_} { lappend found [$monitor set $name] }
    lappend found [$waiting set sum_] [$waiting_bytes set sum_]
    foreach sender $senders {
        lassign $sender size class tcp sink
        lappend found [$sink set bytes_] [$tcp set nrexmit_]
    }
    for {set class 0} {$class < [llength $o(sizes)]} {incr class} {
        set flow [[$monitor classifier] lookup auto 0 0 $class]
        if {$flow == ""} { lappend found 0 0 } else { lappend found [$flow set parrivals_] [$flow set pdrops_] }
    }
    return $found
}

proc finish {} {
    global before delays senders o samples sampled
    set span [expr double($o(until) - $o(from))]
    set d {}
    foreach old $before new [counts] { lappend d [expr $new - $old] }
    lassign $d arrivals drops early departed packets bytes
    set rest [lrange $d 6 end]
    set total 0.0; set squares 0.0; set timeouts 0
    foreach sender $senders {
        lassign $sender size class
        lassign $rest got fired
        set rest [lrange $rest 2 end]
        set rate [expr $got * 8.0 / $span]
        set total [expr $total + $rate]
        set squares [expr $squares + $rate * $rate]
        incr timeouts $fired
        set good($class) [expr {[info exists good($class)] ? $good($class) + $rate : $rate}]
    }
    set rate [expr [string map {Mb e6} $o(rate)]]
    set line [list goodput_bps=$total jain=[expr $total * $total / ([llength $senders] * $squares)] timeouts=$timeouts \
        loss=[expr double($drops) / $arrivals] plr=[expr double($drops) / $arrivals] drops=$drops \
        early_frac=[expr {$drops ? double($early) / $drops : 0}] util=[expr $departed * 8.0 / $span / $rate] \
        qmean=[expr $packets / $span] qmean_bytes=[expr $bytes / $span] \
        qdelay_ms=[expr 1e3 * [$delays mean]] ave_mean=[expr {$samples ? $sampled / $samples : 0}]]
    set class 0
    foreach size $o(sizes) {
        lassign $rest arrived lost
        set rest [lrange $rest 2 end]
        lappend line good_$size=[expr $good($class) / 1e6] plr_$size=[expr double($lost) / $arrived]
        incr class
    }
    puts [join $line " "]
    exit 0
}

$ns at $o(from) {set before [counts]; $delays reset; if {$o(aqm) == "RED"} sample}
$ns at $o(until) finish
$ns run
