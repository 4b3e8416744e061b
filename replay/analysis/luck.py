"""Luck: by how much the shares changed because of what came up, which nobody could know, apart from play.

What came up is compared with all that could have come up at that moment, each as often as it is likely. So
the luck of a draw is nothing on average, whatever the estimate of the shares is worth: what came up is one of
those that it is compared with, with the same probabilities. Comparing the shares before and after a draw
would not do, because the two come from different estimates.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any, Final

from domain.contract import AnyRuleSystem
from domain.json_types import JsonObject
from domain.playouts import WHOLE
from replay.analysis.estimates import rounded, total
from replay.analysis.playouts import chance_of, play_out, start_of_playout, take
from replay.analysis.positions import Decision
from replay.analysis.settings import Settings

HORIZONS: Final = 2
"""What came up matters when it is used, which takes some turns: so many times the horizon of playouts."""


def luck_of(rules: AnyRuleSystem, settings: Settings, decision: Decision) -> JsonObject | None:
    """Return an entry of `luck` of a turn (docs/analysis.md); None if an action turns nothing up."""
    model = rules.PLAYOUTS
    if model is None or model.turned_up is None:
        return None
    possible = model.turned_up(decision.state, decision.action)
    if len(set(possible)) < 2:
        return None
    came = possible[0]
    # The order of the others is part of what nobody knows.
    others = sorted(possible)
    seats = len(rules.standings(decision.state))
    changes: list[list[int]] = []
    for number in range(settings.budget):
        label = ("luck", decision.seq, number)
        other = others[chance_of(settings.seed, *label, "other").below(len(others))]
        if other == came:
            changes.append([0] * seats)
            continue
        with_came, with_other = (
            _shares(rules, settings, decision, each, label) for each in (came, other)
        )
        changes.append([a - b for a, b in zip(with_came, with_other, strict=True)])
    estimates = [_mean(seat_changes) for seat_changes in zip(*changes, strict=True)]
    return {
        "seq": decision.seq,
        "came": came,
        "changes": [rounded(mean) for mean, _ in estimates],
        "errors": [rounded(error) for _, error in estimates],
    }


def _shares(
    rules: AnyRuleSystem,
    settings: Settings,
    decision: Decision,
    came: str,
    label: tuple[str | int, ...],
) -> Sequence[int]:
    """Return the shares in a playout in which this comes up; equal labels have equal chance."""
    assert rules.PLAYOUTS is not None
    assert rules.PLAYOUTS.turn_up is not None, "what is turned up can be chosen"
    chance = chance_of(settings.seed, *label)
    start = start_of_playout(rules, decision.state, None, chance)
    rules.PLAYOUTS.turn_up(start, came)
    take(rules, start, decision.seat, decision.action)
    return play_out(rules, start, chance, HORIZONS)


def _mean(changes: Sequence[int]) -> tuple[float, float]:
    """Return the mean of some changes as a share, and its standard error."""
    count, sum_of_changes = len(changes), sum(changes)
    spread = count * sum(change * change for change in changes) - sum_of_changes * sum_of_changes
    return sum_of_changes / count / WHOLE, sqrt(spread / (count - 1)) / count / WHOLE


def luck_of_seats(analysis: JsonObject) -> list[JsonObject]:
    """Return what docs/analysis.md defines as `summary.luck`: for each seat, all its draws together."""
    draws: list[Any] = [draw for turn in analysis["turns"] for draw in turn.get("luck", ())]
    if not draws:
        return []
    return [
        {
            "seat": seat,
            "luck": rounded(total(draw["changes"][seat] for draw in draws)),
            "error": rounded(sqrt(total(draw["errors"][seat] ** 2 for draw in draws))),
        }
        for seat in range(analysis["seats"])
    ]
