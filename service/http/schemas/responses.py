"""The bodies of successful responses, from which the OpenAPI document is generated.

Responses are encoded directly; the tests validate every response against the document.
"""

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from domain.event import Clock, NonceSource
from domain.json_types import (
    BotName,
    Bytes,
    Count,
    Digest,
    PlayerId,
    PositiveCount,
    Seat,
    Timestamp,
)
from domain.registry import RULES
from service.accounts.schemas import Account
from service.disputes.schemas import Arbiter, DisputeSummary, Takeback
from service.http.schemas.clocks import Timing
from service.http.schemas.lobby import InvitedPlayer
from service.http.schemas.type_schemas import Component, OneOf
from service.notifications.schemas import NotificationDelivery

Action: TypeAlias = Annotated[object, Component("Action")]
Event: TypeAlias = Annotated[object, Component("Event")]
Position: TypeAlias = Annotated[object, Component("Position")]
Options: TypeAlias = Annotated[object, Component("Options")]
Status: TypeAlias = Literal["open", "playing", "finished", "abandoned"]


class Head(TypedDict):
    """The last event of a game."""

    seq: PositiveCount
    hash: Digest


class GamePlayer(TypedDict):
    """A player of a game. `handle` is null if the account has been deleted; `seat` is null until the game
    starts; `bot` is the name of the bot of the server that the player is, and left out for others; `program`
    is there for an account that its owner has marked as a bot.
    """

    id: PlayerId
    handle: str | None
    seat: Seat | None
    bot: NotRequired[BotName]
    program: NotRequired[Literal[True]]


class GameSummary(TypedDict):
    """The summary of a game. `deadline` is the time at which the turn in progress is forfeited; while a
    pause or an open dispute stops the clock (`timing`), it is the latest one possible, and the end of the
    pause or a ruling brings it forward. `dispute` is the open dispute. In a game without an `arbiter`, the
    players agree on rulings. `winners` are the seats in the first place, once the game is finished. `vacant`
    are the seats that a substitute can take; their former players have no `seat`. `timing` is null unless the
    game is in progress with a clock.
    """

    id: str
    rules: Annotated[str, OneOf(sorted(RULES))]
    options: Options
    clock: Clock | None
    seats: PositiveCount
    status: Status
    players: list[GamePlayer]
    head: Head
    to_act: Seat | None
    deadline: Timestamp | None
    invited: list[InvitedPlayer]
    winners: list[Seat]
    vacant: list[Seat]
    arbiter: Arbiter | None
    dispute: DisputeSummary | None
    takeback: Takeback | None
    timing: Timing | None


class GameList(TypedDict):
    """A page of games, newest first. `next` is the `cursor` of the next page, or null."""

    games: list[GameSummary]
    next: str | None


class EndedBy(TypedDict):
    """How many games ended by what: by the rules, by the last player who resigned or was removed before the
    end, or without a ranking.
    """

    completed: Count
    resignation: Count
    removal: Count
    abandonment: Count


class KindStatistics(TypedDict):
    """Figures about the public games of a rule system with a number of seats.

    `finished` are the games that ended with a ranking. `wins` has the number of games that each seat has won;
    a shared first place counts for each of the seats.
    """

    system: str
    seats: PositiveCount
    open: Count
    playing: Count
    finished: Count
    ended_by: EndedBy
    wins: list[Count]


class Statistics(TypedDict):
    """Figures about all public games, and the number of their events."""

    games: list[KindStatistics]
    events: Count
    lag: Count


class InvitedGame(TypedDict):
    """A game that has not started, and the player who invites to it."""

    game: GameSummary
    invited_by: PlayerId


class Me(TypedDict):
    """The player, the games in which it is their turn, and the newest games that wait for their answer to an
    invitation.
    """

    player: Account
    games: list[GameSummary]
    invitations: list[GameSummary]
    next: str | None


class Receipt(TypedDict):
    """The server's signature for an action that it accepted."""

    game: str
    seq: PositiveCount
    hash: Digest
    at: Timestamp
    key: str
    signature: str


class ShownHead(TypedDict):
    """The server's signature for the statement that event `seq` was the last one of the game at a time."""

    sign: str
    game: str
    seq: PositiveCount
    hash: Digest
    shown_at: Timestamp
    key: str
    signature: str


class ReceiptList(TypedDict):
    """A page of a player's receipts. `next` is the `cursor` of the next page, or null.

    `left_out` counts the accepted actions on this page for which the server has no receipt: it did not store
    them then, and its key of today is younger.
    """

    receipts: list[Receipt]
    left_out: Count
    next: str | None


class AcceptedAction(TypedDict):
    """The events that a request caused, and the receipt for the first of them."""

    events: list[Event]
    receipt: Receipt


class LegalActions(TypedDict):
    """The legal actions of a seat after event `seq`."""

    seq: PositiveCount
    actions: list[Action]


class Hint(TypedDict):
    """What a bot would do that knows only what the seat sees, after event `seq`: also in short form."""

    seq: PositiveCount
    action: Action
    text: str


class Lesson(TypedDict):
    """An introduction to some rules of the game: the clauses by id, and a text for people."""

    name: str
    clauses: list[str]
    text: str


class LessonList(TypedDict):
    """The lessons that are due for the player after event `seq`."""

    seq: PositiveCount
    lessons: list[Lesson]


class EventList(TypedDict):
    """A page of the log. `next` is the `after` of the next page, or null."""

    events: list[Event]
    next: PositiveCount | None


class EventFeedPage(TypedDict):
    """A page of the events of all public games.

    `next` is the `after` of the next page, or null. `cursor` is the `after` with which to go on later.
    """

    events: list[Event]
    cursor: str
    next: str | None


class Change(TypedDict):
    """A difference between two positions: the path of a value, and the value before and after it, null where
    there was none.
    """

    path: str
    before: object
    after: object


class Actor(TypedDict):
    """Who caused an event. `means` is how they have shown who they are: `token` stands for the word of the
    server that the request had the player's token, `signature` for a signature by the player's key `key`, and
    `server` for a part of the server. `signed_head` is the hash of the event after which the player saw the
    position, as the signature states it.
    """

    seat: Seat | None
    player: PlayerId | None
    handle: str | None
    system: str | None
    means: Literal["token", "signature", "server"]
    key: str | None
    signed_head: Digest | None


class EventTime(TypedDict):
    """When an event was accepted, in which round and turn, whose turn that was (null if play was not under
    way), when it began, and its deadline. `clock_stopped_until` is the time at which a clock that stood still
    would run again at the latest; null if it ran. `remaining_ms` is the time that was left until the deadline
    in milliseconds, negative if the event came later; null if the event did not act on that turn. `bank_ms`
    is what was left in the time bank of the seat when the turn began, in milliseconds; null without a time
    bank.
    """

    at: Timestamp
    round: Count
    turn: Count
    turn_of: Seat | None
    turn_began: Timestamp | None
    deadline: Timestamp | None
    clock_stopped_until: Timestamp | None
    remaining_ms: int | None
    bank_ms: Count | None


class SeenPosition(TypedDict):
    """The position after event `seq` as the seat could see it then."""

    seat: Seat
    seq: PositiveCount
    position: Position


class EventLegalActions(TypedDict):
    """The legal actions that a seat had: their number, their numbers by type, and all of them in short form
    (null if there are too many). `resign` and `agree_to_end` are not counted.
    """

    seat: Seat
    count: Count
    by_type: dict[str, int]
    actions: list[str] | None


class ExplainedClause(TypedDict):
    """A clause by which an event followed: its id, one sentence of the rules, and what it meant here."""

    id: str
    sentence: str | None
    text: str


class EndedRound(TypedDict):
    """A round that ended with an event, and the seq of the event that scored it (null if none has yet)."""

    round: PositiveCount
    scored_by: PositiveCount | None


class EventConsequences(TypedDict):
    """What followed from an event without another action: the turn that began with it and its deadline,
    until when a pause or a dispute stops the clock at the latest (null if it runs), the rounds that ended
    with it, the end of play and the event that finished the game. For `RoundScored`, `round_ended_by` is the
    event that ended the round. `superseded_by` is the event with which play resumed from an earlier one.
    """

    to_act: Seat | None
    deadline: Timestamp | None
    clock_stopped_until: Timestamp | None
    rounds: list[EndedRound]
    round_ended_by: PositiveCount | None
    ends_play: bool
    finished_by: PositiveCount | None
    superseded_by: PositiveCount | None


class PlayerNonce(TypedDict):
    """The nonce of a player, and who supplied it (null if that was not recorded).

    With seed version 2, `none` stands for a player who supplied none, whose nonce is empty.
    """

    player: PlayerId
    handle: str | None
    nonce: Bytes
    nonce_from: NonceSource | None
    bot: NotRequired[
        Annotated[BotName, "With seed version 2: the bot for which the creator can supply a nonce."]
    ]


class StartDetails(TypedDict):
    """The sources of a game's chance. The server's secret, and the seed that follows from it, are null until
    the game has ended. The nonces are in the order of joining.
    """

    commitment: Digest
    secret: Digest | None
    seed: Digest | None
    nonces: list[PlayerNonce]


class Conclusion(TypedDict):
    """Who did what an event says and how that is known, in one sentence, and what it means for the reader."""

    sentence: str
    meaning: list[str]


class EventDetails(TypedDict):
    """An event, the positions before and after it (null before the start), and the differences; and the story
    of the event, as far as the viewer may know it.

    `seen_position` and `legal_actions` are what the seat that acted saw and could do; null if no seat acted,
    or if the viewer may not see what that seat saw. `deliveries` is null except for the players and the
    arbiter of the game. `start` is null except for `GameStarted`. `by`, `action_text`, `event_text` and the
    texts of clauses are for people.
    """

    event: Event
    before: Position | None
    after: Position | None
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
    opened: dict[str, Any]
    consequences: EventConsequences
    deliveries: list[NotificationDelivery] | None
    start: StartDetails | None


# `from` is a keyword of Python.
Key = TypedDict("Key", {"key": str, "public": Digest, "from": Timestamp, "until": Timestamp | None})


class KeyList(TypedDict):
    """All public keys of the server, including retired ones. `origin` is its name, if it has one, and `log`
    is the name of its transparency log.
    """

    keys: list[Key]
    origin: str | None
    log: str | None
    next: str | None


SeenConsistency = TypedDict(
    "SeenConsistency",
    {
        "from": PositiveCount,
        "to": PositiveCount,
        "root": Annotated[Digest, "The root of the first `from` leaves."],
        "path": list[Digest],
    },
)
"""The proof that the log of `to` leaves begins with `from` leaves that have this root."""


class Continuation(TypedDict):
    """How a game and the transparency log continue what was seen of them before.

    `hash` is that of the event that was seen last, null if there is no such event; `events` come after it.
    """

    head: ShownHead
    hash: Digest | None
    events: list[Event]
    keys: list[Key]
    checkpoint: Annotated[str | None, "A signed note; null if there is none now."]
    consistency: SeenConsistency | None
    epochs: Annotated[list[str], "The declarations of new epochs of the log."]


class Session(TypedDict):
    """A valid token of the player. `created` is null if an earlier version of the server made it; `last_used`
    is the hour of the last use; `client` is the `User-Agent` of the program that logged in, or null.
    """

    id: str
    created: Timestamp | None
    last_used: Timestamp
    client: str | None
    current: Annotated[bool, "Whether it is the session of this request."]


class SessionList(TypedDict):
    """All sessions of the player, the one used last first."""

    sessions: list[Session]
    next: str | None


class PlayerKey(Key):
    """A key of the player. `name` is what the player calls it, or null; `last_used` is the hour in which it
    last signed something, or null.
    """

    name: str | None
    last_used: Timestamp | None


class PlayerKeyList(TypedDict):
    """All keys of a player, including revoked ones."""

    keys: list[PlayerKey]
    next: str | None


class FieldError(TypedDict):
    """What is wrong with one field of a request: its path, such as `action.at`, or the name of a header."""

    field: str
    detail: str


class Problem(TypedDict):
    """Why a request was refused (RFC 9457)."""

    type: Annotated[str, "`urn:cartulary:problem:` and a name."]
    title: Annotated[str, "The name in words, in the language of the request."]
    status: Annotated[int, "The HTTP status."]
    detail: Annotated[str, "What is wrong with this request, in the same language."]
    instance: Annotated[str, "The id of the request, as in the log of the server."]
    clause: NotRequired[Annotated[str, "The id of the clause that forbids the action."]]
    errors: NotRequired[Annotated[list[FieldError], "Every invalid field."]]
    seq: NotRequired[Annotated[Count, "The seq of the last event of the game."]]
    game: NotRequired[Annotated[str, "The id of the game that is damaged."]]
    event: NotRequired[
        Annotated[Count, "The seq of its first damaged event. Earlier ones can be read."]
    ]
    scope: NotRequired[
        Annotated[
            str | None,
            "The scope that a personal token needs for this operation; null if no scope allows it.",
        ]
    ]


class Health(TypedDict):
    """The state of a process."""

    status: Literal["alive", "ready"]
    risks: NotRequired[
        Annotated[list[str], "Data that a Redis of the service can lose with its settings, if any."]
    ]


class ProcessState(TypedDict):
    """A process that has reported lately. `queues` are those of which a worker takes jobs."""

    kind: Literal["worker", "scheduler", "replies"]
    version: str
    queues: list[str]
    started_at: Timestamp
    seen_at: Timestamp


class ProcessHealth(TypedDict):
    """Whether the processes behind the web server are alive. `missing` are the kinds of which none is."""

    status: Literal["healthy", "degraded"]
    version: str
    missing: list[Literal["worker", "scheduler", "replies"]]
    processes: list[ProcessState]
