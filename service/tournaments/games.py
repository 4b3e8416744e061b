"""Creates the games of a tournament: in the order of the seats, with a secret and nonces that derive from
what was committed to before anybody registered.

The id of a game follows from the draw, so that each is created once, whatever process dies.
"""

from contextlib import suppress

from domain import lifecycle
from domain.tournaments import draws
from domain.tournaments.decisions import game_options
from domain.tournaments.tournament import DrawnRound, Tournament
from ledger import commands
from service.accounts.holidays import Holidays
from service.accounts.keys import PlayerKeys
from service.errors import IdempotencyConflict
from service.games.holiday_registry import bring_holidays
from service.games.repository import GameRepository
from service.keyring import Keyring


class TournamentGames:
    """Creates games at the tables of rounds. Thread-safe; raises Unavailable."""

    def __init__(
        self, repository: GameRepository, keyring: Keyring, keys: PlayerKeys, holidays: Holidays
    ) -> None:
        self._repository = repository
        self._keyring = keyring
        self._keys = keys
        self._holidays = holidays

    def create(
        self, tournament: Tournament, drawn: DrawnRound, table: int, games_secret: bytes
    ) -> None:
        """Create the game at a table, counted from 1, unless it exists. The table must not be a bye.

        The players take part by having registered: they need not join.
        """
        game_id, players = drawn.games[table - 1], drawn.players[table - 1]
        nonces = drawn.nonces[table - 1]
        assert game_id is not None, "a bye has no game"
        secret = draws.game_secret(games_secret, game_id)
        pending = self._repository.new_game(game_id)
        created = lifecycle.create(
            tournament.rules,
            len(players),
            game_options(tournament, drawn.number, table),
            tournament.clock,
            secret,
        )
        pending.add(created, {"player": players[0]})
        for player, nonce in zip(players, nonces, strict=True):
            commands.join(
                pending,
                player,
                draws.game_nonce(bytes.fromhex(nonce), game_id),
                lambda: secret,
                self._keys.valid_keys(player),
            )
        for player in players:
            bring_holidays(pending, player, self._holidays)
        # The record of a game is signed, so the key must be public before there is a game.
        self._keyring.publish_key()
        with suppress(IdempotencyConflict):
            self._repository.create(pending, secret)
