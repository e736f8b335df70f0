"""Rows of disciplines that measure a queue or its average: see `behaviour.py`."""

from __future__ import annotations

from .behaviour_network import (
    DEEP,
    ECN,
    MIDDLE,
    RED,
    TAIL,
    NetworkRow,
    far,
    flood,
    net,
    parts,
    ratio,
    tcp,
    within,
)


def passive() -> list[NetworkRow]:
    """Rows of disciplines without an average."""
    return [
        NetworkRow(
            "droptail",
            "full queues: loss-based transfers keep the buffer nearly full, whatever its size",
            "RFC2309",
            "8 transfers, buffer of 100 and of 200 packets",
            {"100": net(TAIL, tcp(8)), "200": net(f'kind = "droptail"\n{DEEP}', tcp(8))},
            (
                within("queue_pkts_mean", "100", 70, 100, "pkts"),
                within("queue_pkts_mean", "200", 140, 200, "pkts"),
            ),
        ),
        NetworkRow(
            "erd",
            "dropping before the buffer is full keeps the queue near the level where drops begin",
            "Hashem89",
            "20 transfers, buffer of 100 packets, level 50",
            {
                "erd": net(
                    'kind = "erd"\nlimit = "100 pkts"\ndrop_level = "50 pkts"\ndrop_probability = 0.02',
                    tcp(20),
                ),
                "droptail": net(TAIL, tcp(20)),
            },
            (
                within("queue_pkts_mean", "erd", 40, 75, "pkts"),
                ratio("queue_pkts_mean", "erd", "droptail", None, 0.85),
                ratio("overflow_loss", "erd", "droptail", None, 0.1),
            ),
        ),
        NetworkRow(
            "blue",
            "under many flows its one probability keeps the link full and loses less than RED",
            "FSKS02",
            "200 ECN transfers at 40 Mbit/s over 160 ms, buffer of 100 packets",
            {
                "blue": far(
                    net(
                        'kind = "blue"\nlimit = "100 pkts"\necn = true\nd1 = 0.0025\nd2 = 0.00025\n'
                        'freeze_time = "10 ms"',
                        tcp(200, keys=ECN),
                        mbit=40,
                    )
                ),
                "red": far(net(f'kind = "red"\n{MIDDLE}\necn = true', tcp(200, keys=ECN), mbit=40)),
            },
            (ratio("loss", "blue", "red", None, 0.5), within("utilisation", "blue", 85, None, "%")),
        ),
    ]


def red_family() -> list[NetworkRow]:
    """RED and those that adapt max_p."""
    wide = 'limit = "200 pkts"\nmin_th = "20 pkts"\nmax_th = "80 pkts"'
    return [
        NetworkRow(
            "red",
            "holds its average between the thresholds, far below the buffer",
            "FJ93",
            "20 transfers",
            {"red": net(RED, tcp(20)), "droptail": net(TAIL, tcp(20))},
            (
                within("avg_pkts_mean", "red", 5, 15, "pkts"),
                ratio("queue_pkts_mean", "red", "droptail", None, 0.25),
            ),
        ),
        NetworkRow(
            "ared",
            "keeps its average near the middle of the thresholds over a range of loads, where RED's moves",
            "FGS01",
            "15 and 60 transfers, thresholds 20 and 80",
            {
                f"{kind} {n}": net(f'kind = "{kind}"\n{wide}\nmax_p = 0.1', tcp(n))
                for kind in ("ared", "red")
                for n in (15, 60)
            },
            (
                within("avg_pkts_mean", "ared 15", 38, 62, "pkts"),
                within("avg_pkts_mean", "ared 60", 38, 62, "pkts"),
                ratio("avg_pkts_mean", "red 60", "red 15", 1.3, None),
            ),
        ),
        NetworkRow(
            "feng",
            "scaling max_p where the average leaves the thresholds spares a RED that was set too gently",
            "FKSS99",
            "40 transfers, max_p 0.02 at the start",
            {
                "feng": net(f'kind = "feng"\n{wide}\nmax_p = 0.02', tcp(40)),
                "red": net(f'kind = "red"\n{wide}\nmax_p = 0.02', tcp(40)),
            },
            (
                within("avg_pkts_mean", "feng", 20, 80, "pkts"),
                ratio("queue_pkts_mean", "feng", "red", None, 0.95),
            ),
        ),
        NetworkRow(
            "nlred",
            "gentler than RED while the load is light, where its average lies higher, and firmer when it is heavy",
            "ZYL06",
            "8 and 200 transfers, thresholds 20 and 80",
            {
                f"{kind} {n}": net(f'kind = "{kind}"\n{wide}\nmax_p = 0.1\nabove_max = "gentle"', tcp(n))
                for kind in ("nlred", "red")
                for n in (8, 200)
            },
            (
                ratio("avg_pkts_mean", "nlred 8", "red 8", 1.05, None),
                ratio("avg_pkts_mean", "nlred 200", "red 200", None, 0.98),
            ),
        ),
    ]


def red_variants() -> list[NetworkRow]:
    """RED with another curve, packet size or steps of its parameters."""
    return [
        NetworkRow(
            "curve",
            "a straight line between the thresholds is RED itself",
            "FJ93",
            "8 transfers, same seeds",
            {
                "curve": net('kind = "curve"\nlimit = "100 pkts"\nmax_p = 0.1', tcp(8)),
                "red": net('kind = "red"\nlimit = "100 pkts"\nmax_p = 0.1', tcp(8)),
            },
            (ratio("queue_pkts_mean", "curve", "red", 0.999, 1.001),),
        ),
        NetworkRow(
            "red_size",
            "RED_1 drops packets alike, RED_4 by their size, RED_5 by its square",
            "CEP00",
            "two floods of 22 Mbit/s over 40, in packets of 1500 and of 750 bytes",
            {
                name: net(
                    f'kind = "red_size"\nvariant = "{name}"\nlimit = "400 pkts"\nmax_p = 0.2',
                    flood(22, "large"),
                    flood(22, "small", 'packet = "750 B"'),
                    mbit=40,
                )
                for name in ("red_1", "red_4", "red_5")
            },
            (
                parts("flow_loss", "red_1", "large", "small", 0.9, 1.1),
                parts("flow_loss", "red_4", "large", "small", 1.8, 2.2),
                parts("flow_loss", "red_5", "large", "small", 3.3, 4.7),
            ),
        ),
        NetworkRow(
            "fred_refined",
            "steps of max_p and of the weight keep the queue shorter than RED's",
            "WS99, HMDC12",
            "60 transfers, thresholds 20 and 40 of 100",
            {
                kind: net(
                    f'kind = "{kind}"\nlimit = "100 pkts"\nmin_th = "20 pkts"\nmax_th = "40 pkts"\nmax_p = 0.1',
                    tcp(60),
                )
                for kind in ("fred_refined", "red")
            },
            (ratio("queue_pkts_mean", "fred_refined", "red", None, 0.95),),
        ),
        NetworkRow(
            "wtred",
            "with thresholds at 40 and 70 % of the buffer fewer packets are lost than in RED at 5 and 15",
            "HMDC12",
            "20 transfers, buffer of 100 packets",
            {"wtred": net('kind = "wtred"\nlimit = "100 pkts"', tcp(20)), "red": net(RED, tcp(20))},
            (ratio("loss", "wtred", "red", None, 0.8), within("avg_pkts_mean", "wtred", 20, 70, "pkts")),
        ),
    ]


def moving() -> list[NetworkRow]:
    """RED whose thresholds move."""
    base = 'limit = "50 pkts"\nmin_th = "10 pkts"\nmax_th = "30 pkts"\nmax_p = 0.1'
    base += '\nspacing = "wait"'
    return [
        NetworkRow(
            "red_at",
            "where the average stays above, thresholds move down and the queue with them: "
            "[its paper's own claims](studies/red-at.md) do not hold here",
            "PD14",
            "80 transfers, nominal thresholds 10 and 30",
            {
                "red_at": net(f'kind = "red_at"\n{base}', tcp(80)),
                "red": net(f'kind = "red"\n{base}', tcp(80)),
            },
            (ratio("queue_pkts_mean", "red_at", "red", None, 1),),
        ),
        NetworkRow(
            "rtred",
            "as printed its upper threshold grows to the buffer; as a predicted average it stays bounded",
            "Murshed05",
            "20 transfers, buffer of 100 packets",
            {
                name: net(f'kind = "rtred"\nlimit = "100 pkts"\nequation = "{name}"', tcp(20))
                for name in ("as_printed", "predicted_avg")
            },
            (ratio("queue_pkts_mean", "predicted_avg", "as_printed", None, 0.9),),
        ),
        NetworkRow(
            "dtred",
            "thresholds in proportion to the free buffer: a class with the larger share still gets in "
            "where the other is dropped (the label PDT-RED stands for no more here)",
            "SW07",
            "a flood of 6 Mbit/s in each of two classes",
            {"dtred": net("dtred", flood(6, "plain", "class = 0"), flood(6, "preferred", "class = 1"))},
            (parts("flow_loss", "dtred", "preferred", "plain", None, 0.8),),
        ),
    ]
