#!/bin/sh
# Records ns-2 again and writes crates/queue/tests/traces/red/ns2_*.txt. Run from the root; needs `ns` (2.35).
set -e
root=$(pwd)
work=$(mktemp -d)
cp reference/ns2/*.tcl "$work"

# record NAME "ARGUMENTS OF NS" W_Q MEAN_PACKET KEYS... (the weight and packet size ns-2 uses; the keys of our queue)
record() {
    name=$1 run=$2 w_q=$3 mean=$4
    shift 4
    (cd "$work" && ns redtrace.tcl out="$name" $run | tail -1 >"$name.res")
    before=$(sed 's/.*rng0=\([^ ]*\).*/\1/' "$work/$name.res")
    after=$(sed 's/.*rng1=\([^ ]*\).*/\1/' "$work/$name.res")
    python3 -m reference.ns2_red "$work/$name" "crates/queue/tests/traces/red/ns2_$name.txt" \
        run="$run" states="$before,$after" ns_w_q="$w_q" ns_mean="$mean" "$@"
}

limit="limit=50 pkts"
dialect="dialect=ns2_explicit"
record plain "dur=15" 0.002 1000 "$dialect" "$limit"
record gentle "dur=15 gentle=true" 0.002 1000 "$dialect" "$limit" above_max=gentle
record nowait "dur=15 wait=false" 0.002 1000 "$dialect" "$limit" spacing=pseudocode
record bytes "dur=15 bytes=true mix=1" 0.002 1000 "$dialect" "$limit" byte_mode=ns2
record gentle_bytes "dur=3 gentle=true bytes=true mix=1" 0.002 1000 "$dialect" "$limit" above_max=gentle byte_mode=ns2
record qib "dur=10 qib=true bytes=true mix=1 stoptime=2" 0.002 1000 "$dialect" "$limit" byte_mode=ns2 unit=bytes
record ecn "dur=4 ecn=1 setbit=true gentle=true N=8" 0.002 1000 "$dialect" "$limit" above_max=gentle ecn=true
record ecn_markp "dur=4 ecn=1 setbit=true gentle=true markp=true N=8" 0.002 1000 "$dialect" "$limit" above_max=gentle ecn=true forced_as_early=true mark_limit=0.1
record small "dur=3 buf=12 minth=3 maxth=9 N=8 wq=0.02" 0.02 1000 "$dialect" "limit=12 pkts" "min_th=3 pkts" "max_th=9 pkts" w_q=0.02
record markp "dur=3 markp=true N=8" 0.002 1000 "$dialect" "$limit" forced_as_early=true
# 1 - exp(-1 / (10 R C)), R = max(0.1, 3 (0.02 + 1 / C)), C = 1.5e6 / (8 * 500)
record defaults "dur=4 mix=1 untouched=1" 0.0026631142694990556 500 dialect=ns2 "$limit"

# Lists of packets with any variable drawn.
for n in 5 17 18 20 40 41 56 58 60 81 84 100 102 105 106 109 112 116; do
    python3 -m reference.ns2_red_list $n $((n + 1)) crates/queue/tests/traces
done
