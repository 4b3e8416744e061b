"""Events: one that was just decided, the envelope in which the log stores it, and the data of those that
every game has.

Each TypedDict of event data is named after the event type. A rule system's `formats` defines the data of its
own events, and extends the types here by the fields that it adds. `ledger.pending` makes envelopes.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import (
    Annotated,
    Final,
    Literal,
    NamedTuple,
    NotRequired,
    TypeAlias,
    TypedDict,
    cast,
    final,
)

from typing_extensions import override

from domain.clock.events import CLOCK_EVENTS, DEADLINE_EVENTS
from domain.disputes.events import DISPUTE_EVENTS
from domain.json_types import (
    BotName,
    Bytes,
    ClubId,
    Count,
    Digest,
    EventType,
    GameId,
    JsonObject,
    KeyId,
    Length,
    Pattern,
    PlayerId,
    PositiveCount,
    PublicKey,
    Range,
    Seat,
    Signature,
    Timestamp,
)

VERSION: Final = 1
ZEROS: Final = "0" * 64
"""`prev` of a first event, and `state` before there is a position."""
ENDINGS: Final = frozenset({"GameFinished", "GameAbandoned"})
"""The types of the event that ends a game and publishes its secrets: nothing follows it."""
MAX_PREPARED_PATH: Final = 32
"""Hashes of the longest inclusion path of a conditional action."""
NO_SECRETS: Final[Mapping[str, object]] = MappingProxyType({})


class EventData(TypedDict):
    """The base of every event's data: code that handles any event knows none of the fields.

    mypy accepts every TypedDict for it, and no plain dict: so the data of an event cannot be built without
    naming its TypedDict.
    """


class DomainEvent(NamedTuple):
    """An event as the rules decide it, before it is sealed: its type (a past participle) and its data.

    `secrets` has, by name, values that only some viewers may see; only commitments to them reach the log.
    The name states who that is (`domain.contract.secret_owner`). Only a set-up has secrets.

    A named tuple, because every decision makes one: a frozen dataclass takes three times as long to make.
    """

    type: str
    data: EventData
    secrets: Mapping[str, object] = NO_SECRETS

    @override
    def __repr__(self) -> str:
        """The type and the data: secrets must not reach a log or a traceback."""
        return f"DomainEvent(type={self.type!r}, data={self.data!r})"


@final
class BySeat(TypedDict):
    """A player who acts in a game that has started."""

    seat: Seat


@final
class ByPlayer(TypedDict):
    """A player, before there are seats."""

    player: PlayerId


@final
class BySystem(TypedDict):
    """A part of the server."""

    system: Literal["start", "scorer", "clock", "arbiter", "takeback", "administrator", "store"]


By: TypeAlias = BySeat | ByPlayer | BySystem
"""Who caused an event."""


def acting_seat(by: By) -> int | None:
    """The seat that caused an event, if one did."""
    if "seat" in by:
        return by["seat"]
    return None


class ActionSignature(TypedDict):
    """The signature of a player for their action or statement: the id of their key, and the hash of the event
    after which they saw the position. It covers the game, this hash and what the player did.
    """

    key: KeyId
    head: Digest
    signature: Signature


class PreparedSignature(TypedDict):
    """The signature of a player for conditional actions, and the proof that this action is one of them.

    The player prepared them after the event with the hash `head` and signed `root`, the root of a Merkle tree
    of salted commitments. That to the actions since `head`, up to this one, has the salt `salt` and is leaf
    `index`, with this inclusion path. `outcomes` are the conditions on the outcomes of the actions before
    this one, in their order; left out if there are none.
    """

    key: KeyId
    head: Digest
    root: Digest
    signature: Signature
    index: Count
    salt: Digest
    path: Annotated[list[Digest], Length(0, MAX_PREPARED_PATH)]
    outcomes: NotRequired[list[dict[str, str]]]


class Event(TypedDict):
    """An event as the log stores it: the envelope of docs/formats.md.

    Logs and records come from outside, so nothing is known here about the fields of `action` and `data`;
    `domain.fold` is where recorded data become `EventData`.
    """

    v: int
    game: GameId
    seq: PositiveCount
    type: EventType
    at: Timestamp
    by: By
    action: JsonObject | None
    data: JsonObject
    secrets: NotRequired[dict[str, Digest]]
    signature: NotRequired[ActionSignature]
    conditional: NotRequired[
        Annotated[Literal[True], "Whether the player had prepared the action; left out if not."]
    ]
    prepared: NotRequired[PreparedSignature]
    state: Digest
    prev: Digest
    hash: Digest


Seconds: TypeAlias = Annotated[int, Range(1, 365 * 24 * 60 * 60)]
"""A time on a clock: at most 365 days."""
TimeOfDay: TypeAlias = Annotated[
    str, Pattern("(?:[01][0-9]|2[0-3]):[0-5][0-9]"), "A local time, such as `22:00`."
]


class OnDeadline(TypedDict, total=False):
    """What happens at a deadline. Every field may be left out, and has its default then."""

    placement: Annotated[
        Literal["bot", "remove"],
        "What happens to a missed placement of the set-up: a bot places (default), or the seat is removed.",
    ]
    turn: Annotated[
        Literal["forfeit", "bot"],
        "What happens to a missed turn: it is forfeited (default), or a bot plays the rest of it.",
    ]
    excused: Annotated[
        int, Range(0, 10), "Missed deadlines of a seat that only restart its time; default 0."
    ]
    remove_after: Annotated[
        Annotated[int, Range(1, 20)] | None,
        "Missed deadlines in a row after which the seat is removed, or vacated; default null: never.",
    ]
    abandon_after: Annotated[
        int,
        Range(1, 20),
        "Missed deadlines in a row of every seat after which the game is abandoned; default 2.",
    ]


class Clock(TypedDict, total=False):
    """How much time a player has, which time counts, and what happens when it is over.

    It has at least one of `per_turn` and `bank`; docs/clocks.md has the meaning of each field.
    """

    per_turn: Annotated[Seconds, "Seconds for each turn."]
    bank: Annotated[
        Seconds,
        "Seconds in the time bank of each seat, from which turns that take longer than `per_turn` are taken.",
    ]
    increment: Annotated[
        int,
        Range(0, 365 * 24 * 60 * 60),
        "Seconds by which the time bank of a seat grows after each of its turns.",
    ]
    time_zone: Annotated[str, "The IANA name of the time zone of nights and weekends; default UTC."]
    nights: Annotated[
        list[TimeOfDay], Length(2, 2), "From when to when time does not count each night."
    ]
    weekends: Annotated[bool, "Whether Saturdays and Sundays do not count."]
    holidays: Annotated[bool, "Whether the holidays of the player to act do not count."]
    on_deadline: OnDeadline


class TournamentTable(TypedDict):
    """The table of a tournament that a game is played at: `round` and `table` are counted from 1.

    `drawn` is the hash of the event of the tournament that has drawn the round, and so covers all before it.
    """

    id: Annotated[str, Pattern("t[0-9a-f]{16}"), "The id of the tournament."]
    round: PositiveCount
    table: PositiveCount
    drawn: Digest


class Options(TypedDict):
    """The options of every game; a rule system extends them by its own."""

    seating: Literal["drawn", "joined"]
    private: bool
    takebacks: NotRequired[Annotated[Literal[True], "Left out in a game without takebacks."]]
    tutorial: NotRequired[Annotated[Literal[True], "Left out in a game without lessons."]]
    hints: NotRequired[Annotated[Literal[True], "Left out in a game without hints."]]
    rated: NotRequired[Annotated[Literal[True], "Left out in a game that changes no ratings."]]
    name: NotRequired[Annotated[str, "What its creator calls the game, in one line."]]
    rematch_of: NotRequired[Annotated[GameId, "The game of which this one is a rematch."]]
    tournament: NotRequired[TournamentTable]
    club: NotRequired[Annotated[ClubId, "The club of the game, whose members alone may join it."]]
    substitutes: NotRequired[Annotated[Literal[True], "Left out in a game without substitutes."]]
    least_reliability: NotRequired[
        Annotated[int, Range(1, 100), "The percentage of turns in time that players need to join."]
    ]
    least_finished: NotRequired[
        Annotated[int, Range(1, 1000), "The finished games that players need to join."]
    ]
    least_rating: NotRequired[
        Annotated[int, Range(0, 10_000), "The lowest rating of players who can join."]
    ]
    most_rating: NotRequired[
        Annotated[int, Range(0, 10_000), "The highest rating of players who can join."]
    ]


class GameSettings(TypedDict):
    """`GameCreated`, but for the options, which differ between rule systems."""

    rules: str
    seats: PositiveCount
    clock: Clock | None
    commitment: Digest
    seed: NotRequired[
        Annotated[Literal[2], "The version of the seed; left out in games with version 1."]
    ]
    invited: NotRequired[list[PlayerId]]
    arbiter: NotRequired[PlayerId]


class GameCreated(GameSettings):
    """A player opens a game. `invited` is left out when it is empty, `arbiter` when there is none."""

    options: Options


NonceSource: TypeAlias = Literal["player", "server", "none"]
"""Who supplied a nonce. `player`: the player's own program, or that of the creator for a bot. `server`: the
server, with seed version 1. `none`: nobody, with seed version 2; the nonce is empty.
"""


class SeatTaken(TypedDict):
    """A player joins the game, or the creator adds a bot, whose name is `bot`.

    With seed version 2, `nonce` is empty unless a person's program sent it.

    `invited_by` is the player whose invitation link let a player join a private game. Logs from before
    `nonce_from` was recorded leave it out.
    """

    player: PlayerId
    nonce: Bytes
    nonce_from: NotRequired[NonceSource]
    bot: NotRequired[BotName]
    invited_by: NotRequired[PlayerId]


class SeatLeft(TypedDict):
    """A player leaves the game before it has started."""

    player: PlayerId


class PlayerInvited(TypedDict):
    """The creator invites another player before the game has started."""

    player: PlayerId


class InvitationDeclined(TypedDict):
    """An invited player does not want to play in the game."""

    player: PlayerId


class InvitationRevoked(TypedDict):
    """The creator withdraws an invitation."""

    player: PlayerId


class PlayerKeyAdded(TypedDict):
    """From now on, the player may sign actions with this key."""

    player: PlayerId
    key: KeyId
    public: PublicKey


class PlayerKeyRevoked(TypedDict):
    """The player can no longer sign actions with this key."""

    player: PlayerId
    key: KeyId


class GameStarted(TypedDict):
    """All places are taken, and the set-up is drawn. `players` is in order of seats."""

    players: list[PlayerId]


class PlayerResigned(TypedDict):
    """A player leaves the game for good."""

    seat: Seat


class PlayerRemoved(TypedDict):
    """The clock or an arbiter removes a player from the game."""

    seat: Seat


Decision: TypeAlias = Literal["remove_seat", "move_seat", "abandon", "extend_deadline"]


class AdministratorDecided(TypedDict):
    """An administrator of the server intervenes in a game."""

    administrator: Annotated[
        str, "The id of the administrator, or `operator` for the command line of the server."
    ]
    decision: Decision
    seat: NotRequired[Annotated[Seat, "Of `remove_seat`, `move_seat` and `extend_deadline`."]]
    player: NotRequired[Annotated[PlayerId, "Of `move_seat`: who gets the seat."]]
    seconds: NotRequired[Annotated[PositiveCount, "Of `extend_deadline`."]]


class TurnForfeited(TypedDict):
    """The time for a turn has run out."""

    seat: Seat


class Standing(TypedDict):
    """What a seat has at the end of a round; a rule system extends it by what makes up the score."""

    seat: Seat
    score: int


class RoundScored(TypedDict):
    """A round has ended. `standings` is in order of seats."""

    round: PositiveCount
    standings: Sequence[Standing]


class RankingEntry(TypedDict):
    """A seat's place in the final ranking, counted from 1."""

    seat: Seat
    score: int
    place: PositiveCount


PlayResumed = TypedDict(
    "PlayResumed",
    {
        "from": Annotated[PositiveCount, "The event after which play continues."],
        "because": Annotated[PositiveCount, "The event that ruled or agreed so."],
    },
)
"""A ruling or a takeback lets play continue from an earlier position."""


class EventsLost(TypedDict):
    """The store has lost events that the server had confirmed or shown."""

    last: Annotated[PositiveCount, "The seq of the last one."]
    hash: Annotated[Digest, "The hash of that event."]


class Ranked(TypedDict):
    """The part of `GameFinished` that the rules decide in every game."""

    ranking: list[RankingEntry]


class GameFinished(Ranked):
    """The game is over, and its secret is published."""

    secret: Digest


class GameAbandoned(TypedDict):
    """The game ends without a ranking, and its secret is published."""

    secret: Digest


class HintGiven(TypedDict):
    """A player gets a hint for the current position, in a game against bots.

    The hint itself is not recorded: it follows from what the seat sees.
    """

    seat: Seat


LIFE_CYCLE_EVENTS: Final[Mapping[str, type]] = {
    "SeatTaken": SeatTaken,
    "SeatLeft": SeatLeft,
    **DEADLINE_EVENTS,
    "PlayResumed": PlayResumed,
    "PlayerInvited": PlayerInvited,
    "InvitationDeclined": InvitationDeclined,
    "InvitationRevoked": InvitationRevoked,
    "PlayerKeyAdded": PlayerKeyAdded,
    "PlayerKeyRevoked": PlayerKeyRevoked,
    "AdministratorDecided": AdministratorDecided,
    "EventsLost": EventsLost,
    "HintGiven": HintGiven,
    "GameAbandoned": GameAbandoned,
    **DISPUTE_EVENTS,
    **CLOCK_EVENTS,
}
"""By event type, the data of the events that are the same in every game."""


def recorded_data(event: Event) -> EventData:
    """The data of a recorded event, which the TypedDict of its type describes.

    They are not checked again: a log is sealed, and `replay.audit` decides every event again.
    """
    return cast("EventData", event["data"])
