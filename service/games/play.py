"""Players at play: act, and what they may do."""

from dataclasses import dataclass

from domain import lifecycle
from domain.contract import Json
from domain.event import ZEROS, Event
from domain.game import Game
from service.errors import Forbidden, Stale
from service.games.cache import CachedGame
from service.games.door import Door, PendingEvents, idempotency_record, require_visible


@dataclass(frozen=True, slots=True)
class Accepted:
    """An action that was accepted: the events it became, and the server's receipt."""

    events: tuple[Event, ...]
    receipt: Json


class Play(Door):
    """The door for players of a game under way."""

    def act(
        self,
        game_id: str,
        player: str,
        raw_action: object,
        expected_seq: int,
        idempotency_key: str | None = None,
    ) -> Accepted:
        """Act, on the position that the player saw at `expected_seq`.

        Raises NotFound, Forbidden (no player of this game), Malformed (the action is not of the form),
        Stale (the position has changed since, or `expected_seq` is past the head), Refused by a clause,
        NotNow (not started, being scored, over), IdempotencyConflict. An idempotency key that was used before
        with the same action and seq gives the same answer again, and acts no more.
        """
        # A receipt must not be older than its key is public.
        self._keyring.prepare()

        def judge(folded: CachedGame) -> PendingEvents:
            game = folded.game
            require_visible(game, player)
            seat = _seat(game, player)
            action = game.rules.parse_action(raw_action)
            self._require_seen(folded, expected_seq)
            draft = PendingEvents(game_id, folded)
            fact = lifecycle.act(game, seat, action)
            draft.add(fact, {"seat": seat}, game.rules.action_to_json(action))
            return draft

        answer = idempotency_record(player, idempotency_key, [raw_action, expected_seq])
        events = self._write(game_id, judge, answer).events
        return Accepted(events, self._keyring.receipt(events[0]))

    def legal_actions(self, game_id: str, player: str) -> tuple[int, list[Json]]:
        """The game's seq, and every action that the player's seat may take there as JSON.

        None when it is another's turn, and before the start. Raises NotFound, Forbidden.
        """
        game = self._fresh(game_id).game
        require_visible(game, player)
        seat = _seat(game, player)
        if game.status != "playing":
            return game.seq, []
        actions = game.rules.legal_actions(game.state, seat)
        return game.seq, [game.rules.action_to_json(action) for action in actions]

    def _require_seen(self, folded: CachedGame, expected_seq: int) -> None:
        """Raise Stale where the position is another one than after event `expected_seq`."""
        game = folded.game
        if expected_seq > game.seq:
            raise Stale(f"there is no event {expected_seq} yet: the last is {game.seq}", game.seq)
        if expected_seq >= folded.since:
            return
        seen = self._events(game.id, expected_seq - 1, expected_seq) if expected_seq > 0 else ()
        if (seen[0]["state"] if seen else ZEROS) != game.state_hash:
            raise Stale(
                f"the position has changed since event {expected_seq}: the game is at {game.seq}",
                game.seq,
            )


def _seat(game: Game, player: str) -> int:
    """The seat of a player; before the start, which takes no action anyway, the place. Raises Forbidden."""
    seat = game.seat_of(player)
    if seat is not None:
        return seat
    for number, place in enumerate(game.places):
        if place.player == player:
            return number
    raise Forbidden("this is not a player of the game")
