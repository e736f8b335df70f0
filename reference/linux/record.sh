#!/bin/sh
# Records a Linux kernel again and writes crates/queue/tests/traces/linux. Run from the root. Needs the kernel of
# ../shared/linux-oracle (User Mode Linux in virtual time; $ORACLE says where else), iproute2, ethtool, busybox; a quarter of an hour.
# record.sh NAME...: these cases only.
set -e
oracle=$(cd "${ORACLE:-../shared/linux-oracle}" && pwd)
here=$(pwd)/reference/linux
out=$(mktemp -d)
cp "$here/drive.py" "$out"
python3 -m reference.linux.cases plan "$out" "$@"
timeout -k 5 3600 "$oracle/linux-um" mem=768M root=/dev/root rootfstype=hostfs rootflags=/ ro init="$here/guest" \
    ssl=null con=null con0=fd:0,fd:1 quiet seccomp=on time-travel=inf-cpu time-travel-start=1700000000000000000 \
    detseed=7 OUTDIR="$out" </dev/null
cat "$out/log.txt"
python3 -m reference.linux.cases digest "$out"
