"""Hints in games against bots, where the creator allows them: each is on the record."""

from domain.contract import DomainEvent
from domain.errors import not_now
from domain.event import HintGiven
from domain.game import Game


def give_hint(game: Game, seat: int) -> DomainEvent:
    """`HintGiven`, by the seat. Raises NotNow unless the options allow hints, it is the turn of this seat,
    all other seats are those of bots, and no hint was given for this position.
    """
    if not game.options.get("hints"):
        raise not_now("the creator of this game has not allowed hints")
    if game.options.get("rated"):
        raise not_now("there are no hints in rated games and in tournaments")
    if seat in game.bot_seats or game.vacant_seats or len(game.bot_seats) != game.seats - 1:
        raise not_now("there are no hints while another person plays")
    if game.to_act != seat:
        raise not_now("a hint is given at one's own turn")
    if game.hinted_at == game.position_seq:
        raise not_now("a hint for this position was given already")
    data: HintGiven = {"seat": seat}
    return DomainEvent("HintGiven", data)
