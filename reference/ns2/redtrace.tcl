# N SACK flows through one RED queue; every arrival, departure and drop at the queue, its average and the state of
# the random numbers are saved, so that each decision can be computed again.
source [file join [file dirname [info script]] common.tcl]
parse_args [concat $red_defaults {
    N 5 dur 30 seed 1 buf 50 out rt rate 1.5Mb delay 0.02 cbr 0 profile d235 window 100 mix 0 stoptime 1e9 tcp Sack1
}]
set_profile $opt(profile)
Agent/TCP set window_ $opt(window)
if {$opt(ecn)} { Agent/TCP set ecn_ 1 }
seed_rng $opt(seed)
set ns [new Simulator]
set r1 [$ns node]; set r2 [$ns node]
$ns simplex-link $r1 $r2 $opt(rate) $opt(delay) RED
$ns simplex-link $r2 $r1 $opt(rate) $opt(delay) DropTail
$ns queue-limit $r1 $r2 $opt(buf); $ns queue-limit $r2 $r1 1000
set q [[$ns link $r1 $r2] queue]
config_red $q
set tf [open $opt(out).tr w]
$ns trace-queue $r1 $r2 $tf
set vf [open $opt(out).red w]
$q trace ave_; $q attach $vf
Queue set limit_ 1000
for {set i 0} {$i < $opt(N)} {incr i} {
    set s [$ns node]; set d [$ns node]
    $ns duplex-link $s $r1 10Mb [expr 0.0021371+0.0031773*$i] DropTail
    $ns duplex-link $r2 $d 10Mb 2.2391ms DropTail
    set a($i) [new Agent/TCP/$opt(tcp)]
    set k($i) [new Agent/TCPSink/Sack1]
    if {$opt(mix)} { set m [lindex {1500 750 375} [expr $i%3]] } else { set m 1000 }
    $a($i) set packetSize_ [expr $m-40]
    $ns attach-agent $s $a($i); $ns attach-agent $d $k($i); $ns connect $a($i) $k($i)
    set f($i) [new Application/FTP]; $f($i) attach-agent $a($i)
    $ns at [expr 0.1+0.37*$i] "$f($i) start"
    # an on/off pattern leaves the queue idle now and then
    if {$opt(stoptime) < $opt(dur)} { $ns at $opt(stoptime) "$f($i) stop"; $ns at [expr $opt(stoptime)+6+0.2*$i] "$f($i) produce 200000" }
}
$ns at 0.0 {set rng0 [$defaultRNG all-seeds]}
$ns at $opt(dur) finish
proc finish {} {
    global ns tf vf rng0 defaultRNG q
    $ns flush-trace; close $tf; close $vf
    emit rng0=[join $rng0 :] rng1=[join [$defaultRNG all-seeds] :] bw=$q
    exit 0
}
$ns run
