# One TCP flow, for ns-2.35: ns single.tcl key value ...
# drop, adrop: positions, from 0, of data packets and of acknowledgements lost on the middle link; mark: of data marked.
# variables: class:variable:value,...  out: files out.packets (trace of queues) and out.windows (changes of cwnd).
# Prints key=value: boot, the offset of the sender's clock in ticks; sent, rtx, timeouts.

source [file join [file dirname [info script]] path.tcl]
take_options {
    tcp Reno sink plain profile d235 window 20 limit 1000 npkts -1 rate 0.8Mb delay 100ms drop - adrop - mark - variables - seed 1
    dur 20 out single
}

if {$o(profile) == "era"} as_of_2000
set_variables $o(variables)
Agent/TCP set window_ $o(window)
# Vegas never adds the header that useHeaders_ stands for.
Agent/TCP set packetSize_ [expr {[Agent/TCP set useHeaders_] && $o(tcp) != "Vegas" ? 960 : 1000}]
Trace set show_tcphdr_ 1

# The clock's offset is a draw of the default generator: the second after the seed, Vegas' the third.
proc start_generator {} {
    global defaultRNG o
    $defaultRNG seed [expr {($o(seed) * 7919 + 12345) % 2147483563}]
    for {set i 0} {$i < 64} {incr i} { $defaultRNG next-random }
}
start_generator
for {set i 0} {$i < ($o(tcp) == "Vegas" ? 3 : 2)} {incr i} { set boot [$defaultRNG uniform 0 1] }
start_generator

set ns [new Simulator]
lay_path $o(rate) $o(delay) $o(limit)
lose $o(drop) $left $right
lose $o(mark) $left $right true
lose $o(adrop) $right $left
set trace [trace_path $o(out).packets]
set sender [expr {$o(tcp) == "Tahoe" ? [new Agent/TCP] : [new Agent/TCP/$o(tcp)]}]
set receiver [expr {$o(sink) == "plain" ? [new Agent/TCPSink] : [new Agent/TCPSink/$o(sink)]}]
join_ends $sender $receiver
set windows [open $o(out).windows w]
$sender attach $windows
$sender trace cwnd_
set ftp [new Application/FTP]
$ftp attach-agent $sender
$ns at 0 [expr {$o(npkts) > 0 ? "$sender advanceby $o(npkts)" : "$ftp start"}]
$ns at $o(dur) {
    $ns flush-trace
    close $trace
    close $windows
    puts "boot=$boot sent=[$sender set ndatapack_] rtx=[$sender set nrexmitpack_] timeouts=[$sender set nrexmit_]"
    exit 0
}
$ns run
