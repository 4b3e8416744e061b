"""Players before a game starts: create it, join it, leave it.

The place that fills the game starts it, and the last one to leave abandons it, each in one append with
the start or the end (`by` {"system": "start"}).
"""

import secrets as randomness
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from domain import lifecycle
from domain.contract import Json
from domain.errors import Malformed
from domain.game import Game
from ledger.turn_clock import clock_faults
from service.errors import IdempotencyConflict
from service.games.cache import CachedGame
from service.games.door import Door, Outcome, PendingEvents, idempotency_record, require_visible
from service.store.event_store import HeadMoved

START = {"system": "start"}


class Lobby(Door):
    """The door for players before the start."""

    def create(
        self,
        player: str,
        *,
        rules: str,
        seats: int,
        options: Mapping[str, Any],
        clock: Json | None = None,
        invited: tuple[str, ...] = (),
        nonce: bytes | None = None,
        idempotency_key: str | None = None,
    ) -> Game:
        """A new game, the player in its first place. Raises Malformed, every wrong field named.

        `invited` are ids of players. Without a nonce one is drawn.
        """
        _check(rules, seats, options, clock)
        request = [rules, seats, dict(options), clock, list(invited), _hex(nonce)]
        answer = idempotency_record(player, idempotency_key, request)
        # A key always leads to the same game, so that the log of that game can say whether it is known.
        game_id = randomness.token_hex(8) if answer is None else _id_by(answer.name)
        secret = randomness.token_bytes(32)
        guests = [guest for guest in dict.fromkeys(invited) if guest != player]
        draft = PendingEvents(game_id, None, {"seed": secret.hex()})
        by = {"player": player}
        game = draft.add(lifecycle.create(rules, seats, options, clock, secret, guests), by)
        draft.add(lifecycle.join(game, player, _nonce(nonce)), by)
        # Whatever is read of a game may be signed, so where there is a game there is a key.
        self._keyring.prepare()
        self._log.expect(game_id)
        try:
            outcome = self._append(draft, answer)
        except HeadMoved:
            raise IdempotencyConflict(
                "this Idempotency-Key made a game that is long over, and its answer is kept no more"
            ) from None
        return self._after(game_id, outcome)

    def join(
        self,
        game_id: str,
        player: str,
        nonce: bytes | None = None,
        idempotency_key: str | None = None,
    ) -> Game:
        """Take a place, the game after it: started, if that was the last place.

        Raises NotFound, NotNow (full, started, joined before), Malformed (the nonce).
        """
        request = ["join", _hex(nonce)]
        drawn = _nonce(nonce)

        def judge(folded: CachedGame) -> PendingEvents:
            require_visible(folded.game, player)
            draft = PendingEvents(game_id, folded)
            game = draft.add(lifecycle.join(folded.game, player, drawn), {"player": player})
            if lifecycle.can_start(game):
                draft.add(lifecycle.start(game, self._seed(game_id)), START)
            return draft

        answer = idempotency_record(player, idempotency_key, request)
        return self._after(game_id, self._write(game_id, judge, answer))

    def leave(self, game_id: str, player: str, idempotency_key: str | None = None) -> Game:
        """Give a place back before the start. Raises NotFound, NotNow (no place, started)."""

        def judge(folded: CachedGame) -> PendingEvents:
            require_visible(folded.game, player)
            draft = PendingEvents(game_id, folded)
            game = draft.add(lifecycle.leave(folded.game, player), {"player": player})
            if not game.places:
                draft.add(lifecycle.abandon(game, self._seed(game_id)), START)
            return draft

        answer = idempotency_record(player, idempotency_key, ["leave"])
        return self._after(game_id, self._write(game_id, judge, answer))

    def _after(self, game_id: str, outcome: Outcome) -> Game:
        """The game as it was right after these events, which a repeated request is told again."""
        if outcome.game is not None:
            return outcome.game
        return self.game_at(game_id, outcome.events[-1]["seq"])


def _check(rules: str, seats: int, options: Mapping[str, Any], clock: object) -> None:
    """Raise Malformed with all that is wrong with what is asked for, the clock included."""
    faults = clock_faults(clock)
    try:
        lifecycle.check_options(rules, seats, options)
    except Malformed as refused:
        raise Malformed({**refused.fields, **faults}) from None
    if faults:
        raise Malformed(faults)


def _nonce(sent: bytes | None) -> bytes:
    return randomness.token_bytes(32) if sent is None else sent


def _hex(nonce: bytes | None) -> str | None:
    return None if nonce is None else nonce.hex()


def _id_by(answer: str) -> str:
    return sha256(answer.encode()).hexdigest()[:16]
