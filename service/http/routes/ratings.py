"""Ratings: the signed statement, the history from which they can be computed again, and leaderboards."""

from domain.json_types import JsonObject
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.schemas.ratings import (
    Leaderboard,
    LeaderboardQuery,
    RatedGameList,
    RatedGamesQuery,
    RatingsStatement,
)

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
            {
                "place": entry.place,
                "player": entry.player,
                "handle": entry.handle,
                "mu": entry.rating.mu,
                "sigma": entry.rating.sigma,
                "points": entry.rating.points,
                "provisional": entry.rating.is_provisional,
            }
            for entry in places
        ],
        "next": following,
    }
