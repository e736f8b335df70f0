"""The line of a home, with two queues; a long upload queue starves the download.

The modem's own queue is tail drop with a buffer of a quarter of a second (`dropcurve.scenario.links`). Each direction
is judged with a good queue (FQ-CoDel) in the other, because both new queues are loaded together.
"""

from __future__ import annotations

from dataclasses import replace

from ..boxes import sqm, tc
from ..boxes.model import Import, Note
from ..errors import UsageError
from ..scenario import links
from .configuration import Fix
from .place import Place, place

#: Boxes that a line can be configured on.
HOME_BOXES = ("sqm", "linux")
#: Discipline of the other direction's queue while one is judged.
OTHER_QUEUE = "fq_codel"
#: Buffer of a queue that is put before the modem's: the value that sqm-scripts set.
ROOM = f"{sqm.LIMIT} pkts"
#: The interface of the line.
WAN = "eth0"


def line(text: str, *, box: str = "sqm") -> tuple[str, list[Place]]:
    """The empty configuration of a line, and its two queues as a modem has them.

    Args:
        text: The rates down and up, such as ``20/2``, as `dropcurve.scenario.links.parse` takes them.
        box: The system to configure: "sqm" or "linux".

    Returns:
        The empty configuration, and its download and upload queues.

    Raises:
        UsageError: For another box, and for text that states no rates.

    Example:
        >>> text, places = line("20/2")
        >>> len(places)
        2
    """
    if box not in HOME_BOXES:
        raise UsageError(
            "--for",
            box,
            f"must be {' or '.join(HOME_BOXES)} for a line given by its rates",
            "choose one of these, or give the router's configuration",
        )
    places = []
    for direction, name in (("up", "wan upload"), ("down", "wan download")):
        typed = f"{text}:{direction},back={OTHER_QUEUE}"
        profile, _ = links.parse(typed)
        droptail = Import(
            box, "droptail", {"limit": f"{profile.buffer_pkts(direction)} pkts"},
            [Note("assumed", "limit", f"{name}: a modem's queue of {profile.buffer}, tail drop")],
            profile.rate_bps(direction), title=name, link_text=typed,
        )  # fmt: skip
        places.append(replace(place(droptail, name=f"line-{direction}"), room=ROOM))
    if box == "linux":
        return "", places
    rates = {one.imported.title.split()[1]: round(one.rate_bps / 1e3) for one in places}
    return (
        f"config queue 'wan'\n\toption enabled '1'\n\toption interface '{WAN}'\n"
        f"\toption download '{rates['download']}'\n\toption upload '{rates['upload']}'\n\toption linklayer 'none'\n"
    ), places


def combined(done: Fix, *, box: str) -> Fix:
    """The answer for a line whose configuration was empty: on Linux the commands of both directions."""
    if box == "sqm" or not done.better:
        return done
    parts = []
    for queue in done.queues:
        if queue.load is None:
            continue
        down = queue.imported.title.endswith("download")
        commands = tc.ingress(queue.load.text, wan=WAN) if down else queue.load.text
        parts.append(f"# {queue.imported.title}\n{commands}")
    return replace(done, after="".join(parts), in_place=False)
