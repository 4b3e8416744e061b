"""For accounts with the role of an administrator.

`python -m service.http.client_generator` has written this file.
"""

from typing import Any, Literal, NotRequired, TypedDict, Unpack

from client.groups.shared import (
    Announcement,
    NotificationDelivery,
    ProcessState,
    TournamentDetails,
    TournamentList,
)
from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment
from client.results import GamePage
from domain.json_types import JsonObject


class AdministeredPlayer(TypedDict):
    """An account as administrators see it."""

    id: str
    handle: str
    created: str
    email: str | None
    locale: str | None
    guest: bool
    bot: str | None
    role: str | None
    suspended_at: str | None
    suspension_reason: str | None


class AdministeredPlayerList(TypedDict):
    """A page of accounts."""

    players: list[AdministeredPlayer]
    next: str | None


class AdministrationEntry(TypedDict):
    """An entry of the administration log."""

    seq: int
    at: str
    administrator: str
    operation: str
    details: dict[str, Any]
    prev: str
    hash: str


class AdministrationLogPage(TypedDict):
    """A page of the administration log."""

    entries: list[AdministrationEntry]
    next: int | None


class Announce(TypedDict):
    """The body of a request: Announce."""

    reason: str
    texts: Any
    ends: str


class ChatMessageReport(TypedDict):
    """What a player has reported about message or comment `number` of a game, or post of a club
    or of a tournament. `of` tells them apart; of `game`, `club` and `tournament`, two are null.
    `text` and `reason` are null if erased.
    """

    id: str
    game: str | None
    club: str | None
    tournament: str | None
    number: int
    author: str
    reporter: str
    at: str
    text: str | None
    reason: str | None
    of: str


class ChatMessageReportList(TypedDict):
    """A page of the open reports of messages, the oldest first."""

    reports: list[ChatMessageReport]
    next: str | None


class Decision(TypedDict):
    """The events that were appended to the log of the game."""

    events: list[JsonObject]


class ExcludeRating(TypedDict):
    """The body of a request: ExcludeRating."""

    reason: str


class ExtendDeadline(TypedDict):
    """The body of a request: ExtendDeadline."""

    reason: str
    seconds: int


class GrantRole(TypedDict):
    """The body of a request: GrantRole."""

    reason: str
    role: NotRequired[Literal["admin", "organiser"]]


class MoveOfSeat(TypedDict):
    """The body of a request: MoveOfSeat."""

    reason: str
    seat: int
    player: str


class NewPassword(TypedDict):
    """The new password of a player."""

    password: str


class RemovalOfSeat(TypedDict):
    """The body of a request: RemovalOfSeat."""

    reason: str
    seat: int


class RenameClub(TypedDict):
    """The body of a request: RenameClub."""

    name: str
    reason: str


class Suspend(TypedDict):
    """The body of a request: Suspend."""

    reason: str


class WithReason(TypedDict):
    """The body of a request: WithReason."""

    reason: str


class Work(TypedDict):
    """What is pending, and what has failed. Jobs are counted by queue, as the scheduler last
    reported them. `overdue_milliseconds` is for how long the earliest deadline has passed that
    has not taken effect; `damaged_games` has the reasons by game and part.
    """

    status: str
    version: str
    missing: list[str]
    processes: list[ProcessState]
    waiting_jobs: dict[str, int]
    failed_jobs: dict[str, int]
    overdue_milliseconds: int | None
    waiting_deliveries: list[NotificationDelivery]
    failed_deliveries: list[NotificationDelivery]
    damaged_games: dict[str, dict[str, str]]


def search_players(
    *, handle: str | None = None, cursor: str | None = None, limit: int | None = None
) -> Call[AdministeredPlayerList]:
    """Search the players by the beginning of their handles."""
    return call(
        "GET",
        "/admin/players",
        reader(AdministeredPlayerList),
        params={"handle": handle, "cursor": cursor, "limit": limit},
    )


def get_administered_player(id: str, /) -> Call[AdministeredPlayer]:
    """Get the account of a player."""
    return call("GET", f"/admin/players/{segment(id)}", reader(AdministeredPlayer))


def delete_player(id: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """Erase a player, as `DELETE /me` does. An administrator or a bot cannot be erased (409)."""
    return call("DELETE", f"/admin/players/{segment(id)}", read_nothing, body=body)


def reset_password(id: str, /, **body: Unpack[WithReason]) -> Call[NewPassword]:
    """Give a player a new, random password, and end all their sessions.

    If the account has no password, the response is a 409.
    """
    return call("POST", f"/admin/players/{segment(id)}/password", reader(NewPassword), body=body)


def end_sessions_of_player(id: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """End all sessions of a player."""
    return call("DELETE", f"/admin/players/{segment(id)}/sessions", read_nothing, body=body)


def suspend_player(id: str, /, **body: Unpack[Suspend]) -> Call[None]:
    """Suspend an account.

    The player's games go on, and their clocks run. An administrator cannot be suspended (409).
    """
    return call("PUT", f"/admin/players/{segment(id)}/suspension", read_nothing, body=body)


def end_suspension(id: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """End the suspension of an account."""
    return call("DELETE", f"/admin/players/{segment(id)}/suspension", read_nothing, body=body)


def grant_role(id: str, /, **body: Unpack[GrantRole]) -> Call[None]:
    """Give a player a role, instead of the one that they have.

    `organiser` is that of who may create tournaments, as administrators may too. A guest or a bot
    cannot have one (409).
    """
    return call("PUT", f"/admin/players/{segment(id)}/role", read_nothing, body=body)


def revoke_role(id: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """Take the role of a player away."""
    return call("DELETE", f"/admin/players/{segment(id)}/role", read_nothing, body=body)


def search_games(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    status: str | None = None,
    player: str | None = None,
) -> Call[GamePage]:
    """List the games of a status or of a player, also private ones."""
    return call(
        "GET",
        "/admin/games",
        reader(GamePage),
        params={"cursor": cursor, "limit": limit, "status": status, "player": player},
    )


def remove_seat(game: str, /, **body: Unpack[RemovalOfSeat]) -> Call[Decision]:
    """Remove a seat from a game in progress, as if the player had resigned."""
    return call("POST", f"/admin/games/{segment(game)}/removals", reader(Decision), body=body)


def move_seat(game: str, /, **body: Unpack[MoveOfSeat]) -> Call[Decision]:
    """Give the seat of a person in a game in progress to another account.

    The former player sees the game as a stranger does from then on. A seat of a bot, an account
    that has or had a seat in the game, and an account that is suspended or that of a bot are
    refused (409).
    """
    return call("POST", f"/admin/games/{segment(game)}/seat-moves", reader(Decision), body=body)


def abandon_game(game: str, /, **body: Unpack[WithReason]) -> Call[Decision]:
    """End a game without a ranking, and publish its secret."""
    return call("POST", f"/admin/games/{segment(game)}/abandonment", reader(Decision), body=body)


def extend_deadline(game: str, /, **body: Unpack[ExtendDeadline]) -> Call[Decision]:
    """Extend the deadline of the turn under way by a number of seconds."""
    return call("POST", f"/admin/games/{segment(game)}/extensions", reader(Decision), body=body)


def exclude_rating(game: str, /, **body: Unpack[ExcludeRating]) -> Call[None]:
    """Rule that a finished game does not count for the ratings, which are computed again without
    it.

    A game that is not rated, was not finished or is excluded already is refused (409).
    """
    return call("PUT", f"/admin/games/{segment(game)}/rating-exclusion", read_nothing, body=body)


def include_rating(game: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """Take back that a game does not count for the ratings. A game that is not excluded is a
    404.
    """
    return call("DELETE", f"/admin/games/{segment(game)}/rating-exclusion", read_nothing, body=body)


def get_work() -> Call[Work]:
    """Get an overview of what the service still has to do, and what has failed."""
    return call("GET", "/admin/work", reader(Work))


def resend_delivery(delivery: str, /, **body: Unpack[WithReason]) -> Call[NotificationDelivery]:
    """Send the notification of a delivery that has ended again.

    If the delivery has not ended, the response is a 409.
    """
    return call(
        "POST",
        f"/admin/deliveries/{segment(delivery)}/attempts",
        reader(NotificationDelivery),
        body=body,
    )


def cancel_delivery(delivery: str, /, **body: Unpack[WithReason]) -> Call[NotificationDelivery]:
    """Cancel a delivery that has not ended. If it has, the response is a 409."""
    return call(
        "POST",
        f"/admin/deliveries/{segment(delivery)}/cancellation",
        reader(NotificationDelivery),
        body=body,
    )


def list_message_reports(
    *, cursor: str | None = None, limit: int | None = None
) -> Call[ChatMessageReportList]:
    """List the open reports of messages that players have written within games."""
    return call(
        "GET",
        "/admin/reports",
        reader(ChatMessageReportList),
        params={"cursor": cursor, "limit": limit},
    )


def close_message_report(report: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """Close a report of a message."""
    return call("DELETE", f"/admin/reports/{segment(report)}", read_nothing, body=body)


def remove_comment(game: str, number: int, /, **body: Unpack[WithReason]) -> Call[None]:
    """Erase a comment of any player on a game."""
    return call(
        "DELETE",
        f"/admin/games/{segment(game)}/comments/{segment(number)}",
        read_nothing,
        body=body,
    )


def rename_club(club: str, /, **body: Unpack[RenameClub]) -> Call[None]:
    """Give a club another name. A name that looks like that of another public club is a 409."""
    return call("PUT", f"/admin/clubs/{segment(club)}/name", read_nothing, body=body)


def remove_post(club: str, number: int, /, **body: Unpack[WithReason]) -> Call[None]:
    """Erase a post of any player on the wall of a club."""
    return call(
        "DELETE", f"/admin/clubs/{segment(club)}/posts/{segment(number)}", read_nothing, body=body
    )


def remove_tournament_post(
    tournament: str, number: int, /, **body: Unpack[WithReason]
) -> Call[None]:
    """Erase a post of any player in the conversation of a tournament."""
    return call(
        "DELETE",
        f"/admin/tournaments/{segment(tournament)}/posts/{segment(number)}",
        read_nothing,
        body=body,
    )


def close_club_for_all(club: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """Close a club for ever. Its games go on."""
    return call("DELETE", f"/admin/clubs/{segment(club)}", read_nothing, body=body)


def search_tournaments(
    *, cursor: str | None = None, limit: int | None = None, status: str | None = None
) -> Call[TournamentList]:
    """List the tournaments of a status, also private ones."""
    return call(
        "GET",
        "/admin/tournaments",
        reader(TournamentList),
        params={"cursor": cursor, "limit": limit, "status": status},
    )


def get_administered_tournament(tournament: str, /) -> Call[TournamentDetails]:
    """Get a tournament, also one that is private, with its players, rounds and standings."""
    return call("GET", f"/admin/tournaments/{segment(tournament)}", reader(TournamentDetails))


def cancel_tournament_for_all(
    tournament: str, /, **body: Unpack[WithReason]
) -> Call[TournamentDetails]:
    """Cancel a tournament, also one that is private. Its games go on. One that is over is a 409."""
    return call(
        "POST",
        f"/admin/tournaments/{segment(tournament)}/cancellation",
        reader(TournamentDetails),
        body=body,
    )


def announce(**body: Unpack[Announce]) -> Call[Announcement]:
    """Announce something to everybody: every page shows the text until it ends.

    If there are five announcements already, the response is a 409.
    """
    return call("POST", "/admin/announcements", reader(Announcement), body=body)


def withdraw_announcement(announcement: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """Withdraw an announcement before its end."""
    return call("DELETE", f"/admin/announcements/{segment(announcement)}", read_nothing, body=body)


def delete_import_as_administrator(imported: str, /, **body: Unpack[WithReason]) -> Call[None]:
    """Delete a record that a player has uploaded."""
    return call("DELETE", f"/admin/imports/{segment(imported)}", read_nothing, body=body)


def get_administration_log(
    *, after: int | None = None, limit: int | None = None
) -> Call[AdministrationLogPage]:
    """Get the administration log: every operation of an administrator, in order.

    Entries are chained by hashes, like the events of a game.
    """
    return call(
        "GET", "/admin/log", reader(AdministrationLogPage), params={"after": after, "limit": limit}
    )


class AdministrationCalls(Group[C_co]):
    """For accounts with the role of an administrator."""

    search_players = Method(search_players)
    get_administered_player = Method(get_administered_player)
    delete_player = Method(delete_player)
    reset_password = Method(reset_password)
    end_sessions_of_player = Method(end_sessions_of_player)
    suspend_player = Method(suspend_player)
    end_suspension = Method(end_suspension)
    grant_role = Method(grant_role)
    revoke_role = Method(revoke_role)
    search_games = Method(search_games)
    remove_seat = Method(remove_seat)
    move_seat = Method(move_seat)
    abandon_game = Method(abandon_game)
    extend_deadline = Method(extend_deadline)
    exclude_rating = Method(exclude_rating)
    include_rating = Method(include_rating)
    get_work = Method(get_work)
    resend_delivery = Method(resend_delivery)
    cancel_delivery = Method(cancel_delivery)
    list_message_reports = Method(list_message_reports)
    close_message_report = Method(close_message_report)
    remove_comment = Method(remove_comment)
    rename_club = Method(rename_club)
    remove_post = Method(remove_post)
    remove_tournament_post = Method(remove_tournament_post)
    close_club_for_all = Method(close_club_for_all)
    search_tournaments = Method(search_tournaments)
    get_administered_tournament = Method(get_administered_tournament)
    cancel_tournament_for_all = Method(cancel_tournament_for_all)
    announce = Method(announce)
    withdraw_announcement = Method(withdraw_announcement)
    delete_import = Method(delete_import_as_administrator)
    get_log = Method(get_administration_log)
