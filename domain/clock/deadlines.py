"""What happens when the deadline of a turn passes, as the field `on_deadline` of a game's clock says.

The deadline itself is computed in ledger/clock/turn_clock.py. A seat misses the deadline of a turn, or of a
placement in the set-up; a missed deadline that is excused does not count.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from domain.clock.events import DeadlineExcused
from domain.contract import A, DomainEvent, P, S
from domain.errors import not_now
from domain.game import Game, GameOf

Outcome: TypeAlias = Literal["excuse", "remove", "vacate", "forfeit", "bot"]
"""What happens when a deadline passes: the time of the turn starts again, the seat is removed or becomes
vacant, the turn is forfeited, or a bot plays the rest of it.
"""


@dataclass(frozen=True, slots=True)
class DeadlinePolicy:
    """The field `on_deadline` of a clock (`domain.event.OnDeadline`), with defaults filled in."""

    placement: Literal["bot", "remove"] = "bot"
    turn: Literal["forfeit", "bot"] = "forfeit"
    excused: int = 0
    remove_after: int | None = None
    abandon_after: int = 2


DEFAULT_POLICY = DeadlinePolicy()


def deadline_policy(game: Game) -> DeadlinePolicy:
    """Return what happens at the deadlines of a game, also in a game without a clock."""
    clock = game.clock
    if clock is None or "on_deadline" not in clock:
        return DEFAULT_POLICY
    return DeadlinePolicy(**clock["on_deadline"])


def is_placement(game: Game) -> bool:
    """Return whether the turn under way is a placement of the set-up."""
    return game.to_act is not None and game.round == 0


def deadline_outcome(game: Game) -> Outcome:
    """Return what happens now that the time for the turn under way is over.

    Raises NotNow when nobody is to act.
    """
    seat, policy = game.to_act, deadline_policy(game)
    if seat is None:
        raise not_now("nobody is to act")
    in_set_up = is_placement(game)
    if seat in game.seats_of_people():
        if game.excuses.get(seat, 0) < policy.excused:
            return "excuse"
        misses = len(game.missed_deadlines.get(seat, ())) + 1
        is_last = policy.remove_after is not None and misses >= policy.remove_after
        if is_last or (in_set_up and policy.placement == "remove"):
            return "vacate" if game.options.get("substitutes") else "remove"
    return "bot" if in_set_up else policy.turn


def excuse(game: Game) -> DomainEvent:
    """`DeadlineExcused`: the time of the current turn starts again. Raises NotNow when nobody is to act."""
    if game.to_act is None:
        raise not_now("nobody is to act")
    data: DeadlineExcused = {"seat": game.to_act}
    return DomainEvent("DeadlineExcused", data)


def act_for_absent_seat(game: GameOf[S, A, P], action: A) -> DomainEvent:
    """The event that an action leads to which the clock takes for the seat whose turn it is.

    Raises NotNow when nobody is to act, Refused with the clause.
    """
    if game.state is None or game.to_act is None:
        raise not_now("nobody is to act")
    return game.rules.decide(game.state, game.to_act, action)


def is_left_by_everybody(game: Game) -> bool:
    """Return whether all seats still in a game in progress are vacant or of bots, one of them vacant."""
    if game.state is None or game.to_act is None or game.seats_of_people():
        return False
    return any(seat in game.vacant_seats for seat in game.state.in_game())


def is_deserted(game: Game) -> bool:
    """Return whether every seat still in the game has missed so many turns in a row that the game is
    abandoned, and nobody has acted in between.

    Every action of a person counts, whether or not it was the seat's turn. Bots, vacant seats and what the
    clock does for absent players do not count. A game that waits only for its ranking is not deserted.
    """
    if game.state is None or game.to_act is None:
        return False
    if not game.forfeits and not game.vacant_seats:
        return False  # in nearly all games, and quick to check
    seats = game.seats_of_people()
    if not seats:
        return is_left_by_everybody(game)
    most = deadline_policy(game).abandon_after
    return all(len(game.forfeits.get(seat, ())) >= most for seat in seats)
