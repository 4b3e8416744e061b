"""Requests and responses about ratings and leaderboards."""

from typing import Annotated, Literal, TypedDict

from domain.json_types import Count, Digest, KeyId, PlayerId, PositiveCount, Signature, Timestamp
from replay.player_ratings import RatedGame, RatingExclusion
from service.http.validation import QueryInteger, StrictSchema, String


class RatedGamesQuery(StrictSchema):
    """Which page of the history of ratings to show."""

    after = QueryInteger(
        load_default=0, description="`next` of the previous page: the number of its last line."
    )
    limit = QueryInteger(minimum=1, load_default=100, description="Lines per page, at most 500.")


class LeaderboardQuery(StrictSchema):
    """Which page of a leaderboard to show, and of which period."""

    period = String(
        load_default="all",
        description="A year (`2026`), a month (`2026-11`), in UTC, or `all`, the default.",
    )
    after = QueryInteger(
        load_default=0, description="`next` of the previous page: the number of places before it."
    )
    limit = QueryInteger(minimum=1, load_default=50, description="Places per page, at most 100.")


class RatingsStatement(TypedDict):
    """The server's signed statement about its ratings (docs/ratings.md).

    They follow by `model` from the games that count among the first `size` leaves of the transparency log,
    whose tree has this root. `hash` is that of line `games` of the history, which is the last one. The games
    in `excluded` do not count by rulings of administrators.
    """

    sign: Literal["cartulary ratings v1"]
    log: str
    size: Count
    root: Digest
    model: str
    games: Count
    hash: Digest
    excluded: list[RatingExclusion]
    at: Timestamp
    key: KeyId
    signature: Signature


class RatedGameList(TypedDict):
    """A page of the history of ratings. `next` is the `after` of the next page, or null."""

    games: list[RatedGame]
    next: PositiveCount | None


class LeaderboardPlace(TypedDict):
    """A player on a leaderboard: `mu` and `sigma` are in millionths, `points` is what people see."""

    place: PositiveCount
    player: PlayerId
    handle: str
    mu: int
    sigma: Count
    points: int
    provisional: Annotated[bool, "Whether too few games have been rated."]


class Leaderboard(TypedDict):
    """A page of a leaderboard. `next` is the `after` of the next page, or null."""

    system: str
    period: str
    places: list[LeaderboardPlace]
    next: PositiveCount | None
