"""A game after one of its events as one viewer knows it: other secrets are drawn at random.

A position depends on the secrets of the start of a game, and of the events that draw them anew. Where the
viewer knows all of them, the game is read from the cached prefixes of the loader, however long its log is.
Otherwise it is folded from its start.
"""

from collections.abc import Iterator

import orjson

from domain.contract import Opened, secret_owner
from domain.event import Event
from domain.game import Game
from replay.sandbox import game_with_drawn_secrets
from service.games.loader import GameLoader
from service.store.event_store import LogReader


class GamesForViewers:
    """Reads games as viewers know them. Thread-safe.

    Every method raises Unavailable if the store does not respond, and Unreadable if the game is damaged.
    """

    def __init__(self, loader: GameLoader, log_reader: LogReader) -> None:
        self._loader = loader
        self._log_reader = log_reader

    def game(self, game_id: str, seq: int, viewer: int | None, seed: bytes) -> Game:
        """Return the game after event `seq` as the seat `viewer` knows it; None knows everything.

        The secrets that the viewer does not know are drawn from `seed`. Raises NotFound if there is no such
        event.
        """
        game = self._loader.game_at(game_id, seq)
        if viewer is None or all(secret_owner(name) == viewer for name in self.secrets(game)):
            return game
        before = self._loader.game_at(game_id, game.start_seq - 1)
        events = [*self._loader.event_range(game_id, before.seq, seq)]
        return game_with_drawn_secrets(events, self._opened(events, viewer), seed, before)

    def secrets(self, game: Game) -> Iterator[str]:
        """Yield the names of the secrets on which the position of a game depends."""
        dealing = (game.start_seq, *(resumption.seq for resumption in game.resumptions))
        for seq in dealing if game.start_seq else ():
            for event in self._loader.event_range(game.id, seq - 1, seq):
                yield from event.get("secrets", ())

    def _opened(self, events: list[Event], viewer: int) -> Opened:
        """Return the values of the secrets that the viewer may see. Others are not even read."""
        names = [
            f"{event['seq']}/{name}"
            for event in events
            for name in event.get("secrets", ())
            if secret_owner(name) == viewer
        ]
        opened: dict[int, dict[str, object]] = {}
        for key, opening in self._log_reader.secrets(events[0]["game"], names).items():
            seq, _, name = key.partition("/")
            opened.setdefault(int(seq), {})[name] = orjson.loads(opening)["value"]
        return opened
