"""The ratings of players, derived from the event feed: a table, its history, leaderboards (docs/ratings.md).

Games that count can be excluded by administrators (RT-9 of docs/ratings.md):

    cartulary:rating-exclusions    hash: the `RatingExclusion` as JSON by the id of its game

The ratings are a projection (service/projections/projections.py) with these values:

    head                number and hash of the last line of the history
    line NUMBER         a line of the history, the `RatedGame` as canonical JSON
    exclusions          the games that administrators have excluded, as canonical JSON, if there are any
    of SYSTEM ID        how many games of a player count, how many of them were won, and the current rating
    of SYSTEM ID N      the number of the line of the N-th game of a player
    on BOARD ID         the rating of a player on a leaderboard, as in `of SYSTEM ID`

and with a leaderboard `SYSTEM PERIOD` for each period in which a game was finished: a year (`2026`), a month
(`2026-11`), and `all`. It has the rating of each player after their last game in the period. The `exclusions`
are those with which the ratings were derived, and which the server publishes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson
import redis

from domain.errors import Malformed, Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import message
from domain.registry import rule_systems
from ledger.canonical import canonical
from ledger.keys import ratings_payload
from ledger.transparency.merkle import root
from replay.ratings.player_ratings import (
    FIRST_HASH,
    MODEL_NAME,
    NotRated,
    RatedGame,
    Rating,
    RatingExclusion,
    Result,
    is_asked_to_count,
    rate,
    rated_game,
    rated_result,
)
from service import wall_clock
from service.accounts.account_reader import AccountReader
from service.connection import unavailable_on_error
from service.errors import NotFound, OperationNotPossible
from service.keyring import Keyring
from service.projections.event_feed import EventFeed
from service.projections.projections import Changes, Projections, ReadValues
from service.transparency.parts import Transparency

ALL: Final = "all"
"""The period of all time."""
MAX_LINES: Final = 500
"""The most lines of the history on a page."""
MAX_HISTORY: Final = 500
"""The most changes of a player's rating that are read at a time."""
MAX_PLACES: Final = 100
"""The most players on a page of a leaderboard."""
MAX_EXCLUSIONS: Final = 500
"""The most excluded games: every statement of the ratings lists all of them."""
_EXCLUSIONS: Final = "cartulary:rating-exclusions"
_PERIOD: Final = re.compile(r"all|[0-9]{4}(?:-(?:0[1-9]|1[0-2]))?")


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """The current rating of a player in a rule system, and how many games led to it."""

    rating: Rating
    games: int = 0
    wins: int = 0

    @classmethod
    def decode(cls, text: str | None) -> "PlayerRating":
        """Return the rating in a stored text; the initial rating for None."""
        if text is None:
            return cls(Rating())
        games, wins, mu, sigma = map(int, text.split())
        return cls(Rating(mu, sigma), games, wins)

    def encode(self) -> str:
        """Return the rating as text, for storage."""
        return f"{self.games} {self.wins} {self.rating.mu} {self.rating.sigma}"


@dataclass(frozen=True, slots=True)
class RatingChange:
    """A game that has changed the rating of a player, the player's place in it, and the rating after it."""

    game: str
    at: str
    place: int
    rating: Rating


@dataclass(frozen=True, slots=True)
class LeaderboardPlace:
    """A place on a leaderboard, counted from 1, with the handle of the player."""

    place: int
    player: str
    handle: str
    rating: Rating


class RatingExclusions:
    """The exclusions of a service. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def all(self) -> list[RatingExclusion]:
        """Return all exclusions, the oldest first."""
        with unavailable_on_error():
            values: Any = self._redis.hvals(_EXCLUSIONS)
        stored: list[RatingExclusion] = [orjson.loads(value) for value in values]
        return sorted(stored, key=lambda one: (one["at"], one["game"]))

    def require_new(self, game_id: str) -> None:
        """Raise OperationNotPossible if a game is excluded already, or if too many games are."""
        games = {one["game"] for one in self.all()}
        if game_id in games:
            raise OperationNotPossible.with_message("the game is excluded from the ratings already")
        if len(games) >= MAX_EXCLUSIONS:
            raise OperationNotPossible.with_message(
                "{count} games are excluded from the ratings already", count=len(games)
            )

    def add(self, game_id: str, reason: str) -> None:
        """Exclude a game from now on, unless it is excluded already."""
        exclusion: JsonObject = {
            "game": game_id,
            "at": wall_clock.format(wall_clock.now()),
            "reason": reason,
        }
        with unavailable_on_error():
            self._redis.hsetnx(_EXCLUSIONS, game_id, canonical(exclusion))

    def require(self, game_id: str) -> None:
        """Raise NotFound unless a game is excluded."""
        with unavailable_on_error():
            is_excluded = self._redis.hexists(_EXCLUSIONS, game_id)
        if not is_excluded:
            raise NotFound.with_message("the game is not excluded from the ratings")

    def remove(self, game_id: str) -> None:
        """Let a game count again."""
        with unavailable_on_error():
            self._redis.hdel(_EXCLUSIONS, game_id)


class RatingsProjection:
    """Derives the ratings. The cost of a finished game does not depend on the number of games.

    All values of a generation are derived without the games in its `exclusions`.
    """

    name = "ratings"

    def __init__(self, exclusions: RatingExclusions) -> None:
        self._exclusions = exclusions

    def is_outdated(self, read: ReadValues, /) -> bool:
        """Return whether the excluded games have changed since the ratings were derived."""
        stored = read(["exclusions"]).get("exclusions")
        return parse_exclusions(stored) != self._exclusions.all()

    def handle(self, events: Sequence[Event], feed: EventFeed, read: ReadValues, /) -> Changes:
        """See `Projection.handle`."""
        ends = [event for event in events if event["type"] == "GameFinished"]
        created = feed.created_events([event["game"] for event in ends])
        stored = read(["exclusions", "head"])
        # Once a generation has counted a game, its list of exclusions stays the same.
        values = {} if stored else self._current_exclusions()
        exclusions = parse_exclusions((values or stored).get("exclusions"))
        excluded = {exclusion["game"] for exclusion in exclusions}
        scores: dict[str, dict[str, int]] = {}
        for end in ends:
            first = created.get(end["game"])
            if first is None or end["game"] in excluded or not is_asked_to_count(first):
                continue
            (log,) = feed.event_ranges([(end["game"], 1, end["seq"])])
            try:
                result = rated_result(log)
            except (NotRated, Unreadable):
                continue
            after = count_result(result, values, read)
            for player in result.places:
                for period in (ALL, result.at[:4], result.at[:7]):
                    board = f"{result.system} {period}"
                    scores.setdefault(board, {})[player] = after[player].rating.cautious
                    values[f"on {board} {player}"] = after[player].encode()
        return Changes(values=values, scores=scores)

    def _current_exclusions(self) -> dict[str, str]:
        """Return the list of excluded games as a value of a generation, which has none if no game is."""
        exclusions = self._exclusions.all()
        return {"exclusions": canonical(exclusions).decode()} if exclusions else {}


def count_result(
    result: Result, values: dict[str, str], read: ReadValues, table: str = ""
) -> dict[str, PlayerRating]:
    """Add the changes by a game to those by earlier games on the same page of the feed.

    Returns the ratings of its players after it. The names of all values of the table begin with `table`.
    """
    names = {player: f"{table}of {result.system} {player}" for player in result.places}
    head = f"{table}head"
    stored = {**read([head, *names.values()]), **values}
    number, hash = parse_head(stored.get(head))
    before = {player: PlayerRating.decode(stored.get(name)) for player, name in names.items()}
    after = rate(result, {player: entry.rating for player, entry in before.items()})
    line = rated_game(number + 1, result, after, hash)
    values[head] = f"{line['number']} {line['hash']}"
    values[f"{table}line {line['number']}"] = canonical(line).decode()
    ratings: dict[str, PlayerRating] = {}
    for player, entry in before.items():
        games, wins = entry.games + 1, entry.wins + (result.places[player] == 1)
        ratings[player] = PlayerRating(after[player], games, wins)
        values[names[player]] = ratings[player].encode()
        values[f"{names[player]} {games}"] = str(line["number"])
    return ratings


def parse_head(text: str | None) -> tuple[int, str]:
    """Return the number and the hash of the last line of the history."""
    if text is None:
        return 0, FIRST_HASH
    number, hash = text.split()
    return int(number), hash


def parse_line(text: str) -> RatedGame:
    """Return a line of the history."""
    return cast("RatedGame", orjson.loads(text))


def parse_exclusions(text: str | None) -> list[RatingExclusion]:
    """Return the games that administrators have excluded."""
    return [] if text is None else cast("list[RatingExclusion]", orjson.loads(text))


@dataclass(eq=False, repr=False)
class Ratings:
    """Reads the ratings. Thread-safe.

    Its methods raise Unavailable if Redis does not respond. `of` and `history` are for pages about a player.
    """

    _projections: Projections
    _accounts: AccountReader
    _transparency: Transparency
    _keyring: Keyring

    def of(self, player: str) -> dict[str, PlayerRating]:
        """Return the current ratings of a player by rule system; none for one without rated games."""
        fields = {system: f"of {system} {player}" for system in rule_systems()}
        stored = self._projections.read(RatingsProjection.name, [*fields.values()])
        return {
            system: PlayerRating.decode(stored[name])
            for system, name in fields.items()
            if name in stored
        }

    def history(
        self, player: str, system: str, last: int, limit: int = MAX_HISTORY
    ) -> list[RatingChange]:
        """Return the changes of a player's rating in a rule system up to game `last`, the count in `of`.

        They are in order: the last ones, at most `limit` and MAX_HISTORY.
        """
        first = max(1, last - min(limit, MAX_HISTORY) + 1)
        fields = [f"of {system} {player} {number}" for number in range(first, last + 1)]
        numbers = self._projections.read(RatingsProjection.name, fields)
        lines = self._lines([int(numbers[name]) for name in fields if name in numbers])
        return [
            RatingChange(
                line["game"], line["at"], entry["place"], Rating(entry["mu"], entry["sigma"])
            )
            for line in lines
            for entry in line["players"]
            if entry["player"] == player
        ]

    def games(self, after: int, limit: int = MAX_LINES) -> tuple[list[RatedGame], int | None]:
        """Return lines of the history after line `after`, at most MAX_LINES, and `after` of the next page.

        The latter is None on the last page.
        """
        limit = min(limit, MAX_LINES)
        lines = self._lines(range(after + 1, after + limit + 2))
        return lines[:limit], after + limit if len(lines) > limit else None

    def exclusions(self) -> list[RatingExclusion]:
        """Return the games that are excluded from the ratings by rulings of administrators."""
        stored = self._projections.read(RatingsProjection.name, ["exclusions"])
        return parse_exclusions(stored.get("exclusions"))

    def statement(self) -> JsonObject:
        """Return the signed statement of the table and of the part of the log that it covers."""
        fields = ["head", "exclusions"]
        cursor, stored = self._projections.read_at(RatingsProjection.name, fields)
        number, hash = parse_head(stored.get("head"))
        payload = ratings_payload(
            log=self._transparency.checkpoints.origin,
            size=cursor.entries,
            root=root(self._transparency.log, cursor.entries).hex(),
            model=MODEL_NAME,
            games=number,
            hash=hash,
            excluded=parse_exclusions(stored.get("exclusions")),
            at=wall_clock.format(wall_clock.now()),
        )
        return self._keyring.signing_key.sign(payload)

    def leaderboard(
        self, system: str, period: str = ALL, after: int = 0, limit: int = MAX_PLACES
    ) -> tuple[list[LeaderboardPlace], int | None]:
        """Return a page of a leaderboard, and the `after` of the next page, None on the last one.

        Players without an account, and those with a hidden profile, are left out, so a page may have fewer
        than `limit` players. The others keep their places. Raises NotFound for an unknown rule system, and
        Malformed for an invalid period.
        """
        if system not in rule_systems():
            raise NotFound.with_message("there is no rule system {name}", name=system[:64])
        if not _PERIOD.fullmatch(period):
            raise Malformed({"period": message("must be a year, a month such as 2026-11, or all")})
        limit = min(limit, MAX_PLACES)
        board = f"{system} {period}"
        members = self._projections.board(RatingsProjection.name, board, after, limit + 1)
        page = members[:limit]
        accounts = self._accounts.get([player for player, _ in page])
        ratings = self._ratings_on(board, page)
        places = [
            LeaderboardPlace(place, account.id, account.handle, ratings[account.id])
            for place, account in enumerate(accounts, after + 1)
            if account is not None and account.profile != "nothing" and account.id in ratings
        ]
        return places, after + limit if len(members) > limit else None

    def _ratings_on(self, board: str, page: Sequence[tuple[str, int]]) -> Mapping[str, Rating]:
        """Return the ratings of players on a leaderboard, as of their last games in its period."""
        fields = [f"on {board} {player}" for player, _ in page]
        stored = self._projections.read(RatingsProjection.name, fields)
        return {
            player: PlayerRating.decode(stored[name]).rating
            for (player, _), name in zip(page, fields, strict=True)
            if name in stored
        }

    def _lines(self, numbers: Sequence[int]) -> list[RatedGame]:
        fields = [f"line {number}" for number in numbers]
        stored = self._projections.read(RatingsProjection.name, fields)
        return [parse_line(stored[name]) for name in fields if name in stored]
