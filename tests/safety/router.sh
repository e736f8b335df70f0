#!/bin/bash
# A router between two veth pairs, in namespaces that vanish with it: router.sh PYTHON FOLDER CASE.
# CASE: deleted or moved (an interface goes), down (it goes down and comes back), rights (what the processes may do).
set -eu
python=$1 out=$2 case=$3
dc() { "$python" -c "from dropcurve.cli import main; main()" "$@"; }
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mkdir -p /run/netns /run/mine
ip netns add a; ip netns add other
ip link add r0 type veth peer name a0 netns a
ip link add r1 type veth peer name b0
for i in r0 r1 b0; do ip link set $i up; done
ip -n a link set a0 up
XDG_RUNTIME_DIR=/run/mine "$python" -c "from dropcurve.cli import main; main()" live run --in-if r0 --out-if r1 \
  --rate "4 Mbit/s" --queue droptail --json > "$out/stats.json" 2> "$out/stderr.txt" &
router=$!
until control=$(ls -d /run/mine/dropcurve-live-*/control 2> /dev/null); do kill -0 $router; sleep 0.05; done
case $case in
deleted) ip link del r1 ;;
moved) ip link set r0 netns other ;;
down)
  ip link set r0 down; sleep 1.5; kill -0 $router; ip link set r0 up
  # What crosses after that is counted.
  ip netns exec a "$python" -c "
import socket, time
line = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
line.bind(('a0', 0))
for _ in range(40):
    line.send(bytes(12) + b'\x88\xb5' + bytes(100))
    time.sleep(0.05)"
  dc live stats "$control" --json > "$out/after.json"
  kill -TERM $router ;;
rights)
  stat -c "%a %n" "$(dirname "$control")" "$control" > "$out/modes.txt"
  keeper=$(pgrep -P $router); forwarder=$(pgrep -P $keeper)
  grep -E "^(CapPrm|CapEff|CapInh|NoNewPrivs|Seccomp):" /proc/$keeper/status > "$out/keeper.txt"
  grep -E "^(CapPrm|CapEff|CapInh|NoNewPrivs|Seccomp):" /proc/$forwarder/status > "$out/forwarder.txt"
  for change in rate="0 bit/s" delay="600 s" queue.kind=nosuch; do
    dc live set "$control" "$change" 2>> "$out/refused.txt" && echo taken >> "$out/refused.txt" || true
  done
  "$python" - "$control" >> "$out/raw.txt" <<'P'
import sys
from dropcurve.live.forwarder import control
for values in ({"rate": "0 bit/s"}, {"delay": "600 s"}):
    with control(sys.argv[1]) as line:
        try:
            print(line.ask("set", values=values))
        except Exception as error:
            print(error)
P
  kill -TERM $router ;;
esac
code=0; wait $router || code=$?
echo $code > "$out/code.txt"
ls /run/mine > "$out/left.txt"
