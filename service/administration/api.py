"""What administrators see and do. Every operation is recorded (service/administration)."""

from collections.abc import Callable

from domain.event import Event
from domain.json_types import JsonObject
from domain.tournaments.tournament import TOURNAMENT_STATUSES, Tournament
from service.administration.schemas import (
    AdministeredPlayer,
    AdministeredPlayerList,
    AdministrationLogPage,
    Announce,
    Announcement,
    AnnouncementList,
    ChatMessageReportList,
    ChatMessageReportsQuery,
    Decision,
    ExcludeRating,
    ExtendDeadline,
    GrantRole,
    LogQuery,
    MoveOfSeat,
    NewPassword,
    RemovalOfSeat,
    RenameClub,
    SearchGames,
    SearchPlayers,
    SearchTournaments,
    Suspend,
    WithReason,
    Work,
)
from service.games.listings import STATUSES, parse_statuses
from service.http.blueprint import Blueprint, View
from service.http.context import service
from service.http.language import request_language, request_renderer
from service.http.responses import game_summaries, tournament_details, tournament_summary
from service.http.schemas.responses import GameList
from service.notifications.schemas import NotificationDelivery
from service.tournaments.schemas import TournamentDetails, TournamentList

blueprint = Blueprint(
    "administration", "For accounts with the role of an administrator.", auth="administrators_only"
)


@blueprint.get(
    "/admin/players",
    "A page of accounts, by handle.",
    AdministeredPlayerList,
    query=SearchPlayers(),
)
def search_players(player: str, query: JsonObject) -> JsonObject:
    """Search the players by the beginning of their handles."""
    accounts, cursor = service().administration.search_players(
        player, query["handle"], query["cursor"], query["limit"]
    )
    return {"players": [account.as_json() for account in accounts], "next": cursor}


@blueprint.get("/admin/players/<id>", "The account.", AdministeredPlayer, ignores_query=True)
def get_administered_player(player: str, id: str) -> JsonObject:
    """Get the account of a player."""
    return service().administration.player(player, id).as_json()


@blueprint.post(
    "/admin/players/<id>/password",
    "The new password, which is shown only here.",
    NewPassword,
    json_body=WithReason(),
    errors=(409,),
)
def reset_password(player: str, id: str, body: JsonObject) -> JsonObject:
    """Give a player a new, random password, and end all their sessions.

    If the account has no password, the response is a 409.
    """
    password = service().administration.reset_password(player, id, **body)
    return {"password": password}


@blueprint.delete(
    "/admin/players/<id>/sessions", "All sessions of the player have ended.", json_body=WithReason()
)
def end_sessions_of_player(player: str, id: str, body: JsonObject) -> None:
    """End all sessions of a player."""
    service().administration.end_sessions(player, id, **body)


@blueprint.put(
    "/admin/players/<id>/suspension",
    "The player cannot log in, and all sessions have ended.",
    json_body=Suspend(),
    errors=(409,),
)
def suspend_player(player: str, id: str, body: JsonObject) -> None:
    """Suspend an account.

    The player's games go on, and their clocks run. An administrator cannot be suspended (409).
    """
    service().administration.suspend(player, id, **body)


@blueprint.delete(
    "/admin/players/<id>/suspension", "The player can log in.", json_body=WithReason()
)
def end_suspension(player: str, id: str, body: JsonObject) -> None:
    """End the suspension of an account."""
    service().administration.end_suspension(player, id, **body)


@blueprint.delete(
    "/admin/players/<id>", "The player is erased.", json_body=WithReason(), errors=(409,)
)
def delete_player(player: str, id: str, body: JsonObject) -> None:
    """Erase a player, as `DELETE /me` does. An administrator or a bot cannot be erased (409)."""
    service().administration.delete_player(player, id, **body)


@blueprint.put(
    "/admin/players/<id>/role", "The player has the role.", json_body=GrantRole(), errors=(409,)
)
def grant_role(player: str, id: str, body: JsonObject) -> None:
    """Give a player a role, instead of the one that they have.

    `organiser` is that of who may create tournaments, as administrators may too. A guest or a bot cannot
    have one (409).
    """
    service().administration.set_role(player, id, body["role"], body["reason"])


@blueprint.delete("/admin/players/<id>/role", "The player has no role.", json_body=WithReason())
def revoke_role(player: str, id: str, body: JsonObject) -> None:
    """Take the role of a player away."""
    service().administration.set_role(player, id, None, body["reason"])


@blueprint.get(
    "/admin/games",
    "A page of games, private ones included, newest first.",
    GameList,
    query=SearchGames(),
)
def search_games(player: str, query: JsonObject) -> JsonObject:
    """List the games of a status or of a player, also private ones."""
    page = service().administration.search_games(
        player,
        parse_statuses(query["status"], STATUSES),
        query["player"],
        query["cursor"],
        query["limit"],
    )
    summaries = service().games.queries.summaries(page.games)
    games = game_summaries([summary for summary in summaries if summary is not None])
    return {"games": games, "next": page.first(len(summaries)).next}


def _post_decision(
    rule: str, json_body: WithReason, description: str = "The decision, and what follows from it."
) -> Callable[[View], View]:
    """Register a view with which an administrator decides something in a game."""
    rule = f"/admin/games/<game>/{rule}"
    return blueprint.post(rule, description, Decision, json_body=json_body, errors=(409,))


@_post_decision("removals", RemovalOfSeat())
def remove_seat(player: str, game: str, body: JsonObject) -> JsonObject:
    """Remove a seat from a game in progress, as if the player had resigned."""
    return _decided(service().administration.remove_seat(player, game, **body))


@_post_decision("seat-moves", MoveOfSeat())
def move_seat(player: str, game: str, body: JsonObject) -> JsonObject:
    """Give the seat of a person in a game in progress to another account.

    The former player sees the game as a stranger does from then on. A seat of a bot, an account that has or
    had a seat in the game, and an account that is suspended or that of a bot are refused (409).
    """
    events = service().administration.move_seat(
        player, game, body["seat"], body["player"], body["reason"]
    )
    return _decided(events)


@_post_decision("abandonment", WithReason())
def abandon_game(player: str, game: str, body: JsonObject) -> JsonObject:
    """End a game without a ranking, and publish its secret."""
    return _decided(service().administration.abandon(player, game, **body))


@_post_decision("extensions", ExtendDeadline(), "The decision.")
def extend_deadline(player: str, game: str, body: JsonObject) -> JsonObject:
    """Extend the deadline of the turn under way by a number of seconds."""
    return _decided(service().administration.extend_deadline(player, game, **body))


@blueprint.put(
    "/admin/games/<game>/rating-exclusion",
    "The game is excluded. The ratings without it follow.",
    json_body=ExcludeRating(),
    errors=(409,),
)
def exclude_rating(player: str, game: str, body: JsonObject) -> None:
    """Rule that a finished game does not count for the ratings, which are computed again without it.

    A game that is not rated, was not finished or is excluded already is refused (409).
    """
    service().administration.exclude_rating(player, game, **body)


@blueprint.delete(
    "/admin/games/<game>/rating-exclusion", "The game counts again.", json_body=WithReason()
)
def include_rating(player: str, game: str, body: JsonObject) -> None:
    """Take back that a game does not count for the ratings. A game that is not excluded is a 404."""
    service().administration.include_rating(player, game, **body)


@blueprint.get("/admin/work", "What is pending, and what has failed.", Work)
def get_work(player: str) -> JsonObject:
    """Get an overview of what the service still has to do, and what has failed."""
    return service().administration.work(player, request_renderer().sentence)


@blueprint.post(
    "/admin/deliveries/<delivery>/attempts",
    "The delivery, which is due now.",
    NotificationDelivery,
    json_body=WithReason(),
    errors=(409,),
)
def resend_delivery(player: str, delivery: str, body: JsonObject) -> JsonObject:
    """Send the notification of a delivery that has ended again.

    If the delivery has not ended, the response is a 409.
    """
    current = service().administration.resend_delivery(player, delivery, **body)
    return current.as_json(request_renderer().sentence)


@blueprint.post(
    "/admin/deliveries/<delivery>/cancellation",
    "The delivery, which is cancelled.",
    NotificationDelivery,
    json_body=WithReason(),
    status=200,
    errors=(409,),
)
def cancel_delivery(player: str, delivery: str, body: JsonObject) -> JsonObject:
    """Cancel a delivery that has not ended. If it has, the response is a 409."""
    current = service().administration.cancel_delivery(player, delivery, **body)
    return current.as_json(request_renderer().sentence)


@blueprint.get(
    "/admin/reports",
    "A page of reports, the oldest first.",
    ChatMessageReportList,
    query=ChatMessageReportsQuery(),
)
def list_message_reports(player: str, query: JsonObject) -> JsonObject:
    """List the open reports of messages that players have written within games."""
    reports, cursor = service().administration.chat_message_reports(player, **query)
    return {"reports": [report.as_json() for report in reports], "next": cursor}


@blueprint.delete("/admin/reports/<report>", "The report is closed.", json_body=WithReason())
def close_message_report(player: str, report: str, body: JsonObject) -> None:
    """Close a report of a message."""
    service().administration.close_message_report(player, report, **body)


@blueprint.delete(
    "/admin/games/<game>/comments/<int:number>", "The comment is erased.", json_body=WithReason()
)
def remove_comment(player: str, game: str, number: int, body: JsonObject) -> None:
    """Erase a comment of any player on a game."""
    service().administration.remove_comment(player, game, number, **body)


@blueprint.put(
    "/admin/clubs/<club>/name", "The club has this name.", json_body=RenameClub(), errors=(409,)
)
def rename_club(player: str, club: str, body: JsonObject) -> None:
    """Give a club another name. A name that looks like that of another public club is a 409."""
    service().administration.rename_club(player, club, **body)


@blueprint.delete(
    "/admin/clubs/<club>/posts/<int:number>", "The post is erased.", json_body=WithReason()
)
def remove_post(player: str, club: str, number: int, body: JsonObject) -> None:
    """Erase a post of any player on the wall of a club."""
    service().administration.remove_post(player, club, number, **body)


@blueprint.delete(
    "/admin/tournaments/<tournament>/posts/<int:number>",
    "The post is erased.",
    json_body=WithReason(),
)
def remove_tournament_post(player: str, tournament: str, number: int, body: JsonObject) -> None:
    """Erase a post of any player in the conversation of a tournament."""
    service().administration.remove_tournament_post(player, tournament, number, **body)


@blueprint.delete("/admin/clubs/<club>", "The club is closed.", json_body=WithReason())
def close_club_for_all(player: str, club: str, body: JsonObject) -> None:
    """Close a club for ever. Its games go on."""
    service().administration.close_club(player, club, **body)


@blueprint.get(
    "/admin/tournaments",
    "A page of tournaments, private ones included, newest first.",
    TournamentList,
    query=SearchTournaments(),
)
def search_tournaments(player: str, query: JsonObject) -> JsonObject:
    """List the tournaments of a status, also private ones."""
    found, cursor = service().administration.search_tournaments(
        player,
        parse_statuses(query["status"], TOURNAMENT_STATUSES),
        query["cursor"],
        query["limit"],
    )
    return {"tournaments": [tournament_summary(each) for each in found], "next": cursor}


@blueprint.get("/admin/tournaments/<tournament>", "The tournament.", TournamentDetails)
def get_administered_tournament(player: str, tournament: str) -> JsonObject:
    """Get a tournament, also one that is private, with its players, rounds and standings."""
    return _details(service().administration.tournament(player, tournament))


@blueprint.post(
    "/admin/tournaments/<tournament>/cancellation",
    "The tournament.",
    TournamentDetails,
    json_body=WithReason(),
    status=200,
    errors=(409,),
)
def cancel_tournament_for_all(player: str, tournament: str, body: JsonObject) -> JsonObject:
    """Cancel a tournament, also one that is private. Its games go on. One that is over is a 409."""
    return _details(service().administration.cancel_tournament(player, tournament, **body))


@blueprint.get(
    "/announcements",
    "The announcements that have not ended.",
    AnnouncementList,
    auth="optional_auth",
)
def list_announcements(player: str | None) -> JsonObject:
    """List what the administrators announce to everybody.

    A new announcement appears within seconds.
    """
    language = request_language()
    announcements = [one.as_json(language) for one in service().announcements.current()]
    return {"announcements": announcements, "next": None}


@blueprint.post(
    "/admin/announcements", "The announcement.", Announcement, json_body=Announce(), errors=(409,)
)
def announce(player: str, body: JsonObject) -> JsonObject:
    """Announce something to everybody: every page shows the text until it ends.

    If there are five announcements already, the response is a 409.
    """
    announcement = service().administration.announce(player, **body)
    return announcement.as_json(request_language())


@blueprint.delete(
    "/admin/announcements/<announcement>", "The announcement is withdrawn.", json_body=WithReason()
)
def withdraw_announcement(player: str, announcement: str, body: JsonObject) -> None:
    """Withdraw an announcement before its end."""
    service().administration.withdraw_announcement(player, announcement, **body)


@blueprint.delete("/admin/imports/<imported>", "The record is deleted.", json_body=WithReason())
def delete_import_as_administrator(player: str, imported: str, body: JsonObject) -> None:
    """Delete a record that a player has uploaded."""
    service().administration.delete_import(player, imported, **body)


@blueprint.get(
    "/admin/log",
    "A page of the log, the oldest entry first.",
    AdministrationLogPage,
    query=LogQuery(),
)
def get_administration_log(player: str, query: JsonObject) -> JsonObject:
    """Get the administration log: every operation of an administrator, in order.

    Entries are chained by hashes, like the events of a game.
    """
    entries = service().administration.log_page(player, **query)
    cursor = entries[-1]["seq"] if len(entries) == query["limit"] else None
    return {"entries": entries, "next": cursor}


def _details(tournament: Tournament) -> JsonObject:
    handles = service().tournaments.tournaments.handles
    return tournament_details(tournament, handles, request_renderer())


def _decided(events: tuple[Event, ...]) -> JsonObject:
    return {"events": events}
