"""Types of the built module; ``tests/unit/test_core_stub.py`` compares them with it."""

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Any, Literal, final, overload

from .metrics.summary import RunSummary

#: Detail to keep of a run; each includes those before it: counters, statistics of the samples, the samples.
Keep = Literal["summary", "derived", "series"]

class ScenarioError(Exception):
    """A scenario that cannot be used; ``args[0]`` lists its problems as (path, value, rule, remedy)."""

class PluginError(Exception):
    """A plug-in that cannot be loaded, or whose code failed."""

@final
class PluginPacket:
    """A packet as a plug-in sees it."""

    number: int
    size: int
    flow: int
    ecn_capable: bool
    marked: bool
    traffic_class: int

@final
class PluginCall:
    """The call of a plug-in in progress; times are nanoseconds. Over when the method returns."""

    now_ns: int
    on_wire_bytes: int
    def uniform(self) -> float: ...
    def drop(self, number: int, reason: Literal["early", "forced", "overflow"] = "overflow") -> None: ...
    def mark(self, number: int, reason: Literal["early", "forced", "overflow"] = "early") -> bool: ...
    def set_deadline(self, at_ns: int) -> None: ...
    def set_ready(self, at_ns: int) -> None: ...
    def set_average(self, average: float) -> None: ...

@final
class PluginWindow:
    """Congestion window and slow start threshold of a flow, in segments; a control may set both."""

    cwnd: float
    ssthresh: float

@final
class PluginAck:
    """An ACK as a congestion control sees it; segments, and nanoseconds."""

    now_ns: int
    acked: int
    delivered: int
    rtt_ns: int | None
    flight: int
    una: int
    next: int
    echo: bool
    marked: int
    recovering: bool

@final
class PluginCongestion:
    """Congestion as a control sees it; segments, and nanoseconds."""

    now_ns: int
    cause: Literal["loss", "timeout", "ecn"]
    load: float
    flight: int
    ecn_factor: float | None

@final
class PluginDraws:
    """Random numbers of one source."""

    def uniform(self) -> float: ...
    def exponential(self, mean: float) -> float: ...

@final
class Scenario:
    """A checked scenario. Values cross as JSON text, quantities in it as text with their unit."""

    def __new__(cls, text: str) -> Scenario: ...
    def resolved(self) -> str: ...
    def to_toml(self) -> str: ...
    def hash(self) -> str: ...
    def edit(self, edits: Sequence[tuple[str, str]]) -> Scenario: ...
    def get(self, path: str) -> str: ...
    def automatic(self) -> str: ...
    def given(self) -> str: ...
    def digest(self, seed: int) -> str: ...
    def flows(self) -> int: ...

@final
class Run:
    """One finished run."""

    def summary(self, without: Sequence[str] = ()) -> RunSummary: ...
    def summary_json(self) -> bytes: ...
    def derived(self) -> dict[str, Any] | None: ...
    def series(self) -> list[tuple[str, str, bytes, bytes]]: ...
    def trace(self) -> tuple[list[str], list[bytes]]: ...

@final
class Rows(Sequence[Mapping[str, Any]]):
    """A list of objects, stored by column; more than 1000 flows of a summary are one."""

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __len__(self) -> int: ...
    def column(self, key: str, part: str | None = None) -> list[Any]: ...
    def json(self) -> bytes: ...
    def rows_of_each_type(self) -> list[int]: ...

@final
class Row(Mapping[str, Any]):
    """An object of `Rows`, whose values are made when they are asked for."""

    def __getitem__(self, key: str) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def get(self, key: str, default: Any = None) -> Any: ...
    def keys(self) -> KeysView[str]: ...
    def values(self) -> ValuesView[Any]: ...
    def items(self) -> ItemsView[str, Any]: ...

@final
class IntegerNetwork:
    """A small network in whole numbers: the same outputs on every machine.

    Args:
        sizes: Of the layers, from the inputs to the outputs.
        content: Little-endian: mean and standard deviation of each input, mean and standard deviation of each output
            (64-bit floats), then of each layer its weights as multiples of 2**-10 (16-bit, those of one input next to
            each other) and its biases as multiples of 2**-22 (32-bit).

    Raises:
        ValueError: For content that has another length than the sizes say.

    Attributes:
        ACTIVATION: Binary digits after the point of an activation.
        WEIGHT: Binary digits after the point of a weight.
        CUT: Standard deviations at which an input is cut.
    """

    ACTIVATION: int
    WEIGHT: int
    CUT: float

    def __new__(cls, sizes: Sequence[int], content: bytes) -> IntegerNetwork: ...
    def __call__(self, rows: Sequence[Sequence[float]]) -> list[list[float]]: ...

@final
class Bottleneck:
    """A link with a queue discipline in virtual time; times are nanoseconds, packets are numbered as they are sent."""

    def __new__(cls, settings: str, seed: int, name: str) -> Bottleneck: ...
    def send(self, at_ns: int, size: int, flow: int, ecn: int, precedence: int) -> None: ...
    def advance(self, to_ns: int) -> list[tuple[int, int, bool]]: ...
    def take_drops(self) -> list[tuple[int, int, str]]: ...
    def next_due(self) -> int | None: ...
    def backlog(self) -> tuple[int, int]: ...

def load_plugin(path: str) -> str: ...
def register_plugin(
    make: Callable[[list[float], tuple[int, int, int]], object],
    texts: tuple[str, str, str],
    parameters: Sequence[tuple[str, str, str, float, float, float]],
    flags: tuple[bool, bool],
    code: str,
) -> None: ...
def register_control(
    make: Callable[[list[float]], object],
    texts: tuple[str, str, str],
    parameters: Sequence[tuple[str, str, str, float, float, float]],
    options: tuple[bool, bool],
    code: str,
) -> None: ...
def register_source(
    make: Callable[[list[float], PluginDraws], object],
    texts: tuple[str, str, str],
    parameters: Sequence[tuple[str, str, str, float, float, float]],
    over_tcp: bool,
    typical: tuple[int, int],
    code: str,
) -> None: ...
def conformance_control(name: str, seed: int, count: int) -> tuple[int, int, int]: ...
def conformance(queue: str, seed: int, count: int, reorders: bool) -> tuple[int, int, int, int]: ...
def version() -> str: ...
def catalogue() -> str: ...
def disciplines() -> list[str]: ...
def schema() -> str: ...
def read_json(text: bytes) -> Any: ...
def rows_of_json(text: bytes) -> Rows: ...
def json_line(row: dict[str, Any]) -> bytes: ...
def line_of(text: str, path: str) -> int | None: ...
def run_many(
    jobs: Sequence[tuple[Scenario, int, Keep]],
    threads: int,
    progress: Callable[[int, float], None] | None = None,
    finished: Callable[[int, Run], None] | None = None,
    trace: bool = False,
    engine: str = "fast",
) -> list[Run]: ...
def live_forward(settings: str) -> str: ...
def live_confine(administers: bool) -> bool: ...
def live_replay(path: str) -> str: ...
