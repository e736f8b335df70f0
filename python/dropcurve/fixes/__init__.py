"""Better queues for an existing configuration: each queue simulated in its place next to designs that its box can load.

queues = [place(one, flows=8) for one in dropcurve.boxes.read_all(text) if not one.urgent]
done = fix(queues, text)
print(done.diff)
"""

from .configuration import Fix, fix
from .home import line
from .place import Place, place
from .queues import QueueFix, Thoroughness

__all__ = ["Fix", "Place", "QueueFix", "Thoroughness", "fix", "line", "place"]
