"""Decides who may see a game, and who may act, dispute and rule in it."""

from collections.abc import Callable, Mapping

from domain.disputes.history import Dispute
from domain.errors import NotNow
from domain.game import Game
from domain.messages import Message, message
from service.accounts.account_reader import AccountReader
from service.errors import Forbidden, NotFound, Stale


def game_not_found(game_id: str) -> NotFound:
    """Return the error for a game that does not exist or that the viewer may not see.

    Both cases have the same message, so that a private game cannot be detected.
    """
    return NotFound.with_message("there is no game {game}", game=game_id[:64])


def club_of_viewer(game: Game, player: str | None) -> str | None:
    """Return the id of a private game's club, if the player may see the game only as a member of it.

    None if the player may see the game whether or not they are a member.
    """
    is_open = not game.options["private"] or (player is not None and _is_named(game, player))
    return None if is_open else game.options.get("club")


def _is_named(game: Game, player: str) -> bool:
    """Return whether a player has a place in a game, is invited to it, or is its arbiter."""
    return game.has_joined(player) or player in game.invited or player == game.arbiter


def _is_no_member(_club_id: str, _player: str) -> bool:
    return False


class GameAccess:
    """Decides who may see games, and who has a seat in them. Thread-safe.

    Methods raise Unavailable if the store does not respond. `is_member` takes the id of a club and that of a
    player. It is called only for the private game of a club, and a player who could not see it otherwise.
    """

    def __init__(self, is_member: Callable[[str, str], bool] = _is_no_member) -> None:
        self._is_member = is_member

    def can_see(self, game: Game, player: str | None) -> bool:
        """Return whether a player (None: a viewer without a token) may see the game.

        A private game is visible to its players, to those invited to it, to its arbiter, and to the members
        of its club; not to a player whose seat an administrator has moved to another account.
        """
        if not game.options["private"]:
            return True
        if player is None or player in game.excluded_players:
            return False
        if _is_named(game, player):
            return True
        club = game.options.get("club")
        return club is not None and self._is_member(club, player)

    def require_visible(self, game: Game, player: str | None) -> None:
        """Raise NotFound if this player may not see the game."""
        if not self.can_see(game, player):
            raise game_not_found(game.id)

    def require_seat(self, game: Game, player: str) -> int:
        """Return the player's seat; before the start, the index of the player's place.

        Raises NotFound if the player may not see the game, and Forbidden if the player is not in it.
        """
        self.require_visible(game, player)
        seat = game.seat_of(player)
        if seat is not None:
            return seat
        if not game.players:
            for index, place in enumerate(game.places):
                if place.player == player:
                    return index
        raise Forbidden.with_message("this is not a player of the game")

    def require_opener(self, game: Game, dispute: Dispute, player: str) -> None:
        """Raise Forbidden unless the player has opened the dispute."""
        if self.require_seat(game, player) != dispute.seat:
            raise Forbidden.with_message("only the player who opened a dispute can withdraw it")

    def require_party(self, game: Game, player: str) -> int | None:
        """Return None for the game's arbiter; in a game without an arbiter, return the seat of the player.

        Raises Forbidden for everybody else: they cannot rule.
        """
        if game.arbiter is None:
            return self.require_seat(game, player)
        if player != game.arbiter:
            raise Forbidden.with_message("only the arbiter of the game rules its disputes")
        return None


def rating_fault(
    options: Mapping[str, object], player: str, accounts: AccountReader
) -> Message | None:
    """Return the reason why a player cannot play in a rated game with these options; None if the player can.

    Guests and bots can play only in games that are not rated.
    """
    if options.get("rated") is not True:
        return None
    (account,) = accounts.get([player])
    if account is not None and account.is_bot:
        return message("bots cannot play in a rated game")
    if account is None or not account.is_guest:
        return None
    return message(
        "guests cannot play in a rated game: choose a handle and a password first, on the page of your"
        " account"
    )


def require_ratable(game: Game, player: str, accounts: AccountReader) -> None:
    """Raise NotNow if the game is rated, and the player is a guest or a bot."""
    if fault := rating_fault(game.options, player, accounts):
        raise NotNow(None, fault)


def is_correspondent(game: Game, player: str | None) -> bool:
    """Return whether a player takes part in the conversation of a game: its players and its arbiter do."""
    return player is not None and (game.is_participant(player) or player == game.arbiter)


def require_correspondent(game: Game, player: str | None) -> None:
    """Raise Forbidden for a viewer who may see the game, but neither plays in it nor is its arbiter."""
    if not is_correspondent(game, player):
        raise Forbidden.with_message("only the players and the arbiter of the game can do this")


def require_dispute(game: Game, number: int) -> Dispute:
    """Return the dispute that event `number` opened. Raises NotFound."""
    for dispute in game.disputes:
        if dispute.seq == number:
            return dispute
    raise NotFound.with_message("game {game} has no dispute {number}", game=game.id, number=number)


def stale(expected_seq: int, game: Game) -> Stale:
    """Return the error for a request about a position that has changed since event `expected_seq`."""
    return Stale(
        message(
            "the position has changed since event {expected}: the game is at event {seq}",
            expected=expected_seq,
            seq=game.seq,
        ),
        game.seq,
    )
