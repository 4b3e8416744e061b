"""The queries for games, positions, events and records, limited to what a viewer may see.

A record is read in pages of bounded size: a long one is never in memory as a whole.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from domain.event import ZEROS, Event
from domain.game import Game
from domain.json_types import JsonObject
from ledger import record
from service.accounts.accounts import Players
from service.accounts.keys import PlayerKeys
from service.bounds import Bounds
from service.errors import GameDamaged, Unavailable
from service.games.access import GameAccess, require_dispute
from service.games.dispute_view import dispute_details
from service.games.game_filter import GameFilter
from service.games.listings import EXAMINED, Listings, Page
from service.games.loader import PAGE_LINES, GameLoader, History
from service.games.summary import Summary
from service.keyring import Keyring
from service.store.event_store import LogReader
from service.store.log_check import check_lines, decode_opening
from service.transparency.proofs import Proofs

MAX_EXAMINED_GAMES: Final = 100
"""The number of games in progress that are examined for one page of games that wait for a player."""
FIRST_LINES: Final = 32
"""The number of lines in the first read for a record, before their length is known."""


@dataclass(eq=False, repr=False)
class GameQueries:
    """Reads games. Thread-safe.

    The games that it returns are shared and must not be changed. Every method raises Unavailable if
    the store does not respond.
    """

    _loader: GameLoader
    _log_reader: LogReader
    _listings: Listings
    _keyring: Keyring
    _players: Players
    _player_keys: PlayerKeys
    _proofs: Proofs
    record_page_bytes: int = Bounds().record_page_bytes
    page_events: int = Bounds().page_events

    @property
    def access(self) -> GameAccess:
        """The object that decides who may see games."""
        return self._loader.access

    def game(self, game_id: str) -> Game:
        """Return the game at its head, without checking who may see it. Raises NotFound."""
        return self._loader.load(game_id).game

    def players(self, game_id: str) -> tuple[str, ...]:
        """Return the ids of the players of a game by seat as it was last read; none before the start.

        Raises NotFound.
        """
        return self._loader.players(game_id)

    def games(self, game_ids: Sequence[str]) -> list[Game | None]:
        """Return many games at their heads, in order, without checking who may see them.

        For a game that cannot be read, the list contains None. The list ends early, but not before the
        first game, when `page_events` events have been folded.
        """
        return list(self._loader.load_many(game_ids, self.page_events))

    def visible_game(self, game_id: str, player: str | None) -> Game:
        """Return the game at its head for a player (None: a viewer without a token).

        Raises NotFound, also for a private game that the player may not see.
        """
        return self._loader.visible_game(game_id, player)

    def visible_history(self, game_id: str, player: str | None, seq: int | None = None) -> History:
        """Return the game at its head or, if it is damaged after event `seq`, before the damage.

        Raises the errors of `visible_game`. `seq` is None for the last event.
        """
        return self._loader.visible_history(game_id, player, seq)

    def game_at(self, game_id: str, seq: int) -> Game:
        """Return the game as it was after event `seq`. Raises NotFound if there is no such event."""
        return self._loader.game_at(game_id, seq)

    def summaries(self, game_ids: Sequence[str]) -> list[Summary | None]:
        """Return the summaries of many games, like `games`."""
        stored = self._listings.summaries
        return list(self._loader.summarize_many(game_ids, stored, self.page_events))

    def filtered_summaries(
        self,
        read_page: Callable[[str | None, int], Page],
        game_filter: GameFilter,
        cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[list[Summary], str | None]:
        """Return the summaries of games that pass a filter, and the cursor of the next page.

        `read_page` returns a page of the listing of the filter's kinds of games after a cursor. At most
        EXAMINED games are examined for a page, which may therefore have fewer games than `limit`, even none,
        and still a next page.
        """
        page = read_page(cursor, max(limit, EXAMINED) if game_filter.needs_summaries else limit)
        summaries = self.summaries(page.games)
        page = page.first(len(summaries))
        matches: list[Summary] = []
        for count, summary in enumerate(summaries, 1):
            if summary is not None and game_filter.passes(summary):
                matches.append(summary)
                if len(matches) == limit:
                    return matches, page.first(count).next
        return matches, page.next

    def games_waiting_for(
        self, player: str, cursor: str | None = None, limit: int = MAX_EXAMINED_GAMES
    ) -> tuple[list[Game], str | None]:
        """Return a page of the games in which it is this player's turn, newest first, and the next cursor.

        Examines at most MAX_EXAMINED_GAMES games in progress. The page may therefore have fewer games
        than `limit`, even none, and still a next page. Raises Malformed for an invalid cursor.
        """
        page = self._listings.games_in_progress(player, cursor, MAX_EXAMINED_GAMES)
        loaded = self.games(page.games)
        page = page.first(len(loaded))
        waiting: list[Game] = []
        for count, game in enumerate(loaded, 1):
            if game is not None and _is_turn_of(player, game):
                waiting.append(game)
                if len(waiting) == limit:
                    return waiting, page.first(count).next
        return waiting, page.next

    def legal_actions(self, game_id: str, player: str) -> tuple[int, list[JsonObject]]:
        """Return the game's seq and every action (JSON) that the player's seat may take now.

        The list is empty before the start and when it is another seat's turn. Raises NotFound,
        Forbidden.
        """
        game = self.visible_game(game_id, player)
        seat = self._loader.access.require_seat(game, player)
        if game.status != "playing":
            return game.seq, []
        actions = game.rules.legal_actions(game.state, seat)
        to_json = game.rules.action_to_json
        return game.seq, [cast("JsonObject", to_json(action)) for action in actions]

    def event(self, game_id: str, seq: int) -> Event:
        """Return an event of a game, which must exist, without checking who may see the game."""
        (event,) = self._loader.event_range(game_id, seq - 1, seq)
        return event

    def event_page(self, game_id: str, after: int, limit: int) -> list[Event]:
        """Return events after+1 … of a game, at most `limit`, without checking who may see it.

        The page ends before a damaged event. Raises GameDamaged if it would begin with one.
        """
        return self._loader.event_page(game_id, after, limit)

    def shown_head(self, game: Game) -> JsonObject:
        """Return the signed statement that the last event of the game is the last one at the current time."""
        return self._keyring.shown_head(game.id, game.seq, game.hash)

    def continuation(self, game: Game, seq: int, size: int, limit: int) -> JsonObject:
        """Return the proof that a game and the transparency log continue what somebody has seen of them.

        `seq` is the last event of the game that was seen, and `size` the number of leaves of the last
        checkpoint, each 0 if there is none. `limit` bounds the events after event `seq` that are returned.
        """
        first = max(0, seq - 1)
        count = min(limit + seq - first, game.seq - first)
        events = self.event_page(game.id, first, count) if count > 0 else []
        seen = events.pop(0) if seq and events else None
        return {
            "head": self.shown_head(game),
            "hash": None if seen is None else seen["hash"],
            "events": events,
            "keys": self._keyring.public_keys(),
            **self._proofs.continuation(size),
        }

    def dispute(self, game_id: str, number: int, player: str | None) -> JsonObject:
        """Return the dispute that event `number` opened, with its statements, as JSON.

        Raises NotFound if there is none, or the player may not see the game.
        """
        game = self.visible_game(game_id, player)
        return dispute_details(game, require_dispute(game, number), self._log_reader.secrets)

    def record(
        self, game_id: str, viewer: int | None = None, seq: int | None = None
    ) -> Iterator[bytes]:
        """Return the game record in pages, with the secrets that the seat `viewer` may see.

        The game is recorded up to event `seq`, by default up to its head at the time of the call. A page has
        at most `record_page_bytes` bytes, unless a single line is longer, and is read when the iterator
        reaches it. Raises NotFound. The iterator raises Unavailable if the rest of the log cannot be read,
        and GameDamaged.
        """
        game = self.game(game_id) if seq is None else self.game_at(game_id, seq)
        # The keys in the header must include the one that signs it.
        self._keyring.publish_key()
        openings: dict[int, dict[str, JsonObject]] = {}
        for key, opening in self._log_reader.secrets(game_id).items():
            number, _, name = key.partition("/")
            if name and int(number) <= game.seq and game.may_see(name, viewer):
                openings.setdefault(int(number), {})[name] = decode_opening(opening)
        header = record.header(
            game,
            self._keyring.public_keys(),
            self._keyring.sign_head,
            self._header_players(game),
            self._proofs.inclusion_for_record(game),
            self._proofs.log_name(),
        )
        lines = self._lines(game)
        return join_lines(record.write(header, lines, openings), self.record_page_bytes)

    def _lines(self, game: Game) -> Iterator[bytes]:
        try:
            yield from read_lines(self._log_reader, game, self.record_page_bytes)
        except GameDamaged as damage:
            self._loader.note_damage(damage)
            raise

    def _header_players(self, game: Game) -> list[JsonObject]:
        """Return the entries for the players of a game, and its arbiter, in the header of a record."""
        ids = [*game.all_players, *([] if game.arbiter is None else [game.arbiter])]
        accounts = self._players.get(ids)
        keys = self._player_keys.of_each(ids)
        return [
            {"id": id, "handle": None if player is None else player.handle, "keys": entries}
            for id, player, entries in zip(ids, accounts, keys, strict=True)
        ]


def _is_turn_of(player: str, game: Game) -> bool:
    return game.to_act is not None and game.seat_of(player) == game.to_act


def read_lines(log_reader: LogReader, head: Game, page_bytes: int) -> Iterator[bytes]:
    """Iterate over the lines of all events of the game with this head.

    Each read of the store is for about `page_bytes` bytes, and happens when the iterator reaches it.
    Raises Unavailable if the store does not respond, or if the log has lost events of this game, and
    GameDamaged before the first damaged event.
    """
    seq, limit = 0, FIRST_LINES
    hash = ZEROS
    while seq < head.seq:
        lines = log_reader.read(head.id, seq, head.seq, limit)
        if not lines:
            break
        events, fault = check_lines(head.id, seq, lines, hash)
        count = len(events)
        if events:
            hash = events[-1]["hash"]
        line_bytes = sum(map(len, lines)) / len(lines)
        limit = max(1, min(PAGE_LINES, int(page_bytes / line_bytes)))
        # A reader may take any time over a page, and events need several times the memory of their lines.
        del events
        yield from lines[:count]
        seq += count
        if fault is not None:
            raise GameDamaged(head.id, seq + 1, fault)
    if hash != head.hash:
        raise Unavailable.with_message(
            "the log of game {game} changed while its record was read", game=head.id
        )


def join_lines(lines: Iterable[bytes], page_bytes: int) -> Iterator[bytes]:
    """Join lines into parts of at most `page_bytes`; a longer line is one part."""
    page: list[bytes] = []
    size = 0
    for line in lines:
        if page and size + len(line) > page_bytes:
            yield b"".join(page)
            page, size = [], 0
        page.append(line)
        size += len(line)
    if page:
        yield b"".join(page)
