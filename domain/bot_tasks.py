"""What the bots of a game have to do, one task of one bot at a time, and how a simple bot chooses an
action.

The tasks follow from the game alone. Bots leave everything that players agree on to the people in the game:
a bot agrees as soon as all people who have a say do. When no people are left in the game, bots play it to its
end, without searching, so that a deserted game costs little; a game that takes too many turns ends when they
resign.
"""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from domain.contract import Resign
from domain.disputes.disputes import MAX_PROPOSALS_PER_SEAT
from domain.disputes.events import Ruling
from domain.game import Game
from domain.search import SearchBot

MAX_TURNS_WITHOUT_PEOPLE: Final = 1000
"""The turns of a game after which bots resign if no people are left in it. Games of random bots, which take
the longest, have about 500.
"""


@dataclass(frozen=True, slots=True)
class TakeTurn:
    """Choose one of the legal actions of the seat, whose turn it is."""

    seat: int
    may_search: bool = True
    """Whether a bot that searches may do so; if not, a quick bot chooses."""


@dataclass(frozen=True, slots=True)
class TakeAction:
    """Take this action, which is possible whether or not it is the turn of the seat."""

    seat: int
    action: Any
    """An action of the game's rule system (`RuleSystem.actions_at_any_time`)."""


@dataclass(frozen=True, slots=True)
class AgreeToTakeback:
    """Agree to the takeback that event `number` requested."""

    seat: int
    number: int


@dataclass(frozen=True, slots=True)
class ProposeRuling:
    """Propose this ruling in the dispute that event `number` opened."""

    seat: int
    number: int
    ruling: Ruling


BotTask: TypeAlias = TakeTurn | TakeAction | AgreeToTakeback | ProposeRuling


def next_bot_task(game: Game) -> BotTask | None:
    """Return what a bot is to do next in this game; None if the game waits for no bot."""
    if game.state is None or game.status != "playing":
        return None
    bots = tuple(seat for seat in game.bot_seats if seat in game.state.in_game())
    if not bots:
        return None
    people = game.seats_of_people()
    agreement = (
        _ruling_task(game, bots, people)
        or _takeback_task(game, bots, people)
        or _common_action_task(game, bots, people)
    )
    if agreement is not None:
        return agreement
    if game.to_act not in bots or game.waits_for_takeback:
        return None
    if not people and game.turn > MAX_TURNS_WITHOUT_PEOPLE:
        return TakeAction(game.to_act, Resign())
    return TakeTurn(game.to_act, may_search=bool(people))


def needs_search(game: Game) -> bool:
    """Return whether the game waits for a bot that searches before it takes its turn."""
    task = next_bot_task(game)
    return (
        isinstance(task, TakeTurn)
        and task.may_search
        and _searches(game, game.bot_of(game.players[task.seat]))
    )


def has_searching_bot(game: Game) -> bool:
    """Return whether a bot that searches has a place in the game."""
    return any(_searches(game, place.bot) for place in game.places)


def _searches(game: Game, bot: str | None) -> bool:
    return bot is not None and isinstance(game.rules.BOTS.get(bot), SearchBot)


def _ruling_task(
    game: Game, bots: tuple[int, ...], people: tuple[int, ...]
) -> ProposeRuling | None:
    """The ruling that all people in a game without an arbiter propose, for a bot that does not yet."""
    dispute = game.open_dispute
    if dispute is None or game.arbiter is not None or not people:
        return None
    ruling = dispute.proposed_by(people[0])
    if ruling is None or any(dispute.proposed_by(seat) != ruling for seat in people):
        return None
    for seat in bots:
        count = sum(proposal.seat == seat for proposal in dispute.proposals)
        if dispute.proposed_by(seat) != ruling and count < MAX_PROPOSALS_PER_SEAT:
            return ProposeRuling(seat, dispute.seq, ruling)
    return None


def _takeback_task(
    game: Game, bots: tuple[int, ...], people: tuple[int, ...]
) -> AgreeToTakeback | None:
    """The pending takeback to which all people agree, for a bot that does not yet."""
    takeback = None if game.last_play is None else game.last_play.takeback
    if takeback is None or takeback.declined_by is not None:
        return None
    if any(seat != takeback.seat and seat not in takeback.agreed_by for seat in people):
        return None
    for seat in bots:
        if seat != takeback.seat and seat not in takeback.agreed_by:
            return AgreeToTakeback(seat, takeback.seq)
    return None


def common_action(game: Game, seat: int) -> Any:
    """Return the action possible at any time that all people in the game have taken and this seat has not.

    None if there is no such action.
    """
    task = _common_action_task(game, (seat,), game.seats_of_people())
    return None if task is None else task.action


def _common_action_task(
    game: Game, bots: tuple[int, ...], people: tuple[int, ...]
) -> TakeAction | None:
    """The action possible at any time that all people have taken, for a bot that has not, such as asking
    for the end of the game, or withdrawing that request. Resigning does not count.

    All people have taken an action when none of them can still take it.
    """
    if not people:
        return None
    options = {
        seat: [
            action
            for action in game.rules.actions_at_any_time(game.state, seat)
            if not isinstance(action, Resign)
        ]
        for seat in (*bots, *people)
    }
    for seat in bots:
        for action in options[seat]:
            if all(action not in options[person] for person in people):
                return TakeAction(seat, action)
    return None


A = TypeVar("A")
