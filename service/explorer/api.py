"""The explorer: tables of shares, the last games with a value of them, and where a position occurred."""

from typing import Annotated, Final, TypedDict

from domain.errors import Malformed
from domain.json_types import Count, GameId, JsonObject, PositiveCount, Seat
from domain.messages import message
from domain.registry import rule_systems
from service.explorer.explorer import Occurrence, explored_kinds
from service.http.blueprint import Blueprint
from service.http.context import login_required, service
from service.http.validation import Choice, HexText, QueryInteger, StrictSchema, String
from service.projections.counted_kind import CountedKind

_DIGITS: Final = 64


class KindQuery(StrictSchema):
    """A kind of games."""

    system = String(
        required=True, description="`barony`, `sorcery`, `baron`, or an installed game."
    )
    seats = QueryInteger(required=True, description="The number of seats.")
    bots = Choice(
        choices=("with", "without"),
        load_default="without",
        description="Games with bots, or among people only; these are counted apart.",
    )


class ExplorerQuery(KindQuery):
    """Of which games the tables are."""

    of = Choice(
        choices=("all", "me"),
        load_default="all",
        description="All finished public games, or yours of these, which needs a token.",
    )


class ExamplesQuery(KindQuery):
    """A value of a table."""

    table = String(required=True, description="Name of the table.")
    value = String(required=True, description="One of its values.")


class PositionQuery(StrictSchema):
    """A position."""

    state = HexText(
        digits=_DIGITS,
        required=True,
        description="`state` of an event: the hash of the position after it.",
    )


class Share(TypedDict):
    """`count` of `of`, with the interval of Wilson at a confidence of 95 %, in thousandths.

    These are seats with the value, and those of them that have won (a shared first place counts), or in the
    table `rounds`, games and those of this length.
    """

    value: str
    count: Count
    of: PositiveCount
    low: Count
    high: Count


class ShareTable(TypedDict):
    """A table of shares. `hidden` is the number of values that are left out because they are of too few."""

    name: str
    shares: list[Share]
    hidden: Count


class Explored(TypedDict):
    """The tables of a kind of games. `lag` is the number of entries of the log that are not counted yet."""

    games: Annotated[Count, "How many games were counted."]
    tables: list[ShareTable]
    lag: Count


class GameEvent(TypedDict):
    """An event of a finished public game; `seat` has the value that was searched for, null for none."""

    game: GameId
    seq: PositiveCount
    seat: Seat | None


class GameEventList(TypedDict):
    """Events of finished public games, those of the game that ended last first; at most 20."""

    events: list[GameEvent]


blueprint = Blueprint(
    "explorer", "What finished public games have in common.", auth="optional_auth"
)


def _kind(query: JsonObject) -> CountedKind:
    """Return the kind that a query asks for. Raises Malformed."""
    kind = CountedKind(query["system"], query["seats"], query["bots"] == "with")
    if kind.system not in rule_systems():
        raise Malformed({"system": message("is no rule system of this server")})
    if kind not in explored_kinds():
        raise Malformed({"seats": message("is no number of seats of this game")})
    return kind


def _as_json(listed: list[Occurrence]) -> JsonObject:
    return {"events": [{"game": one.game, "seq": one.seq, "seat": one.seat} for one in listed]}


@blueprint.get("/explorer", "The tables.", Explored, query=ExplorerQuery(), errors=(401,))
def explore(player: str | None, query: JsonObject) -> JsonObject:
    """Get results by seat, lengths, and what else is counted of finished games of a kind.

    Shares of fewer than 200 seats or games are left out, but for your own games.
    """
    kind = _kind(query)
    explored = service().games.explorer.kind(
        kind, login_required() if query["of"] == "me" else None
    )
    return {
        "games": explored.games,
        "tables": [
            {
                "name": table.table.name,
                "shares": [
                    {
                        "value": share.value,
                        "count": share.count,
                        "of": share.of,
                        "low": round(1000 * share.low),
                        "high": round(1000 * share.high),
                    }
                    for share in table.shares
                ],
                "hidden": table.hidden,
            }
            for table in explored.tables
        ],
        "lag": explored.lag,
    }


@blueprint.get("/explorer/games", "The events.", GameEventList, query=ExamplesQuery())
def list_examples(player: str | None, query: JsonObject) -> JsonObject:
    """List the last games with a value of a table, each with the event that shows it."""
    kind = _kind(query)
    return _as_json(service().games.explorer.examples(kind, query["table"], query["value"]))


@blueprint.get("/explorer/positions", "The events.", GameEventList, query=PositionQuery())
def find_position(player: str | None, query: JsonObject) -> JsonObject:
    """Find the events of finished public games after which the game had a position.

    The 1,000 games that ended last are searched.
    """
    return _as_json(service().games.explorer.occurrences(query["state"]))
