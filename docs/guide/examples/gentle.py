"""Additive increase, and a decrease by a share that is a parameter: the smallest congestion control."""

from dropcurve import plugins


class Gentle(plugins.CongestionControl):
    """One segment more in each round trip, and a given share of the window left by congestion."""

    name = "gentle"
    parameters = {
        "left": plugins.Parameter(
            0.8, about="Share of the window left by congestion.", least=0.1, greatest=0.99
        ),
    }

    def on_ack(self, window: plugins.Window, ack: plugins.Ack) -> None:
        if window.cwnd < window.ssthresh:
            window.cwnd += ack.acked
        else:
            window.cwnd += ack.acked / window.cwnd

    def on_congestion(self, window: plugins.Window, congestion: plugins.Congestion) -> float:
        if congestion.cause == "timeout":
            return congestion.load / 2
        return min(congestion.load, window.cwnd) * self.values["left"]
