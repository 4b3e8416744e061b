"""Requests and responses about tournaments."""

from typing import Annotated, Literal, TypedDict

from domain.event import Clock
from domain.json_types import (
    ClubId,
    Count,
    Digest,
    GameId,
    JsonObject,
    KeyId,
    PlayerId,
    PositiveCount,
    Signature,
    Timestamp,
)
from domain.registry import RULES
from domain.tournaments.change import MAX_REASON
from domain.tournaments.changes import CHANGES
from domain.tournaments.decisions import MAX_CONTACT, MAX_DESCRIPTION, MAX_INVITED
from domain.tournaments.entry_rules import LATE_POINTS, MAX_HALF_POINT_BYES, LatePoints
from domain.tournaments.events import PairingMethod, TournamentEvent, TournamentId
from domain.tournaments.format_settings import MAX_BOARDS
from domain.tournaments.teams import MAX_PLAYERS_PER_BOARD
from domain.tournaments.tournament import TOURNAMENT_STATUSES
from service.http.schemas.requests import PageQuery, nonce_field, statuses_field
from service.http.validation import (
    AnyObject,
    AnyValue,
    Choice,
    Flag,
    NonNegativeInteger,
    PageLimit,
    PositiveInteger,
    QueryInteger,
    StrictSchema,
    String,
    TextList,
)


class CreateTournament(StrictSchema):
    """A new tournament: docs/tournaments.md explains the formats and the rules of rounds."""

    name = String(required=True, description="1 to 60 characters.")
    description = String(
        load_default="", description=f"For players, at most {MAX_DESCRIPTION} characters."
    )
    format = AnyObject(
        required=True,
        description="`format` (`single_group`, `round_robin`, `swiss`, `knockout`, `league`, `ladder` or"
        " `arena`), `table_size` (2 to 5), and the settings of the format. For teams, `boards` (1 to 8) and"
        " `scoring` (`boards` or `sums`).",
        example={"format": "swiss", "table_size": 2, "rounds": 5},
    )
    rules = String(required=True, enum=sorted(RULES))
    options = AnyObject(
        load_default=dict,
        type="object",
        description="Options of the games, as for `POST /games`: those of the rules, `rated`,"
        " `takebacks`, `substitutes`, `club`, and the requirements of players who register.",
    )
    clock = AnyValue(
        required=True,
        type="object",
        description="How much time players have in each game, as for `POST /games`.",
    )
    private = Flag(load_default=False, description="Whether only those who are invited see it.")
    least = PositiveInteger(load_default=2, description="Players without whom it is cancelled.")
    most = PositiveInteger(load_default=32, description="Players for whom there is room.")
    closes = String(
        required=True,
        description="When registration ends, and the first round is drawn: UTC, with milliseconds.",
    )
    round_seconds = PositiveInteger(
        required=True,
        description="Seconds from the draw of a round to its last date; in an arena, from its end to the last"
        " date of all games.",
    )
    contact = String(
        load_default="",
        description=f"How players reach the organiser, at most {MAX_CONTACT} characters.",
    )
    half_point_byes = NonNegativeInteger(
        load_default=0,
        description="For how many rounds each player may ask for half a point instead of a table: at most"
        f" {MAX_HALF_POINT_BYES}, and fewer than there are rounds. In a Swiss tournament and a single group.",
    )
    late_rounds = NonNegativeInteger(
        load_default=0,
        description="How many rounds a player has missed, at most, who enters late. In the same formats.",
    )
    late_points = Choice(
        choices=LATE_POINTS,
        load_default="0",
        description="What a late player has for each missed round.",
    )
    starts_when_full = Flag(
        load_default=False,
        description="Whether registration closes as soon as all places are taken.",
    )
    invite = TextList(
        max_items=MAX_INVITED,
        load_default=list,
        description="Handles of the players who see and join a private tournament.",
    )


class RegisterInTournament(StrictSchema):
    """Taking part in a tournament."""

    nonce = nonce_field(
        "Random bytes of the player's program, in hex, which the draw and the games depend on."
    )


class EnterTeam(StrictSchema):
    """A team, which its captain enters or changes."""

    name = String(required=True, description="1 to 60 characters, unlike those of other teams.")
    members = TextList(
        max_items=MAX_PLAYERS_PER_BOARD * MAX_BOARDS,
        required=True,
        description="Handles of those who may play, in the order of the boards, with the captain. The last"
        " ones are substitutes. Everybody but the captain has to join the team.",
    )
    nonce = nonce_field(
        "Random bytes of the captain's program, in hex, which the draw and the games depend on. A change"
        " of a team does not use them."
    )


class NameCaptain(StrictSchema):
    """The new captain of a team."""

    handle = String(required=True, example="bea", description="A player who has joined the team.")


class SetLineUp(StrictSchema):
    """Who plays at the boards."""

    players = TextList(
        max_items=MAX_BOARDS,
        required=True,
        description="Handles of players of the team, in the order of the boards.",
    )


class ReplaceEntrant(StrictSchema):
    """Who gives a place in a tournament to whom, by their handles."""

    entrant = String(required=True, description="Handle of the entrant.")
    substitute = String(
        required=True, description="Handle of a player who has registered as a substitute."
    )


class ChangeTournament(StrictSchema):
    """A change by an organiser: docs/tournaments.md lists the types, and the data of each."""

    type = String(
        required=True, enum=sorted(CHANGES), description="The type of the event that it becomes."
    )
    reason = String(
        load_default="",
        description=f"Why, for everybody who may see the tournament: at most {MAX_REASON} characters. Needed"
        " for all changes but an announcement.",
    )
    data = AnyObject(
        load_default=dict,
        description="What the organiser chooses; players are named by their handles.",
        example={"ends": "2026-12-31T18:00:00.000Z"},
    )


class TournamentsQuery(PageQuery):
    """Which page of which tournaments to show."""

    status = statuses_field(TOURNAMENT_STATUSES)
    mine = Choice(
        choices=("true", "false"),
        load_default="false",
        description="Only those that the player organises or takes part in.",
    )
    club = String(
        load_default=None,
        example="5f0c2d9a41e7b603",
        description="Only those of the club with this id, the private ones for its members.",
    )


class TournamentEventsQuery(StrictSchema):
    """Which page of the events of a tournament to show."""

    after = QueryInteger(
        load_default=0, description="The seq of the last event of the page before."
    )
    limit = PageLimit("Events", most=100, default=100)


class TournamentPlaceDecision(TypedDict):
    """What decides that a player comes before the next one: the first tie-break in which they differ."""

    tie_break: Annotated[
        str | None,
        "Null if it is the order before the first round: that of the lots, or of the seeds.",
    ]
    value: str
    against: Annotated[str, "That of the next player."]
    text: Annotated[str, "The same in one sentence, in the language of the request."]


class TournamentStanding(TypedDict):
    """An entrant in the standings. `tie_breaks` has what decides the places in this format, in order."""

    place: PositiveCount
    entrant: Annotated[Count, "The number in the draw of lots."]
    player: Annotated[PlayerId, "Of a team, its captain."]
    team: Annotated[str | None, "The name of the team; null if single players take part."]
    tie_breaks: dict[str, str]
    points: Annotated[str, "A number such as `3`, or a fraction such as `7/2`."]
    wins: Count
    played: Count
    decision: Annotated[
        TournamentPlaceDecision | None,
        "Null for the last place, on a ladder, and before there are results.",
    ]


class TournamentTableSummary(TypedDict):
    """A table of a round: `game` is null for a bye, and `places` until there is a result."""

    players: list[PlayerId]
    game: GameId | None
    places: list[Count] | None
    ruling: Annotated[
        PositiveCount | None, "The seq of the event by which an organiser decided the result."
    ]
    former_games: Annotated[
        list[GameId], "Those that count no more, because the table plays again."
    ]


class TournamentMatch(TypedDict):
    """A match of teams in a round. `points` are null until each of its tables has a result."""

    teams: Annotated[list[Count], "Their numbers in the draw of lots; one team has a bye."]
    tables: Annotated[list[PositiveCount], "The numbers of its tables, by board."]
    board_points: Annotated[list[str] | None, "By team."]
    points: Annotated[list[str] | None, "By team: what the match counts."]


class TournamentLineUp(TypedDict):
    """A line-up that was set."""

    round: Annotated[PositiveCount, "The round from which on it stands."]
    players: list[PlayerId]


class TournamentTeam(TypedDict):
    """A team."""

    captain: PlayerId
    name: str
    entrant: Annotated[
        Count | None, "Its number in the draw of lots; null before, and if it was not drawn."
    ]
    members: Annotated[
        list[PlayerId], "Those whom the captain has named, in the order of the boards."
    ]
    players: Annotated[list[PlayerId], "Those of them who have joined, and have not left."]
    line_ups: list[TournamentLineUp]


class TournamentIndividual(TypedDict):
    """What a player of a team has scored at boards with opponents."""

    player: PlayerId
    entrant: Annotated[Count, "The number of the team in the draw of lots."]
    points: str
    played: Count
    wins: Count


class TournamentRoundSummary(TypedDict):
    """A round that is drawn."""

    round: PositiveCount
    drawn_at: Timestamp
    ends: Timestamp
    pairing: PairingMethod | None
    half_points: Annotated[
        list[Count],
        "The entrants with half a point in it without a table: by a bye, or entered late.",
    ]
    closed: bool
    matches: Annotated[list[TournamentMatch], "Of teams; empty if single players take part."]
    tables: list[TournamentTableSummary]


class TournamentReplacement(TypedDict):
    """A substitute who took the place of another player, with the points of the place."""

    entrant: Annotated[Count, "The number in the draw of lots."]
    player: PlayerId
    replaces: PlayerId
    round: Annotated[PositiveCount, "The first round of the substitute."]


class TournamentBye(TypedDict):
    """A half-point bye that a player has asked for, in a round that is not drawn yet."""

    player: PlayerId
    round: PositiveCount


class TournamentLateEntry(TypedDict):
    """An entrant who has entered late."""

    entrant: Count
    round: Annotated[PositiveCount, "The first round that the player could play in."]


class TournamentAnnouncement(TypedDict):
    """What an organiser has said, to all players, or to those of a table of a round."""

    seq: PositiveCount
    at: Timestamp
    player: Annotated[PlayerId, "Its author."]
    text: str
    round: PositiveCount | None
    table: PositiveCount | None


class TournamentArena(TypedDict):
    """An arena that has begun."""

    ends: Annotated[Timestamp, "From then on nobody is seated."]
    resting: Annotated[
        list[Count], "The entrants who take a break, or have let a game pass: nobody seats them."
    ]


class TournamentSummary(TypedDict):
    """A tournament in a list."""

    id: TournamentId
    version: Annotated[PositiveCount, "That of the rules by which it is held."]
    name: str
    description: str
    contact: Annotated[str, "How players reach the organiser."]
    status: Literal["open", "running", "finished", "cancelled"]
    organiser: PlayerId
    format: JsonObject
    rules: str
    options: JsonObject
    clock: Clock
    private: bool
    least: PositiveCount
    most: PositiveCount
    created_at: Timestamp
    closes: Timestamp
    round_seconds: PositiveCount
    half_point_byes: Annotated[Count, "For how many rounds each player may ask for half a point."]
    late_rounds: Annotated[Count, "How many rounds a player has missed, at most, who enters late."]
    late_points: Annotated[LatePoints, "What a late player has for each missed round."]
    starts_when_full: bool
    clubs: Annotated[dict[ClubId, str], "The names of the two clubs of a match; of others, none."]
    paused_at: Annotated[Timestamp | None, "When its pause began, if it is paused."]
    players: Annotated[Count, "How many take part."]
    rounds: Annotated[Count, "How many rounds are drawn."]
    seq: PositiveCount
    hash: Digest


class TournamentDetails(TournamentSummary):
    """A tournament with its players and rounds.

    `entrants` are in the order of the lots, and after them those who have entered late; before the draw,
    those who have registered. `handles` has the handles of all who are named by their ids, null for those
    who were erased.
    """

    organisers: Annotated[list[PlayerId], "The creator, and those who were named."]
    entrants: Annotated[list[PlayerId], "Of teams, their captains."]
    teams: Annotated[list[TournamentTeam], "In the order of the log."]
    withdrawn: Annotated[list[Count], "The numbers of entrants without a player."]
    excluded: Annotated[list[PlayerId], "The players whom an organiser has withdrawn."]
    substitutes: Annotated[list[PlayerId], "Those who wait for a place, in order."]
    replacements: Annotated[
        list[TournamentReplacement], "The substitutes who got a place, in order."
    ]
    byes: Annotated[list[TournamentBye], "The half-point byes of rounds that are not drawn yet."]
    late: Annotated[list[TournamentLateEntry], "Those who have entered late, in order."]
    announcements: Annotated[
        list[TournamentAnnouncement], "What organisers have said, in the order of the log."
    ]
    commitment: Digest
    games_commitment: Digest
    secret: Digest | None
    games_secret: Digest | None
    drawn: Annotated[
        list[TournamentRoundSummary],
        "The rounds; of an arena, the draws with a table in progress, and the last 20 of the others.",
    ]
    arena: Annotated[TournamentArena | None, "Null in other formats, and before it has begun."]
    standings: list[list[TournamentStanding]]
    individuals: Annotated[list[TournamentIndividual], "The players of teams, the best first."]
    handles: dict[str, str | None]


class TournamentList(TypedDict):
    """A page of tournaments, newest first. `next` is the `cursor` of the next page, or null."""

    tournaments: list[TournamentSummary]
    next: str | None


class TournamentReceipt(TypedDict):
    """The server's confirmation that a player takes part, after the event with this hash."""

    sign: Literal["cartulary tournament receipt v1"]
    tournament: TournamentId
    seq: PositiveCount
    hash: Digest
    player: PlayerId
    at: Timestamp
    key: KeyId
    signature: Signature


class TournamentRegistration(TypedDict):
    """The tournament, and the receipt for taking part in it."""

    tournament: TournamentDetails
    receipt: TournamentReceipt


class TournamentStandings(TypedDict):
    """The standings of each group or division, the best first. `final`: they cannot change any more."""

    final: bool
    groups: list[list[TournamentStanding]]
    individuals: Annotated[list[TournamentIndividual], "The players of teams, the best first."]


class TournamentEventList(TypedDict):
    """A page of the events of a tournament. `next` is the `after` of the next page, or null."""

    events: list[TournamentEvent]
    next: PositiveCount | None
