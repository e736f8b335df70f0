"""Sentences and tables of a stress answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ...metrics import statistics
from ...present import terminal
from ...quantities import wording
from . import traffic
from .bounds import Case
from .fault import RivalHarm
from .findings import StressFindings
from .harm import shown

#: Columns of the text.
WIDTH = terminal.WIDTH


def described(answer: StressFindings, case: Case) -> str:
    """A case in words."""
    return traffic.described(case, answer.bounds)


def sentences(answer: StressFindings) -> Iterator[str]:
    """The opening: the harm of the worst traffic, and whether it is a fault of the design."""
    worst, minimal = (amount(answer, one) for one in (answer.worst_loss, answer.minimal_loss))
    if answer.fault == "none":
        noun = "regret" if answer.regret else "harm"
        yield f"No {noun} was found: the worst traffic within these bounds costs {answer.design} {worst}."
        return
    more = " more than the best rival of each run" if answer.regret else ""
    enough = described(answer, answer.minimal)
    if answer.minimal == answer.worst:
        yield f"Within these bounds {answer.design} loses up to {worst}{more}, with {enough}."
    else:
        yield (
            f"Within these bounds {answer.design} loses up to {worst}{more}; {enough}{_verb(enough)} enough for "
            f"{minimal}."
        )
    yield fault_sentence(answer)


def _verb(words: str) -> str:
    return " is" if words.startswith("1 transfer ") and " and " not in words else " are"


def fault_sentence(answer: StressFindings) -> str:
    """Sentence on whether it is a fault of the design or of any queue."""
    far = [one for one in answer.rivals if one.relation == "far less"]
    if not answer.rivals:
        return "No rival was run, so these runs do not show whether another queue would do better."
    best = answer.rivals[0]
    held = amount(answer, best.harm)
    if answer.fault == "design":
        return f"It is a fault of this design: under the same traffic {best.name} loses {held}."
    if answer.fault == "some":
        spared = [one.name for one in far]
        rest = [one.name for one in answer.rivals if one not in far]
        share, avoid = "shares" if len(rest) == 1 else "share", "avoids" if len(far) == 1 else "avoid"
        return (
            f"It is a fault that {wording.listed(rest)} {share}, and {wording.listed(spared)} {avoid}: {best.name} "
            f"loses {held}."
        )
    if answer.fault == "any":
        return (
            f"Every queue that was tried loses more than half as much: {best.name}, the best, loses {held}."
        )
    return f"These runs cannot tell whether another queue would lose far less: {best.name}, the best, loses {held}."


def amount(answer: StressFindings, one: statistics.Interval) -> str:
    """A harm with its interval."""
    return shown(one.mean, one.half_width, answer.unit)


def text(answer: StressFindings) -> str:
    """The whole answer, except for the figure."""
    fresh = wording.count(answer.fresh, "fresh run")
    share = f"{100 * answer.keep:.0f} %"
    details = (
        f"Measured over {fresh}, 95 % intervals; the minimal scenario retains {share} of the largest harm."
    )
    parts = [
        "\n".join([_wrap(" ".join(sentences(answer))), textwrap.indent(_wrap(details, WIDTH - 2), "  ")]),
        f"{answer.design} at {answer.link}\n{_wrap(f'Harm: {answer.measure}.')}",
        terminal.columns(rows(answer)),
    ]
    if answer.walks:
        parts.append(terminal.columns(walked(answer)))
    lines = [
        _wrap(f"Worst found: {described(answer, answer.worst)}."),
        _wrap(f"Minimal: {described(answer, answer.minimal)}."),
    ]
    parts.append("\n".join(lines))
    again = [f"Replay: {answer.replay}", f"        digest {answer.digest}"]
    if answer.lab:
        again.append(f"On real kernels: {answer.lab}")
    parts.append("\n".join(again))
    tail = f"{answer.runs} runs, seed {answer.seed}"
    parts.append(_wrap(f"{tail}; {answer.stopped}" if answer.stopped else tail))
    return "\n\n".join(parts)


def rows(answer: StressFindings) -> list[tuple[str, ...]]:
    """The table of designs under the minimal scenario, the design in question first."""
    lines: list[tuple[str, ...]] = [
        ("", "harm", "less than this design", ""),
        (f"→ {answer.design}", amount(answer, answer.minimal_harm), "", "minimal scenario"),
        (f"  {answer.design}", amount(answer, answer.usual_harm), "", "usual traffic"),
    ]
    lines += [
        (f"  {one.name}", amount(answer, one.harm), _less(answer, one), one.relation) for one in answer.rivals
    ]
    return lines


def _less(answer: StressFindings, rival: RivalHarm) -> str:
    return "–" if rival.less is None else shown(rival.less.mean, rival.less.half_width, answer.unit)


def walked(answer: StressFindings) -> list[tuple[str, ...]]:
    """The table of the parameters of the worst case, those that matter most first."""
    lines: list[tuple[str, ...]] = [("in the worst case", "value", "bounds", "harm within the bounds")]
    for walk in sorted(answer.walks, key=lambda one: -one.effect):
        ends = [answer.bounds.shown(walk.axis, value) for value in (walk.values[0], walk.values[-1])]
        own = answer.bounds.shown(walk.axis, answer.worst[walk.axis])
        least, most = (wording.amount(one, None, "") for one in (min(walk.harm), max(walk.harm)))
        lines.append((walk.axis, own, f"{ends[0]} to {ends[1]}", f"{least} to {most} {answer.unit}"))
    return lines


def _wrap(words: str, width: int = WIDTH) -> str:
    return textwrap.fill(words, width, break_long_words=False, break_on_hyphens=False)
