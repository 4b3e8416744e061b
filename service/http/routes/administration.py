"""What administrators see and do. Every operation is recorded (service/administration)."""

from dataclasses import asdict

from flask import Response

from domain.event import Event
from domain.json_types import JsonObject
from service.administration.administration import MAX_PAGE_SIZE
from service.games.listings import parse_statuses
from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import metrics, service
from service.http.language import request_language, request_renderer
from service.http.responses import game_summaries, json_response, no_content
from service.http.schemas.administration import (
    AdministeredPlayer,
    AdministeredPlayerList,
    AdministrationLogPage,
    Announce,
    Announcement,
    AnnouncementList,
    Decision,
    ExtendDeadline,
    LogQuery,
    MessageReportList,
    MessageReportsQuery,
    MoveOfSeat,
    NewPassword,
    RemovalOfSeat,
    SearchGames,
    SearchPlayers,
    Suspend,
    WithReason,
    Work,
)
from service.http.schemas.notifications import NotificationDelivery
from service.http.schemas.responses import GameList

blueprint = Blueprint(
    "administration", __name__, description="For accounts with the role of an administrator."
)


@blueprint.route(
    "GET",
    "/admin/players",
    auth="administrators_only",
    query=SearchPlayers(),
    responses={200: response("A page of accounts, by handle.", AdministeredPlayerList)},
)
def search_players(player: str, query: JsonObject) -> Response:
    """Search the players by the beginning of their handles."""
    accounts, cursor = service().administration.search_players(
        player, query["handle"], query["cursor"], query["limit"]
    )
    return json_response({"players": [account.as_json() for account in accounts], "next": cursor})


@blueprint.route(
    "GET",
    "/admin/players/<id>",
    auth="administrators_only",
    responses={200: response("The account.", AdministeredPlayer)},
    error_responses=(404,),
)
def get_administered_player(player: str, id: str) -> Response:
    """Get the account of a player."""
    return json_response(service().administration.player(player, id).as_json())


@blueprint.route(
    "POST",
    "/admin/players/<id>/password",
    auth="administrators_only",
    json_body=WithReason(),
    responses={201: response("The new password, which is shown only here.", NewPassword)},
    error_responses=(404, 409),
)
def reset_password(player: str, id: str, body: JsonObject) -> Response:
    """Give a player a new, random password, and end all their sessions.

    If the account has no password, the response is a 409.
    """
    password = service().administration.reset_password(player, id, **body)
    return json_response({"password": password}, 201)


@blueprint.route(
    "DELETE",
    "/admin/players/<id>/sessions",
    auth="administrators_only",
    json_body=WithReason(),
    responses={204: response("All sessions of the player have ended.")},
    error_responses=(404,),
)
def end_sessions_of_player(player: str, id: str, body: JsonObject) -> Response:
    """End all sessions of a player."""
    service().administration.end_sessions(player, id, **body)
    return no_content()


@blueprint.route(
    "PUT",
    "/admin/players/<id>/suspension",
    auth="administrators_only",
    json_body=Suspend(),
    responses={204: response("The player cannot log in, and all sessions have ended.")},
    error_responses=(404, 409),
)
def suspend_player(player: str, id: str, body: JsonObject) -> Response:
    """Suspend an account.

    The player's games go on, and their clocks run. An administrator cannot be suspended (409).
    """
    service().administration.suspend(player, id, **body)
    return no_content()


@blueprint.route(
    "DELETE",
    "/admin/players/<id>/suspension",
    auth="administrators_only",
    json_body=WithReason(),
    responses={204: response("The player can log in.")},
    error_responses=(404,),
)
def end_suspension(player: str, id: str, body: JsonObject) -> Response:
    """End the suspension of an account."""
    service().administration.end_suspension(player, id, **body)
    return no_content()


@blueprint.route(
    "DELETE",
    "/admin/players/<id>",
    auth="administrators_only",
    json_body=WithReason(),
    responses={204: response("The player is erased.")},
    error_responses=(404, 409),
)
def delete_player(player: str, id: str, body: JsonObject) -> Response:
    """Erase a player, as `DELETE /me` does. An administrator or a bot cannot be erased (409)."""
    service().administration.delete_player(player, id, **body)
    return no_content()


@blueprint.route(
    "PUT",
    "/admin/players/<id>/role",
    auth="administrators_only",
    json_body=WithReason(),
    responses={204: response("The player is an administrator.")},
    error_responses=(404, 409),
)
def grant_role(player: str, id: str, body: JsonObject) -> Response:
    """Make a player an administrator. A guest or a bot cannot be one (409)."""
    service().administration.set_administrator(player, id, **body, is_administrator=True)
    return no_content()


@blueprint.route(
    "DELETE",
    "/admin/players/<id>/role",
    auth="administrators_only",
    json_body=WithReason(),
    responses={204: response("The player is no administrator.")},
    error_responses=(404,),
)
def revoke_role(player: str, id: str, body: JsonObject) -> Response:
    """Take the role of an administrator away from a player."""
    service().administration.set_administrator(player, id, **body, is_administrator=False)
    return no_content()


@blueprint.route(
    "GET",
    "/admin/games",
    auth="administrators_only",
    query=SearchGames(),
    responses={200: response("A page of games, private ones included, newest first.", GameList)},
)
def search_games(player: str, query: JsonObject) -> Response:
    """List the games of a status or of a player, also private ones."""
    page = service().administration.search_games(
        player,
        parse_statuses(query["status"]),
        query["player"],
        query["cursor"],
        query["limit"],
    )
    summaries = service().queries.summaries(page.games)
    games = game_summaries([summary for summary in summaries if summary is not None])
    return json_response({"games": games, "next": page.first(len(summaries)).next})


@blueprint.route(
    "POST",
    "/admin/games/<game>/removals",
    auth="administrators_only",
    json_body=RemovalOfSeat(),
    responses={201: response("The decision, and what follows from it.", Decision)},
    error_responses=(404, 409),
)
def remove_seat(player: str, game: str, body: JsonObject) -> Response:
    """Remove a seat from a game in progress, as if the player had resigned."""
    return _decided(service().administration.remove_seat(player, game, **body))


@blueprint.route(
    "POST",
    "/admin/games/<game>/seat-moves",
    auth="administrators_only",
    json_body=MoveOfSeat(),
    responses={201: response("The decision, and what follows from it.", Decision)},
    error_responses=(404, 409),
)
def move_seat(player: str, game: str, body: JsonObject) -> Response:
    """Give the seat of a person in a game in progress to another account.

    The former player sees the game as a stranger does from then on. A seat of a bot, an account that has or
    had a seat in the game, and an account that is suspended or that of a bot are refused (409).
    """
    events = service().administration.move_seat(
        player, game, body["seat"], body["player"], body["reason"]
    )
    return _decided(events)


@blueprint.route(
    "POST",
    "/admin/games/<game>/abandonment",
    auth="administrators_only",
    json_body=WithReason(),
    responses={201: response("The decision, and what follows from it.", Decision)},
    error_responses=(404, 409),
)
def abandon_game(player: str, game: str, body: JsonObject) -> Response:
    """End a game without a ranking, and publish its secret."""
    return _decided(service().administration.abandon(player, game, **body))


@blueprint.route(
    "POST",
    "/admin/games/<game>/extensions",
    auth="administrators_only",
    json_body=ExtendDeadline(),
    responses={201: response("The decision.", Decision)},
    error_responses=(404, 409),
)
def extend_deadline(player: str, game: str, body: JsonObject) -> Response:
    """Extend the deadline of the turn under way by a number of seconds."""
    return _decided(service().administration.extend_deadline(player, game, **body))


@blueprint.route(
    "GET",
    "/admin/work",
    auth="administrators_only",
    query=NO_QUERY,
    responses={200: response("What is pending, and what has failed.", Work)},
)
def get_work(player: str) -> Response:
    """Get an overview of what the service still has to do, and what has failed."""
    return json_response(service().administration.work(player, request_renderer().sentence))


@blueprint.route(
    "POST",
    "/admin/deliveries/<delivery>/attempts",
    auth="administrators_only",
    json_body=WithReason(),
    responses={201: response("The delivery, which is due now.", NotificationDelivery)},
    error_responses=(404, 409),
)
def resend_delivery(player: str, delivery: str, body: JsonObject) -> Response:
    """Send the notification of a delivery that has ended again.

    If the delivery has not ended, the response is a 409.
    """
    current = service().administration.resend_delivery(player, delivery, **body)
    return json_response(current.as_json(request_renderer().sentence), 201)


@blueprint.route(
    "GET",
    "/admin/reports",
    auth="administrators_only",
    query=MessageReportsQuery(),
    responses={200: response("A page of reports, the oldest first.", MessageReportList)},
)
def list_message_reports(player: str, query: JsonObject) -> Response:
    """List the open reports of messages that players have written within games."""
    reports, cursor = service().administration.message_reports(
        player, query["cursor"], query["limit"]
    )
    return json_response({"reports": [asdict(report) for report in reports], "next": cursor})


@blueprint.route(
    "DELETE",
    "/admin/reports/<report>",
    auth="administrators_only",
    json_body=WithReason(),
    responses={204: response("The report is closed.")},
    error_responses=(404,),
)
def close_message_report(player: str, report: str, body: JsonObject) -> Response:
    """Close a report of a message."""
    service().administration.close_message_report(player, report, **body)
    return no_content()


@blueprint.route(
    "GET",
    "/announcements",
    auth="optional_auth",
    query=NO_QUERY,
    responses={200: response("The announcements that have not ended.", AnnouncementList)},
)
def list_announcements(player: str | None) -> Response:
    """List what the administrators announce to everybody.

    A new announcement appears within seconds.
    """
    language = request_language()
    announcements = [one.as_json(language) for one in service().announcements.current()]
    return json_response({"announcements": announcements, "next": None})


@blueprint.route(
    "POST",
    "/admin/announcements",
    auth="administrators_only",
    json_body=Announce(),
    responses={201: response("The announcement.", Announcement)},
    error_responses=(409,),
)
def announce(player: str, body: JsonObject) -> Response:
    """Announce something to everybody: every page shows the text until it ends.

    If there are five announcements already, the response is a 409.
    """
    announcement = service().administration.announce(player, **body)
    return json_response(announcement.as_json(request_language()), 201)


@blueprint.route(
    "DELETE",
    "/admin/announcements/<announcement>",
    auth="administrators_only",
    json_body=WithReason(),
    responses={204: response("The announcement is withdrawn.")},
    error_responses=(404,),
)
def withdraw_announcement(player: str, announcement: str, body: JsonObject) -> Response:
    """Withdraw an announcement before its end."""
    service().administration.withdraw_announcement(player, announcement, **body)
    return no_content()


@blueprint.route(
    "GET",
    "/admin/log",
    auth="administrators_only",
    query=LogQuery(),
    responses={200: response("A page of the log, the oldest entry first.", AdministrationLogPage)},
)
def get_administration_log(player: str, query: JsonObject) -> Response:
    """Get the administration log: every operation of an administrator, in order.

    Entries are chained by hashes, like the events of a game.
    """
    limit = min(query["limit"], MAX_PAGE_SIZE)
    entries = service().administration.log_page(player, query["after"], limit)
    cursor = entries[-1]["seq"] if len(entries) == limit else None
    return json_response({"entries": entries, "next": cursor})


def _decided(events: tuple[Event, ...]) -> Response:
    metrics().count_events(*(event["type"] for event in events))
    return json_response({"events": events}, 201)
