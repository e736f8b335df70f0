# Exact RED reference with any variable of Queue/RED: a list of arrivals is offered to one queue, without transport.
# ns redlist.tcl list FILE out NAME seed N rate R delay D buf L var VALUE ...
# FILE holds a line for each packet: microseconds, bytes, 1 if it is ECN-capable. NAME.tr gets the trace of the queue, NAME.ave the
# average and max_p after each arrival; the state of the generator, from which nothing but the queue draws, is printed.
array set opt $argv
foreach key {list out seed rate delay buf} { set $key $opt($key); unset opt($key) }
foreach key [array names opt] { Queue/RED set $key $opt($key) }
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 1000000
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set useHeaders_ false
Agent/TCP set minrto_ 100000
Agent/TCP set maxrto_ 1000000
Agent/TCP set rtxcur_init_ 100000
$defaultRNG seed [expr {($seed * 7919 + 12345) % 2147483563}]
for {set i 0} {$i < 64} {incr i} { $defaultRNG next-random }
set ns [new Simulator]
set a [$ns node]; set b [$ns node]
$ns simplex-link $a $b $rate $delay RED
$ns queue-limit $a $b $buf
set queue [[$ns link $a $b] queue]
set trace [open $out.tr w]
$ns trace-queue $a $b $trace
set averages [open $out.ave w]
set null [new Agent/Null]
$ns attach-agent $b $null
# TCP without a peer or a window sends a packet of its size at once whenever it is told of one more.
proc sender {bytes capable} {
    global ns a null senders
    if {![info exists senders($bytes,$capable)]} {
        set tcp [new Agent/TCP]
        $tcp set packetSize_ $bytes
        $tcp set ecn_ $capable
        $ns attach-agent $a $tcp
        $ns connect $tcp $null
        set senders($bytes,$capable) $tcp
    }
    return $senders($bytes,$capable)
}
proc arrive {sender} {
    global queue averages
    $sender advanceby 1
    puts $averages "[$queue set ave_] [$queue set cur_max_p_]"
}
set file [open $list]
while {[gets $file line] >= 0} {
    foreach {us bytes capable} $line {}
    $ns at [format %.9f [expr {$us * 1e-6}]] "arrive [sender $bytes $capable]"
    set last $us
}
$ns at 0.0 {set before [$defaultRNG all-seeds]}
proc finish {} {
    global ns trace averages before defaultRNG
    $ns flush-trace; close $trace; close $averages
    puts "RESULT before=[join $before :] after=[join [$defaultRNG all-seeds] :]"
    exit 0
}
$ns at [expr {$last * 1e-6 + 60}] finish
$ns run
