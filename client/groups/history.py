"""The events of games, and what a player has of them.

`python -m service.http.client_generator` has written this file.
"""

from typing import Any, Literal, NotRequired, TypedDict

from client.groups.shared import Key, NotificationDelivery
from client.methods import C_co, Group, Method
from client.requests import Call, call, long_call, reader, segment
from domain.json_types import JsonObject


class Actor(TypedDict):
    """Who caused an event. `means` is how they have shown who they are: `token` stands for the
    word of the server that the request had the player's token, `signature` for a signature by
    the player's key `key`, and `server` for a part of the server. `signed_head` is the hash of
    the event after which the player saw the position, as the signature states it.
    """

    seat: int | None
    player: str | None
    handle: str | None
    system: str | None
    means: str
    key: str | None
    signed_head: str | None


class Change(TypedDict):
    """A difference between two positions: the path of a value, and the value before and after
    it, null where there was none.
    """

    path: str
    before: Any
    after: Any


class Conclusion(TypedDict):
    """Who did what an event says and how that is known, in one sentence, and what it means for
    the reader.
    """

    sentence: str
    meaning: list[str]


class ShownHead(TypedDict):
    """The server's signature for the statement that event `seq` was the last one of the game at
    a time.
    """

    sign: str
    game: str
    seq: int
    hash: str
    shown_at: str
    key: str
    signature: str


SeenConsistency = TypedDict(
    "SeenConsistency", {"from": int, "to": int, "root": str, "path": list[str]}
)
"""The body of a request: SeenConsistency."""


class Continuation(TypedDict):
    """How a game and the transparency log continue what was seen of them before. `hash` is that
    of the event that was seen last, null if there is no such event; `events` come after it.
    """

    head: ShownHead
    hash: str | None
    events: list[JsonObject]
    keys: list[Key]
    checkpoint: str | None
    consistency: SeenConsistency | None
    epochs: list[str]


class EndedRound(TypedDict):
    """A round that ended with an event, and the seq of the event that scored it (null if none
    has yet).
    """

    round: int
    scored_by: int | None


class EventConsequences(TypedDict):
    """What followed from an event without another action: the turn that began with it and its
    deadline, until when a pause or a dispute stops the clock at the latest (null if it runs),
    the rounds that ended with it, the end of play and the event that finished the game. For
    `RoundScored`, `round_ended_by` is the event that ended the round. `superseded_by` is the
    event with which play resumed from an earlier one.
    """

    to_act: int | None
    deadline: str | None
    clock_stopped_until: str | None
    rounds: list[EndedRound]
    round_ended_by: int | None
    ends_play: bool
    finished_by: int | None
    superseded_by: int | None


class EventTime(TypedDict):
    """When an event was accepted, in which round and turn, whose turn that was (null if play was
    not under way), when it began, and its deadline. `clock_stopped_until` is the time at which a
    clock that stood still would run again at the latest; null if it ran. `remaining_ms` is the
    time that was left until the deadline in milliseconds, negative if the event came later; null
    if the event did not act on that turn. `bank_ms` is what was left in the time bank of the
    seat when the turn began, in milliseconds; null without a time bank.
    """

    at: str
    round: int
    turn: int
    turn_of: int | None
    turn_began: str | None
    deadline: str | None
    clock_stopped_until: str | None
    remaining_ms: int | None
    bank_ms: int | None


class SeenPosition(TypedDict):
    """The position after event `seq` as the seat could see it then."""

    seat: int
    seq: int
    position: JsonObject


class EventLegalActions(TypedDict):
    """The legal actions that a seat had: their number, their numbers by type, and all of them in
    short form (null if there are too many). `resign` and `agree_to_end` are not counted.
    """

    seat: int
    count: int
    by_type: dict[str, int]
    actions: list[str] | None


class ExplainedClause(TypedDict):
    """A clause by which an event followed: its id, one sentence of the rules, and what it meant
    here.
    """

    id: str
    sentence: str | None
    text: str


class PlayerNonce(TypedDict):
    """The nonce of a player, and who supplied it (null if that was not recorded). With seed
    version 2, `none` stands for a player who supplied none, whose nonce is empty.
    """

    player: str
    handle: str | None
    nonce: str
    nonce_from: str | None
    bot: NotRequired[str]


class StartDetails(TypedDict):
    """The sources of a game's chance. The server's secret, and the seed that follows from it,
    are null until the game has ended. The nonces are in the order of joining.
    """

    commitment: str
    secret: str | None
    seed: str | None
    nonces: list[PlayerNonce]


class EventDetails(TypedDict):
    """An event, the positions before and after it (null before the start), and the differences;
    and the story of the event, as far as the viewer may know it. `seen_position` and
    `legal_actions` are what the seat that acted saw and could do; null if no seat acted, or if
    the viewer may not see what that seat saw. `deliveries` is null except for the players and
    the arbiter of the game. `start` is null except for `GameStarted`. `by`, `action_text`,
    `event_text` and the texts of clauses are for people.
    """

    event: JsonObject
    before: JsonObject | None
    after: JsonObject | None
    changes: list[Change]
    conclusion: Conclusion
    by: str
    actor: Actor
    time: EventTime
    seen_position: SeenPosition | None
    legal_actions: EventLegalActions | None
    action_text: str | None
    event_text: str
    clauses: list[ExplainedClause]
    opened: JsonObject
    consequences: EventConsequences
    deliveries: list[NotificationDelivery] | None
    start: StartDetails | None


class Receipt(TypedDict):
    """The server's signature for an action that it accepted."""

    game: str
    seq: int
    hash: str
    at: str
    key: str
    signature: str


class ReceiptList(TypedDict):
    """A page of a player's receipts. `next` is the `cursor` of the next page, or null.
    `left_out` counts the accepted actions on this page for which the server has no receipt: it
    did not store them then, and its key of today is younger.
    """

    receipts: list[Receipt]
    left_out: int
    next: str | None


def get_event(
    game: str, seq: int, /, *, actions: Literal["summary", "all"] | None = None
) -> Call[EventDetails]:
    """Get an event with its whole story, as far as the viewer may know it.

    Who acted and by what means, when, and how that relates to the deadline; the positions before
    and after it; what the seat saw and could do; what it did; what followed, by which clauses; and
    which notifications were sent.
    """
    return call(
        "GET",
        f"/games/{segment(game)}/events/{segment(seq)}",
        reader(EventDetails),
        params={"actions": actions},
    )


def get_head(
    game: str, /, *, seq: int | None = None, size: int | None = None, limit: int | None = None
) -> Call[Continuation]:
    """Get the signed head of a game, with what shows that it continues what somebody has seen
    before.

    The browsers of visitors check with it that the game and the transparency log have only grown.
    """
    return call(
        "GET",
        f"/games/{segment(game)}/head",
        reader(Continuation),
        params={"seq": seq, "size": size, "limit": limit},
    )


def export_records(*, cursor: str | None = None, limit: int | None = None) -> Call[bytes]:
    """Export the records of all games in which the player has a place, newest first.

    `notes` are the player's private notes on its events. `record` is the text that `GET
    /games/{game_id}/record` returns to the player, or null if the game cannot be read now. The
    export is sent in parts as they are read. One that is interrupted, or has `limit` games, is
    continued by a request with the `cursor` of its last complete line.
    """
    return long_call("/me/records", params={"cursor": cursor, "limit": limit})


def list_receipts(
    *, game: str | None = None, cursor: str | None = None, limit: int | None = None
) -> Call[ReceiptList]:
    """List the receipts for the player's own actions.

    A receipt is the server's signature for an action that it accepted. Keep your receipts: they
    prove what the server accepted even if it denies it later.
    """
    return call(
        "GET",
        "/me/receipts",
        reader(ReceiptList),
        params={"game": game, "cursor": cursor, "limit": limit},
    )


class HistoryCalls(Group[C_co]):
    """The events of games, and what a player has of them."""

    get_event = Method(get_event)
    get_head = Method(get_head)
    export_records = Method(export_records)
    list_receipts = Method(list_receipts)
