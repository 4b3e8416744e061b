"""Schemas of requests: games, play and history. They check bodies and queries."""

from collections.abc import Iterable
from typing import Final

from marshmallow import fields, post_load

from domain.chance import MAX_NONCE_BYTES
from domain.json_types import JsonObject
from domain.registry import EXPANSIONS, RULES
from replay.bots.playout import DEFAULT_BOTS, STRONG
from service.games.game_settings import DEFAULT_BOT, MAX_BOTS
from service.games.player_signatures import PlayerSignature
from service.http.schemas.type_schemas import REFERENCE
from service.http.validation import (
    AnyObject,
    AnyValue,
    Choice,
    HexBytes,
    HexText,
    NonNegativeInteger,
    PageLimit,
    QueryInteger,
    StrictSchema,
    String,
    TextList,
)

_EXPANSIONS: Final = ", ".join(f"`{option}` of {rules}" for rules, option in EXPANSIONS)
_BOTS: Final = ", ".join(f"`{name}`" for name in (*DEFAULT_BOTS, STRONG))
_MAX_HANDLES: Final = 1000
"""The maximum length of `invite`. The bound on the players to invite, a setting, is checked later."""


def nonce_field(
    description: str = "Random bytes of the player's program that become part of the game's seed. Without"
    " them, the player adds nothing to it.",
) -> HexBytes:
    """Return the optional field with random bytes of a player."""
    return HexBytes(max_bytes=MAX_NONCE_BYTES, load_default=None, description=description)


class CreateGame(StrictSchema):
    """A new game. Its rule system defines which options it has."""

    rules = String(required=True, enum=sorted(RULES))
    seats = NonNegativeInteger(
        required=True, description="Number of players; its range depends on the rules and options."
    )
    options = AnyObject(
        load_default=dict,
        type="object",
        description="`name` (1 to 60 characters), `seating` (`drawn` or `joined`), `private`, `rated`,"
        " `takebacks` (true or false), and the options of the rules, which include the expansions"
        f" (true or false): {_EXPANSIONS}.",
    )
    clock = AnyValue(
        load_default=None,
        type="object",
        nullable=True,
        description="Null, or how much time players have: an object with `per_turn` or `bank` (seconds), or"
        " both. docs/clocks.md has all fields.",
    )
    invite = TextList(
        max_items=_MAX_HANDLES,
        load_default=list,
        description="Handles of players to invite. How many players can be invited is a setting of the"
        " server.",
    )
    arbiter = String(
        load_default=None,
        description="Handle of the player who rules disputes, and who cannot play. Without one, the server"
        " may have an arbiter for all games; otherwise the players agree on rulings.",
    )
    bots = TextList(
        max_items=MAX_BOTS,
        load_default=list,
        description=f"Bots that have the next places: names of bots of the rules, {_BOTS}, each as"
        " often as wanted.",
    )
    nonce = nonce_field()


class AddBot(StrictSchema):
    """A bot that gets a place in a game."""

    bot = String(
        load_default=DEFAULT_BOT,
        description=f"The name of a bot of the game's rules, such as {_BOTS}.",
    )
    nonce = nonce_field(
        "Random bytes of the creator's program that become part of the game's seed, as for a"
        " player who joins."
    )


class JoinGame(StrictSchema):
    """A place in a game."""

    nonce = nonce_field()
    invitation = String(
        load_default=None,
        description="The token of an invitation, for a private game that the player may not see otherwise.",
    )


class Invite(StrictSchema):
    """The player to invite; without one, a link is made."""

    handle = String(
        load_default=None,
        nullable=True,
        description="Handle of a player, whom the creator invites.",
    )


class RequestRematch(StrictSchema):
    """A rematch of a game, in which the player gets a place."""

    nonce = nonce_field()


def statuses_field(statuses: Iterable[str]) -> String:
    """Return the field of a query that selects some of these statuses; see `parse_statuses`."""
    return String(
        load_default=None,
        description=f"One or several of {', '.join(statuses)}, separated by commas.",
    )


class PageQuery(StrictSchema):
    """Which page of a list of games to show."""

    cursor = String(load_default=None, description="`next` of the previous page.")
    limit = PageLimit("Games", most=100, default=50)


class MeQuery(PageQuery):
    """Which page of the games that wait for the player to show."""


class ReceiptsQuery(StrictSchema):
    """Which page of the player's receipts to show."""

    game = String(load_default=None, description="Id of a game; default: all of the player's.")
    cursor = String(load_default=None, description="`next` of the previous page.")
    limit = PageLimit("Receipts", most=500, default=100)


class ExportQuery(StrictSchema):
    """Which part of the player's games to export."""

    cursor = String(
        load_default=None, description="`cursor` of the last complete line that the client has."
    )
    limit = QueryInteger(minimum=1, load_default=1000, description="Games, at most 1000.")


class SignatureByKey(StrictSchema):
    """A player's signature, which is loaded as a `PlayerSignature`."""

    key = HexText(
        digits=16,
        required=True,
        description="The id of a key that the player has registered (`POST /me/keys`).",
    )

    @post_load
    def _signature(self, values: JsonObject, **_: object) -> PlayerSignature:
        return PlayerSignature(**values)


class SignatureOfAction(SignatureByKey):
    """The player's signature for an action."""

    signature = HexText(
        digits=128,
        required=True,
        description="Ed25519 signature of the canonical JSON (RFC 8785) of"
        ' `{"sign": "cartulary action v1", "game": ID, "head": HASH, "action": ACTION}`. HASH is the'
        " hash of event `expected_seq`, and ACTION is the action as the event will contain it.",
    )


class SignatureOfStatement(SignatureByKey):
    """The player's signature for a request that becomes an event without an action."""

    expected_seq = NonNegativeInteger(
        required=True, description="The last event that the player had seen when signing."
    )
    signature = HexText(
        digits=128,
        required=True,
        description="Ed25519 signature of the canonical JSON (RFC 8785) of"
        ' `{"sign": "cartulary statement v1", "game": ID, "head": HASH, "type": TYPE, "data": DATA}`, and'
        ' `"secrets": {"statement": COMMITMENT}` if the request has a text. HASH is the hash of event'
        " `expected_seq`; docs/formats.md has TYPE and DATA.",
    )
    salt = HexText(
        digits=64,
        load_default=None,
        description="The 32 random bytes with which the commitment to the text was made; only with a text.",
    )


def signature_field() -> fields.Nested:
    """Return the optional field with the signature of a request that becomes an event without an action."""
    return fields.Nested(
        SignatureOfStatement,
        load_default=None,
        metadata={"description": "Makes the statement provably the player's own."},
    )


class OnlySignature(StrictSchema):
    """The player's signature for a request that has no other content."""

    signature = signature_field()


class SubmitAction(StrictSchema):
    """An action, and the event after which the player saw the position."""

    action = AnyValue(required=True, allOf=[{"$ref": REFERENCE + "Action"}])
    expected_seq = NonNegativeInteger(required=True)
    signature = fields.Nested(
        SignatureOfAction,
        load_default=None,
        metadata={"description": "Makes the action provably the player's own."},
    )


class PositionQuery(StrictSchema):
    """Which position to show."""

    seq = QueryInteger(
        minimum=1,
        load_default=None,
        description="The position after this event; default: the last event.",
    )


class RecordQuery(StrictSchema):
    """Up to where to record a game."""

    seq = QueryInteger(
        minimum=1,
        load_default=None,
        description="The last event of the record; default: the last event of the game.",
    )


class PictureQuery(PositionQuery):
    """Which position to draw, and how."""

    wide = Choice(
        choices=("true", "false"),
        load_default="false",
        description="Whether cards and legend are beside the board, not below it.",
    )
    width = QueryInteger(
        minimum=100,
        maximum=2000,
        load_default=None,
        description="Width in pixels; default: 720, or 1440 if the picture is wide.",
    )


_CONDITIONS: Final = {
    "seat": "Only events of this seat: its own, and those that the clock or an arbiter caused for it.",
    "type": "Only events of this type, such as `TurnForfeited`.",
    "clause": "Only events that follow from this clause, such as `BY-MOV-3`, or from one of `BY-MOV`.",
    "from": "Only events from this time on, such as `2026-11-20T09:15:00Z`, this day, or this seq.",
    "to": "Only events up to this time, the end of this day, or this seq.",
    "hex": "Only events whose action or outcome names this hex, such as `0,-1`.",
}
"""The conditions of replay/history/event_filter.py, which checks them. `from` cannot be an attribute."""

EventsQuery: Final = StrictSchema.from_dict(
    {
        "after": QueryInteger(
            load_default=0, description="`next` of the previous page, or the seq of an event."
        ),
        "limit": PageLimit("Events", most=500, default=100),
        **{name: String(description=text) for name, text in _CONDITIONS.items()},
    },
    name="EventsQuery",
)
"""Which page of the log to show, and which events on it."""


class EventFeedQuery(StrictSchema):
    """Which page of the events of all public games to show."""

    after = String(
        load_default=None,
        description="`next` or `cursor` of an earlier page; without it, the events from the beginning.",
    )
    limit = PageLimit("Events", most=500, default=100)


class EventQuery(StrictSchema):
    """How much of an event to show."""

    actions = Choice(
        choices=("summary", "all"),
        load_default="summary",
        description="`all` lists all legal actions of the seat that acted; with `summary`, the default, many"
        " of them are only counted.",
    )


class HeadQuery(StrictSchema):
    """What somebody has seen of a game and of the transparency log before."""

    seq = QueryInteger(load_default=0, description="The last event that was seen.")
    size = QueryInteger(load_default=0, description="Leaves of the last checkpoint that was seen.")
    limit = QueryInteger(
        load_default=0, description="Events after that event to return, at most 200."
    )


class StreamQuery(StrictSchema):
    """Where a stream begins."""

    after = QueryInteger(
        load_default=None,
        description="The stream begins after this event. `Last-Event-ID` takes precedence.",
    )
