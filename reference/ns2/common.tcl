# Shared helpers for the ns-2.35 reference experiments.
# Usage of every script:  ns <script>.tcl key=value key=value ...
# Each script prints one line "RESULT key=value ..." (parsed by runlib.py).

proc parse_args {defaults} {
    global argv opt
    array set opt $defaults
    foreach a $argv {
        set i [string first = $a]
        if {$i < 1} { error "bad argument $a (want key=value)" }
        set k [string range $a 0 [expr $i-1]]
        if {![info exists opt($k)]} { error "unknown key $k" }
        set opt($k) [string range $a [expr $i+1] end]
    }
}

# The default RNG is MRG32k3a with all six state words = seed.  Small seeds give
# correlated first draws, so spread them and burn 64 draws.
proc seed_rng {s} {
    global defaultRNG
    $defaultRNG seed [expr {($s * 7919 + 12345) % 2147483563}]
    for {set i 0} {$i < 64} {incr i} { $defaultRNG next-random }
}
proc urand {lo hi} { global defaultRNG; return [$defaultRNG uniform $lo $hi] }

# profile "d235": untouched ns-2.35 defaults for TCP, sink, TFRC.
# profile "era" : the values that ns-default.tcl documents as the defaults before
#                 each dated change, i.e. what ns-2.1b6 (1999/2000) scripts ran with.
proc set_profile {p} {
    if {$p == "d235"} { return }
    if {$p != "era"} { error "unknown profile $p" }
    Agent/TCP set tcpTick_ 0.1
    Agent/TCP set rfc2988_ false
    Agent/TCP set minrto_ 0
    Agent/TCP set rtxcur_init_ 6.0
    Agent/TCP set timerfix_ false
    Agent/TCP set windowInit_ 1
    Agent/TCP set syn_ false
    Agent/TCP set delay_growth_ false
    Agent/TCP set singledup_ 0
    Agent/TCP set useHeaders_ false
    Agent/TCP set precisionReduce_ false
    Agent/TCP set exitFastRetrans_ false
    Agent/TCP set bugfix_ss_ 0
    Agent/TCP set oldCode_ true
    Agent/TCP/Newreno set newreno_changes1_ 0
    Agent/TCP/Newreno set partial_window_deflation_ 0
    Agent/TCPSink set ts_echo_bugfix_ false
    Agent/TFRC set rate_init_option_ 1
    Agent/TFRC set rate_init_ 1
    Agent/TFRC set oldCode_ true
    Agent/TFRC set useHeaders_ false
    Agent/TFRC set idleFix_ false
    Agent/TFRC set maxHeavyRounds_ 1
}

# knobs: comma list of Class:var:value applied with "Class set var value" after the profile,
# e.g. Agent/TFRC:ca_:0,Queue/RED:wait_:false
proc apply_knobs {k} {
    if {$k == "-" || $k == ""} { return }
    foreach item [split $k ,] {
        set f [split $item :]
        [lindex $f 0] set [lindex $f 1] [lindex $f 2]
    }
}

# One RED configuration, everything explicit.
proc config_red {q} {
    global opt
    if {$opt(untouched)} return
    global opt
    $q set bytes_ $opt(bytes)
    $q set queue_in_bytes_ $opt(qib)
    $q set thresh_ $opt(minth)
    $q set maxthresh_ $opt(maxth)
    $q set mean_pktsize_ $opt(meanpkt)
    $q set q_weight_ $opt(wq)
    $q set linterm_ [expr 1.0/$opt(maxp)]
    $q set gentle_ $opt(gentle)
    $q set wait_ $opt(wait)
    $q set adaptive_ $opt(adaptive)
    $q set use_mark_p_ $opt(markp)
    $q set setbit_ $opt(setbit)
}
set red_defaults {bytes false qib false minth 5 maxth 15 meanpkt 1000 wq 0.002 maxp 0.1 gentle false wait true adaptive 0 markp false setbit false ecn 0 untouched 0}

proc emit {args} { puts "RESULT [join $args { }]" }
proc f6 {x} { return [format %.6g $x] }
