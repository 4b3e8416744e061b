"""The types that several groups of calls use.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict

from domain.json_types import JsonObject


class Announcement(TypedDict):
    """An announcement of the administrators. `text` is for the reader, and in `language`."""

    id: str
    text: str
    language: str
    texts: dict[str, str]
    at: str
    ends: str


class ChatMessageAuthor(TypedDict):
    """The player who has written a message. `handle` is null if the account has been deleted."""

    id: str
    handle: str | None


class OnDeadline(TypedDict):
    """What happens at a deadline. Every field may be left out, and has its default then."""

    placement: NotRequired[str]
    turn: NotRequired[str]
    excused: NotRequired[int]
    remove_after: NotRequired[int | None]
    abandon_after: NotRequired[int]


class Clock(TypedDict):
    """How much time a player has, which time counts, and what happens when it is over. It has at
    least one of `per_turn` and `bank`; docs/clocks.md has the meaning of each field.
    """

    per_turn: NotRequired[int]
    bank: NotRequired[int]
    increment: NotRequired[int]
    time_zone: NotRequired[str]
    nights: NotRequired[list[str]]
    weekends: NotRequired[bool]
    holidays: NotRequired[bool]
    on_deadline: NotRequired[OnDeadline]


class NotificationDelivery(TypedDict):
    """One notification on its way through one channel. `due_at` is the time of the next attempt,
    `tried_at` that of the last one, and `sent_at` is when the receiver accepted it. `result` is
    why the last attempt has failed. `game` and `seq` are null for a digest, and `tournament` for
    all but what is about one.
    """

    delivery: str
    channel: str
    kind: str
    subject: str
    about: str
    game: str | None
    tournament: str | None
    seq: int | None
    players: list[str]
    status: str
    attempts: int
    created_at: str
    due_at: str | None
    tried_at: str | None
    sent_at: str | None
    result: str | None


class DeliveryList(TypedDict):
    """A page of deliveries, newest first. `next` is the `cursor` of the next page, or null."""

    deliveries: list[NotificationDelivery]
    next: str | None


Key = TypedDict("Key", {"key": str, "public": str, "from": str, "until": str | None})
"""The body of a request: Key."""


class NamedPlayer(TypedDict):
    """A player with an account."""

    id: str
    handle: str


class Post(TypedDict):
    """A post on the wall of a club, or in the conversation of a tournament: its number, when and
    by whom it was written. `text` is null if it was erased, or if the reader has muted its
    author. `removed_by` is the id of the moderator who has removed it, for `reason`, or null.
    """

    post: int
    at: str
    player: ChatMessageAuthor
    text: str | None
    erased: bool
    muted: bool
    removed_by: str | None
    reason: str | None


class PostList(TypedDict):
    """Some posts. `next` is the `after` of the next page, or null; `last` is the number of the
    last post, 0 if there is none.
    """

    posts: list[Post]
    last: int
    next: int | None


class ProcessState(TypedDict):
    """A process that has reported lately. `queues` are those of which a worker takes jobs."""

    kind: str
    version: str
    queues: list[str]
    started_at: str
    seen_at: str


class RemovePost(TypedDict):
    """The body of a request: RemovePost."""

    reason: NotRequired[str | None]


class ReportChatMessage(TypedDict):
    """The body of a request: ReportChatMessage."""

    reason: NotRequired[str | None]


class SignatureOfStatement(TypedDict):
    """The body of a request: SignatureOfStatement."""

    key: str
    expected_seq: int
    signature: str
    salt: NotRequired[str | None]


class TournamentAnnouncement(TypedDict):
    """What an organiser has said, to all players, or to those of a table of a round."""

    seq: int
    at: str
    player: str
    text: str
    round: int | None
    table: int | None


class TournamentArena(TypedDict):
    """An arena that has begun."""

    ends: str
    resting: list[int]


class TournamentBye(TypedDict):
    """A half-point bye that a player has asked for, in a round that is not drawn yet."""

    player: str
    round: int


class TournamentLineUp(TypedDict):
    """A line-up that was set."""

    round: int
    players: list[str]


class TournamentTeam(TypedDict):
    """A team."""

    captain: str
    name: str
    entrant: int | None
    members: list[str]
    players: list[str]
    line_ups: list[TournamentLineUp]


class TournamentReplacement(TypedDict):
    """A substitute who took the place of another player, with the points of the place."""

    entrant: int
    player: str
    replaces: str
    round: int


class TournamentLateEntry(TypedDict):
    """An entrant who has entered late."""

    entrant: int
    round: int


class TournamentMatch(TypedDict):
    """A match of teams in a round. `points` are null until each of its tables has a result."""

    teams: list[int]
    tables: list[int]
    board_points: list[str] | None
    points: list[str] | None


class TournamentTableSummary(TypedDict):
    """A table of a round: `game` is null for a bye, and `places` until there is a result."""

    players: list[str]
    game: str | None
    places: list[int] | None
    ruling: int | None
    former_games: list[str]


class TournamentRoundSummary(TypedDict):
    """A round that is drawn."""

    round: int
    drawn_at: str
    ends: str
    pairing: str | None
    half_points: list[int]
    closed: bool
    matches: list[TournamentMatch]
    tables: list[TournamentTableSummary]


class TournamentPlaceDecision(TypedDict):
    """What decides that a player comes before the next one: the first tie-break in which they
    differ.
    """

    tie_break: str | None
    value: str
    against: str
    text: str


class TournamentStanding(TypedDict):
    """An entrant in the standings. `tie_breaks` has what decides the places in this format, in
    order.
    """

    place: int
    entrant: int
    player: str
    team: str | None
    tie_breaks: dict[str, str]
    points: str
    wins: int
    played: int
    decision: TournamentPlaceDecision | None


class TournamentIndividual(TypedDict):
    """What a player of a team has scored at boards with opponents."""

    player: str
    entrant: int
    points: str
    played: int
    wins: int


class TournamentDetails(TypedDict):
    """A tournament with its players and rounds. `entrants` are in the order of the lots, and
    after them those who have entered late; before the draw, those who have registered. `handles`
    has the handles of all who are named by their ids, null for those who were erased.
    """

    id: str
    version: int
    name: str
    description: str
    contact: str
    status: str
    organiser: str
    format: JsonObject
    rules: str
    options: JsonObject
    clock: Clock
    private: bool
    least: int
    most: int
    created_at: str
    closes: str
    round_seconds: int
    half_point_byes: int
    late_rounds: int
    late_points: str
    starts_when_full: bool
    clubs: dict[str, str]
    paused_at: str | None
    players: int
    rounds: int
    seq: int
    hash: str
    organisers: list[str]
    entrants: list[str]
    teams: list[TournamentTeam]
    withdrawn: list[int]
    excluded: list[str]
    substitutes: list[str]
    replacements: list[TournamentReplacement]
    byes: list[TournamentBye]
    late: list[TournamentLateEntry]
    announcements: list[TournamentAnnouncement]
    commitment: str
    games_commitment: str
    secret: str | None
    games_secret: str | None
    drawn: list[TournamentRoundSummary]
    arena: TournamentArena | None
    standings: list[list[TournamentStanding]]
    individuals: list[TournamentIndividual]
    handles: dict[str, str | None]


class TournamentSummary(TypedDict):
    """A tournament in a list."""

    id: str
    version: int
    name: str
    description: str
    contact: str
    status: str
    organiser: str
    format: JsonObject
    rules: str
    options: JsonObject
    clock: Clock
    private: bool
    least: int
    most: int
    created_at: str
    closes: str
    round_seconds: int
    half_point_byes: int
    late_rounds: int
    late_points: str
    starts_when_full: bool
    clubs: dict[str, str]
    paused_at: str | None
    players: int
    rounds: int
    seq: int
    hash: str


class TournamentList(TypedDict):
    """A page of tournaments, newest first. `next` is the `cursor` of the next page, or null."""

    tournaments: list[TournamentSummary]
    next: str | None


class WritePost(TypedDict):
    """The body of a request: WritePost."""

    text: str
