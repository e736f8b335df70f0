"""Five questions after `dropcurve` without arguments, and the command made from the answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import UsageError
from ..runs import command_line

#: Asked for a line, with the default in brackets: (question, default) to the answer.
Ask = Callable[[str, str], str]

#: Goals by name.
GOALS = ("balanced", "voip", "gaming", "web", "bulk")
#: Time of a search.
TIME = "3min"
#: Queues to compare on a link whose box is not known.
USUAL = ("droptail", "codel", "pie", "fq_codel", "cake")


def questions(ask: Ask) -> tuple[str, list[str]]:
    """Asks, and returns the command as text and as words without the program's name.

    Args:
        ask: Called with a question and its default; a wrong answer is asked for again.
    """
    from .. import boxes
    from ..scenario import links

    kinds = ", ".join(links.PRESETS)
    link = _until(ask, f"Link ({kinds}, or rates such as 20/2)?", "cable", links.spec)
    if ":" not in link and not links.spec(link).profile.is_local:
        way = _until(ask, "Queue in which direction (up, down)?", "up", _one_of(links.DIRECTIONS))
        head, comma, rest = link.partition(",")
        link = f"{head}:{way}{comma}{rest}"
    box = _until(ask, f"Box ({', '.join(boxes.BOXES)}, none)?", "linux", _box).lower()
    box = box if box == "none" else boxes.named(box)
    file = _until(ask, "File with its configuration (empty: none yet)?", "", _file)
    matters = _until(ask, f"What matters most ({', '.join(GOALS)})?", "balanced", _goal_of(link))
    options: list[tuple[str, object]] = [("link", link)]
    goal = [("goal", matters)] if matters != "balanced" else []
    if file:
        verb, words = "fix", [file]
        options += goal
        options += [("from", box)] if box != "none" else []
        options += [("shape", True)] if box == "linux" else []
    elif box != "none":
        verb, words = "tune", []
        options += [*goal, ("for", box), ("time", TIME)]
    else:
        verb, words = "compare", []
        options += [*goal, *(("queue", one) for one in USUAL)]
    line = command_line.line(verb, words, options)
    return line, command_line.words(verb, words, options)


def _until(ask: Ask, question: str, default: str, check: Callable[[str], object]) -> str:
    """Asks until the answer passes."""
    while True:
        answer = ask(question, default).strip() or default
        try:
            check(answer)
        except UsageError as error:
            question = f"{error}\n{question.splitlines()[-1]}"
            continue
        return answer


def _one_of(names: tuple[str, ...]) -> Callable[[str], None]:
    def check(text: str) -> None:
        if text not in names:
            raise UsageError(
                "answer", text, f"must be one of {', '.join(names)}", "type one of these", shown="value"
            )

    return check


def _box(text: str) -> None:
    from .. import boxes

    if text.strip().lower() not in boxes.ALIASES:
        _one_of((*boxes.BOXES, "none"))(text.strip().lower())


def _goal_of(link: str) -> Callable[[str], None]:
    """A check that a goal has its application in the traffic of a link."""

    def check(text: str) -> None:
        from ..advise.planned import classes
        from ..scenario import links
        from ..tuning import goal_presets

        _one_of(GOALS)(text)
        base, *_ = links.scenarios(link)
        goal_presets.written(text, classes(base).values())

    return check


def _file(text: str) -> None:
    if text and not Path(text).is_file():
        raise UsageError(
            "file", text, "there is no such file", "type the name of a file that exists", shown="value"
        )
