"""Arrivals for the traces: bursts and lulls at random, seeded, in whole nanoseconds."""

import random

RATE = 8_000_000  # bits per second: a packet of 1000 bytes takes a millisecond


def arrivals(seed, count, sizes):
    """Yields (nanoseconds, bytes): phases of overload, of light load, and pauses."""
    rng = random.Random(seed)
    now, load = 0, 2.0
    for _ in range(count):
        if rng.random() < 0.02:
            load = rng.choice([0.5, 0.9, 1.5, 3.0])
        if rng.random() < 0.01:
            now += rng.randrange(50_000_000)
        size = rng.choice(sizes)
        now += int(rng.expovariate(load * RATE / 8000) * 1e9)
        yield now, size


def drive(queue, stream):
    """Runs arrivals through a queue and the link behind it; yields one line of text for each event.

    a NS BYTES FATE [DRAW ...] [avg=...]   arrival; FATE is `.` if it stays, or xN for each packet N that is dropped
    d NS N                                 the link asks for a packet and gets number N, or `-` for none
    """
    free_at, idle = 0, True
    for number, (now, size) in enumerate(stream):
        while not idle and free_at <= now:
            sent = queue.depart(free_at)
            yield f"d {free_at} {'-' if sent is None else sent[0]}"
            idle = sent is None
            free_at += 0 if idle else sent[1] * 8_000_000_000 // RATE
        draws = []
        dropped = queue.arrive(now, number, size, draws)
        fate = "".join(f"x{victim}" for victim in dropped) or "."
        yield " ".join(["a", str(now), str(size), fate, *map(repr, draws), *queue.show()])
        if idle:
            sent = queue.depart(now)
            yield f"d {now} {'-' if sent is None else sent[0]}"
            idle = sent is None
            free_at = now if idle else now + sent[1] * 8_000_000_000 // RATE
