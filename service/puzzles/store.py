"""The puzzles of a service, and how far the search for them is, stored in Redis.

    cartulary:puzzles                hash: by number, the puzzle as JSON
    cartulary:puzzles:last           the greatest number of a puzzle
    cartulary:puzzles:positions      hash: by game and event, the number of the puzzle of this position
    cartulary:puzzles:ratings        hash: by number, the rating of the puzzle (`PuzzleRating`)
    cartulary:puzzles:days           hash: by date, the number of the puzzle of the day
    cartulary:puzzles:search         the game that is examined, as JSON (`Search`)
    cartulary:puzzles:examined       sorted set by time: the games that have been examined last
    cartulary:puzzles:spent:DATE     milliseconds of the processor that the search has taken; expires
    cartulary:puzzles:made:DATE      how many puzzles were made; expires
    cartulary:puzzle-attempts:PLAYER hash: by number, the first answer; and `rating`, a `PuzzleRating`

Puzzles follow from the logs of their games, but ratings and attempts do not.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import orjson
import redis

from domain.json_types import JsonObject
from replay.ratings.player_ratings import Rating
from service.bounds import Bounds
from service.connection import text_or_none, to_text, unavailable_on_error
from service.stored_objects import decode_object, members_of

MAX_EXAMINED: Final = 1_000
"""The games whose examination is remembered, which is more than those among which the search chooses."""
_DAYS_KEPT: Final = 400
_KEPT_SECONDS: Final = 3 * 24 * 3600
_PUZZLES: Final = "cartulary:puzzles"
_RATING: Final = "rating"
_T = TypeVar("_T")

_ATTEMPT: Final = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
if (redis.call('HGET', KEYS[1], 'rating') or '') ~= ARGV[3] then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], 'rating', ARGV[4])
return 1
"""
_REPLACE: Final = """
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
"""
_REMOVE: Final = """
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])
"""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle: the position of a game before event `seq`, in which the seat is to act.

    `result` is what `cartulary check-puzzle` computes, with the solution (docs/analysis.md).
    """

    number: int
    game: str
    system: str
    seats: int
    seq: int
    seat: int
    made_at: str
    result: JsonObject
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class PuzzleRating:
    """The rating of a player at puzzles, or of a puzzle, and the numbers of all and of right answers."""

    rating: Rating = field(default_factory=Rating)
    attempts: int = 0
    solved: int = 0

    @classmethod
    def decode(cls, text: str) -> "PuzzleRating":
        """Return the rating in a stored text; the initial one for ""."""
        if not text:
            return cls()
        mu, sigma, attempts, solved = map(int, text.split())
        return cls(Rating(mu, sigma), attempts, solved)

    def encode(self) -> str:
        """Return the rating as text, for storage."""
        return f"{self.rating.mu} {self.rating.sigma} {self.attempts} {self.solved}"


@dataclass(frozen=True, slots=True)
class Attempt:
    """The first answer of a player to a puzzle, in short form; "" if the player gave up."""

    is_solved: bool
    action: str


@dataclass(frozen=True, slots=True)
class Search:
    """The search for puzzles in a game whose last event has this hash.

    `left` are the events to be examined, None until the game is analysed; `state` is that of the first of
    them. `trials` counts the steps that were begun since the last one that was completed.
    """

    game: str
    hash: str
    left: Sequence[int] | None = None
    state: JsonObject | None = None
    found: int = 0
    trials: int = 0
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class PuzzleStore:
    """Stores puzzles. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, bounds: Bounds) -> None:
        self._redis = client
        self._bounds = bounds
        self._attempt = client.register_script(_ATTEMPT)
        self._replace = client.register_script(_REPLACE)
        self._remove = client.register_script(_REMOVE)

    # Puzzles

    def numbers(self) -> list[int]:
        """Return the numbers of all puzzles, in order."""
        with unavailable_on_error():
            names: Any = self._redis.hkeys(_PUZZLES)
        return sorted(map(int, names))

    def get(self, numbers: Sequence[int]) -> list[Puzzle]:
        """Return the puzzles with these numbers; those that do not exist are left out."""
        if not numbers:
            return []
        with unavailable_on_error():
            values: Any = self._redis.hmget(_PUZZLES, [str(number) for number in numbers])
        return [
            puzzle
            for value in values
            if (puzzle := _decode(lambda stored: decode_object(Puzzle, stored), value)) is not None
        ]

    def add(self, game: str, system: str, seats: int, at: str, result: JsonObject) -> int | None:
        """Store a new puzzle; return its number, None if its position is one already.

        If there are more than the bound allows then, the oldest ones are deleted.
        """
        position = _position(game, result["seq"])
        with unavailable_on_error():
            number = int(self._redis.incr(f"{_PUZZLES}:last"))
            if not self._redis.hsetnx(f"{_PUZZLES}:positions", position, str(number)):
                return None
            puzzle = Puzzle(number, game, system, seats, result["seq"], result["seat"], at, result)
            self._redis.hset(_PUZZLES, str(number), orjson.dumps(members_of(puzzle)))
            self._count(f"made:{at[:10]}", 1)
        for old in self.numbers()[: -self._bounds.max_puzzles]:
            self.remove(old)
        return number

    def remove(self, number: int) -> None:
        """Delete a puzzle. Its position can be one again, as another puzzle. Idempotent."""
        puzzles = self.get([number])
        with unavailable_on_error():
            for puzzle in puzzles:
                # Another process may have deleted it too, and the position may be another puzzle by now.
                position = _position(puzzle.game, puzzle.seq)
                self._remove(keys=[f"{_PUZZLES}:positions"], args=[position, str(number)])
            self._redis.hdel(_PUZZLES, str(number))
            self._redis.hdel(f"{_PUZZLES}:ratings", str(number))

    def day(self, date: str) -> int | None:
        """Return the number of the puzzle of a day; None if none was chosen."""
        with unavailable_on_error():
            value = text_or_none(self._redis.hget(f"{_PUZZLES}:days", date))
        return None if value is None else int(value)

    def days(self) -> dict[str, int]:
        """Return the numbers of the puzzles of the last days, by date."""
        with unavailable_on_error():
            stored: Any = self._redis.hgetall(f"{_PUZZLES}:days")
        return {to_text(date): int(number) for date, number in stored.items()}

    def choose(self, date: str, former: int | None, number: int) -> None:
        """Let a puzzle be that of a day, unless another one than `former` has been chosen meanwhile."""
        days = f"{_PUZZLES}:days"
        with unavailable_on_error():
            before = "" if former is None else str(former)
            self._replace(keys=[days], args=[date, before, str(number)])
            outdated = sorted(self.days())[:-_DAYS_KEPT]
            if outdated:
                self._redis.hdel(days, *outdated)

    # Answers

    def ratings(self, numbers: Sequence[int]) -> list[PuzzleRating]:
        """Return the ratings of puzzles."""
        if not numbers:
            return []
        with unavailable_on_error():
            values: Any = self._redis.hmget(f"{_PUZZLES}:ratings", [str(n) for n in numbers])
        return [PuzzleRating.decode(text_or_none(value) or "") for value in values]

    def replace_rating(self, number: int, before: PuzzleRating, after: PuzzleRating) -> bool:
        """Store the rating of a puzzle, unless it has changed meanwhile; return whether it is stored."""
        former = before.encode() if before.attempts else ""
        with unavailable_on_error():
            return bool(
                self._replace(
                    keys=[f"{_PUZZLES}:ratings"], args=[str(number), former, after.encode()]
                )
            )

    def rating_of(self, player: str) -> PuzzleRating:
        """Return the rating of a player at puzzles."""
        with unavailable_on_error():
            stored = text_or_none(self._redis.hget(_of(player), _RATING))
        return PuzzleRating.decode(stored or "")

    def attempts(self, player: str, numbers: Sequence[int]) -> dict[int, Attempt]:
        """Return the first answers of a player to puzzles, by number; puzzles without one are left out."""
        if not numbers:
            return {}
        with unavailable_on_error():
            values: Any = self._redis.hmget(_of(player), [str(number) for number in numbers])
        return {
            number: _attempt(to_text(value))
            for number, value in zip(numbers, values, strict=True)
            if value is not None
        }

    def answer(
        self, player: str, number: int, attempt: Attempt, before: PuzzleRating, after: PuzzleRating
    ) -> bool | None:
        """Store the first answer of a player, with the rating after it.

        Return whether it is stored: False if the player has answered before, None if the rating is no longer
        `before`.
        """
        text = f"{int(attempt.is_solved)} {attempt.action}"
        former = before.encode() if before.attempts else ""
        with unavailable_on_error():
            stored = int(
                self._attempt(keys=[_of(player)], args=[str(number), text, former, after.encode()])
            )
            if stored == 1:
                self._remove_outdated(player)
        return None if stored < 0 else bool(stored)

    def _remove_outdated(self, player: str) -> None:
        """Remove the answers to puzzles that are deleted, if there are many."""
        if self._redis.hlen(_of(player)) <= 2 * self._bounds.max_puzzles:
            return
        names: Any = self._redis.hkeys(_of(player))
        existing = {str(number) for number in self.numbers()} | {_RATING}
        outdated = [name for name in map(to_text, names) if name not in existing]
        if outdated:
            self._redis.hdel(_of(player), *outdated)

    def forget_player(self, player: str) -> None:
        """Delete the answers of a player. The ratings of puzzles stay as they are."""
        with unavailable_on_error():
            self._redis.delete(_of(player))

    # The search

    def search(self) -> Search | None:
        """Return the game that is examined; None if none is."""
        with unavailable_on_error():
            value = self._redis.get(f"{_PUZZLES}:search")
        return _decode(lambda stored: decode_object(Search, stored), value)

    def put_search(self, search: Search) -> None:
        """Store how far the search in a game is."""
        with unavailable_on_error():
            self._redis.set(f"{_PUZZLES}:search", orjson.dumps(members_of(search)))

    def end_search(self, game: str) -> None:
        """Remember that a game was examined, and that none is."""
        examined = f"{_PUZZLES}:examined"
        with unavailable_on_error():
            self._redis.zadd(examined, {game: time.time()})
            self._redis.zremrangebyrank(examined, 0, -1 - MAX_EXAMINED)
            self._redis.delete(f"{_PUZZLES}:search")

    def not_examined(self, games: Sequence[str]) -> list[str]:
        """Return those of some games that have not been examined."""
        if not games:
            return []
        with unavailable_on_error():
            scores: Any = self._redis.zmscore(f"{_PUZZLES}:examined", list(games))
        return [game for game, at in zip(games, scores, strict=True) if at is None]

    def count_spent(self, date: str, milliseconds: int) -> None:
        """Count time of the processor that the search has taken."""
        with unavailable_on_error():
            self._count(f"spent:{date}", milliseconds)

    def spent_and_made(self, date: str) -> tuple[float, int]:
        """Return the seconds of the processor that the search took on a day, and the puzzles it made."""
        with unavailable_on_error():
            spent = text_or_none(self._redis.get(f"{_PUZZLES}:spent:{date}"))
            made = text_or_none(self._redis.get(f"{_PUZZLES}:made:{date}"))
        return int(spent or 0) / 1000, int(made or 0)

    def _count(self, name: str, growth: int) -> None:
        key = f"{_PUZZLES}:{name}"
        self._redis.incrby(key, growth)
        self._redis.expire(key, _KEPT_SECONDS)


def _position(game: str, seq: int) -> str:
    return f"{game} {seq}"


def _of(player: str) -> str:
    return f"cartulary:puzzle-attempts:{player}"


def _attempt(text: str) -> Attempt:
    solved, _, action = text.partition(" ")
    return Attempt(solved == "1", action)


def _decode(decode: Callable[[bytes], _T], value: object) -> _T | None:
    """Return a stored object; None if there is none, or if it is damaged."""
    if not isinstance(value, bytes):
        return None
    try:
        return decode(value)
    except (TypeError, ValueError):
        return None
