"""Drops each arrival with a given probability: the smallest plug-in that does something."""

from dropcurve import plugins


class Half(plugins.Discipline):
    """Drops, or marks, each arrival with a given probability, whatever the queue."""

    name = "half"
    parameters = {
        "limit": plugins.Parameter(100, unit="pkts", about="Packets that fit.", least=1),
        "share": plugins.Parameter(0.02, about="Share of the arrivals that is signalled.", greatest=1.0),
    }

    def enqueue(self, packet: plugins.Packet, call: plugins.Call) -> None:
        if len(self.queue) >= self.values["limit"]:
            call.drop(packet.number, "overflow")
        elif call.uniform() >= self.values["share"] or call.mark(packet.number):
            self.queue.append(packet.number)
        else:
            call.drop(packet.number, "early")

    def dequeue(self, call: plugins.Call) -> int | None:
        return self.queue.popleft() if self.queue else None
