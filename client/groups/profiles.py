"""What players show of themselves.

`python -m service.http.client_generator` has written this file.
"""

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from client.groups.shared import NamedPlayer
from client.methods import C_co, Group, Method
from client.requests import Call, call, reader, segment
from client.results import GamePage


class CountedGames(TypedDict):
    """How many public games of one kind a player has. `system` is the name of the rule system,
    which is that of an expansion in games with it, and `bots` is whether bots have places.
    `places` counts the finished games by the place of the player, the first place first.
    """

    system: str
    seats: int
    bots: bool
    playing: int
    finished: int
    abandoned: int
    places: list[int]


class HeadToHeadResult(TypedDict):
    """In how many finished public games of a rule system the player was placed before the other
    player (`ahead`), after that player (`behind`), and in the same place (`equal`).
    """

    system: str
    ahead: int
    behind: int
    equal: int


class HeadToHeadResults(TypedDict):
    """How a player has done against another one, by rule system, where they have met."""

    player: NamedPlayer
    other: NamedPlayer
    results: list[HeadToHeadResult]


class NamedClub(TypedDict):
    """A club of which a player is a member."""

    id: str
    name: str


class OwnPrivateGames(TypedDict):
    """How many private games the player has, as only the player sees it."""

    playing: int
    finished: int


class PlayerReliability(TypedDict):
    """How a player takes turns in public games with a clock and without bots. `percent` is the
    share of the last turns that were taken in time, at most 100 of them (`turns`), and null if
    they are fewer than 10. The other counts are about all turns and games.
    """

    percent: int | None
    turns: int
    taken: int
    missed: int
    excused: int
    seats_left: int
    resignations: int


class PlayerProfile(TypedDict):
    """A player as the viewer may see them: `shows` is what the player shows to others, and what
    is not shown is null. `clubs` are the public ones of the player, and those of which the
    viewer is a member too. `bot` is the name of the bot that the player is, and `private` is
    there on one's own profile.
    """

    id: str
    handle: str
    shows: str
    since: str | None
    games: list[CountedGames] | None
    reliability: PlayerReliability | None
    clubs: list[NamedClub] | None
    bot: NotRequired[str]
    guest: NotRequired[bool]
    private: NotRequired[OwnPrivateGames]


def get_profile(handle: str, /) -> Call[PlayerProfile]:
    """Get the profile of a player: since when, games and places by rules and seats, and
    reliability.

    All numbers are about public games. Other players see what the player has chosen in `profile` of
    the account. If no player has the handle, or the player was erased, the response is a 404.
    """
    return call("GET", f"/players/{segment(handle)}", reader(PlayerProfile))


def list_games_of_player(
    handle: str,
    /,
    *,
    cursor: str | None = None,
    limit: int | None = None,
    status: str | None = None,
    rules: str | None = None,
    conditions: Mapping[str, str] | None = None,
    seats: int | None = None,
    result: Literal["won", "lost"] | None = None,
    opponent: str | None = None,
) -> Call[GamePage]:
    """List the games of a player, newest first.

    With a token, the list includes the private games that the viewer may see. If the player shows
    no list of games, the response is a 403.
    """
    return call(
        "GET",
        f"/players/{segment(handle)}/games",
        reader(GamePage),
        params={
            **(conditions or {}),
            "cursor": cursor,
            "limit": limit,
            "status": status,
            "rules": rules,
            "seats": seats,
            "result": result,
            "opponent": opponent,
        },
    )


def get_head_to_head(handle: str, other: str, /) -> Call[HeadToHeadResults]:
    """Compare two players by their places in the finished public games in which both were.

    Bots are not compared. If one of them shows no results, and the viewer is neither of them, the
    response is a 403.
    """
    return call(
        "GET",
        f"/players/{segment(handle)}/head-to-head/{segment(other)}",
        reader(HeadToHeadResults),
    )


class ProfilesCalls(Group[C_co]):
    """What players show of themselves."""

    get = Method(get_profile)
    list_games = Method(list_games_of_player)
    get_head_to_head = Method(get_head_to_head)
