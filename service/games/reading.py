"""Readers: games, positions, events and records, as far as a viewer may see them."""

from collections.abc import Iterable

import orjson

from domain.contract import Json
from domain.event import Event
from domain.game import Game, evolve, fold
from ledger import record
from service import deadlines
from service.errors import NotFound
from service.games.door import Door, require_visible


class Reading(Door):
    """The door for who looks on."""

    def game(self, game_id: str) -> Game:
        """The game at its head, whoever asks. Raises NotFound."""
        return self._fresh(game_id).game

    def many(self, game_ids: Iterable[str]) -> list[Game]:
        """Many games at their heads, in the same order, whoever asks; what cannot be read is left out."""
        return [folded.game for folded in self._fresh_each(game_ids)]

    def visible(self, game_id: str, player: str | None) -> Game:
        """The game at its head, as far as this player (None: nobody known) may know of it.

        Raises NotFound, also for a private game of others.
        """
        game = self._fresh(game_id).game
        require_visible(game, player)
        return game

    def waiting_for(self, player: str) -> list[Game]:
        """The games in which it is this player's turn, newest first."""
        games = self.many(self._listings.playing(player))
        return [
            game
            for game in games
            if game.to_act is not None and game.players[game.to_act] == player
        ]

    def events(self, game_id: str, after: int, limit: int) -> list[Event]:
        """Events after+1 … of a game, `limit` at most; [] past its head. Looks at no viewer's rights."""
        return [orjson.loads(line) for line in self._log.read(game_id, after, limit=limit)]

    def event(
        self, game_id: str, seq: int, viewer: int | None = None
    ) -> tuple[Event, Json | None, Json | None]:
        """An event, and the positions before and after it as the seat `viewer` may see them by now.

        Positions are None before the start. Raises NotFound.
        """
        ended = self._fresh(game_id).game.has_ended
        events = self._events(game_id, 0, seq) if seq > 0 else ()
        if not 0 < seq == len(events):
            raise NotFound(f"game {game_id} has no event {seq}")
        opened = self._opened(game_id, events)
        before = fold(events[:-1], None, opened)
        event = events[-1]
        after = evolve(before, event, opened)
        then = None if before is None else before.position(viewer, ended=ended)
        return event, then, after.position(viewer, ended=ended)

    def record(self, game_id: str, viewer: int | None = None) -> bytes:
        """The game record at the head, with what the seat `viewer` may see opened. Raises NotFound."""
        game = self._fresh(game_id).game
        # The list of keys that goes into the header has the one that signs it.
        self._keyring.prepare()
        lines = self._log.read(game_id, upto=game.seq)
        opens: dict[int, dict[str, Json]] = {}
        for place, opening in self._log.secrets(game_id).items():
            seq, _, name = place.partition("/")
            if name and int(seq) <= game.seq and game.may_see(name, viewer):
                opens.setdefault(int(seq), {})[name] = orjson.loads(opening)
        head = record.header(game, self._keyring.published(), self._keyring.sign_head)
        return b"".join(record.write(head, lines, opens))

    def deadline(self, game: Game) -> str | None:
        """When the turn under way is forfeited; None without clock or turn."""
        return deadlines.deadline(game)
