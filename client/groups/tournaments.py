"""The conversations of tournaments.

`python -m service.http.client_generator` has written this file.
"""

from typing import Any, Literal, NotRequired, TypedDict, Unpack

from client.groups.shared import (
    Post,
    PostList,
    RemovePost,
    ReportChatMessage,
    TournamentDetails,
    TournamentIndividual,
    TournamentList,
    TournamentStanding,
    WritePost,
)
from client.methods import C_co, Group, Method
from client.requests import Call, call, long_call, new_key, read_nothing, reader, segment
from domain.json_types import JsonObject


class ByPlayer(TypedDict):
    """A player, before there are seats."""

    player: str


class ChangeTournament(TypedDict):
    """The body of a request: ChangeTournament."""

    type: Literal[
        "AnnouncementMade",
        "ClosingDateChanged",
        "OrganiserDismissed",
        "OrganiserNamed",
        "PairingsAllowed",
        "PairingsProhibited",
        "ReviewChanged",
        "RoundExtended",
        "RoundReleased",
        "SeedingChanged",
        "TableReplayed",
        "TableRuled",
        "TextsChanged",
        "TournamentPaused",
        "TournamentResumed",
    ]
    reason: NotRequired[str]
    data: NotRequired[Any]


class CreateTournament(TypedDict):
    """The body of a request: CreateTournament."""

    name: str
    description: NotRequired[str]
    format: Any
    rules: str
    options: NotRequired[JsonObject]
    clock: JsonObject
    private: NotRequired[bool]
    least: NotRequired[int]
    most: NotRequired[int]
    closes: str
    round_seconds: int
    contact: NotRequired[str]
    half_point_byes: NotRequired[int]
    late_rounds: NotRequired[int]
    late_points: NotRequired[Literal["0", "1/2"]]
    starts_when_full: NotRequired[bool]
    invite: NotRequired[list[str]]


class EnterTeam(TypedDict):
    """The body of a request: EnterTeam."""

    name: str
    members: list[str]
    nonce: NotRequired[str | None]


class NameCaptain(TypedDict):
    """The body of a request: NameCaptain."""

    handle: str


class RegisterInTournament(TypedDict):
    """The body of a request: RegisterInTournament."""

    nonce: NotRequired[str | None]


class ReplaceEntrant(TypedDict):
    """The body of a request: ReplaceEntrant."""

    entrant: str
    substitute: str


class SetLineUp(TypedDict):
    """The body of a request: SetLineUp."""

    players: list[str]


class TournamentsBySystemOfTournament(TypedDict):
    """A part of the server."""

    system: str


class TournamentsTournamentEvent(TypedDict):
    """An event of a tournament as the log stores it."""

    v: int
    tournament: str
    seq: int
    type: str
    at: str
    by: ByPlayer | TournamentsBySystemOfTournament
    data: JsonObject
    prev: str
    hash: str


class TournamentEventList(TypedDict):
    """A page of the events of a tournament. `next` is the `after` of the next page, or null."""

    events: list[TournamentsTournamentEvent]
    next: int | None


class TournamentReceipt(TypedDict):
    """The server's confirmation that a player takes part, after the event with this hash."""

    sign: str
    tournament: str
    seq: int
    hash: str
    player: str
    at: str
    key: str
    signature: str


class TournamentRegistration(TypedDict):
    """The tournament, and the receipt for taking part in it."""

    tournament: TournamentDetails
    receipt: TournamentReceipt


class TournamentStandings(TypedDict):
    """The standings of each group or division, the best first. `final`: they cannot change any
    more.
    """

    final: bool
    groups: list[list[TournamentStanding]]
    individuals: list[TournamentIndividual]


def list_tournament_posts(
    id: str, /, *, after: int | None = None, limit: int | None = None
) -> Call[PostList]:
    """List the posts in the conversation of a tournament, which everybody reads who may see the
    tournament.

    A certain number of posts is kept, which is a setting of the server: the first page begins with
    the oldest that is kept.
    """
    return call(
        "GET",
        f"/tournaments/{segment(id)}/posts",
        reader(PostList),
        params={"after": after, "limit": limit},
    )


def write_tournament_post(id: str, /, **body: Unpack[WritePost]) -> Call[Post]:
    """Write a post in the conversation of a tournament, as one of its players or organisers."""
    return call("POST", f"/tournaments/{segment(id)}/posts", reader(Post), body=body)


def erase_tournament_post(id: str, number: int, /, **body: Unpack[RemovePost]) -> Call[None]:
    """Erase a post: the player's own or, with a reason, one of another player, as an organiser.

    In the latter case, a post that was erased already is a 409.
    """
    return call(
        "DELETE", f"/tournaments/{segment(id)}/posts/{segment(number)}", read_nothing, body=body
    )


def report_tournament_post(
    id: str, number: int, /, **body: Unpack[ReportChatMessage]
) -> Call[None]:
    """Report a post of another player to the administrators of the server.

    They see its text, also if it is erased afterwards, and who has reported it. The request can be
    repeated; only the first one counts.
    """
    return call(
        "POST",
        f"/tournaments/{segment(id)}/posts/{segment(number)}/report",
        read_nothing,
        body=body,
    )


def list_tournaments(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    status: str | None = None,
    mine: bool | None = None,
    club: str | None = None,
) -> Call[TournamentList]:
    """List the tournaments that the viewer may see, newest first.

    A page may have fewer of them than `limit`, and still a next page.
    """
    return call(
        "GET",
        "/tournaments",
        reader(TournamentList),
        params={"cursor": cursor, "limit": limit, "status": status, "mine": mine, "club": club},
    )


def create_tournament(
    *, idempotency_key: str | None = None, **body: Unpack[CreateTournament]
) -> Call[TournamentDetails]:
    """Create a tournament, as an organiser, an administrator, or the owner of the club in
    `options`.

    The server draws two secrets and publishes commitments to them: of the lots and tables, and of
    the games.
    """
    return call(
        "POST", "/tournaments", reader(TournamentDetails), body=body, key=new_key(idempotency_key)
    )


def get_tournament(id: str, /) -> Call[TournamentDetails]:
    """Get a tournament with its players, rounds and standings."""
    return call("GET", f"/tournaments/{segment(id)}", reader(TournamentDetails))


def register_in_tournament(
    id: str, /, **body: Unpack[RegisterInTournament]
) -> Call[TournamentRegistration]:
    """Take part in a tournament; in one that is in progress late, if that is possible, or as a
    substitute.

    Substitutes get the places of players who withdraw, in the order of registering. `nonce` has up
    to 64 random bytes, by which nobody else can arrange the draw. A player who lacks what the
    tournament requires gets a 403 with what is missing, and a 409 if there is no room or it is
    over.
    """
    return call(
        "PUT", f"/tournaments/{segment(id)}/players/me", reader(TournamentRegistration), body=body
    )


def withdraw_from_tournament(id: str, /) -> Call[None]:
    """Withdraw from a tournament, from the next round on. Games go on: a player resigns in each
    of them.
    """
    return call("DELETE", f"/tournaments/{segment(id)}/players/me", read_nothing)


def enter_team(id: str, /, **body: Unpack[EnterTeam]) -> Call[TournamentRegistration]:
    """Enter a team as its captain; change it while registration is open.

    Those who are named have to join it. Who is not named any more leaves it.
    """
    return call(
        "PUT", f"/tournaments/{segment(id)}/teams/mine", reader(TournamentRegistration), body=body
    )


def join_team(
    id: str, handle: str, /, **body: Unpack[RegisterInTournament]
) -> Call[TournamentRegistration]:
    """Join the team of the captain with this handle, who has named the player.

    Leave it as a player leaves a tournament. A captain who leaves withdraws the team.
    """
    return call(
        "PUT",
        f"/tournaments/{segment(id)}/teams/{segment(handle)}/players/me",
        reader(TournamentRegistration),
        body=body,
    )


def set_line_up(
    id: str, handle: str, round: int, /, **body: Unpack[SetLineUp]
) -> Call[TournamentDetails]:
    """Set who plays at the boards from the next round on, as the captain with this handle or an
    organiser.

    It is set before the round before ends, and stands until another one is set.
    """
    return call(
        "PUT",
        f"/tournaments/{segment(id)}/teams/{segment(handle)}/line-ups/{segment(round)}",
        reader(TournamentDetails),
        body=body,
    )


def name_captain(id: str, handle: str, /, **body: Unpack[NameCaptain]) -> Call[TournamentDetails]:
    """Hand a team on to another of its players, as the captain with this handle or an organiser.

    The former captain stays in the team.
    """
    return call(
        "PUT",
        f"/tournaments/{segment(id)}/teams/{segment(handle)}/captain",
        reader(TournamentDetails),
        body=body,
    )


def request_bye(id: str, round: int, /) -> Call[None]:
    """Ask in advance for half a point instead of a table in a round, if the tournament has such
    byes.
    """
    return call("PUT", f"/tournaments/{segment(id)}/byes/{segment(round)}", read_nothing)


def cancel_bye(id: str, round: int, /) -> Call[None]:
    """Play in a round after all, as long as it could still be asked for."""
    return call("DELETE", f"/tournaments/{segment(id)}/byes/{segment(round)}", read_nothing)


def take_break(id: str, /) -> Call[None]:
    """Take a break in an arena: no further table until it ends. A game that has begun goes on,
    and counts.
    """
    return call("PUT", f"/tournaments/{segment(id)}/break", read_nothing)


def end_break(id: str, /) -> Call[None]:
    """Go on in an arena, after a break or after having let a game pass."""
    return call("DELETE", f"/tournaments/{segment(id)}/break", read_nothing)


def exclude_from_tournament(id: str, handle: str, /) -> Call[None]:
    """Withdraw another player, as the organiser of the tournament or an administrator."""
    return call("DELETE", f"/tournaments/{segment(id)}/players/{segment(handle)}", read_nothing)


def invite_to_tournament(id: str, handle: str, /) -> Call[None]:
    """Invite a player to a private tournament, as its organiser or an administrator."""
    return call("PUT", f"/tournaments/{segment(id)}/invitations/{segment(handle)}", read_nothing)


def replace_entrant(id: str, /, **body: Unpack[ReplaceEntrant]) -> Call[TournamentDetails]:
    """Give the place of an entrant to a substitute, as the organiser or an administrator.

    The substitute has the points of the entrant, and plays from the next round on.
    """
    return call(
        "POST", f"/tournaments/{segment(id)}/replacements", reader(TournamentDetails), body=body
    )


def cancel_tournament(id: str, /) -> Call[TournamentDetails]:
    """Cancel a tournament, as its organiser or an administrator. Its games go on."""
    return call("POST", f"/tournaments/{segment(id)}/cancellation", reader(TournamentDetails))


def change_tournament(id: str, /, **body: Unpack[ChangeTournament]) -> Call[TournamentDetails]:
    """Change something in a tournament, as its organiser: texts, dates, results and others.

    Each change is an event of the log with its author and its reason, which everybody can read, and
    which audits.
    """
    return call("POST", f"/tournaments/{segment(id)}/changes", reader(TournamentDetails), body=body)


def get_tournament_standings(id: str, /) -> Call[TournamentStandings]:
    """Get the standings after the results that there are."""
    return call("GET", f"/tournaments/{segment(id)}/standings", reader(TournamentStandings))


def list_tournament_events(
    id: str, /, *, after: int | None = None, limit: int | None = None
) -> Call[TournamentEventList]:
    """List the events of a tournament, in order."""
    return call(
        "GET",
        f"/tournaments/{segment(id)}/events",
        reader(TournamentEventList),
        params={"after": after, "limit": limit},
    )


def get_tournament_record(id: str, /) -> Call[bytes]:
    """Get the signed record of a tournament, which `cartulary tournament audit` checks."""
    return long_call(f"/tournaments/{segment(id)}/record")


class TournamentsCalls(Group[C_co]):
    """The conversations of tournaments."""

    list_posts = Method(list_tournament_posts)
    write_post = Method(write_tournament_post)
    erase_post = Method(erase_tournament_post)
    report_post = Method(report_tournament_post)
    list = Method(list_tournaments)
    create = Method(create_tournament)
    get = Method(get_tournament)
    register = Method(register_in_tournament)
    withdraw = Method(withdraw_from_tournament)
    enter_team = Method(enter_team)
    join_team = Method(join_team)
    set_line_up = Method(set_line_up)
    name_captain = Method(name_captain)
    request_bye = Method(request_bye)
    cancel_bye = Method(cancel_bye)
    take_break = Method(take_break)
    end_break = Method(end_break)
    exclude = Method(exclude_from_tournament)
    invite = Method(invite_to_tournament)
    replace_entrant = Method(replace_entrant)
    cancel = Method(cancel_tournament)
    change = Method(change_tournament)
    get_standings = Method(get_tournament_standings)
    list_events = Method(list_tournament_events)
    get_record = Method(get_tournament_record)
