"""Projections that follow the event feed: each has a name, a position in the feed, and values.

    cartulary:{projection:NAME}    hash: `live`, the generation that is read; `next`, the one that a rebuild
                                   fills; `position:G`, the cursor of the feed of generation G; and
                                   `heads:G`, the same cursor, unless a version that stores no heads has
                                   advanced the generation
    cartulary:{projection:NAME}:G  hash, the values of generation G
    cartulary:{projection:NAME}:G:heads    hash: by game, the last event that was handled (`HandledHead`)
    cartulary:{projection:NAME}:G:boards   set of the names of the leaderboards of generation G
    cartulary:{projection:NAME}:G:BOARD    sorted set, a leaderboard: members by score

Position and values change in one script, and only if the position is the expected one. Each page of the feed
therefore counts once, although several processes may catch up at the same time, and any of them may die. A
rebuild fills another generation beside the live one, and then replaces it. A rebuild also happens when the
store has lost events that were handled.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import redis

from domain.errors import CartularyError
from domain.event import Event
from service.connection import read_field, text_or_none, to_text, unavailable_on_error
from service.projections.event_feed import CursorReplaced, EventFeed, FeedCursor
from service.projections.handled_events import EventsReplaced, HandledHead, new_events

log = logging.getLogger(__name__)

_FIRST: Final = "1"
"""The first generation of each projection."""

_ADVANCE: Final = """
local position = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if position ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
local heads = redis.call('HGET', KEYS[1], ARGV[4]) or ''
if heads == position then redis.call('HSET', KEYS[1], ARGV[4], ARGV[3]) end
for i = 5, #ARGV, 3 do
  local kind, field, value = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if kind == '+' then redis.call('HINCRBY', KEYS[2], field, value)
  elseif kind == '=' then redis.call('HSET', KEYS[2], field, value)
  elseif kind == 'head' then redis.call('HSET', KEYS[4], field, value)
  elseif kind == 'board' then redis.call('SADD', KEYS[3], field)
  elseif string.sub(kind, 1, 1) == '^' then
    redis.call('ZADD', KEYS[tonumber(string.sub(kind, 2))], value, field)
  else redis.call('HDEL', KEYS[2], field) end
end
return 1
"""
_REPLACE: Final = """
if redis.call('HGET', KEYS[1], 'next') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'next', 'position:' .. ARGV[2], 'heads:' .. ARGV[2])
redis.call('HSET', KEYS[1], 'live', ARGV[1])
redis.call('DEL', KEYS[2], KEYS[3])
return 1
"""


_FIRST_BOARD_KEY: Final = 5
"""The index of the key of the first leaderboard among the keys of the script that advances a projection."""

ReadValues: TypeAlias = Callable[[Collection[str]], dict[str, str]]
"""Returns the stored values of a projection with these names, in one round trip."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes by some events: increments of counts, and new values of other fields, None to delete.

    `scores` has the new scores of members of leaderboards, by the name of the leaderboard.
    """

    growth: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, str | None] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def arguments(self) -> list[str]:
        """Return the changes as arguments of the script that stores them."""
        arguments: list[str] = []
        for name, growth in sorted(self.growth.items()):
            arguments += ["+", name, str(growth)]
        for name, value in sorted(self.values.items()):
            arguments += ["-", name, ""] if value is None else ["=", name, value]
        for key, (board, scores) in enumerate(sorted(self.scores.items()), _FIRST_BOARD_KEY):
            arguments += ["board", board, ""]
            for member, score in sorted(scores.items()):
                arguments += [f"^{key}", member, str(score)]
        return arguments


class Projection(Protocol):
    """Derives values from the events of the games of a feed: public ones, unless it has a feed of its own."""

    name: str

    def handle(self, events: Sequence[Event], feed: EventFeed, read: ReadValues, /) -> Changes:
        """Return the changes by these events, which follow those of earlier calls.

        Each readable event of a game is passed once, and in order. `read` returns the values after earlier
        calls. The same events must always lead to the same values.
        """


@runtime_checkable
class CorrectedProjection(Projection, Protocol):
    """A projection that also depends on data outside of the events, such as rulings."""

    def is_outdated(self, read: ReadValues, /) -> bool:
        """Return whether that data has changed, so that the projection must be rebuilt."""


class RebuildReplaced(CartularyError):
    """Another rebuild of the same projection has begun."""


@dataclass(frozen=True, slots=True)
class ProjectionState:
    """The progress of a projection: `lag` is the number of entries of the log that it has not handled."""

    name: str
    position: str
    lag: int


class Projections:
    """The projections of a service. Thread-safe.

    They follow `feed`, except for those that `other_feeds` names.

    Its methods raise Unavailable if Redis does not respond, and EntriesMissing.
    """

    def __init__(
        self,
        client: redis.Redis,
        feed: EventFeed,
        projections: Sequence[Projection],
        other_feeds: Mapping[str, EventFeed] | None = None,
    ) -> None:
        self._redis = client
        self._feed = feed
        self._feeds = dict(other_feeds or {})
        self._projections = {projection.name: projection for projection in projections}
        self._advance = client.register_script(_ADVANCE)
        self._replace = client.register_script(_REPLACE)

    def names(self) -> list[str]:
        """Return the names of all projections."""
        return list(self._projections)

    def states(self) -> list[ProjectionState]:
        """Return the state of each projection."""
        return list(map(self.state, self._projections))

    def state(self, name: str) -> ProjectionState:
        """Return the state of a projection."""
        position = self._position(name, self._live(name))
        entries = FeedCursor.parse(position or None).entries
        return ProjectionState(name, position, max(0, self._feed.size() - entries))

    def values(self, name: str) -> dict[str, int]:
        """Return the values of a projection."""
        with unavailable_on_error():
            stored = self._redis.hgetall(_values_key(name, self._live(name)))
        return {to_text(field): int(value) for field, value in stored.items()}

    def read(self, name: str, fields: Collection[str]) -> dict[str, str]:
        """Return the existing values of a projection with these names, in one round trip."""
        return self._read(name, self._live(name), fields)

    def read_at(self, name: str, fields: Sequence[str]) -> tuple[FeedCursor, dict[str, str]]:
        """Return the existing values with these names, and the position in the feed to which they belong."""
        live = self._live(name)
        with unavailable_on_error(), self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hget(_key(name), f"position:{live}")
            pipeline.hmget(_values_key(name, live), list(fields))
            position, stored = pipeline.execute()
        cursor = FeedCursor.parse(text_or_none(position))
        return cursor, _stored_values(fields, stored)

    def board(self, name: str, board: str, first: int, count: int) -> list[tuple[str, int]]:
        """Return members of a leaderboard with their scores, the highest first, from member `first` on."""
        key = f"{_values_key(name, self._live(name))}:{board}"
        with unavailable_on_error():
            members: list[Any] = self._redis.zrevrange(
                key, first, first + count - 1, withscores=True
            )
        return [(to_text(member), int(score)) for member, score in members]

    def catch_up(self, max_pages: int | None = None) -> bool:
        """Make every projection handle its next pages; return whether all are up to date.

        At most `max_pages` are handled. After a restore, a projection of another history begins again. A
        projection that is outdated, or has handled events that the store has lost, is rebuilt, by as many
        pages in each call, while the old values are still read.
        """
        results = []
        for name in self._projections:
            live = self._live(name)
            try:
                is_complete = self._catch_up_or_reset(name, live, max_pages)
                is_outdated = is_complete and self._is_outdated(name, live)
            except EventsReplaced:
                is_complete, is_outdated = False, True
            if is_outdated:
                self._continue_rebuild(name, live, max_pages)
            results.append(is_complete and not is_outdated)
        return all(results)

    def _is_outdated(self, name: str, live: str) -> bool:
        """Return whether a projection must be rebuilt: see `CorrectedProjection`, and `heads:G`."""
        stored = self._read_hash(_key(name), [f"position:{live}", f"heads:{live}"])
        if stored.get(f"position:{live}") != stored.get(f"heads:{live}"):
            return True
        projection = self._projections[name]
        return isinstance(projection, CorrectedProjection) and projection.is_outdated(
            partial(self._read, name, live)
        )

    def rebuild(self, name: str, on_progress: Callable[[int, int], None] | None = None) -> None:
        """Rebuild a projection from all events, while the old values are still read.

        `on_progress`, if given, is called after each page with the number of entries of the log that have
        been handled, and of all. Raises RebuildReplaced, and CursorReplaced or EventsReplaced if the log is
        restored, or events are lost, in the meantime.
        """
        live = self._live(name)
        generation = str(int(live) + 1)
        with unavailable_on_error():
            self._redis.hset(_key(name), "next", generation)
        self._reset(name, generation)
        while not self._catch_up(name, generation, 1):
            if on_progress is not None:
                cursor = FeedCursor.parse(self._position(name, generation) or None)
                on_progress(cursor.entries, self._feed.size())
        if not self._replace_live(name, live, generation):
            raise RebuildReplaced.with_message("another rebuild of this projection has begun")

    def _continue_rebuild(self, name: str, live: str, max_pages: int | None) -> None:
        """Fill the next generation, and make it live when it is complete.

        Several processes may do this at the same time. A generation that another process has completed is not
        begun again.
        """
        with unavailable_on_error():
            if self._redis.hsetnx(_key(name), "next", str(int(live) + 1)):
                log.info("projection %s is rebuilt", name)
            stored = self._redis.hget(_key(name), "next")
        if stored is None:
            return
        generation = to_text(stored)
        try:
            if self._catch_up_or_reset(name, generation, max_pages):
                self._replace_live(name, live, generation)
        except EventsReplaced:
            self._reset(name, generation)

    def _replace_live(self, name: str, live: str, generation: str) -> bool:
        """Make a complete generation the live one; return whether it was still the next one."""
        with unavailable_on_error():
            keys = [_key(name), _values_key(name, live), _heads_key(name, live)]
            if not self._replace(keys=keys, args=[generation, live]):
                return False
            self._redis.delete(*self._board_keys(name, live))
        return True

    def _catch_up_or_reset(self, name: str, generation: str, max_pages: int | None) -> bool:
        """Handle pages of the feed; return whether the last one was. After a restore, begin again."""
        try:
            return self._catch_up(name, generation, max_pages)
        except CursorReplaced:
            self._reset(name, generation)
            return False

    def _catch_up(self, name: str, generation: str, max_pages: int | None) -> bool:
        """Handle pages of the feed; return whether the last one was handled."""
        pages, feed = 0, self._feeds.get(name, self._feed)
        while max_pages is None or pages < max_pages:
            position = self._position(name, generation)
            cursor = FeedCursor.parse(position or None)
            page = feed.page(cursor)
            if page.cursor != cursor:
                heads = self._heads(name, generation, {event["game"] for event in page.events})
                events, heads = new_events(page.events, heads, feed)
                changes = self._projections[name].handle(
                    events, feed, partial(self._read, name, generation)
                )
                args: list[str] = [f"position:{generation}", position, str(page.cursor)]
                args.append(f"heads:{generation}")
                for game_id, head in heads.items():
                    args += ("head", game_id, head.encode())
                args += changes.arguments()
                values_key = _values_key(name, generation)
                keys = [_key(name), values_key, f"{values_key}:boards"]
                keys.append(_heads_key(name, generation))
                keys += [f"{values_key}:{board}" for board in sorted(changes.scores)]
                with unavailable_on_error():
                    self._advance(keys=keys, args=args)
            if page.is_last:
                return True
            pages += 1
        return False

    def _heads(
        self, name: str, generation: str, game_ids: Collection[str]
    ) -> dict[str, HandledHead]:
        """Return the last events of these games that a generation has handled."""
        stored = self._read_hash(_heads_key(name, generation), game_ids)
        return {game_id: HandledHead.parse(text) for game_id, text in stored.items()}

    def _read(self, name: str, generation: str, fields: Collection[str]) -> dict[str, str]:
        return self._read_hash(_values_key(name, generation), fields)

    def _read_hash(self, key: str, fields: Collection[str]) -> dict[str, str]:
        if not fields:
            return {}
        with unavailable_on_error():
            stored = self._redis.hmget(key, list(fields))
        return _stored_values(fields, stored)

    def _reset(self, name: str, generation: str) -> None:
        """Reset a generation to its beginning."""
        with unavailable_on_error(), self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hdel(_key(name), f"position:{generation}", f"heads:{generation}")
            pipeline.delete(_values_key(name, generation), _heads_key(name, generation))
            pipeline.delete(*self._board_keys(name, generation))
            pipeline.execute()

    def _board_keys(self, name: str, generation: str) -> list[str]:
        """Return the keys of the leaderboards of a generation, and that of their names."""
        key = _values_key(name, generation)
        boards = self._redis.smembers(f"{key}:boards")
        return [f"{key}:boards", *(f"{key}:{to_text(board)}" for board in boards)]

    def _live(self, name: str) -> str:
        return read_field(self._redis, _key(name), "live") or _FIRST

    def _position(self, name: str, generation: str) -> str:
        return read_field(self._redis, _key(name), f"position:{generation}") or ""


def _stored_values(fields: Collection[str], stored: Any) -> dict[str, str]:
    """Return the values of fields by name, as Redis has returned them in this order, without missing ones."""
    return {
        field: to_text(value)
        for field, value in zip(fields, stored, strict=True)
        if value is not None
    }


def _key(name: str) -> str:
    return f"cartulary:{{projection:{name}}}"


def _values_key(name: str, generation: str) -> str:
    return f"{_key(name)}:{generation}"


def _heads_key(name: str, generation: str) -> str:
    return f"{_values_key(name, generation)}:heads"
