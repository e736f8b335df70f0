"""Frames of a game over UDP: small ones at a steady pace, and now and then a large one."""

from dropcurve import plugins


class Frames(plugins.Source):
    """A packet at a fixed pace; a given share of the packets is large."""

    name = "frames"
    transport = "udp"
    packet_bytes, rate_bps = 200, 80_000
    parameters = {
        "pause": plugins.Parameter(0.02, unit="s", about="Time between packets.", least=0.0001),
        "large": plugins.Parameter(0.1, about="Share of large packets.", greatest=1.0),
    }

    def next(self, now_ns: int) -> tuple[float, int] | None:
        large = self.draws.uniform() < self.values["large"]
        return self.values["pause"], 1200 if large else 100
