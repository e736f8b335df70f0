#!/bin/bash
# A router between two hosts, all in namespaces that vanish with it: router.sh PYTHON FOLDER KIND, KIND being bridge, queue or queue6.
set -eu
python=$1 out=$2 kind=$3
dc() { exec "$python" -c "from dropcurve.cli import main; main()" "$@"; }
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mkdir -p /run/netns
ip link set lo up
for n in a b; do ip netns add $n; ip -n $n link set lo up; done
ip link add r0 type veth peer name a0 netns a
ip link add r1 type veth peer name b0 netns b
for i in r0 r1; do ip link set $i up; done
ip -n a link set a0 up; ip -n b link set b0 up
if [ "$kind" = bridge ]; then
  ip -n a addr add 10.5.0.1/24 dev a0; ip -n b addr add 10.5.0.2/24 dev b0; far=10.5.0.2
  devices="--in-if r0 --out-if r1"
elif [ "$kind" = queue6 ]; then
  ip addr add fd06::fe/64 dev r0 nodad; ip addr add fd07::fe/64 dev r1 nodad
  ip -n a addr add fd06::1/64 dev a0 nodad; ip -n a route add default via fd06::fe
  ip -n b addr add fd07::1/64 dev b0 nodad; ip -n b route add default via fd07::fe; far=fd07::1
  sysctl -qw net.ipv6.conf.all.forwarding=1
  ip6tables -A FORWARD -o r1 -j NFQUEUE --queue-num 0
  devices="--queue-num 0"
else
  ip addr add 10.6.0.254/24 dev r0; ip addr add 10.7.0.254/24 dev r1
  ip -n a addr add 10.6.0.1/24 dev a0; ip -n a route add default via 10.6.0.254
  ip -n b addr add 10.7.0.1/24 dev b0; ip -n b route add default via 10.7.0.254; far=10.7.0.1
  sysctl -qw net.ipv4.ip_forward=1
  iptables -A FORWARD -o r1 -j NFQUEUE --queue-num 0
  devices="--queue-num 0"
fi
for n in a b; do ip netns exec $n sysctl -qw net.ipv4.tcp_ecn=1; done
dc live run $devices --rate "20 Mbit/s" --queue "codel:ecn=true,target=1 ms,interval=10 ms" \
  --metrics 9109 --record "$out/record" --seconds 600 --json > "$out/stats.json" 2> "$out/stderr.txt" &
router=$!
until ls /run/dropcurve-live-*/control > /dev/null 2>&1; do kill -0 $router; sleep 0.05; done
ip netns exec b iperf3 -s -1 -D
# With -J iperf3 exits with 0 also when nobody listens yet.
until ip netns exec b ss -Hltn sport = :5201 | grep -q .; do kill -0 $router; sleep 0.05; done
until ip netns exec a iperf3 -c $far -n 3M -C cubic -J > "$out/iperf.json"; do kill -0 $router; sleep 0.1; done
"$python" -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9109/metrics').read().decode())" > "$out/metrics.txt"
control=$(ls -d /run/dropcurve-live-*/control)
(dc live set "$control" rate="30 Mbit/s" queue.target="2 ms") > "$out/set.txt"
(dc live set "$control" rate=fast) > /dev/null 2> "$out/refused.txt" || echo "exit $?" >> "$out/refused.txt"
kill -TERM $router
wait $router
# Until the router has ended it may still mark what the sender's buffer holds.
ip netns exec b nstat -asz IpExtInCEPkts Ip6InCEPkts TcpInCsumErrors > "$out/nstat.txt"
