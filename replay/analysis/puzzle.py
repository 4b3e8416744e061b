"""Puzzles: positions of finished games in which one action is clearly best, checked twice.

All different actions are tried with a few playouts. Those that do best are compared with the whole budget,
and once more with chance that is independent of the first; each time, the same action has to be better than
every other one by LEAST_MARKED at least, with a confidence of 95 %. A position that cannot meet that any more
is given up early.

The state of a search is a plain value, which can be stored as JSON. It depends on the game, the event, the
seed and the budget alone, however often it is interrupted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from domain.errors import CartularyError
from domain.json_types import JsonObject
from domain.messages import message
from domain.playouts import WHOLE
from domain.registry import registered_name
from replay.analysis.estimates import ONE_SIDED_95, Difference, difference, rounded
from replay.analysis.examination import ANALYSIS_VERSION, LEAST_MARKED, line
from replay.analysis.playouts import (
    chance_of,
    play_out,
    start_of_playout,
    take,
    version_of_playouts,
)
from replay.analysis.positions import Decision, FinishedGame
from replay.analysis.settings import DEFAULT, Settings
from replay.analysis.summary import marked_decisions

FORMAT: Final = "cartulary-puzzle"
PUZZLE_VERSION: Final = 1
"""Raised whenever equal games, events, seeds and budgets lead to other results."""
PUZZLE_SETTINGS: Final = Settings(10 * DEFAULT.budget, DEFAULT.seed)
"""Ten times the budget of an analysis, which has found the position."""
LEAST_ACTIONS: Final = 4
"""With fewer different actions, there is nothing to look for."""
MOST_ACTIONS: Final = 400
COMPARED: Final = 6
"""The actions that are compared with the whole budget."""
SCREENING: Final = 20
"""Each action is first tried with the budget divided by this number."""
CHECKS: Final = 2
ROUNDS: Final = 5
"""The parts of the budget, after each of which a position can be given up."""


class NoPuzzle(CartularyError):
    """The position before an event cannot be examined as a puzzle. `message` says why."""


@dataclass(frozen=True)
class PuzzlePosition:
    """The position of a finished game in which a seat took the action of an event."""

    game: FinishedGame
    decision: Decision
    settings: Settings = PUZZLE_SETTINGS

    @cached_property
    def actions(self) -> list[Any]:
        """The legal actions, of those that come to the same only the first."""
        rules, state, seat = self.game.rules, self.decision.state, self.decision.seat
        outcomes: list[object] = []
        actions = []
        for action in rules.legal_actions(state, seat):
            event = rules.decide(state, seat, action)
            if (event.type, event.data) not in outcomes:
                outcomes.append((event.type, event.data))
                actions.append(action)
        return actions

    def shares(self, action: Any, purpose: str, numbers: range) -> list[int]:
        """Return the shares of the seat in the playouts of these numbers after an action."""
        rules, seat = self.game.rules, self.decision.seat
        shares = []
        for number in numbers:
            chance = chance_of(self._seed(purpose), "puzzle", self.decision.seq, number)
            start = start_of_playout(rules, self.decision.state, seat, chance)
            take(rules, start, seat, action)
            shares.append(play_out(rules, start, chance)[seat])
        return shares

    def _seed(self, purpose: str) -> bytes:
        return sha256(f"cartulary puzzle v1 {purpose} ".encode() + self.settings.seed).digest()


def puzzle_position(
    game: FinishedGame, seq: int, settings: Settings = PUZZLE_SETTINGS
) -> PuzzlePosition:
    """Return the position before an event. Raises NoPuzzle."""
    decisions = (decision for turn in game.turns for decision in turn.decisions)
    decision = next((decision for decision in decisions if decision.seq == seq), None)
    if decision is None:
        raise NoPuzzle.with_message(
            "event {seq} is no action that a player took at their turn", seq=seq
        )
    position = PuzzlePosition(game, decision, settings)
    count = len(position.actions)
    if not LEAST_ACTIONS <= count <= MOST_ACTIONS:
        raise NoPuzzle(
            message(
                "a puzzle has from {least} to {most} actions, and before event {seq} there are {count}",
                least=LEAST_ACTIONS,
                most=MOST_ACTIONS,
                seq=seq,
                count=count,
            )
        )
    return position


def likely_puzzles(analysis: JsonObject) -> list[int]:
    """Return the events whose actions are marked in a complete analysis, the clearest mark first."""

    def clearness(decision: Mapping[str, Any]) -> float:
        difference = decision["drop"] if "line" in decision else decision["lead"]
        return float(difference - ONE_SIDED_95 * decision["error"])

    decisions = [decision for _, decision in marked_decisions(analysis)]
    return [decision["seq"] for decision in sorted(decisions, key=clearness, reverse=True)]


def new_search(position: PuzzlePosition) -> JsonObject:
    """Return the state of a search of which nothing is done yet."""
    game, decision = position.game, position.decision
    return {
        "format": FORMAT,
        "version": PUZZLE_VERSION,
        "analysis": ANALYSIS_VERSION,
        "playouts": version_of_playouts(game.rules),
        "game": game.id,
        "head": game.head,
        "rules": registered_name(game.rules),
        "seq": decision.seq,
        "seat": decision.seat,
        "budget": position.settings.budget,
        "seed": position.settings.seed.hex(),
        "actions": len(position.actions),
        "screened": [],
        "shares": [],
        "checks": [],
    }


def is_of(position: PuzzlePosition, state: Mapping[str, object]) -> bool:
    """Return whether a state is one of a search for this position, by this version of the program."""
    header = new_search(position)
    return all(
        state.get(name) == value
        for name, value in header.items()
        if name not in ("screened", "shares", "checks")
    )


def is_decided(state: Mapping[str, object]) -> bool:
    """Return whether a search is complete."""
    return "is_puzzle" in state


def continued(position: PuzzlePosition, state: JsonObject) -> Iterator[JsonObject]:
    """Yield the state after each step from here on, up to the result. A complete state is yielded once."""
    while not is_decided(state):
        state = _next(position, state)
        yield state
    yield state


def progress_of(position: PuzzlePosition, state: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many steps have been made, and how many there are if the position is not given up."""
    actions = len(position.actions)
    compared = min(COMPARED, actions)
    of_checks = CHECKS * compared * ROUNDS
    if is_decided(state):
        return actions + of_checks, actions + of_checks
    size = _size_of_round(position)
    done = sum(len(shares) // size for shares in state["shares"])
    return len(state["screened"]) + compared * ROUNDS * len(
        state["checks"]
    ) + done, actions + of_checks


def puzzle(position: PuzzlePosition) -> JsonObject:
    """Return the complete result for a position."""
    *_, result = continued(position, new_search(position))
    return result


def _size_of_round(position: PuzzlePosition) -> int:
    return max(2, position.settings.budget // ROUNDS)


def _next(position: PuzzlePosition, state: JsonObject) -> JsonObject:
    screened: list[int] = state["screened"]
    if len(screened) < len(position.actions):
        trials = range(max(2, position.settings.budget // SCREENING))
        tried = position.shares(position.actions[len(screened)], "screening", trials)
        return {**state, "screened": [*screened, sum(tried)]}
    compared = _compared(screened)
    shares: list[list[int]] = state["shares"] or [[] for _ in compared]
    index = min(range(len(shares)), key=lambda number: len(shares[number]))
    made = len(shares[index])
    numbers = range(made, made + _size_of_round(position))
    purpose = f"check {len(state['checks']) + 1}"
    more = position.shares(position.actions[compared[index]], purpose, numbers)
    shares = [[*old, *more] if number == index else old for number, old in enumerate(shares)]
    state = {**state, "shares": shares}
    if index < len(shares) - 1:
        return state
    return _judged(position, state, compared)


def _compared(screened: Sequence[int]) -> list[int]:
    """Return the indices of the actions that did best in the screening, the best first."""
    return sorted(range(len(screened)), key=lambda index: (-screened[index], index))[:COMPARED]


def _judged(position: PuzzlePosition, state: JsonObject, compared: Sequence[int]) -> JsonObject:
    """Return the state after a round of a check in which all actions have as many playouts."""
    shares: list[list[int]] = state["shares"]
    order = sorted(range(len(shares)), key=lambda number: (-sum(shares[number]), number))
    leads = [difference(shares[order[0]], shares[other]) for other in order[1:]]
    is_last_round = len(shares[0]) >= ROUNDS * _size_of_round(position)
    is_possible = all(lead.most >= LEAST_MARKED for lead in leads)
    if is_possible and not is_last_round:
        return state
    texts = [position.game.rules.action_text(position.actions[index]) for index in compared]
    check = _check(texts, shares, order, leads)
    checks = [*state["checks"], check]
    is_clear = (
        is_last_round
        and all(lead.least >= LEAST_MARKED for lead in leads)
        and check["best"] == checks[0]["best"]
    )
    if is_clear and len(checks) < CHECKS:
        return {**state, "shares": [], "checks": checks}
    result = {
        name: value for name, value in state.items() if name not in ("screened", "shares", "checks")
    }
    result |= {"checks": checks, "is_puzzle": is_clear}
    if is_clear:
        best = position.actions[compared[order[0]]]
        seed = position.settings.seed
        result["line"] = line(position.game.rules, position.decision, best, seed)
    return result


def _check(
    texts: Sequence[str],
    shares: Sequence[Sequence[int]],
    order: Sequence[int],
    leads: Sequence[Difference],
) -> JsonObject:
    """Return what docs/analysis.md defines as an entry of `checks`."""

    def share(number: int) -> float:
        return rounded(sum(shares[number]) / len(shares[number]) / WHOLE)

    return {
        "best": texts[order[0]],
        "share": share(order[0]),
        "playouts": len(shares[0]),
        "others": [
            {
                "action": texts[other],
                "share": share(other),
                "lead": rounded(lead.mean),
                "error": rounded(lead.error),
            }
            for other, lead in zip(order[1:], leads, strict=True)
        ],
    }
