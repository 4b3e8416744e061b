"""Vacant seats and substitutes, in a game with the option `substitutes`; and seats that administrators move.

A seat becomes vacant when its player leaves it, or when the clock would otherwise remove it. It stays in the
game: the clock plays its turns without delay, as the game's options say for missed turns, until another
player takes it.
"""

from domain.clock.events import SeatVacated, SubstituteSeated
from domain.contract import DomainEvent
from domain.errors import not_now
from domain.game import Game, require_playing


def vacate(game: Game, seat: int) -> DomainEvent:
    """`SeatVacated`. Raises NotNow unless the game in play has substitutes and a person has the seat."""
    _require_substitutes(game)
    if seat not in game.seats_of_people():
        raise not_now("seat {seat} is not that of a player in the game", seat=seat)
    data: SeatVacated = {"seat": seat, "player": game.players[seat]}
    return DomainEvent("SeatVacated", data)


def seat_substitute(game: Game, seat: int, player: str) -> DomainEvent:
    """`SubstituteSeated`. Raises NotNow unless the seat is vacant and still in a game in play, and for a
    player who has or had a seat in this game, or is its arbiter.
    """
    _require_substitutes(game)
    if seat not in game.vacant_seats or game.state is None or seat not in game.state.in_game():
        raise not_now("seat {seat} is not vacant", seat=seat)
    if game.has_joined(player):
        raise not_now("a player who has or had a seat in this game cannot be a substitute")
    if player == game.arbiter:
        raise not_now("the arbiter of a game cannot play in it")
    data: SubstituteSeated = {"seat": seat, "player": player, "replaces": game.players[seat]}
    return DomainEvent("SubstituteSeated", data)


def seat_by_decision(game: Game, seat: int, player: str) -> DomainEvent:
    """`SubstituteSeated`, by an administrator, in any game.

    Raises NotNow unless the last event is the decision to move this seat to this player.
    """
    decision = game.decision
    if (
        decision is None
        or decision.seq != game.seq
        or (decision.decision, decision.seat, decision.player) != ("move_seat", seat, player)
    ):
        raise not_now("no administrator has just decided this")
    data: SubstituteSeated = {"seat": seat, "player": player, "replaces": game.players[seat]}
    return DomainEvent("SubstituteSeated", data)


def _require_substitutes(game: Game) -> None:
    if not game.options.get("substitutes"):
        raise not_now("this game has no substitutes")
    require_playing(game)
    if game.to_act is None:
        raise not_now("play is over")
