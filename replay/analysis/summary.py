"""Sums up an analysis: the accuracy of each seat, and the turning point."""

from collections.abc import Iterator
from math import sqrt
from typing import Final

from domain.json_types import JsonObject
from replay.analysis.estimates import ONE_SIDED_95, TWO_SIDED_95, rounded, total
from replay.analysis.luck import luck_of_seats

LEAST_TURN: Final = 0.10
"""By how much the share of the winner has to change for good at a turning point, at least."""
DROP_MARKS: Final = ("?!", "?", "??")


def decisions_of(analysis: JsonObject) -> Iterator[tuple[int, JsonObject]]:
    """Yield the examined decisions of a game, each with the index of its turn."""
    for index, turn in enumerate(analysis["turns"]):
        for decision in turn.get("decisions", ()):
            yield index, decision


def marked_decisions(analysis: JsonObject) -> list[tuple[int, JsonObject]]:
    """Return the decisions that have a mark, as `decisions_of` yields them."""
    return [entry for entry in decisions_of(analysis) if "mark" in entry[1]]


def summary(analysis: JsonObject) -> JsonObject:
    """Return what docs/analysis.md defines as `summary`, for an analysis of which all turns are examined."""
    decisions = [decision for _, decision in decisions_of(analysis)]
    return {
        "accuracy": [
            _accuracy(seat, [decision for decision in decisions if decision["seat"] == seat])
            for seat in range(analysis["seats"])
        ],
        "turning_point": _turning_point(analysis),
        "luck": luck_of_seats(analysis),
    }


def _accuracy(seat: int, decisions: list[JsonObject]) -> JsonObject:
    """Return how much of its share a seat kept on average, and what that is made of."""
    checked = [decision for decision in decisions if "drop" in decision]
    lost = total(decision["drop"] for decision in checked)
    result: JsonObject = {
        "seat": seat,
        "decisions": len(decisions),
        "checked": len(checked),
        "lost": rounded(lost),
        "marks": {
            mark: sum(decision.get("mark") == mark for decision in decisions)
            for mark in (*DROP_MARKS, "!")
        },
    }
    if decisions:
        variance = total(decision["error"] * decision["error"] for decision in checked)
        result["accuracy"] = rounded(min(1.0, 1 - lost / len(decisions)))
        result["margin"] = rounded(TWO_SIDED_95 * sqrt(variance) / len(decisions))
    return result


def _turning_point(analysis: JsonObject) -> JsonObject | None:
    """Return the turn in which the share of the winner changed most for good; None if it never did.

    Compared are the shares in as many turns as there are seats, but two at least, before and after: all of
    them are greater afterwards, and their mean is by more than its own error.
    """
    if len(analysis["winners"]) != 1:
        return None
    winner = analysis["winners"][0]
    width = max(2, analysis["seats"])
    shares = [turn["shares"][winner] for turn in analysis["turns"]]
    errors = [turn["margins"][winner] / TWO_SIDED_95 for turn in analysis["turns"]]
    greatest, turning_point = LEAST_TURN, None
    for index in range(width - 1, len(shares) - width):
        before = range(index - width + 1, index + 1)
        after = range(index + 1, index + 1 + width)
        change = (
            total(shares[number] for number in after) - total(shares[number] for number in before)
        ) / width
        error = sqrt(total(errors[number] * errors[number] for number in (*before, *after))) / width
        is_for_good = min(shares[number] for number in after) > max(
            shares[number] for number in before
        )
        if is_for_good and change - ONE_SIDED_95 * error >= greatest:
            greatest = change - ONE_SIDED_95 * error
            turning_point = {
                "turn": analysis["turns"][index]["turn"],
                "seq": analysis["turns"][index]["seq"],
                "seat": analysis["turns"][index]["seat"],
                "winner": winner,
                "change": rounded(change),
                "error": rounded(error),
            }
    return turning_point
