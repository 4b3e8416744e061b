"""Events that the store has lost, such as in a failover to a replica that was behind.

    cartulary:lost-events   set, `GAME SEQ HASH`: events that this server has confirmed or shown, and that are
    no longer in the log

A process notices a loss by the hash chain: the log does not continue the game that it has cached. It then
continues with the remaining events, and a sweep of the scheduler records the loss in the log of the game, as
`EventsLost`.
"""

import logging
from collections.abc import Iterator
from typing import Final

import redis

from domain.errors import NotNow, Unreadable
from domain.game import Game
from ledger import commands
from ledger.pending import PendingEvents
from service.connection import to_text, unavailable_on_error
from service.errors import NotFound, log_text
from service.games.game_cache import CachedGame
from service.games.repository import GameRepository

log = logging.getLogger(__name__)

_KEY: Final = "cartulary:lost-events"


class LostEvents:
    """The lost events that are not recorded yet. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def report(self, game: Game) -> None:
        """Note that the last event of a game in this process is no longer in the log."""
        log.critical("the store has lost events of game %s, up to event %d", game.id, game.seq)
        with unavailable_on_error():
            self._redis.sadd(_KEY, f"{game.id} {game.seq} {game.hash}")

    def record(self, repository: GameRepository) -> None:
        """Record the reported losses in the logs of the games. Idempotent.

        A damaged game is left for later.
        """
        for entry in self._entries():
            game_id, seq, hash = entry.split(" ")
            try:
                _record(repository, game_id, int(seq), hash)
            except Unreadable as error:
                log.warning("the loss in game %s is not recorded: %s", game_id, log_text(error))
                continue
            with unavailable_on_error():
                self._redis.srem(_KEY, entry)

    def _entries(self) -> Iterator[str]:
        with unavailable_on_error():
            for entry in self._redis.sscan_iter(_KEY):
                yield to_text(entry)


def _record(repository: GameRepository, game_id: str, seq: int, hash: str) -> None:
    """Append `EventsLost` to a game, unless that was done, the event exists, or the game is over."""

    def handler(cached: CachedGame, pending: PendingEvents) -> None:
        head = cached.game.seq
        for event in repository.event_range(game_id, seq - 1, head):
            is_recorded = event["type"] == "EventsLost" and event["data"]["hash"] == hash
            if is_recorded or event["hash"] == hash:
                return
        commands.lose_events(pending, seq, hash)

    try:
        repository.execute(game_id, handler, at_head=True)
    except NotNow:
        log.warning("the loss in game %s is not recorded, because the game is over", game_id)
    except NotFound:
        log.critical("the store has lost game %s", game_id)
