"""Random Early Detection, line by line from Figure 2 of Floyd and Jacobson (1993).

Saved variables: avg, q_time (start of the queue idle time), count (packets since the last marked packet).
Fixed parameters: w_q, min_th, max_th, max_p. Other: p_a, p_b, q, time, and f(t), a linear function of the time t.

Steps that the figure leaves open are decided as in Rust and marked "open" below.
"""

import random


class Red:
    """`spacing`: pseudocode, or text (count is raised after its use). `gentle`: Floyd 2000. `by_size`: byte mode of
    the paper's section 4, p_b times the packet's size over `max_packet`."""

    def __init__(
        self,
        *,
        limit,
        min_th,
        max_th,
        max_p,
        w_q,
        packet_time,
        spacing="pseudocode",
        gentle=False,
        by_size=False,
        max_packet=1500,
        seed=1,
    ):
        self.limit, self.min_th, self.max_th, self.max_p, self.w_q = limit, min_th, max_th, max_p, w_q
        self.packet_time, self.spacing, self.gentle = packet_time, spacing, gentle
        self.by_size, self.max_packet = by_size, max_packet
        self.queue = []
        self.rng = random.Random(seed)
        # Initialization
        self.avg = 0.0
        self.count = -1
        self.q_time = 0

    def f(self, time):
        """How many packets could have been sent in that time."""
        return time / self.packet_time

    def base_probability(self):
        """p_b, and 1 where every packet is to be marked."""
        if self.avg < self.max_th:
            return self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th)
        if self.gentle and self.avg < 2 * self.max_th:
            return self.max_p + (1 - self.max_p) * (self.avg - self.max_th) / self.max_th
        return 1.0

    def marked_with(self, probability, draws):
        """Draws only where the outcome depends on it."""
        if probability <= 0 or probability >= 1:
            return probability >= 1
        draws.append(self.rng.random())
        return draws[-1] < probability

    def judge(self, size, draws):
        """Whether the arriving packet is marked."""
        certain = 2 * self.max_th if self.gentle else self.max_th
        if self.min_th <= self.avg < certain:
            p_b = self.base_probability()
            if self.by_size:
                p_b = min(1.0, p_b * size / self.max_packet)
            if self.spacing == "pseudocode":
                self.count += 1
                used = self.count
            else:
                self.count = max(self.count, 0)
                used = self.count
            # open: the figure has no guard for count * p_b >= 1
            p_a = p_b / (1 - used * p_b) if used * p_b < 1 else 1.0
            marked = self.marked_with(min(p_a, 1.0), draws)
            if self.spacing == "text" and not marked:
                self.count += 1
            if marked:
                self.count = 0
            return marked
        if certain <= self.avg:
            self.count = 0
            return True
        self.count = -1
        return False

    def arrive(self, now, number, size, draws):
        """For each packet arrival. Returns the numbers of the dropped packets."""
        if self.queue:
            self.avg = (1 - self.w_q) * self.avg + self.w_q * len(self.queue)
        else:
            m = self.f(now - self.q_time)
            self.avg = (1 - self.w_q) ** m * self.avg
        if self.judge(size, draws):
            if not self.queue:
                self.q_time = now  # open: a drop at an empty queue restarts the idle time
            return [number]
        if len(self.queue) >= self.limit:
            self.count = 0  # open: so does a full buffer restart the count
            return [number]
        self.queue.append((number, size))
        return []

    def depart(self, now):
        """When a packet leaves and the queue becomes empty, q_time = time."""
        if not self.queue:
            return None
        sent = self.queue.pop(0)
        if not self.queue:
            self.q_time = now
        return sent

    def show(self):
        """The average after the arrival."""
        return [f"avg={self.avg!r}"]
