"""Rows of what transports and congestion controls are known for: see `behaviour.py`."""

from __future__ import annotations

from .behaviour_network import DEEP, L4S, TAIL, NetworkRow, far, net, parts, ratio, tcp, within

#: 100 Mbit/s over 164 to 184 ms with a buffer of a quarter of the bandwidth-delay product: slow for Reno.
LONG = 'kind = "droptail"\nlimit = "400 pkts"'
STEP = 'kind = "step_marking"\nthreshold = "40 pkts"\nlimit = "400 pkts"'
RIVAL = tcp(1, "rival", 'cc = "reno"')
#: A buffer of 240 ms.
LARGE = f'kind = "droptail"\n{DEEP}'


def transports() -> list[NetworkRow]:
    """Every row, one for each page of `docs/transports`."""
    return [
        *windows(),
        *long_paths(),
        *lossy_paths(),
        *by_delay(),
        *background(),
        *by_marks(),
        *models(),
        *rates(),
    ]


def lossy(share: float, *groups: str) -> str:
    """The network with packets lost at random and a buffer that never fills."""
    text = net('kind = "droptail"\nlimit = "1000 pkts"', *groups)
    return text.replace("access_rate", f"loss = {share}\naccess_rate")


def control(name: str, count: int = 2) -> str:
    """Transfers by a congestion control."""
    return tcp(count, keys=f'cc = "{name}"')


def other(name: str, keys: str = "", count: int = 2) -> str:
    """Transfers by another transport."""
    return tcp(count, keys=keys).replace('"tcp"\nstart', f'"{name}"\nstart')


def rated(name: str) -> str:
    """Four transfers by a transport that is not TCP."""
    return other(name, count=4).replace("flows.tcp", "flows.rated")


def windows() -> list[NetworkRow]:
    """Rows of additive increase and multiplicative decrease."""
    quarter = {
        "1": lossy(0.01, control("reno", 1)), "0.25": lossy(0.0025, control("reno", 1)),
    }  # fmt: skip
    return [
        NetworkRow(
            "tcp", "the throughput is proportional to the inverse square root of the loss rate", "MSMO97",
            "1 transfer, random loss of 1 and of 0.25 %", quarter,
            (ratio("throughput_bps@tcp", "0.25", "1", 1.6, 2.5),),
        ),
        NetworkRow(
            "gaimd", "by 0.3125 and 7/8 it gets the throughput of Reno with a window that varies less", "YL00",
            "4 transfers of each together over RED",
            {"red": net("red", tcp(4, "gaimd", 'cc = "gaimd"'), tcp(4, "reno", 'cc = "reno"'))},
            (parts("throughput_bps", "red", "gaimd", "reno", 0.6, 1.7),),
        ),
        NetworkRow(
            "binomial", "with exponents whose sum is 1 it shares the link with Reno", "BB01",
            "4 transfers of each together over RED",
            {"red": net("red", tcp(4, "sqrt", 'cc = "binomial"'), tcp(4, "reno", 'cc = "reno"'))},
            (parts("throughput_bps", "red", "sqrt", "reno", 0.5, 2),),
        ),
        NetworkRow(
            "quic", "with NewReno it shares the link with TCP's Reno", "RFC9002",
            "4 transfers of each together over RED",
            {"red": net("red", other("quic", count=4).replace("flows.tcp", "flows.quic"), tcp(4, "reno"))},
            (parts("throughput_bps", "red", "quic", "reno", 0.5, 2),),
        ),
    ]  # fmt: skip


def long_paths() -> list[NetworkRow]:
    """Rows of controls for long paths of high rate."""
    sources = {
        "cubic": "RFC9438", "highspeed": "RFC3649", "scalable": "K03", "htcp": "LS04", "bic": "XHR04",
        "illinois": "LBS06", "yeah": "BCV07", "compound": "TSZS06",
    }  # fmt: skip
    reno = far(net(LONG, control("reno"), mbit=100))
    return [
        NetworkRow(
            name, "fills a long path of a high rate where Reno's growth is too slow", source,
            "2 transfers at 100 Mbit/s, round trips of 164 to 184 ms, buffer of 400 packets",
            {name: far(net(LONG, control(name), mbit=100)), "reno": reno},
            (ratio("utilisation", name, "reno", 1, None),),
        )
        for name, source in sources.items()
    ]  # fmt: skip


def lossy_paths() -> list[NetworkRow]:
    """Rows of controls for random loss and long round trips."""
    return [
        NetworkRow(
            "westwood", "random loss costs less than it costs Reno: it falls to the measured bandwidth", "GM04",
            "1 transfer, random loss of 1 %",
            {name: lossy(0.01, control(name, 1)) for name in ("westwood", "reno")},
            (ratio("throughput_bps@tcp", "westwood", "reno", 1.2, None),),
        ),
        NetworkRow(
            "veno", "random loss without a queue takes a fifth of the window instead of a half", "FL03",
            "1 transfer, random loss of 1 %",
            {name: lossy(0.01, control(name, 1)) for name in ("veno", "reno")},
            (ratio("throughput_bps@tcp", "veno", "reno", 1.15, None),),
        ),
        NetworkRow(
            "hybla", "a long round trip costs less than it costs Reno", "CF04",
            "1 transfer over 164 to 184 ms, random loss of 0.25 %",
            {name: far(lossy(0.0025, control(name, 1))) for name in ("hybla", "reno")},
            (ratio("throughput_bps@tcp", "hybla", "reno", 2, None),),
        ),
    ]  # fmt: skip


def by_delay() -> list[NetworkRow]:
    """Rows of controls that respond to the delay."""
    return [
        NetworkRow(
            "vegas", "a few segments of each flow queue, whatever the buffer", "BOP94",
            "4 transfers, buffer of 200 packets",
            {"vegas": net(LARGE, control("vegas", 4))},
            (within("queue_pkts_mean", "vegas", 2, 40, "pkts"), within("utilisation", "vegas", 95, None, "%")),
        ),
        NetworkRow(
            "nv", "about ten segments of each flow queue where the round-trip time of the empty path is known",
            "Brakmo10", "2 transfers, `nv_base_rtt` of 64 ms, buffer of 200 packets",
            {"nv": net(LARGE, tcp(2, keys='cc = "nv"\nnv_base_rtt = "64 ms"')), "reno": net(LARGE, control("reno"))},
            (
                within("queue_pkts_mean", "nv", 4, 60, "pkts"), ratio("queue_pkts_mean", "nv", "reno", None, 0.6),
                within("utilisation", "nv", 95, None, "%"),
            ),
        ),
        NetworkRow(
            "cdg", "backs off as the delay rises, before the buffer is full", "HA11",
            "2 transfers, buffer of 200 packets",
            {name: net(LARGE, control(name)) for name in ("cdg", "reno")},
            (
                ratio("queue_pkts_mean", "cdg", "reno", None, 0.5),
                within("utilisation", "cdg", 80, None, "%"),
            ),
        ),
    ]  # fmt: skip


def background() -> list[NetworkRow]:
    """Rows of transfers that yield to others."""
    sources = {"ledbat": "RFC6817", "ledbat_pp": "BEH20", "lp": "KK03"}
    return [
        NetworkRow(
            name, "uses a free link, and leaves it to a Reno flow", source,
            "1 transfer, alone and with a Reno flow, buffer of 200 packets",
            {"together": net(LARGE, control(name, 1), RIVAL), "alone": net(LARGE, control(name, 1))},
            (
                parts("throughput_bps", "together", "tcp", "rival", None, 0.3),
                within("utilisation", "alone", 60, None, "%"),
            ),
        )
        for name, source in sources.items()
    ]  # fmt: skip


def by_marks() -> list[NetworkRow]:
    """Rows of controls that respond to the share of marks."""
    return [
        NetworkRow(
            "dctcp", "the queue stays near a marking threshold with the link full", "DCTCP10",
            "4 transfers at 40 Mbit/s, threshold 40",
            {"step": net(STEP, control("dctcp", 4), mbit=40)},
            (within("queue_pkts_mean", "step", 15, 60, "pkts"), within("utilisation", "step", 97, None, "%")),
        ),
        NetworkRow(
            "prague", "flows of different round trips get similar rates, where those of DCTCP differ more", "DTBG24",
            "2 transfers at 40 Mbit/s over DualPI2, of 4 and 24 ms",
            {
                name: net("dualpi2", _of(name, "near", "1 ms"), _of(name, "away", "11 ms"), mbit=40).replace(
                    'delay = "20 ms"', 'delay = "0.5 ms"', 1
                )
                for name in ("prague", "dctcp")
            },
            (
                parts("throughput_bps", "prague", "near", "away", 0.5, 2),
                parts("throughput_bps", "dctcp", "near", "away", 1.5, None),
            ),
        ),
    ]  # fmt: skip


def _of(name: str, group: str, delay: str) -> str:
    keys = L4S if name == "prague" else 'cc = "dctcp"\nect = "ect1"'
    return tcp(1, group, f'{keys}\naccess_delay = "{delay}"')


def models() -> list[NetworkRow]:
    """Rows of controls that model the path."""
    short = 'kind = "droptail"\nlimit = "20 pkts"'
    return [
        NetworkRow(
            "bbr", "random loss of one per cent costs it almost nothing", "CCHJ17",
            "1 transfer, random loss of 1 %",
            {name: lossy(0.01, control(name, 1)) for name in ("bbr", "reno")},
            (within("utilisation", "bbr", 90, None, "%"), ratio("throughput_bps@tcp", "bbr", "reno", 2, None)),
        ),
        NetworkRow(
            "bbr3", "leaves more to a CUBIC flow in a shallow buffer than version 1 does", "CSB25",
            "2 transfers and two of CUBIC, buffer of 20 packets",
            {
                name: net(short, control(name), tcp(2, "cubic", 'cc = "cubic"')) for name in ("bbr", "bbr3")
            },
            (ratio("throughput_bps@cubic", "bbr3", "bbr", 1.5, None),),
        ),
    ]  # fmt: skip


def rates() -> list[NetworkRow]:
    """Rows of transports that send at a rate."""
    # The shares of TCP within which each is right; RFC5348 names a factor of two.
    friendly = {"tfrc": ("RFC5348", 2), "tear": ("ROY00", 2), "lda": ("SW00", 2.5), "drs": ("JE98", 2.5)}
    wide = 'kind = "red"\nlimit = "200 pkts"\nmin_th = "20 pkts"\nmax_th = "60 pkts"\nmax_p = 0.1\nabove_max = "gentle"'
    live = {"scream": ("RFC8298", 'profile = "quick"'), "gcc": ("GCC02", 'initial_rate = "1 Mbit/s"')}
    return [
        *(
            NetworkRow(
                name, f"shares the link with TCP: neither gets more than {factor:g} times the other", source,
                "4 transfers of each together over RED",
                {"red": net("red", rated(name), tcp(4, "reno"))},
                (parts("throughput_bps", "red", "rated", "reno", 1 / factor, factor),),
            )
            for name, (source, factor) in friendly.items()
        ),
        NetworkRow(
            "rap", "shares the link with TCP where TCP meets few timeouts, and takes more where it meets many",
            "RHE99", "4 transfers of each together over RED at 10 Mbit/s, and over longer thresholds at 40",
            {
                "10": net("red", rated("rap"), tcp(4, "reno")),
                "40": net(wide, rated("rap"), tcp(4, "reno"), mbit=40),
            },
            (
                parts("throughput_bps", "10", "rated", "reno", 2.5, None),
                parts("throughput_bps", "40", "rated", "reno", 0.4, 2.5),
            ),
        ),
        *(
            NetworkRow(
                name, "live video keeps a deep buffer nearly empty that a transfer fills", source,
                "1 video or 1 transfer at 2 Mbit/s, buffer of 200 packets",
                {name: net(LARGE, other(name, keys, 1), mbit=2), "reno": net(LARGE, control("reno", 1), mbit=2)},
                (ratio("sojourn_ms_mean", name, "reno", None, 0.5), within("utilisation", name, 70, None, "%")),
            )
            for name, (source, keys) in live.items()
        ),
        NetworkRow(
            "udp", "does not respond to congestion: it takes from TCP what it sends", "RFC2309",
            "4 transfers, packets of 8 Mbit/s at random instants",
            {"droptail": net(TAIL, tcp(4), '\n[flows.flood]\ntransport = "udp"\nsource = "poisson"\n'
                             'rate = "8 Mbit/s"\npacket = "1500 B"\n')},
            (
                within("throughput_bps@flood", "droptail", 7, None, "Mbit/s"),
                within("throughput_bps@tcp", "droptail", None, 3, "Mbit/s"),
            ),
        ),
    ]  # fmt: skip
