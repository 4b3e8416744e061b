"""The turns of a finished game, with the decisions that were made in them."""

from dataclasses import dataclass, field
from typing import Any, Final

from domain.contract import AnyRuleSystem
from domain.errors import CartularyError
from domain.event import Options, acting_seat
from domain.messages import Text, message
from ledger.record import Record
from replay.history.branches import branch
from replay.history.timeline import transitions


class NotFinished(CartularyError):
    """The game has no ranking, so it cannot be analysed. `message` says why."""


_WHY_NOT: Final[dict[str, Text]] = {
    "abandoned": message("the game was abandoned: only finished games can be analysed")
}
_IN_PROGRESS: Final[Text] = message(
    "the game is not finished: only finished games can be analysed, so that nobody is helped during one"
)


@dataclass(frozen=True, slots=True)
class Decision:
    """An action that a seat took in its turn. `state` is the one before it, with all secrets."""

    seq: int
    seat: int
    state: Any
    action: Any


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the game. `state` is the one in which it began; `seq` is the first event of the turn."""

    number: int
    round: int
    seat: int
    seq: int
    state: Any
    decisions: list[Decision] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game with the turns of its current branch."""

    id: str
    head: str
    """The hash of the last event, which identifies everything that is analysed."""
    name: str
    """That of the rules, as in the first event; with the options, it selects the rule system."""
    options: Options
    rules: AnyRuleSystem
    seats: int
    turns: tuple[Turn, ...]
    winners: tuple[int, ...]
    """The seats in the first place."""


def finished_game(record: Record) -> FinishedGame:
    """Return the turns of a finished game. Raises NotFinished, and Unreadable for a record that is no log."""
    current = branch(record)
    turns: list[Turn] = []
    last = None
    for transition in transitions(record):
        event, before, last = transition.event, transition.before, transition.after
        if before is None or before.state is None or not current.has(event["seq"]):
            continue
        state, seq = before.state, event["seq"]
        seat = state.to_act
        if last.play_seq != seq or seat is None:
            continue
        if not turns or turns[-1].number != state.turn:
            turns.append(Turn(state.turn, state.round, seat, seq, state))
        if event["action"] is not None and acting_seat(event["by"]) == seat:
            action = before.rules.parse_action(event["action"])
            turns[-1].decisions.append(Decision(seq, seat, state, action))
    if last is None or last.ranking is None:
        raise NotFinished(_WHY_NOT.get("" if last is None else last.status, _IN_PROGRESS))
    winners = tuple(sorted(entry["seat"] for entry in last.ranking if entry["place"] == 1))
    return FinishedGame(
        last.id,
        last.hash,
        record.events[0]["data"]["rules"],
        last.options,
        last.rules,
        last.seats,
        tuple(turns),
        winners,
    )
