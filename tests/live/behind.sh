#!/bin/bash
# A router whose way out is slower than it says, in namespaces that vanish with it: behind.sh PYTHON FOLDER.
set -eu
python=$1 out=$2
dc() { exec "$python" -c "from dropcurve.cli import main; main()" "$@"; }
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mkdir -p /run/netns
ip link set lo up
for n in a b; do ip netns add $n; done
ip link add r0 type veth peer name a0 netns a
ip link add r1 type veth peer name b0 netns b
for i in r0 r1; do ip link set $i up; done
ip link add m1 link r1 type macvlan mode passthru
ip link set m1 up
tc qdisc replace dev r1 root tbf rate 100kbit burst 3000 limit 300000
ip -n a link set a0 up
ip -n b link set b0 up
ip -n a addr add 10.5.0.1/24 dev a0
ip -n b addr add 10.5.0.2/24 dev b0
XDG_RUNTIME_DIR=/run dc live run --in-if r0 --out-if m1 --rate "4 Mbit/s" --queue droptail --metrics 9109 --seconds 600 \
  > "$out/stats.txt" 2> "$out/stderr.txt" &
router=$!
until ls /run/dropcurve-live-*/control > /dev/null 2>&1; do kill -0 $router; sleep 0.05; done
ip netns exec a ping -q -c 1 -w 60 10.5.0.2 > /dev/null
ip netns exec a "$python" -c "
import socket, time
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(100):
    line.sendto(bytes(1000), ('10.5.0.2', 9))
    time.sleep(0.011)
"
"$python" -c "
import urllib.error, urllib.request
try:
    urllib.request.urlopen('http://127.0.0.1:9109/elsewhere')
except urllib.error.HTTPError as error:
    print(error.code)
" > "$out/elsewhere.txt"
for pid in $(pgrep -f dropcurve.live.forwarder); do
  if [ "$(ps -o args= -p $pid | grep -c live.keeper)" = 0 ]; then grep -E "^(CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs)" /proc/$pid/status; fi
done > "$out/rights.txt"
ss -ltunH > "$out/listeners.txt"
kill -TERM $router
wait $router
