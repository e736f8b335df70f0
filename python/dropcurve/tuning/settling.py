"""Replications that are added to a validation until its rivals are decided."""

from __future__ import annotations

from collections.abc import Sequence

from .candidates import Candidate
from .decision import UNUSUAL, default_distance, replications_needed
from .validation import Validation

#: Replications that all rivals get where there is time for them.
ALL = 6


def settle(validation: Validation, *, last: bool = False, thorough: bool = False) -> None:
    """Adds replications, up to `Validation.most`, for the recommendation and its undecided rivals until all are
    decided, even if it has its own already; the ``last`` time beyond that for those that the spare runs decide; if
    ``thorough``, for every rival that is not lost until the time is up."""
    if last and not validation.several:
        _compare_usual(validation)
    while not validation.several:
        best = validation.decide()
        count = validation.made(best)
        rivals = _undecided(validation, validation.candidates)
        if thorough and not rivals:
            few = [one for one in validation.candidates if validation.made(one) < min(ALL, count)]
            if few:
                if not validation.extend(few, min(ALL, count), until=validation.until):
                    return
                continue
            rivals = [one for one in validation.candidates if one is not best and not validation.is_lost(one)]
        elif not thorough and not rivals and not validation.is_vague(best):
            return
        elif not thorough and count >= validation.most:
            # A recommendation that was chosen late may have all its replications while rivals have few.
            fewest = min((validation.made(one) for one in rivals), default=count)
            if fewest < validation.most:
                some = [one for one in rivals if validation.made(one) == fewest]
                target = min(fewest + max(1, fewest // 2), validation.most)
                if not validation.extend(some, target, until=validation.until):
                    return
            elif not last or not _spend(validation, rivals):
                return
            continue
        more = count + max(1, count // 2)
        target = more if thorough else min(more, validation.most)
        if not validation.extend([best, *rivals], target, until=validation.until):
            return


def _compare_usual(validation: Validation) -> None:
    """Adds replications for the setting of the recommendation's discipline that is nearest the defaults, up to those of
    the recommendation, until it is shown to be worse or equal: a setting that nobody else uses has to be worth it, and
    a rival that is no better after few replications leaves open by how much."""
    best = validation.decide()
    own = [one for one in validation.candidates if one.kind_as_loaded == best.kind_as_loaded]
    usual = min(own, key=default_distance)
    if default_distance(best) - default_distance(usual) < UNUSUAL:
        return
    while validation.made(usual) < validation.made(best) and validation.standing_of(usual)[0] == "no better":
        made = validation.made(usual)
        target = min(made + max(1, made // 2), validation.made(best))
        if not validation.extend([usual], target, until=validation.until):
            return


def _undecided(validation: Validation, candidates: Sequence[Candidate]) -> list[Candidate]:
    return [one for one in candidates if one is not validation.best and not validation.is_decided(one)]


def _spend(validation: Validation, rivals: Sequence[Candidate]) -> bool:
    """Spends spare runs on the rivals that are cheapest to decide; False without the runs or the time for one."""
    some, target = cheapest(validation, rivals)
    if not some:
        return False
    before = validation.bench.runs
    assert validation.best is not None, "a decision comes first"
    done = validation.extend([validation.best, *some], target, until=validation.until)
    validation.spare -= validation.bench.runs - before
    return done


def cheapest(validation: Validation, rivals: Sequence[Candidate]) -> tuple[list[Candidate], int]:
    """As many rivals as the spare runs probably decide, those that need the fewest replications first, and the number
    of replications for that; none if the spare runs decide no rival."""
    best = validation.best
    assert best is not None, "a decision comes first"
    own, fresh = validation.made(best), validation.fresh
    wanted: list[tuple[int, Candidate]] = []
    for one in rivals:
        pair = validation.standing_of(one)[1]
        needed = None if pair is None else replications_needed(pair, validation.margin)
        if needed is not None:
            wanted.append((max(needed, validation.made(one) + 1), one))
    wanted.sort(key=lambda pair: pair[0])
    affordable: tuple[list[Candidate], int] = ([], 0)
    for number in range(1, len(wanted) + 1):
        target = wanted[number - 1][0]
        some = [one for _, one in wanted[:number]]
        missing = sum(max(0, target - validation.made(one)) for one in some) + max(0, target - own)
        if missing * fresh > validation.spare:
            break
        affordable = some, target
    return affordable
