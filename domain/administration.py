"""What an administrator of the server may decide about a game: the event that records the decision.

A decision to remove a seat, to move it to another account or to abandon the game takes effect with the event
that immediately follows; a decision to extend a deadline takes effect by itself.
"""

from typing import Final, get_args

from domain.contract import DomainEvent
from domain.errors import Malformed, not_now
from domain.event import AdministratorDecided, By, Decision
from domain.game import Game, require_not_ended, require_playing
from domain.json_fields import one_of
from domain.messages import message

DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)
MAX_EXTENSION: Final = 365 * 24 * 3600
"""The most seconds by which one decision extends a deadline."""
ADMINISTRATOR: Final[By] = {"system": "administrator"}
"""Who causes the events of decisions, whichever administrator has decided."""
OPERATOR: Final = "operator"
"""The administrator of a decision that was made on the command line of the server."""


def remove_seat(game: Game, administrator: str, seat: int) -> DomainEvent:
    """The decision to remove a seat. Raises NotNow unless the seat is still in a game in progress."""
    require_playing(game)
    if game.state is None or seat not in game.state.in_game():
        raise not_now("seat {seat} is not in the game", seat=seat)
    data: AdministratorDecided = {
        "administrator": administrator,
        "decision": "remove_seat",
        "seat": seat,
    }
    return DomainEvent("AdministratorDecided", data)


def move_seat(game: Game, administrator: str, seat: int, player: str) -> DomainEvent:
    """The decision to give the seat of a person to another player, who must not be a bot.

    Raises NotNow unless the game is in play and a person has the seat and is still in the game; also if the
    player has or had a seat in this game, or is its arbiter.
    """
    require_playing(game)
    if game.to_act is None:
        raise not_now("play is over")
    if seat in game.bot_seats:
        raise not_now("seat {seat} is that of a bot", seat=seat)
    if seat not in game.seats_of_people():
        raise not_now("seat {seat} is not that of a player in the game", seat=seat)
    if game.has_joined(player):
        raise not_now("a player who has or had a seat in this game cannot be given another one")
    if player == game.arbiter:
        raise not_now("the arbiter of a game cannot play in it")
    data: AdministratorDecided = {
        "administrator": administrator,
        "decision": "move_seat",
        "seat": seat,
        "player": player,
    }
    return DomainEvent("AdministratorDecided", data)


def abandon(game: Game, administrator: str) -> DomainEvent:
    """The decision to end a game without a ranking. Raises NotNow if it is over."""
    require_not_ended(game)
    data: AdministratorDecided = {"administrator": administrator, "decision": "abandon"}
    return DomainEvent("AdministratorDecided", data)


def extend_deadline(game: Game, administrator: str, seconds: int) -> DomainEvent:
    """The decision to give the seat whose turn it is more time.

    Raises NotNow if no turn with a deadline is under way, Malformed unless `seconds` is 1 to MAX_EXTENSION.
    """
    require_playing(game)
    if type(seconds) is not int or not 1 <= seconds <= MAX_EXTENSION:
        fault = message("must be a whole number of seconds, 1 to {most}", most=MAX_EXTENSION)
        raise Malformed({"seconds": fault})
    if game.clock is None or game.to_act is None:
        raise not_now("no turn with a deadline is under way")
    data: AdministratorDecided = {
        "administrator": administrator,
        "decision": "extend_deadline",
        "seat": game.to_act,
        "seconds": seconds,
    }
    return DomainEvent("AdministratorDecided", data)


def decide_again(game: Game, data: AdministratorDecided) -> DomainEvent:
    """The decision that a recorded event states. Raises NotNow and Malformed like the functions above."""
    administrator: object = data["administrator"]
    if not isinstance(administrator, str):
        raise Malformed({"administrator": message("must be a text")})
    match data["decision"]:
        case "remove_seat":
            return remove_seat(game, administrator, data.get("seat", -1))
        case "move_seat":
            player: object = data.get("player")
            if not isinstance(player, str):
                raise Malformed({"player": message("must be a text")})
            return move_seat(game, administrator, data.get("seat", -1), player)
        case "abandon":
            return abandon(game, administrator)
        case "extend_deadline":
            return extend_deadline(game, administrator, data.get("seconds", 0))
        case _:
            raise Malformed({"decision": one_of(DECISIONS)})
