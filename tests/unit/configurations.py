"""Configurations of boxes that tests of several subjects read."""

from __future__ import annotations

SQM = """# uplink
tc qdisc add dev eth1 root handle 1: htb default 10
tc class add dev eth1 parent 1: classid 1:10 htb rate 2mbit ceil 2mbit
tc qdisc add dev eth1 parent 1:10 handle 10: pfifo limit 100
tc filter add dev eth1 parent 1: prio 1 u32 match ip dport 22 0xffff flowid 1:10
"""
IOS = """policy-map WAN
 class VOICE
  priority percent 10
 class BULK
  bandwidth percent 40
  random-detect
  random-detect precedence 0 6 12 10
 class class-default
  queue-limit 64 packets
!
interface GigabitEthernet0/1
 service-policy output WAN
"""
SECTION = """config queue 'wan'
	option enabled '1'
	option interface 'pppoe-wan'
	option download '18000'
	option upload '1800'
	option qdisc 'fq_codel'
	option script '{script}'
	option linklayer 'atm'
	option overhead '44'
"""
ROUTEROS_TREE = """/queue type
add kind=pcq name=pcq-up pcq-rate=0 pcq-limit=50KiB pcq-total-limit=2000KiB pcq-classifier=src-address
add kind=sfq name=lan sfq-perturb=10
/queue tree
add name=up parent=ether1 max-limit=20M queue=pcq-up packet-mark=up
add name=lan parent=bridge max-limit=100M \\
    queue=pcq-up packet-mark=lan
/queue interface
set [ find default-name=ether2 ] queue=ethernet-default
"""
