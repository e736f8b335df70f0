"""Shapers: a token bucket filter, and a hierarchical token bucket, from their descriptions in tc-tbf(8) and tc-htb(8);
and a policer, from RFC 2697.

Tokens are nanoseconds of a rate, as whole numbers. A packet's class is its flow number, and the leaf of class k is the
k-th leaf of the list.
"""

from collections import deque

from reference.line import Model

NS = 1_000_000_000


class Bucket:
    """Tokens that grow with time up to those of `burst` bytes."""

    def __init__(self, rate, burst):
        self.rate, self.most = rate, self.cost(burst, rate)
        self.tokens, self.at = self.most, 0

    @staticmethod
    def cost(size, rate):
        return size * 8 * NS // rate if rate else 0

    def now_has(self, now):
        return min(self.most, self.tokens + now - self.at)

    def take(self, size, now):
        self.tokens, self.at = self.now_has(now) - self.cost(size, self.rate), now

    def has_at(self, tokens):
        """When there is this number of tokens, which may be in the past."""
        return self.at + max(0, tokens - self.tokens)


class TokenBucketFilter(Model):
    """A plain queue behind one bucket, and a second one for the peak rate."""

    def __init__(self, limit, rate, burst, peak=0, mtu=1514):
        super().__init__()
        self.limit, self.queue, self.burst = limit, deque(), min(burst, mtu) if peak else burst
        self.buckets = [Bucket(rate, burst)] + ([Bucket(peak, mtu)] if peak else [])
        self.wakes = None

    def enqueue(self, now, packet):
        if len(self.queue) >= self.limit or packet.size > self.burst:
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        if not self.queue or (self.wakes is not None and self.wakes > now):
            return None
        size = self.queue[0].size
        wakes = max(bucket.has_at(bucket.cost(size, bucket.rate)) for bucket in self.buckets)
        if wakes > now:
            self.wakes = wakes
            return None
        self.wakes = None
        for bucket in self.buckets:
            bucket.take(size, now)
        return self.queue.popleft()

    def ready(self):
        return self.wakes


class TokenBucketPolicer(Model):
    """A plain queue behind a bucket that drops what it does not hold the tokens for (RFC 2697, one bucket)."""

    def __init__(self, limit, rate, burst):
        super().__init__()
        self.limit, self.queue, self.bucket = limit, deque(), Bucket(rate, burst)

    def enqueue(self, now, packet):
        if self.bucket.now_has(now) < self.bucket.cost(packet.size, self.bucket.rate):
            self.end(packet)
            return
        self.bucket.take(packet.size, now)
        if len(self.queue) >= self.limit:
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        return self.queue.popleft() if self.queue else None


class Class:
    """A class: its place, the class above, its buckets, and for a leaf its queue."""

    def __init__(self, number, above, rate, ceil, quantum, prio=0, burst=1600):
        self.number, self.above, self.quantum, self.prio = number, above, quantum, prio
        self.own, self.top, self.queue = Bucket(rate, burst), Bucket(ceil, burst), deque()
        self.below, self.deficits, self.next_below = [], {}, {}
        if above:
            above.below.append(self)

    @property
    def level(self):
        return 1 + max(one.level for one in self.below) if self.below else 0

    def line(self):
        """Itself and all above."""
        return [self, *(self.above.line() if self.above else [])]

    def mode(self, now):
        if self.top.now_has(now) < 0:
            return "cannot send"
        return "can send" if self.own.now_has(now) >= 0 else "may borrow"

    def lender(self, now):
        for one in self.line():
            mode = one.mode(now)
            if mode != "may borrow":
                return one if mode == "can send" else None
        return None

    def able_at(self):
        times, worst = [], 0
        for one in self.line():
            worst = max(worst, one.top.has_at(0))
            times.append(max(worst, one.own.has_at(0)))
        return min(times)


class HierarchicalTokenBucket(Model):
    """Leaves within their rate first, then those that borrow from the first level above, and so on."""

    def __init__(self, limit, classes):
        super().__init__()
        self.limit, self.classes = limit, classes
        self.leaves = [one for one in classes if not one.below]
        self.next_at = {}

    def waiting(self):
        return [leaf for leaf in self.leaves if leaf.queue]

    def enqueue(self, now, packet):
        if sum(len(leaf.queue) for leaf in self.leaves) >= self.limit:
            self.end(packet)
        else:
            self.leaves[packet.flow].queue.append(packet)

    def able(self, now):
        """The leaves that may send, each with its lender."""
        some = [(leaf, leaf.lender(now)) for leaf in self.waiting()]
        return [(leaf, lender) for leaf, lender in some if lender]

    @staticmethod
    def after(place, numbers):
        """The first of some classes after a place; none stands for the start."""
        return min((number for number in numbers if number > place), default=None)

    def settle(self, now):
        """A round that stands at a class which can send no more continues with the next that can, or to the start,
        where it waits until it is needed."""
        able = self.able(now)
        for (level, prio), place in self.next_at.items():
            there = [its.number for leaf, its in able if (its.level, leaf.prio) == (level, prio)]
            if place is not None and place not in there:
                self.next_at[level, prio] = self.after(place, there)

    def dequeue(self, now):
        self.settle(now)
        able = self.able(now)
        if not able:
            return None
        level, prio = min((lender.level, leaf.prio) for leaf, lender in able)
        able = [(leaf, lender) for leaf, lender in able if (lender.level, leaf.prio) == (level, prio)]
        at, lender = self.look_up(level, prio, able)
        packet = at.queue.popleft()
        self.account(at, lender, able, packet.size, now)
        self.settle(now)
        return packet

    def account(self, leaf, lender, able, size, now):
        level, prio = lender.level, leaf.prio
        for one in leaf.line():
            if one.level >= level:
                one.own.take(size, now)
            else:
                one.own.take(0, now)
            one.top.take(size, now)
        left = leaf.deficits.get(level, 0) - size
        if left < 0:
            left += leaf.quantum
            self.pass_on(leaf, lender, level, prio, able)
        leaf.deficits[level] = left

    def look_up(self, level, prio, able):
        """The leaf whose turn it is, and its lender. A class whose round has come to its end starts it again, and it is
        the turn of the class after it."""
        row = {its.number: its for _, its in able}
        while True:
            place = self.next_at.get((level, prio))
            at = lender = row[min(row) if place is None else place]
            self.next_at[level, prio] = lender.number
            while at.below:
                children = self.children(at, lender, able)
                place = at.next_below.get(prio)
                later = [number for number in children if place is not None and number >= place]
                if not later:
                    at.next_below[prio] = min(children)
                    self.pass_on(at, lender, level, prio, able)
                    break
                at.next_below[prio] = min(later)
                at = children[min(later)]
            else:
                return at, lender

    @staticmethod
    def children(at, lender, able):
        """Classes right below one through which a leaf borrows from the lender, by number."""
        lines = [leaf.line() for leaf, its in able if its is lender]
        return {one.number: one for one in at.below if any(one in line for line in lines)}

    def pass_on(self, at, lender, level, prio, able):
        """It is the turn of the class after this one, or the round above it has come to its end."""
        if at is lender:
            self.next_at[level, prio] = self.after(at.number, [its.number for _, its in able])
        else:
            at.above.next_below[prio] = self.after(at.number, self.children(at.above, lender, able))

    def ready(self):
        return min((leaf.able_at() for leaf in self.waiting()), default=None)


def tree():
    """Two inner classes below a root of 6 Mbit/s, with two leaves each, one of them urgent."""
    mbit = 1_000_000
    root = Class(0, None, 6 * mbit, 6 * mbit, 75000)
    left = Class(1, root, 2 * mbit, 4 * mbit, 25000)
    right = Class(2, root, 4 * mbit, 6 * mbit, 50000)
    leaves = [
        Class(3, left, mbit, 4 * mbit, 1500),
        Class(4, left, mbit, 2 * mbit, 3000),
        Class(5, right, 3 * mbit, 6 * mbit, 3000, prio=1),
        Class(6, right, mbit, 6 * mbit, 1500, prio=1),
    ]
    return [root, left, right, *leaves]


def traces():
    """A bucket, one with a peak rate, a policer, a round robin, and a tree."""
    like = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
    tbf = {"limit": "30 pkts", "rate": "5 Mbit/s", "burst": "4000 B"}
    yield "tbf", "rate", TokenBucketFilter(30, 5_000_000, 4000), tbf, like
    peak = {**tbf, "peak_rate": "7 Mbit/s", "mtu": "1514 B"}
    yield "tbf", "peak", TokenBucketFilter(30, 5_000_000, 4000, 7_000_000), peak, like
    policer = {"limit": "30 pkts", "rate": "5 Mbit/s", "burst": "4000 B"}
    yield "policer", "rate", TokenBucketPolicer(30, 5_000_000, 4000), policer, like
    flows = {**like, "count": 1500, "flows": 3}
    weights = [Class(i, None, 0, 0, quantum) for i, quantum in enumerate((3000, 1500, 1000))]
    table = "[{ quantum = 3000 B }, { quantum = 1500 B }, { quantum = 1000 B }]"
    keys = {"limit": "30 pkts", "classes": table, "leaf_of": "[0, 1, 2]"}
    yield "htb", "round_robin", HierarchicalTokenBucket(30, weights), keys, flows
    rows = (
        "rate = 6 Mbit/s; quantum = 75000 B",
        "parent = 0; rate = 2 Mbit/s; ceil = 4 Mbit/s",
        "parent = 0; rate = 4 Mbit/s; ceil = 6 Mbit/s",
        "parent = 1; rate = 1 Mbit/s; ceil = 4 Mbit/s; quantum = 1500 B",
        "parent = 1; rate = 1 Mbit/s; ceil = 2 Mbit/s; quantum = 3000 B",
        "parent = 2; rate = 3 Mbit/s; ceil = 6 Mbit/s; quantum = 3000 B; prio = 1",
        "parent = 2; rate = 1 Mbit/s; ceil = 6 Mbit/s; quantum = 1500 B; prio = 1",
    )
    table = "[" + ", ".join(f"{{ {row} }}" for row in rows) + "]"
    keys = {"limit": "60 pkts", "classes": table, "leaf_of": "[3, 4, 5, 6]"}
    yield "htb", "tree", HierarchicalTokenBucket(60, tree()), keys, {**flows, "flows": 4, "spell": 300}
