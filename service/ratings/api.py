"""Ratings: the signed statement, the history from which they can be computed again, and leaderboards."""

from typing import Annotated, Final, Literal, TypedDict

from domain.json_types import (
    ClubId,
    Count,
    Digest,
    JsonObject,
    KeyId,
    PlayerId,
    PositiveCount,
    Signature,
    Timestamp,
)
from replay.ratings.player_ratings import RatedGame, Rating, RatingExclusion
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.validation import PageLimit, QueryInteger, StrictSchema, String


class RatedGamesQuery(StrictSchema):
    """Which page of the history of ratings to show."""

    after = QueryInteger(
        load_default=0, description="`next` of the previous page: the number of its last line."
    )
    limit = PageLimit("Lines", most=500, default=100)


class LeaderboardQuery(StrictSchema):
    """Which page of a leaderboard to show, and of which period."""

    period = String(
        load_default="all",
        description="A year (`2026`), a month (`2026-11`), in UTC, or `all`, the default.",
    )
    after = QueryInteger(
        load_default=0, description="`next` of the previous page: the number of places before it."
    )
    limit = PageLimit("Places", most=100, default=50)


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


class ClubRatingsStatement(RatingsStatement):
    """The server's signed statement about the ratings in a club: only the rated games of the club count."""

    club: ClubId


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


class ClubStanding(LeaderboardPlace):
    """A member in the table of a club, with the number of rated games in it, and how many of them were won.

    Members with equal ratings share a place.
    """

    games: PositiveCount
    wins: Count


class ClubStandings(TypedDict):
    """The members of a club with rated games in a rule system, the best first. `next` is null."""

    system: str
    places: list[ClubStanding]
    next: str | None


_OF_CLUB: Final = "/clubs/<club>/ratings"

blueprint = Blueprint("ratings", "Ratings of players, and how to check them.", auth="public")


@blueprint.get("/ratings/statement", "The statement.", RatingsStatement)
def get_ratings_statement() -> JsonObject:
    """Get the signed statement about the ratings: which part of the log they cover, and their hash."""
    return service().games.ratings.statement()


@blueprint.get(
    "/ratings/games",
    "A page of the history. `next` is the `after` of the next page.",
    RatedGameList,
    query=RatedGamesQuery(),
)
def list_rated_games(query: JsonObject) -> JsonObject:
    """List the games that count, in the order of the transparency log, with the ratings after each."""
    lines, following = service().games.ratings.games(query["after"], query["limit"])
    return {"games": lines, "next": following}


@blueprint.get(
    "/leaderboards/<system>", "A page of the leaderboard.", Leaderboard, query=LeaderboardQuery()
)
def get_leaderboard(system: str, query: JsonObject) -> JsonObject:
    """Get the players of a rule system with the best ratings after their last games of a period.

    The order is that of the mean minus three deviations.
    """
    places, following = service().games.ratings.leaderboard(system, **query)
    return {
        "system": system,
        "period": query["period"],
        "places": [
            _place_json(entry.place, entry.player, entry.handle, entry.rating) for entry in places
        ],
        "next": following,
    }


@blueprint.get(
    "/clubs/<club>/leaderboards/<system>",
    "The table of the club. `next` is null.",
    ClubStandings,
    auth="login_required",
    errors=(403,),
)
def get_club_standings(club: str, system: str, player: str) -> JsonObject:
    """Get the ratings of the members of a club in a rule system, as one of them, the best first.

    They follow from all rated games of the club, also the private ones, and from nothing else.
    """
    places = service().games.club_ratings.standings(club, player, system)
    return {
        "system": system,
        "places": [
            {
                **_place_json(entry.place, entry.player, entry.handle, entry.current.rating),
                "games": entry.current.games,
                "wins": entry.current.wins,
            }
            for entry in places
        ],
        "next": None,
    }


@blueprint.get(
    f"{_OF_CLUB}/statement",
    "The statement.",
    ClubRatingsStatement,
    auth="login_required",
    errors=(403,),
)
def get_club_ratings_statement(club: str, player: str) -> JsonObject:
    """Get the signed statement about the ratings in a club, as one of its members."""
    return service().games.club_ratings.statement(club, player)


@blueprint.get(
    f"{_OF_CLUB}/games",
    "A page of the history. `next` is the `after` of the next page.",
    RatedGameList,
    auth="login_required",
    query=RatedGamesQuery(),
    errors=(403,),
)
def list_games_rated_in_club(club: str, player: str, query: JsonObject) -> JsonObject:
    """List the games that count for the ratings in a club, with the ratings after each, as a member."""
    lines, following = service().games.club_ratings.games(
        club, player, query["after"], query["limit"]
    )
    return {"games": lines, "next": following}


def _place_json(place: int, player: str, handle: str, rating: Rating) -> JsonObject:
    return {
        "place": place,
        "player": player,
        "handle": handle,
        "mu": rating.mu,
        "sigma": rating.sigma,
        "points": rating.points,
        "provisional": rating.is_provisional,
    }
