# What the scripts in this folder have in common: options, variables, and the defaults of 2000.

# Defaults, then "key value ..." of the command line, into the global array o.
proc take_options {defaults} {
    global o argv
    array set o $defaults
    foreach {key value} $argv {
        if {![info exists o($key)]} { error "no key $key" }
        set o($key) $value
    }
}

# "Class:variable:value,...", or - for none.
proc set_variables {list} {
    if {$list == "-"} return
    foreach one [split $list ,] {
        lassign [split $one :] class variable value
        $class set $variable $value
    }
}

# What scripts of the year 2000 ran with, where ns-2.35 has other defaults.
proc as_of_2000 {} {
    foreach {name value} {
        tcpTick_ 0.1 rfc2988_ false minrto_ 0 rtxcur_init_ 6.0 timerfix_ false windowInit_ 1 syn_ false
        delay_growth_ false singledup_ 0 useHeaders_ false precisionReduce_ false exitFastRetrans_ false
        bugfix_ss_ 0 oldCode_ true
    } { Agent/TCP set $name $value }
    Agent/TCP/Newreno set newreno_changes1_ 0
    Agent/TCP/Newreno set partial_window_deflation_ 0
    Agent/TCPSink set ts_echo_bugfix_ false
}
