"""Writes the reference traces: `python -m reference` from the root of the repository.

Each trace is one queue under one stream of arrivals, with the keys of a scenario in its head. The transcriptions in
this folder are slow and plain on purpose; they share no code with the queue they are compared with.
"""

import pathlib

from reference import (
    accounts,
    articles,
    cake,
    cdg,
    classics,
    cobalt,
    codel,
    dctcp,
    dualpi2,
    estimates,
    fq,
    fuzzy,
    gcc,
    hashed,
    line,
    nested,
    pages,
    papers,
    pi,
    pie,
    prague,
    quic_path,
    rates,
    relatives,
    rfcs,
    sfb,
    shapers,
    standards,
    steered,
    suspects,
)
from reference.droptail import DropTail
from reference.erd import EarlyRandomDrop
from reference.red import Red
from reference.traffic import arrivals, drive

OUT = pathlib.Path("crates/queue/tests/traces")
SIZES = [40, 576, 1000, 1500]
COUNT = 700

RED = {"limit": 30, "min_th": 5, "max_th": 15, "max_p": 0.1, "w_q": 0.02}
RED_KEYS = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
PACKET_TIME = 1_000_000


def traces():
    """Yields kind, name, the queue, and the keys that set ours up in the same way."""
    yield "droptail", "tail", DropTail(10), {"limit": "10 pkts"}
    yield "droptail", "head", DropTail(10, "head"), {"limit": "10 pkts", "victim": "head"}
    yield "droptail", "random", DropTail(10, "random"), {"limit": "10 pkts", "victim": "random"}
    in_bytes = {"limit": "9000 B", "victim": "random"}
    yield "droptail", "random_bytes", DropTail(9000, "random", in_bytes=True), in_bytes
    erd = {"limit": "20 pkts", "drop_probability": "0.1"}
    yield "erd", "arriving", EarlyRandomDrop(20, 10, 0.1), erd
    yield "erd", "random", EarlyRandomDrop(20, 10, 0.1, "random"), {**erd, "victim": "random"}
    yield "red", "floyd93", Red(**RED, packet_time=PACKET_TIME), RED_KEYS
    text = Red(**RED, packet_time=PACKET_TIME, spacing="text")
    yield "red", "floyd93_text", text, {"dialect": "floyd93_text", **RED_KEYS}
    gentle = Red(**RED, packet_time=PACKET_TIME, gentle=True)
    yield "red", "floyd93_gentle", gentle, {"above_max": "gentle", **RED_KEYS}
    by_size = Red(**RED, packet_time=PACKET_TIME, by_size=True)
    yield "red", "floyd93_by_size", by_size, {"byte_mode": "red_2", **RED_KEYS}
    small = Red(**{**RED, "limit": 8}, packet_time=PACKET_TIME)
    yield "red", "floyd93_small_buffer", small, {**RED_KEYS, "limit": "8 pkts"}


def delay_based():
    """Yields kind, name, the model, the keys, and the arrivals, for the models with a clock of their own."""
    older = (cake, classics, cobalt, codel, dualpi2, fq, hashed, nested, pi, pie, relatives)
    for module in (*older, accounts, estimates, fuzzy, rates, shapers, standards, steered, suspects):
        yield from module.traces()


def write(kind, name, keys, lines, explained):
    """One file: keys in the head, then an event a line."""
    folder = OUT / kind
    folder.mkdir(parents=True, exist_ok=True)
    head = [
        f"# Made by `python -m reference`; its reference/{explained}.py explains the lines.",
        f"# kind = {kind}",
        *(f"# {key} = {value}" for key, value in keys.items()),
    ]
    (folder / f"{name}.txt").write_text("\n".join([*head, *lines]) + "\n")


def main():
    """Writes every trace."""
    for kind, name, queue, keys in traces():
        write(kind, name, keys, drive(queue, arrivals(f"{kind}/{name}", COUNT, SIZES)), "traffic")
    for kind, name, model, keys, like in delay_based():
        write(kind, name, keys, line.drive(model, line.arrivals(f"{kind}/{name}", **like)), "line")
    for kind, name, model, keys, like in papers.traces():
        write(kind, name, keys, line.drive(model, line.arrivals(f"{kind}/{name}", **like)), "papers")
    for module in (rfcs, articles, sfb, pages):
        for kind, name, model, keys, like in module.traces():
            write(kind, name, keys, line.drive(model, line.arrivals(f"{kind}/{name}", **like)), "line")
    cdg.write()
    dctcp.write()
    gcc.write()
    prague.write()
    quic_path.write()


if __name__ == "__main__":
    main()
