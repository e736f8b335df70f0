#!/bin/sh
# Records a Linux kernel again and writes crates/queue/tests/traces/linux. Run from the root. Needs the kernel of
# ../shared/linux-oracle (User Mode Linux in virtual time; $ORACLE says where else), iproute2, ethtool, busybox; a quarter of an hour.
# record.sh NAME...: these cases only; record.sh acks: the filter of acknowledgements.
set -e
oracle=$(cd "${ORACLE:-../shared/linux-oracle}" && pwd)
here=$(pwd)/reference/linux
out=$(mktemp -d)
plan=reference.linux.cases drive=drive.py
[ "$*" != acks ] || { plan=reference.linux.acks drive=acks_drive.py; shift; }
cp "$here/drive.py" "$here/acks_drive.py" "$out"
python3 -m "$plan" plan "$out" "$@"
timeout -k 5 3600 "$oracle/linux-um" mem=768M root=/dev/root rootfstype=hostfs rootflags=/ ro init="$here/guest" \
    ssl=null con=null con0=fd:0,fd:1 quiet seccomp=on time-travel=inf-cpu time-travel-start=1700000000000000000 \
    detseed=7 OUTDIR="$out" DRIVE="$drive" </dev/null
cat "$out/log.txt"
python3 -m "$plan" digest "$out"
