"""Ratings of players, and how to check them.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict

from client.methods import C_co, Group, Method
from client.requests import Call, call, reader, segment


class RatingExclusion(TypedDict):
    """A game that does not count by a ruling of an administrator (RT-9), with the time and the
    reason.
    """

    game: str
    at: str
    reason: str


class ClubRatingsStatement(TypedDict):
    """The server's signed statement about the ratings in a club: only the rated games of the
    club count.
    """

    sign: str
    log: str
    size: int
    root: str
    model: str
    games: int
    hash: str
    excluded: list[RatingExclusion]
    at: str
    key: str
    signature: str
    club: str


class ClubStanding(TypedDict):
    """A member in the table of a club, with the number of rated games in it, and how many of
    them were won. Members with equal ratings share a place.
    """

    place: int
    player: str
    handle: str
    mu: int
    sigma: int
    points: int
    provisional: bool
    games: int
    wins: int


class ClubStandings(TypedDict):
    """The members of a club with rated games in a rule system, the best first. `next` is null."""

    system: str
    places: list[ClubStanding]
    next: str | None


class LeaderboardPlace(TypedDict):
    """A player on a leaderboard: `mu` and `sigma` are in millionths, `points` is what people
    see.
    """

    place: int
    player: str
    handle: str
    mu: int
    sigma: int
    points: int
    provisional: bool


class Leaderboard(TypedDict):
    """A page of a leaderboard. `next` is the `after` of the next page, or null."""

    system: str
    period: str
    places: list[LeaderboardPlace]
    next: int | None


class RatedPlayer(TypedDict):
    """A player's place in a game, and the rating after it, in millionths."""

    player: str
    place: int
    mu: int
    sigma: int


class RatedGame(TypedDict):
    """A line of the history of ratings: game `number`, counted from 1 in the order of the
    transparency log. `last` and `at` are the hash and the time of the event that finished the
    game, and `players` are in the order of the seats. `hash` covers the other fields, among them
    `prev`, the hash of the line before.
    """

    number: int
    game: str
    last: str
    at: str
    system: str
    players: list[RatedPlayer]
    prev: str
    hash: str


class RatedGameList(TypedDict):
    """A page of the history of ratings. `next` is the `after` of the next page, or null."""

    games: list[RatedGame]
    next: int | None


class RatingsStatement(TypedDict):
    """The server's signed statement about its ratings (docs/ratings.md). They follow by `model`
    from the games that count among the first `size` leaves of the transparency log, whose tree
    has this root. `hash` is that of line `games` of the history, which is the last one. The
    games in `excluded` do not count by rulings of administrators.
    """

    sign: str
    log: str
    size: int
    root: str
    model: str
    games: int
    hash: str
    excluded: list[RatingExclusion]
    at: str
    key: str
    signature: str


def get_ratings_statement() -> Call[RatingsStatement]:
    """Get the signed statement about the ratings: which part of the log they cover, and their
    hash.
    """
    return call("GET", "/ratings/statement", reader(RatingsStatement), sends_token=False)


def list_rated_games(*, after: int | None = None, limit: int | None = None) -> Call[RatedGameList]:
    """List the games that count, in the order of the transparency log, with the ratings after
    each.
    """
    return call(
        "GET",
        "/ratings/games",
        reader(RatedGameList),
        params={"after": after, "limit": limit},
        sends_token=False,
    )


def get_leaderboard(
    system: str, /, *, period: str | None = None, after: int | None = None, limit: int | None = None
) -> Call[Leaderboard]:
    """Get the players of a rule system with the best ratings after their last games of a period.

    The order is that of the mean minus three deviations.
    """
    return call(
        "GET",
        f"/leaderboards/{segment(system)}",
        reader(Leaderboard),
        params={"period": period, "after": after, "limit": limit},
        sends_token=False,
    )


def get_club_standings(club: str, system: str, /) -> Call[ClubStandings]:
    """Get the ratings of the members of a club in a rule system, as one of them, the best first.

    They follow from all rated games of the club, also the private ones, and from nothing else.
    """
    return call(
        "GET", f"/clubs/{segment(club)}/leaderboards/{segment(system)}", reader(ClubStandings)
    )


def get_club_ratings_statement(club: str, /) -> Call[ClubRatingsStatement]:
    """Get the signed statement about the ratings in a club, as one of its members."""
    return call("GET", f"/clubs/{segment(club)}/ratings/statement", reader(ClubRatingsStatement))


def list_games_rated_in_club(
    club: str, /, *, after: int | None = None, limit: int | None = None
) -> Call[RatedGameList]:
    """List the games that count for the ratings in a club, with the ratings after each, as a
    member.
    """
    return call(
        "GET",
        f"/clubs/{segment(club)}/ratings/games",
        reader(RatedGameList),
        params={"after": after, "limit": limit},
    )


class RatingsCalls(Group[C_co]):
    """Ratings of players, and how to check them."""

    get_statement = Method(get_ratings_statement)
    list_rated_games = Method(list_rated_games)
    get_leaderboard = Method(get_leaderboard)
    get_club_standings = Method(get_club_standings)
    get_club_statement = Method(get_club_ratings_statement)
    list_games_rated_in_club = Method(list_games_rated_in_club)
