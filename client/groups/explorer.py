"""What finished public games have in common.

`python -m service.http.client_generator` has written this file.
"""

from typing import Literal, TypedDict

from client.methods import C_co, Group, Method
from client.requests import Call, call, reader


class Share(TypedDict):
    """`count` of `of`, with the interval of Wilson at a confidence of 95 %, in thousandths.
    These are seats with the value, and those of them that have won (a shared first place
    counts), or in the table `rounds`, games and those of this length.
    """

    value: str
    count: int
    of: int
    low: int
    high: int


class ShareTable(TypedDict):
    """A table of shares. `hidden` is the number of values that are left out because they are of
    too few.
    """

    name: str
    shares: list[Share]
    hidden: int


class Explored(TypedDict):
    """The tables of a kind of games. `lag` is the number of entries of the log that are not
    counted yet.
    """

    games: int
    tables: list[ShareTable]
    lag: int


class GameEvent(TypedDict):
    """An event of a finished public game; `seat` has the value that was searched for, null for
    none.
    """

    game: str
    seq: int
    seat: int | None


class GameEventList(TypedDict):
    """Events of finished public games, those of the game that ended last first; at most 20."""

    events: list[GameEvent]


def explore(
    *,
    system: str,
    seats: int,
    bots: Literal["with", "without"] | None = None,
    of: Literal["all", "me"] | None = None,
) -> Call[Explored]:
    """Get results by seat, lengths, and what else is counted of finished games of a kind.

    Shares of fewer than 200 seats or games are left out, but for your own games.
    """
    return call(
        "GET",
        "/explorer",
        reader(Explored),
        params={"system": system, "seats": seats, "bots": bots, "of": of},
    )


def list_examples(
    *,
    system: str,
    seats: int,
    table: str,
    value: str,
    bots: Literal["with", "without"] | None = None,
) -> Call[GameEventList]:
    """List the last games with a value of a table, each with the event that shows it."""
    return call(
        "GET",
        "/explorer/games",
        reader(GameEventList),
        params={"system": system, "seats": seats, "table": table, "value": value, "bots": bots},
    )


def find_position(*, state: str) -> Call[GameEventList]:
    """Find the events of finished public games after which the game had a position.

    The 1,000 games that ended last are searched.
    """
    return call("GET", "/explorer/positions", reader(GameEventList), params={"state": state})


class ExplorerCalls(Group[C_co]):
    """What finished public games have in common."""

    explore = Method(explore)
    list_examples = Method(list_examples)
    find_position = Method(find_position)
