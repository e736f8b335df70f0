"""Rows of disciplines with state for each flow, and of those whose parameter follows the queue: see `behaviour.py`."""

from __future__ import annotations

from .behaviour_network import ECN, MIDDLE, NetworkRow, flood, net, ratio, tcp, within

#: Thresholds of RED for a buffer of 100 packets.
SMALL = 'limit = "100 pkts"\nmin_th = "10 pkts"\nmax_th = "30 pkts"\nmax_p = 0.1'


def limiting() -> list[NetworkRow]:
    """Rows of disciplines that limit unresponsive flows."""
    flooded = (tcp(8), flood(12))
    red = net(f'kind = "red"\n{SMALL}', *flooded)
    return [
        NetworkRow(
            "bred",
            "an unresponsive flow gets no more of the buffer than the bound of each flow",
            "AT99",
            "8 transfers, a flood of 12 Mbit/s",
            {"bred": net('kind = "bred"\nlimit = "100 pkts"', *flooded), "red": red},
            (
                ratio("throughput_bps@flood", "bred", "red", None, 0.6),
                ratio("throughput_bps@tcp", "bred", "red", 2, None),
            ),
        ),
        NetworkRow(
            "red_pd",
            "an unresponsive flow is brought down to what TCP gets, and TCP has the rest",
            "MFW01",
            "8 transfers, a flood of 12 Mbit/s",
            {"red_pd": net(f'kind = "red_pd"\n{SMALL}', *flooded), "red": red},
            (
                ratio("throughput_bps@flood", "red_pd", "red", None, 0.5),
                ratio("throughput_bps@tcp", "red_pd", "red", 3, None),
            ),
        ),
        NetworkRow(
            "luba",
            "about the excess of a flood is dropped, and TCP has the rest",
            "AGK04",
            "8 transfers, a flood of 12 Mbit/s",
            {kind: net(f'kind = "{kind}"\nlimit = "100 pkts"', *flooded) for kind in ("luba", "droptail")},
            (
                ratio("throughput_bps@flood", "luba", "droptail", None, 0.5),
                ratio("throughput_bps@tcp", "luba", "droptail", 3, None),
            ),
        ),
    ]


def steered() -> list[NetworkRow]:
    """Rows of disciplines whose parameter follows the queue."""
    return [
        NetworkRow(
            "savq",
            "the queue stays near its reference and the link full, where AVQ leaves the part that it is set to",
            "LZGY05a",
            "20 and 60 ECN transfers at 40 Mbit/s, reference 20",
            {
                "20": net('kind = "savq"\necn = true', tcp(20, keys=ECN), mbit=40),
                "60": net('kind = "savq"\necn = true', tcp(60, keys=ECN), mbit=40),
                "avq": net('kind = "avq"\necn = true', tcp(60, keys=ECN), mbit=40),
            },
            (
                within("queue_pkts_mean", "20", 15, 35, "pkts"),
                within("queue_pkts_mean", "60", 15, 35, "pkts"),
                ratio("utilisation", "60", "avq", 1.01, None),
            ),
        ),
        NetworkRow(
            "pid_red",
            "the average comes to the expected one, whatever the load",
            "CZJZ06",
            "15 and 60 transfers, thresholds 20 and 80",
            {f"{n}": net(f'kind = "pid_red"\n{MIDDLE}', tcp(n)) for n in (15, 60)},
            (
                within("avg_pkts_mean", "15", 42, 58, "pkts"),
                within("avg_pkts_mean", "60", 42, 58, "pkts"),
            ),
        ),
    ]


def remembered() -> list[NetworkRow]:
    """Rows of disciplines that remember flows."""
    flooded = (tcp(8), flood(12))
    known = {
        kind: net(f'kind = "{kind}"\n{SMALL}', *flooded) for kind in ("xchoke", "choke", "lru_red", "red")
    }
    lenient = 'limit = "100 pkts"\nmin_th = "5 pkts"\nmax_th = "30 pkts"\nmax_p = 0.2'
    mixed = (tcp(10), flood(0.4, "thin"))
    return [
        NetworkRow(
            "xchoke",
            "protects TCP better than CHOKe, since a flood stays known between its matches",
            "CCGJKSS02",
            "8 transfers, a flood of 12 Mbit/s",
            {kind: known[kind] for kind in ("xchoke", "choke")},
            (
                ratio("throughput_bps@flood", "xchoke", "choke", None, 0.8),
                ratio("throughput_bps@tcp", "xchoke", "choke", 1.2, None),
            ),
        ),
        NetworkRow(
            "lru_red",
            "a flow of high bandwidth is found by its place in the cache and dropped more",
            "SKR01",
            "8 transfers, a flood of 12 Mbit/s",
            {kind: known[kind] for kind in ("lru_red", "red")},
            (
                ratio("throughput_bps@flood", "lru_red", "red", None, 0.9),
                ratio("throughput_bps@tcp", "lru_red", "red", 1.5, None),
            ),
        ),
        NetworkRow(
            "shred",
            "packets of small windows are lost less often than under RED",
            "CKH04",
            "10 transfers, and a thin flow of 0.4 Mbit/s",
            {kind: net(f'kind = "{kind}"\n{lenient}', *mixed) for kind in ("shred", "red")},
            (ratio("flow_loss@thin", "shred", "red", None, 0.5),),
        ),
    ]


def predicted() -> list[NetworkRow]:
    """Rows of disciplines controlled by a model, by rules, or by two kinds of steps."""
    return [
        NetworkRow(
            "cared",
            "the average comes to the middle of the thresholds, whatever the load",
            "TSB12",
            "15 and 60 transfers, thresholds 20 and 80",
            {f"{n}": net(f'kind = "cared"\n{MIDDLE}', tcp(n)) for n in (15, 60)},
            (
                within("avg_pkts_mean", "15", 40, 60, "pkts"),
                within("avg_pkts_mean", "60", 40, 60, "pkts"),
            ),
        ),
        NetworkRow(
            "purple",
            "the queue comes near its reference under light and heavy load",
            "PWM03",
            "20 and 60 ECN transfers at 40 Mbit/s, reference 20",
            {f"{n}": net('kind = "purple"\necn = true', tcp(n, keys=ECN), mbit=40) for n in (20, 60)},
            (
                within("queue_pkts_mean", "20", 8, 40, "pkts"),
                within("queue_pkts_mean", "60", 8, 40, "pkts"),
            ),
        ),
        NetworkRow(
            "fuzzy_red",
            "the queue stays far below the buffer and the link full",
            "CPRS03",
            "20 transfers",
            {
                kind: net(f'kind = "{kind}"\nlimit = "100 pkts"', tcp(20))
                for kind in ("fuzzy_red", "droptail")
            },
            (
                ratio("queue_pkts_mean", "fuzzy_red", "droptail", None, 0.6),
                within("utilisation", "fuzzy_red", 95, None, "%"),
            ),
        ),
        NetworkRow(
            "fpi",
            "holds the queue at its reference, whatever the load",
            "DHLU03",
            "15 and 60 transfers, reference 30",
            {f"{n}": net('kind = "fpi"', tcp(n)) for n in (15, 60)},
            (
                within("queue_pkts_mean", "15", 20, 40, "pkts"),
                within("queue_pkts_mean", "60", 20, 40, "pkts"),
            ),
        ),
    ]
