"""The commands of disputes and takebacks: each loads the game and applies ledger/commands.py to it.

They append the events, and take an optional idempotency key, like the commands in service/games/commands.py.
A signature becomes part of the first event (service/games/player_signatures.py).
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

from domain.disputes.disputes import NOTE_MISSING, parse_ruling
from domain.errors import Malformed
from domain.game import Game
from domain.messages import Text
from ledger import commands
from ledger.pending import PendingEvents
from service.errors import NotFound
from service.games.access import require_dispute
from service.games.dispute_view import statement_fault
from service.games.game_cache import CachedGame
from service.games.player_signatures import PlayerSignatures, RequestOptions, SignedCommands
from service.games.repository import AcceptedAction, GameRepository


class DisputeCommands(SignedCommands):
    """All commands on disputes and takebacks. Thread-safe.

    `nonce` is what the player's program adds to the seed of what is drawn anew if play resumes.

    Every command returns the events that it appended and a receipt for the first of them. It raises NotFound
    if there is no such game, dispute or request, or the player may not see the game; Forbidden for a player
    who may not do this; Malformed; NotNow if the game does not accept it as it stands; Unavailable if the
    store does not respond; and IdempotencyConflict if the key was used for another request.
    """

    def __init__(
        self,
        repository: GameRepository,
        signatures: PlayerSignatures,
        max_statement_characters: int,
    ) -> None:
        super().__init__(repository, signatures)
        self._max_statement_characters = max_statement_characters

    def open_dispute(
        self,
        game_id: str,
        player: str,
        about: int,
        statement: str,
        nonce: bytes | None = None,
        **options: Unpack[RequestOptions],
    ) -> AcceptedAction:
        """Dispute event `about`; the game's clock stops."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            seat = self._repository.access.require_seat(cached.game, player)
            self._check_fields(statement=statement)
            commands.open_dispute(pending, seat, about, statement, nonce)

        request = ["dispute", about, statement, *_nonce_part(nonce)]
        return self._accept(game_id, player, handler, request, **options)

    def answer_dispute(
        self,
        game_id: str,
        number: int,
        player: str,
        statement: str,
        nonce: bytes | None = None,
        **options: Unpack[RequestOptions],
    ) -> AcceptedAction:
        """Comment on the dispute that event `number` opened."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._repository.access.require_visible(cached.game, player)
            require_dispute(cached.game, number)
            seat = self._repository.access.require_seat(cached.game, player)
            self._check_fields(statement=statement)
            commands.answer_dispute(pending, number, seat, statement, nonce)

        request = ["answer dispute", number, statement, *_nonce_part(nonce)]
        return self._accept(game_id, player, handler, request, **options)

    def withdraw_dispute(
        self, game_id: str, number: int, player: str, **options: Unpack[RequestOptions]
    ) -> AcceptedAction:
        """End a dispute that the player has opened."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._repository.access.require_visible(cached.game, player)
            dispute = require_dispute(cached.game, number)
            self._repository.access.require_opener(cached.game, dispute, player)
            commands.withdraw_dispute(pending, number, dispute.seat)

        request = ["withdraw dispute", number]
        return self._accept(game_id, player, handler, request, **options)

    def give_ruling(
        self,
        game_id: str,
        number: int,
        player: str,
        raw_ruling: object,
        statement: str | None = None,
        nonce: bytes | None = None,
        **options: Unpack[RequestOptions],
    ) -> AcceptedAction:
        """Rule as the game's arbiter, or, in a game without one, propose a ruling or agree to one.

        The ruling that all players still in the game propose takes effect at once.
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game = cached.game
            self._repository.access.require_visible(game, player)
            require_dispute(game, number)
            seat = self._repository.access.require_party(game, player)
            secret = partial(self._repository.secret, game_id)
            self._check_fields(ruling=raw_ruling, statement=statement)
            ruling = parse_ruling(raw_ruling)
            if seat is None:
                commands.rule(pending, number, ruling, statement, secret, nonce)
            else:
                commands.propose_ruling(pending, number, seat, ruling, statement, secret, nonce)

        request = ["ruling", number, raw_ruling, statement, *_nonce_part(nonce)]
        return self._accept(game_id, player, handler, request, **options)

    def request_takeback(
        self,
        game_id: str,
        player: str,
        nonce: bytes | None = None,
        **options: Unpack[RequestOptions],
    ) -> AcceptedAction:
        """Ask the other players to let the player take back the last action."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            seat = self._repository.access.require_seat(cached.game, player)
            commands.request_takeback(pending, seat, nonce)

        request = ["takeback", *_nonce_part(nonce)]
        return self._accept(game_id, player, handler, request, **options)

    def answer_takeback(
        self,
        game_id: str,
        number: int,
        player: str,
        *,
        agree: bool,
        nonce: bytes | None = None,
        **options: Unpack[RequestOptions],
    ) -> AcceptedAction:
        """Agree to the takeback that event `number` requested, or decline it."""

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._repository.access.require_visible(cached.game, player)
            self.require_takeback(cached.game, number)
            seat = self._repository.access.require_seat(cached.game, player)
            secret = partial(self._repository.secret, game_id)
            commands.answer_takeback(pending, number, seat, agree=agree, secret=secret, nonce=nonce)

        request = ["answer takeback", number, agree, *_nonce_part(nonce)]
        return self._accept(game_id, player, handler, request, **options)

    def require_takeback(self, game: Game, number: int) -> None:
        """Raise NotFound if event `number` requests no takeback."""
        last = game.last_play
        if last is not None and last.takeback is not None and last.takeback.seq == number:
            return
        events = self._repository.event_range(game.id, number - 1, number) if number else ()
        if not events or events[0]["type"] != "TakebackRequested":
            raise NotFound.with_message(
                "game {game} has no takeback {number}", game=game.id, number=number
            )

    def field_faults(self, fields: Mapping[str, Any]) -> dict[str, Text]:
        """Return what is wrong with `statement` and `ruling`, as far as they are given, by field."""
        faults: dict[str, Text] = {}
        statement, ruling = fields.get("statement"), fields.get("ruling")
        if isinstance(statement, str):
            fault = statement_fault(statement, self._max_statement_characters)
            if fault is not None:
                faults["statement"] = fault
        if "ruling" in fields:
            try:
                if parse_ruling(ruling)["type"] == "result_stands" and statement is None:
                    faults["statement"] = NOTE_MISSING
            except Malformed as error:
                for path, field_fault in error.fields.items():
                    faults[f"ruling.{path}" if path else "ruling"] = field_fault
        return faults

    def _check_fields(self, **fields: object) -> None:
        faults = self.field_faults(fields)
        if faults:
            raise Malformed(faults)


def _nonce_part(nonce: bytes | None) -> list[str]:
    """The part of a request that an idempotency key covers if a nonce was sent.

    Without one, the request is as in versions without these nonces, whose records are still valid.
    """
    return [] if nonce is None else [f"nonce {nonce.hex()}"]
