"""The nonces that people add to the seed for what is drawn anew when play resumes, with seed version 2."""

from domain.chance import FIRST_SEED_VERSION, check_nonce
from domain.disputes.events import NonceData
from domain.disputes.records import SuppliedNonce
from domain.game import Game


def add_nonce(data: NonceData, game: Game, seat: int | None, nonce: bytes | None) -> None:
    """Add the nonce that the program of a person sent, if any, to the data of an event.

    The person has this seat, or is the arbiter (None). The event has no nonce in a game with seed version 1,
    and none from a bot. Raises Malformed for a nonce of more than 64 bytes.
    """
    if nonce is None:
        return
    check_nonce(nonce)
    if game.seed_version != FIRST_SEED_VERSION and seat not in game.bot_seats:
        data["nonce"] = nonce.hex()


def resumption_nonces(game: Game, because: int) -> tuple[SuppliedNonce, ...]:
    """Return the nonces of the events of the dispute or takeback that ended with event `because`.

    They are in the order of the log. There are none if the event has neither ruled nor agreed to anything.
    """
    for dispute in game.disputes:
        if dispute.ending is not None and dispute.ending.seq == because:
            return dispute.nonces
    takeback = None if game.last_play is None else game.last_play.takeback
    return () if takeback is None else takeback.nonces
