"""The command for statements of people: it loads the game, and adds the events of ledger/statements.py.

A signature becomes part of the first event (service/games/player_signatures.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from domain.disputes.disputes import NOTE_MISSING, parse_ruling
from domain.errors import Malformed
from domain.game import Game
from domain.messages import Text
from ledger.pending import PendingEvents
from ledger.statements import GiveRuling, Statement, WithdrawDispute
from service.errors import NotFound
from service.games.access import require_dispute
from service.games.dispute_view import statement_fault
from service.games.game_cache import CachedGame
from service.games.player_signatures import PlayerSignature, PlayerSignatures
from service.games.repository import AcceptedAction, GameRepository


@dataclass(eq=False, repr=False)
class StatementCommands:
    """Makes statements of people in games. Thread-safe."""

    _repository: GameRepository
    _signatures: PlayerSignatures
    _max_statement_characters: int

    def state(
        self,
        game_id: str,
        player: str,
        statement: Statement,
        signature: PlayerSignature | None = None,
    ) -> AcceptedAction:
        """Make a statement, and return the events that follow from it and a receipt for the first of them.

        Raises NotFound if there is no such game, dispute or takeback, or the player may not see the game;
        Forbidden for a player who may not state this; Malformed; NotNow if the game does not accept it as it
        stands; Unavailable if the store does not respond; IdempotencyConflict if the key was used for another
        request; and the errors of `PlayerSignatures.signed`.
        """
        access = self._repository.access

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game, secret = cached.game, partial(self._repository.secret, game_id)
            access.require_visible(game, player)
            self._require_subject(game, statement)
            if isinstance(statement, GiveRuling):
                party = access.require_party(game, player)
                self._require_valid(statement)
                statement.add(pending, party, secret)
                return
            if isinstance(statement, WithdrawDispute):
                access.require_opener(game, require_dispute(game, statement.dispute), player)
            seat = access.require_seat(game, player)
            self._require_valid(statement)
            statement.add(pending, seat, secret)

        request, key = statement.as_request(), statement.idempotency_key
        signed, compared = self._signatures.signed(player, handler, request, signature)
        return self._repository.accept(game_id, player, signed, key, compared)

    def require_takeback(self, game: Game, number: int) -> None:
        """Raise NotFound unless event `number` requests a takeback."""
        last = game.last_play
        if last is not None and last.takeback is not None and last.takeback.seq == number:
            return
        events = self._repository.event_range(game.id, number - 1, number) if number else ()
        if not events or events[0]["type"] != "TakebackRequested":
            raise NotFound.with_message(
                "game {game} has no takeback {number}", game=game.id, number=number
            )

    def field_faults(self, body: Mapping[str, Any]) -> dict[str, Text]:
        """Return the faults of the fields `statement` and `ruling`, if given, by field."""
        faults: dict[str, Text] = {}
        statement, ruling = body.get("statement"), body.get("ruling")
        if isinstance(statement, str):
            fault = statement_fault(statement, self._max_statement_characters)
            if fault is not None:
                faults["statement"] = fault
        if "ruling" in body:
            try:
                if parse_ruling(ruling)["type"] == "result_stands" and statement is None:
                    faults["statement"] = NOTE_MISSING
            except Malformed as error:
                for path, field_fault in error.fields.items():
                    faults[f"ruling.{path}" if path else "ruling"] = field_fault
        return faults

    def _require_subject(self, game: Game, statement: Statement) -> None:
        """Raise NotFound unless the dispute or takeback to which the statement replies exists."""
        match statement.replies_to():
            case "dispute" as name:
                require_dispute(game, getattr(statement, name))
            case "takeback" as name:
                self.require_takeback(game, getattr(statement, name))
            case _:
                pass

    def _require_valid(self, statement: Statement) -> None:
        if faults := self.field_faults(statement.body()):
            raise Malformed(faults)
