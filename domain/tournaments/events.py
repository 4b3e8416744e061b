"""The events of a tournament: their envelope, and the data of each type.

A tournament has a log separate from those of its games. An event type keeps its name and its fields for ever.
Each TypedDict of data is named after the event type; docs/formats.md lists them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired, TypeAlias, TypedDict

from domain.event import ByPlayer, Clock
from domain.json_types import (
    Bytes,
    ClubId,
    Count,
    Digest,
    EventType,
    GameId,
    JsonObject,
    Pattern,
    PlayerId,
    PositiveCount,
    Timestamp,
)

TOURNAMENT_VERSION: Final = 3
"""The version of new tournaments: `v` of each of their events. It says by which rules they are held."""
TOURNAMENT_VERSIONS: Final = (1, 2, TOURNAMENT_VERSION)
"""The versions that this program holds and audits (docs/tournaments.md, Versions)."""
TOURNAMENT_ID: Final = "t[0-9a-f]{16}"
"""A regular expression for the id of a tournament, which no game has."""
TournamentId: TypeAlias = Annotated[str, Pattern(TOURNAMENT_ID), "The id of a tournament."]


class BySystemOfTournament(TypedDict):
    """A part of the server."""

    system: Literal["tournament"]


TournamentBy: TypeAlias = ByPlayer | BySystemOfTournament
"""Who caused an event."""
SYSTEM: Final[TournamentBy] = {"system": "tournament"}


PairingMethod: TypeAlias = Annotated[
    Literal["schedule", "exact", "search", "order", "organiser"],
    "How the tables of a round were found: by a schedule that is known in advance, as the cheapest of all"
    " pairings, as the cheapest of some arrangements, by the order of the players, or by the organiser.",
]


class TournamentEvent(TypedDict):
    """An event of a tournament as the log stores it."""

    v: int
    tournament: TournamentId
    seq: PositiveCount
    type: EventType
    at: Timestamp
    by: TournamentBy
    data: JsonObject
    prev: Digest
    hash: Digest


class TournamentData(TypedDict):
    """The base of the data of every event, which has none of the fields."""


class Decided(NamedTuple):
    """An event as it is decided, before it is sealed."""

    type: str
    data: TournamentData


class TournamentCreated(TournamentData):
    """A player opens a tournament. `format` is what `FormatSettings.to_json` returns."""

    name: str
    description: str
    format: JsonObject
    rules: str
    options: Annotated[JsonObject, "Of its games, and what players need to register."]
    clock: Clock
    private: bool
    least: Annotated[PositiveCount, "Players without whom it is cancelled."]
    most: Annotated[PositiveCount, "Players for whom there is room."]
    closes: Annotated[Timestamp, "When registration ends, and the first round is drawn."]
    round_seconds: Annotated[PositiveCount, "Seconds from the draw of a round to its last date."]
    commitment: Annotated[Digest, "SHA-256 of the secret of the draw."]
    games_commitment: Annotated[Digest, "SHA-256 of the secret from which those of games derive."]
    invited: NotRequired[list[PlayerId]]
    contact: NotRequired[Annotated[str, "How players reach the organiser."]]
    half_point_byes: NotRequired[PositiveCount]
    late_rounds: NotRequired[PositiveCount]
    late_points: NotRequired[str]
    starts_when_full: NotRequired[bool]
    clubs: NotRequired[Annotated[dict[ClubId, str], "The names of the two clubs of a match."]]


class PlayerRegistered(TournamentData):
    """A player takes part. `nonce` is empty unless a person's program sent it."""

    player: PlayerId
    nonce: Bytes


class EntrantInvited(TournamentData):
    """The organiser invites a player to a private tournament."""

    player: PlayerId


class SubstituteRegistered(TournamentData):
    """A player is ready to take the place of one who withdraws."""

    player: PlayerId
    nonce: Bytes


class LateEntrantRegistered(TournamentData):
    """A player enters late, with a place of their own, and plays from the next round on; or enters an arena,
    also again, with the same place.
    """

    player: PlayerId
    nonce: Bytes
    entrant: Annotated[Count, "The number of the place, after those of the draw of lots."]


class ByeRequested(TournamentData):
    """A player asks for half a point instead of a table in a round."""

    player: PlayerId
    round: PositiveCount


class ByeCancelled(TournamentData):
    """A player takes part in a round after all."""

    player: PlayerId
    round: PositiveCount


class TeamEntered(TournamentData):
    """A captain enters a team with those who may play for it, who have to agree."""

    player: Annotated[PlayerId, "The captain, who has agreed."]
    nonce: Bytes
    name: str
    members: Annotated[list[PlayerId], "In the order of the boards, with the captain."]


class TeamChanged(TournamentData):
    """A captain gives the team another name, or names others, while registration is open."""

    player: Annotated[PlayerId, "The captain."]
    name: str
    members: Annotated[list[PlayerId], "In the order of the boards, with the captain."]


class TeamJoined(TournamentData):
    """A player whom a captain has named agrees to play for the team."""

    player: PlayerId
    nonce: Bytes
    captain: PlayerId


class LineUpSet(TournamentData):
    """The captain, or an organiser, says who plays at the boards from a round on."""

    captain: PlayerId
    round: PositiveCount
    players: Annotated[list[PlayerId], "In the order of the boards."]


class CaptainNamed(TournamentData):
    """The captain of a team, or an organiser, hands it on to another of its players.

    The server does so when the captain is erased: the next player in the order of the boards gets it.
    """

    captain: Annotated[PlayerId, "The former one, who stays in the team."]
    player: PlayerId


class PlayerWithdrawn(TournamentData):
    """A player stops taking part: from the next round on, if rounds have been drawn."""

    player: PlayerId


class EntrantReplaced(TournamentData):
    """A substitute takes the place of an entrant, with its points, from the next round on."""

    entrant: Annotated[Count, "The number of the entrant in the draw of lots."]
    player: PlayerId


class RegistrationClosed(TournamentData):
    """Lots are drawn, and the secret of the draw is published. The places in `players` are the entrants."""

    secret: Digest
    players: list[PlayerId]
    ratings: NotRequired[Annotated[dict[PlayerId, int], "Those by which the players are seeded."]]
    ends: NotRequired[Annotated[Timestamp, "When an arena ends, which begins now."]]


class BreakTaken(TournamentData):
    """A player of an arena gets no further table until the break ends."""

    player: PlayerId


class BreakEnded(TournamentData):
    """A player of an arena goes on, after a break or after having let a game pass."""

    player: PlayerId


class DrawnMatch(TypedDict):
    """A match of teams: their numbers, and the tables of its boards, counted from 1; none for a bye."""

    teams: list[Count]
    tables: list[PositiveCount]


class RoundDrawn(TournamentData):
    """The tables of a round: entrants in the order of their seats. A table of one entrant is a bye."""

    round: PositiveCount
    tables: list[list[Count]]
    games: Annotated[list[GameId | None], "By table; null for a bye."]
    absent: Annotated[list[Count], "The entrants who had withdrawn."]
    half_points: NotRequired[
        Annotated[list[Count], "The entrants who have asked for half a point instead of a table."]
    ]
    pairing: NotRequired[PairingMethod]
    matches: NotRequired[Annotated[list[DrawnMatch], "Of teams, which the tables belong to."]]
    players: NotRequired[
        Annotated[list[list[PlayerId]], "By table and seat, if teams are the entrants."]
    ]
    ends: Annotated[Timestamp, "The last date of the round."]


class ResultRecorded(TournamentData):
    """The ranking of a game that ended by the last date; `hash` is that of the event that ended it."""

    round: PositiveCount
    table: PositiveCount
    game: GameId
    seq: PositiveCount
    hash: Digest
    places: Annotated[list[Count], "By seat."]


class TableSettled(ResultRecorded):
    """The result of a game without a ranking at the last date: the order by scores after event `seq`."""


class PairingFailed(TournamentData):
    """No pairing of a round was found that keeps to what is prohibited, so that it is not drawn."""

    round: PositiveCount


class RoundClosed(TournamentData):
    """All tables of a round have results."""

    round: PositiveCount


class TournamentFinished(TournamentData):
    """The last round is closed."""

    standings: list[list[JsonObject]]
    individuals: NotRequired[Annotated[list[JsonObject], "The results of the players of teams."]]


CancelReason: TypeAlias = Literal["organiser", "too_few_players"]


class TournamentCancelled(TournamentData):
    """The tournament ends without standings; its games go on."""

    reason: CancelReason


class GamesSecretPublished(TournamentData):
    """All games have ended: the secret from which their secrets derive."""

    secret: Digest


class OrganiserChange(TournamentData):
    """The base of the data of a change by an organiser (`domain.tournaments.changes`)."""

    reason: str


class TextsChanged(OrganiserChange):
    """Texts are changed, those that the data has."""

    name: NotRequired[str]
    description: NotRequired[str]
    contact: NotRequired[str]


class ClosingDateChanged(OrganiserChange):
    """Registration closes at another time."""

    closes: Timestamp


class RoundExtended(OrganiserChange):
    """The current round has a later last date."""

    round: PositiveCount
    ends: Timestamp


class TournamentPaused(OrganiserChange):
    """Registration does not close, no last date comes and no round is drawn until the tournament goes on."""


class TournamentResumed(OrganiserChange):
    """The tournament goes on: the next date is later by the length of the pause."""

    closes: NotRequired[Timestamp]
    ends: NotRequired[Timestamp]


class TableRuled(OrganiserChange):
    """The organiser decides the result of a table. The ground is event `seq` of its game, with this hash."""

    round: PositiveCount
    table: PositiveCount
    game: GameId
    seq: PositiveCount
    hash: Digest
    places: Annotated[list[Count], "By seat; 0 for a player who forfeits."]


class TableReplayed(OrganiserChange):
    """A table plays again: its result and its game count no more. The ground is that of `TableRuled`."""

    round: PositiveCount
    table: PositiveCount
    game: GameId
    seq: PositiveCount
    hash: Digest
    replay: Annotated[GameId, "The new game, with the same players and seats."]


class PairingsProhibited(OrganiserChange):
    """No two of these players meet: those of a club are its members who took part at that time."""

    players: list[PlayerId]
    club: NotRequired[ClubId]


class PairingsAllowed(OrganiserChange):
    """The players of a prohibition may meet again."""

    players: list[PlayerId]


Seeding: TypeAlias = Annotated[
    Literal["lots", "rating", "hand"],
    "By what the players are ordered before the first round: by lot, by their ratings, or by the organiser.",
]


class SeedingChanged(OrganiserChange):
    """The players are ordered by something else before the first round."""

    seeding: Seeding
    players: NotRequired[
        Annotated[list[PlayerId], "Those at the top, if the organiser orders them."]
    ]


class ReviewChanged(OrganiserChange):
    """Whether each round waits for its release by an organiser."""

    review: bool


class RoundReleased(OrganiserChange):
    """An organiser lets the next round begin, as it is drawn or with tables by hand."""

    round: PositiveCount
    tables: NotRequired[Annotated[list[list[PlayerId]], "In the order of the seats."]]


class OrganiserNamed(OrganiserChange):
    """Another player organises the tournament, too."""

    player: PlayerId


class AnnouncementMade(TournamentData):
    """An organiser says something to all players, or to those of one table."""

    text: str
    round: NotRequired[PositiveCount]
    table: NotRequired[PositiveCount]


class OrganiserDismissed(OrganiserChange):
    """A player who was named organises the tournament no more."""

    player: PlayerId


TOURNAMENT_EVENTS: Final[Mapping[str, type]] = {
    data.__name__: data
    for data in (
        TournamentCreated,
        PlayerRegistered,
        EntrantInvited,
        SubstituteRegistered,
        LateEntrantRegistered,
        ByeRequested,
        ByeCancelled,
        TeamEntered,
        TeamChanged,
        TeamJoined,
        LineUpSet,
        BreakTaken,
        BreakEnded,
        CaptainNamed,
        PlayerWithdrawn,
        EntrantReplaced,
        RegistrationClosed,
        RoundDrawn,
        ResultRecorded,
        TableSettled,
        RoundClosed,
        TournamentFinished,
        TournamentCancelled,
        GamesSecretPublished,
        TextsChanged,
        ClosingDateChanged,
        RoundExtended,
        TournamentPaused,
        TournamentResumed,
        TableRuled,
        TableReplayed,
        PairingFailed,
        PairingsProhibited,
        PairingsAllowed,
        SeedingChanged,
        ReviewChanged,
        RoundReleased,
        OrganiserNamed,
        OrganiserDismissed,
        AnnouncementMade,
    )
}
"""By event type, the data of the events of a tournament."""

AnyData: TypeAlias = Any
"""The type of an event determines the TypedDict of its data."""
