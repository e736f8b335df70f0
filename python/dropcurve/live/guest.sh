#!/bin/bash
# First process of the kernel in virtual time: guest.sh PYTHON JOB. Mounts what a lab needs, runs it, and turns off the power.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/run TMPDIR=/run LC_ALL=C PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 DROPCURVE_GUEST=1
mount -t proc proc /proc
mount -t sysfs sys /sys
out=$(dirname "$2")
mount -t tmpfs tmpfs /run
mkdir -p /run/netns /run/out
mount -t hostfs none /run/out -o "$out"
export PYTHONPATH=$(dirname "$(dirname "$(dirname "$0")")")
[ -c /dev/net/tun ] || { mkdir -p /dev/net; mknod /dev/net/tun c 10 200; }
ip link set lo up
sed "s|\"out\": \"$out\"|\"out\": \"/run/out\"|" "$2" > /run/job.json
"$1" -m dropcurve.live.world /run/job.json > /run/out/world.txt 2>&1
busybox poweroff -f
