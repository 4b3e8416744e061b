"""The decisions of a takeback: request it, answer it.

A takeback is an option of the game. The player who acted last requests it. Conditional actions that have
followed do not count, and are taken back with it: their players had prepared them, and have decided nothing
since. It takes effect when all other seats still in the game have agreed before anyone acts again.
`domain.lifecycle.resume` then decides `PlayResumed`. A nonce, of at most 64 bytes (Malformed), goes into what
is drawn then; None if the program has sent none.
"""

from collections.abc import Sequence

from domain.contract import DomainEvent
from domain.disputes.events import TakebackAnswered, TakebackRequested
from domain.disputes.history import LastPlay, Takeback
from domain.errors import NotNow, not_now
from domain.game import STATUS_MESSAGES, Game


def request(game: Game, seat: int, nonce: bytes | None = None) -> DomainEvent:
    """`TakebackRequested`. Raises NotNow unless the game is in progress and has takebacks, this seat acted
    last, apart from conditional actions, and its action was not requested back before.
    """
    action = _require_takebacks(game).action_of(seat)
    if action is None:
        raise not_now("only the player who acted last can take an action back")
    if action.seq in game.requested_takebacks:
        raise not_now("a takeback of this action has been requested before")
    if not _seats_to_agree(game, seat):
        raise not_now("no other player is in the game who could agree")
    data: TakebackRequested = {"seat": seat, "from": action.origin}
    game.add_nonce(data, seat, nonce)
    return DomainEvent("TakebackRequested", data)


def answer(
    game: Game, number: int, seat: int, *, agree: bool, nonce: bytes | None = None
) -> DomainEvent:
    """`TakebackAnswered`. Raises NotNow unless the request is pending and this seat has yet to answer it."""
    takeback = _require_takebacks(game).takeback
    if takeback is None or takeback.seq != number or takeback.declined_by is not None:
        raise not_now("takeback {number} has lapsed, or was answered by all", number=number)
    if seat == takeback.seat:
        raise not_now("the player who requests a takeback does not answer it")
    if seat not in _seats_to_agree(game, takeback.seat):
        raise not_now("only players who are still in the game answer a takeback")
    if seat in takeback.agreed_by:
        raise not_now("this player has agreed already")
    data: TakebackAnswered = {"request": number, "seat": seat, "agree": agree}
    game.add_nonce(data, seat, nonce)
    return DomainEvent("TakebackAnswered", data)


def agreed_takeback(game: Game) -> Takeback | None:
    """Return the takeback to which all other seats still in the game have agreed, if there is one."""
    if game.status != "playing" or game.last_play is None or game.last_play.takeback is None:
        return None
    takeback = game.last_play.takeback
    is_agreed = set(_seats_to_agree(game, takeback.seat)) <= set(takeback.agreed_by)
    return takeback if is_agreed and takeback.agreed_by else None


def seats_to_answer(game: Game) -> Sequence[int]:
    """Return the seats that have yet to answer the pending takeback; none if there is none."""
    takeback = None if game.last_play is None else game.last_play.takeback
    if takeback is None or takeback.declined_by is not None or game.status != "playing":
        return ()
    return [seat for seat in _seats_to_agree(game, takeback.seat) if seat not in takeback.agreed_by]


def _require_takebacks(game: Game) -> LastPlay:
    if game.status == "open":
        raise NotNow(None, STATUS_MESSAGES["open"])
    if game.status != "playing":
        raise not_now("{status}, and its secret is public", status=STATUS_MESSAGES[game.status])
    if game.last_play is None:
        raise not_now("this game has no takebacks: its options do not allow them")
    return game.last_play


def _seats_to_agree(game: Game, seat: int) -> Sequence[int]:
    seats: Sequence[int] = () if game.state is None else game.state.in_game()
    return [other for other in seats if other != seat and other not in game.vacant_seats]
