"""How full the queue was at most: a metric of a link."""

from dropcurve import plugins


@plugins.metric("fullness", title="longest queue", unit="pkts", better="lower")
def fullness(run, link):  # type: ignore[no-untyped-def]
    """The most packets that the queue held in the measurement window."""
    return link["queue_pkts_max"]
